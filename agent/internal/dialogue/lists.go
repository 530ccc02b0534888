package dialogue

import (
	"context"

	"utter/agent/internal/compositor"
	"utter/agent/internal/launch"
	"utter/shared/profile"
)

// An App is an application of the catalogue.
type App struct {
	*profile.Profile
	Launch    []string // the command that starts it here; it may differ from the profile's
	Installed bool
	Running   bool // it has a window
}

// An OpenWindow is a window, its workspace and its application.
type OpenWindow struct {
	compositor.Window
	WorkspaceName string
	App           string // the id of its application, or ""
}

// A Claim is something that a name could mean.
type Claim struct {
	profile.Claim
	Installed bool
}

// ListApps returns the applications that can be named.
func (a *Dialogue) ListApps() []App {
	lib := a.parts.Knowledge.Now().Library()
	running := map[*profile.Profile]bool{}
	for _, w := range a.parts.Desktop.State().Windows {
		running[a.parts.AppOf(w)] = true
	}
	var all []App
	for _, p := range lib.Index.All() {
		installed := p.Role() || lib.Startable(p)
		all = append(all, App{Profile: p, Launch: lib.Command(p), Installed: installed, Running: running[p]})
	}
	return all
}

// ListWindows returns the open windows.
func (a *Dialogue) ListWindows(ctx context.Context) []OpenWindow {
	a.awaitDesktop(ctx)
	s := a.parts.Desktop.State()
	var all []OpenWindow
	for _, w := range s.Windows {
		ws, _ := s.Workspace(w.Workspace)
		window := OpenWindow{Window: w, WorkspaceName: ws.Name}
		if p := a.parts.AppOf(w); p != nil {
			window.App = p.ID
		}
		all = append(all, window)
	}
	return all
}

// CheckLaunch looks for the program that an argument list would start, and starts
// nothing.
func (a *Dialogue) CheckLaunch(ctx context.Context, argv []string) launch.Program {
	return a.parts.FindProgram(ctx, argv)
}

// Compositor returns the name and version of the compositor, or "", and a channel
// that is closed when that may have changed.
func (a *Dialogue) Compositor() (name string, changed <-chan struct{}) {
	changed = a.parts.Desktop.Changed()
	info, ok := a.parts.Desktop.Info()
	switch {
	case !ok:
		return "", changed
	case info.Version == "":
		return info.Name, changed
	}
	return info.Name + " " + info.Version, changed
}

// claims returns everything that a name could mean.
func (a *Dialogue) claims(name string) []Claim {
	lib := a.parts.Knowledge.Now().Library()
	all := []Claim{}
	for _, c := range lib.Index.Claims(name) {
		all = append(all, Claim{Claim: c, Installed: c.Role || lib.Startable(c.Profile)})
	}
	return all
}
