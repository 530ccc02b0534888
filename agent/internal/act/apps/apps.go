// Package apps brings up applications and addresses: what is open is reused,
// else it is started, and either is proved by the windows. It presses no keys.
package apps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/executor"
	"utter/agent/internal/launch"
	"utter/shared/catalog"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/profile"
)

// startTime is how long a started application may take to show a window.
const startTime = 10 * time.Second

// A Desktop is what the handlers need of the compositor.
type Desktop interface {
	State() *compositor.State
	Read(ctx context.Context) (*compositor.State, error)
	Wait(ctx context.Context, ok func(*compositor.State) bool) (*compositor.State, error)
	Focus(ctx context.Context, id compositor.WindowID) error
	CloseWindow(ctx context.Context, id compositor.WindowID) error
	Info() (compositor.Info, bool)
	Changed() <-chan struct{}
}

// A Launcher starts programs.
type Launcher interface {
	Start(ctx context.Context, c launch.Command) (*launch.Process, error)
	Activate(ctx context.Context, busName, token string, urls []string) error
	OwnerPID(ctx context.Context, busName string) int
}

// A Resolver has the handlers about applications and addresses.
type Resolver struct {
	desktop  Desktop
	launcher Launcher
	library  func() *catalog.Library
	// token asks for leave to take the focus; "" where there is none.
	token func(ctx context.Context, appID string) string
	// terminal wraps a command so that it runs in a new terminal.
	terminal func(argv []string) ([]string, error)
	sites    SiteTitles
	search   func(query string) string
	follow   chan followed

	mu sync.Mutex
	// learned are app ids that came from our own launches, by profile id.
	learned map[string]string
	pages   map[string]page
	opened  int // how many addresses were opened
}

// Options are the parts of a Resolver.
type Options struct {
	Desktop  Desktop
	Launcher Launcher
	Library  func() *catalog.Library
	Token    func(ctx context.Context, appID string) string
	Terminal func(argv []string) ([]string, error)
	Sites    SiteTitles
	// Search returns the address of a plain search.
	Search func(query string) string
}

// New returns a Resolver. Its Run must run while its handlers do.
func New(o Options) *Resolver {
	return &Resolver{
		desktop: o.Desktop, launcher: o.Launcher, library: o.Library, token: o.Token, terminal: o.Terminal,
		sites: o.Sites, search: o.Search, follow: make(chan followed),
		learned: map[string]string{}, pages: map[string]page{},
	}
}

// Register registers the handlers.
func (r *Resolver) Register(to executor.Handlers) {
	executor.On(to, r.launchApp)
	executor.On(to, r.ensureApp)
	executor.On(to, r.focusApp)
	executor.On(to, r.closeApp)
	executor.On(to, r.openURL)
	executor.On(to, r.ensureURL)
	executor.On(to, r.searchWeb)
}

// AppOf returns the application that a window belongs to, or nil: by its app id,
// by what our own launches taught, by the program's cgroup.
func (r *Resolver) AppOf(w compositor.Window) *profile.Profile {
	index := r.library().Index
	if p := index.ForWindow(w.AppID); p != nil {
		return p
	}
	r.mu.Lock()
	id := r.learned[w.AppID]
	r.mu.Unlock()
	if id != "" {
		return index.ByID(id)
	}
	// What is started in a terminal is in the terminal's cgroup.
	if id := launch.AppID(w.PID); id != "" {
		if p := r.library().ByDesktopID(id); p != nil && p.Kind != profile.Terminal {
			return p
		}
	}
	return nil
}

// belongs reports whether w is a window of the application id, whose profile may
// be nil.
func (r *Resolver) belongs(w compositor.Window, id string, p *profile.Profile) bool {
	if p != nil {
		return same(r.AppOf(w), p)
	}
	return w.AppID != "" && strings.EqualFold(w.AppID, id)
}

// same reports whether both are one application: a reload makes new profiles.
func same(a, b *profile.Profile) bool { return a != nil && b != nil && a.ID == b.ID }

func (r *Resolver) windows(s *compositor.State, id string, p *profile.Profile) []compositor.Window {
	var all []compositor.Window
	for _, w := range s.Windows {
		if r.belongs(w, id, p) {
			all = append(all, w)
		}
	}
	return all
}

// WindowsOf returns the windows of an application, the latest focused first, and
// what to call it.
func (r *Resolver) WindowsOf(s *compositor.State, id string) ([]compositor.Window, string) {
	p := r.find(id)
	return r.windows(s, id, p), label(id, p)
}

// find returns the profile of an id that a step names.
func (r *Resolver) find(id string) *profile.Profile {
	lib := r.library()
	if p := lib.Index.ByID(id); p != nil {
		return p
	}
	return lib.ByDesktopID(id)
}

func label(id string, p *profile.Profile) string {
	if p != nil {
		return p.Name
	}
	return id
}

// focusApp is the handler of focus_app steps.
func (r *Resolver) focusApp(ctx context.Context, b *executor.Binding, _ plan.Step, a op.FocusApp) (executor.Done, error) {
	id := a.App
	p := r.find(id)
	state, err := r.desktop.Read(ctx)
	if err != nil {
		return executor.Done{}, err
	}
	open := r.windows(state, id, p)
	if len(open) == 0 {
		return executor.Done{}, plan.Refuse(plan.NotFound, "%s has no window", label(id, p))
	}
	return r.focusOne(ctx, b, open, label(id, p))
}

// focusOne focuses the latest of an application's windows, or the next one if
// one of them has the focus.
func (r *Resolver) focusOne(ctx context.Context, b *executor.Binding, open []compositor.Window, name string) (executor.Done, error) {
	chosen := open[0] // the latest
	if i := slices.IndexFunc(open, func(w compositor.Window) bool { return w.Focused }); i >= 0 && len(open) > 1 {
		focused := open[i].ID
		byID := slices.SortedFunc(slices.Values(open), func(a, b compositor.Window) int { return cmp.Compare(a.ID, b.ID) })
		at := slices.IndexFunc(byID, func(w compositor.Window) bool { return w.ID == focused })
		chosen = byID[(at+1)%len(byID)]
	}
	if err := r.desktop.Focus(ctx, chosen.ID); err != nil {
		return executor.Done{Window: uint64(chosen.ID)}, err
	}
	b.Window = uint64(chosen.ID)
	return executor.Done{Evidence: plan.ByState, Window: b.Window, Message: name + " has the focus"}, nil
}

// ensureApp is the handler of ensure_app steps.
func (r *Resolver) ensureApp(ctx context.Context, b *executor.Binding, s plan.Step, a op.EnsureApp) (executor.Done, error) {
	id := a.App
	p := r.find(id)
	state, err := r.desktop.Read(ctx)
	if err != nil {
		return executor.Done{}, err
	}
	if open := r.windows(state, id, p); len(open) > 0 {
		return r.focusOne(ctx, b, open, label(id, p))
	}
	return r.launchApp(ctx, b, s, op.LaunchApp(a))
}

// launchApp is the handler of launch_app steps.
func (r *Resolver) launchApp(ctx context.Context, b *executor.Binding, _ plan.Step, a op.LaunchApp) (executor.Done, error) {
	id := a.App
	p := r.find(id)
	if id == "" {
		id = a.Argv[0]
	}
	before, err := r.desktop.Read(ctx)
	if err != nil {
		return executor.Done{}, err
	}
	started, err := r.start(ctx, id, p, a.Argv, nil)
	if err != nil {
		return executor.Done{}, err
	}
	w, err := r.awaitWindow(ctx, before, started, id, p)
	if err != nil {
		return executor.Done{}, err
	}
	b.Window = uint64(w.ID)
	return executor.Done{Evidence: plan.ByState, Window: b.Window, Message: r.openedMessage(w, id, p)}, nil
}

// openedMessage says what opened, and what a profile should know.
func (r *Resolver) openedMessage(w compositor.Window, id string, p *profile.Profile) string {
	text := label(id, p) + " is open"
	if r.teaches(w, p) {
		text += fmt.Sprintf("; its windows have the id %q: add it to app_ids in its profile", w.AppID)
	}
	return text
}

// A started is something that was asked to start.
type started struct {
	process *launch.Process // nil after D-Bus activation
	busName string
}

// start starts an application: argv where the plan names one that is here, else
// as its profile and desktop file say.
func (r *Resolver) start(ctx context.Context, id string, p *profile.Profile, argv, urls []string) (started, error) {
	env := r.environment(ctx, id)
	lib := r.library()
	if len(argv) == 0 || p != nil && !catalog.FoundInPath(argv[0]) && slices.Equal(argv, p.Launch) {
		if p == nil {
			return started{}, plan.Refuse(plan.Missing, "%s is not installed", id)
		}
		argv = lib.Command(p, urls...)
		if s, ok, err := r.activate(ctx, p, argv, urls, env["XDG_ACTIVATION_TOKEN"]); ok {
			return s, err
		}
	} else {
		argv = append(argv, urls...)
	}
	if len(argv) == 0 {
		return started{}, plan.Refuse(plan.Missing, "%s is not installed", label(id, p))
	}
	command := launch.Command{Argv: argv, Env: env, Name: id}
	if p != nil && p.Entry != nil {
		command.Dir = p.Entry.WorkDir
	}
	if inTerminal(p) {
		wrapped, err := r.terminal(argv)
		if err != nil {
			return started{}, err
		}
		command.Argv = wrapped
	}
	process, err := r.launcher.Start(ctx, command)
	switch {
	case errors.Is(err, launch.ErrNoProgram):
		return started{}, plan.Refuse(plan.Missing, "%s: the program %s is not installed", label(id, p), command.Argv[0])
	case err != nil:
		return started{}, plan.Fail("%v", err)
	}
	return started{process: process}, nil
}

// activate starts p by D-Bus where its desktop file says so and nobody set
// another command. ok is false where it must be started otherwise.
func (r *Resolver) activate(ctx context.Context, p *profile.Profile, argv, urls []string, token string) (s started, ok bool, err error) {
	if p.Entry == nil || p.Entry.BusName() == "" || len(p.Launch) > 0 && len(argv) >= len(p.Launch) && slices.Equal(argv[:len(p.Launch)], p.Launch) {
		return started{}, false, nil
	}
	busName := p.Entry.BusName()
	asked, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	err = r.launcher.Activate(asked, busName, token, urls)
	switch {
	case err == nil, asked.Err() != nil && ctx.Err() == nil: // its window answers as well
		return started{busName: busName}, true, nil
	case errors.Is(err, launch.ErrNotActivatable) && len(argv) > 0:
		return started{}, false, nil
	case ctx.Err() != nil:
		return started{}, true, ctx.Err()
	}
	return started{}, true, plan.Fail("%s: %v", p.Name, err)
}

// environment is what a program needs to find this desktop and its focus.
func (r *Resolver) environment(ctx context.Context, id string) map[string]string {
	env := map[string]string{}
	if info, ok := r.desktop.Info(); ok {
		for name, value := range info.Env {
			env[name] = value
		}
	}
	if token := r.token(ctx, id); token != "" {
		env["XDG_ACTIVATION_TOKEN"] = token
		env["DESKTOP_STARTUP_ID"] = token
	}
	return env
}

// awaitWindow waits until a window of the application maps or gets the focus.
func (r *Resolver) awaitWindow(ctx context.Context, before *compositor.State, st started, id string, p *profile.Profile) (compositor.Window, error) {
	wait, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	failed := r.watchFailure(wait, cancel, st)
	pid := 0
	if st.process != nil {
		pid = st.process.PID
	}
	var shown compositor.Window
	_, err := r.desktop.Wait(wait, func(s *compositor.State) bool {
		if pid == 0 && st.busName != "" {
			pid = r.launcher.OwnerPID(wait, st.busName)
		}
		var ok bool
		shown, ok = r.appeared(before, s, pid, id, p)
		return ok
	})
	if err == nil {
		return shown, nil
	}
	name := label(id, p)
	switch {
	case ctx.Err() != nil:
		return compositor.Window{}, ctx.Err()
	case failed() != nil:
		return compositor.Window{}, plan.Fail("%s ended at once: %v", name, failed())
	case errors.Is(err, compositor.ErrGone):
		return compositor.Window{}, plan.Unsure(plan.Missing, "%s was started, but the compositor went away", name)
	}
	return compositor.Window{}, plan.Unsure(plan.Timeout, "%s was started, but none of its windows appeared within %v", name, startTime)
}

// watchFailure ends the waiting when the program ends without success. The
// function it returns tells how the program ended.
func (r *Resolver) watchFailure(wait context.Context, cancel func(), st started) func() error {
	if st.process == nil {
		return func() error { return nil }
	}
	go func() {
		select {
		case <-st.process.Done():
			if st.process.Failed() != nil {
				cancel()
			}
		case <-wait.Done():
		}
	}()
	return st.process.Failed
}

// appeared returns a window that shows that the application has come up: a new
// one of it or of its process, or one of it that has got the focus.
func (r *Resolver) appeared(before, now *compositor.State, pid int, id string, p *profile.Profile) (compositor.Window, bool) {
	focusedBefore, _ := before.Focused()
	for _, w := range now.Windows {
		_, old := before.Window(w.ID)
		ours := r.belongs(w, id, p)
		switch {
		case !old && !ours && pid > 0 && launch.Descends(w.PID, pid):
			r.learn(w, p)
			return w, true
		case ours && (!old || w.Focused && w.ID != focusedBefore.ID):
			return w, true
		}
	}
	return compositor.Window{}, false
}

// teaches reports whether a window that p opened tells how p's windows are
// called: no application is known by that, and it is not p's terminal.
func (r *Resolver) teaches(w compositor.Window, p *profile.Profile) bool {
	return p != nil && !inTerminal(p) && w.AppID != "" && r.library().Index.ForWindow(w.AppID) == nil
}

// inTerminal reports whether p runs in a terminal, which it is not itself.
func inTerminal(p *profile.Profile) bool { return p != nil && p.Terminal && p.Kind != profile.Terminal }

// learn remembers that windows of this app id are p's.
func (r *Resolver) learn(w compositor.Window, p *profile.Profile) {
	if !r.teaches(w, p) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.learned[w.AppID] = p.ID
}

// closeApp is the handler of close_app steps: it closes the focused window if it
// is of the application, else the only one.
func (r *Resolver) closeApp(ctx context.Context, b *executor.Binding, s plan.Step, a op.CloseApp) (executor.Done, error) {
	id := a.App
	p := r.find(id)
	state, err := r.desktop.Read(ctx)
	if err != nil {
		return executor.Done{}, err
	}
	open := r.windows(state, id, p)
	if len(open) == 0 {
		return executor.Done{}, plan.Refuse(plan.NotFound, "%s has no window open", label(id, p))
	}
	chosen := open[0]
	if i := slices.IndexFunc(open, func(w compositor.Window) bool { return w.Focused }); i >= 0 {
		chosen = open[i]
	} else if len(open) > 1 {
		return executor.Done{}, severalWindows(open, label(id, p), s)
	}
	if err := r.desktop.CloseWindow(ctx, chosen.ID); err != nil {
		return executor.Done{Window: uint64(chosen.ID)}, err
	}
	return executor.Done{Evidence: plan.ByState, Window: uint64(chosen.ID), Message: "its window is closed"}, nil
}

// severalWindows refuses to guess which window to close.
func severalWindows(open []compositor.Window, name string, s plan.Step) error {
	e := plan.Refuse(plan.Ambiguous, "%s has %d windows and none of them is focused", name, len(open))
	for _, w := range open {
		e.Choices = append(e.Choices, plan.Choice{
			Label: cmp.Or(w.Title, name), Origin: fmt.Sprintf("window %d on %s", w.ID, w.Output),
			Steps: []plan.Step{{
				Args: op.Niri{Command: "close-window", WindowID: fmt.Sprint(w.ID)}, Provenance: s.Provenance, Description: "close a window of " + name,
			}},
		})
	}
	return e
}
