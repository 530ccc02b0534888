package keys

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"utter/agent/internal/compositor"
	"utter/agent/internal/input"
	"utter/shared/chord"
	"utter/shared/plan"
	"utter/shared/typing"
)

// A world is a desktop of which a test says what is so and what its events have
// told by now.
type world struct {
	vocabulary *compositor.Vocabulary
	perform    func(a compositor.Action) (compositor.WindowID, error)

	mu      sync.Mutex
	truth   compositor.State
	told    compositor.State
	gone    bool
	changed chan struct{}
}

func newWorld(t *testing.T, windows ...compositor.Window) *world {
	t.Helper()
	v, err := compositor.NewVocabulary()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{vocabulary: v, changed: make(chan struct{})}
	w.truth = compositor.State{Windows: windows, Outputs: []compositor.Output{
		{Name: "a", Rect: compositor.Rect{X: -100, Y: 50, Width: 1000, Height: 500}},
		{Name: "b", Rect: compositor.Rect{X: 900, Y: 0, Width: 200, Height: 100}}}}
	w.told = w.truth
	w.perform = func(compositor.Action) (compositor.WindowID, error) {
		return 0, plan.Refuse(plan.NotSupported, "nothing is performed here")
	}
	return w
}

// set changes what is so; the events tell it at once unless late is set.
func (w *world) set(late bool, change func(s *compositor.State)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.truth.Windows = slices.Clone(w.truth.Windows)
	change(&w.truth)
	if !late {
		w.tell()
	}
}

func (w *world) tell() {
	w.told = w.truth
	close(w.changed)
	w.changed = make(chan struct{})
}

// catchUp lets the events tell what is so.
func (w *world) catchUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tell()
}

func (w *world) vanish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gone, w.truth = true, compositor.State{}
	w.tell()
}

// focusOn gives the focus to one window.
func focusOn(id compositor.WindowID) func(*compositor.State) {
	return func(s *compositor.State) {
		for i := range s.Windows {
			s.Windows[i].Focused = s.Windows[i].ID == id
		}
	}
}

func titled(id compositor.WindowID, title string) func(*compositor.State) {
	return func(s *compositor.State) {
		for i := range s.Windows {
			if s.Windows[i].ID == id {
				s.Windows[i].Title = title
			}
		}
	}
}

func without(id compositor.WindowID) func(*compositor.State) {
	return func(s *compositor.State) {
		s.Windows = slices.DeleteFunc(s.Windows, func(w compositor.Window) bool { return w.ID == id })
	}
}

func (w *world) State() *compositor.State {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.told
	return &s
}

func (w *world) Read(ctx context.Context) (*compositor.State, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone || ctx.Err() != nil {
		return nil, plan.Unsure(plan.Missing, "sway does not respond")
	}
	s := w.truth
	return &s, nil
}

func (w *world) Wait(ctx context.Context, ok func(*compositor.State) bool) (*compositor.State, error) {
	for {
		w.mu.Lock()
		s, changed, gone := w.told, w.changed, w.gone
		w.mu.Unlock()
		if gone {
			return nil, compositor.ErrGone
		}
		if ok(&s) {
			return &s, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (w *world) Focus(_ context.Context, id compositor.WindowID) error {
	_, err := w.perform(compositor.Action{Name: "focus-window", Window: id})
	return err
}

func (w *world) Perform(_ context.Context, a compositor.Action) (compositor.WindowID, error) {
	return w.perform(a)
}

func (w *world) Vocabulary() *compositor.Vocabulary { return w.vocabulary }

// devices are a keyboard and a pointer that note what was done with them. meanwhile
// is what happens while they work; it may fail.
type devices struct {
	log       []string
	meanwhile func() error
	typed     input.Typed
}

func (d *devices) work(alive func() error, format string, args ...any) error {
	if alive != nil {
		if err := alive(); err != nil {
			return err
		}
	}
	d.log = append(d.log, fmt.Sprintf(format, args...))
	if d.meanwhile == nil {
		return nil
	}
	return d.meanwhile()
}

func (d *devices) Type(_ context.Context, t input.Text) (input.Typed, error) {
	return d.typed, d.work(t.Alive, "type %q by %s, paste with %s", t.Text, t.Way, t.Paste)
}

func (d *devices) Press(_ context.Context, chords chord.Sequence, alive func() error) error {
	return d.work(alive, "press %s", chords)
}

func (d *devices) Click(_ context.Context, p input.Point) error {
	return d.work(nil, "click %d,%d of %dx%d", p.X, p.Y, p.Width, p.Height)
}

func (d *devices) Scroll(_ context.Context, p input.Point, to input.Direction, steps int) error {
	return d.work(nil, "scroll %s %d at %d,%d of %dx%d", to, steps, p.X, p.Y, p.Width, p.Height)
}

func mustChord(s string) chord.Chord {
	c, err := chord.Parse(s)
	if err != nil {
		panic(err)
	}
	return c
}

// newHands works in w with d. Firefox closes tabs with ctrl+w; process 13 is
// stopped.
func newHands(w *world, d *devices) *Keys {
	return &Keys{
		Desktop: w, Devices: d,
		Way: func() typing.Way { return typing.Auto },
		Paste: func(w compositor.Window) chord.Chord {
			if w.AppID == "foot" {
				return mustChord("ctrl+shift+v")
			}
			return mustChord("ctrl+v")
		},
		CloseTab: func(w compositor.Window) chord.Sequence {
			if w.AppID != "firefox" {
				return nil
			}
			return chord.Sequence{mustChord("ctrl+w")}
		},
		WindowsOf: func(s *compositor.State, app string) ([]compositor.Window, string) {
			var all []compositor.Window
			for _, w := range s.Windows {
				if w.AppID == app {
					all = append(all, w)
				}
			}
			return all, "the " + app
		},
		IsTerminal: func(w compositor.Window) bool { return w.AppID == "foot" },
		Foreground: func(pid int) (string, bool, error) { return "bash", true, nil },
		Stopped:    func(pid int) bool { return pid == 13 },
		MayCommand: func() bool { return false },
	}
}
