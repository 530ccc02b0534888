package fakeniri

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

// settleTime is how long a window must have the focus before niri notes when it
// got it.
const settleTime = 750 * time.Millisecond

// A real is a JSON number that always has a point, as niri's have.
type real float64

// MarshalJSON implements json.Marshaler.
func (r real) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(float64(r))
	if err == nil && !strings.ContainsAny(string(data), ".e") {
		data = append(data, ".0"...)
	}
	return data, err
}

// A snapshot is a moment of the desktop in niri's words.
type snapshot struct {
	workspaces []object
	windows    []object
	focused    any // id or nil
	keyboard   object
	overview   bool
}

func (d *desktop) snapshot() *snapshot {
	s := &snapshot{overview: d.overview, keyboard: object{"names": d.layouts, "current_idx": d.layout}}
	if w := d.focused(); w != nil {
		s.focused = w.id
	}
	for _, out := range d.outputs {
		for i, ws := range out.workspaces {
			s.workspaces = append(s.workspaces, object{
				"id": ws.id, "idx": i + 1, "name": orNull(ws.name), "output": out.Name,
				"is_urgent": ws.urgent(), "is_active": i == out.active, "is_focused": i == out.active && out == d.output,
				"active_window_id": idOf(ws.current()),
			})
		}
	}
	d.each(func(w *window) { s.windows = append(s.windows, d.describe(w)) })
	return s
}

func (d *desktop) describe(w *window) object {
	_, _, tiled := w.workspace.place(w)
	o := object{
		"id": w.id, "title": orNull(w.title), "app_id": orNull(w.AppID), "pid": w.PID, "workspace_id": w.workspace.id,
		"is_focused": w == d.focused(), "is_floating": !tiled, "is_urgent": w.urgent,
		"layout": w.layout(), "focus_timestamp": nil,
	}
	if w.focusedAt > 0 {
		o["focus_timestamp"] = object{"secs": int64(w.focusedAt / time.Second), "nanos": int64(w.focusedAt % time.Second)}
	}
	return o
}

// layout says where and how large w is.
func (w *window) layout() object {
	width, height := w.size()
	o := object{
		"pos_in_scrolling_layout": nil, "tile_size": []any{real(width), real(height)},
		"window_size":                []any{int(width), int(height)},
		"tile_pos_in_workspace_view": nil, "window_offset_in_tile": []any{real(0), real(0)},
	}
	if col, row, tiled := w.workspace.place(w); tiled {
		o["pos_in_scrolling_layout"] = []any{col + 1, row + 1}
	} else {
		o["tile_pos_in_workspace_view"] = []any{real(w.at.X), real(w.at.Y)}
	}
	return o
}

func (ws *workspace) urgent() bool {
	isUrgent := func(w *window) bool { return w.urgent }
	return slices.ContainsFunc(ws.floating, isUrgent) ||
		slices.ContainsFunc(ws.columns, func(c *column) bool { return slices.ContainsFunc(c.windows, isUrgent) })
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func idOf(w *window) any {
	if w == nil {
		return nil
	}
	return w.id
}

func list(objects []object) []any {
	all := make([]any, len(objects))
	for i, o := range objects {
		all[i] = o
	}
	return all
}

// beginning returns the events that tell a new subscriber everything.
func (s *snapshot) beginning() []object {
	return []object{
		{"WorkspacesChanged": object{"workspaces": list(s.workspaces)}},
		{"WindowsChanged": object{"windows": list(s.windows)}},
		{"KeyboardLayoutsChanged": object{"keyboard_layouts": s.keyboard}},
		{"OverviewOpenedOrClosed": object{"is_open": s.overview}},
		{"ConfigLoaded": object{"failed": false}},
		{"CastsChanged": object{"casts": []any{}}},
	}
}

// changes returns the events that lead from one snapshot to the next.
func changes(old, now *snapshot) []object {
	events := append(workspaceChanges(old, now), windowChanges(old, now)...)
	if old.keyboard["current_idx"] != now.keyboard["current_idx"] {
		events = append(events, object{"KeyboardLayoutSwitched": object{"idx": now.keyboard["current_idx"]}})
	}
	if old.overview != now.overview {
		events = append(events, object{"OverviewOpenedOrClosed": object{"is_open": now.overview}})
	}
	return events
}

// same reports whether a and b are equal in the fields that names tells.
func same(a, b object, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !reflect.DeepEqual(a[name], b[name]) })
}

func byID(objects []object) map[any]object {
	all := map[any]object{}
	for _, o := range objects {
		all[o["id"]] = o
	}
	return all
}

func workspaceChanges(old, now *snapshot) (events []object) {
	before := byID(old.workspaces)
	moved := len(old.workspaces) != len(now.workspaces)
	for _, ws := range now.workspaces {
		moved = moved || !same(before[ws["id"]], ws, "id", "idx", "name", "output")
	}
	if moved {
		return []object{{"WorkspacesChanged": object{"workspaces": list(now.workspaces)}}}
	}
	for _, ws := range now.workspaces {
		was, id := before[ws["id"]], ws["id"]
		if !same(was, ws, "active_window_id") {
			events = append(events,
				object{"WorkspaceActiveWindowChanged": object{"workspace_id": id, "active_window_id": ws["active_window_id"]}})
		}
		if !same(was, ws, "is_urgent") {
			events = append(events, object{"WorkspaceUrgencyChanged": object{"id": id, "urgent": ws["is_urgent"]}})
		}
		if ws["is_active"] == true && was["is_active"] == false || ws["is_focused"] == true && was["is_focused"] == false {
			events = append(events, object{"WorkspaceActivated": object{"id": id, "focused": ws["is_focused"]}})
		}
	}
	return events
}

func windowChanges(old, now *snapshot) (events []object) {
	before, after := byID(old.windows), byID(now.windows)
	var layouts []any
	for _, w := range now.windows {
		was, known := before[w["id"]]
		if !known || !same(was, w, "title", "app_id", "workspace_id", "is_floating") {
			events = append(events, object{"WindowOpenedOrChanged": object{"window": w}})
			continue
		}
		if w["is_focused"] == true && was["is_focused"] == false {
			events = append(events, object{"WindowFocusChanged": object{"id": w["id"]}})
		}
		if !same(was, w, "is_urgent") {
			events = append(events, object{"WindowUrgencyChanged": object{"id": w["id"], "urgent": w["is_urgent"]}})
		}
		if !same(was, w, "focus_timestamp") {
			events = append(events,
				object{"WindowFocusTimestampChanged": object{"id": w["id"], "focus_timestamp": w["focus_timestamp"]}})
		}
		if !same(was, w, "layout") {
			layouts = append(layouts, []any{w["id"], w["layout"]})
		}
	}
	if layouts != nil {
		events = append(events, object{"WindowLayoutsChanged": object{"changes": layouts}})
	}
	for _, w := range old.windows {
		if after[w["id"]] == nil {
			events = append(events, object{"WindowClosed": object{"id": w["id"]}})
		}
	}
	if old.focused != nil && now.focused == nil {
		events = append(events, object{"WindowFocusChanged": object{"id": nil}})
	}
	return events
}

// noteFocus starts the clock of a window that has got the focus. It reports
// whether that changed the desktop: what has the focus is not urgent.
func (d *desktop) noteFocus(old, now *snapshot) bool {
	w := d.focused()
	if w == nil {
		return false
	}
	if old.focused != now.focused && byID(old.windows)[w.id] != nil {
		d.now++
		d.pending, d.since = w, d.now
	}
	urgent := w.urgent
	w.urgent = false
	return urgent
}

// pass moves the clock. What has kept the focus long enough is noted.
func (d *desktop) pass(t time.Duration) {
	d.now += t
	if d.pending != nil && d.now >= d.since+settleTime {
		d.pending.focusedAt, d.pending = d.since, nil
	}
}

// round rounds a length to whole pixels of the screen.
func (out *output) round(length float64) float64 { return math.Round(length*out.scale) / out.scale }
