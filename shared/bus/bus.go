// Package bus holds the names of Utter's D-Bus interface and the client that
// the CLI and the settings app use. The contract itself is
// data/dbus/org.utter.Agent.xml.
package bus

// Names of the agent on the session bus.
const (
	Agent     = "org.utter.Agent"
	Path      = "/org/utter/Agent"
	Interface = "org.utter.Agent"
)

// Error names that the agent answers with.
const (
	ErrInvalidArgs = "org.utter.Agent.Error.InvalidArgs"
	ErrNotFound    = "org.utter.Agent.Error.NotFound"
	ErrExpired     = "org.utter.Agent.Error.Expired"
	ErrFailed      = "org.utter.Agent.Error.Failed"
)
