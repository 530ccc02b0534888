package fakeniri

import (
	"math"
	"slices"
)

const (
	gap       = 16
	floatStep = 50 // how far a floating window is moved
)

// presets are the widths and heights that niri switches between.
var presets = []float64{1. / 3, 1. / 2, 2. / 3}

// logical returns the size of the output in its own pixels.
func (out *output) logical() (width, height float64) {
	return float64(out.Width) / out.scale, float64(out.Height) / out.scale
}

// share returns what a part of whole is, beside the gaps.
func share(whole, part float64) float64 { return (whole-gap)*part - gap }

// size returns the size of the tile of w.
func (w *window) size() (width, height float64) {
	out := w.workspace.output
	outWidth, outHeight := out.logical()
	if w.fullscreen || w.edges {
		return outWidth, outHeight
	}
	col, row, tiled := w.workspace.place(w)
	if !tiled {
		return w.width, w.height
	}
	c := w.workspace.columns[col]
	return c.pixels(outWidth), c.heights(out)[row]
}

// pixels returns the width of a column.
func (c *column) pixels(whole float64) float64 {
	switch {
	case c.full:
		return whole - 2*gap
	case c.width <= 1:
		return math.Floor(share(whole, c.width))
	}
	return c.width
}

// heights returns those of the windows of a column: what has none of its own
// gets a fair share of the rest.
func (c *column) heights(out *output) []float64 {
	_, whole := out.logical()
	all := make([]float64, len(c.windows))
	rest, sharing := whole-gap*float64(len(c.windows)+1), 0
	for i, w := range c.windows {
		switch {
		case c.tabbed:
			all[i] = whole - 2*gap
		case w.height > 0:
			all[i] = w.height
			rest -= w.height
		default:
			sharing++
		}
	}
	for i := range all {
		if all[i] == 0 {
			all[i] = out.round(rest / float64(sharing))
			rest -= all[i]
			sharing--
		}
	}
	return all
}

// apply returns what a length becomes; whole is what percents are of.
func (l length) apply(old, whole float64, beside float64) float64 {
	amount := l.amount
	if l.percent {
		amount *= (whole - beside) / 100
		if !l.relative {
			amount -= beside
		}
	}
	if l.relative {
		amount += old
	}
	return amount
}

func (d *desktop) setWidth(w *window, l length) {
	if w == nil {
		return
	}
	whole, _ := w.workspace.output.logical()
	col, _, tiled := w.workspace.place(w)
	if !tiled {
		w.width = math.Floor(l.apply(w.width, whole, 0))
		return
	}
	c := w.workspace.columns[col]
	switch {
	case l.percent && !l.relative:
		c.width = l.amount / 100
	case l.percent && c.width <= 1 && !c.full:
		c.width += l.amount / 100
	default:
		c.width = math.Floor(max(l.apply(c.pixels(whole), whole, gap), 2))
	}
	c.full, c.preset = false, 0
}

func (d *desktop) setHeight(w *window, l length) {
	if w == nil {
		return
	}
	_, whole := w.workspace.output.logical()
	if _, _, tiled := w.workspace.place(w); !tiled {
		w.height = math.Floor(l.apply(w.height, whole, 0))
		return
	}
	_, height := w.size()
	w.height = math.Round(max(l.apply(height, whole, gap), 1))
}

// switchWidth goes to the next preset width, or the one before.
func (d *desktop) switchWidth(w *window, step int) {
	if w == nil {
		return
	}
	col, _, tiled := w.workspace.place(w)
	if !tiled {
		return
	}
	c := w.workspace.columns[col]
	whole, _ := w.workspace.output.logical()
	n := len(presets)
	to := (c.preset - 1 + step + n) % n
	if c.preset == 0 || c.full {
		to = nextPreset(c.pixels(whole), whole, step)
	}
	c.width, c.preset, c.full = presets[to], to+1, false
}

func nextPreset(size, whole float64, step int) int {
	if step > 0 {
		at := slices.IndexFunc(presets, func(p float64) bool { return math.Floor(share(whole, p)) > size })
		return max(at, 0)
	}
	for i := range slices.Backward(presets) {
		if math.Floor(share(whole, presets[i])) < size {
			return i
		}
	}
	return len(presets) - 1
}

func (d *desktop) maximizeColumn() {
	ws := d.workspace()
	if len(ws.columns) > 0 && ws.floatingFocus() == nil {
		c := ws.columns[ws.column]
		c.full = !c.full
	}
}

func (d *desktop) display(tabbed func(bool) bool) {
	ws := d.workspace()
	if len(ws.columns) > 0 && ws.floatingFocus() == nil {
		c := ws.columns[ws.column]
		c.tabbed = tabbed(c.tabbed)
	}
}

// fullscreen makes w fill the output, in a column of its own, or not any more.
func (d *desktop) fullscreen(w *window) {
	if w == nil {
		return
	}
	w.fullscreen = !w.fullscreen
	ws := w.workspace
	col, _, tiled := ws.place(w)
	switch {
	case w.fullscreen && !tiled:
		w.floated = true
		ws.tile(w, true)
	case w.fullscreen && len(ws.columns[col].windows) > 1:
		d.consumeOrExpel(w, "right")
	case !w.fullscreen && w.floated:
		w.floated = false
		ws.take(w)
		ws.float(w, true)
	}
}

// float puts w above the tiles.
func (ws *workspace) float(w *window, activate bool) {
	w.workspace = ws
	if n := len(ws.floating); n > 0 && !activate {
		ws.floating = slices.Insert(ws.floating, n-1, w)
	} else {
		ws.floating = append(ws.floating, w)
	}
	ws.aboveTiles = ws.aboveTiles || activate
}

// tile puts a floating w into a column.
func (ws *workspace) tile(w *window, activate bool) {
	c := ws.take(w)
	c.windows = []*window{w}
	ws.addColumn(&c, activate)
	if activate {
		ws.aboveTiles = false
	}
}

// setFloating makes w float, or not.
func (d *desktop) setFloating(w *window, floating bool) {
	if w == nil {
		return
	}
	ws := w.workspace
	_, _, tiled := ws.place(w)
	active := ws.current() == w
	switch {
	case floating && tiled:
		w.width, w.height = w.size()
		w.at = d.floatAt
		ws.take(w)
		ws.float(w, active)
	case !floating && !tiled:
		w.height = 0
		ws.tile(w, active)
	}
}

func (w *window) resetHeight() {
	if _, _, tiled := w.workspace.place(w); tiled {
		w.height = 0
	}
}

// center puts a floating w in the middle; a tiled one only scrolls the view.
func (w *window) center() {
	if _, _, tiled := w.workspace.place(w); !tiled {
		width, height := w.workspace.output.logical()
		w.at = Point{(width - w.width) / 2, (height - w.height) / 2}
	}
}
