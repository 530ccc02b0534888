// Package sessiontest gives tests of models a session over real files: a user's
// folders and installed applications, with time and work under the test's control.
package sessiontest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"utter/shared/atomicfile"
	"utter/shared/catalog"
	"utter/shared/desktopentry"
	"utter/shared/profile"
	"utter/shared/xdg"
	"utter/ui/model/session"
)

// A Desk is a user's computer.
type Desk struct {
	Session *session.Session
	Dirs    xdg.Dirs
	Clock   Clock
	Work    Work
	Tells   int // how often the agent was told
	Loads   int // how often the applications were read
	Toasts  []session.Toast
	Writes  int // how often a file was to be written
	// Full, where it is set, is why nothing can be written.
	Full error
	// NoLoad, where it is set, is why the applications cannot be read.
	NoLoad error

	t        testing.TB
	programs map[string]bool
	minute   int // gives every file a time of its own: a change shows in it
}

// New returns a computer with an empty home, whose session has loaded. setUp,
// which may be nil, comes before that.
func New(t testing.TB, setUp func(*Desk)) *Desk {
	t.Helper()
	home := t.TempDir()
	d := &Desk{t: t, programs: map[string]bool{}}
	env := map[string]string{"HOME": home, "XDG_DATA_DIRS": filepath.Join(home, "system")}
	d.Dirs = xdg.New(func(name string) string { return env[name] }, os.Getuid())
	keeper := catalog.NewKeeper(catalog.Source{
		Dirs: d.Dirs, Locale: desktopentry.NewLocale(func(string) string { return "" }),
		Taken: func(string) bool { return false }, Found: func(program string) bool { return d.programs[program] },
	})
	d.Session = session.New(session.Parts{
		Async: d.Work.Async, Dirs: d.Dirs, Write: d.write,
		Load: d.load(keeper), Seen: keeper.Seen,
		Tell: func() error { d.Tells++; return errors.New("no agent") },
	})
	d.Session.Toasted = func(toast session.Toast) { d.Toasts = append(d.Toasts, toast) }
	if setUp != nil {
		setUp(d)
	}
	d.Session.Reload()
	return d
}

func (d *Desk) load(keeper *catalog.Keeper) func() (*catalog.Library, error) {
	return func() (*catalog.Library, error) {
		d.Loads++
		if d.NoLoad != nil {
			return nil, d.NoLoad
		}
		return keeper.Load()
	}
}

func (d *Desk) write(path string, data []byte, mode fs.FileMode) error {
	d.Writes++
	if d.Full != nil {
		return &fs.PathError{Op: "write", Path: path, Err: d.Full}
	}
	if err := atomicfile.Write(path, data, mode); err != nil {
		return err
	}
	d.stamp(path)
	return nil
}

func (d *Desk) stamp(path string) {
	d.minute++
	at := time.Date(2020, 1, 1, 0, d.minute, 0, 0, time.UTC)
	if err := os.Chtimes(path, at, at); err != nil {
		d.t.Fatal(err)
	}
}

// Install adds an application whose program is there; lines are more of its
// desktop file.
func (d *Desk) Install(id, name string, lines ...string) {
	d.t.Helper()
	d.programs[id] = true
	text := "[Desktop Entry]\nType=Application\nName=" + name + "\nExec=" + id + " %U\n" + strings.Join(lines, "\n")
	d.Put(filepath.Join(d.Dirs.DataDirs[0], "applications", id+".desktop"), text)
}

// Program makes a program one that can be run.
func (d *Desk) Program(name string) { d.programs[name] = true }

// Profile writes one of the user's profile files, from outside.
func (d *Desk) Profile(name, text string) {
	d.t.Helper()
	d.Put(d.Path(name), text)
}

// Config writes the configuration file, from outside.
func (d *Desk) Config(text string) {
	d.t.Helper()
	d.Put(d.Dirs.ConfigFile(), text)
}

// Put writes a file, from outside. "-" removes it.
func (d *Desk) Put(path, text string) {
	d.t.Helper()
	err := os.Remove(path)
	if text == "-" {
		if err != nil {
			d.t.Fatal(err)
		}
		return
	}
	if err := atomicfile.Write(path, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
	d.stamp(path)
}

// Path is where a profile file lies.
func (d *Desk) Path(name string) string { return filepath.Join(d.Dirs.Profiles(), name) }

// Read returns what a file holds, "-" where there is none.
func (d *Desk) Read(path string) string {
	d.t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "-"
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return string(data)
}

// Files are the profile files there are, and what they hold.
func (d *Desk) Files() map[string]string {
	d.t.Helper()
	files := map[string]string{}
	items, err := os.ReadDir(d.Dirs.Profiles())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.t.Fatal(err)
	}
	for _, item := range items {
		files[item.Name()] = d.Read(d.Path(item.Name()))
	}
	return files
}

// InForce returns what counts of an application.
func (d *Desk) InForce(id string) *profile.Profile {
	if p := d.Session.Library().Explain(id).Profile; p != nil {
		return p
	}
	return &profile.Profile{}
}

// LastToast is what was shown last, "" for nothing.
func (d *Desk) LastToast() string {
	if len(d.Toasts) == 0 {
		return ""
	}
	return d.Toasts[len(d.Toasts)-1].Text
}

// A Clock is time that a test moves. The zero Clock is ready.
type Clock struct {
	now     time.Duration
	waiting []*alarm
}

type alarm struct {
	at time.Duration
	f  func()
}

// Later is a session.Later.
func (c *Clock) Later(d time.Duration, f func()) (cancel func()) {
	a := &alarm{c.now + d, f}
	c.waiting = append(c.waiting, a)
	return func() { c.waiting = slices.DeleteFunc(c.waiting, func(b *alarm) bool { return a == b }) }
}

// Waiting is how much is to come.
func (c *Clock) Waiting() int { return len(c.waiting) }

// Pass lets time go by: what is due is done, in its order.
func (c *Clock) Pass(d time.Duration) {
	end := c.now + d
	for {
		var next *alarm
		for _, a := range c.waiting {
			if a.at <= end && (next == nil || a.at < next.at) {
				next = a
			}
		}
		if next == nil {
			c.now = end
			return
		}
		c.now = next.at
		c.waiting = slices.DeleteFunc(c.waiting, func(b *alarm) bool { return b == next })
		next.f()
	}
}

// A Work does what takes time, at once or, while ByHand, by Step. The zero Work
// is ready.
type Work struct {
	ByHand  bool
	waiting []func()
}

// Async is a session.Async.
func (w *Work) Async(work func() error, done func(error)) {
	if !w.ByHand {
		done(work())
		return
	}
	w.waiting = append(w.waiting, func() { done(work()) })
}

// Waiting is how much is to be done.
func (w *Work) Waiting() int { return len(w.waiting) }

// Step does the oldest work that waits.
func (w *Work) Step() {
	f := w.waiting[0]
	w.waiting = w.waiting[1:]
	f()
}

// Finish does all that waits, and all that follows, and from now on at once.
func (w *Work) Finish() {
	for len(w.waiting) > 0 {
		w.Step()
	}
	w.ByHand = false
}
