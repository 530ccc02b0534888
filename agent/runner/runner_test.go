package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"utter/shared/plugin/protocol"
)

func TestTypingIntoATerminalCountsAsTerminal(t *testing.T) {
	key := `provides = ["action.key@1"]`
	b := start(t, entry("note", "note", key))
	b.reaches("note", "ok")
	got := b.user().say(`steps [{"op":"key","args":{"chord":"ctrl+t"}}]`)
	if len(got) != 1 || got[0].Error == nil || protocol.ErrorData(got[0].Error).Op != "terminal" {
		t.Errorf("%+v, want terminal switched off", got)
	}
	if got := b.user().say(`steps [{"op":"key","args":{"chord":"ctrl+t","app":"firefox"}}]`); len(got) != 1 || !got[0].OK {
		t.Errorf("into a browser: %+v", got)
	}
}

func TestProgressLogsEventsAndNewOps(t *testing.T) {
	b := start(t, entry("note", "note"))
	b.reaches("note", "ok")
	u := b.user()
	u.ok("runner.invoke", invoke("note", "progress", `{}`))
	if n := <-u.notes; n.method != "$/progress" || !strings.Contains(string(n.params), `"message":"half"`) {
		t.Errorf("note %s %s", n.method, n.params)
	}
	u.ok("runner.invoke", invoke("note", "log", `{}`))
	if got := u.ok("runner.plugin.log", protocol.PluginParams{Plugin: "note"}); !strings.Contains(string(got),
		`logged\\nline`) {
		t.Errorf("log = %s", got)
	}
	u.ok("runner.invoke", invoke("note", "change", `{}`))
	b.reaches("note", "ok", func(r protocol.PluginRow) bool { return len(r.Ops) == 1 && r.Ops[0] == "new" })
}

func TestTransportsWithASocket(t *testing.T) {
	b := start(t, entry("dials", "connect", `transport = "connect"`)+entry("waits", "listen", `transport = "listen"`)+
		entry("never", "silent", `transport = "listen"`)+entry("leaves", "exits", `transport = "connect"`)+
		"[runner]\nrpc_timeout_ms = 1500\n")
	for _, id := range []string{"dials", "waits"} {
		b.reaches(id, "ok")
		if got := b.user().ok("runner.invoke", invoke(id, "note", `{}`)); !strings.Contains(string(got), `"ok":true`) {
			t.Errorf("%s: %s", id, got)
		}
	}
	b.reaches("never", "error", func(r protocol.PluginRow) bool { return strings.Contains(r.Reason, "in time") })
	b.reaches("leaves", "error", func(r protocol.PluginRow) bool { return strings.Contains(r.Reason, "status 3") })
	b.stop()
	if left, _ := os.ReadDir(filepath.Join(b.dir, "utter")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestASecondRunnerLeaves(t *testing.T) {
	b := start(t, "")
	b.user()
	again := New(b.runner.opts)
	if err := again.Run(t.Context()); !errors.Is(err, ErrTaken) {
		t.Errorf("Run = %v, want ErrTaken", err)
	}
	b.user().ok("runner.status", nil)
	// One with another socket has a folder of its own.
	o := b.runner.opts
	o.Socket = filepath.Join(b.dir, "second.sock")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- New(o).Run(ctx) }()
	b.until("the second has a token", func() bool { _, err := os.Stat(o.Socket + ".d/token"); return err == nil })
	b.user().ok("runner.status", nil)
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run = %v", err)
	}
	if _, err := os.Stat(o.Socket + ".d"); !os.IsNotExist(err) {
		t.Errorf("its folder is left: %v", err)
	}
}

// TestWhoIsAskedLearnsWhoseActionItIs: the client that asked, or the confirmer for
// another program or for itself.
func TestWhoIsAskedLearnsWhoseActionItIs(t *testing.T) {
	b := start(t, entry("note", "note"))
	b.reaches("note", "ok")
	var asked protocol.ConfirmParams
	approving := func() *user {
		return b.confirming(func(p protocol.ConfirmParams) any {
			asked = p
			return protocol.ConfirmResult{Approved: true, Nonce: p.Nonce, Digest: p.Digest}
		})
	}
	check := func(u *user, yours bool) {
		t.Helper()
		u.ok("runner.invoke", invoke("note", "careful", `{}`))
		if asked.Plugin != "note" || asked.Yours != yours {
			t.Errorf("asked %+v, want yours %v", asked, yours)
		}
	}
	check(approving(), true)
	confirmer := approving()
	confirmer.ok("runner.confirmer.register", protocol.AuthParams{Token: b.token("confirm-token")})
	check(b.user(), false)
	check(confirmer, true)
}
