package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestRunnerTables(t *testing.T) {
	c, err := Decode("c.toml", []byte(`
[runner]
rpc_timeout_ms = 500
[security]
enforce = true
[socket]
token = "t"
[policy]
enabled_ops = ["terminal"]
[plugins]
disabled = ["off"]
[[plugin]]
id = "note"
kind = "bundle"
entrypoint = ["python3", "note.py"]
[plugin.env]
A = "b"
[plugin.settings]
n = 1
[[plugin]]
id = "off"
argv = "one"
`))
	if err != nil || c.Faults() != nil {
		t.Fatal(err, c.Faults())
	}
	if c.Runner.RPCTimeoutMS != 500 || c.Runner.ConfirmTimeoutMS != 30_000 || c.Security.Enforce != "true" ||
		c.Socket == nil || c.Socket.Token != "t" || len(c.Policy.EnabledOps) != 1 {
		t.Errorf("%+v", c)
	}
	want := Plugin{ID: "note", Kind: "bundle", Runtime: "subprocess", Transport: "stdio",
		Entrypoint: []string{"python3", "note.py"},
		Enabled:    true, Env: map[string]string{"A": "b"}, Settings: map[string]any{"n": int64(1)}, Line: 12}
	if len(c.Plugin) != 2 || !reflect.DeepEqual(c.Plugin[0], want) {
		t.Errorf("plugin %+v, want %+v", c.Plugin[0], want)
	}
	if off := c.Plugin[1]; off.Enabled || len(off.Entrypoint) != 1 || off.Entrypoint[0] != "one" {
		t.Errorf("off = %+v", off)
	}
}

func TestAFaultyPluginLeavesTheOthersAlone(t *testing.T) {
	const whole = "[[plugin]]\nid = \"whole\"\nentrypoint = [\"x\"]\n"
	tests := []struct{ in, want string }{
		{"entrypont = [\"y\"]\nid = \"bad\"", `c.toml:5:1: plugin.entrypont is unknown; did you mean "plugin.entrypoint"?`},
		{"entrypoint = [\"y\"]", "c.toml:4:1: plugin.id is missing"},
		{"id = \"bundle\"\nentrypoint = [\"y\"]", "c.toml:5:1: plugin.id is wrong"},
		{"id = \"whole\"\nentrypoint = [\"y\"]", `c.toml:5:1: plugin.id is "whole", as that of an earlier plugin`},
		{"id = \"bad\"\nentrypoint = []", "plugin.entrypoint is empty"},
		{"id = \"bad\"\nentrypoint = [1]", "plugin.entrypoint has 1"},
		{"id = \"bad\"\nentrypoint = \"x\"\nargv = \"x\"", "plugin.argv is another name"},
		{"id = 7\nentrypoint = \"x\"", "c.toml:5:"},
		{"id = \"bad\"\nentrypoint = \"x\"\n  kind = \"actoin\"",
			`c.toml:7:3: plugin.kind is "actoin"; did you mean "action"?`},
		{"id = \"bad\"\nentrypoint = \"x\"\ntransport = \"tcp\"", `plugin.transport is "tcp"; write one of stdio`},
		{"id = \"bad\"\nentrypoint = \"x\"\npermissions = [\"netwrk\"]", `did you mean "network"?`},
		{"id = \"bad\"\nentrypoint = \"x\"\nread_paths = [\"data\"]", "write an absolute path"},
		{"id = \"bad\"\nentrypoint = \"x\"\nenv = { \"A=B\" = \"c\" }", "which is not the name of a variable"},
		{"id = \"bad\"\nentrypoint = \"x\"\nsettings = { x = nan }", "cannot be written as JSON"},
	}
	for _, tt := range tests {
		c, err := Decode("c.toml", []byte(whole+"[[plugin]]\n"+tt.in+"\n"))
		if err != nil || len(c.Plugin) != 2 || c.Plugin[0].Fault != nil {
			t.Errorf("%s: %v, %+v", tt.in, err, c.Plugin)
			continue
		}
		if fault := c.Faults(); fault == nil || !strings.Contains(fault.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", tt.in, fault, tt.want)
		}
	}
	for in, want := range map[string]string{
		"plugin = [{ id = \"x\" }]\n":         "write each plugin as its own table",
		"[runner]\nrpc_timout_ms = 1\n":       `did you mean "runner.rpc_timeout_ms"?`,
		"[runner]\nrpc_timeout_ms = 0\n":      "c.toml:2:1: runner.rpc_timeout_ms is 0; write a number from 1",
		"[security]\nenforce = \"maybe\"\n":   `write "auto", true or false`,
		"[socket]\nallow_binaries = [\"\"]\n": "write an absolute path or the name of a program",
	} {
		if _, err := Decode("c.toml", []byte(in+whole)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", in, err, want)
		}
	}
}

func TestAddAndRemovePlugin(t *testing.T) {
	const before = "# mine\n[search]\nengine = \"google\" # why\n\n[[plugin]]\nid = \"one\"\nentrypoint = [\"x\"]\n\n" +
		"# about the policy\n[policy]\nconfirm_ops = []\n"
	p := Plugin{ID: "two", Kind: "bundle", Transport: "stdio", Entrypoint: []string{"python3", "it's \"quoted\""},
		Dir: "/somewhere", Permissions: []string{"network"},
		Env:      map[string]string{"odd key": "v"},
		Settings: map[string]any{"s": "x", "list": []any{int64(1), 1.5, true}, "t": map[string]any{"f": 1.0}}}
	text, err := AddPlugin("c.toml", []byte(before), p)
	if err != nil || !strings.HasPrefix(string(text), before) {
		t.Fatalf("%v\n%s", err, text)
	}
	c, err := Decode("c.toml", text)
	if err != nil || len(c.Plugin) != 2 {
		t.Fatal(err)
	}
	got := c.Plugin[1]
	if got.Dir != p.Dir || !reflect.DeepEqual(got.Entrypoint, p.Entrypoint) ||
		!reflect.DeepEqual(got.Settings, p.Settings) || !reflect.DeepEqual(got.Env, p.Env) {
		t.Errorf("read again: %+v\n%s", got, text)
	}
	if _, err := AddPlugin("c.toml", text, p); err == nil {
		t.Error("an id was added twice")
	}
	if _, err := AddPlugin("c.toml", nil, Plugin{ID: "router", Entrypoint: []string{"x"}}); err == nil {
		t.Error("a bad entry was added")
	}
	gone, err := RemovePlugin("c.toml", text, "one")
	if err != nil || strings.Contains(string(gone), `"one"`) ||
		!strings.Contains(string(gone), "# about the policy\n[policy]") || !strings.Contains(string(gone), `"two"`) {
		t.Errorf("%v\n%s", err, gone)
	}
	gone, err = RemovePlugin("c.toml", text, "two")
	if err != nil || strings.TrimSpace(string(gone)) != strings.TrimSpace(before) {
		t.Errorf("added and removed: %v\n%s", err, gone)
	}
	if _, err := RemovePlugin("c.toml", []byte("[search]\nengine = google\n"), "three"); err == nil ||
		!strings.HasPrefix(err.Error(), "c.toml:2:10 ") {
		t.Errorf("of what is not TOML: %v", err)
	}
	if _, err := RemovePlugin("c.toml", text, "three"); !errors.Is(err, ErrNoPlugin) {
		t.Errorf("err = %v", err)
	}
}

func FuzzPlugins(f *testing.F) {
	f.Add("[[plugin]]\nid = \"one\"\nentrypoint = [\"x\"]\n[plugin.env]\nA = \"b\"\n[policy]\n[[plugin]]\nid = 3\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Decode("c", []byte(text))
		if err != nil {
			return
		}
		for _, p := range c.Plugin {
			if p.Fault == nil && (p.ID == "" || len(p.Entrypoint) == 0) {
				t.Errorf("%q: %+v counts as right", text, p)
			}
		}
	})
}
