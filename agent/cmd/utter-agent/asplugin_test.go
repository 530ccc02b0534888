package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"utter/shared/op"
	"utter/shared/plugin/plugintest"
	"utter/shared/plugin/protocol"
	"utter/shared/xdg"
	fakeniri "utter/tests/fakes/niri"
)

// pluginHome is a home, with a configuration, on no desktop.
func pluginHome(t *testing.T, config string) (dirs xdg.Dirs) {
	t.Helper()
	isolate(t)
	dirs = xdg.New(os.Getenv, os.Getuid())
	if config != "" {
		writeFile(t, dirs.ConfigFile(), config)
	}
	return dirs
}

// asPlugin runs the agent as a plugin.
func asPlugin(t *testing.T, dirs xdg.Dirs, dryRun bool) *plugintest.Session {
	t.Helper()
	return plugintest.Start(t, newPlugin(dirs.ConfigFile(), dirs, dryRun))
}

// plans returns the steps of an utterance in a context, one on a line.
func plans(t *testing.T, s *plugintest.Session, utterance, context string, from protocol.Provenance) (string, error) {
	t.Helper()
	p := protocol.PlanParams{Utterance: utterance, Provenance: from}
	if context != "" {
		p.Context = json.RawMessage(context)
	}
	said, err := s.Call(t.Context(), protocol.MethodRouterPlan, p)
	if err != nil {
		return "", err
	}
	var all protocol.PlanResult
	if err := json.Unmarshal(said, &all); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, step := range all.Steps {
		lines = append(lines, fmt.Sprintf("%s %s %s", step.Op, step.Args, step.Provenance))
	}
	return strings.Join(lines, "\n"), nil
}

// failed compares an error of the wire.
func failed(t *testing.T, what string, err error, code protocol.Code, data string, message ...string) {
	t.Helper()
	e, ok := errors.AsType[*protocol.Error](err)
	if !ok || e.Code != code || !strings.Contains(string(e.Data), data) {
		t.Errorf("%s: %v %s, want %d and %s", what, err, data, code, data)
		return
	}
	for _, part := range message {
		if !strings.Contains(e.Message, part) {
			t.Errorf("%s: %q does not say %q", what, e.Message, part)
		}
	}
}

func TestDryRunGoesWithPlugin(t *testing.T) {
	isolate(t)
	var stdout, stderr log
	if status := run(t.Context(), []string{"-dry-run"}, &stdout, &stderr); status != exitUsage ||
		!strings.Contains(stderr.String(), "-plugin") {
		t.Errorf("exit status %d: %s", status, stderr.String())
	}
}

// The runner is told of every operation that the agent can do, with arguments
// that package plan takes.
func TestThePluginSaysWhatItCanDo(t *testing.T) {
	s := asPlugin(t, pluginHome(t, ""), true)
	provides := []string{"router.plan@1"}
	var ops []op.Name
	for _, info := range s.Ops {
		ops = append(ops, op.Name(info.Op))
		provides = append(provides, protocol.ActionCapability(info.Op))
		if info.NeedsConfirm != (info.Op == "terminal") {
			t.Errorf("%s needs a confirmation: %v", info.Op, info.NeedsConfirm)
		}
	}
	slices.Sort(ops)
	slices.Sort(provides)
	var want []op.Name
	for _, spec := range op.Specs() {
		if !spec.Foreign() && !spec.Missing {
			want = append(want, spec.Name)
		}
	}
	slices.Sort(want)
	if !slices.Equal(ops, want) {
		t.Errorf("ops %v, want %v", ops, want)
	}
	self := protocol.PluginInfo{Name: "utter-agent", Version: version, Kind: "bundle"}
	if !slices.Equal(s.Hello.Provides, provides) || s.Hello.Plugin != self {
		t.Errorf("hello says %+v", s.Hello)
	}
	examples := map[string]any{"string": "x", "integer": 1, "boolean": true}
	for _, info := range s.Ops {
		var schema struct {
			Properties map[string]struct {
				Type string
				Enum []string
			}
			Required []string
		}
		if err := json.Unmarshal(info.Args, &schema); err != nil {
			t.Fatal(err)
		}
		all, least := map[string]any{}, map[string]any{}
		for name, p := range schema.Properties {
			all[name] = examples[p.Type]
			if p.Type == "array" {
				all[name] = []any{"x"}
			}
			if p.Enum != nil {
				all[name] = p.Enum[0]
			}
			if slices.Contains(schema.Required, name) {
				least[name] = all[name]
			}
		}
		name := op.Name(info.Op)
		if _, err := op.Decode(name, all); err != nil {
			t.Errorf("with all arguments: %v", err)
		}
		if _, err := op.Decode(name, least); err != nil && name != "launch_app" { // app or argv
			t.Errorf("with what must be given: %v", err)
		}
		for _, name := range schema.Required {
			without := map[string]any{}
			for k, v := range all {
				if k != name {
					without[k] = v
				}
			}
			if _, err := op.Decode(op.Name(info.Op), without); err == nil {
				t.Errorf("%s does not need %s", info.Op, name)
			}
		}
	}
}

func TestThePluginPlans(t *testing.T) {
	dirs := pluginHome(t, "")
	program := filepath.Join(t.TempDir(), "program")
	writeFile(t, program, "#!/bin/sh\n")
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	for id, name := range map[string]string{"t-app": "Tee App", "one": "Twin", "two": "Twin"} {
		writeFile(t, filepath.Join(dirs.Profiles(), id+".yaml"),
			"id: "+id+"\nname: "+name+"\nlaunch: ["+program+"]\nshortcuts: {new_tab: ctrl+alt+t}\n")
	}
	s := asPlugin(t, dirs, true)
	const user, screen = protocol.FromUser, protocol.FromScreen
	for _, tt := range []struct {
		utterance, context string
		from               protocol.Provenance
		want               string
	}{
		{"open youtube", "", user, `ensure_url {"site":"youtube","url":"https://www.youtube.com"} user`},
		{"open tee app", "", user, `ensure_app {"app":"t-app"} user`},
		{"tile right", "", user, `niri {"args":[],"command":"move-column-right"} user`},
		{"tile right", "", screen, `niri {"args":[],"command":"move-column-right"} screen`},
		{"pull up youtube", "", user, ""},
		{"new tab", `{"focused":{"app_id":"t-app","title":"Tee"}}`, user, `key {"chord":"ctrl+alt+t"} user`},
		{"new tab", `{"focused":{"app_id":"t-app"},"windows":[{"app_id":"t-app","window_id":3}],"monitors":[],"clipboard":"x"}`,
			user, `key {"chord":"ctrl+alt+t"} user`},
		{"new tab", `{"focused":null,"windows":[]}`, user, ""},
		{"new tab", `{"timestamp":1}`, user, ""},
	} {
		if got, err := plans(t, s, tt.utterance, tt.context, tt.from); err != nil || got != tt.want {
			t.Errorf("%q in %s: %s, %v, want %s", tt.utterance, tt.context, got, err, tt.want)
		}
	}
	_, err := plans(t, s, "new tab", `{"focused":7}`, user)
	failed(t, "a context that is none", err, protocol.CodeInvalidParams, "", "context", "focused")
	_, err = plans(t, s, "open twin", "", user)
	failed(t, "what is ambiguous", err, protocol.CodeUnavailable, "", `"twin" matches several applications`, "one.yaml",
		"two.yaml")
	_, err = plans(t, s, "open the terminal", "", user)
	failed(t, "what is not installed", err, protocol.CodeUnavailable, "", "no default terminal is installed")
	said := fmt.Sprint(s.Log())
	for _, want := range []string{"{info planned source=rules rule=open steps=1}",
		"{info no rule matches, and the decision head does not exist yet}"} {
		if !strings.Contains(said, want) {
			t.Errorf("it logs %s, without %s", said, want)
		}
	}
	if strings.Contains(said, "youtube") {
		t.Errorf("it logs what was said: %s", said)
	}
}

func TestADryRunOnlyTells(t *testing.T) {
	s := asPlugin(t, pluginHome(t, ""), true)
	for _, tt := range []struct {
		op   string
		args string
		want string
	}{
		{"niri", `{"command":"focus-window","args":["--id",123456789012]}`,
			"dry run: niri args=[--id 123456789012] command=focus-window"},
		{"ensure_url", `{"url":"https://e.org","must_exist":false}`, "dry run: ensure_url url=https://e.org"},
		{"wait", `{"ms":6000}`, "dry run: wait ms=6000"},
		{"click_point", `{"x":-1,"y":2}`, "dry run: click_point x=-1 y=2"},
		{"done", `{}`, "dry run: done"},
	} {
		r, err := s.Invoke(t.Context(), tt.op, json.RawMessage(tt.args))
		if err != nil || !r.OK || r.Detail != tt.want {
			t.Errorf("%s %s: %+v, %v, want %s", tt.op, tt.args, r, err, tt.want)
		}
	}
	for _, tt := range []struct {
		op, args string
		code     protocol.Code
		data     string
	}{
		{"launch_app", `{}`, protocol.CodeInvalidParams, ""},
		{"niri", `{"command":"focus-workspace","args":[1.5]}`, protocol.CodeInvalidParams, ""},
		{"scroll", `{"direction":"sideways"}`, protocol.CodeInvalidParams, ""},
		{"click_element", `{"description":"send"}`, protocol.CodeMethodNotFound, ""},
		{"terminal", `{"command":"date"}`, protocol.CodeDenied, `{"reason":"disabled","outcome":"not_started"}`},
	} {
		_, err := s.Invoke(t.Context(), tt.op, json.RawMessage(tt.args))
		failed(t, tt.op, err, tt.code, tt.data)
	}
	_, err := s.Call(t.Context(), protocol.MethodActionInvoke,
		json.RawMessage(`{"op":"wait","args":{"ms":1},"provenance":"screen"}`))
	failed(t, "from the screen", err, protocol.CodeDenied, "not_started", "text from the screen")
}

// What the user's policy lets the agent do alone, it does as a plugin. What must
// be confirmed, the runner is told to ask for; what it was not told, is refused.
func TestThePluginKeepsThePolicy(t *testing.T) {
	dirs := pluginHome(t, "[policy]\nenabled_ops = [\"terminal\"]\nconfirm_ops = [\"search\"]\n")
	s := asPlugin(t, dirs, true)
	for _, info := range s.Ops {
		if want := info.Op == "terminal" || info.Op == "search"; info.NeedsConfirm != want {
			t.Errorf("%s needs a confirmation: %v, want %v", info.Op, info.NeedsConfirm, want)
		}
	}
	if r, err := s.Invoke(t.Context(), "terminal", map[string]string{"command": "date"}); err != nil || !r.OK {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := s.Invoke(t.Context(), "search", map[string]string{"query": "date"}); err != nil || !r.OK {
		t.Errorf("%+v, %v", r, err)
	}
	// The file is followed.
	var err error
	for range 2000 {
		writeFile(t, dirs.ConfigFile(), "[policy]\nconfirm_ops = [\"speak\"]\n")
		if _, err = s.Invoke(t.Context(), "speak", map[string]string{"text": "x"}); err != nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	failed(t, "what is to be confirmed by now", err, protocol.CodeDenied,
		`{"reason":"denied","outcome":"not_started"}`, "confirm: speak text=x", "confirm_ops")
	_, err = s.Invoke(t.Context(), "terminal", map[string]string{"command": "date"})
	failed(t, "what is switched off by now", err, protocol.CodeDenied, "disabled", "is disabled")
}

func TestThePluginSaysWhatIsWrongWithFiles(t *testing.T) {
	dirs := pluginHome(t, "[policy]\nconfirm_opps = []\n")
	s := asPlugin(t, dirs, true)
	if said := fmt.Sprint(s.Log()); strings.Count(said, "policy.confirm_opps") != 1 || !strings.Contains(said, "warning") {
		t.Errorf("it logs %s", said)
	}
}

// A dry run plans for the desktop that runs, and asks it for nothing but its
// state.
func TestADryRunLooksAtTheDesktop(t *testing.T) {
	dirs := pluginHome(t, "")
	writeFile(t, filepath.Join(dirs.Profiles(), "app.yaml"),
		"id: t-app\nname: Tee App\nshortcuts: {new_tab: ctrl+alt+t}\n")
	n := fakeniri.Start(t, fakeniri.Options{})
	n.Open(fakeniri.Toplevel{AppID: "t-app", Title: "Tee", PID: 1})
	t.Setenv("NIRI_SOCKET", n.Path())
	s := asPlugin(t, dirs, true)
	if got, err := plans(t, s, "new tab", "", protocol.FromUser); err != nil || got != `key {"chord":"ctrl+alt+t"} user` {
		t.Errorf("%s, %v", got, err)
	}
	if r, err := s.Invoke(t.Context(), "niri", map[string]string{"command": "close-window"}); err != nil || !r.OK {
		t.Errorf("%+v, %v", r, err)
	}
	for _, request := range n.Requests() {
		if strings.Contains(request, "Action") {
			t.Errorf("a dry run asks niri to %s", request)
		}
	}
}

// Without a session bus nothing can be carried out, and the runner is told why.
func TestThePluginWithoutABus(t *testing.T) {
	dirs := pluginHome(t, "")
	_, err := plugintest.Runner{}.Try(t, newPlugin(dirs.ConfigFile(), dirs, false))
	if err == nil || !strings.Contains(err.Error(), "DBUS_SESSION_BUS_ADDRESS") {
		t.Errorf("%v", err)
	}
}
