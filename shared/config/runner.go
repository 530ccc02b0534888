package config

import (
	"fmt"
	"slices"
	"strings"

	"utter/shared/plugin/protocol"
	"utter/shared/spell"
)

// Runner is the table [runner].
type Runner struct {
	RPCTimeoutMS     int    `toml:"rpc_timeout_ms"`     // of a call on a plugin
	ConfirmTimeoutMS int    `toml:"confirm_timeout_ms"` // for the user's answer
	HandleTTL        int    `toml:"handle_ttl"`         // seconds
	HandleRoot       string `toml:"handle_root"`        // "" is a folder of the runtime directory
	LossyQueue       int    `toml:"lossy_queue"`        // frames kept for a slow subscriber
	CreditWindow     int    `toml:"credit_window"`      // frames before the first ack
	SocketPath       string `toml:"socket_path"`        // "" is the usual one
}

// Socket is the table [socket]: which programs may connect to the runner. Without the table
// it is every program that has the token of the file.
type Socket struct {
	AllowSameUID  bool     `toml:"allow_same_uid"`
	AllowBinaries []string `toml:"allow_binaries"`
	Token         string   `toml:"token"`
}

// AdmitsNobody reports whether no client can ever connect.
func (s Socket) AdmitsNobody() bool {
	return !s.AllowSameUID && len(s.AllowBinaries) == 0 && s.Token == ""
}

// Security is the table [security].
type Security struct {
	Enforce string `toml:"-"`       // auto, true or false
	Written any    `toml:"enforce"` // as written; use Enforce
}

// Plugins is the table [plugins].
type Plugins struct {
	Disabled []string `toml:"disabled"` // ids; wins over enabled
}

// checkRunner reports every bad value of the runner's tables and completes them.
func (c *Config) checkRunner(bad func(field, format string, args ...any)) {
	for _, n := range []struct {
		field            string
		value, low, high int
	}{
		{"rpc_timeout_ms", c.Runner.RPCTimeoutMS, 1, protocol.MaxTimeoutMS},
		{"confirm_timeout_ms", c.Runner.ConfirmTimeoutMS, 1, 600_000},
		{"handle_ttl", c.Runner.HandleTTL, 1, 86_400},
		{"lossy_queue", c.Runner.LossyQueue, 1, 65_536},
		{"credit_window", c.Runner.CreditWindow, 1, protocol.MaxHeldFrames},
	} {
		if n.value < n.low || n.value > n.high {
			bad("runner."+n.field, "is %d; write a number from %d to %d", n.value, n.low, n.high)
		}
	}
	switch v := c.Security.Written.(type) {
	case nil:
		c.Security.Enforce = "auto"
	case bool:
		c.Security.Enforce = fmt.Sprint(v)
	case string:
		c.Security.Enforce = v
	}
	if !slices.Contains([]string{"auto", "true", "false"}, c.Security.Enforce) {
		bad("security.enforce", `is %v; write "auto", true or false`, c.Security.Written)
	}
	for _, path := range []struct{ field, value string }{{"runner.handle_root", c.Runner.HandleRoot},
		{"runner.socket_path", c.Runner.SocketPath}} {
		if path.value != "" && !strings.HasPrefix(path.value, "/") {
			bad(path.field, "is %q, which is not an absolute path", path.value)
		}
	}
	if c.Socket != nil {
		for _, name := range c.Socket.AllowBinaries {
			if name == "" || strings.Contains(name, "/") && !strings.HasPrefix(name, "/") {
				bad("socket.allow_binaries", "has %q; write an absolute path or the name of a program", name)
			}
		}
	}
}

// oneOf says what to write instead of value, or "" if it is one of known.
func oneOf(value string, known []string) string {
	if slices.Contains(known, value) {
		return ""
	}
	if near := spell.Nearest(value, known); near != "" {
		return fmt.Sprintf("is %q; did you mean %q?", value, near)
	}
	return fmt.Sprintf("is %q; write one of %s", value, strings.Join(known, ", "))
}
