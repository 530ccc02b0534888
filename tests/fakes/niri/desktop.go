package fakeniri

import (
	"slices"
	"strings"
	"time"
)

// A desktop is what niri keeps. On each output workspaces stand one below the
// other; on each workspace columns stand side by side, and windows float above.
type desktop struct {
	outputs       []*output
	output        *output // the one in use
	before        *output // the one used before
	windows       map[uint64]*window
	nextWindow    uint64
	nextWorkspace uint64
	named         []string // in the configuration
	layouts       []string
	layout        int
	overview      bool
	floatAt       Point
	backAndForth  bool
	news          []object // events that no state shows

	now     time.Duration
	pending *window // has the focus, but not for long enough to note it
	since   time.Duration
}

type output struct {
	Monitor
	scale      float64
	workspaces []*workspace // never empty; the last one is empty
	active     int
	previous   *workspace // the active one before
}

type workspace struct {
	id         uint64
	name       string
	output     *output
	columns    []*column
	column     int       // the active one
	back       *column   // gives the focus back to its left when it goes
	floating   []*window // the active one last
	aboveTiles bool      // the focus is on the floating ones
}

type column struct {
	windows []*window // never empty
	row     int       // the active one
	width   float64   // of the space beside the gaps if at most 1, else pixels
	preset  int       // from 1, of presets; 0 is none
	full    bool
	tabbed  bool
}

type window struct {
	Toplevel
	id         uint64
	title      string
	workspace  *workspace
	fullscreen bool
	edges      bool // maximised to the edges
	floated    bool // and floats again when it is fullscreen no longer
	urgent     bool
	focusedAt  time.Duration // 0 is never
	height     float64       // pixels; 0 is a fair share
	width      float64       // pixels, while it floats
	at         Point         // the same
}

func newDesktop(o Options) *desktop {
	d := &desktop{
		windows: map[uint64]*window{}, nextWindow: max(o.First, 1), nextWorkspace: 1, named: o.Named,
		layouts: o.Layouts, floatAt: o.FloatAt, backAndForth: o.BackAndForth, now: time.Hour,
	}
	if len(d.layouts) == 0 {
		d.layouts = []string{"English (US)"}
	}
	if len(o.Outputs) == 0 {
		o.Outputs = []Monitor{{Name: "winit", Width: 1280, Height: 800}}
	}
	for _, output := range o.Outputs {
		d.plug(output)
	}
	return d
}

func (d *desktop) plug(o Monitor) {
	out := &output{Monitor: o, scale: 1}
	d.outputs = append(d.outputs, out)
	if d.output == nil {
		d.output = out
		for _, name := range d.named {
			d.insert(out, len(out.workspaces)).name = name
		}
	}
	d.addTrailing()
}

// insert makes a workspace.
func (d *desktop) insert(out *output, at int) *workspace {
	ws := &workspace{id: d.nextWorkspace, output: out}
	d.nextWorkspace++
	out.workspaces = slices.Insert(out.workspaces, at, ws)
	return ws
}

// addTrailing adds an empty workspace below the last one that is in use.
func (d *desktop) addTrailing() {
	for _, out := range d.outputs {
		if n := len(out.workspaces); n == 0 || out.workspaces[n-1].used() {
			d.insert(out, n)
		}
	}
}

// sweep takes empty workspaces away that are neither active nor the last.
func (d *desktop) sweep() {
	for _, out := range d.outputs {
		active, last := out.current(), out.workspaces[len(out.workspaces)-1]
		out.workspaces = slices.DeleteFunc(out.workspaces, func(ws *workspace) bool {
			return !ws.used() && ws != active && ws != last
		})
		out.active = slices.Index(out.workspaces, active)
	}
}

func (ws *workspace) used() bool {
	return ws.name != "" || len(ws.columns) > 0 || len(ws.floating) > 0
}

func (out *output) current() *workspace { return out.workspaces[out.active] }

func (d *desktop) workspace() *workspace { return d.output.current() }

// current returns the active window, or nil.
func (ws *workspace) current() *window {
	if n := len(ws.floating); n > 0 && (ws.aboveTiles || len(ws.columns) == 0) {
		return ws.floating[n-1]
	}
	if len(ws.columns) > 0 {
		return ws.columns[ws.column].current()
	}
	return nil
}

func (c *column) current() *window { return c.windows[c.row] }

// focused returns the window with the focus; the overview takes it from all.
func (d *desktop) focused() *window {
	if d.overview {
		return nil
	}
	return d.workspace().current()
}

// all calls f for every workspace in niri's order.
func (d *desktop) all(f func(*workspace)) {
	for _, out := range d.outputs {
		for _, ws := range out.workspaces {
			f(ws)
		}
	}
}

// each calls f for every window in niri's order.
func (d *desktop) each(f func(*window)) {
	d.all(func(ws *workspace) {
		for _, c := range ws.columns {
			for _, w := range c.windows {
				f(w)
			}
		}
		for _, w := range slices.Backward(ws.floating) {
			f(w)
		}
	})
}

// place returns the column and row of w; ok is false for a floating one.
func (ws *workspace) place(w *window) (col, row int, ok bool) {
	for i, c := range ws.columns {
		if row := slices.Index(c.windows, w); row >= 0 {
			return i, row, true
		}
	}
	return 0, 0, false
}

// find returns the workspace that r names, or nil.
func (d *desktop) find(r reference) *workspace {
	var found *workspace
	if r.index != nil {
		at := max(int(*r.index), 1) - 1
		return d.output.workspaces[min(at, len(d.output.workspaces)-1)]
	}
	d.all(func(ws *workspace) {
		if r.id != nil && ws.id == *r.id || r.name != nil && ws.name != "" && strings.EqualFold(ws.name, *r.name) {
			found = ws
		}
	})
	return found
}

func (d *desktop) open(o Toplevel) *window {
	w := &window{Toplevel: o, id: d.nextWindow, title: o.Title}
	d.nextWindow++
	d.windows[w.id] = w
	ws := d.workspace()
	ws.addColumn(&column{windows: []*window{w}, width: 0.5}, true)
	ws.aboveTiles = false
	if ws.column > 0 {
		ws.back = ws.columns[ws.column]
	}
	w.workspace = ws
	d.now++
	w.focusedAt, d.pending = d.now, nil
	return w
}

func (d *desktop) remove(w *window) {
	if w == nil {
		return
	}
	w.workspace.take(w)
	delete(d.windows, w.id)
	if d.pending == w {
		d.pending = nil
	}
}

// addColumn puts c to the right of the active column.
func (ws *workspace) addColumn(c *column, activate bool) {
	at := min(ws.column+1, len(ws.columns))
	ws.columns = slices.Insert(ws.columns, at, c)
	if activate {
		ws.column, ws.back = at, nil
	}
	for _, w := range c.windows {
		w.workspace = ws
	}
}

// take takes w out and returns what its column was like.
func (ws *workspace) take(w *window) column {
	if at := slices.Index(ws.floating, w); at >= 0 {
		ws.floating = slices.Delete(ws.floating, at, at+1)
		ws.aboveTiles = ws.aboveTiles && len(ws.floating) > 0
		return column{width: w.width}
	}
	col, row, _ := ws.place(w)
	c := ws.columns[col]
	like := column{width: c.width, full: c.full, preset: c.preset}
	c.windows = slices.Delete(c.windows, row, row+1)
	if len(c.windows) > 0 {
		if row < c.row || c.row == len(c.windows) {
			c.row--
		}
		return like
	}
	ws.takeColumn(col)
	return like
}

func (ws *workspace) takeColumn(col int) *column {
	c := ws.columns[col]
	ws.columns = slices.Delete(ws.columns, col, col+1)
	if col < ws.column || col == ws.column && (ws.back == c || col == len(ws.columns)) {
		ws.column = max(ws.column-1, 0)
	}
	if col == ws.column || ws.back == c {
		ws.back = nil
	}
	return c
}

// activate makes w the active window of its workspace.
func (ws *workspace) activate(w *window) {
	col, row, tiled := ws.place(w)
	ws.aboveTiles = !tiled
	if !tiled {
		ws.floating = append(slices.DeleteFunc(ws.floating, func(o *window) bool { return o == w }), w)
		return
	}
	ws.goTo(col)
	ws.columns[col].row = row
}

func (ws *workspace) goTo(col int) {
	if col != ws.column {
		ws.back = nil
	}
	ws.column = col
}

// reload reads the configuration: workspaces that it names are made on top.
func (d *desktop) reload(ok bool) {
	d.tellOnce("ConfigLoaded", object{"failed": !ok})
	if !ok {
		return
	}
	at := 0
	for _, name := range d.named {
		if d.find(reference{name: &name}) == nil {
			out := d.outputs[0]
			d.insert(out, at).name = name
			out.active++
			at++
		}
	}
}

func (d *desktop) tellOnce(event string, body object) { d.news = append(d.news, object{event: body}) }

func (d *desktop) takeNews() []object {
	news := d.news
	d.news = nil
	return news
}
