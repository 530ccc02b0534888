package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"utter/agent/internal/compositor"
	"utter/agent/internal/dialogue"
	"utter/agent/internal/dialogue/dialoguetest"
	"utter/shared/bus"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/tests/fakes/privatebus"
)

func TestRunAnswersOnTheBus(t *testing.T) {
	r := dialoguetest.New()
	c := serve(t, r.Agent(t, dialoguetest.Handlers{op.TypeText{}.Op(): func(context.Context, plan.Step) error {
		return plan.Refuse(plan.NotFound, "no window has the focus")
	}}))
	got, err := c.run("Run", "press f5")
	if err != nil || got.outcome != "completed" || len(got.steps) != 1 || got.text("action") != "key" || got.text("evidence") != "state" || got.text("outcome") != "completed" {
		t.Errorf("press f5: %+v, %v", got, err)
	}
	if args, _ := got.steps[0]["args"].Value().(dict); args["chord"].Value() != "f5" {
		t.Errorf("its arguments: %v", args)
	}
	if got.steps[0]["window"].Value() != uint64(7) && got.steps[0]["window"].Value() != nil {
		t.Errorf("its window: %v", got.steps[0]["window"])
	}
	got, err = c.run("Run", "type hello")
	if err != nil || got.outcome != "refused" || got.message != "no window has the focus" || got.text("reason") != "not_found" || got.text("message") == "" {
		t.Errorf("type hello: %+v, %v", got, err)
	}
	got, err = c.run("Run", "banana")
	if err != nil || got.outcome != "refused" || len(got.steps) != 1 || got.text("outcome") != "refused" || got.text("reason") != "no_plan" || got.text("action") != "" {
		t.Errorf("banana: %+v, %v", got, err)
	}
	got, err = c.run("RunWithOptions", "press f5", dict{"dry_run": dbus.MakeVariant(true)})
	if err != nil || got.outcome != "completed" || got.text("action") != "key" || got.text("outcome") != "" {
		t.Errorf("a dry run: %+v, %v", got, err)
	}
	got, err = c.run("RunWithOptions", "press f5", dict{"provenance": dbus.MakeVariant("screen")})
	if err != nil || got.outcome != "refused" || got.text("reason") != "policy" || !strings.Contains(got.message, "screen") {
		t.Errorf("from the screen: %+v, %v", got, err)
	}
	context := dict{
		"focused": dbus.MakeVariant(dict{"app_id": dbus.MakeVariant("signal"), "title": dbus.MakeVariant("x")}),
		"windows": dbus.MakeVariant([]dict{{"app_id": dbus.MakeVariant("editor")}}),
	}
	got, err = c.run("RunWithOptions", "go", dict{"dry_run": dbus.MakeVariant(true), "context": dbus.MakeVariant(context)})
	if err != nil || got.text("reason") != "no_plan" {
		t.Errorf("an action of an application that has no focus: %+v, %v", got, err)
	}
}

func TestInvalidOptionsAreRefusedByName(t *testing.T) {
	c := serve(t, dialoguetest.New().Agent(t, nil))
	dry := dbus.MakeVariant(true)
	window := func(name string, v any) dbus.Variant { return dbus.MakeVariant(dict{name: dbus.MakeVariant(v)}) }
	for what, tt := range map[string]struct {
		method  string
		options dict
		named   string
	}{
		"unknown":              {"RunWithOptions", dict{"dryrun": dry}, "dryrun"},
		"of the other method":  {"RunWithOptions", dict{"app": dbus.MakeVariant("x")}, "app"},
		"of another type":      {"RunWithOptions", dict{"dry_run": dbus.MakeVariant("yes")}, "dry_run"},
		"a time of i":          {"RunWithOptions", dict{"timeout_ms": dbus.MakeVariant(int32(5))}, "timeout_ms"},
		"nobody":               {"RunWithOptions", dict{"provenance": dbus.MakeVariant("root")}, "provenance"},
		"provenance of u":      {"RunWithOptions", dict{"provenance": dbus.MakeVariant(uint32(2))}, "provenance"},
		"a context for real":   {"RunWithOptions", dict{"context": dbus.MakeVariant(dict{})}, "context"},
		"no context":           {"RunWithOptions", dict{"dry_run": dry, "context": dbus.MakeVariant("x")}, "context"},
		"an unknown key of it": {"RunWithOptions", dict{"dry_run": dry, "context": window("focussed", "x")}, "focussed"},
		"a window that is s":   {"RunWithOptions", dict{"dry_run": dry, "context": window("focused", "x")}, "focused"},
		"windows that are s":   {"RunWithOptions", dict{"dry_run": dry, "context": window("windows", "x")}, "windows"},
		"a window's key":       {"RunWithOptions", dict{"dry_run": dry, "context": window("focused", dict{"appid": dbus.MakeVariant("x")})}, "appid"},
		"a title of u":         {"RunWithOptions", dict{"dry_run": dry, "context": window("windows", []dict{{"title": dbus.MakeVariant(uint32(1))}})}, "title"},
		"a plan for real":      {"PlanWithOptions", dict{"dry_run": dry}, "dry_run"},
		"an app of u":          {"PlanWithOptions", dict{"app": dbus.MakeVariant(uint32(1))}, "app"},
	} {
		err := c.agent.Call(bus.Interface+"."+tt.method, 0, "press f5", tt.options).Err
		isError(t, what, err, bus.ErrInvalidArgs)
		if err != nil && !strings.Contains(err.Error(), tt.named) {
			t.Errorf("%s: %v does not name %q", what, err, tt.named)
		}
	}
}

func TestQuestionsOnTheBus(t *testing.T) {
	r := dialoguetest.New()
	c := serve(t, r.Agent(t, nil))
	got, err := c.run("Run", "open chat")
	if err != nil || got.outcome != "refused" || got.text("reason") != "ambiguous" || got.text("token") == "" {
		t.Fatalf("open chat: %+v, %v", got, err)
	}
	last := got.steps[len(got.steps)-1]
	choices, _ := last["choices"].Value().([]dict)
	if last["expires"].Value() != uint32(30) || len(choices) != 2 || choices[0]["label"].Value() != "Signal" || choices[0]["origin"].Value() == "" {
		t.Errorf("the question: %v", last)
	}
	signals := c.until("ChoiceRequested")
	if s := signals[len(signals)-1]; s.Body[0] != got.text("token") || s.Body[3] != uint32(30) {
		t.Errorf("the signal: %v", s.Body)
	}
	_, err = c.run("Choose", got.text("token"), uint32(2))
	isError(t, "choice 2 of 2", err, bus.ErrInvalidArgs)
	_, err = c.run("Choose", "wrong", uint32(0))
	isError(t, "a wrong token", err, bus.ErrNotFound)
	_, err = c.run("Confirm", got.text("token"), true)
	isError(t, "confirming a choice", err, bus.ErrInvalidArgs)
	chosen, err := c.run("Choose", got.text("token"), uint32(1))
	if err != nil || chosen.outcome != "completed" || chosen.text("action") != "ensure_app" {
		t.Errorf("chosen: %+v, %v", chosen, err)
	}
	_, err = c.run("Choose", got.text("token"), uint32(1))
	isError(t, "a second time", err, bus.ErrNotFound)

	got, err = c.run("Run", "log out")
	if err != nil || got.text("reason") != "needs_confirmation" || !strings.Contains(got.message, "quit") {
		t.Fatalf("log out: %+v, %v", got, err)
	}
	if no, err := c.run("Confirm", got.text("token"), false); err != nil || no.outcome != "refused" || no.text("reason") != "cancelled" {
		t.Errorf("no: %+v, %v", no, err)
	}
	f := &Facade{}
	if e := f.dbusError(fmt.Errorf("late: %w", dialogue.ErrExpired)); e.Name != bus.ErrExpired {
		t.Errorf("a late answer is %s", e.Name)
	}
}

// TestSignalsCarryNothingThatIsTyped: every program on the bus hears them.
func TestSignalsCarryNothingThatIsTyped(t *testing.T) {
	r := dialoguetest.New()
	r.Policy.Enabled = []string{"terminal"}
	fail := func(context.Context, plan.Step) error { return errors.New("broken pipe") }
	for _, h := range []dialoguetest.Handlers{nil, {op.TypeText{}.Op(): fail}} {
		a := r.Agent(t, h)
		c := serve(t, a)
		for _, said := range []string{"type s3cret", "press f5 then type s3cret and more", "editor type s3cret"} {
			if _, err := c.run("Run", said); err != nil {
				t.Fatal(err)
			}
			for _, s := range c.until("PlanFinished") {
				if text := fmt.Sprint(s.Name, s.Body); strings.Contains(text, "s3cret") {
					t.Errorf("%q: %s", said, text)
				}
			}
		}
	}
	command := plan.Step{Args: op.Terminal{Command: "echo s3cret"}}
	if got := fmt.Sprint(public(bus.StepOf(command), command), withoutTyped("run echo s3cret", []plan.Step{command})); strings.Contains(got, "s3cret") {
		t.Errorf("a command is told: %s", got)
	}
	if command.Args.(op.Terminal).Command == "" {
		t.Error("the step itself has lost its argument")
	}
}

// TestCancelOnTheBus is answered at once, and the interrupted step is unknown.
func TestCancelOnTheBus(t *testing.T) {
	began := make(chan bool)
	c := serve(t, dialoguetest.New().Agent(t, dialoguetest.Handlers{op.Key{}.Op(): func(ctx context.Context, _ plan.Step) error {
		began <- true
		<-ctx.Done()
		return ctx.Err()
	}}))
	fastest := time.Hour
	for range 3 { // the machine may be busy
		answers := make(chan reply, 1)
		go func() {
			got, err := c.run("Run", "press f5")
			if err != nil {
				t.Error(err)
			}
			answers <- got
		}()
		<-began
		at := time.Now()
		var n uint32
		if err := c.agent.Call(bus.Interface+".Cancel", 0).Store(&n); err != nil || n != 1 {
			t.Errorf("cancelled %d, %v", n, err)
		}
		got := <-answers
		fastest = min(fastest, time.Since(at))
		if got.outcome != "unknown" || got.text("outcome") != "unknown" || got.text("reason") != "cancelled" {
			t.Errorf("the plan: %+v", got)
		}
	}
	if fastest > 100*time.Millisecond {
		t.Errorf("cancelling took %v", fastest)
	}
}

func TestATimeoutOnTheBus(t *testing.T) {
	c := serve(t, dialoguetest.New().Agent(t, dialoguetest.Handlers{op.Key{}.Op(): func(ctx context.Context, _ plan.Step) error { <-ctx.Done(); return ctx.Err() }}))
	got, err := c.run("RunWithOptions", "press f5", dict{"timeout_ms": dbus.MakeVariant(uint32(20))})
	if err != nil || got.outcome != "unknown" || got.text("reason") != "timeout" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestPlanOnTheBus(t *testing.T) {
	c := serve(t, dialoguetest.New().Agent(t, nil))
	ask := func(method string, args ...any) dict {
		t.Helper()
		var d dict
		if err := c.agent.Call(bus.Interface+"."+method, 0, args...).Store(&d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := ask("Plan", "scroll down")
	if d["found"].Value() != true || d["rule"].Value() != "scroll" || d["source"].Value() != "rules" || d["confidence"].Value() != 1.0 || d["needs_perception"].Value() != false || d["utterance"].Value() != "scroll down" {
		t.Errorf("scroll down: %v", d)
	}
	if passed, _ := d["passed"].Value().([]string); len(passed) == 0 || passed[0] != "custom" {
		t.Errorf("passed: %v", d["passed"])
	}
	if steps, _ := d["steps"].Value().([]dict); len(steps) != 1 || steps[0]["action"].Value() != "scroll" || steps[0]["tier"].Value() != "keyboard" {
		t.Errorf("steps: %v", d["steps"])
	}
	d = ask("Plan", "open chat")
	if choices, _ := d["choices"].Value().([]dict); d["found"].Value() != false || d["reason"].Value() != "ambiguous" || len(choices) != 2 {
		t.Errorf("open chat: %v", d)
	}
	if d = ask("PlanWithOptions", "go", dict{"app": dbus.MakeVariant("signal")}); d["found"].Value() != false || d["reason"].Value() != "no_plan" || d["message"].Value() == "" {
		t.Errorf("go in signal: %v", d)
	}
	d = ask("PlanWithOptions", "open chat", dict{"explain": dbus.MakeVariant(true)})
	if claims, _ := d["claims"].Value().([]dict); len(claims) != 2 || claims[0]["layer"].Value() != "user" || claims[0]["by"].Value() != "alias" {
		t.Errorf("claims: %v", d["claims"])
	}
}

func TestListsOnTheBus(t *testing.T) {
	c := serve(t, dialoguetest.New().Agent(t, nil))
	list := func(method string, args ...any) []dict {
		t.Helper()
		var l []dict
		if err := c.agent.Call(bus.Interface+"."+method, 0, args...).Store(&l); err != nil {
			t.Fatal(err)
		}
		return l
	}
	windows := list("ListWindows")
	if len(windows) != 2 || windows[0]["id"].Value() != uint64(7) || windows[0]["app"].Value() != "editor" || windows[0]["pid"].Value() != uint32(70) || windows[0]["focused"].Value() != true || windows[1]["app"].Value() != "" {
		t.Errorf("windows: %v", windows)
	}
	types := map[string]string{"id": "t", "app_id": "s", "title": "s", "pid": "u", "workspace": "s", "output": "s", "focused": "b", "floating": "b", "fullscreen": "b", "app": "s"}
	if len(windows[0]) != len(types) {
		t.Errorf("a window has %v", windows[0])
	}
	for name, want := range types {
		if got := windows[0][name].Signature().String(); got != want {
			t.Errorf("%s of a window is %s, not %s", name, got, want)
		}
	}
	apps := list("ListApps")
	types = map[string]string{"id": "s", "name": "s", "aliases": "as", "kind": "s", "app_ids": "as", "launch": "as", "layer": "s", "origin": "s", "installed": "b", "running": "b", "role": "b"}
	if len(apps) != 3 {
		t.Fatalf("applications: %v", apps)
	}
	for _, app := range apps {
		for name, want := range types {
			if got := app[name].Signature().String(); got != want {
				t.Errorf("%s of an application is %s, not %s", name, got, want)
			}
		}
		if app["running"].Value() != (app["id"].Value() == "editor") {
			t.Errorf("running: %v", app)
		}
	}
	if parts := list("Doctor"); len(parts) != 2 || parts[1]["name"].Value() != "keyboard" || parts[1]["state"].Value() != "absent" {
		t.Errorf("doctor: %v", parts)
	}
	if s := list("Suggest", "open s", uint32(5)); len(s) == 0 || s[0]["text"].Value() != "open signal" {
		t.Errorf("suggestions: %v", s)
	}
	if s := list("SuggestFor", "editor", "go", uint32(1)); len(s) != 1 || s[0]["app"].Value() != "editor" {
		t.Errorf("suggestions for the editor: %v", s)
	}
	if s := list("Suggest", "", uint32(4_000_000_000)); len(s) > mostSuggestions {
		t.Errorf("%d suggestions", len(s))
	}
	if err := c.agent.Call(bus.Interface+".Ping", 0).Err; err != nil {
		t.Errorf("ping: %v", err)
	}
}

func TestPropertiesFollow(t *testing.T) {
	r := dialoguetest.New()
	c := serve(t, r.Agent(t, nil))
	get := func(name string) any {
		t.Helper()
		v, err := c.agent.GetProperty(bus.Interface + "." + name)
		if err != nil {
			t.Fatal(err)
		}
		return v.Value()
	}
	if get("Version") != "1.2.3" || get("State") != "ready" || get("Compositor") != "" || get("Head") != "off" {
		t.Errorf("%v %v %v %v", get("Version"), get("State"), get("Compositor"), get("Head"))
	}
	r.Desktop.Set(compositor.Info{Name: "sway", Version: "1.10"})
	changed := c.until("PropertiesChanged")
	if d, _ := changed[len(changed)-1].Body[1].(dict); d["Compositor"].Value() != "sway 1.10" || get("Compositor") != "sway 1.10" {
		t.Errorf("the compositor came: %v", d)
	}
	if _, err := c.run("Run", "open chat"); err != nil || get("State") != "waiting" {
		t.Errorf("with a question: %v, %v", get("State"), err)
	}
	if err := c.agent.Call(bus.Interface+".Cancel", 0).Err; err != nil || get("State") != "ready" {
		t.Errorf("after Cancel: %v, %v", get("State"), err)
	}
}

func TestASecondAgentLeaves(t *testing.T) {
	r := dialoguetest.New()
	c := serve(t, r.Agent(t, nil))
	err := Serve(t.Context(), privatebus.Connect(t, c.address), r.Agent(t, nil), "1.2.3", slog.New(slog.DiscardHandler))
	if !errors.Is(err, ErrTaken) {
		t.Errorf("Serve = %v, want ErrTaken", err)
	}
	if err := c.agent.Call(bus.Interface+".Ping", 0).Err; err != nil {
		t.Errorf("the first does not answer any more: %v", err)
	}
}

func TestServeEndsWithTheBus(t *testing.T) {
	address := privatebus.Start(t, nil)
	conn := privatebus.Connect(t, address)
	watcher := privatebus.Connect(t, address)
	owned := make(chan *dbus.Signal, 10)
	watcher.Signal(owned)
	if err := watcher.AddMatchSignal(dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, bus.Agent)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	a := dialoguetest.New().Agent(t, nil)
	go func() { ended <- Serve(context.Background(), conn, a, "1", slog.New(slog.DiscardHandler)) }()
	awaitOwner(owned)
	conn.Close()
	if err := <-ended; err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("Serve = %v, want that the bus has gone", err)
	}
}

func TestWindowsOnTheBus(t *testing.T) {
	r := dialoguetest.New()
	r.Desktop.FocusWith = func(context.Context, compositor.WindowID) error { return nil }
	c := serve(t, r.Agent(t, nil))
	window := func(v any) dict { return dict{"window": dbus.MakeVariant(v)} }
	if got, err := c.run("RunWithOptions", "go", window(uint64(7))); err != nil || got.outcome != "completed" {
		t.Errorf("in the window: %+v, %v", got, err)
	}
	if got, err := c.run("RunWithOptions", "go", window(uint64(99))); err != nil || got.outcome != "refused" || got.text("reason") != "not_found" {
		t.Errorf("in a window that is not there: %+v, %v", got, err)
	}
	var d dict
	if err := c.agent.Call(bus.Interface+".PlanWithOptions", 0, "go", window(uint64(8))).Store(&d); err != nil || d["found"].Value() != false || d["reason"].Value() != "no_plan" {
		t.Errorf("planned for the other window: %v, %v", d, err)
	}
	if _, ok := d["micros"].Value().(uint64); !ok {
		t.Errorf("micros is %v", d["micros"])
	}
	for what, options := range map[string]dict{
		"0":             window(uint64(0)),
		"of u":          window(uint32(7)),
		"beside an app": {"window": dbus.MakeVariant(uint64(7)), "app": dbus.MakeVariant("editor")},
	} {
		err := c.agent.Call(bus.Interface+".PlanWithOptions", 0, "go", options).Err
		isError(t, "a window "+what, err, bus.ErrInvalidArgs)
	}
}

func TestCheckLaunchOnTheBus(t *testing.T) {
	c := serve(t, dialoguetest.New().Agent(t, nil))
	var d dict
	if err := c.agent.Call(bus.Interface+".CheckLaunch", 0, []string{"foot", "-e"}).Store(&d); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{"found": true, "executable": true, "path": "/bin/foot", "state": "found"} {
		if d[name].Value() != want || len(d) != 4 {
			t.Errorf("%s is %v, want %v", name, d[name], want)
		}
	}
}

// TestSignalsDoNotTellWhatPluginsSay: it may repeat what they were told.
func TestSignalsDoNotTellWhatPluginsSay(t *testing.T) {
	steps := []plan.Step{{Args: op.Done{}}, {Plugin: "notes", Args: op.Foreign{Name: "note", Args: map[string]any{"text": "s3cret"}}}}
	if got := withoutWords("noted s3cret", steps...); got != "" {
		t.Error(got)
	}
	if got := withoutWords("done", steps[0]); got != "done" {
		t.Error(got)
	}
}
