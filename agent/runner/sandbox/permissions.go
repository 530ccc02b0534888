package sandbox

import (
	"fmt"
	"slices"
)

// A Permission is one line of what a plugin may do, and of how far that is kept.
type Permission struct {
	Name    string `json:"name"`
	Granted bool   `json:"granted"` // by the configuration

	// Enforced: without the grant the plugin was shown to be refused. Advisory is
	// the opposite. Neither says whether it is granted.
	Enforced bool   `json:"enforced"`
	Advisory bool   `json:"advisory"`
	Reason   string `json:"reason"`
}

// permissions are those the protocol knows.
var permissions = []string{Microphone, "screenshot", "accessibility", "input-injection", "process-spawn", Network,
	FilesystemRead, FilesystemWrite, "clipboard", "notifications", "keyring"}

// Permissions returns a line for each permission of the protocol, in its order,
// and behind them the unknown ones that are granted. r is of the machine the
// plugin runs on, mode what is configured.
func Permissions(granted []string, r Report, mode Mode) (all []Permission) {
	names := slices.Clone(permissions)
	for _, name := range granted {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		p := Permission{Name: name, Granted: slices.Contains(granted, name)}
		p.Enforced, p.Reason = enforced(name, granted, r, mode)
		p.Advisory = !p.Enforced
		all = append(all, p)
	}
	return all
}

func enforced(name string, granted []string, r Report, mode Mode) (bool, string) {
	boxed, err := Applies(mode, r)
	switch {
	case mode == Never:
		return false, "the sandbox is disabled by enforce = false"
	case err != nil:
		return false, "the plugin does not start: " + r.Reason
	case !boxed:
		return false, "there is no sandbox: " + r.Reason
	}
	switch name {
	case Network, FilesystemRead, FilesystemWrite, Microphone:
		c := r.Claim(name)
		reason := c.Reason
		if slices.Contains(granted, name) {
			reason = means[name] + "; " + reason
		}
		if c.State == Unverified {
			reason = "unverified: " + reason
		}
		return c.State == Enforced, reason
	case "process-spawn":
		return false, "a plugin can always start programs; they stay in its sandbox and end with it"
	case "screenshot", "accessibility", "input-injection", "clipboard", "notifications", "keyring":
		return false, "nothing enforces this; " + ways(granted, r)
	}
	return false, "there is no such permission"
}

// means says what a grant gives.
var means = map[string]string{
	Network:         "granted: the whole network, including local services and a browser's remote control",
	FilesystemRead:  "granted: the configured read paths",
	FilesystemWrite: "granted: the configured write paths",
	Microphone:      "granted: the sound devices and everything the sound server offers; with PipeWire, possibly cameras",
}

// ways tells what is known of the ways that the desktop is reached by.
func ways(granted []string, r Report) string {
	bus, display := r.Claim(SessionBus), r.Claim(Display)
	text := fmt.Sprintf("the session bus is %s and the display %s", shut(bus), shut(display))
	if slices.Contains(granted, Network) && r.Claim(AbstractSockets).State != Enforced {
		text += ", but the granted network reaches abstract sockets, which may lead to both"
	}
	return text
}

func shut(c Claim) string {
	switch c.State {
	case Enforced:
		return "shut (tried)"
	case Unverified:
		return "shut (unverified)"
	}
	return "open"
}
