// Package dialoguetest provides an agent with a fake desktop, handlers and plugins, for
// tests of the dialogue and of its callers.
package dialoguetest

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/dialogue"
	"utter/agent/internal/executor"
	"utter/agent/internal/knowledge"
	"utter/agent/internal/launch"
	"utter/agent/internal/notify"
	"utter/agent/internal/policy"
	"utter/agent/internal/router"
	"utter/shared/catalog"
	"utter/shared/op"
	"utter/shared/phrases"
	"utter/shared/plan"
	"utter/shared/profile"
)

// A Desktop has the windows that a test gives it.
type Desktop struct {
	Windows   []compositor.Window
	Lacks     []string // actions that it does not support
	FocusWith func(ctx context.Context, id compositor.WindowID) error

	mu      sync.Mutex
	info    compositor.Info
	changed chan struct{}
}

// Set makes info the compositor that runs.
func (d *Desktop) Set(info compositor.Info) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.info = info
	close(d.changed)
	d.changed = make(chan struct{})
}

// State returns the windows.
func (d *Desktop) State() *compositor.State { return &compositor.State{Windows: d.Windows} }

// Info returns what was set last.
func (d *Desktop) Info() (compositor.Info, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.info, d.info.Name != ""
}

// Changed returns a channel that the next Set closes.
func (d *Desktop) Changed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changed
}

// AwaitConnection returns at once.
func (d *Desktop) AwaitConnection(context.Context, time.Duration) error { return nil }

// Supports reports whether the action is not among those that are lacking.
func (d *Desktop) Supports(action string) bool { return !slices.Contains(d.Lacks, action) }

// Focus does what FocusWith says.
func (d *Desktop) Focus(ctx context.Context, id compositor.WindowID) error {
	return d.FocusWith(ctx, id)
}

// An Asker plays notifications.
type Asker func(text string, actions []notify.Button, answered func(key string)) error

// Show calls f.
func (f Asker) Show(_ context.Context, _, text string, actions []notify.Button, _ int32, answered func(string)) error {
	return f(text, actions, answered)
}

// Handlers by the operation that they carry out; one that is nil completes at once.
type Handlers map[op.Name]func(ctx context.Context, s plan.Step) error

// A Rig is what an agent is made of, and hears its events.
type Rig struct {
	Desktop *Desktop
	Policy  policy.Policy
	Ask     Asker
	Plugin  executor.Handler // carries out the steps of plugins
	Plugins dialogue.Plugins
	Turns   *dialogue.Turns // of the last agent
	// Approvals returns what a step needs while it runs; nil is nothing.
	Approvals func(b *executor.Binding, s plan.Step) error

	mu       sync.Mutex
	now      *knowledge.Snapshot
	problems []profile.Problem // that the next load finds
	loadErr  error
	events   []string
}

// Load finds what SetLoad has set.
func (r *Rig) Load() (changed bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.loadErr != nil {
		return false, r.loadErr
	}
	changed = !slices.EqualFunc(r.now.Problems, r.problems, profile.Problem.Equal)
	r.now = &knowledge.Snapshot{Router: r.now.Router, Problems: r.problems}
	return changed, nil
}

// Now returns what was loaded last.
func (r *Rig) Now() *knowledge.Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// SetLoad sets what the next Reload finds.
func (r *Rig) SetLoad(problems []profile.Problem, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems, r.loadErr = problems, err
}

// New returns a Rig with an editor that has the focus and a window of an unknown
// application. Nothing shows its questions.
func New() *Rig {
	return &Rig{
		Desktop: &Desktop{changed: make(chan struct{}), Windows: []compositor.Window{
			{ID: 7, AppID: "editor", Title: "zebra.txt", PID: 70, Output: "a", Workspace: 3, Focused: true},
			{ID: 8, AppID: "unknown"},
		}},
		Ask: func(string, []notify.Button, func(string)) error { return notify.ErrNone },
	}
}

const taught = `profiles:
  signal: {name: Signal, launch: [signal], aliases: [chat]}
  element: {name: Element, launch: [element], aliases: [chat]}
  editor: {name: Editor, launch: [editor], kind: editor, shortcuts: {go: ctrl+g}}
`

// Agent returns an agent that knows two applications named "chat", an editor with a
// shortcut named "go", and these handlers.
func (r *Rig) Agent(t testing.TB, h Handlers) *dialogue.Dialogue {
	t.Helper()
	words, err := phrases.English()
	if err != nil {
		t.Fatal(err)
	}
	patches, bad := profile.Decode("taught.yaml", profile.User, []byte(taught))
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	yes := func(string) bool { return true }
	lib := catalog.New(profile.Merge(patches, nil), yes, func(*profile.Profile) bool { return true })
	routes, err := router.New(words, lib, "google")
	if err != nil {
		t.Fatal(err)
	}
	all := executor.Handlers{}
	for _, spec := range op.Specs() {
		do := h[spec.Name]
		handle := func(ctx context.Context, b *executor.Binding, s plan.Step) (executor.Done, error) {
			if r.Approvals != nil {
				if err := r.Approvals(b, s); err != nil {
					return executor.Done{}, err
				}
			}
			if do == nil {
				return executor.Done{Evidence: plan.ByState}, nil
			}
			return executor.Done{Evidence: plan.ByState, Window: 7}, do(ctx, s)
		}
		all[spec.Name] = executor.HandlerFunc(handle)
	}
	log := slog.New(slog.DiscardHandler)
	r.Turns = dialogue.NewTurns(r.Ask, log)
	r.now = &knowledge.Snapshot{Router: routes}
	a, err := dialogue.New(dialogue.Parts{
		Desktop: r.Desktop, Executor: executor.New(all, r.Plugin, r.Policy), Log: log, Turns: r.Turns, Plugins: r.Plugins,
		IsTerminal: func(w compositor.Window) bool { return lib.IsTerminal(w.AppID) },
		AppOf:      func(w compositor.Window) *profile.Profile { return lib.Index.ForWindow(w.AppID) },
		Knowledge:  r,
		FindProgram: func(_ context.Context, argv []string) launch.Program {
			return launch.Program{State: launch.Found, Path: "/bin/" + argv[0]}
		},
		Probe: func(context.Context) []dialogue.Part {
			return []dialogue.Part{
				{Name: "compositor", State: "ok", Detail: "memory"},
				{Name: "keyboard", State: "absent", Detail: "none"},
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	a.Listen(r)
	return a
}

// Note adds an event.
func (r *Rig) Note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf(format, args...))
}

// Heard returns the events so far and forgets them.
func (r *Rig) Heard() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := strings.Join(r.events, ", ")
	r.events = nil
	return all
}

// PlanStarted notes a plan's start.
func (r *Rig) PlanStarted(p *plan.Plan) { r.Note("started %d", len(p.Steps)) }

// StepFinished notes a step's end.
func (r *Rig) StepFinished(i int, s plan.Result) { r.Note("step %d %s", i, s.Outcome) }

// PlanFinished notes a plan's end.
func (r *Rig) PlanFinished(_ *plan.Plan, o plan.Outcome, _ string) { r.Note("finished %s", o) }

// ConfirmationRequested notes a question that yes or no answers.
func (r *Rig) ConfirmationRequested(q dialogue.Question) { r.Note("confirm %t", q.Token != "") }

// ChoiceRequested notes a choice.
func (r *Rig) ChoiceRequested(q dialogue.Question) { r.Note("choose of %d", len(q.Choices)) }

// StateChanged notes the new state.
func (r *Rig) StateChanged(state string) { r.Note("%s", state) }

// ProfilesChanged notes that profiles have changed.
func (r *Rig) ProfilesChanged([]profile.Problem) { r.Note("profiles") }
