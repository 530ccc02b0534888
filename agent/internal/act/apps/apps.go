// Package apps opens applications and addresses. It reuses what is open, otherwise
// it starts it, and verifies either by the windows. It presses no keys.
package apps

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"utter/agent/internal/compositor"
	"utter/agent/internal/executor"
	"utter/agent/internal/launch"
	"utter/shared/catalog"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/profile"
)

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
	// launched are windows that came from our own launches.
	launched map[compositor.WindowID]launched
	hosts    map[compositor.WindowID]host
	pages    map[string]page
	opened   int // how many addresses were opened
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
		learned: map[string]string{}, launched: map[compositor.WindowID]launched{}, hosts: map[compositor.WindowID]host{},
		pages: map[string]page{},
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
	if _, sure := r.owner(chosen); p != nil && !sure {
		return executor.Done{}, plan.Refuse(plan.Ambiguous, "the open window %q may be that of %s, but only the name of its program says so; "+
			"if it is, add %q to app_ids in its profile", cmp.Or(chosen.Title, chosen.AppID), label(id, p), chosen.AppID)
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
				Args:       op.Niri{Command: "close-window", WindowID: fmt.Sprint(w.ID)},
				Provenance: s.Provenance, Author: s.Author, Description: "close a window of " + name,
			}},
		})
	}
	return e
}
