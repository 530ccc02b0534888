package memory_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	"utter/agent/internal/compositor/memory"
	"utter/shared/plan"
)

func TestBackend(t *testing.T) {
	compositortest.Run(t, func(_ *testing.T, open ...compositortest.Wanted) compositor.Backend {
		var windows []compositor.Window
		for i, w := range open {
			windows = append(windows, compositor.Window{
				ID: compositor.WindowID(i + 1), AppID: w.AppID, Workspace: uint64(w.Workspace), Focused: i == len(open)-1})
		}
		return memory.New(windows...)
	})
}

func TestNewFocusesTheLastWindow(t *testing.T) {
	windows := []compositor.Window{{ID: 1, AppID: "a"}, {ID: 2, AppID: "b"}, {ID: 3, AppID: "c", Workspace: 4}}
	tests := []struct {
		focused int // the index of the window that says it has the focus
		want    string
	}{
		{-1, "a on 1; b on 1; c on 4 focused; workspace 4"},
		{0, "a on 1 focused; b on 1; c on 4; workspace 1"},
	}
	for _, tt := range tests {
		open := append([]compositor.Window{}, windows...)
		if tt.focused >= 0 {
			open[tt.focused].Focused = true
		}
		if got := facts(t, memory.New(open...)); got != tt.want {
			t.Errorf("with %d focused: %q, want %q", tt.focused, got, tt.want)
		}
	}
}

// What a test does to the desktop never shows in a state that was read before.
func TestReadIsASnapshot(t *testing.T) {
	b := memory.New(compositor.Window{ID: 1, AppID: "a"}, compositor.Window{ID: 2, AppID: "b"})
	var held []*compositor.State
	var before []string
	hold := func() {
		s, err := b.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held, before = append(held, s), append(before, fmt.Sprintf("%+v", *s))
	}
	for id := range compositor.WindowID(20) {
		hold()
		b.Open(compositor.Window{ID: 10 + id, AppID: "new", Workspace: 1 + uint64(id)})
		hold()
		b.Update(10+id, func(w *compositor.Window) { w.Title = "changed" })
	}
	hold()
	b.Remove(10)
	for i, s := range held {
		if after := fmt.Sprintf("%+v", *s); after != before[i] {
			t.Fatalf("state %d changed from\n%s to\n%s", i, before[i], after)
		}
	}
}

func TestRemoveGivesTheFocusToTheLatest(t *testing.T) {
	b := memory.New(compositor.Window{ID: 1, AppID: "a"}, compositor.Window{ID: 2, AppID: "b"},
		compositor.Window{ID: 3, AppID: "c"})
	if err := b.Do(t.Context(), nil, compositor.Action{Name: "focus-window", Window: 1}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		id   compositor.WindowID
		want string
	}{
		{2, "a on 1 focused; c on 1; workspace 1"}, // had no focus
		{1, "c on 1 focused; workspace 1"},
		{9, "c on 1 focused; workspace 1"}, // is not there
		{3, "workspace 1"},
	} {
		b.Remove(tt.id)
		if got := facts(t, b); got != tt.want {
			t.Errorf("after Remove(%d): %q, want %q", tt.id, got, tt.want)
		}
	}
}

// Of a desktop that Utter does not know nothing is made up, and everything is
// refused with its name.
func TestUnknownRefusesEverything(t *testing.T) {
	b := memory.Unknown("gnome-shell", map[string]string{"WAYLAND_DISPLAY": "wayland-0"})
	if s, err := b.Read(t.Context()); err != nil || !reflect.DeepEqual(s, &compositor.State{}) {
		t.Errorf("Read = %+v, %v; want nothing", s, err)
	}
	if info := b.Info(); info.Name != "gnome-shell" || info.Env["WAYLAND_DISPLAY"] != "wayland-0" {
		t.Errorf("Info = %+v", info)
	}
	for _, name := range []string{"focus-window", "close-window", "focus-workspace",
		"fullscreen-window", "focus-column-left"} {
		if err := b.Do(t.Context(), nil, compositor.Action{Name: name}); !errors.Is(err, compositor.ErrNotSupported) {
			t.Errorf("Do(%s) = %v, want ErrNotSupported", name, err)
		}
	}
	d := compositortest.Follow(t, b)
	_, err := d.Perform(t.Context(), compositor.Action{Name: "focus-workspace", Arg: compositor.Arg{Number: 2}})
	compositortest.CheckError(t, "focus-workspace 2", err, plan.Refused, plan.NotSupported)
	if err != nil && err.Error() != "gnome-shell has no focus-workspace" {
		t.Errorf("it says %q", err)
	}
}

func facts(t *testing.T, b compositor.Backend) string {
	t.Helper()
	s, err := b.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return compositortest.Facts(s)
}
