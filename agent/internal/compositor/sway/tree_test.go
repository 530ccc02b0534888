package sway

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"utter/agent/internal/compositor"
)

// A recording is what a real compositor answered. testdata/sway is written by
// TestRecord; testdata/i3 is from i3 4.24 on Xvfb with fake-outputs and an
// i3bar on each, testdata/xwayland from sway 1.10.1 with Xwayland and xterm.
type recording struct{ tree, workspaces, outputs, inputs, version []byte }

var recordings = []string{"sway", "i3", "xwayland"}

func record(t testing.TB, name string) recording {
	t.Helper()
	read := func(kind string) []byte {
		data, err := os.ReadFile(filepath.Join("testdata", name, kind+".json"))
		if errors.Is(err, os.ErrNotExist) && kind == "inputs" {
			return nil // i3 has none
		}
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	return recording{read("tree"), read("workspaces"), read("outputs"), read("inputs"), read("version")}
}

func (r recording) fold() (*compositor.State, error) {
	return foldState(r.tree, r.workspaces, r.outputs, r.inputs)
}

// TestFoldRecordings shows what becomes of the recordings. Run go test -update
// and read the diff.
func TestFoldRecordings(t *testing.T) {
	for _, name := range recordings {
		s, err := record(t, name).fold()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		golden := filepath.Join("testdata", name, "state.golden")
		got := describe(s)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil || got != string(want) {
			t.Errorf("%s: %v; got:\n%s", golden, err, got)
		}
	}
}

// describe writes a state for people.
func describe(s *compositor.State) string {
	var b strings.Builder
	at := func(r compositor.Rect) string { return fmt.Sprintf("%dx%d%+d%+d", r.Width, r.Height, r.X, r.Y) }
	for _, o := range s.Outputs {
		fmt.Fprintf(&b, "output %s %s\n", o.Name, at(o.Rect))
	}
	for _, w := range s.Workspaces {
		fmt.Fprintf(&b, "workspace %d %q number %d on %s%s\n", w.ID, w.Name, w.Number, w.Output,
			flags("visible", w.Visible, "focused", w.Focused))
	}
	for _, w := range s.Windows {
		fmt.Fprintf(&b, "window %d %s %q pid %v workspace %d on %s %s%s\n", w.ID, w.AppID, w.Title, w.PID > 0,
			w.Workspace, w.Output, at(w.Rect),
			flags("focused", w.Focused, "floating", w.Floating, "fullscreen", w.Fullscreen, "urgent", w.Urgent,
				"hidden", w.Hidden, "xwayland", w.XWayland))
	}
	fmt.Fprintf(&b, "layouts %q %d\n", s.Layouts, s.Layout)
	return b.String()
}

func flags(pairs ...any) (set string) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1].(bool) {
			set += " " + pairs[i].(string)
		}
	}
	return set
}

func TestFoldIsTolerant(t *testing.T) {
	tree := func(windows string) string {
		return `{"id":1,"type":"root","focus":[2],"nodes":[{"id":2,"type":"output","name":"A","nodes":[
			{"id":3,"type":"workspace","name":"1","focus":[5],"nodes":[` + windows + `]}]}]}`
	}
	tests := []struct{ what, tree, want string }{
		{"nothing", `{}`, ""},
		{"null", `null`, ""},
		{"a container is not a window", tree(`{"id":4,"type":"con","name":"x","layout":"splith"}`), ""},
		{"no app id yet", tree(`{"id":4,"type":"con","pid":7,"shell":"xdg_shell","app_id":null,"name":null}`), `4 "" ""`},
		{"an empty app id", tree(`{"id":4,"type":"con","app_id":"","name":"x"}`), `4 "" "x"`},
		{"a class",
			tree(`{"id":4,"type":"con","app_id":null,"window":9,"name":"x","window_properties":{"class":"C","instance":"i"}}`),
			`4 "C" "x"`},
		{"an X window without properties", tree(`{"id":4,"type":"con","window":9,"name":"x"}`), `4 "" "x"`},
		{"the latest focus first", tree(`{"id":4,"type":"con","app_id":"a"},{"id":5,"type":"con","app_id":"b"}`),
			`5 "b" ""; 4 "a" ""`},
		{"a focus on what is not there", tree(`{"id":4,"type":"con","app_id":"a","focus":[99]}`), `4 "a" ""`},
		{"a focus named twice", `{"focus":[4,4,4],"nodes":[{"id":4,"type":"con","app_id":"a"}]}`, `4 "a" ""`},
		{"a dock", `{"type":"output","name":"A","nodes":[{"type":"dockarea","nodes":[{"id":4,"type":"con","window":9}]}]}`,
			""},
	}
	for _, tt := range tests {
		s, err := foldState([]byte(tt.tree), []byte("[]"), []byte("[]"), nil)
		if err != nil {
			t.Errorf("%s: %v", tt.what, err)
			continue
		}
		var windows []string
		for _, w := range s.Windows {
			windows = append(windows, fmt.Sprintf("%d %q %q", w.ID, w.AppID, w.Title))
		}
		if got := strings.Join(windows, "; "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.what, got, tt.want)
		}
	}
}

func TestFoldRefusesOtherThings(t *testing.T) {
	const tree, list = `{"id":1,"type":"root"}`, `[]`
	for _, tt := range []struct{ tree, workspaces, outputs string }{
		{"", list, list}, {"[]", list, list}, {`{"id":"one"}`, list, list}, {`{"nodes":{}}`, list, list},
		{tree, "{}", list}, {tree, "", list}, {tree, `[{"num":"x"}]`, list},
		{tree, list, "{}"}, {tree, list, "nonsense"}, {tree + "x", list, list},
		{strings.Repeat(`{"nodes":[`, 1_000_000), list, list},
	} {
		if _, err := foldState([]byte(tt.tree), []byte(tt.workspaces), []byte(tt.outputs),
			nil); !errors.Is(err, errMalformed) {
			t.Errorf("foldState(%.40s, %s, %s) = %v, want errMalformed", tt.tree, tt.workspaces, tt.outputs, err)
		}
	}
}

// A tree that names every focus twice must not be walked twice at every level.
func TestFoldWalksEveryNodeOnce(t *testing.T) {
	const deep, wide = 100, 20_000
	nested := strings.Repeat(`{"id":1,"focus":[1,1],"nodes":[`, deep) +
		`{"id":1,"type":"con","app_id":"a"}` + strings.Repeat(`]}`, deep)
	var ids, nodes []string
	for i := range wide {
		ids = append(ids, fmt.Sprint(wide-i))
		nodes = append(nodes, fmt.Sprintf(`{"id":%d,"type":"con","app_id":"a"}`, i+1))
	}
	broad := `{"focus":[` + strings.Join(ids, ",") + `],"nodes":[` + strings.Join(nodes, ",") + `]}`
	for _, tt := range []struct {
		tree string
		want int
	}{{nested, 1}, {broad, wide}} {
		done := make(chan int, 1)
		go func() {
			s, err := foldState([]byte(tt.tree), []byte("[]"), []byte("[]"), nil)
			if err != nil {
				t.Error(err)
				s = &compositor.State{}
			}
			done <- len(s.Windows)
		}()
		select {
		case got := <-done:
			if got != tt.want {
				t.Errorf("%d windows, want %d", got, tt.want)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("the tree of %d bytes is still being walked", len(tt.tree))
		}
	}
}

func TestKeyboardLayouts(t *testing.T) {
	keyboard := func(active int, layouts ...string) map[string]any {
		return map[string]any{"type": "keyboard", "xkb_layout_names": layouts, "xkb_active_layout_index": active}
	}
	mouse := map[string]any{"type": "pointer"}
	tests := []struct {
		inputs any
		names  []string
		active int
	}{
		{[]any{}, nil, 0},
		{[]any{mouse, keyboard(0, "us")}, []string{"us"}, 0},
		{[]any{keyboard(0, "us"), keyboard(1, "us", "de")}, []string{"us", "de"}, 1},
		{[]any{keyboard(1, "us", "ru"), keyboard(0, "us", "de")}, []string{"us", "ru"}, 1},
		{[]any{keyboard(0), keyboard(0, "us")}, []string{"us"}, 0},                  // without a keymap yet
		{[]any{keyboard(2, "us", "de"), keyboard(0, "fr")}, []string{"fr"}, 0},      // makes no sense
		{[]any{keyboard(-1, "us"), map[string]any{"type": "keyboard"}}, nil, 0},     // makes no sense
		{map[string]any{"success": false, "error": "unknown message type"}, nil, 0}, // old
		{nil, nil, 0},
	}
	for _, tt := range tests {
		raw, err := json.Marshal(tt.inputs)
		if err != nil {
			t.Fatal(err)
		}
		if names, active := keyboardLayouts(raw); !slices.Equal(names, tt.names) || active != tt.active {
			t.Errorf("keyboardLayouts(%s) = %q, %d; want %q, %d", raw, names, active, tt.names, tt.active)
		}
	}
	if names, active := keyboardLayouts(nil); names != nil || active != 0 {
		t.Errorf("keyboardLayouts(nil) = %q, %d", names, active)
	}
}

// FuzzFoldState checks that no answers make it panic, hang or make windows up.
func FuzzFoldState(f *testing.F) {
	// Small ones: the fuzzer spends its time on shrinking large ones.
	const list = "[]"
	f.Add([]byte(`{"type":"output","name":"A","nodes":[{"id":3,"type":"workspace","focus":[5],
		"nodes":[{"id":4,"type":"con","app_id":"a"}],
		"floating_nodes":[{"id":5,"type":"floating_con","name":"t","pid":1,"shell":"xdg_shell","fullscreen_mode":1,
			"rect":{"x":1,"width":2}}]}]}`),
		[]byte(`[{"id":3,"num":1,"name":"1","output":"A","visible":true}]`),
		[]byte(`[{"name":"A","active":true,"rect":{"y":1}}]`), []byte(list))
	f.Add([]byte(`{"type":"dockarea","nodes":[{"type":"con","window":1,"window_properties":{"class":"C"}}]}`),
		[]byte(list), []byte(list), []byte("{}"))
	f.Add([]byte(
		`{"id":1,"focus":[2,2,3],"nodes":[{"id":2,"focus":[2,2],"floating_nodes":[{"id":2,"type":"con","window":1}]}]}`),
		[]byte(`[{"id":-1,"num":-1,"focused":true},{}]`), []byte(`[{"active":true}]`),
		[]byte(`[{"type":"keyboard","xkb_layout_names":[null],"xkb_active_layout_index":0}]`))
	f.Fuzz(func(t *testing.T, tree, workspaces, outputs, inputs []byte) {
		s, err := foldState(tree, workspaces, outputs, inputs)
		if err != nil {
			if s != nil || !errors.Is(err, errMalformed) {
				t.Errorf("foldState = %+v, %v", s, err)
			}
			return
		}
		if most := len(tree) / len(`{"pid":1}`); len(s.Windows) > most {
			t.Errorf("%d windows in %d bytes", len(s.Windows), len(tree))
		}
		if len(s.Layouts) > 0 && (s.Layout < 0 || s.Layout >= len(s.Layouts)) {
			t.Errorf("layout %d of %q", s.Layout, s.Layouts)
		}
		again, err := foldState(tree, workspaces, outputs, inputs)
		if err != nil || !reflect.DeepEqual(s, again) {
			t.Errorf("the second time it is %+v, %v; not %+v", again, err, s)
		}
		// What a state is asked for must work on every state.
		s.Focused()
		s.FocusedWorkspace()
		s.Bounds()
		for _, name := range []string{"focus-column-first", "focus-window-previous", "focus-monitor-next", "switch-layout"} {
			translate(s, compositor.Action{Name: name, Arg: compositor.Arg{Text: "next"}})
		}
	})
}
