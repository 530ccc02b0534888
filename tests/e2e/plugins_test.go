package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// oddJobs is a plugin that routes words to steps of the agent and does what the
// tests want to see going wrong. It notes in a file beside it what it did.
const oddJobs = `
import json, os, sys, time
here = os.path.dirname(os.path.abspath(__file__))
steps = {
    "greet the window": [{"op": "type_text", "args": {"text": "from a plugin"}}],
    "fresh tab": [{"op": "key", "args": {"chord": "f5"}}],
    "run it for me": [{"op": "launch_app", "args": {"argv": ["touch", here + "/ran"]}}],
    "wreck": [{"op": "niri", "args": {"command": "focus-workspace", "args": [7]}}, {"op": "odd.missing", "args": {}}],
    "seventh heaven": [{"op": "niri", "args": {"command": "focus-workspace", "args": [7]}},
                       {"op": "odd.mark", "args": {"text": "there"}}],
    "what is on": [{"op": "odd.mark", "args": {"text": "x"}, "provenance": "screen"}],
}
text = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"],
        "additionalProperties": False}
ops = [{"op": "odd.mark", "side_effect": "file", "args": text}, {"op": "odd.slow", "side_effect": "none"},
       {"op": "odd.burn", "side_effect": "file", "needs_confirm": True}, {"op": "odd.fail", "side_effect": "none"}]

def mark(line):
    with open(here + "/marks", "a") as f:
        f.write(line + "\n")

def invoke(p):
    if p["op"] == "odd.mark":
        mark(p["args"]["text"])
    if p["op"] == "odd.slow":
        mark("slow " + str(os.getpid()))
        time.sleep(60)
    if p["op"] == "odd.burn":
        mark("burnt")
    if p["op"] == "odd.fail":
        return {"ok": False, "detail": "no \x1b[31mpaper"}
    return {"ok": True, "detail": "did it"}

serve = {
    "protocol.hello": lambda p: {"protocol": "1.0", "abi": 1, "provides": ["router.plan@1"], "requires": [],
                                 "permissions": []},
    "plugin.describe": lambda p: {"methods": ["router.plan", "action.capabilities", "action.invoke"], "streams": []},
    "plugin.health": lambda p: {"status": "ok", "detail": ""},
    "router.plan": lambda p: {"steps": steps.get(p["utterance"], [])},
    "action.capabilities": lambda p: {"ops": ops},
    "action.invoke": invoke,
}
while header := sys.stdin.buffer.readline():
    while sys.stdin.buffer.readline().strip():
        pass
    m = json.loads(sys.stdin.buffer.read(int(header.split(b":")[1])))
    if m.get("id") is None:
        continue
    reply = {"jsonrpc": "2.0", "id": m["id"]}
    if m["method"] in serve:
        reply["result"] = serve[m["method"]](m.get("params") or {})
    else:
        reply["error"] = {"code": -32601, "message": "no"}
    body = json.dumps(reply).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()
`

// withOddJobs starts a runner that has oddJobs, and returns the file with what
// it did.
func withOddJobs(s *Session, config string) (marks string) {
	s.t.Helper()
	needPrograms(s.t, "python3")
	s.write("odd/plugin.py", oddJobs)
	s.write("c/utter/config.toml", config+fmt.Sprintf(`
[security]
enforce = false # it writes beside its program

[[plugin]]
id = "odd"
kind = "bundle"
entrypoint = ["python3", %q]
`, s.file("odd/plugin.py")))
	s.startRunner()
	s.await("the plugin", runnerTime, func() bool { p, ok := s.pluginState("odd"); return ok && p.Status == "ok" })
	return s.file("odd/marks")
}

// planned is what "utter plan --json" says.
func (s *Session) planned(utterance string) (rule, source string, steps []map[string]any) {
	s.t.Helper()
	var answer struct {
		Data struct {
			Rule, Source string
			Steps        []map[string]any
		}
	}
	out, err := s.command("utter", "plan", "--json", utterance).Output()
	if len(out) == 0 || json.Unmarshal(out, &answer) != nil {
		s.t.Fatalf("utter plan %q: %v: %s", utterance, err, out)
	}
	return answer.Data.Rule, answer.Data.Source, answer.Data.Steps
}

// TestAPluginFromItsFolder: installed into a fresh configuration, in a sandbox
// where there is one, and said in its words and by its name.
func TestAPluginFromItsFolder(t *testing.T) {
	s := NewSession(t, Options{})
	program := s.plugin("hello_go")
	manifest, err := os.ReadFile("../plugins/hello_go/utter-plugin.toml")
	if err != nil {
		t.Fatal(err)
	}
	s.write("plugins/utter-plugin.toml", string(manifest))
	s.folder("h/.local/share/hello_go")

	// The agent runs before there is a runner: nothing is known of notes.
	if a := s.Run("note buy milk"); a.reason() != "no_plan" {
		t.Errorf("without the plugin: %s", a.Stdout)
	}
	agent := s.agentPID()
	install := s.command("utter", "runner", "install", "--yes", "--write-path",
		s.file("h/.local/share/hello_go"), filepath.Dir(program))
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	s.startRunner()
	s.await("the plugin", runnerTime, func() bool { p, ok := s.pluginState("hello_go"); return ok && p.Status == "ok" })

	a := s.MustRun("Note buy Milk, and eggs")
	if last := a.last(); last.Evidence != "plugin_reported" || last.Message != "noted buy Milk, and eggs" {
		t.Errorf("%+v", last)
	}
	s.MustRun("take a note call Ada") // its router knows that
	s.checkFile(s.file("h/.local/share/hello_go/notes.txt"), "buy Milk, and eggs\ncall Ada\n", 5*time.Second)
	if s.agentPID() != agent {
		t.Error("the agent is another one")
	}

	rule, source, steps := s.planned("note x")
	if rule != "plugin" || source != "rules" || len(steps) != 1 || steps[0]["plugin"] != "hello_go" ||
		steps[0]["author"] != nil {
		t.Errorf("by its name: %s by %s, %v", rule, source, steps)
	}
	rule, source, steps = s.planned("take a note x")
	if rule != "router" || source != "plugins" || len(steps) != 1 || steps[0]["plugin"] != "hello_go" ||
		steps[0]["author"] != "hello_go" {
		t.Errorf("by its router: %s by %s, %v", rule, source, steps)
	}
	want := suggestion{"note …", "plugin", "plugins", "", "hello_go note …"}
	if all := s.suggestions("Suggest", "note", uint32(100)); !slices.Contains(all, want) {
		t.Errorf("suggested: %v", all)
	}
	for _, part := range s.busList("Doctor") {
		if part["name"] == "plugins" && part["state"] != "ok" {
			t.Errorf("doctor: %v", part)
		}
	}
}

// TestARouterOfAPlugin plans for the agent: on the desktop it may do what the
// policy of plugins allows, and no more.
func TestARouterOfAPlugin(t *testing.T) {
	s := NewSession(t, Options{})
	marks := withOddJobs(s, "")
	terminal, typed := s.bytesTerminal(1)

	s.MustRun("seventh heaven")
	if got := s.sway().workspace(); got != "7" {
		t.Errorf("the workspace is %s", got)
	}
	s.checkFile(marks, "there\n", 5*time.Second)
	s.MustRun("workspace one")
	s.bringToFront(terminal)

	for said, reason := range map[string]string{
		"greet the window": "policy", // into a terminal
		"run it for me":    "policy",
		"what is on":       "policy",
		"wreck":            "no_plan", // refused whole: a step is nobody's
		"odd fail":         "failed",
	} {
		a := s.Run(said)
		if a.Exit == exitDone || a.reason() != reason {
			t.Errorf("%q: exit status %d, %q: %s", said, a.Exit, a.reason(), a.Stdout)
		}
	}
	if out, err := s.command("utter", "run", "odd fail").CombinedOutput(); err == nil ||
		strings.Contains(string(out), "\x1b") || !strings.Contains(string(out), "paper") {
		t.Errorf("what a plugin says, in a terminal: %q, %v", out, err)
	}
	if got := s.sway().workspace(); got != "1" {
		t.Errorf("the workspace is %s: a step of a refused plan was done", got)
	}
	if _, err := os.Stat(s.file("odd/ran")); err == nil {
		t.Error("a command of a plugin ran")
	}
	s.checkFile(marks, "there\n", 0)
	if data, err := os.ReadFile(typed); err != nil || len(data) > 0 {
		t.Errorf("the terminal got %q, %v", data, err)
	}

	// Into a window that is not a terminal it may type.
	_, text := s.editor()
	s.MustRun("greet the window")
	s.save(text)
	s.checkFile(text, "from a plugin\n", 5*time.Second)
}

// TestAPluginIsConfirmed by the agent's own question; the runner asks no other.
func TestAPluginIsConfirmed(t *testing.T) {
	s := NewSession(t, Options{})
	marks := withOddJobs(s, "")
	if a := s.Run("odd burn"); a.reason() != "needs_confirmation" || a.Exit != exitRefused {
		t.Fatalf("%s", a.Stdout)
	}
	if _, err := os.Stat(marks); err == nil {
		t.Error("it was done before the answer")
	}
	s.MustRun("yes")
	s.checkFile(marks, "burnt\n", 5*time.Second)
}

// TestAPluginIsKilledDuringTheCall: what is not known is not claimed, and it runs
// again.
func TestAPluginIsKilledDuringTheCall(t *testing.T) {
	s := NewSession(t, Options{})
	marks := withOddJobs(s, "")
	answer := s.runAside("odd slow")
	pid := 0
	s.await("the call", runnerTime, func() bool {
		data, _ := os.ReadFile(marks)
		n, _ := fmt.Sscanf(string(data), "slow %d", &pid)
		return n == 1
	})
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	a := <-answer
	if a.Data.Outcome != "unknown" || a.reason() != "missing" ||
		!strings.Contains(a.Data.Message, "may have taken effect") {
		t.Errorf("%s", a.Stdout)
	}
	s.await("another run of it", runnerTime,
		func() bool { p, ok := s.pluginState("odd"); return ok && p.Status == "ok" && p.Epoch == 1 })
	if err := os.Remove(marks); err != nil {
		t.Fatal(err)
	}
	s.MustRun("odd mark again")
	s.checkFile(marks, "again\n", 5*time.Second)
}

// TestCancelReachesAPlugin: the call ends at once and the step is unknown.
func TestCancelReachesAPlugin(t *testing.T) {
	s := NewSession(t, Options{})
	marks := withOddJobs(s, "")
	answer := s.runAside("odd slow")
	s.await("the call", runnerTime, func() bool { _, err := os.Stat(marks); return err == nil })
	began := time.Now()
	if err := s.Bus("Cancel").Err; err != nil {
		t.Fatal(err)
	}
	a := <-answer
	if a.Data.Outcome != "unknown" || a.reason() != "cancelled" || time.Since(began) > runnerTime {
		t.Errorf("after %v: %s", time.Since(began), a.Stdout)
	}
}
