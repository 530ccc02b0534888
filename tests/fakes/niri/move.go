package fakeniri

import "slices"

// moveColumn moves the active column along its workspace.
func (d *desktop) moveColumn(dir direction) bool {
	ws := d.workspace()
	if w := ws.floatingFocus(); w != nil {
		w.at.X += floatStep * float64(dir.step())
		return true
	}
	return d.moveColumnTo(ws.column + dir.step())
}

// moveColumnTo reports whether there is such a place.
func (d *desktop) moveColumnTo(at int) bool {
	ws := d.workspace()
	if ws.floatingFocus() != nil || at < 0 || at >= len(ws.columns) {
		return false
	}
	c := ws.columns[ws.column]
	ws.columns = slices.Insert(slices.Delete(ws.columns, ws.column, ws.column+1), at, c)
	ws.column = at
	return true
}

// moveRow moves the active window within its column.
func (d *desktop) moveRow(dir direction) bool {
	ws := d.workspace()
	if w := ws.floatingFocus(); w != nil {
		w.at.Y += floatStep * float64(dir.step())
		return true
	}
	if len(ws.columns) == 0 {
		return false
	}
	c := ws.columns[ws.column]
	to := c.row + dir.step()
	if to < 0 || to >= len(c.windows) {
		return false
	}
	c.windows[c.row], c.windows[to] = c.windows[to], c.windows[c.row]
	c.row = to
	return true
}

// consume puts the first window of the column to the right below the active
// column.
func (d *desktop) consume() {
	ws := d.workspace()
	if ws.floatingFocus() != nil || ws.column+1 >= len(ws.columns) {
		return
	}
	c := ws.columns[ws.column]
	w := ws.columns[ws.column+1].windows[0]
	ws.take(w)
	c.windows = append(c.windows, w)
}

// expel makes a column of the last window of the active one.
func (d *desktop) expel() {
	ws := d.workspace()
	if ws.floatingFocus() != nil || len(ws.columns) == 0 || len(ws.columns[ws.column].windows) < 2 {
		return
	}
	c := ws.columns[ws.column]
	w := c.windows[len(c.windows)-1]
	active := c.current()
	like := ws.take(w)
	like.windows = []*window{w}
	ws.addColumn(&like, active == w)
}

// consumeOrExpel moves w out of its column, or into the neighbouring one.
func (d *desktop) consumeOrExpel(w *window, dir direction) {
	if w == nil {
		return
	}
	ws := w.workspace
	col, _, tiled := ws.place(w)
	if !tiled {
		return
	}
	active := ws.current()
	if c := ws.columns[col]; len(c.windows) > 1 {
		like := ws.take(w)
		like.windows = []*window{w}
		at := col
		if dir == "right" {
			at++
		}
		ws.columns = slices.Insert(ws.columns, at, &like)
		ws.back = nil
	} else {
		to := col + dir.step()
		if to < 0 || to >= len(ws.columns) {
			return
		}
		target := ws.columns[to]
		ws.takeColumn(col)
		target.windows = append(target.windows, w)
	}
	ws.activate(active)
}

// swap exchanges the active window with that of the neighbouring column.
func (d *desktop) swap(dir direction) {
	ws := d.workspace()
	to := ws.column + dir.step()
	if ws.floatingFocus() != nil || to < 0 || to >= len(ws.columns) {
		return
	}
	a, b := ws.columns[ws.column], ws.columns[to]
	if len(a.windows) == 1 && len(b.windows) == 1 {
		ws.columns[ws.column], ws.columns[to] = b, a
	} else {
		a.windows[a.row], b.windows[b.row] = b.windows[b.row], a.windows[a.row]
	}
	ws.column, ws.back = to, nil
}

// moveWindow takes w to another workspace.
func (d *desktop) moveWindow(w *window, ws *workspace, follow bool) {
	if w == nil || ws == nil || w.workspace == ws {
		return
	}
	_, _, tiled := w.workspace.place(w)
	empty := ws.current() == nil
	like := w.workspace.take(w)
	if tiled {
		like.windows = []*window{w}
		ws.addColumn(&like, follow || empty)
		ws.aboveTiles = ws.aboveTiles && !follow
	} else {
		ws.float(w, follow || empty)
	}
	if follow {
		d.focusWindow(w)
	}
}

// moveColumnAway takes the active column to another workspace.
func (d *desktop) moveColumnAway(ws *workspace, follow bool) {
	from := d.workspace()
	if ws == nil || ws == from {
		return
	}
	if w := from.floatingFocus(); w != nil || len(from.columns) == 0 {
		d.moveWindow(w, ws, follow)
		return
	}
	c := from.takeColumn(from.column)
	ws.addColumn(c, follow || ws.current() == nil)
	if follow {
		ws.aboveTiles = false
		d.focusWorkspace(ws)
	}
}

// neighbour returns the workspace above or below, or nil.
func (d *desktop) neighbour(dir direction) *workspace {
	to := d.output.active + dir.step()
	if to < 0 || to >= len(d.output.workspaces) {
		return nil
	}
	return d.output.workspaces[to]
}

// moveWorkspace moves ws to a place on its output. Here niri tidies at once.
func (d *desktop) moveWorkspace(ws *workspace, at int) {
	if ws == nil {
		return
	}
	out := ws.output
	active := out.current()
	from := slices.Index(out.workspaces, ws)
	at = min(max(at, 0), len(out.workspaces)-1)
	out.workspaces = slices.Insert(slices.Delete(out.workspaces, from, from+1), at, ws)
	out.active = slices.Index(out.workspaces, active)
	d.addTrailing()
	d.sweep()
}

// moveWorkspaceAway takes ws to another output.
func (d *desktop) moveWorkspaceAway(ws *workspace, to *output) {
	if ws == nil || to == nil || ws.output == to || !ws.used() {
		return
	}
	from, active := ws.output, ws.output.current()
	at := slices.Index(from.workspaces, ws)
	from.workspaces = slices.Delete(from.workspaces, at, at+1)
	from.active = max(slices.Index(from.workspaces, active), min(at, len(from.workspaces)-1), 0)
	to.workspaces = slices.Insert(to.workspaces, to.active+1, ws)
	ws.output = to
	if active == ws {
		from.active = max(at-1, 0)
		to.show(ws)
		d.focusOutput(to)
	}
	d.addTrailing()
	d.sweep()
}

// moveToOutput takes a window, or the active column, to another output.
func (d *desktop) moveToOutput(w *window, out *output) {
	if out == nil || w == nil || out == w.workspace.output {
		return
	}
	d.moveWindow(w, out.current(), true)
}
