package fakeniri

import "maps"

// An action is what a client may ask niri to do.
type action struct {
	fields fields
	play   func(*desktop, args)
}

// actions are all that niri 25.11 knows, but for Quit, which ends the model.
var actions = map[string]action{
	"Quit": {fields{"skip_confirmation": "bool"}, nothing},

	"CloseWindow": onWindow(func(d *desktop, w *window) {
		if !w.Stubborn {
			d.remove(w)
		}
	}),
	"FullscreenWindow":      onWindow((*desktop).fullscreen),
	"MaximizeWindowToEdges": onWindow(func(_ *desktop, w *window) { w.edges = !w.edges }),
	"ToggleWindowFloating": onWindow(func(d *desktop, w *window) {
		_, _, tiled := w.workspace.place(w)
		d.setFloating(w, tiled)
	}),
	"MoveWindowToFloating": onWindow(func(d *desktop, w *window) { d.setFloating(w, true) }),
	"MoveWindowToTiling":   onWindow(func(d *desktop, w *window) { d.setFloating(w, false) }),
	"ResetWindowHeight":    onWindow(func(_ *desktop, w *window) { w.resetHeight() }),
	"CenterWindow":         onWindow(func(_ *desktop, w *window) { w.center() }),
	"FocusWindow":          withWindow((*desktop).focusWindow),
	"SetWindowUrgent":      withWindow(func(_ *desktop, w *window) { w.urgent = true }),
	"UnsetWindowUrgent":    withWindow(func(_ *desktop, w *window) { w.urgent = false }),
	"ToggleWindowUrgent":   withWindow(func(_ *desktop, w *window) { w.urgent = !w.urgent }),
	"MoveFloatingWindow":   {fields{"id": "id?", "x": "place", "y": "place"}, moveFloating},
	"SetWindowWidth": {fields{"id": "id?", "change": "size"},
		func(d *desktop, a args) { d.setWidth(d.subject(a), a["change"].(length)) }},
	"SetWindowHeight": {fields{"id": "id?", "change": "size"},
		func(d *desktop, a args) { d.setHeight(d.subject(a), a["change"].(length)) }},
	"SetColumnWidth": {fields{"change": "size"},
		func(d *desktop, a args) { d.setWidth(d.workspace().current(), a["change"].(length)) }},
	"MaximizeColumn": plain((*desktop).maximizeColumn),
	"SetColumnDisplay": {fields{"display": "display"},
		func(d *desktop, a args) { d.display(func(bool) bool { return a["display"] == "Tabbed" }) }},
	"FocusWindowInColumn": {fields{"index": "byte"}, func(d *desktop, a args) { d.focusRowAt(a.index()) }},
	"FocusColumn":         {fields{"index": "id"}, func(d *desktop, a args) { d.focusColumnAt(a.index()) }},
	"MoveColumnToIndex": {fields{"index": "id"},
		func(d *desktop, a args) { d.moveColumnTo(min(a.index(), len(d.workspace().columns)-1)) }},
	"FocusWorkspace": {fields{"reference": "reference"},
		func(d *desktop, a args) { d.goToWorkspace(d.find(a["reference"].(reference))) }},
	"MoveWindowToWorkspace": {fields{"window_id": "id?", "reference": "reference", "focus": "bool"},
		moveWindowToWorkspace},
	"MoveColumnToWorkspace": {fields{"reference": "reference", "focus": "bool"}, func(d *desktop, a args) {
		d.moveColumnAway(d.find(a["reference"].(reference)), a["focus"].(bool))
	}},
	"MoveWorkspaceToIndex": {fields{"index": "id", "reference": "reference?"}, func(d *desktop, a args) {
		d.moveWorkspace(d.place(a, "reference"), a.index())
	}},
	"MoveWorkspaceToMonitor": {fields{"output": "text", "reference": "reference?"}, func(d *desktop, a args) {
		d.moveWorkspaceAway(d.place(a, "reference"), d.outputCalled(a["output"].(string)))
	}},
	"SetWorkspaceName": {fields{"name": "text", "workspace": "reference?"}, func(d *desktop, a args) {
		name := a["name"].(string)
		if ws := d.place(a, "workspace"); ws != nil && (name == "" || d.find(reference{name: &name}) == nil) {
			ws.name = name
		}
	}},
	"UnsetWorkspaceName": {fields{"reference": "reference?"}, func(d *desktop, a args) {
		if ws := d.place(a, "reference"); ws != nil {
			ws.name = ""
		}
	}},
	"FocusMonitor": {fields{"output": "text"},
		func(d *desktop, a args) { d.focusOutput(d.outputCalled(a["output"].(string))) }},
	"MoveWindowToMonitor": {fields{"id": "id?", "output": "text"}, func(d *desktop, a args) {
		d.moveToOutput(d.subject(a), d.outputCalled(a["output"].(string)))
	}},
	"MoveColumnToMonitor": {fields{"output": "text"},
		func(d *desktop, a args) { d.columnToOutput(d.outputCalled(a["output"].(string))) }},
	"FocusMonitorPrevious":                plain(func(d *desktop) { d.focusOutput(d.beside("previous")) }),
	"SwitchLayout":                        {fields{"layout": "layout"}, switchLayout},
	"LoadConfigFile":                      plain(func(d *desktop) { d.reload(true) }),
	"ToggleOverview":                      plain(func(d *desktop) { d.overview = !d.overview }),
	"OpenOverview":                        plain(func(d *desktop) { d.overview = true }),
	"CloseOverview":                       plain(func(d *desktop) { d.overview = false }),
	"FocusFloating":                       plain(func(d *desktop) { d.focusLayer(true) }),
	"FocusTiling":                         plain(func(d *desktop) { d.focusLayer(false) }),
	"SwitchFocusBetweenFloatingAndTiling": plain(func(d *desktop) { d.focusLayer(!d.workspace().aboveTiles) }),

	"ScreenshotScreen": {fields{"write_to_disk": "bool", "show_pointer": "bool", "path": "text?"},
		func(d *desktop, a args) { d.screenshot(a) }},
	"ScreenshotWindow": {fields{"id": "id?", "write_to_disk": "bool", "show_pointer": "bool", "path": "text?"},
		func(d *desktop, a args) {
			if d.subject(a) != nil {
				d.screenshot(a)
			}
		}},
}

func init() {
	maps.Copy(actions, quiet)
	maps.Copy(actions, steps)
	maps.Copy(actions, directed())
}

// quiet are the actions that the model takes and does not play: nothing of what
// they do shows on the socket, or only what a program or a person does then.
var quiet = map[string]action{
	"Spawn":                          {fields{"command": "texts"}, nothing}, // a test opens the window
	"SpawnSh":                        {fields{"command": "text"}, nothing},
	"Screenshot":                     {fields{"show_pointer": "bool", "path": "text?"}, nothing}, // waits for the person
	"DoScreenTransition":             {fields{"delay_ms": "short?"}, nothing},
	"PowerOffMonitors":               {nil, nothing},
	"PowerOnMonitors":                {nil, nothing},
	"ToggleKeyboardShortcutsInhibit": {nil, nothing},
	"ToggleWindowedFullscreen":       {fields{"id": "id?"}, nothing}, // the program is told, niri tells nobody
	"CenterColumn":                   {nil, nothing},                 // scrolls the view, which is not told
	"CenterVisibleColumns":           {nil, nothing},
	"ExpandColumnToAvailableWidth":   {nil, nothing}, // by the scroll of the view
	"ShowHotkeyOverlay":              {nil, nothing},
	"ToggleDebugTint":                {nil, nothing},
	"DebugToggleOpaqueRegions":       {nil, nothing},
	"DebugToggleDamage":              {nil, nothing},
	"ToggleWindowRuleOpacity":        {fields{"id": "id?"}, nothing},
	"SetDynamicCastWindow":           {fields{"id": "id?"}, nothing}, // there are no casts
	"SetDynamicCastMonitor":          {fields{"output": "text?"}, nothing},
	"ClearDynamicCastTarget":         {nil, nothing},
	"StopCast":                       {fields{"session_id": "id"}, nothing},
	"SwitchPresetWindowHeight":       {fields{"id": "id?"}, nothing}, // the model has presets for columns only
	"SwitchPresetWindowHeightBack":   {fields{"id": "id?"}, nothing},
}

func nothing(*desktop, args) {}

// plain makes an action without fields.
func plain(play func(*desktop)) action { return action{nil, func(d *desktop, _ args) { play(d) }} }

// onWindow makes an action on a window that may be left out: then it is the
// focused one. One that does not exist is passed over.
func onWindow(play func(*desktop, *window)) action {
	return action{fields{"id": "id?"}, func(d *desktop, a args) {
		if w := d.subject(a); w != nil {
			play(d, w)
		}
	}}
}

// withWindow makes an action on a window that must be named.
func withWindow(play func(*desktop, *window)) action {
	a := onWindow(play)
	a.fields = fields{"id": "id"}
	return a
}

// subject returns the window that an action is about, or nil.
func (d *desktop) subject(a args) *window {
	for _, name := range []string{"id", "window_id"} {
		if id, ok := a[name].(uint64); ok {
			return d.windows[id]
		}
	}
	return d.workspace().current()
}

// place returns the workspace that an action is about, or nil.
func (d *desktop) place(a args, field string) *workspace {
	if r, ok := a[field].(reference); ok {
		return d.find(r)
	}
	return d.workspace()
}

// index returns the index that came, from 0.
func (a args) index() int { return int(min(max(a["index"].(uint64), 1), 1<<20)) - 1 }

func moveWindowToWorkspace(d *desktop, a args) {
	d.moveWindow(d.subject(a), d.find(a["reference"].(reference)), a["focus"].(bool))
}

func moveFloating(d *desktop, a args) {
	w := d.subject(a)
	if w == nil {
		return
	}
	if _, _, tiled := w.workspace.place(w); !tiled {
		width, height := w.workspace.output.logical()
		w.at = Point{a["x"].(length).apply(w.at.X, width, 0), a["y"].(length).apply(w.at.Y, height, 0)}
	}
}

func switchLayout(d *desktop, a args) {
	n := len(d.layouts)
	switch to := a["layout"].(type) {
	case uint64:
		if int(to) < n {
			d.layout = int(to)
		}
	case string:
		d.layout = (d.layout + map[string]int{"Next": 1, "Prev": n - 1}[to]) % n
	}
}

func (d *desktop) screenshot(a args) {
	var path any
	if a["write_to_disk"] == true {
		if path = a["path"]; path == nil {
			path = "/home/user/Pictures/Screenshots/Screenshot.png"
		}
	}
	d.tellOnce("ScreenshotCaptured", object{"path": path})
}
