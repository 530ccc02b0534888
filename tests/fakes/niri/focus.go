package fakeniri

import (
	"cmp"
	"slices"
)

// A direction is one of the screen's, or along a list.
type direction string

// step is what a direction is in a list: from left to right, from top to bottom.
func (dir direction) step() int {
	if dir == "left" || dir == "up" || dir == "previous" {
		return -1
	}
	return 1
}

// focusWindow gives the focus to w, wherever it is.
func (d *desktop) focusWindow(w *window) {
	if w == nil {
		return
	}
	w.workspace.activate(w)
	d.focusWorkspace(w.workspace)
}

// goToWorkspace is what people do, with the habits of the configuration.
func (d *desktop) goToWorkspace(ws *workspace) {
	if d.backAndForth && ws == d.workspace() {
		d.focusPreviousWorkspace()
		return
	}
	d.focusWorkspace(ws)
}

func (d *desktop) focusWorkspace(ws *workspace) {
	if ws == nil {
		return
	}
	d.focusOutput(ws.output)
	ws.output.show(ws)
}

func (out *output) show(ws *workspace) {
	if at := slices.Index(out.workspaces, ws); at != out.active {
		out.previous = out.current()
		out.active = at
	}
}

func (d *desktop) focusOutput(out *output) {
	if out != nil && out != d.output {
		d.before, d.output = d.output, out
	}
}

// focusColumn moves the focus to a neighbour on the same workspace. It reports
// whether there was one.
func (d *desktop) focusColumn(dir direction) bool {
	ws := d.workspace()
	if w := ws.floatingFocus(); w != nil {
		return ws.focusFloating(w, dir)
	}
	to := ws.column + dir.step()
	if to < 0 || to >= len(ws.columns) {
		return false
	}
	ws.goTo(to)
	return true
}

// focusColumnAt clamps: niri goes to the last one if there are fewer.
func (d *desktop) focusColumnAt(at int) {
	ws := d.workspace()
	if len(ws.floating) > 0 && ws.floatingFocus() != nil {
		if at == 0 || at >= len(ws.floating) {
			ws.activate(ws.outermost(at > 0))
		}
		return
	}
	if len(ws.columns) > 0 {
		ws.goTo(min(max(at, 0), len(ws.columns)-1))
	}
}

// focusRow moves the focus within the column.
func (d *desktop) focusRow(dir direction) bool {
	ws := d.workspace()
	if w := ws.floatingFocus(); w != nil {
		return ws.focusFloating(w, dir)
	}
	if len(ws.columns) == 0 {
		return false
	}
	c := ws.columns[ws.column]
	to := c.row + dir.step()
	if to < 0 || to >= len(c.windows) {
		return false
	}
	c.row = to
	return true
}

func (d *desktop) focusRowAt(at int) {
	ws := d.workspace()
	if len(ws.columns) > 0 && ws.floatingFocus() == nil {
		c := ws.columns[ws.column]
		c.row = min(max(at, 0), len(c.windows)-1)
	}
}

// floatingFocus returns the active window if it floats.
func (ws *workspace) floatingFocus() *window {
	if n := len(ws.floating); n > 0 && (ws.aboveTiles || len(ws.columns) == 0) {
		return ws.floating[n-1]
	}
	return nil
}

func (ws *workspace) focusFloating(w *window, dir direction) bool {
	distance := func(o *window) float64 {
		width, height := w.size()
		owidth, oheight := o.size()
		x, y := o.at.X+owidth/2-w.at.X-width/2, o.at.Y+oheight/2-w.at.Y-height/2
		if dir == "up" || dir == "down" {
			x = y
		}
		return x * float64(dir.step())
	}
	var nearest *window
	for _, o := range ws.floating {
		if distance(o) > 0 && (nearest == nil || distance(o) < distance(nearest)) {
			nearest = o
		}
	}
	if nearest == nil {
		return false
	}
	ws.activate(nearest)
	return true
}

func (ws *workspace) outermost(right bool) *window {
	byPlace := func(a, b *window) int { return cmp.Compare(a.at.X, b.at.X) }
	if right {
		return slices.MaxFunc(ws.floating, byPlace)
	}
	return slices.MinFunc(ws.floating, byPlace)
}

// focusLayer gives the focus to the floating windows or to the tiled ones.
func (d *desktop) focusLayer(floating bool) {
	if ws := d.workspace(); floating && len(ws.floating) > 0 || !floating && len(ws.columns) > 0 {
		ws.aboveTiles = floating
	}
}

// focusPrevious gives the focus to the window that had it before.
func (d *desktop) focusPrevious() {
	var latest *window
	d.each(func(w *window) {
		if w != d.focused() && (latest == nil || w.focusedAt > latest.focusedAt) {
			latest = w
		}
	})
	d.focusWindow(latest)
}

func (d *desktop) focusWorkspaceBy(dir direction) bool {
	out := d.output
	to := out.active + dir.step()
	if to < 0 || to >= len(out.workspaces) {
		return false
	}
	out.show(out.workspaces[to])
	return true
}

func (d *desktop) focusPreviousWorkspace() {
	if out := d.output; slices.Contains(out.workspaces, out.previous) {
		out.show(out.previous)
	}
}

// beside returns the output in a direction from the one in use, or nil.
func (d *desktop) beside(dir direction) *output {
	if dir == "next" || dir == "previous" {
		n := len(d.outputs)
		at := slices.Index(d.outputs, d.output) + dir.step()
		if other := d.outputs[(at+n)%n]; other != d.output {
			return other
		}
		return nil
	}
	away := func(o *output) int {
		if dir == "left" || dir == "right" {
			return dir.step() * (o.X - d.output.X)
		}
		return dir.step() * (o.Y - d.output.Y)
	}
	var nearest *output
	for _, o := range d.outputs {
		if away(o) > 0 && (nearest == nil || away(o) < away(nearest)) {
			nearest = o
		}
	}
	return nearest
}

func (d *desktop) outputCalled(name string) *output {
	i := slices.IndexFunc(d.outputs, func(o *output) bool { return o.Name == name })
	if i < 0 {
		return nil
	}
	return d.outputs[i]
}
