package input_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"utter/agent/internal/input"
	"utter/shared/plan"
	"utter/shared/typing"
	fakewayland "utter/tests/fakes/wayland"
)

// Texts of several goroutines go out one after the other, each whole.
func TestGoroutinesTakeTurns(t *testing.T) {
	c, in := begin(t, fakewayland.Options{Clipboard: rich()})
	var work sync.WaitGroup
	var want []string
	for i := range 6 {
		s := strings.Repeat(string(rune('a'+i)), 4000)
		want = append(want, s)
		work.Go(func() {
			mustType(t, in, text(s, typing.InputMethod), input.Typed{Way: typing.InputMethod, Evidence: plan.Delivered})
		})
		work.Go(func() {
			mustType(t, in, text(s[:45], typing.Keyboard), input.Typed{Way: typing.Keyboard, Evidence: plan.Delivered})
		})
		work.Go(func() {
			if err := in.Press(t.Context(), chords("ctrl+shift+v"), alive); err != nil {
				t.Error(err)
			}
			if err := in.Click(t.Context(), input.Point{Width: 1, Height: 1}); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	got := c.Typed()
	for _, s := range want {
		if !strings.Contains(got, s) {
			t.Errorf("the text of %q is not whole", s[:1])
		}
	}
	// A run of the same letter is 45 keystrokes; the chord is another key.
	run, runs := 0, 0
	for i, k := range c.Keys() {
		if !k.Pressed || k.Code == leftShift || k.Code == leftCtrl || k.Code == keyV {
			continue
		}
		if run++; run == 45 {
			run, runs = 0, runs+1
		}
		if next := nextLetter(c.Keys()[i+1:]); run != 0 && next != k.Code {
			t.Fatalf("key %d follows %d within a text", next, k.Code)
		}
	}
	if runs != 6 || run != 0 || len(c.PointerFrames()) != 3*6 {
		t.Errorf("%d texts of keys and %d more keys, %d pointer frames", runs, run, len(c.PointerFrames()))
	}
	if c.Clients() != 1 {
		t.Errorf("%d connections, want 1", c.Clients())
	}
}

// nextLetter returns the first key that is pressed.
func nextLetter(keys []fakewayland.Key) uint32 {
	i := slices.IndexFunc(keys, func(k fakewayland.Key) bool { return k.Pressed })
	if i < 0 {
		return 0
	}
	return keys[i].Code
}

func TestWaitingForATurnMayEnd(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	begun, goOn, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	what := text("hi", typing.Auto)
	what.Alive = at(2, func() error { close(begun); <-goOn; return nil })
	go func() {
		defer close(done)
		mustType(t, in, what, input.Typed{Way: typing.InputMethod, Evidence: plan.Delivered})
	}()
	<-begun
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	within(t, 1500*time.Millisecond, func() {
		_, err := in.Type(ctx, text("late", typing.Auto))
		wantError(t, err, plan.Refused, plan.Timeout)
	})
	close(goOn)
	<-done
	if c.Typed() != "hi" {
		t.Errorf("typed %q", c.Typed())
	}
}

// TestCancelledInTheMiddle ends the context at the third sign of life.
func TestCancelledInTheMiddle(t *testing.T) {
	long := strings.Repeat("a", 3900) + "bc"
	tests := []struct {
		text string
		way  typing.Way
		nth  int32
		want plan.Outcome
		part string
	}{
		{"hi", typing.InputMethod, 1, plan.Refused, ""},
		{long, typing.InputMethod, 2, plan.Refused, ""},
		{long, typing.InputMethod, 3, plan.Unknown, "3900 of 3902 characters were sent"},
		{"hi", typing.Keyboard, 1, plan.Refused, ""},
		{strings.Repeat("a", 60), typing.Keyboard, 3, plan.Unknown, "20 of 60 characters were sent"},
		{"hi", typing.Clipboard, 1, plan.Refused, ""},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%d bytes by %s", len(tt.text), tt.way), func(t *testing.T) {
			c, in := begin(t, fakewayland.Options{Clipboard: rich()})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			what := text(tt.text, tt.way)
			what.Alive = at(tt.nth, func() error { cancel(); return nil })
			within(t, 1500*time.Millisecond, func() {
				_, err := in.Type(ctx, what)
				wantError(t, err, tt.want, plan.Cancelled, tt.part)
			})
			if tt.want == plan.Refused && len(c.Keys())+len(c.Commits()) != 0 {
				t.Errorf("refused, but typed %q and %s", c.Typed(), events(c.Keys()))
			}
			if _, err := in.Type(t.Context(), text("again", tt.way)); err != nil {
				t.Errorf("the next text: %v", err)
			}
			if c.Clients() != 1 || c.Count("wl_display.get_registry") != 1 {
				t.Error("it connected again for that")
			}
			wantClipboard(t, c, rich())
		})
	}
}

// A compositor that has stopped does not keep a cancelled call either.
func TestCancelledWhileStopped(t *testing.T) {
	c, in := begin(t, failing(pressKey, 41, fakewayland.StopReading()))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		c.WaitFor(t, "the stop", func() bool { return c.Count(pressKey) == 41 })
		cancel()
	}()
	within(t, 1500*time.Millisecond, func() {
		_, err := in.Type(ctx, text(strings.Repeat("a", 60), typing.Keyboard))
		wantError(t, err, plan.Unknown, plan.Cancelled, "20 of 60 characters were sent")
	})
	c.ResumeReading()
	mustType(t, in, text("again", typing.InputMethod), input.Typed{Way: typing.InputMethod, Evidence: plan.Delivered})
}

func TestCloseAndGoOn(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	for range 3 {
		mustType(t, in, text("hi", typing.Auto), input.Typed{Way: typing.InputMethod, Evidence: plan.Delivered})
		in.Close()
		in.Close()
		c.WaitFor(t, "the end", func() bool { return c.Clients() == 0 })
	}
}
