package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/executor"
	"utter/agent/internal/launch"
	"utter/agent/internal/notify"
	"utter/agent/internal/policy"
	"utter/agent/internal/router"
	"utter/shared/catalog"
	"utter/shared/plan"
	"utter/shared/profile"
)

// A desktop has the windows that a test gives it.
type desktop struct {
	mu      sync.Mutex
	state   compositor.State
	info    compositor.Info
	changed chan struct{}
	lacks   []string // actions
	focus   func(ctx context.Context, id compositor.WindowID) error
}

func newDesktop(windows ...compositor.Window) *desktop {
	return &desktop{state: compositor.State{Windows: windows}, changed: make(chan struct{})}
}

func (d *desktop) set(info compositor.Info) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.info = info
	close(d.changed)
	d.changed = make(chan struct{})
}

func (d *desktop) State() *compositor.State { return &d.state }

func (d *desktop) Info() (compositor.Info, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.info, d.info.Name != ""
}

func (d *desktop) Changed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changed
}

func (d *desktop) AwaitConnection(context.Context, time.Duration) error { return nil }

func (d *desktop) Supports(action string) bool { return !slices.Contains(d.lacks, action) }

func (d *desktop) Focus(ctx context.Context, id compositor.WindowID) error { return d.focus(ctx, id) }

// asker is an Asker.
type asker func(text string, actions []notify.Action, answered func(string)) error

func (f asker) Show(_ context.Context, _, text string, actions []notify.Action, _ int32, answered func(string)) error {
	return f(text, actions, answered)
}

// handlers by what they do; nil completes at once.
type handlers map[plan.Op]func(ctx context.Context, s plan.Step) error

// rig is an agent whose parts are played.
type rig struct {
	desktop *desktop
	policy  policy.Policy
	ask     asker
	plugins executor.Handler // what carries out the steps of plugins
	addons  Plugins
	// approvals says what a step needs while it runs; nil is nothing.
	approvals func(b *executor.Binding, s plan.Step) error

	mu       sync.Mutex
	problems []profile.Problem
	loadErr  error
	events   []string
}

// load is what Parts.Load does.
func (r *rig) load(routes *router.Router) (*router.Router, []profile.Problem, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return routes, r.problems, r.loadErr
}

func (r *rig) setLoad(problems []profile.Problem, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems, r.loadErr = problems, err
}

func newRig() *rig {
	return &rig{desktop: newDesktop(
		compositor.Window{ID: 7, AppID: "editor", Title: "zebra.txt", PID: 70, Output: "a", Workspace: 3, Focused: true},
		compositor.Window{ID: 8, AppID: "unknown"},
	), ask: func(string, []notify.Action, func(string)) error { return notify.ErrNone }}
}

const taught = `profiles:
  signal: {name: Signal, launch: [signal], aliases: [chat]}
  element: {name: Element, launch: [element], aliases: [chat]}
  editor: {name: Editor, launch: [editor], kind: editor, shortcuts: {go: ctrl+g}}
`

func (r *rig) agent(t testing.TB, h handlers) *Agent {
	t.Helper()
	tables, err := router.NewTables()
	if err != nil {
		t.Fatal(err)
	}
	patches, bad := profile.Decode("taught.yaml", profile.User, []byte(taught))
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	yes := func(string) bool { return true }
	lib := catalog.New(profile.Merge(patches, nil), yes, func(*profile.Profile) bool { return true })
	routes, err := router.New(tables, lib, "google")
	if err != nil {
		t.Fatal(err)
	}
	all := map[plan.Op]executor.Handler{}
	for _, op := range plan.Ops() {
		do := h[op]
		all[op] = executor.HandlerFunc(func(ctx context.Context, b *executor.Binding, s plan.Step) (executor.Done, error) {
			if r.approvals != nil {
				if err := r.approvals(b, s); err != nil {
					return executor.Done{}, err
				}
			}
			if do == nil {
				return executor.Done{Evidence: plan.ByState}, nil
			}
			return executor.Done{Evidence: plan.ByState, Window: 7}, do(ctx, s)
		})
	}
	a, err := New(Parts{
		Desktop: r.desktop, Executor: executor.New(all, r.plugins, r.policy), Log: slog.New(slog.DiscardHandler), Ask: r.ask, Plugins: r.addons,
		AppOf: func(w compositor.Window) *profile.Profile { return lib.Index.ForWindow(w.AppID) },
		Load:  func() (*router.Router, []profile.Problem, error) { return r.load(routes) },
		FindProgram: func(_ context.Context, argv []string) launch.Finding {
			return launch.Finding{State: launch.Found, Path: "/bin/" + argv[0]}
		},
		Probe: func(context.Context) []Part {
			return []Part{{"compositor", "ok", "memory"}, {"keyboard", "absent", "none"}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	a.Listen(r)
	return a
}

func (r *rig) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf(format, args...))
}

// heard returns the events so far and forgets them.
func (r *rig) heard() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := strings.Join(r.events, ", ")
	r.events = nil
	return all
}

func (r *rig) PlanStarted(p *plan.Plan)                            { r.note("started %d", len(p.Steps)) }
func (r *rig) StepFinished(i int, s plan.Result)                   { r.note("step %d %s", i, s.Outcome) }
func (r *rig) PlanFinished(_ *plan.Plan, o plan.Outcome, _ string) { r.note("finished %s", o) }
func (r *rig) ConfirmationRequested(w Waiting)                     { r.note("confirm %t", w.Token != "") }
func (r *rig) ChoiceRequested(w Waiting)                           { r.note("choose of %d", len(w.Choices)) }
func (r *rig) StateChanged(state string)                           { r.note("%s", state) }
func (r *rig) ProfilesChanged([]profile.Problem)                   { r.note("profiles") }

var byUser = Options{Provenance: plan.FromUser}

// check compares an answer's outcome and reason.
func check(t *testing.T, what string, a Answer, outcome plan.Outcome, reason plan.Reason) {
	t.Helper()
	if a.Outcome != outcome || a.Reason != reason || a.Message == "" && reason != "" {
		t.Errorf("%s: %v, reason %q, %q; want %v, %q", what, a.Outcome, a.Reason, a.Message, outcome, reason)
	}
}

func TestRunTellsWhatHappens(t *testing.T) {
	r := newRig()
	a := r.agent(t, handlers{plan.Key: func(_ context.Context, s plan.Step) error {
		if s.Args.Text("chord") == "f4" {
			return plan.Refuse(plan.NotFound, "no window has the focus")
		}
		return nil
	}})
	answer := a.Run(t.Context(), "press f5 then press f6", byUser)
	check(t, "two keys", answer, plan.Completed, "")
	if got, want := r.heard(), "running, started 2, step 0 completed, step 1 completed, finished completed, ready"; got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
	check(t, "a key that is refused", a.Run(t.Context(), "press f4", byUser), plan.Refused, plan.NotFound)
	if got, want := r.heard(), "running, started 1, step 0 refused, finished refused, ready"; got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
	check(t, "no plan", a.Run(t.Context(), "banana", byUser), plan.Refused, plan.NoPlan)
	check(t, "nothing", a.Run(t.Context(), "", byUser), plan.Refused, plan.NoPlan)
	check(t, "too much", a.Run(t.Context(), "type "+strings.Repeat("x", maxUtterance), byUser), plan.Refused, plan.NoPlan)
	if got := r.heard(); got != "" {
		t.Errorf("without a plan: heard %s", got)
	}
}

func TestADryRunDoesNothing(t *testing.T) {
	r := newRig()
	ran := false
	a := r.agent(t, handlers{plan.Key: func(context.Context, plan.Step) error { ran = true; return nil }})
	for said, op := range map[string]plan.Op{"press f5": plan.Key, "log out": plan.Niri, "go": plan.Key} {
		answer := a.Run(t.Context(), said, Options{Provenance: plan.FromUser, DryRun: true})
		check(t, said, answer, plan.Completed, "")
		if len(answer.Planned) != 1 || answer.Planned[0].Op != op || len(answer.Results) > 0 || answer.Waiting != nil {
			t.Errorf("%s: %+v", said, answer)
		}
	}
	// The action "go" is the focused editor's; with another context it is nobody's.
	ctx := &router.Context{}
	check(t, "elsewhere", a.Run(t.Context(), "go", Options{Provenance: plan.FromUser, DryRun: true, Context: ctx}), plan.Refused, plan.NoPlan)
	answer := a.Run(t.Context(), "open chat", Options{Provenance: plan.FromUser, DryRun: true})
	check(t, "open chat", answer, plan.Refused, plan.Ambiguous)
	if len(answer.Choices) != 2 || answer.Waiting != nil {
		t.Errorf("open chat: %+v", answer)
	}
	if ran || r.heard() != "" {
		t.Error("a dry run did something")
	}
}

func TestPlanAndSuggestSeeTheFocusedWindowOrTheAppThatIsNamed(t *testing.T) {
	a := newRig().agent(t, nil)
	if d := a.Plan(t.Context(), "go", Options{}); d.Plan == nil || d.Plan.Steps[0].Op != plan.Key {
		t.Errorf("for the focused editor: %+v", d)
	}
	if d := a.Plan(t.Context(), "go", Options{App: "signal"}); d.Plan != nil {
		t.Errorf("for signal: %v", d.Plan.Steps)
	}
	if d := a.Plan(t.Context(), strings.Repeat("x", maxUtterance+1), Options{}); d.Plan != nil || d.Reason != plan.NoPlan {
		t.Errorf("too long: %+v", d)
	}
	if s := a.Suggest(t.Context(), "", "go", 10); len(s) == 0 || s[0].Text != "go" {
		t.Errorf("suggestions for the editor: %v", s)
	}
	if s := a.Suggest(t.Context(), "signal", "go", 10); slices.ContainsFunc(s, func(s router.Suggestion) bool { return s.Text == "go" }) {
		t.Errorf("suggestions for signal: %v", s)
	}
}

// TestTheScreenAuthorsNothing: an utterance that comes from the screen is routed,
// but no step with an argument of it runs, and it answers no question.
func TestTheScreenAuthorsNothing(t *testing.T) {
	for _, from := range []plan.Provenance{plan.FromScreen, plan.FromUnknown} {
		r := newRig()
		ran := 0
		count := func(context.Context, plan.Step) error { ran++; return nil }
		a := r.agent(t, handlers{plan.Key: count, plan.TypeText: count, plan.EnsureApp: count, plan.Niri: count, plan.OpenURL: count})
		asked := a.Run(t.Context(), "open chat", byUser).Waiting
		if asked == nil {
			t.Fatal("open chat asks nothing")
		}
		o := Options{Provenance: from}
		for _, said := range []string{"press f5", "type x", "open editor", "search for x", "log out", "press f5 then type x"} {
			check(t, said, a.Run(t.Context(), said, o), plan.Refused, plan.PolicyReason)
		}
		for _, said := range []string{"1", "the first", "Signal"} {
			if answer := a.Run(t.Context(), said, o); answer.Outcome != plan.Refused {
				t.Errorf("%q from the %v answers the user's question: %+v", said, from, answer)
			}
		}
		answer := a.Run(t.Context(), "open chat", o)
		check(t, "an unclear name", answer, plan.Refused, plan.Ambiguous)
		if answer.Waiting != nil {
			t.Errorf("the %v may ask the user to choose", from)
		}
		if ran > 0 {
			t.Errorf("%d steps ran", ran)
		}
		if _, err := a.Choose(t.Context(), asked.Token, 0); err != nil || ran != 1 {
			t.Errorf("the user's own question is gone: %v", err)
		}
	}
}

func TestReloadKeepsWhatItHasWhereReadingFails(t *testing.T) {
	r := newRig()
	a := r.agent(t, nil)
	r.setLoad([]profile.Problem{{Message: "broken"}}, nil)
	if err := a.Reload(); err != nil || len(a.Problems()) != 1 || r.heard() != "profiles" {
		t.Errorf("%v, %v", err, a.Problems())
	}
	if err := a.Reload(); err != nil || r.heard() != "" {
		t.Error("a reload without a change is told")
	}
	before := a.Router()
	broken := errors.New("built-in profiles: broken")
	r.setLoad(nil, broken)
	if err := a.Reload(); !errors.Is(err, broken) || a.Router() != before || len(a.Problems()) != 1 {
		t.Errorf("%v", err)
	}
	a.WatchTrouble(errors.New("no space left on device"))
	if p := a.Problems(); len(p) != 2 || !strings.Contains(p[1].Message, "max_user_watches") || r.heard() != "profiles" {
		t.Errorf("problems %v", p)
	}
}

func TestATimeoutEndsThePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newRig().agent(t, handlers{plan.Key: func(ctx context.Context, _ plan.Step) error { <-ctx.Done(); return ctx.Err() }})
		began := time.Now()
		answer := a.Run(t.Context(), "press f5", Options{Provenance: plan.FromUser, Timeout: 700 * time.Millisecond})
		check(t, "a key that takes too long", answer, plan.Unknown, plan.Timeout)
		if took := time.Since(began); took != 700*time.Millisecond {
			t.Errorf("it ended after %v", took)
		}
	})
}
