package runner

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"utter/agent/runner/supervisor"
	"utter/shared/plugin/protocol"
)

// TestCrashes: whatever a plugin does wrong is told truthfully, and it is started
// again with the next epoch.
func TestCrashes(t *testing.T) {
	tests := []struct{ op, reason string }{
		{"crash", "the plugin crashed: killed by signal 9 (killed): \\x1b[31mmy last words"},
		{"garble",
			`the plugin wrote "not a frame at all" to standard output, where only messages may go; print to standard error`},
		{"mute", "the plugin closed its end of the connection"},
	}
	for _, tt := range tests {
		t.Run(tt.op, func(t *testing.T) {
			b := start(t, entry("note", "note"),
				func(o *Options) { o.Pace.FirstPause = time.Hour; o.Pace.LongestPause = time.Hour })
			b.reaches("note", "ok")
			u := b.user()
			if d := u.fails(protocol.CodePlugin, "runner.invoke",
				invoke("note", tt.op, `{}`)); d.Outcome != protocol.OutcomeUnknown {
				t.Errorf("data %+v", d)
			}
			row := b.reaches("note", "error")
			if want := tt.reason + "; restarts soon"; row.Reason != want {
				t.Errorf("reason %q, want %q", row.Reason, want)
			}
			if want := "[runner] " + tt.reason + "; restarts in 1h0m0s"; !slices.Contains(u.log("note"), want) {
				t.Errorf("log %q, want %q in it", u.log("note"), want)
			}
			if d := u.fails(protocol.CodePlugin, "runner.invoke",
				invoke("note", "note", `{}`)); d.Outcome != protocol.OutcomeNotStarted {
				t.Errorf("while it is down: %+v", d)
			}
			u.fails(protocol.CodeUnavailable, "runner.command", map[string]any{"utterance": "x"})
			u.ok("runner.plugin.restart", protocol.PluginParams{Plugin: "note"})
			b.reaches("note", "ok", func(r protocol.PluginRow) bool { return r.Epoch == 1 })
			u.ok("runner.invoke", invoke("note", "note", `{}`))
			u.ok("runner.plugin.restart", protocol.PluginParams{Plugin: "note"})
			b.reaches("note", "ok", func(r protocol.PluginRow) bool { return r.Epoch == 2 })
			if log := u.log("note"); log[len(log)-1] != "[runner] restarted on request" {
				t.Errorf("log %q", log)
			}
		})
	}
}

func TestStartsThatFail(t *testing.T) {
	b := start(t, "[runner]\nrpc_timeout_ms = 10000\n"+entry("silent", "silent")+entry("garbage", "garbage")+entry("huge",
		"huge")+entry("exits", "exits")+entry("prints", "prints")+entry("stuck", "stuck")+entry("bare", "bare")+
		entry("future", "future")+entry("well", "note")+entry("unwell", "unwell")+
		"[[plugin]]\nid = \"absent\"\nentrypoint = [\"./no-such-program\"]\n[[plugin]]\nid = \"wrong\"\nentrypoint = []\n"+
		"[[plugin]]\nid = \"wasm\"\nruntime = \"wasm\"\nentrypoint = [\"x\"]\n"+
		"[[plugin]]\nid = \"off\"\nentrypoint = [\"x\"]\nenabled = false\n")
	b.reaches("well", "ok") // nobody keeps it waiting
	for id, reason := range map[string]string{
		"silent": "it did not answer protocol.hello within 10 s", "garbage": `"hello, I am a plugin" to standard output`,
		"huge": "not a frame", "exits": `the plugin crashed: exit status 3: my last \x1b[31mwords`,
		"prints": `wrote "usage: prints" to standard output, where only messages may go; print to standard error; then exit status 4: bad arguments`,
		"stuck":  `it did not answer protocol.hello within 10 s; it wrote "waiting" to standard output`,
		"bare":   `wrote "{\"id\":1}" without the line Content-Length that each`,
		"future": "speaks protocol", "absent": "does not exist", "wrong": "entrypoint is empty", "wasm": "not supported",
	} {
		row := b.reaches(id, "error")
		if !strings.Contains(row.Reason, reason) {
			t.Errorf("%s: %q, want %q in it", id, row.Reason, reason)
		}
	}
	b.reaches("unwell", "degraded")
	for _, id := range []string{"garbage", "exits"} {
		b.reaches(id, "error", func(r protocol.PluginRow) bool {
			return strings.Contains(r.Reason, "given up after 3 failures") && r.Epoch == 2
		})
	}
	for _, id := range []string{"future", "absent"} {
		if row := b.reaches(id, "error"); row.Epoch != 0 {
			t.Errorf("%s was started again, which is of no use: %+v", id, row)
		}
	}
	u := b.user()
	const crash = `[runner] the plugin crashed: exit status 3: my last \x1b[31mwords; restarts in `
	said := []string{`\[runner] all is well`, `my last \x1b[31mwords`}
	want := slices.Concat(said, []string{crash + "10ms"}, said, []string{crash + "20ms"}, said,
		[]string{`[runner] given up after 3 failures: the plugin crashed: exit status 3: my last \x1b[31mwords`})
	if got := u.log("exits"); !slices.Equal(got, want) {
		t.Errorf("log = %q, want %q", got, want)
	}
	if got := u.log("absent"); len(got) != 1 || !strings.HasPrefix(got[0], "[runner] is not running: ") {
		t.Errorf("log = %q", got)
	}
	if rows := string(u.ok("runner.plugins", nil)); strings.Contains(rows, `"off"`) {
		t.Errorf("a disabled plugin is shown: %s", rows)
	}
	u.ok("runner.plugin.enable", protocol.PluginParams{Plugin: "garbage"})
	b.reaches("garbage", "error", func(r protocol.PluginRow) bool { return r.Epoch > 2 })
	u.fails(protocol.CodeInvalidParams, "runner.plugin.enable", protocol.PluginParams{Plugin: "nobody"})
	u.fails(protocol.CodeInvalidParams, "runner.validate_plugin", protocol.PluginParams{Plugin: "nobody"})
}

func TestRequirementsAreAGraph(t *testing.T) {
	b := start(t, entry("needs", "needs")+entry("lacks", "lacks")+entry("gives", "gives"))
	b.reaches("needs", "ok")
	b.reaches("gives", "ok")
	row := b.reaches("lacks", "error")
	if !strings.Contains(row.Reason, "no plugin provides experimental/nobody@1") {
		t.Errorf("reason %q", row.Reason)
	}
	u := b.user()
	if got := u.ok("runner.validate_plugin", protocol.PluginParams{Plugin: "lacks"}); !strings.Contains(string(got),
		`"ok":false`) || !strings.Contains(string(got), `"missing_requires":["experimental/nobody@1"]`) {
		t.Errorf("validate = %s", got)
	}
	// A plugin that loses what it needs is degraded, and whole again afterwards.
	if err := syscall.Kill(b.runner.plugins.byID("gives").Live().PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	b.reaches("gives", "ok", func(r protocol.PluginRow) bool { return r.Epoch == 1 })
	b.reaches("needs", "ok")
	// What was missing comes with a new configuration.
	b.write(entry("needs", "needs") + entry("gives", "gives",
		`provides = ["experimental/nobody@1"]`) + entry("lacks", "lacks"))
	b.reload()
	b.reaches("lacks", "ok")
}

// TestACircleOfRequirementsSurvivesRestarts: two plugins that need each other
// come back, whichever of them goes, and both at once.
func TestACircleOfRequirementsSurvivesRestarts(t *testing.T) {
	text := entry("needs", "needs") + entry("gives", "gives")
	b := start(t, text)
	epochs := map[string]int{}
	whole := func() {
		t.Helper()
		for id, epoch := range epochs {
			b.reaches(id, "ok", func(r protocol.PluginRow) bool { return r.Epoch >= epoch })
		}
	}
	kill := func(ids ...string) {
		t.Helper()
		var all []int
		for _, id := range ids {
			row := b.reaches(id, "ok")
			epochs[id] = row.Epoch + 1
			all = append(all, b.runner.plugins.byID(id).Live().PID())
		}
		for _, pid := range all {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, id := range []string{"needs", "gives"} {
		b.reaches(id, "ok")
	}
	for _, ids := range [][]string{{"needs"}, {"gives"}, {"needs", "gives"}} {
		kill(ids...)
		whole()
	}
	for _, id := range []string{"gives", "needs"} {
		epochs[id] = b.reaches(id, "ok").Epoch + 1
		b.user().ok("runner.plugin.restart", protocol.PluginParams{Plugin: id})
		whole()
	}
	b.write(entry("needs", "needs"))
	b.reload()
	if row := b.reaches("needs", "degraded"); !strings.Contains(row.Reason,
		"no plugin provides experimental/a@1 any more") {
		t.Errorf("reason %q", row.Reason)
	}
	b.write(text)
	b.reload()
	b.reaches("gives", "ok")
	b.reaches("needs", "ok")
}

func TestReload(t *testing.T) {
	b := start(t, entry("stays", "note")+entry("changes", "note")+entry("goes", "note"))
	for _, id := range []string{"stays", "changes", "goes"} {
		b.reaches(id, "ok")
	}
	pid := b.runner.plugins.byID("stays").Live().PID()
	u := b.user()
	for _, wrong := range []string{"nonsense", "[runner]\nrpc_timeout_ms = \"x\"\n"} {
		b.write(wrong)
		_, err := u.call("runner.reload", nil)
		if where := b.config + ":"; protocol.CodeOf(err) != protocol.CodeInvalidParams ||
			!strings.Contains(err.Error(), where) {
			t.Errorf("%q: %v, want %q in it", wrong, err, where)
		}
	}
	if got := b.runner.plugins.byID("goes").Live(); got == nil {
		t.Error("a wrong file changed something")
	}
	b.write("[policy]\ndisabled_ops = [\"note\"]\n\n" + entry("comes", "note") + entry("changes", "note",
		`permissions = ["network"]`) + entry("stays", "note"))
	if got := u.ok("runner.reload", nil); string(got) != "{}" {
		t.Errorf("reload = %s", got)
	}
	if b.runner.plugins.byID("goes") != nil || b.runner.plugins.byID("comes") == nil {
		t.Error("it was answered before the configuration has taken effect")
	}
	b.reaches("comes", "ok")
	b.reaches("changes", "ok", func(r protocol.PluginRow) bool { return r.Epoch == 1 })
	b.reaches("stays", "ok", func(r protocol.PluginRow) bool { return r.Epoch == 0 })
	if now := b.runner.plugins.byID("stays").Live().PID(); now != pid {
		t.Errorf("an unchanged entry was started anew: %d, was %d", now, pid)
	}
	if d := u.fails(protocol.CodeDenied, "runner.invoke",
		invoke("stays", "note", `{}`)); d.Reason != protocol.ReasonDisabled {
		t.Errorf("the new policy is not in force: %+v", d)
	}
}

func TestTheFileIsTold(t *testing.T) {
	b := start(t, "", func(o *Options) { o.File = "/there/config.toml" })
	if got := b.user().ok("runner.status", nil); !strings.Contains(string(got), `"config":"/there/config.toml"`) {
		t.Errorf("status = %s", got)
	}
}

func TestASilentPluginIsDead(t *testing.T) {
	b := start(t, "[runner]\nrpc_timeout_ms = 1000\n"+entry("dead", "dead"))
	b.reaches("dead", "ok")
	b.reaches("dead", "ok", func(r protocol.PluginRow) bool { return r.Epoch > 0 })
	if !strings.Contains(b.log.String(), "does not respond to health checks") {
		t.Error("the log does not say why")
	}
}

// TestSoak: crashing plugins and impatient clients leave nothing behind; TestMain
// counts.
func TestSoak(t *testing.T) {
	patience := 2 * time.Second
	if v := os.Getenv("UTTER_SOAK"); v != "" {
		var err error
		if patience, err = time.ParseDuration(v); err != nil {
			t.Fatal(err)
		}
	}
	before := census()
	b := start(t, entry("aa", "note")+entry("bb", "note")+entry("cc", "exits"), func(o *Options) {
		o.Pace = supervisor.Pace{FirstPause: time.Millisecond, LongestPause: 5 * time.Millisecond, GiveUp: 1 << 30}
	})
	b.reaches("aa", "ok")
	token := b.token("token")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	done := make(chan int)
	for i := range 4 {
		go func() {
			n := 0
			for ctx.Err() == nil {
				u, leave := b.dial(nil) // none is kept until the end of the test
				u.ok(protocol.MethodRunnerAuth, protocol.AuthParams{Token: token})
				_, _ = u.peer.Call(ctx, "runner.invoke",
					invoke([]string{"aa", "bb"}[i%2], []string{"note", "crash", "progress", "garble", "fork"}[n%5], `{}`))
				leave()
				n++
			}
			done <- n
		}()
	}
	total := 0
	for range 4 {
		total += <-done
	}
	b.stop()
	t.Logf("%d calls, %d restarts", total, strings.Count(b.log.String(), "it will be restarted"))
	if left, _ := os.ReadDir(filepath.Join(b.dir, "utter")); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
	if left := before.left(); left != "" {
		t.Errorf("left behind: %s", left)
	}
}
