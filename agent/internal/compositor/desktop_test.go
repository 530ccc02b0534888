package compositor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	"utter/agent/internal/compositor/memory"
	"utter/shared/plan"
)

// names are the windows of s in their order.
func names(s *compositor.State) string {
	var names []string
	for _, w := range s.Windows {
		names = append(names, w.AppID)
	}
	return strings.Join(names, " ")
}

// pass lets time go by in a bubble until all that was due has happened.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestWindowsAreInTheOrderOfTheirFocus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := threeWindows()
		d := follow(t, b)
		focus := func(id compositor.WindowID) func() {
			return func() { b.Do(t.Context(), nil, compositor.Action{Name: "focus-window", Window: id}) }
		}
		for _, tt := range []struct {
			what string
			do   func()
			want string
		}{
			{"start", func() {}, "c b a"},
			{"focus a", focus(1), "a c b"},
			{"focus b", focus(2), "b a c"},
			{"a title changes", func() { b.Update(3, func(w *compositor.Window) { w.Title = "x" }) }, "b a c"},
			{"a window opens", func() { b.Open(compositor.Window{ID: 4, AppID: "d"}) }, "d b a c"},
			{"an empty workspace", func() {
				b.Do(t.Context(), nil, compositor.Action{Name: "focus-workspace", Arg: compositor.Arg{Number: 8}})
			}, "d b a c"},
			{"focus c", focus(3), "c d b a"},
			{"d closes", func() { b.Remove(4) }, "c b a"},
			{"its id comes again", func() { b.Open(compositor.Window{ID: 4, AppID: "e"}) }, "e c b a"},
		} {
			tt.do()
			synctest.Wait()
			if got := names(d.State()); got != tt.want {
				t.Errorf("%s: State is in the order %q, want %q", tt.what, got, tt.want)
			}
			s, err := d.Read(t.Context())
			if err != nil || names(s) != tt.want {
				t.Errorf("%s: Read is in the order %q, %v; want %q", tt.what, names(s), err, tt.want)
			}
		}
	})
}

// The order is the Desktop's own: compositors tell it for one workspace only.
func TestTheOrderOfFocusIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		states := make(chan *compositor.State)
		d := follow(t, &scripted{Backend: memory.New(), states: states})
		defer close(states)
		byID := func(focused compositor.WindowID) *compositor.State {
			s := &compositor.State{}
			for id := range compositor.WindowID(4) {
				s.Windows = append(s.Windows, compositor.Window{ID: id + 1, AppID: fmt.Sprint(id + 1), Focused: id+1 == focused})
			}
			return s
		}
		for _, tt := range []struct {
			focused compositor.WindowID
			want    string
		}{{1, "1 2 3 4"}, {3, "3 1 2 4"}, {0, "3 1 2 4"}, {2, "2 3 1 4"}, {2, "2 3 1 4"}, {4, "4 2 3 1"}} {
			states <- byID(tt.focused)
			synctest.Wait()
			if got := names(d.State()); got != tt.want {
				t.Errorf("with %d focused the order is %q, want %q", tt.focused, got, tt.want)
			}
		}
	})
}

func TestReconnectGrowsItsPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var door door
		d := newDesktop(t, door.connect)
		run(t, d)
		pass(3 * time.Minute)
		want := start
		pause := 50 * time.Millisecond
		tries := door.tried()
		for i, at := range tries {
			if !at.Equal(want) {
				t.Errorf("try %d came after %v, want %v", i, at.Sub(start), want.Sub(start))
			}
			want, pause = want.Add(pause), min(2*pause, 30*time.Second)
		}
		if len(tries) != 15 { // 0, 50 ms, 150 ms, ... 25.6 s, 51.2 s, then twice a minute
			t.Errorf("it tried %d times in 3 minutes", len(tries))
		}
		_, err := d.Perform(t.Context(), compositor.Action{Name: "focus-column-left"})
		compositortest.CheckError(t, "Perform", err, plan.Refused, plan.Missing)
		if err == nil || !strings.Contains(err.Error(), "nobody is at home") {
			t.Errorf("Perform = %v, which does not say why", err)
		}
		_, err = d.Read(t.Context())
		compositortest.CheckError(t, "Read", err, plan.Refused, plan.Missing)
	})
}

func TestReconnectBringsTheFullState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := memory.New(compositor.Window{ID: 1, AppID: "a"}, compositor.Window{ID: 2, AppID: "b"})
		// Another one, whose ids begin again.
		second := memory.New(compositor.Window{ID: 2, AppID: "x"}, compositor.Window{ID: 1, AppID: "y"},
			compositor.Window{ID: 3, AppID: "z"})
		door := door{behind: first}
		d := newDesktop(t, door.connect)
		run(t, d)
		synctest.Wait()
		if got := names(d.State()); got != "b a" {
			t.Fatalf("it shows %q", got)
		}
		waited := make(chan error, 1)
		go func() {
			_, err := d.Wait(t.Context(), func(*compositor.State) bool { return false })
			waited <- err
		}()
		synctest.Wait()

		changed := d.Changed()
		first.Close()
		synctest.Wait()
		select {
		case <-changed:
		default:
			t.Error("Changed does not tell that the compositor went away")
		}
		if err := <-waited; !errors.Is(err, compositor.ErrGone) {
			t.Errorf("Wait = %v, want ErrGone", err)
		}
		if _, ok := d.Info(); ok || names(d.State()) != "" {
			t.Errorf("it still shows %q", names(d.State()))
		}
		_, err := d.Perform(t.Context(), compositor.Action{Name: "focus-column-left"})
		compositortest.CheckError(t, "Perform", err, plan.Refused, plan.Missing)

		pass(time.Second)
		door.put(second)
		lost := time.Now()
		if err := d.AwaitConnection(t.Context(), time.Minute); err != nil || time.Since(lost) != 0 {
			t.Errorf("AwaitConnection = %v after %v", err, time.Since(lost))
		}
		if got := names(d.State()); got != "z y x" {
			t.Errorf("it shows %q, want the new windows and their order only", got)
		}
		second.Close() // and the pauses begin small again
		synctest.Wait()
		door.tried()
		pass(50 * time.Millisecond)
		if tries := len(door.tried()); tries != 1 {
			t.Errorf("it tried %d times within the first pause", tries)
		}
	})
}

// A compositor that takes connections and says nothing is not asked twenty
// times a second for ever.
func TestReconnectGrowsItsPausesWithoutAState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var door door
		run(t, newDesktop(t, func(ctx context.Context) (compositor.Backend, error) {
			states := make(chan *compositor.State)
			close(states)
			door.put(&scripted{Backend: memory.New(), states: states})
			return door.connect(ctx)
		}))
		pass(time.Minute)
		if tries := len(door.tried()); tries > 15 {
			t.Errorf("it connected %d times in a minute", tries)
		}
	})
}

func TestAwaitConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var door door
		d := newDesktop(t, door.connect)
		start := time.Now()
		compositortest.CheckError(t, "before Run", d.AwaitConnection(t.Context(), time.Second), plan.Refused, plan.Missing)
		if took := time.Since(start); took != time.Second {
			t.Errorf("it waited %v", took)
		}
		run(t, d)
		pass(time.Hour) // the pauses are long by now
		start = time.Now()
		compositortest.CheckError(t, "without one", d.AwaitConnection(t.Context(), time.Second), plan.Refused, plan.Missing)
		if took := time.Since(start); took != time.Second {
			t.Errorf("it waited %v", took)
		}
		door.put(memory.New())
		start = time.Now()
		if err := d.AwaitConnection(t.Context(), time.Second); err != nil || time.Since(start) != 0 {
			t.Errorf("with one: %v after %v", err, time.Since(start))
		}
		if err := d.AwaitConnection(t.Context(), 0); err != nil {
			t.Errorf("while connected: %v", err)
		}
	})
}

func TestRunEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := threeWindows()
		ctx, cancel := context.WithCancel(t.Context())
		d := newDesktop(t, func(context.Context) (compositor.Backend, error) { return b, nil })
		done := make(chan error, 1)
		go func() { done <- d.Run(ctx) }()
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Run = %v, want context.Canceled", err)
		}
		if _, err := b.Read(t.Context()); !errors.Is(err, compositor.ErrGone) {
			t.Errorf("the backend is still open: %v", err)
		}
		if _, ok := d.Info(); ok {
			t.Error("there is still a compositor")
		}
	})
}

func TestBounds(t *testing.T) {
	at := func(x, y, w, h int) compositor.Output {
		return compositor.Output{Rect: compositor.Rect{X: x, Y: y, Width: w, Height: h}}
	}
	tests := []struct {
		outputs []compositor.Output
		want    compositor.Rect
	}{
		{nil, compositor.Rect{}},
		{[]compositor.Output{at(100, 50, 1280, 800)}, compositor.Rect{X: 100, Y: 50, Width: 1280, Height: 800}},
		{[]compositor.Output{at(0, 0, 1280, 800), at(1280, 0, 1920, 1080)}, compositor.Rect{Width: 3200, Height: 1080}},
		{[]compositor.Output{at(0, 0, 1280, 800), at(-1920, -100, 1920, 1080)},
			compositor.Rect{X: -1920, Y: -100, Width: 3200, Height: 1080}},
	}
	for _, tt := range tests {
		s := compositor.State{Outputs: tt.outputs}
		if got := s.Bounds(); got != tt.want || got.Known() != (tt.outputs != nil) {
			t.Errorf("Bounds of %v = %v, want %v", tt.outputs, got, tt.want)
		}
	}
}
