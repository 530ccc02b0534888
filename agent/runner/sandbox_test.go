package runner

import (
	"os/exec"
	"strings"
	"testing"

	"utter/agent/runner/sandbox"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// TestSandboxedPlugins: they work by every transport, and see neither the socket
// nor the token.
func TestSandboxedPlugins(t *testing.T) {
	if _, err := exec.LookPath("bwrap"); err != nil {
		t.Skip("bubblewrap is not installed")
	}
	var box *sandbox.Box
	b := start(t, entry("note", "note")+entry("dials", "connect", `transport = "connect"`)+entry("waits", "listen",
		`transport = "listen"`, `permissions = ["network"]`),
		func(o *Options) {
			box = sandbox.New(sandbox.Host{Home: o.Dir + "/home", Runtime: o.Dir, Socket: o.Socket})
			o.Box = box
		})
	if r := box.Probe(t.Context()); !r.Works {
		t.Skip("no sandbox here: " + r.Reason)
	}
	u := b.user()
	for _, id := range []string{"note", "dials", "waits"} {
		row := b.reaches(id, "ok")
		if l := b.runner.plugins.byID(id).Live(); !l.Sandboxed() {
			t.Errorf("%s runs in no sandbox", id)
		}
		if p := row.Permissions; len(p) != 1 || p[0].Name != protocol.PermissionNetwork || p[0].Granted != (id == "waits") {
			t.Errorf("%s: permissions %+v", id, p)
		}
		for path, want := range map[string]string{b.socket: "false", b.dir + "/utter/token": "false", b.config: "false",
			"/usr": "true", "/run/user": "false"} {
			var said protocol.InvokeResult
			if err := rpc.Unmarshal(u.ok("runner.invoke", invoke(id, "look", `{"path":"`+path+`"}`)),
				&said); err != nil || said.Detail != want {
				t.Errorf("%s sees %s: %s, %v; want %s", id, path, said.Detail, err, want)
			}
		}
		if got := string(u.ok("runner.invoke", invoke(id, "keep", `{}`))); !strings.Contains(got, "nil") {
			t.Errorf("%s has no folder for temporary files: %s", id, got)
		}
	}
	if got := string(u.ok("runner.status", nil)); !strings.Contains(got, `"works":true`) {
		t.Errorf("status %s", got)
	}
}
