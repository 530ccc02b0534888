package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
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
		return plan.Refuse(plan.NotFound, "no window is focused")
	}}))
	got := c.say("press f5", bus.RunOptions{})
	want := bus.Step{
		Action: "key", Args: map[string]any{"chord": "f5"}, Tier: "keyboard", Description: "press f5",
		Outcome: "completed", Evidence: "state",
	}
	if got.Outcome != "completed" || len(got.Steps) != 1 || !reflect.DeepEqual(got.Steps[0], want) {
		t.Errorf("press f5: %+v, want %+v", got, want)
	}
	got = c.say("type hello", bus.RunOptions{})
	last := got.Last()
	if got.Outcome != "refused" || last.Reason != "not_found" ||
		got.Message != "no window is focused" || last.Message == "" {
		t.Errorf("type hello: %+v", got)
	}
	got = c.say("banana", bus.RunOptions{})
	want = bus.Step{Outcome: "refused", Reason: "no_plan", Message: got.Message}
	if got.Outcome != "refused" || len(got.Steps) != 1 || !reflect.DeepEqual(got.Steps[0], want) {
		t.Errorf("banana: %+v", got)
	}
	got = c.say("press f5", bus.RunOptions{DryRun: true})
	if got.Outcome != "completed" || got.Last().Action != "key" || got.Last().Outcome != "" {
		t.Errorf("a dry run: %+v", got)
	}
	got = c.say("press f5", bus.RunOptions{Provenance: "screen"})
	if got.Outcome != "refused" || got.Last().Reason != "policy" || !strings.Contains(got.Message, "screen") {
		t.Errorf("from the screen: %+v", got)
	}
	got = c.say("go", bus.RunOptions{DryRun: true, Context: &bus.Context{
		Focused: &bus.ContextWindow{AppID: "signal", Title: "x"}, Windows: []bus.ContextWindow{{AppID: "editor"}},
	}})
	if got.Last().Reason != "no_plan" {
		t.Errorf("an action of an application that has no focus: %+v", got)
	}
}

// TestTheShortFormsAreThoseWithOptions that have none.
func TestTheShortFormsAreThoseWithOptions(t *testing.T) {
	c := serve(t, dialoguetest.New().Agent(t, nil))
	for _, tt := range []struct {
		short, long string
		args, more  []any
	}{
		{"Run", "RunWithOptions", []any{"press f5"}, []any{"press f5", bus.Dict{}}},
		{"Plan", "PlanWithOptions", []any{"press f5"}, []any{"press f5", bus.Dict{}}},
		{"Suggest", "SuggestFor", []any{"open s", uint32(5)}, []any{"", "open s", uint32(5)}},
	} {
		short := c.agent.Call(bus.Interface+"."+tt.short, 0, tt.args...)
		long := c.agent.Call(bus.Interface+"."+tt.long, 0, tt.more...)
		if d, ok := short.Body[0].(bus.Dict); ok { // how long it took
			delete(d, "micros")
			delete(long.Body[0].(bus.Dict), "micros")
		}
		if short.Err != nil || !reflect.DeepEqual(short.Body, long.Body) {
			t.Errorf("%s answers %v, %v; %s %v", tt.short, short.Body, short.Err, tt.long, long.Body)
		}
	}
	if err := c.agent.Call(bus.Interface+".Ping", 0).Err; err != nil {
		t.Errorf("ping: %v", err)
	}
}

func TestInvalidOptionsAreRefusedByName(t *testing.T) {
	c := serve(t, dialoguetest.New().Agent(t, nil))
	given := func(name string, v any) bus.Dict { return bus.Dict{name: dbus.MakeVariant(v)} }
	context := func(v any) bus.Dict {
		return bus.Dict{"dry_run": dbus.MakeVariant(true), "context": dbus.MakeVariant(v)}
	}
	for what, tt := range map[string]struct {
		method  string
		options bus.Dict
		named   string
	}{
		"unknown":              {"RunWithOptions", given("dryrun", true), "dryrun"},
		"of the other method":  {"RunWithOptions", given("app", "x"), "app"},
		"of another type":      {"RunWithOptions", given("dry_run", "yes"), "dry_run"},
		"a time of i":          {"RunWithOptions", given("timeout_ms", int32(5)), "timeout_ms"},
		"nobody":               {"RunWithOptions", given("provenance", "root"), "provenance"},
		"no provenance":        {"RunWithOptions", given("provenance", ""), "provenance"},
		"provenance of u":      {"RunWithOptions", given("provenance", uint32(2)), "provenance"},
		"a context for real":   {"RunWithOptions", given("context", bus.Dict{}), "context"},
		"no context":           {"RunWithOptions", context("x"), "context"},
		"an unknown key of it": {"RunWithOptions", context(given("focussed", "x")), "focussed"},
		"a window that is s":   {"RunWithOptions", context(given("focused", "x")), "focused"},
		"windows that are s":   {"RunWithOptions", context(given("windows", "x")), "windows"},
		"a window's key":       {"RunWithOptions", context(given("focused", given("appid", "x"))), "appid"},
		"a title of u":         {"RunWithOptions", context(given("windows", []bus.Dict{given("title", uint32(1))})), "title"},
		"a plan for real":      {"PlanWithOptions", given("dry_run", true), "dry_run"},
		"an app of u":          {"PlanWithOptions", given("app", uint32(1)), "app"},
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
	got := c.say("open chat", bus.RunOptions{})
	last := got.Last()
	if got.Outcome != "refused" || last.Reason != "ambiguous" || last.Token == "" {
		t.Fatalf("open chat: %+v", got)
	}
	if last.Expires != 30 || len(last.Choices) != 2 || last.Choices[0].Label != "Signal" || last.Choices[0].Origin == "" {
		t.Errorf("the question: %+v", last)
	}
	signals := c.until("ChoiceRequested")
	if s := signals[len(signals)-1]; s.Body[0] != last.Token || s.Body[3] != uint32(30) {
		t.Errorf("the signal: %v", s.Body)
	}
	_, err := c.Choose(t.Context(), last.Token, 2)
	isError(t, "choice 2 of 2", err, bus.ErrInvalidArgs)
	_, err = c.Choose(t.Context(), "wrong", 0)
	isError(t, "a wrong token", err, bus.ErrNotFound)
	_, err = c.Confirm(t.Context(), last.Token, true)
	isError(t, "confirming a choice", err, bus.ErrInvalidArgs)
	chosen, err := c.Choose(t.Context(), last.Token, 1)
	if err != nil || chosen.Outcome != "completed" || chosen.Last().Action != "ensure_app" {
		t.Errorf("chosen: %+v, %v", chosen, err)
	}
	_, err = c.Choose(t.Context(), last.Token, 1)
	isError(t, "a second time", err, bus.ErrNotFound)

	got = c.say("log out", bus.RunOptions{})
	if last = got.Last(); last.Reason != "needs_confirmation" || !strings.Contains(got.Message, "quit") {
		t.Fatalf("log out: %+v", got)
	}
	no, err := c.Confirm(t.Context(), last.Token, false)
	if err != nil || no.Outcome != "refused" || no.Last().Reason != "cancelled" {
		t.Errorf("no: %+v, %v", no, err)
	}
	f := &Facade{}
	if e := f.dbusError(fmt.Errorf("late: %w", dialogue.ErrExpired)); e.Name != bus.ErrExpired {
		t.Errorf("a late answer is %s", e.Name)
	}
}

// TestCancelOnTheBus is answered at once, and the interrupted step is unknown.
func TestCancelOnTheBus(t *testing.T) {
	began := make(chan bool)
	hold := func(ctx context.Context, _ plan.Step) error {
		began <- true
		<-ctx.Done()
		return ctx.Err()
	}
	c := serve(t, dialoguetest.New().Agent(t, dialoguetest.Handlers{op.Key{}.Op(): hold}))
	fastest := time.Hour
	for range 3 { // the machine may be busy
		answers := make(chan bus.Reply, 1)
		go func() {
			got, err := c.RunWithOptions(context.Background(), "press f5", bus.RunOptions{})
			if err != nil {
				t.Error(err)
			}
			answers <- got
		}()
		<-began
		at := time.Now()
		if n, err := c.Cancel(t.Context()); err != nil || n != 1 {
			t.Errorf("cancelled %d, %v", n, err)
		}
		got := <-answers
		fastest = min(fastest, time.Since(at))
		if got.Outcome != "unknown" || got.Last().Outcome != "unknown" || got.Last().Reason != "cancelled" {
			t.Errorf("the plan: %+v", got)
		}
	}
	if fastest > 100*time.Millisecond {
		t.Errorf("cancelling took %v", fastest)
	}
}

func TestATimeoutOnTheBus(t *testing.T) {
	hold := func(ctx context.Context, _ plan.Step) error { <-ctx.Done(); return ctx.Err() }
	c := serve(t, dialoguetest.New().Agent(t, dialoguetest.Handlers{op.Key{}.Op(): hold}))
	got := c.say("press f5", bus.RunOptions{TimeoutMS: 20})
	if got.Outcome != "unknown" || got.Last().Reason != "timeout" {
		t.Errorf("%+v", got)
	}
}

func TestPlanOnTheBus(t *testing.T) {
	c := serve(t, dialoguetest.New().Agent(t, nil))
	p := c.plan("scroll down", bus.PlanOptions{})
	want := bus.Plan{
		Utterance: "scroll down", Found: true, Rule: "scroll", Source: "rules", Confidence: 1, NeedsPerception: new(bool),
		Passed: p.Passed, Micros: p.Micros, Steps: p.Steps,
	}
	if !reflect.DeepEqual(p, want) || len(p.Passed) == 0 || p.Passed[0] != "custom" || p.Micros == nil {
		t.Errorf("scroll down: %+v", p)
	}
	if len(p.Steps) != 1 || p.Steps[0].Action != "scroll" || p.Steps[0].Tier != "keyboard" {
		t.Errorf("steps: %+v", p.Steps)
	}
	p = c.plan("open chat", bus.PlanOptions{})
	if p.Found || p.Reason != "ambiguous" || len(p.Choices) != 2 || p.NeedsPerception != nil || p.Steps != nil {
		t.Errorf("open chat: %+v", p)
	}
	if p = c.plan("go", bus.PlanOptions{App: "signal"}); p.Found || p.Reason != "no_plan" || p.Message == "" {
		t.Errorf("go in signal: %+v", p)
	}
	p = c.plan("open chat", bus.PlanOptions{Explain: true})
	if p.Name != "chat" || len(p.Claims) != 2 || p.Claims[0].Layer != "user" || p.Claims[0].By != "alias" {
		t.Errorf("claims: %+v", p)
	}
}

func TestListsOnTheBus(t *testing.T) {
	c := serve(t, dialoguetest.New().Agent(t, nil))
	windows, err := c.ListWindows(t.Context())
	if err != nil || len(windows) != 2 || windows[0].ID != 7 || windows[0].App != "editor" || windows[0].PID != 70 ||
		!windows[0].Focused || windows[1].App != "" {
		t.Errorf("windows: %+v, %v", windows, err)
	}
	apps, err := c.ListApps(t.Context())
	if err != nil || len(apps) != 3 {
		t.Fatalf("applications: %+v, %v", apps, err)
	}
	for _, app := range apps {
		if app.Running != (app.ID == "editor") || app.Aliases == nil || app.AppIDs == nil || app.Launch == nil {
			t.Errorf("an application: %+v", app)
		}
	}
	parts, err := c.Doctor(t.Context())
	if err != nil || len(parts) != 2 || parts[1].Name != "keyboard" || parts[1].State != "absent" {
		t.Errorf("doctor: %+v, %v", parts, err)
	}
	if s, err := c.SuggestFor(t.Context(), "", "open s", 5); err != nil || len(s) == 0 || s[0].Text != "open signal" {
		t.Errorf("suggestions: %+v, %v", s, err)
	}
	if s, err := c.SuggestFor(t.Context(), "editor", "go", 1); err != nil || len(s) != 1 || s[0].App != "editor" {
		t.Errorf("suggestions for the editor: %+v, %v", s, err)
	}
	if s, err := c.SuggestFor(t.Context(), "", "", 4_000_000_000); err != nil || len(s) > mostSuggestions {
		t.Errorf("%d suggestions, %v", len(s), err)
	}
	check, err := c.CheckLaunch(t.Context(), []string{"foot", "-e"})
	want := bus.LaunchCheck{Found: true, Executable: true, Path: "/bin/foot", State: "found"}
	if err != nil || check != want {
		t.Errorf("CheckLaunch = %+v, %v", check, err)
	}
}

func TestPropertiesFollow(t *testing.T) {
	r := dialoguetest.New()
	c := serve(t, r.Agent(t, nil))
	becomes := func(what string, want bus.Status) {
		t.Helper()
		want.Version, want.Head, want.Problems = "1.2.3", "off", []bus.Problem{}
		if got, err := c.Status(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", what, got, err, want)
		}
	}
	becomes("at the start", bus.Status{State: "ready"})
	r.Desktop.Set(compositor.Info{Name: "sway", Version: "1.10"})
	changed := c.until("PropertiesChanged")
	if d, _ := changed[len(changed)-1].Body[1].(bus.Dict); d["Compositor"].Value() != "sway 1.10" {
		t.Errorf("the compositor came: %v", d)
	}
	c.say("open chat", bus.RunOptions{})
	becomes("with a question", bus.Status{State: "waiting", Compositor: "sway 1.10"})
	if _, err := c.Cancel(t.Context()); err != nil {
		t.Error(err)
	}
	becomes("after Cancel", bus.Status{State: "ready", Compositor: "sway 1.10"})
}

func TestASecondAgentLeaves(t *testing.T) {
	r := dialoguetest.New()
	c := serve(t, r.Agent(t, nil))
	err := Serve(t.Context(), privatebus.Connect(t, c.address), r.Agent(t, nil), "1.2.3", slog.New(slog.DiscardHandler))
	if !errors.Is(err, ErrTaken) {
		t.Errorf("Serve = %v, want ErrTaken", err)
	}
	if _, err := c.Status(t.Context()); err != nil {
		t.Errorf("the first does not respond any more: %v", err)
	}
}

func TestWindowsOnTheBus(t *testing.T) {
	r := dialoguetest.New()
	r.Desktop.FocusWith = func(context.Context, compositor.WindowID) error { return nil }
	c := serve(t, r.Agent(t, nil))
	seven, eight, gone := uint64(7), uint64(8), uint64(99)
	if got := c.say("go", bus.RunOptions{Window: &seven}); got.Outcome != "completed" {
		t.Errorf("in the window: %+v", got)
	}
	if got := c.say("go", bus.RunOptions{Window: &gone}); got.Outcome != "refused" || got.Last().Reason != "not_found" {
		t.Errorf("in a window that is not there: %+v", got)
	}
	if p := c.plan("go", bus.PlanOptions{Window: &eight}); p.Found || p.Reason != "no_plan" {
		t.Errorf("planned for the other window: %+v", p)
	}
	for what, o := range map[string]bus.PlanOptions{
		"0": {Window: new(uint64)}, "beside an app": {Window: &seven, App: "editor"},
	} {
		_, err := c.PlanWithOptions(t.Context(), "go", o)
		isError(t, "a window "+what, err, bus.ErrInvalidArgs)
	}
}
