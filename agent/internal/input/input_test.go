package input_test

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"utter/agent/internal/input"
	"utter/shared/chord"
	"utter/shared/plan"
	"utter/shared/typing"
	fakewayland "utter/tests/fakes/wayland"
)

// Layouts of the fake's keymap.
const (
	us = iota
	ru
)

// The names of requests that tests count or break.
const (
	commitString   = "zwp_input_method_v2.commit_string"
	getInputMethod = "zwp_input_method_manager_v2.get_input_method"
	getKeyboard    = "wl_seat.get_keyboard"
	uploadKeymap   = "zwp_virtual_keyboard_v1.keymap"
	pressKey       = "zwp_virtual_keyboard_v1.key"
	setSelection   = "ext_data_control_device_v1.set_selection"
)

// begin runs a compositor and an Input for it, with the layout us.
func begin(t testing.TB, o fakewayland.Options) (*fakewayland.Compositor, *input.Input) {
	t.Helper()
	c := fakewayland.Start(t, o)
	return c, inputFor(t, input.Display{Socket: c.Path()})
}

func inputFor(t testing.TB, d input.Display) *input.Input {
	t.Helper()
	in := input.New(func() (input.Display, error) { return d, nil })
	t.Cleanup(in.Close)
	return in
}

// failing returns options with one fault.
func failing(on string, nth int, do fakewayland.Failure) fakewayland.Options {
	return fakewayland.Options{Faults: []fakewayland.Fault{{On: on, Nth: nth, Do: do}}}
}

// without returns options that lack the named managers.
func without(names ...string) fakewayland.Options { return fakewayland.Options{Without: names} }

// noMethod is a compositor without input method.
func noMethod() fakewayland.Options { return without("zwp_input_method_manager_v2") }

func alive() error { return nil }

// text returns s to be typed by a way, into an application that pastes at
// ctrl+v.
func text(s string, way typing.Way) input.Text {
	return input.Text{Text: s, Way: way, Paste: chords("ctrl+v")[0], Alive: alive}
}

// chords reads chords, which must be right.
func chords(names ...string) chord.Sequence {
	var all chord.Sequence
	for _, n := range names {
		c, err := chord.Parse(n)
		if err != nil {
			panic(err)
		}
		all = append(all, c)
	}
	return all
}

// at returns an Alive that calls do the nth time that it is asked.
func at(nth int32, do func() error) func() error {
	var asked atomic.Int32
	return func() error {
		if asked.Add(1) == nth {
			return do()
		}
		return nil
	}
}

// mustType types and checks how that went.
func mustType(t testing.TB, in *input.Input, what input.Text, want input.Typed) {
	t.Helper()
	if got, err := in.Type(t.Context(), what); err != nil || got != want {
		t.Errorf("Type = %+v, %v; want %+v", got, err, want)
	}
}

// wantError checks what an error says, and that its text has every part.
func wantError(t testing.TB, err error, o plan.Outcome, r plan.Reason, parts ...string) {
	t.Helper()
	var e *plan.Error
	if !errors.As(err, &e) || e.Outcome != o || e.Reason != r {
		t.Errorf("error %#v (%v); want %v, %s", err, err, o, r)
		return
	}
	for _, p := range parts {
		if !strings.Contains(e.Text, p) {
			t.Errorf("error %q, want %q in it", e.Text, p)
		}
	}
}

// within returns how long f took, which must not be longer than limit.
func within(t testing.TB, limit time.Duration, f func()) time.Duration {
	t.Helper()
	start := time.Now()
	f()
	took := time.Since(start)
	if took > limit {
		t.Errorf("it took %v, more than %v", took, limit)
	}
	return took
}

// noCollector lets no garbage collector close what was left open.
func noCollector(t testing.TB) {
	t.Helper()
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
}

// openFiles counts this process' descriptors.
func openFiles(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// wantOpenFiles waits until no more than n descriptors are open.
func wantOpenFiles(t testing.TB, n int) {
	t.Helper()
	for range 100 {
		if openFiles(t) <= n {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("%d descriptors are open, %d before", openFiles(t), n)
}

func TestParts(t *testing.T) {
	const method, keyboard, clipboard, pointer = "input-method", "keyboard", "clipboard", "pointer"
	tests := []struct {
		without, want []string
	}{
		{nil, []string{clipboard, method, keyboard, pointer}},
		{[]string{"ext_data_control_manager_v1"}, []string{clipboard, method, keyboard, pointer}},
		{[]string{"zwp_input_method_manager_v2", "zwlr_virtual_pointer_manager_v1"}, []string{clipboard, keyboard}},
		{[]string{"ext_data_control_manager_v1", "zwlr_data_control_manager_v1", "zwp_virtual_keyboard_manager_v1"},
			[]string{method, pointer}},
	}
	for _, tt := range tests {
		_, in := begin(t, without(tt.without...))
		got, err := in.Parts(t.Context())
		there := []string{}
		for way, part := range got.Ways {
			if part.There && part.Note == "" {
				there = append(there, string(way))
			}
		}
		slices.Sort(there)
		if got.Pointer.There {
			there = append(there, pointer)
		}
		if err != nil || !slices.Equal(there, tt.want) || len(got.Ways) != len(typing.Methods) {
			t.Errorf("without %q: Parts = %+v, %v; want %q", tt.without, got, err, tt.want)
		}
	}
}

func TestNothingIsThere(t *testing.T) {
	t.Run("no compositor", func(t *testing.T) {
		in := inputFor(t, input.Display{Socket: t.TempDir() + "/none"})
		_, err := in.Type(t.Context(), text("hi", typing.Auto))
		wantError(t, err, plan.Refused, plan.Missing, "cannot reach the Wayland display")
	})
	t.Run("no seat", func(t *testing.T) {
		_, in := begin(t, without("wl_seat"))
		wantError(t, in.Press(t.Context(), chords("a"), alive), plan.Refused, plan.Missing, "wl_seat")
	})
	t.Run("no display", func(t *testing.T) {
		none := plan.Refuse(plan.Missing, "no session")
		in := input.New(func() (input.Display, error) { return input.Display{}, none })
		if _, err := in.Type(t.Context(), text("hi", typing.Auto)); !errors.Is(err, none) {
			t.Errorf("Type = %v, want %v", err, none)
		}
	})
}

// A Display that moves is followed, and its old connection ended.
func TestDisplayMoves(t *testing.T) {
	first, second := fakewayland.Start(t, fakewayland.Options{}), fakewayland.Start(t, fakewayland.Options{})
	path := first.Path()
	in := input.New(func() (input.Display, error) { return input.Display{Socket: path}, nil })
	t.Cleanup(in.Close)
	mustType(t, in, text("one", typing.Auto), input.Typed{Way: typing.InputMethod, Evidence: plan.Delivered})
	path = second.Path()
	mustType(t, in, text("two", typing.Auto), input.Typed{Way: typing.InputMethod, Evidence: plan.Delivered})
	first.WaitFor(t, "the client to go", func() bool { return first.Clients() == 0 })
	if first.Typed() != "one" || second.Typed() != "two" {
		t.Errorf("typed %q and %q", first.Typed(), second.Typed())
	}
}

func TestActivationToken(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	for _, id := range []string{"org.example.One", "org.example.Two"} {
		got, err := in.ActivationToken(t.Context(), id)
		tokens := c.Tokens()
		if want := (fakewayland.Token{AppID: id, Name: got}); err != nil || len(tokens) == 0 ||
			tokens[len(tokens)-1] != want {
			t.Errorf("ActivationToken = %q, %v; given out: %v", got, err, tokens)
		}
	}
	c.WaitFor(t, "their end", func() bool { return c.Count("xdg_activation_token_v1.destroy") == 2 })
	c, in = begin(t, failing("xdg_activation_token_v1.commit", 1, fakewayland.StopReading()))
	within(t, time.Second, func() {
		if got, err := in.ActivationToken(t.Context(), "a"); got != "" || err != nil {
			t.Errorf("ActivationToken = %q, %v from a compositor that has stopped", got, err)
		}
	})
	c.ResumeReading()
	if got, err := in.ActivationToken(t.Context(), "a"); got == "" || err != nil {
		t.Errorf("ActivationToken = %q, %v when the compositor is back", got, err)
	}
	_, in = begin(t, without("xdg_activation_v1"))
	if got, err := in.ActivationToken(t.Context(), "a"); got != "" || err != nil {
		t.Errorf("ActivationToken = %q, %v where there is none", got, err)
	}
}

func TestCancelledBefore(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, connected := range []bool{false, true} {
		_, err := in.Type(ctx, text("hi", typing.Auto))
		wantError(t, err, plan.Refused, plan.Cancelled)
		wantError(t, in.Press(ctx, chords("a"), alive), plan.Refused, plan.Cancelled)
		wantError(t, in.Click(ctx, input.Point{Width: 1, Height: 1}), plan.Refused, plan.Cancelled)
		if _, err := in.Parts(t.Context()); err != nil {
			t.Fatalf("connected %v: %v", connected, err)
		}
	}
	if n := len(c.Keys()) + len(c.Commits()) + len(c.PointerFrames()); n != 0 {
		t.Errorf("%d things were done", n)
	}
}
