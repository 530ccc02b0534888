package fakeniri_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	fakeniri "utter/tests/fakes/niri"
)

type (
	window struct {
		ID        uint64
		AppID     string `json:"app_id"`
		Workspace uint64 `json:"workspace_id"`
		Focused   bool   `json:"is_focused"`
		Urgent    bool   `json:"is_urgent"`
		Layout    struct {
			Slot *[2]int     `json:"pos_in_scrolling_layout"`
			Tile [2]float64  `json:"tile_size"`
			At   *[2]float64 `json:"tile_pos_in_workspace_view"`
		}
	}
	workspace struct {
		ID      uint64
		Index   int     `json:"idx"`
		Name    *string `json:"name"`
		Output  string
		Focused bool `json:"is_focused"`
	}
)

func ask[T any](t *testing.T, n *fakeniri.Niri, question string) (value T) {
	t.Helper()
	var reply struct{ Ok map[string]T }
	if err := json.Unmarshal([]byte(n.Say(question)), &reply); err != nil {
		t.Fatal(err)
	}
	return reply.Ok[question]
}

// picture writes a desktop down: workspaces in their order, "*" for the focus,
// "~" for what floats, "/" between the windows of a column.
func picture(t *testing.T, n *fakeniri.Niri) string {
	t.Helper()
	windows := ask[[]window](t, n, "Windows")
	var all []string
	for _, ws := range ask[[]workspace](t, n, "Workspaces") {
		text := fmt.Sprintf("%s%d", strings.TrimPrefix(ws.Output+":", "winit:"), ws.Index)
		if ws.Name != nil {
			text += "=" + *ws.Name
		}
		if ws.Focused {
			text += "*"
		}
		for _, w := range windows {
			if w.Workspace != ws.ID {
				continue
			}
			before := " "
			switch {
			case w.Layout.Slot == nil:
				before = " ~"
			case w.Layout.Slot[1] > 1:
				before = "/"
			}
			text += before + w.AppID
			if w.Focused {
				text += "*"
			}
			if w.Urgent {
				text += "!"
			}
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

func open(n *fakeniri.Niri, apps ...string) (ids []uint64) {
	for _, app := range apps {
		ids = append(ids, n.Open(fakeniri.Toplevel{AppID: app, Title: app}))
	}
	return ids
}

// TestActions shows what a real niri 25.11 did where the recordings have
// nothing: columns of several windows, floating windows, names, the overview.
func TestActions(t *testing.T) {
	for _, tt := range []struct{ open, do, want string }{
		{"abcde", `FocusColumn index:9`, "1* a b c d e*; 2"},
		{"abcde", `FocusColumn index:0`, "1* a* b c d e; 2"},
		{"abcde", `MoveColumnToIndex index:0`, "1* e* a b c d; 2"},
		{"abcde", `MoveColumnToIndex index:2 MoveColumnToIndex index:9`, "1* a b c d e*; 2"},
		{"abc", `FocusColumnFirst ConsumeWindowIntoColumn`, "1* a*/b c; 2"},
		{"abc", `FocusColumnFirst ConsumeWindowIntoColumn ConsumeWindowIntoColumn FocusWindowInColumn index:9`,
			"1* a/b/c*; 2"},
		{"abc", `ConsumeOrExpelWindowLeft FocusWindowUp`, "1* a b*/c; 2"},
		{"abc", `ConsumeOrExpelWindowLeft FocusWindowDownOrTop MoveWindowDown`, "1* a c/b*; 2"},
		{"abc", `ConsumeOrExpelWindowLeft ConsumeOrExpelWindowLeft`, "1* a c* b; 2"},
		{"abc", `ConsumeOrExpelWindowLeft ConsumeOrExpelWindowRight`, "1* a b c*; 2"},
		{"abc", `ConsumeOrExpelWindowLeft FocusWindowUp ExpelWindowFromColumn`, "1* a b* c; 2"},
		{"abc", `ConsumeOrExpelWindowRight id:1`, "1* b/a c*; 2"},
		{"abcd", `ConsumeOrExpelWindowLeft SwapWindowLeft`, "1* a d* c/b; 2"},
		{"abc", `ConsumeOrExpelWindowLeft FullscreenWindow`, "1* a b c*; 2"},
		{"abcd", `FocusColumn index:2 CloseWindow`, "1* a c* d; 2"},
		{"abcd", `CloseWindow`, "1* a b c*; 2"},
		{"abcd", `FocusColumn index:2 CloseWindow id:4 CloseWindow`, "1* a c*; 2"},
		{"abc", `FocusWindowPrevious`, "1* a b* c; 2"},
		{"abcd", `ToggleWindowFloating`, "1* a b c ~d*; 2"},
		{"abcd", `ToggleWindowFloating MoveWindowToFloating id:1 MoveFloatingWindow id:4 x:300 y:5 FocusColumnLeft`,
			"1* b c ~a* ~d; 2"},
		{"abcd",
			`ToggleWindowFloating MoveWindowToFloating id:1 MoveFloatingWindow id:4 x:300 y:5 FocusColumnLeft FocusColumnLast`,
			"1* b c ~d* ~a; 2"},
		{"abcd", `ToggleWindowFloating FocusTiling MoveWindowToTiling id:4`, "1* a b c* d; 2"},
		{"abcd", `ToggleWindowFloating FullscreenWindow`, "1* a b c d*; 2"},
		{"abcd", `ToggleWindowFloating FullscreenWindow FullscreenWindow`, "1* a b c ~d*; 2"},
		{"ab", `ToggleWindowFloating MoveWindowToWorkspaceDown focus:true`, "1 a; 2* ~b*; 3"},
		{"ab", `SetWindowUrgent id:1`, "1* a! b*; 2"},
		{"ab", `SetWindowUrgent id:2`, "1* a b*; 2"},
		{"ab", `SetWindowUrgent id:1 FocusWindow id:1`, "1* a* b; 2"},
		{"ab", `OpenOverview`, "1* a b; 2"},
		{"ab", `OpenOverview FocusWindow id:1`, "1* a b; 2"},
		{"ab", `OpenOverview FocusWindow id:1 CloseOverview`, "1* a* b; 2"},
		{"ab", `MoveWindowToWorkspaceDown focus:false`, "1* a*; 2 b; 3"},
		{"ab", `MoveWindowToWorkspaceDown focus:false MoveWindowToWorkspaceDown focus:false`, "1*; 2 b a; 3"},
		{"ab", `MoveWindowToWorkspaceDown focus:true MoveColumnToWorkspaceUp focus:true`, "1* a b*; 2"},
		{"a", `FocusWorkspaceDown FocusWorkspaceUp`, "1* a*; 2"},
		{"a", `FocusWorkspace name:A`, "1* a*; 2"},
		{"a", `SetWorkspaceName name:x FocusWorkspaceDown SetWorkspaceName name:X FocusWorkspace name:X`, "1=x* a*; 2"},
		{"a", `SetWorkspaceName name:x FocusWorkspaceDown SetWorkspaceName name:y`, "1=x a; 2=y*; 3"},
		{"a", `FocusWorkspaceDown SetWorkspaceName name:y FocusWorkspaceUp`, "1* a*; 2=y; 3"},
		{"a", `SetWorkspaceName name:x SetWorkspaceName name:`, "1* a*; 2"},
		{"ab", `MoveWindowToWorkspaceDown focus:true MoveWorkspaceToIndex index:0`, "1* b*; 2 a; 3"},
	} {
		n := fakeniri.Start(t, fakeniri.Options{})
		open(n, strings.Split(tt.open, "")...)
		for _, action := range strings.Split(actionJSON(tt.do), "\n") {
			n.Do(action)
		}
		if got := picture(t, n); got != tt.want {
			t.Errorf("%s: %s: %s, want %s", tt.open, tt.do, got, tt.want)
		}
	}
}

// actionJSON reads "Action field:value … Action …".
func actionJSON(text string) string {
	var actions []string
	fields := object{}
	name := ""
	flush := func() {
		if name != "" {
			actions = append(actions, encode(object{name: fields}))
		}
		fields = object{}
	}
	for _, word := range strings.Fields(text) {
		key, value, isField := strings.Cut(word, ":")
		var number float64
		isNumber := json.Unmarshal([]byte(value), &number) == nil
		switch {
		case !isField:
			flush()
			name = key
		case key == "x" || key == "y":
			fields[key] = object{"SetFixed": number}
		case name == "FocusWorkspace":
			fields["reference"] = object{"Name": value}
		case isNumber:
			fields[key] = number
		case key == "focus":
			fields[key] = value == "true"
		default:
			fields[key] = value
		}
	}
	flush()
	return strings.Join(actions, "\n")
}

// TestSizes shows the sizes that a real niri 25.11 gave.
func TestSizes(t *testing.T) {
	n := fakeniri.Start(t, fakeniri.Options{FloatAt: fakeniri.Point{X: 10, Y: 20}})
	open(n, "a")
	for _, tt := range []struct{ do, want string }{
		{`{"SetColumnWidth":{"change":{"SetFixed":500}}}`, "500x768"},
		{`{"SetColumnWidth":{"change":{"AdjustFixed":-40}}}`, "460x768"},
		{`{"SetColumnWidth":{"change":{"AdjustProportion":10}}}`, "586x768"},
		{`{"SetWindowWidth":{"change":{"SetProportion":25}}}`, "300x768"},
		{`{"SetWindowWidth":{"change":{"AdjustFixed":100}}}`, "400x768"},
		{`{"SwitchPresetColumnWidth":{}}`, "405x768"},
		{`{"SwitchPresetColumnWidth":{}}`, "616x768"},
		{`{"SwitchPresetWindowWidth":{}}`, "826x768"},
		{`{"SwitchPresetColumnWidthBack":{}}`, "616x768"},
		{`{"MaximizeColumn":{}}`, "1248x768"},
		{`{"SetColumnWidth":{"change":{"SetProportion":50}}}`, "616x768"},
		{`{"SetWindowHeight":{"change":{"SetProportion":50}}}`, "616x376"},
		{`{"SetWindowHeight":{"change":{"AdjustProportion":-10}}}`, "616x298"},
		{`{"SetWindowHeight":{"change":{"AdjustFixed":30}}}`, "616x328"},
		{`{"ResetWindowHeight":{}}`, "616x768"},
		{`{"MaximizeWindowToEdges":{}}`, "1280x800"},
		{`{"MaximizeWindowToEdges":{}}`, "616x768"},
		{`{"ToggleWindowFloating":{}}`, "616x768 at 10,20"},
		{`{"MoveFloatingWindow":{"x":{"SetFixed":100},"y":{"AdjustFixed":30}}}`, "616x768 at 100,50"},
		{`{"MoveFloatingWindow":{"x":{"AdjustFixed":-10},"y":{"AdjustProportion":10}}}`, "616x768 at 90,130"},
		{`{"MoveFloatingWindow":{"x":{"SetProportion":10},"y":{"SetProportion":10}}}`, "616x768 at 128,80"},
		{`{"MoveColumnLeft":{}}`, "616x768 at 78,80"},
		{`{"MoveWindowDown":{}}`, "616x768 at 78,130"},
		{`{"CenterWindow":{}}`, "616x768 at 332,16"},
		{`{"SetWindowWidth":{"change":{"SetProportion":50}}}`, "640x768 at 332,16"},
		{`{"SetWindowHeight":{"change":{"SetProportion":50}}}`, "640x400 at 332,16"},
	} {
		n.Do(tt.do)
		l := ask[[]window](t, n, "Windows")[0].Layout
		got := fmt.Sprintf("%vx%v", l.Tile[0], l.Tile[1])
		if l.At != nil {
			got += fmt.Sprintf(" at %v,%v", l.At[0], l.At[1])
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.do, got, tt.want)
		}
	}
}

// heights returns those of all windows.
func heights(t *testing.T, n *fakeniri.Niri) (all []float64) {
	for _, w := range ask[[]window](t, n, "Windows") {
		all = append(all, w.Layout.Tile[1])
	}
	return all
}

func TestHeightsAreShared(t *testing.T) {
	n := fakeniri.Start(t, fakeniri.Options{})
	open(n, "a", "b", "c", "d")
	n.Do(`{"FocusColumnFirst":{}}`)
	for _, want := range [][]float64{{376, 376, 768, 768}, {245, 246, 245, 768}, {180, 180, 180, 180}} {
		n.Do(`{"ConsumeWindowIntoColumn":{}}`)
		if got := heights(t, n); !slices.Equal(got, want) {
			t.Errorf("heights are %v, want %v", got, want)
		}
	}
	n.Do(`{"SetWindowHeight":{"id":3,"change":{"SetFixed":200}}}`)
	if got, want := heights(t, n), []float64{173, 174, 200, 173}; !slices.Equal(got, want) {
		t.Errorf("heights are %v, want %v", got, want)
	}
	n.Do(`{"SetColumnDisplay":{"display":"Tabbed"}}`)
	if got, want := heights(t, n), []float64{768, 768, 768, 768}; !slices.Equal(got, want) {
		t.Errorf("heights are %v, want %v", got, want)
	}
}

// Nobody has recorded a niri with two outputs; this is what its manual says.
func TestOutputs(t *testing.T) {
	n := fakeniri.Start(t, fakeniri.Options{Outputs: []fakeniri.Monitor{
		{Name: "L", Width: 1280, Height: 800}, {Name: "R", X: 1280, Width: 1920, Height: 1080},
	}})
	open(n, "a", "b")
	for _, tt := range []struct{ do, want string }{
		{"FocusMonitorRight", "L:1 a b; L:2; R:1*"},
		{"FocusMonitorRight", "L:1 a b; L:2; R:1*"},
		{"FocusMonitorNext", "L:1* a b*; L:2; R:1"},
		{"MoveWindowToMonitor output:R", "L:1 a; L:2; R:1* b*; R:2"},
		{"MoveColumnToMonitorLeft", "L:1* a b*; L:2; R:1; R:2"}, // one that is shown stays
		{"FocusColumnOrMonitorRight", "L:1 a b; L:2; R:1*; R:2"},
		{"FocusMonitor output:X", "L:1 a b; L:2; R:1*; R:2"},
		{"FocusWindow id:1", "L:1* a* b; L:2; R:1; R:2"},
		{"MoveWorkspaceToMonitorRight", "L:1; R:1* a* b; R:2"},
	} {
		n.Do(actionJSON(tt.do))
		if got := picture(t, n); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.do, got, tt.want)
		}
	}
}

// More than 64 waiting events end a subscriber, and only that one.
func TestASlowSubscriberIsDropped(t *testing.T) {
	n := fakeniri.Start(t, fakeniri.Options{})
	open(n, "a")
	slow, quick := dial(t, n.Path()), dial(t, n.Path())
	for _, c := range []*conn{slow, quick} {
		fmt.Fprintln(c, `"EventStream"`)
		c.next(t)
	}
	long := strings.Repeat("x", 100_000)
	sent := 0
	for ; n.Clients() == 2 && sent < 1000; sent++ {
		n.Rename(1, long+fmt.Sprint(sent))
		for text := ""; !strings.Contains(text, long+fmt.Sprint(sent)); {
			text = quick.next(t)
		}
		time.Sleep(time.Millisecond)
	}
	if sent < 64 || sent == 1000 {
		t.Errorf("%d events were sent", sent)
	}
	for {
		if _, err := slow.lines.ReadString('\n'); err != nil {
			break
		}
	}
	n.Rename(1, "b")
	quick.next(t)
}
