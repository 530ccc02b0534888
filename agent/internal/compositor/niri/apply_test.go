package niri

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"utter/agent/internal/compositor"
	fakeniri "utter/tests/fakes/niri"
)

// TestApplyRecordings folds the events of every recording: whenever somebody
// asked niri in between, the folded world must say the same. What it looks like
// at the end of each scene is in testdata/worlds.golden; run go test -update
// and read the diff.
func TestApplyRecordings(t *testing.T) {
	var got strings.Builder
	for _, scene := range fakeniri.Scenes {
		w := &world{}
		checked := 0
		for _, l := range fakeniri.Recording(t, scene) {
			switch {
			case l.Dir != "recv":
			case l.Conn == "events" && !strings.HasPrefix(l.Line, `{"Ok"`):
				if !w.apply([]byte(l.Line)) {
					t.Errorf("%s: %d: %s is not an event", scene, l.T, l.Line)
				}
			case l.Conn == "cmd":
				checked += checkReply(t, fmt.Sprintf("%s: %d", scene, l.T), w, l.Line)
			}
		}
		t.Logf("%s: %d answers compared", scene, checked)
		fmt.Fprintf(&got, "%s\n%s", scene, describe(w.state()))
	}
	const golden = "testdata/worlds.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(golden); err != nil || got.String() != string(want) {
		t.Errorf("%s: %v; got:\n%s", golden, err, got.String())
	}
}

// checkReply compares what niri answered with w. It returns 1 if there was
// something to compare.
func checkReply(t *testing.T, at string, w *world, line string) int {
	t.Helper()
	var reply struct{ Ok json.RawMessage }
	var named map[string]json.RawMessage
	if json.Unmarshal([]byte(line), &reply) != nil || json.Unmarshal(reply.Ok, &named) != nil {
		return 0
	}
	told, checked := *w, 0
	for question, answer := range named {
		checked = 1
		switch question {
		case "Windows":
			told.setWindows(decoded[[]window](t, answer))
		case "Workspaces":
			told.setWorkspaces(decoded[[]workspace](t, answer))
		case "KeyboardLayouts":
			told.layouts = decoded[layouts](t, answer)
		case "OverviewState":
			told.overview = decoded[overview](t, answer).Open
		case "Outputs": // no event tells them
			w.outputs = decoded[map[string]output](t, answer)
			told.outputs = w.outputs
		case "FocusedWindow":
			focused, _ := w.state().Focused()
			if id := decoded[window](t, answer).ID; compositor.WindowID(id) != focused.ID {
				t.Errorf("%s: the focus is on %d, the events say %d", at, id, focused.ID)
			}
		default:
			checked = 0
		}
	}
	if w.windows != nil && !reflect.DeepEqual(told.state(), w.state()) {
		t.Errorf("%s: niri says\n%s, the events say\n%s", at, describe(told.state()), describe(w.state()))
	}
	return checked
}

func decoded[T any](t *testing.T, raw []byte) (value T) {
	t.Helper()
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// describe writes a state for people.
func describe(s *compositor.State) string {
	var b strings.Builder
	for _, o := range s.Outputs {
		fmt.Fprintf(&b, "\toutput %s %v\n", o.Name, o.Rect)
	}
	for _, w := range s.Workspaces {
		fmt.Fprintf(&b, "\tworkspace %d %q number %d on %s%s\n", w.ID, w.Name, w.Number, w.Output,
			flags("visible", w.Visible, "focused", w.Focused))
	}
	for _, w := range s.Windows {
		fmt.Fprintf(&b, "\twindow %d %s %q on %d %v column %d row %d%s\n", w.ID, w.AppID, w.Title,
			w.Workspace, w.Rect, w.Column, w.Row,
			flags("focused", w.Focused, "floating", w.Floating, "fullscreen", w.Fullscreen,
				"urgent", w.Urgent, "placed", w.Placed))
	}
	fmt.Fprintf(&b, "\tlayout %d of %d, overview %v, %d captures\n", s.Layout, len(s.Layouts), s.Overview, s.Captures)
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

// applyTests are events after the first of TestApply, and the desktop after them.
var applyTests = []struct{ what, events, want string }{
	{"nothing", ``, "a on 1 focused; b on 1; workspace 1 on A"},
	{"another output", `{"WorkspaceActivated":{"id":3,"focused":true}} {"WindowFocusChanged":{"id":8}}`,
		"a on 1; b on 1 focused; workspace 1 on B"},
	{"shown, not focused", `{"WorkspaceActivated":{"id":2,"focused":false}}`, "a on 1 focused; b on 1; workspace 1 on A"},
	{"a new one takes the focus",
		`{"WindowOpenedOrChanged":{"window":{"id":9,"app_id":"c","workspace_id":2,"is_focused":true}}}`,
		"a on 1; b on 1; c on mail focused; workspace 1 on A"},
	{"a new one does not", `{"WindowOpenedOrChanged":{"window":{"id":9,"app_id":"c","workspace_id":2}}}`,
		"a on 1 focused; b on 1; c on mail; workspace 1 on A"},
	{"no focus", `{"WindowFocusChanged":{"id":null}}`, "a on 1; b on 1; workspace 1 on A"},
	{"no focus, briefly", `{"WindowFocusChanged":{}}`, "a on 1; b on 1; workspace 1 on A"},
	{"a focus on what is not there", `{"WindowFocusChanged":{"id":99}}`, "a on 1; b on 1; workspace 1 on A"},
	{"closed before it was known", `{"WindowClosed":{"id":99}}`, "a on 1 focused; b on 1; workspace 1 on A"},
	{"closed twice", `{"WindowClosed":{"id":7}} {"WindowClosed":{"id":7}}`, "b on 1; workspace 1 on A"},
	{"a layout of what is not there", `{"WindowLayoutsChanged":{"changes":[[99,{"window_size":[1,2]}]]}}`,
		"a on 1 focused; b on 1; workspace 1 on A"},
	{"broken layouts", `{"WindowLayoutsChanged":{"changes":[7,[],[7],["7",{}],[7,null],null]}}`,
		"a on 1 focused; b on 1; workspace 1 on A"},
	{"a workspace that is not there", `{"WorkspaceActivated":{"id":99,"focused":true}}`,
		"a on 1 focused; b on 1; workspace 1 on A"},
	{"nobody's workspace", `{"WindowOpenedOrChanged":{"window":{"id":9,"app_id":"c","workspace_id":null}}}`,
		"a on 1 focused; b on 1; c on ; workspace 1 on A"},
	{"an unknown event", `{"SomethingNew":{"id":7}}`, "a on 1 focused; b on 1; workspace 1 on A"},
	{"two in one", `{"SomethingNew":{},"WindowClosed":{"id":8}}`, "a on 1 focused; workspace 1 on A"},
	{"another type", `{"WindowClosed":{"id":"7"}} {"WindowClosed":[]} {"WindowClosed":null} {"WindowsChanged":7}`,
		"a on 1 focused; b on 1; workspace 1 on A"},
	{"everything anew", `{"WindowsChanged":{"windows":[]}}`, "workspace 1 on A"},
}

// TestApply shows what events do that no recording has, in the order in which
// they come.
func TestApply(t *testing.T) {
	const first = `{"WorkspacesChanged":{"workspaces":[
		{"id":1,"idx":1,"name":null,"output":"A","is_active":true,"is_focused":true,"active_window_id":7},
		{"id":2,"idx":2,"name":"mail","output":"A"},{"id":3,"idx":1,"output":"B","is_active":true}]}}
		{"WindowsChanged":{"windows":[{"id":7,"app_id":"a","workspace_id":1,"is_focused":true},
			{"id":8,"app_id":"b","workspace_id":3}]}}`
	for _, tt := range applyTests {
		w := &world{}
		for d := json.NewDecoder(strings.NewReader(first + tt.events)); d.More(); {
			var line json.RawMessage
			if err := d.Decode(&line); err != nil || !w.apply(line) {
				t.Fatalf("%s: %s: %v", tt.what, line, err)
			}
		}
		s := w.state()
		ws, _ := s.FocusedWorkspace()
		var facts []string
		for _, id := range []compositor.WindowID{7, 8, 9} {
			if win, ok := s.Window(id); ok {
				on, _ := s.Workspace(win.Workspace)
				facts = append(facts, fmt.Sprintf("%s on %s%s", win.AppID, on.Name, flags("focused", win.Focused)))
			}
		}
		if got := strings.Join(append(facts, "workspace "+ws.Name+" on "+ws.Output), "; "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.what, got, tt.want)
		}
	}
	for _, line := range []string{"", "}", `"text"`, "17", "[]", "\xff", `{"a":}`} {
		if (&world{}).apply([]byte(line)) {
			t.Errorf("%q is an event", line)
		}
	}
}

// The order on the wire is not an order: windows are told apart by when they had
// the focus.
func TestLatestFirst(t *testing.T) {
	w := &world{}
	for _, line := range []string{
		`{"WindowsChanged":{"windows":[{"id":1},{"id":2,"focus_timestamp":{"secs":5,"nanos":7}},` +
			`{"id":3,"focus_timestamp":{"secs":5,"nanos":8}},{"id":4,"focus_timestamp":null}]}}`,
		`{"WindowFocusTimestampChanged":{"id":1,"focus_timestamp":{"secs":6,"nanos":0}}}`,
		`{"WindowFocusTimestampChanged":{"id":99,"focus_timestamp":{"secs":7,"nanos":0}}}`,
		`{"WindowFocusChanged":{"id":4}}`,
	} {
		w.apply([]byte(line))
	}
	var ids []compositor.WindowID
	for _, win := range w.state().Windows {
		ids = append(ids, win.ID)
	}
	if want := []compositor.WindowID{4, 1, 3, 2}; !slices.Equal(ids, want) {
		t.Errorf("the windows are %v, want %v", ids, want)
	}
}

// FuzzApply folds arbitrary events: no panic, no window made up, and a state
// that can be asked everything.
func FuzzApply(f *testing.F) {
	for _, l := range fakeniri.Recording(f, "states") {
		if l.Conn == "events" && l.Dir == "recv" {
			f.Add([]byte(l.Line))
		}
	}
	for _, line := range []string{
		`{"WindowLayoutsChanged":{"changes":[[1,{"tile_size":[1e300,-1],"window_size":[9,9]}]]}}`,
		`{"KeyboardLayoutSwitched":{"idx":-7}}`, `{"WindowsChanged":{"windows":[{"id":0},{"id":0,"is_focused":true}]}}`,
	} {
		f.Add([]byte(line))
	}
	const known = `{"WindowsChanged":{"windows":[{"id":1,"workspace_id":1,"is_focused":true}]}}`
	f.Fuzz(func(t *testing.T, line []byte) {
		w := &world{outputs: map[string]output{"A": {Name: "A"}}}
		w.apply([]byte(known))
		ok := w.apply(line)
		if ok && !json.Valid(line) {
			t.Errorf("%q is an event", line)
		}
		s := w.state()
		if most := 1 + len(line)/len(`{"id":1}`); len(s.Windows) > most {
			t.Errorf("%d windows of %d bytes", len(s.Windows), len(line))
		}
		if len(s.Layouts) > 0 && (s.Layout < 0 || s.Layout >= len(s.Layouts)) {
			t.Errorf("layout %d of %q", s.Layout, s.Layouts)
		}
		if again := w.state(); !reflect.DeepEqual(s, again) {
			t.Errorf("the second time it is %+v, not %+v", again, s)
		}
		s.Focused()
		s.FocusedWorkspace()
		s.Bounds()
	})
}
