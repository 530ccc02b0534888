package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"utter/agent/runner/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.BecomeProbe()
	os.Exit(m.Run())
}

func TestCheckConfig(t *testing.T) {
	tests := []struct {
		text   string
		status int
		want   []string
	}{
		{"", 0, []string{"warning: there are no plugins", "config OK"}},
		{"[[plugin]]\nid = \"note\"\nentrypoint = [\"x\"]\n", 0, []string{"config OK"}},
		{"[[plugin]]\nid = \"note\"\nruntime = \"wasm\"\nentrypoint = [\"x\"]\ncwd = \"/no/such\"\n" +
			"provides = [\"odd@1\"]\n[socket]\n", 0,
			[]string{"runtime wasm is not supported", "cwd /no/such is not a folder", "unknown capability odd@1",
				"every client will be rejected", "config OK"}},
		{"[[plugin]]\nid = \"note\"\ntransport = \"tcp\"\nentrypoint = []\n[[plugin]]\nentrypoint = [\"x\"]\n", 1,
			[]string{"plugin.transport is", "error: ", "plugin.entrypoint is empty", "plugin.id is missing", "config INVALID"}},
		{"[runner]\nrpc_timeout_ms = \"soon\"\n", 1, []string{"error: ", ":2:", "config INVALID"}},
		{"nonsense", 1, []string{"config INVALID"}},
	}
	for _, tt := range tests {
		file := filepath.Join(t.TempDir(), "c.toml")
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"--check-config", "--config", file}, {"--check-config", file}} {
			var out, errs bytes.Buffer
			if got := run(t.Context(), args, &out, &errs); got != tt.status {
				t.Errorf("%q: status %d, want %d\n%s%s", tt.text, got, tt.status, &out, &errs)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q: %s\nwant %q in it", tt.text, &out, want)
				}
			}
			if tt.text == "nonsense" && strings.Contains(out.String(), "warning") {
				t.Errorf("%q: warned of what it could not read:\n%s", tt.text, &out)
			}
		}
	}
}

func TestUsage(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.toml")
	tests := []struct {
		args   []string
		status int
	}{
		{[]string{"--help"}, 0},
		{[]string{"--version"}, 0},
		{[]string{"--no-such"}, 2},
		{[]string{"one", "two"}, 2},
		{[]string{"--config", "one", "two"}, 2},
		{[]string{"--log-level", "LOUD"}, 2},
		{[]string{"--config", missing}, 1},
		{[]string{"--check-config", missing}, 1},
	}
	for _, tt := range tests {
		var out, errs bytes.Buffer
		if got := run(t.Context(), tt.args, &out, &errs); got != tt.status {
			t.Errorf("%q: status %d, want %d\n%s%s", tt.args, got, tt.status, &out, &errs)
		}
	}
}
