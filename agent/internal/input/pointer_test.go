package input_test

import (
	"fmt"
	"strings"
	"testing"

	"utter/agent/internal/input"
	"utter/shared/plan"
	fakewayland "utter/tests/fakes/wayland"
)

// frames writes what the virtual pointer did, without the times.
func frames(t *testing.T, c *fakewayland.Compositor) string {
	t.Helper()
	var all []string
	for _, frame := range c.PointerFrames() {
		var group []string
		for _, r := range frame {
			args := r.Args
			if r.Name != "axis_source" {
				args = args[1:] // the time
			}
			group = append(group, fmt.Sprint(r.Name, args))
		}
		all = append(all, strings.Join(group, " "))
	}
	return strings.Join(all, " | ")
}

func TestClick(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	if err := in.Click(t.Context(), input.Point{X: 10, Y: 20, Width: 1920, Height: 1080}); err != nil {
		t.Fatal(err)
	}
	const want = "motion_absolute[10 20 1920 1080] | button[272 1] | button[272 0]"
	if got := frames(t, c); got != want {
		t.Errorf("frames\n%s, want\n%s", got, want)
	}
}

func TestScroll(t *testing.T) {
	tests := []struct {
		direction input.Direction
		want      string // of one step
	}{
		{input.Down, "axis_source[0] axis_discrete[0 3840 1]"},
		{input.Up, "axis_source[0] axis_discrete[0 -3840 -1]"},
		{input.Right, "axis_source[0] axis_discrete[1 3840 1]"},
		{input.Left, "axis_source[0] axis_discrete[1 -3840 -1]"},
	}
	for _, tt := range tests {
		c, in := begin(t, fakewayland.Options{})
		if err := in.Scroll(t.Context(), input.Point{X: 1, Y: 2, Width: 30, Height: 40}, tt.direction, 2); err != nil {
			t.Errorf("%s: %v", tt.direction, err)
		}
		want := "motion_absolute[1 2 30 40] | " + tt.want + " | " + tt.want
		if got := frames(t, c); got != want {
			t.Errorf("%s: frames\n%s, want\n%s", tt.direction, got, want)
		}
	}
}

func TestPointerIsKept(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	p := input.Point{Width: 10, Height: 10}
	for range 3 {
		if err := in.Click(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if err := in.Scroll(t.Context(), p, input.Down, 1); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.Count("zwlr_virtual_pointer_manager_v1.create_virtual_pointer"); n != 1 {
		t.Errorf("%d pointers, want 1", n)
	}
}

func TestPointerRefuses(t *testing.T) {
	outside := []input.Point{
		{X: -1, Y: 0, Width: 10, Height: 10}, {X: 0, Y: -1, Width: 10, Height: 10},
		{X: 10, Y: 0, Width: 10, Height: 10}, {X: 0, Y: 10, Width: 10, Height: 10}, {},
	}
	c, in := begin(t, fakewayland.Options{})
	for _, p := range outside {
		wantError(t, in.Click(t.Context(), p), plan.Refused, plan.NotFound, "outside")
		wantError(t, in.Scroll(t.Context(), p, input.Up, 1), plan.Refused, plan.NotFound, "outside")
	}
	if err := in.Scroll(t.Context(), input.Point{Width: 1, Height: 1}, "sideways", 1); err == nil {
		t.Error("Scroll sideways = nil, want an error")
	}
	if got := frames(t, c); got != "" {
		t.Errorf("frames %s", got)
	}
	_, in = begin(t, without("zwlr_virtual_pointer_manager_v1"))
	wantError(t, in.Click(t.Context(), input.Point{Width: 1, Height: 1}), plan.Refused, plan.Missing,
		"the compositor does not support it")
}

// After a click that may have happened nobody must try again.
func TestPointerInterrupted(t *testing.T) {
	p := input.Point{Width: 10, Height: 10}
	tests := []struct {
		name string
		on   string
		do   func(in *input.Input) error
	}{
		{"click", "zwlr_virtual_pointer_v1.button", func(in *input.Input) error { return in.Click(t.Context(), p) }},
		{"scroll", "zwlr_virtual_pointer_v1.axis_discrete",
			func(in *input.Input) error { return in.Scroll(t.Context(), p, input.Down, 3) }},
	}
	for _, tt := range tests {
		for _, fault := range []fakewayland.Failure{fakewayland.HangUp(), fakewayland.ProtocolError(1, "no more")} {
			_, in := begin(t, failing(tt.on, 1, fault))
			wantError(t, tt.do(in), plan.Unknown, plan.Missing, "may ")
			if err := tt.do(in); err != nil {
				t.Errorf("the next %s: %v", tt.name, err)
			}
		}
	}
}
