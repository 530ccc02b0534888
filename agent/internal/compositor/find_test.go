package compositor_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/memory"
)

// a returns a kind of which one runs, on a display.
func a(name, display string) compositor.Connect {
	return func(context.Context, func(string) string, string) (compositor.Backend, error) {
		return memory.Unknown(name, map[string]string{"WAYLAND_DISPLAY": display}), nil
	}
}

// no returns a kind that cannot be connected to.
func no(err error) compositor.Connect {
	return func(context.Context, func(string) string, string) (compositor.Backend, error) { return nil, err }
}

// TestNested: of several compositors the one is meant that serves the display of
// this session, else the first.
func TestNested(t *testing.T) {
	none, broken := fmt.Errorf("c: %w", compositor.ErrNone), errors.New("several sockets answer")
	tests := []struct {
		name    string
		display string
		kinds   []compositor.Connect
		want    string
		err     error
	}{
		{"one", "wayland-1", []compositor.Connect{no(none), a("b", "wayland-2")}, "b", nil},
		{"the second serves the session", "wayland-2",
			[]compositor.Connect{a("a", "wayland-1"), a("b", "wayland-2"), a("c", "wayland-3")}, "b", nil},
		{"the third does", "wayland-3", []compositor.Connect{a("a", ""), a("b", "wayland-2"), a("c", "wayland-3")}, "c", nil},
		{"two do", "wayland-1", []compositor.Connect{a("a", "wayland-1"), a("b", "wayland-1")}, "a", nil},
		{"no display", "", []compositor.Connect{a("a", ""), a("b", "")}, "a", nil},
		{"another display", "wayland-9", []compositor.Connect{a("a", "wayland-1"), a("b", "wayland-2")}, "a", nil},
		{"one is broken, one runs", "", []compositor.Connect{no(broken), a("b", "")}, "b", nil},
		{"one is broken, none runs", "", []compositor.Connect{no(broken), no(none)}, "", broken},
		{"none runs", "", []compositor.Connect{no(none), no(none)}, "", compositor.ErrNone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			getenv := func(string) string { return tt.display }
			b, err := compositor.FindAny(t.Context(), getenv, t.TempDir(), tt.kinds...)
			if tt.err != nil {
				if !errors.Is(err, tt.err) {
					t.Errorf("error %v, want %v", err, tt.err)
				}
				return
			}
			if err != nil || b.Info().Name != tt.want {
				t.Errorf("found %v, %v; want %s", b, err, tt.want)
			}
		})
	}
}
