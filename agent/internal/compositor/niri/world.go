package niri

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"utter/agent/internal/compositor"
)

// What the wire calls things. Fields that are not here are ignored; those that
// are missing are zero.
type (
	window struct {
		ID          uint64  `json:"id"`
		Title       *string `json:"title"`
		AppID       *string `json:"app_id"`
		PID         *int    `json:"pid"`
		WorkspaceID *uint64 `json:"workspace_id"`
		Focused     bool    `json:"is_focused"`
		Floating    bool    `json:"is_floating"`
		Urgent      bool    `json:"is_urgent"`
		Layout      layout  `json:"layout"`
		FocusedAt   *stamp  `json:"focus_timestamp"`
	}
	layout struct {
		Slot     *[2]int     `json:"pos_in_scrolling_layout"` // column, row
		TileSize [2]float64  `json:"tile_size"`
		Size     [2]int      `json:"window_size"`
		TilePos  *[2]float64 `json:"tile_pos_in_workspace_view"`
		Offset   [2]float64  `json:"window_offset_in_tile"`
	}
	stamp struct {
		Secs  int64 `json:"secs"`
		Nanos int64 `json:"nanos"`
	}
	workspace struct {
		ID       uint64  `json:"id"`
		Index    int     `json:"idx"`
		Name     *string `json:"name"`
		Output   *string `json:"output"`
		Urgent   bool    `json:"is_urgent"`
		Active   bool    `json:"is_active"`
		Focused  bool    `json:"is_focused"`
		ActiveID *uint64 `json:"active_window_id"`
	}
	output struct {
		Name    string `json:"name"`
		Logical *struct {
			X, Y, Width, Height int
		} `json:"logical"`
	}
	layouts struct {
		Names   []string `json:"names"`
		Current int      `json:"current_idx"`
	}
	overview struct {
		Open bool `json:"is_open"`
	}
)

// A world is what niri has told. The zero world is empty and ready.
type world struct {
	windows    map[uint64]window
	workspaces map[uint64]workspace
	outputs    map[string]output
	layouts    layouts
	overview   bool
	captures   int
}

// apply folds one line of the event stream into w. Events that w does not know,
// and events about things that it does not know, are not errors: niri grows,
// and promises no order between related events. ok says whether the line was an
// event at all.
func (w *world) apply(line []byte) (ok bool) {
	var event map[string]json.RawMessage
	if json.Unmarshal(line, &event) != nil {
		return false
	}
	for name, body := range event {
		if fold := folds[name]; fold != nil {
			fold(w, body)
		}
	}
	return true
}

// folds are the events that change a world. A body that cannot be read changes
// nothing.
var folds = map[string]func(*world, []byte){
	"WorkspacesChanged": folding(func(w *world, e struct{ Workspaces []workspace }) { w.setWorkspaces(e.Workspaces) }),
	"WindowsChanged":    folding(func(w *world, e struct{ Windows []window }) { w.setWindows(e.Windows) }),
	"WorkspaceActivated": folding(func(w *world, e struct {
		ID      uint64
		Focused bool
	}) {
		w.activate(e.ID, e.Focused)
	}),
	"WorkspaceActiveWindowChanged": folding(func(w *world, e struct {
		WorkspaceID uint64  `json:"workspace_id"`
		Active      *uint64 `json:"active_window_id"`
	}) {
		if ws, ok := w.workspaces[e.WorkspaceID]; ok {
			ws.ActiveID = e.Active
			w.workspaces[e.WorkspaceID] = ws
		}
	}),
	"WindowOpenedOrChanged": folding(func(w *world, e struct{ Window window }) {
		w.put(e.Window)
		if e.Window.Focused {
			w.focus(e.Window.ID) // no WindowFocusChanged comes
		}
	}),
	"WindowClosed":       folding(func(w *world, e struct{ ID uint64 }) { delete(w.windows, e.ID) }),
	"WindowFocusChanged": folding(func(w *world, e struct{ ID *uint64 }) { w.focusMaybe(e.ID) }),
	"WindowFocusTimestampChanged": folding(func(w *world, e struct {
		ID uint64
		At *stamp `json:"focus_timestamp"`
	}) {
		w.change(e.ID, func(win *window) { win.FocusedAt = e.At })
	}),
	"WindowUrgencyChanged": folding(func(w *world, e struct {
		ID     uint64
		Urgent bool
	}) {
		w.change(e.ID, func(win *window) { win.Urgent = e.Urgent })
	}),
	"WindowLayoutsChanged": folding(func(w *world, e struct{ Changes []json.RawMessage }) { w.relayout(e.Changes) }),
	"KeyboardLayoutsChanged": folding(func(w *world, e struct {
		Layouts layouts `json:"keyboard_layouts"`
	}) {
		w.layouts = e.Layouts
	}),
	"KeyboardLayoutSwitched": folding(func(w *world, e struct {
		Index int `json:"idx"`
	}) {
		w.layouts.Current = e.Index
	}),
	"OverviewOpenedOrClosed": folding(func(w *world, e overview) { w.overview = e.Open }),
	"ScreenshotCaptured":     folding(func(w *world, _ struct{}) { w.captures++ }),
}

func folding[T any](apply func(*world, T)) func(*world, []byte) {
	return func(w *world, body []byte) {
		var event T
		if json.Unmarshal(body, &event) == nil {
			apply(w, event)
		}
	}
}

func (w *world) setWorkspaces(all []workspace) {
	w.workspaces = map[uint64]workspace{}
	for _, ws := range all {
		w.workspaces[ws.ID] = ws
	}
}

func (w *world) setWindows(all []window) {
	w.windows = map[uint64]window{}
	for _, win := range all {
		w.windows[win.ID] = win
	}
}

func (w *world) put(win window) {
	if w.windows == nil {
		w.windows = map[uint64]window{}
	}
	w.windows[win.ID] = win
}

func (w *world) change(id uint64, f func(*window)) {
	if win, ok := w.windows[id]; ok {
		f(&win)
		w.windows[id] = win
	}
}

// activate makes a workspace the one its output shows and, if focused, the one
// in use.
func (w *world) activate(id uint64, focused bool) {
	now, ok := w.workspaces[id]
	if !ok {
		return
	}
	for i, ws := range w.workspaces {
		if text(ws.Output) == text(now.Output) {
			ws.Active = i == id
		}
		if focused {
			ws.Focused = i == id
		}
		w.workspaces[i] = ws
	}
}

func (w *world) focusMaybe(id *uint64) {
	if id == nil {
		w.focus(0) // windows count from 1
		return
	}
	w.focus(*id)
}

func (w *world) focus(id uint64) {
	for i, win := range w.windows {
		win.Focused = i == id
		w.windows[i] = win
	}
}

// relayout reads pairs of a window's id and its layout.
func (w *world) relayout(changes []json.RawMessage) {
	for _, c := range changes {
		var pair [2]json.RawMessage
		var id uint64
		var l layout
		if json.Unmarshal(c, &pair) == nil && json.Unmarshal(pair[0], &id) == nil && json.Unmarshal(pair[1], &l) == nil {
			w.change(id, func(win *window) { win.Layout = l })
		}
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// state returns w as every compositor's state is.
func (w *world) state() *compositor.State {
	s := &compositor.State{Layouts: w.layouts.Names, Layout: w.layouts.Current, Overview: w.overview, Captures: w.captures}
	if s.Layout < 0 || s.Layout >= len(s.Layouts) {
		s.Layout = 0
	}
	for _, ws := range w.workspaces {
		name := text(ws.Name)
		if name == "" {
			name = fmt.Sprint(ws.Index)
		}
		s.Workspaces = append(s.Workspaces, compositor.Workspace{
			ID: ws.ID, Number: ws.Index, Name: name, Output: text(ws.Output), Visible: ws.Active, Focused: ws.Focused,
		})
	}
	slices.SortFunc(s.Workspaces, func(a, b compositor.Workspace) int {
		return cmp.Or(cmp.Compare(a.Output, b.Output), cmp.Compare(a.Number, b.Number), cmp.Compare(a.ID, b.ID))
	})
	for _, o := range w.outputs {
		if o.Logical != nil {
			s.Outputs = append(s.Outputs, compositor.Output{Name: o.Name, Rect: compositor.Rect(*o.Logical)})
		}
	}
	slices.SortFunc(s.Outputs, func(a, b compositor.Output) int {
		return cmp.Or(cmp.Compare(a.Rect.X, b.Rect.X), cmp.Compare(a.Rect.Y, b.Rect.Y), cmp.Compare(a.Name, b.Name))
	})
	windows := slices.SortedFunc(func(yield func(window) bool) {
		for _, win := range w.windows {
			if !yield(win) {
				return
			}
		}
	}, latestFirst)
	for _, win := range windows {
		s.Windows = append(s.Windows, w.window(win))
	}
	return s
}

// latestFirst orders windows by their last focus; the order on the wire is none.
func latestFirst(a, b window) int {
	at := func(w window) stamp {
		if w.FocusedAt == nil {
			return stamp{}
		}
		return *w.FocusedAt
	}
	x, y := at(a), at(b)
	focused := func(w window) int {
		if w.Focused {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(focused(b), focused(a)), cmp.Compare(y.Secs, x.Secs),
		cmp.Compare(y.Nanos, x.Nanos), cmp.Compare(a.ID, b.ID))
}

func (w *world) window(win window) compositor.Window {
	c := compositor.Window{
		ID: compositor.WindowID(win.ID), AppID: text(win.AppID), Title: text(win.Title),
		Focused: win.Focused, Floating: win.Floating, Urgent: win.Urgent,
		Rect: compositor.Rect{Width: win.Layout.Size[0], Height: win.Layout.Size[1]},
	}
	if win.PID != nil {
		c.PID = *win.PID
	}
	if win.Layout.Slot != nil {
		c.Column, c.Row = win.Layout.Slot[0], win.Layout.Slot[1]
	}
	if win.WorkspaceID == nil {
		return c
	}
	c.Workspace = *win.WorkspaceID
	c.Output = text(w.workspaces[c.Workspace].Output)
	out, ok := w.outputs[c.Output]
	if !ok || out.Logical == nil {
		return c
	}
	// niri says neither that a window is fullscreen nor where a tiled one is. A
	// tile as large as its output fills it.
	if int(win.Layout.TileSize[0]) == out.Logical.Width && int(win.Layout.TileSize[1]) == out.Logical.Height {
		c.Fullscreen, c.Placed = true, true
		c.Rect.X, c.Rect.Y = out.Logical.X, out.Logical.Y
	} else if pos := win.Layout.TilePos; pos != nil {
		c.Placed = true
		c.Rect.X = out.Logical.X + int(pos[0]+win.Layout.Offset[0])
		c.Rect.Y = out.Logical.Y + int(pos[1]+win.Layout.Offset[1])
	}
	return c
}
