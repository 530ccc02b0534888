package runner

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"utter/shared/plugin/protocol"
)

func TestCommandPlansAndCarriesOut(t *testing.T) {
	b := start(t, entry("note", "note"))
	b.reaches("note", "ok")
	u := b.user()
	got := u.say(`steps [{"op":"note","args":{"text":"buy milk"}},{"op":"no"},{"op":"note"}]`)
	if len(got) != 3 || !got[0].OK || got[0].Detail != `{"text":"buy milk"} user` || got[0].Evidence != "plugin_reported" {
		t.Errorf("first step: %+v", got)
	}
	if got[1].OK || got[1].Detail != "not today" || got[2].OK || !strings.Contains(got[2].Detail, "skipped") {
		t.Errorf("a plan stops at its first failed step: %+v", got[1:])
	}
	if got := u.say("nothing to do"); len(got) != 0 {
		t.Errorf("no plan: %+v", got)
	}
	for _, text := range []string{`steps [7]`, `steps [{"args":{}}]`, `steps [{"op":"note","args":[]}]`, `steps [{"op":"note","provenance":""}]`} {
		got := u.say(text)
		if len(got) != 1 || got[0].OK || got[0].Error == nil || got[0].Error.Code != protocol.CodeInvalidParams {
			t.Errorf("%s: %+v, want an error -32602 in the result", text, got)
		}
	}
	u.fails(protocol.CodeInvalidParams, "runner.command", map[string]any{"utterance": "  "})
	u.fails(protocol.CodeInvalidParams, "runner.command", map[string]any{"utterance": "x", "provenance": ""})
	u.fails(protocol.CodeInvalidParams, "runner.command", map[string]any{"utterance": "x", "provenance": nil})
}

func TestPlanDoesNothing(t *testing.T) {
	b := start(t, entry("note", "note"))
	b.reaches("note", "ok")
	got := b.user().ok("runner.plan", map[string]any{"utterance": `steps [{"op":"crash","provenance":"user"}]`, "provenance": "screen"})
	if want := `{"steps":[{"op":"crash","provenance":"screen"}],"plugin":"note"}`; string(got) != want {
		t.Errorf("plan = %s, want %s", got, want)
	}
	if r := b.reaches("note", "ok"); r.Epoch != 0 {
		t.Errorf("something was done: %+v", r)
	}
}

func TestPolicyStandsBeforeEveryCall(t *testing.T) {
	b := start(t, entry("note", "note", `provides = ["action.terminal@1", "action.open_url@1"]`))
	b.reaches("note", "ok")
	u := b.user()
	screen := func(op, args string) map[string]any {
		return through("note", "action.invoke", `{"op":"`+op+`","args":`+args+`,"provenance":"screen"}`)
	}
	if d := u.fails(protocol.CodeUntrusted, "runner.invoke", screen("terminal", `{"z":1,"command":"ls"}`)); strings.Join(d.Fields, ",") != "command,z" {
		t.Errorf("fields = %v", d.Fields)
	}
	u.fails(protocol.CodeUntrusted, "runner.invoke", screen("unheard_of", `{"a":1}`))
	u.ok("runner.invoke", screen("note", `{}`))
	if d := u.fails(protocol.CodeDenied, "runner.invoke", invoke("note", "terminal", `{"command":"ls"}`)); d.Reason != protocol.ReasonDisabled {
		t.Errorf("reason = %v", d.Reason)
	}
	u.fails(protocol.CodeMethodNotFound, "runner.invoke", invoke("note", "unheard_of", `{}`))
	u.fails(protocol.CodeMethodNotFound, "runner.invoke", invoke("note", "action.action.ensure_url", `{"url":"https://example.org"}`))
	u.fails(protocol.CodeInvalidParams, "runner.invoke", invoke("note", "note", `{"text":7}`))
	u.fails(protocol.CodeInvalidParams, "runner.invoke", invoke("note", "note", `{"text":"much longer than the schema allows"}`))
	u.fails(protocol.CodeUnavailable, "runner.invoke", invoke("note", "remote", `{}`))
	u.ok("runner.invoke", invoke("note", "action.ensure_url", `{"url":"https://example.org"}`))
	u.fails(protocol.CodeUnavailable, "runner.invoke", invoke("note", "key", `{"chord":"ctrl+t"}`))
	if d := u.fails(protocol.CodeDenied, "runner.invoke", through("note", "action.invoke", `{"op":"note"}`)); d.Reason != protocol.ReasonProvenance {
		t.Errorf("without provenance: %v", d.Reason)
	}
	for _, method := range []string{"protocol.hello", "plugin.describe", "stream.subscribe", "handle.fetch", "$/cancel", "shutdown", "notes.other"} {
		u.fails(protocol.CodeMethodNotFound, "runner.invoke", through("note", method, `{"provenance":"user"}`))
	}
	u.fails(protocol.CodeDenied, "runner.invoke", through("note", "notes.wipe", `{"what":"all"}`))
	u.fails(protocol.CodeUntrusted, "runner.invoke", through("note", "notes.wipe", `{"what":"all","provenance":"screen"}`))
	u.ok("runner.invoke", through("note", "notes.wipe", `{"what":"all","provenance":"user"}`))
	u.fails(protocol.CodeUnavailable, "runner.invoke", through("nobody", "plugin.health", `{}`))
	u.fails(protocol.CodeInvalidParams, "runner.invoke", map[string]any{"plugin": "note", "method": "plugin.health", "params": []int{1}})
	u.ok("runner.invoke", through("bundle", "plugin.health", `{}`))
}

func TestPluginsNeverSeeTheScreenUnlessGranted(t *testing.T) {
	b := start(t, entry("blind", "note")+entry("sees", "note", `permissions = ["accessibility"]`)+entry("clips", "note", `permissions = ["clipboard"]`))
	for _, id := range []string{"blind", "sees", "clips"} {
		b.reaches(id, "ok")
	}
	u := b.user()
	tests := []struct{ id, keeps, cuts string }{
		{"blind", `"app_id":"foot"`, "secret"},
		{"sees", `"title":"secret"`, "clipboard"},
		{"clips", `"clipboard":"secret"`, "title"},
	}
	for _, tt := range tests {
		context := string(u.ok("runner.invoke", invoke(tt.id, "context", `{}`)))
		forwarded := string(u.ok("runner.invoke", through(tt.id, "llm.choose", `{"context":{"focused":{"app_id":"foot","title":"secret"},"clipboard":"secret","tree":["secret"]}}`)))
		for _, got := range []string{context, forwarded} {
			if !strings.Contains(got, tt.keeps) || strings.Contains(got, tt.cuts) {
				t.Errorf("%s sees %s; want %s in it and no %s", tt.id, got, tt.keeps, tt.cuts)
			}
		}
	}
}

func TestStepsOfWhoSeesTheScreenAreOfTheScreen(t *testing.T) {
	b := start(t, entry("sees", "note", `permissions = ["accessibility"]`))
	b.reaches("sees", "ok")
	got := b.user().say(`steps [{"op":"note","args":{"text":"x"},"provenance":"user"}]`)
	if len(got) != 1 || got[0].Error == nil || got[0].Error.Code != protocol.CodeUntrusted {
		t.Errorf("%+v, want -32006", got)
	}
}

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

func TestRoutersAreAskedInOrder(t *testing.T) {
	b := start(t, entry("failing", "failing")+entry("slow", "slow")+entry("other", "other"))
	b.reaches("other", "ok")
	if got := b.user().say("anything"); len(got) != 1 || !strings.Contains(got[0].Detail, "slow one") {
		t.Errorf("%+v, want the plan of the earlier router, which was waited for", got)
	}
}

func TestErrorsOfRoutersCountIfNoneHasAPlan(t *testing.T) {
	b := start(t, entry("failing", "failing")+entry("note", "note"))
	b.reaches("failing", "ok")
	b.reaches("note", "ok")
	u := b.user()
	if _, err := u.call("runner.command", map[string]any{"utterance": "x"}); err == nil || !strings.Contains(err.Error(), "no idea") {
		t.Errorf("err = %v", err)
	}
	b = start(t, entry("many", "many"))
	b.reaches("many", "ok")
	b.user().fails(protocol.CodePlugin, "runner.command", map[string]any{"utterance": "x"})
	start(t, "").user().fails(protocol.CodeUnavailable, "runner.command", map[string]any{"utterance": "x"})
}

func TestConfirmation(t *testing.T) {
	b := start(t, entry("note", "note"))
	b.reaches("note", "ok")
	var asked protocol.ConfirmParams
	answer := func(a any) *user { return b.confirming(func(p protocol.ConfirmParams) any { asked = p; return a }) }
	careful := invoke("note", "careful", `{"text":"\u202egnp.exe\u0007"}`)
	answer(json.RawMessage(`{"approved":true}`)).ok("runner.invoke", careful)
	if asked.Plugin != "note" || !asked.Yours {
		t.Errorf("who wants it is asked %+v", asked)
	}
	for _, no := range []string{`{"approved":"yes"}`, `{"approved":1}`, `{"ok":true}`, `true`, `{"approved":false}`, `{"approved":true,"nonce":"x","digest":"y"}`} {
		if d := answer(json.RawMessage(no)).fails(protocol.CodeDenied, "runner.invoke", careful); d.Reason != protocol.ReasonDenied && d.Reason != protocol.ReasonNoConfirmer {
			t.Errorf("%s: reason %v", no, d.Reason)
		}
	}
	confirmer := b.confirming(func(p protocol.ConfirmParams) any {
		asked = p
		return protocol.ConfirmResult{Approved: true, Nonce: p.Nonce, Digest: p.Digest}
	})
	confirmer.fails(protocol.CodeDenied, "runner.confirmer.register", protocol.AuthParams{Token: b.token("token")})
	confirmer.ok("runner.confirmer.register", protocol.AuthParams{Token: b.token("confirm-token")})
	b.user().fails(protocol.CodeUnavailable, "runner.confirmer.register", protocol.AuthParams{Token: b.token("confirm-token")})
	answer(json.RawMessage(`{"approved":false}`)).ok("runner.invoke", careful) // it is not asked
	want, err := protocol.Digest("careful", json.RawMessage(`{"text":"\u202egnp.exe\u0007"}`), protocol.FromUser)
	if err != nil || asked.Digest != want || asked.Nonce == "" || asked.ExpiresMS == 0 {
		t.Errorf("asked %+v, %v", asked, err)
	}
	if asked.Plugin != "note" || asked.Yours {
		t.Errorf("for another program the confirmer is asked %+v", asked)
	}
	confirmer.ok("runner.invoke", careful)
	if !asked.Yours {
		t.Errorf("for its own action the confirmer is asked %+v", asked)
	}
	if strings.ContainsAny(asked.Summary, "\u202e\u0007") || !strings.Contains(asked.Summary, `\u202egnp.exe`) {
		t.Errorf("summary %q", asked.Summary)
	}
}

func TestConfirmationInTime(t *testing.T) {
	b := start(t, "[runner]\nconfirm_timeout_ms = 50\n"+entry("note", "note"))
	b.reaches("note", "ok")
	release := make(chan struct{})
	u := b.confirming(func(protocol.ConfirmParams) any { <-release; return true })
	if d := u.fails(protocol.CodeDenied, "runner.invoke", invoke("note", "careful", `{}`)); d.Reason != protocol.ReasonConfirmTimeout || d.Request == nil {
		t.Errorf("data %+v", d)
	}
	close(release)
}

func TestTimeoutsAndLateReplies(t *testing.T) {
	b := start(t, entry("note", "note"))
	b.reaches("note", "ok")
	u := b.user()
	slow := through("note", "action.invoke", `{"op":"sleep","provenance":"user","timeout_ms":30}`)
	if d := u.fails(protocol.CodeTimeout, "runner.invoke", slow); d.Outcome != protocol.OutcomeUnknown || len(d.ID) == 0 {
		t.Errorf("data %+v", d)
	}
	u.ok("runner.invoke", invoke("note", "note", `{}`)) // after the late reply
	if r := b.reaches("note", "ok"); r.Epoch != 0 {
		t.Errorf("restarted although the reply came: %+v", r)
	}
	u.fails(protocol.CodeTimeout, "runner.invoke", through("note", "action.invoke", `{"op":"hang","provenance":"user","timeout_ms":30}`))
	if d := u.fails(protocol.CodeTimeout, "runner.invoke", through("note", "action.invoke", `{"op":"note","provenance":"user","timeout_ms":30}`)); d.Outcome != protocol.OutcomeNotStarted {
		t.Errorf("a call behind one that hangs: %+v", d)
	}
	b.reaches("note", "ok", func(r protocol.PluginRow) bool { return r.Epoch == 1 })
}

func TestCancel(t *testing.T) {
	b := start(t, entry("note", "note"))
	b.reaches("note", "ok")
	u := b.user()
	call, err := u.peer.Start(t.Context(), "runner.invoke", invoke("note", "sleep", `{}`))
	if err != nil {
		t.Fatal(err)
	}
	b.until("the plugin works", func() bool { calls, _ := b.runner.plugins.byID("note").Live().Waiting(); return calls > 0 })
	if err := u.peer.Notify(t.Context(), "$/cancel", map[string]any{"id": call.ID()}); err != nil {
		t.Fatal(err)
	}
	_, err = call.Wait(t.Context())
	if d := protocol.ErrorData(err); protocol.CodeOf(err) != protocol.CodeCancelled || d.Outcome != protocol.OutcomeUnknown || len(d.ID) == 0 {
		t.Errorf("err = %v, data %+v", err, d)
	}
}

func TestOneThingAtATime(t *testing.T) {
	b := start(t, entry("note", "note"))
	b.reaches("note", "ok")
	u := b.user()
	type answer struct{ err error }
	answers := make(chan answer, 20)
	for range 10 {
		go func() {
			_, err := u.peer.Call(context.Background(), "runner.invoke", invoke("note", "sleep", `{}`))
			answers <- answer{err}
		}()
	}
	busy := 0
	for range 10 {
		a := <-answers
		if protocol.CodeOf(a.err) == protocol.CodeUnavailable && protocol.ErrorData(a.err).Reason == protocol.ReasonBusy {
			busy++
		} else if a.err != nil {
			t.Errorf("err = %v", a.err)
		}
	}
	if busy != 1 {
		t.Errorf("%d of 10 were refused, want one inside, eight in line and one refused", busy)
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
	if got := u.ok("runner.plugin.log", protocol.PluginParams{Plugin: "note"}); !strings.Contains(string(got), `logged\\nline`) {
		t.Errorf("log = %s", got)
	}
	u.ok("runner.invoke", invoke("note", "change", `{}`))
	b.reaches("note", "ok", func(r protocol.PluginRow) bool { return len(r.Ops) == 1 && r.Ops[0] == "new" })
}

func TestEnvironmentIsAllowListed(t *testing.T) {
	b := start(t, entry("env", "env", `pass_env = ["HOME"]`))
	b.reaches("env", "ok")
	got := b.user().say(`steps [{"op":"env"}]`)
	if len(got) != 1 || !got[0].OK {
		t.Fatalf("%+v", got)
	}
	has := map[string]string{}
	for line := range strings.Lines(got[0].Detail) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		has[name] = value
	}
	if _, leaked := has["SECRET"]; leaked || has["PYTHONPATH"] != "/python:/old" || has[protocol.EnvPluginID] != "env" || len(has[protocol.EnvPluginCookie]) < 20 {
		t.Errorf("environment %v", has)
	}
	if !strings.HasPrefix(has["TMPDIR"], filepath.Join(b.dir, "utter", "tmp", "env-")) {
		t.Errorf("TMPDIR = %q", has["TMPDIR"])
	}
}

func TestTransportsWithASocket(t *testing.T) {
	b := start(t, entry("dials", "connect", `transport = "connect"`)+entry("waits", "listen", `transport = "listen"`)+
		entry("never", "silent", `transport = "listen"`)+entry("leaves", "exits", `transport = "connect"`)+"[runner]\nrpc_timeout_ms = 1500\n")
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
