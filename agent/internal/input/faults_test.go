package input_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"utter/agent/internal/input"
	"utter/shared/plan"
	"utter/shared/typing"
	fakewayland "utter/tests/fakes/wayland"
)

// The ways in which a connection may end.
func endings() map[string]fakewayland.Failure {
	return map[string]fakewayland.Failure{
		"protocol error": fakewayland.ProtocolError(3, "out of order"),
		"end":            fakewayland.HangUp(),
		"garbage":        fakewayland.Garbage([]byte("\x01\x00\x00\x00\x00\x00\x03\x00")),
	}
}

// TestConnectionEnds breaks the connection at some request. What was not begun
// is refused, what was is unknown, and the next text gets a new connection.
func TestConnectionEnds(t *testing.T) {
	long := strings.Repeat("a", 3900) + "bc"
	tests := []struct {
		way  typing.Way
		text string
		on   string
		nth  int
		want plan.Outcome
		part string
	}{
		{typing.Auto, "hi", getInputMethod, 1, plan.Refused, "cannot be typed here"},
		{typing.Auto, "hi", commitString, 1, plan.Unknown, "0 of 2 characters were sent"},
		{typing.Auto, "hi", "zwp_input_method_v2.commit", 1, plan.Unknown, "0 of 2 characters were sent"},
		{typing.Auto, long, "zwp_input_method_v2.commit", 2, plan.Unknown, "3900 of 3902 characters were sent"},
		{typing.Keyboard, "hi", getKeyboard, 1, plan.Refused, "cannot be typed here"},
		{typing.Keyboard, "hi", uploadKeymap, 1, plan.Refused, "cannot be typed here"},
		{typing.Keyboard, "hi", pressKey, 1, plan.Unknown, "0 of 2 characters were sent"},
		{typing.Keyboard, strings.Repeat("h", 60), pressKey, 50, plan.Unknown, "20 of 60 characters were sent"},
		{typing.Clipboard, "hi", "ext_data_control_manager_v1.get_data_device", 1, plan.Refused, "cannot be typed here"},
		{typing.Clipboard, "hi", "ext_data_control_source_v1.offer", 1, plan.Refused, "cannot be typed here"},
		{typing.Clipboard, "hi", setSelection, 1, plan.Refused, "cannot be typed here"},
		{typing.Clipboard, "hi", pressKey, 2, plan.Unknown, "the paste may not have happened"},
		{typing.Clipboard, "hi", pressKey, 4, plan.Unknown, "the paste may not have happened"},
	}
	for name, ending := range endings() {
		for _, tt := range tests {
			t.Run(fmt.Sprintf("%s at %s %d, %s", name, tt.on, tt.nth, tt.way), func(t *testing.T) {
				c, in := begin(t, failing(tt.on, tt.nth, ending))
				within(t, 1500*time.Millisecond, func() {
					_, err := in.Type(t.Context(), text(tt.text, tt.way))
					wantError(t, err, tt.want, plan.Missing, tt.part)
				})
				if _, err := in.Type(t.Context(), text("again", tt.way)); err != nil {
					t.Errorf("the next text: %v", err)
				}
				c.WaitFor(t, "the old connection's end", func() bool { return c.Clients() == 1 })
			})
		}
	}
}

func TestConnectionEndsWhilePressing(t *testing.T) {
	for name, ending := range endings() {
		c, in := begin(t, failing(pressKey, 3, ending))
		err := in.Press(t.Context(), chords("a", "n"), alive)
		wantError(t, err, plan.Unknown, plan.Missing, "1 of 2 key combinations were pressed")
		if err := in.Press(t.Context(), chords("t"), alive); err != nil {
			t.Errorf("%s: the next chord: %v", name, err)
		}
		if n := c.Count(uploadKeymap); n != 2 {
			t.Errorf("%s: %d keymaps were uploaded, want one a connection", name, n)
		}
	}
}

// The end may come while nothing but the application is awaited.
func TestConnectionEndsWhilePasting(t *testing.T) {
	c, in := begin(t, fakewayland.Options{Pasting: fakewayland.NeverPastes, Clipboard: rich()})
	go func() {
		c.WaitFor(t, "the chord", func() bool { return len(c.Keys()) == 4 })
		c.Inject(fakewayland.HangUp())
	}()
	within(t, 1500*time.Millisecond, func() {
		typed, err := in.Type(t.Context(), text("hi", typing.Clipboard))
		wantError(t, err, plan.Unknown, plan.Missing, "the paste may not have happened")
		if !strings.Contains(typed.Note, "could not be restored") {
			t.Errorf("Note = %q", typed.Note)
		}
	})
}

func TestCompositorRestarts(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{})
	in := inputFor(t, input.Display{Socket: c.Path()})
	mustType(t, in, text("hi", typing.Auto), input.Typed{Way: typing.InputMethod, Evidence: plan.Delivered})
	c.Inject(fakewayland.HangUp())
	c.WaitFor(t, "the end", func() bool { return c.Clients() == 0 })
	time.Sleep(20 * time.Millisecond) // for the other side to notice
	mustType(t, in, text("hi", typing.Auto), input.Typed{Way: typing.InputMethod, Evidence: plan.Delivered})
	c.Close()
	time.Sleep(20 * time.Millisecond)
	_, err := in.Type(t.Context(), text("hi", typing.Auto))
	wantError(t, err, plan.Refused, plan.Missing, "cannot reach the Wayland display")
}

// TestStoppedCompositor checks that nobody waits for one longer than once.
func TestStoppedCompositor(t *testing.T) {
	t.Parallel()
	const limit = 3500 * time.Millisecond
	p := input.Point{Width: 10, Height: 10}
	long := strings.Repeat("a", 3900) + "bc"
	tests := []struct {
		name string
		on   string // "" stops it between two texts
		nth  int
		do   func(in *input.Input) error
		want plan.Outcome
		part string
	}{
		{"at first", fakewayland.Connect, 1, typer("hi", typing.Auto), plan.Refused, "cannot reach the Wayland display"},
		{"typing", "", 0, typer("hi", typing.Auto), plan.Refused, "cannot be typed here"},
		{"a piece", commitString, 2, typer(long, typing.Auto), plan.Unknown, "3900 of 3902 characters were sent"},
		{"a batch", pressKey, 41, typer(strings.Repeat("a", 60), typing.Keyboard), plan.Unknown,
			"20 of 60 characters were sent"},
		{"the paste", pressKey, 1, typer("hi", typing.Clipboard), plan.Unknown, "the paste may not have happened"},
		{"keys", "", 0, func(in *input.Input) error { return in.Press(t.Context(), chords("a"), alive) }, plan.Refused,
			"keys cannot be pressed here"},
		{"the second chord", pressKey, 3,
			func(in *input.Input) error { return in.Press(t.Context(), chords("a", "n"), alive) }, plan.Unknown,
			"1 of 2 key combinations"},
		{"the pointer", "", 0, func(in *input.Input) error { return in.Click(t.Context(), p) }, plan.Unknown,
			"the click may have happened"},
	}
	var work sync.WaitGroup // they wait, so all at once
	for _, tt := range tests {
		var o fakewayland.Options
		if tt.on != "" {
			o = failing(tt.on, tt.nth, fakewayland.StopReading())
		}
		c, in := begin(t, o)
		if tt.on == "" {
			if _, err := in.Parts(t.Context()); err != nil {
				t.Fatal(err)
			}
			c.Inject(fakewayland.StopReading())
		}
		work.Go(func() {
			within(t, limit, func() {
				err := tt.do(in)
				var e *plan.Error
				if !errors.As(err, &e) || e.Outcome != tt.want || !strings.Contains(e.Text, tt.part) {
					t.Errorf("%s: error %v, want %v with %q", tt.name, err, tt.want, tt.part)
				} else if tt.want == plan.Unknown && e.Reason != plan.Timeout {
					t.Errorf("%s: reason %q, want %q", tt.name, e.Reason, plan.Timeout)
				}
			})
			c.ResumeReading()
			within(t, limit, func() {
				if err := typer("again", typing.Auto)(in); err != nil {
					t.Errorf("%s: the next text: %v", tt.name, err)
				}
			})
		})
	}
	work.Wait()
}

// typing types a text by a way.
func typer(s string, way typing.Way) func(in *input.Input) error {
	return func(in *input.Input) error {
		_, err := in.Type(context.Background(), text(s, way))
		return err
	}
}

// Another tool may flood everybody with keymaps, each with a descriptor.
func TestKeymapFlood(t *testing.T) {
	c, in := begin(t, failing(getKeyboard, 2, fakewayland.Flood(200)))
	press := func() {
		if err := in.Press(t.Context(), chords("ctrl+t"), alive); err != nil {
			t.Error(err)
		}
	}
	press()
	noCollector(t)
	files := openFiles(t)
	for range 5 {
		press()
	}
	wantOpenFiles(t, files)
	if n := c.Count(uploadKeymap); n != 1 {
		t.Errorf("%d keymaps were uploaded, want 1", n)
	}
}

// Connections that end leave no descriptor behind either.
func TestReconnectingLeaksNothing(t *testing.T) {
	c, in := begin(t, fakewayland.Options{Clipboard: rich()})
	once := func() {
		for _, way := range typing.Ways()[1:] {
			if err := typer("hi", way)(in); err != nil {
				t.Error(err)
			}
		}
		c.Inject(fakewayland.HangUp())
		c.WaitFor(t, "the end", func() bool { return c.Clients() == 0 })
		in.Close()
	}
	once()
	noCollector(t)
	files := openFiles(t)
	for range 5 {
		once()
	}
	wantOpenFiles(t, files)
}
