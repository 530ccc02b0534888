package apps

import (
	"context"
	"errors"
	"maps"
	"mime"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/executor"
	"utter/agent/internal/launch"
	"utter/shared/catalog"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/profile"
)

// SiteTitles returns the words that the titles of a host's pages have in them,
// or nil for a host that is not in the table.
type SiteTitles func(host string) []string

// A page is an address that we opened, and the window that showed it.
type page struct {
	window compositor.WindowID
	title  string
}

// learnTime is how long the title of a page that we opened is followed: it comes
// with the page, after the window.
const learnTime = 6 * time.Second

// ensureURL is the handler of ensure_url steps: a window that shows the page is
// focused; else the page is opened.
func (r *Resolver) ensureURL(ctx context.Context, b *executor.Binding, _ plan.Step,
	a op.EnsureURL) (executor.Done, error) {
	address := a.URL
	shows, err := r.matcher(address, a.Site)
	if err != nil {
		return executor.Done{}, plan.Refuse(plan.NotSupported, "%v", err)
	}
	state, err := r.desktop.Read(ctx)
	if err != nil {
		return executor.Done{}, err
	}
	// The focused window comes first in the list.
	for _, w := range state.Windows {
		if !r.isBrowser(w) || !shows(w) {
			continue
		}
		if err := r.desktop.Focus(ctx, w.ID); err != nil {
			return executor.Done{Window: uint64(w.ID)}, err
		}
		b.Window = uint64(w.ID)
		b.Page = func(title string) bool { w.Title = title; return shows(w) }
		return executor.Done{Evidence: plan.ByState, Window: b.Window, Message: "it was already open"}, nil
	}
	if a.MustExist {
		return executor.Done{}, plan.Refuse(plan.NotFound, "no browser window shows %s", address)
	}
	done, err := r.open(ctx, b, state, address)
	if err == nil {
		r.remember(ctx, address, compositor.WindowID(done.Window))
	}
	return done, err
}

// remember notes which window shows an address, and has its title followed
// until the page has come. Pages whose windows are gone are forgotten.
func (r *Resolver) remember(ctx context.Context, address string, id compositor.WindowID) {
	s := r.desktop.State()
	r.mu.Lock()
	maps.DeleteFunc(r.pages, func(_ string, p page) bool { _, there := s.Window(p.window); return !there })
	f := followed{address, id, time.Now().Add(learnTime), r.opened}
	r.mu.Unlock()
	r.note(f, s)
	select {
	case r.follow <- f:
	case <-ctx.Done():
	}
}

// note takes the title that the window of f has in s. It returns false once
// something else has been opened: the title may be that one's.
func (r *Resolver) note(f followed, s *compositor.State) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.opened != r.opened {
		return false
	}
	if w, there := s.Window(f.window); there {
		r.pages[f.address] = page{f.window, w.Title}
	}
	return true
}

// A followed is a page whose title may still change by itself.
type followed struct {
	address string
	window  compositor.WindowID
	until   time.Time
	opened  int // the number of its opening
}

// Run follows the titles of pages that were opened, until ctx ends.
func (r *Resolver) Run(ctx context.Context) error {
	var active []followed
	for {
		var changed <-chan struct{}
		if len(active) > 0 {
			changed = r.desktop.Changed()
			s := r.desktop.State()
			active = slices.DeleteFunc(active, func(f followed) bool { return time.Now().After(f.until) || !r.note(f, s) })
		}
		select {
		case f := <-r.follow:
			active = append(active, f)
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *Resolver) isBrowser(w compositor.Window) bool {
	p := r.AppOf(w)
	return p != nil && p.Kind == profile.Browser
}

// openURL is the handler of open_url steps.
func (r *Resolver) openURL(ctx context.Context, b *executor.Binding, _ plan.Step, a op.OpenURL) (executor.Done, error) {
	address := a.URL
	if !strings.Contains(address, ":") {
		address = "https://" + address
	}
	state, err := r.desktop.Read(ctx)
	if err != nil {
		return executor.Done{}, err
	}
	return r.open(ctx, b, state, address)
}

// searchWeb is the handler of search steps.
func (r *Resolver) searchWeb(ctx context.Context, b *executor.Binding, _ plan.Step,
	a op.Search) (executor.Done, error) {
	state, err := r.desktop.Read(ctx)
	if err != nil {
		return executor.Done{}, err
	}
	return r.open(ctx, b, state, r.search(a.Query))
}

// open opens an address: in the browser that was used last, else in the default
// browser, else by xdg-open. A browser window that is new, has got the focus or
// has another title shows that it came.
func (r *Resolver) open(ctx context.Context, b *executor.Binding, before *compositor.State,
	address string) (executor.Done, error) {
	u, err := url.Parse(address)
	if err != nil {
		return executor.Done{}, plan.Refuse(plan.NotSupported, "%q is not a valid address: %v", address, err)
	}
	if u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" && u.Scheme != "tel" {
		return executor.Done{}, plan.Refuse(plan.PolicyReason, "addresses that begin with %s: are not opened", u.Scheme)
	}
	if u.Hostname() == "" && (u.Scheme == "http" || u.Scheme == "https") {
		return executor.Done{}, plan.Refuse(plan.NotSupported, "the address %q has no host", address)
	}
	r.mu.Lock()
	r.opened++
	r.mu.Unlock()
	p, argv := r.opener(before, u)
	if p != nil && !takes(r.library().Command(p, address), p, address) {
		p = nil // it would start without it
	}
	name := "xdg-open"
	if p != nil {
		name = p.Name
	}
	st, err := r.startOpener(ctx, p, argv, address)
	if err != nil {
		return executor.Done{}, err
	}
	wait, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	failed := r.watchFailure(wait, cancel, st)
	var shown compositor.Window
	_, err = r.desktop.Wait(wait, func(s *compositor.State) bool {
		var ok bool
		shown, ok = r.pageAppeared(before, s, p)
		return ok
	})
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return executor.Done{}, ctx.Err()
	case failed() != nil:
		return executor.Done{}, plan.Fail("%s ended at once: %v", name, failed())
	case errors.Is(err, compositor.ErrGone):
		return executor.Done{}, plan.Unsure(plan.Missing,
			"%s was asked to open the address, but the compositor went away", name)
	default:
		return executor.Done{}, plan.Unsure(plan.Timeout,
			"%s was asked to open the address, but no window shows that it did", name)
	}
	if err := r.desktop.Focus(ctx, shown.ID); err != nil {
		return executor.Done{Window: uint64(shown.ID)}, err
	}
	b.Window = uint64(shown.ID)
	return executor.Done{Evidence: plan.ByState, Window: b.Window, Message: "opened in " + name}, nil
}

// opener chooses the browser. Addresses that are not pages go to xdg-open.
func (r *Resolver) opener(s *compositor.State, address *url.URL) (*profile.Profile, []string) {
	lib, scheme := r.library(), address.Scheme
	if scheme != "http" && scheme != "https" {
		return lib.Opener("x-scheme-handler/" + scheme), nil
	}
	if p := lib.Opener(mimeOf(address)); p != nil && p.Claims(mimeOf(address)) {
		return p, nil // the user says what opens such a file
	}
	for _, w := range s.Windows {
		if p := r.AppOf(w); p != nil && p.Kind == profile.Browser && lib.Startable(p) {
			return p, nil
		}
	}
	if p := lib.Default(profile.Browser); p != nil {
		return p, nil
	}
	return lib.Opener("x-scheme-handler/" + scheme), nil
}

// mimeOf is the type that the ending of an address's path tells, else that of
// its scheme.
func mimeOf(address *url.URL) string {
	if byName := mime.TypeByExtension(path.Ext(address.Path)); byName != "" {
		byName, _, _ = strings.Cut(byName, ";")
		return byName
	}
	return "x-scheme-handler/" + address.Scheme
}

func (r *Resolver) startOpener(ctx context.Context, p *profile.Profile, argv []string,
	address string) (started, error) {
	if p != nil {
		return r.start(ctx, p.ID, p, argv, []string{address})
	}
	if !catalog.FoundInPath("xdg-open") {
		return started{}, plan.Refuse(plan.Missing, "neither a browser nor xdg-open is installed")
	}
	process, err := r.launcher.Start(ctx, launch.Command{
		Argv: []string{"xdg-open", address}, Env: r.environment(ctx, "xdg-open"), Name: "xdg-open"})
	if err != nil {
		return started{}, plan.Fail("%v", err)
	}
	return started{process: process}, nil
}

// takes reports whether p, started by argv, is told the address.
func takes(argv []string, p *profile.Profile, address string) bool {
	return len(argv) == 0 || p.Entry != nil && p.Entry.BusName() != "" ||
		slices.ContainsFunc(argv, func(a string) bool { return strings.Contains(a, address) })
}

// pageAppeared returns the window that shows that a page was opened. p is the
// browser, or nil where it is not known: then titles say nothing.
func (r *Resolver) pageAppeared(before, now *compositor.State, p *profile.Profile) (compositor.Window, bool) {
	focusedBefore, _ := before.Focused()
	for _, w := range now.Windows {
		if p != nil && !same(r.AppOf(w), p) {
			continue
		}
		old, known := before.Window(w.ID)
		if !known || p != nil && w.Title != old.Title || w.Focused && w.ID != focusedBefore.ID {
			return w, true
		}
	}
	return compositor.Window{}, false
}
