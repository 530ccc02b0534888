package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"time"

	coreglib "github.com/diamondburned/gotk4/pkg/core/glib"

	"utter/shared/bus"
	"utter/shared/profile"
	"utter/shared/watch"
	"utter/ui/model/editor"
	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/model/try"
	"utter/ui/model/wording"
)

// askTime bounds a question to the agent; runTime bounds a plan, which may wait
// for windows to open.
const (
	askTime = 5 * time.Second
	runTime = 2 * time.Minute
)

// agent asks the agent for the models. Answers come on the main loop.
type agent struct {
	ctx context.Context

	mu     sync.Mutex
	client *bus.Client // nil while there is no bus

	step   func(index int, s bus.Step)
	nameOf func(app string) string // for the main loop
}

func newAgent(ctx context.Context, nameOf func(app string) string) *agent {
	return &agent{ctx: ctx, nameOf: nameOf}
}

// connected returns the client, connecting if there is none.
func (a *agent) connected() (*bus.Client, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.client == nil {
		c, err := bus.Dial(a.ctx)
		if err != nil {
			return nil, err
		}
		a.client = c
	}
	return a.client, nil
}

// lost forgets a client whose connection has ended.
func (a *agent) lost(c *bus.Client) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.client == c {
		a.client = nil
	}
	c.Close()
}

// ask has work ask off the main loop, and answer told on it.
func ask[T any](a *agent, limit time.Duration,
	work func(context.Context, *bus.Client) (T, error), answer func(T, error)) {
	go func() {
		var result T
		c, err := a.connected()
		if err == nil {
			ctx, cancel := context.WithTimeout(a.ctx, limit)
			defer cancel()
			result, err = work(ctx, c)
		}
		coreglib.IdleAdd(func() { answer(result, err) })
	}()
}

// reload makes a running agent read the files again.
func (a *agent) reload() error {
	c, err := a.connected()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(a.ctx, askTime)
	defer cancel()
	return c.Passive().Reload(ctx)
}

// watch follows the agent until the program ends. Where the bus goes away it
// tries again.
func (a *agent) watch(s *session.Session, windows func()) {
	go func() {
		for a.ctx.Err() == nil {
			if c, err := a.connected(); err == nil {
				err = c.Watch(a.ctx, func(e bus.Event) { a.told(c, e, s, windows) })
				slog.Debug("watch the agent", "error", err)
				a.lost(c)
			}
			coreglib.IdleAdd(func() { s.SetAgent(session.AgentState{}) })
			select {
			case <-time.After(2 * time.Second):
			case <-a.ctx.Done():
			}
		}
	}()
}

// told takes an event, on the goroutine of Watch.
func (a *agent) told(c *bus.Client, e bus.Event, s *session.Session, windows func()) {
	switch e := e.(type) {
	case bus.AgentChanged, bus.PropertiesChanged:
		state := a.state(c)
		coreglib.IdleAdd(func() {
			began := state.Running && !s.Agent().Running
			s.SetAgent(state)
			if began {
				windows()
			}
		})
	case bus.ProfilesChanged:
		coreglib.IdleAdd(windows) // the files themselves are watched here as well
	case bus.StepFinished:
		coreglib.IdleAdd(func() {
			if a.step != nil {
				a.step(int(e.Index), e.Step)
			}
		})
	}
}

// state asks a running agent for its state.
func (a *agent) state(c *bus.Client) session.AgentState {
	ctx, cancel := context.WithTimeout(a.ctx, askTime)
	defer cancel()
	st, err := c.Passive().Status(ctx)
	if err != nil {
		return session.AgentState{}
	}
	state := session.AgentState{Running: true, Version: st.Version, Compositor: st.Compositor}
	for _, p := range st.Problems {
		state.Problems = append(state.Problems, profile.Problem{
			Origin:   profile.Origin{Layer: profile.User, File: p.File, Line: int(p.Line), Column: int(p.Column)},
			Severity: profile.Severity(p.Severity), Message: p.Message, Code: p.Code, Args: p.Args,
		})
	}
	return state
}

// CheckLaunch says whether a command can be started; without an agent we look
// ourselves.
func (a *agent) CheckLaunch(argv []string, answer func(editor.LaunchState)) {
	ask(a, askTime, func(ctx context.Context, c *bus.Client) (bus.LaunchCheck, error) {
		return c.Passive().CheckLaunch(ctx, argv)
	}, func(check bus.LaunchCheck, err error) {
		if err != nil {
			answer(lookHere(argv[0]))
			return
		}
		answer(editor.LaunchState(check.State))
	})
}

func lookHere(program string) editor.LaunchState {
	_, err := exec.LookPath(program)
	switch {
	case err == nil:
		return editor.Found
	case errors.Is(err, os.ErrPermission):
		return editor.NotExecutable
	}
	return editor.NotFound
}

// TryPhrase says in a line what a phrase would do with the focus in app.
func (a *agent) TryPhrase(phrase, app string, answer func(string)) {
	a.plan(phrase, bus.PlanOptions{App: app}, func(p bus.Plan, err error) {
		switch {
		case errors.Is(err, bus.ErrNotRunning), errors.Is(err, bus.ErrNoAgent):
			answer(tr.T("The agent is not running"))
		case err != nil:
			answer(tr.T("The agent did not respond"))
		case !p.Found:
			answer(tr.T("Nothing would happen: %s", wording.Reason(p.Reason)))
		default:
			line := ""
			for i, step := range p.Steps {
				if i > 0 {
					line += " → "
				}
				line += wording.Step(step, a.nameOf)
			}
			answer(line)
		}
	})
}

// SuggestFor lists what can be said with the focus in app.
func (a *agent) SuggestFor(app string, answer func([]bus.Suggestion, error)) {
	const all = 1 << 20
	ask(a, askTime, func(ctx context.Context, c *bus.Client) ([]bus.Suggestion, error) {
		return c.Passive().SuggestFor(ctx, app, "", all)
	}, answer)
}

// NameOf is what an application is called.
func (a *agent) NameOf(app string) string { return a.nameOf(app) }

// Plan says what an utterance would do in a window, or with the focus in an
// application that has none.
func (a *agent) Plan(utterance string, target try.Window, answer func(bus.Plan, error)) {
	o := bus.PlanOptions{Explain: true}
	if target.ID != 0 {
		o.Window = &target.ID
	} else {
		o.App = target.App
	}
	a.plan(utterance, o, answer)
}

func (a *agent) plan(utterance string, o bus.PlanOptions, answer func(bus.Plan, error)) {
	ask(a, askTime, func(ctx context.Context, c *bus.Client) (bus.Plan, error) {
		return c.Passive().PlanWithOptions(ctx, utterance, o)
	}, answer)
}

// Run carries an utterance out in a window.
func (a *agent) Run(utterance string, target try.Window, step func(int, bus.Step), ended func(bus.Reply, error)) {
	a.carryOut(step, ended, func(ctx context.Context, c *bus.Client) (bus.Reply, error) {
		return c.RunWithOptions(ctx, utterance, bus.RunOptions{Window: &target.ID})
	})
}

// Answer answers what the agent asked before it went on. What it does not know
// any more was surely not done.
func (a *agent) Answer(q try.Question, yes bool, choice int, step func(int, bus.Step), ended func(bus.Reply, error)) {
	told := func(r bus.Reply, err error) {
		if bus.IsError(err, bus.ErrExpired) || bus.IsError(err, bus.ErrNotFound) {
			r, err = bus.Reply{Outcome: "refused", Message: err.Error(), Steps: []bus.Step{{Reason: "expired"}}}, nil
		}
		ended(r, err)
	}
	a.carryOut(step, told, func(ctx context.Context, c *bus.Client) (bus.Reply, error) {
		if q.Choices != nil {
			return c.Choose(ctx, q.Token, uint32(choice))
		}
		return c.Confirm(ctx, q.Token, yes)
	})
}

func (a *agent) carryOut(
	step func(int, bus.Step), ended func(bus.Reply, error), work func(context.Context, *bus.Client) (bus.Reply, error),
) {
	a.step = step
	ask(a, runTime, work, func(r bus.Reply, err error) {
		a.step = nil
		ended(r, err)
	})
}

// Windows lists the open windows, the one that had the focus last first.
func (a *agent) Windows(answer func([]try.Window, error)) {
	ask(a, askTime, func(ctx context.Context, c *bus.Client) ([]try.Window, error) {
		windows, err := c.Passive().ListWindows(ctx)
		if err != nil {
			return nil, err
		}
		apps, err := c.Passive().ListApps(ctx)
		names := map[string]string{}
		for _, app := range apps {
			names[app.ID] = app.Name
		}
		var all []try.Window
		for _, w := range windows {
			all = append(all, try.Window{ID: w.ID, App: w.App, AppID: w.AppID, Title: w.Title, AppName: names[w.App]})
		}
		return all, err
	}, answer)
}

// Doctor looks at the parts of the desktop.
func (a *agent) Doctor(answer func([]bus.Part, error)) {
	ask(a, 2*askTime, func(ctx context.Context, c *bus.Client) ([]bus.Part, error) {
		return c.Passive().Doctor(ctx)
	}, answer)
}

// Start has the bus start the agent.
func (a *agent) Start(answer func(error)) {
	ask(a, 2*askTime, func(ctx context.Context, c *bus.Client) (struct{}, error) { return struct{}{}, c.Start(ctx) },
		func(_ struct{}, err error) { answer(err) })
}

// watchFiles calls changed on the main loop after files of set have changed, and
// once at the start.
func watchFiles(ctx context.Context, set watch.Set, changed func(paths []string)) {
	w := watch.New(set, func(paths []string) bool {
		coreglib.IdleAdd(func() { changed(paths) })
		return false
	}, func(err error) { slog.Debug("files are looked at every two seconds", "error", err) }, slog.Default())
	go func() {
		if err := w.Run(ctx); err != nil && ctx.Err() == nil {
			slog.Warn("watch files", "error", err)
		}
	}()
}
