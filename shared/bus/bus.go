// Package bus is the D-Bus interface of the agent for both of its ends: the names,
// the dictionaries, replies and signals as Go structs, their one codec, and the
// client that the CLI and the settings app use. data/dbus/org.utter.Agent.xml
// documents the interface; a test compares it with the structs, key by key.
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
