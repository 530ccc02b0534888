package apps

import (
	"maps"
	"slices"

	"utter/agent/internal/compositor"
	"utter/agent/internal/launch"
	"utter/shared/profile"
	"utter/shared/terminal"
)

// A launched is a window that came from our own launch of an application.
type launched struct {
	app string
	pid int
}

// A host is what the process of a window is.
type host struct {
	pid      int
	terminal bool
}

// AppOf returns the application that a window belongs to, or nil. Everything that
// asks whose window it is asks here: the router as well as the handlers.
func (r *Resolver) AppOf(w compositor.Window) *profile.Profile {
	p, _ := r.owner(w)
	return p
}

// owner is AppOf that also says whether that is sure: by our own launch of the
// window, by what is known of its app id, by what our launches taught of it, by its
// cgroup. It is not where only the name of a program speaks for it.
func (r *Resolver) owner(w compositor.Window) (p *profile.Profile, sure bool) {
	index := r.library().Index
	r.mu.Lock()
	l, ours := r.launched[w.ID]
	learned := r.learned[w.AppID]
	r.mu.Unlock()
	if ours && l.pid == w.PID {
		if p := index.ByID(l.app); p != nil {
			return p, true
		}
	}
	p, guess := index.Owner(w.AppID)
	if p != nil && !guess {
		return p, true
	}
	if taught := index.ByID(learned); taught != nil {
		return taught, true
	}
	if c := r.byCgroup(w); c != nil && (p == nil || same(c, p)) {
		return c, true
	}
	return p, false
}

// byCgroup returns the application that the cgroup of w's process tells. What is
// started in a terminal is in the terminal's cgroup.
func (r *Resolver) byCgroup(w compositor.Window) *profile.Profile {
	if id := launch.AppID(w.PID); id != "" {
		if p := r.library().ByDesktopID(id); p != nil && p.Kind != profile.Terminal {
			return p
		}
	}
	return nil
}

// IsTerminal reports whether a window is a terminal: its process is, or its
// application, or its app id is one of a terminal.
func (r *Resolver) IsTerminal(w compositor.Window) bool {
	if p := r.AppOf(w); p != nil && p.Kind == profile.Terminal {
		return true
	}
	return r.library().IsTerminal(w.AppID) || r.hostedByTerminal(w)
}

// hostedByTerminal looks at the program of w's process, once for each window.
func (r *Resolver) hostedByTerminal(w compositor.Window) bool {
	r.mu.Lock()
	h, known := r.hosts[w.ID]
	r.mu.Unlock()
	if known && h.pid == w.PID {
		return h.terminal
	}
	h = host{w.PID, slices.ContainsFunc(launch.Programs(w.PID), terminal.IsProgram)}
	s := r.desktop.State()
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.hosts, func(id compositor.WindowID, _ host) bool { _, there := s.Window(id); return !there })
	r.hosts[w.ID] = h
	return h.terminal
}

// teaches reports whether a window that p opened tells how p's windows are
// called: no application is known by that, and it is not p's terminal.
func (r *Resolver) teaches(w compositor.Window, p *profile.Profile) bool {
	if p == nil || inTerminal(p) || w.AppID == "" || r.IsTerminal(w) && p.Kind != profile.Terminal {
		return false
	}
	other, guess := r.library().Index.Owner(w.AppID)
	return other == nil || guess && same(other, p)
}

// learn remembers that w is p's, and if it teaches that, that windows of its app id
// are.
func (r *Resolver) learn(w compositor.Window, p *profile.Profile) {
	if p == nil {
		return
	}
	teaches := r.teaches(w, p)
	s := r.desktop.State()
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.launched, func(id compositor.WindowID, _ launched) bool { _, there := s.Window(id); return !there })
	r.launched[w.ID] = launched{p.ID, w.PID}
	if teaches {
		r.learned[w.AppID] = p.ID
	}
}
