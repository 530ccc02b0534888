package fakeniri

import "strings"

// steps are the actions without fields that go along a column, a workspace or
// the workspaces.
var steps = map[string]action{
	"FocusWindowPrevious":             plain((*desktop).focusPrevious),
	"FocusColumnLeft":                 plain(func(d *desktop) { d.focusColumn("left") }),
	"FocusColumnRight":                plain(func(d *desktop) { d.focusColumn("right") }),
	"FocusColumnFirst":                plain(func(d *desktop) { d.focusColumnAt(0) }),
	"FocusColumnLast":                 plain(func(d *desktop) { d.focusColumnAt(1 << 20) }),
	"FocusColumnRightOrFirst":         plain(func(d *desktop) { _ = d.focusColumn("right") || d.jump(0) }),
	"FocusColumnLeftOrLast":           plain(func(d *desktop) { _ = d.focusColumn("left") || d.jump(1<<20) }),
	"FocusColumnOrMonitorLeft":        plain(func(d *desktop) { _ = d.focusColumn("left") || d.leave("left") }),
	"FocusColumnOrMonitorRight":       plain(func(d *desktop) { _ = d.focusColumn("right") || d.leave("right") }),
	"FocusWindowOrMonitorUp":          plain(func(d *desktop) { _ = d.focusRow("up") || d.leave("up") }),
	"FocusWindowOrMonitorDown":        plain(func(d *desktop) { _ = d.focusRow("down") || d.leave("down") }),
	"FocusWindowUp":                   plain(func(d *desktop) { d.focusRow("up") }),
	"FocusWindowDown":                 plain(func(d *desktop) { d.focusRow("down") }),
	"FocusWindowDownOrColumnLeft":     plain(func(d *desktop) { _ = d.focusRow("down") || d.focusColumn("left") }),
	"FocusWindowDownOrColumnRight":    plain(func(d *desktop) { _ = d.focusRow("down") || d.focusColumn("right") }),
	"FocusWindowUpOrColumnLeft":       plain(func(d *desktop) { _ = d.focusRow("up") || d.focusColumn("left") }),
	"FocusWindowUpOrColumnRight":      plain(func(d *desktop) { _ = d.focusRow("up") || d.focusColumn("right") }),
	"FocusWindowOrWorkspaceDown":      plain(func(d *desktop) { _ = d.focusRow("down") || d.focusWorkspaceBy("down") }),
	"FocusWindowOrWorkspaceUp":        plain(func(d *desktop) { _ = d.focusRow("up") || d.focusWorkspaceBy("up") }),
	"FocusWindowTop":                  plain(func(d *desktop) { d.focusRowAt(0) }),
	"FocusWindowBottom":               plain(func(d *desktop) { d.focusRowAt(1 << 20) }),
	"FocusWindowDownOrTop":            plain(func(d *desktop) { _ = d.focusRow("down") || d.jumpRow(0) }),
	"FocusWindowUpOrBottom":           plain(func(d *desktop) { _ = d.focusRow("up") || d.jumpRow(1<<20) }),
	"FocusWorkspaceDown":              plain(func(d *desktop) { d.focusWorkspaceBy("down") }),
	"FocusWorkspaceUp":                plain(func(d *desktop) { d.focusWorkspaceBy("up") }),
	"FocusWorkspacePrevious":          plain((*desktop).focusPreviousWorkspace),
	"MoveColumnLeft":                  plain(func(d *desktop) { d.moveColumn("left") }),
	"MoveColumnRight":                 plain(func(d *desktop) { d.moveColumn("right") }),
	"MoveColumnToFirst":               plain(func(d *desktop) { d.moveColumnTo(0) }),
	"MoveColumnToLast":                plain(func(d *desktop) { d.moveColumnTo(len(d.workspace().columns) - 1) }),
	"MoveColumnLeftOrToMonitorLeft":   plain(func(d *desktop) { d.moveColumnOrToOutput("left") }),
	"MoveColumnRightOrToMonitorRight": plain(func(d *desktop) { d.moveColumnOrToOutput("right") }),
	"MoveWindowDown":                  plain(func(d *desktop) { d.moveRow("down") }),
	"MoveWindowUp":                    plain(func(d *desktop) { d.moveRow("up") }),
	"MoveWindowDownOrToWorkspaceDown": plain(func(d *desktop) { _ = d.moveRow("down") || d.carry("down") }),
	"MoveWindowUpOrToWorkspaceUp":     plain(func(d *desktop) { _ = d.moveRow("up") || d.carry("up") }),
	"ConsumeOrExpelWindowLeft":        onWindow(func(d *desktop, w *window) { d.consumeOrExpel(w, "left") }),
	"ConsumeOrExpelWindowRight":       onWindow(func(d *desktop, w *window) { d.consumeOrExpel(w, "right") }),
	"ConsumeWindowIntoColumn":         plain((*desktop).consume),
	"ExpelWindowFromColumn":           plain((*desktop).expel),
	"SwapWindowLeft":                  plain(func(d *desktop) { d.swap("left") }),
	"SwapWindowRight":                 plain(func(d *desktop) { d.swap("right") }),
	"ToggleColumnTabbedDisplay":       plain(func(d *desktop) { d.display(func(tabbed bool) bool { return !tabbed }) }),
	"MoveWorkspaceDown":               plain(func(d *desktop) { d.moveWorkspace(d.workspace(), d.output.active+1) }),
	"MoveWorkspaceUp":                 plain(func(d *desktop) { d.moveWorkspace(d.workspace(), d.output.active-1) }),
	"SwitchPresetColumnWidth":         plain(func(d *desktop) { d.switchWidth(d.workspace().current(), 1) }),
	"SwitchPresetColumnWidthBack":     plain(func(d *desktop) { d.switchWidth(d.workspace().current(), -1) }),
	"SwitchPresetWindowWidth":         onWindow(func(d *desktop, w *window) { d.switchWidth(w, 1) }),
	"SwitchPresetWindowWidthBack":     onWindow(func(d *desktop, w *window) { d.switchWidth(w, -1) }),
}

func (d *desktop) jump(at int) bool {
	d.focusColumnAt(at)
	return true
}

func (d *desktop) jumpRow(at int) bool {
	d.focusRowAt(at)
	return true
}

// leave goes to the next output.
func (d *desktop) leave(dir direction) bool {
	out := d.beside(dir)
	d.focusOutput(out)
	return out != nil
}

// carry takes the active window to the workspace above or below.
func (d *desktop) carry(dir direction) bool {
	ws := d.neighbour(dir)
	d.moveWindow(d.workspace().current(), ws, true)
	return ws != nil
}

// moveColumnOrToOutput moves the active column along its workspace, or to the
// next output where there is nothing further that way.
func (d *desktop) moveColumnOrToOutput(dir direction) {
	if !d.moveColumn(dir) {
		d.columnToOutput(d.beside(dir))
	}
}

func (d *desktop) columnToOutput(out *output) bool {
	if out == nil || out == d.output {
		return false
	}
	d.moveColumnAway(out.current(), true)
	return true
}

// directed makes the actions that exist for every direction.
func directed() map[string]action {
	all := map[string]action{}
	for _, name := range []string{"Left", "Right", "Up", "Down", "Previous", "Next"} {
		dir := direction(strings.ToLower(name))
		all["FocusMonitor"+name] = plain(func(d *desktop) { d.leave(dir) })
		all["MoveWindowToMonitor"+name] = plain(func(d *desktop) { d.moveToOutput(d.workspace().current(), d.beside(dir)) })
		all["MoveColumnToMonitor"+name] = plain(func(d *desktop) { d.columnToOutput(d.beside(dir)) })
		all["MoveWorkspaceToMonitor"+name] = plain(func(d *desktop) { d.moveWorkspaceAway(d.workspace(), d.beside(dir)) })
	}
	for _, name := range []string{"Up", "Down"} {
		dir := direction(strings.ToLower(name))
		follow := fields{"focus": "bool"}
		all["MoveWindowToWorkspace"+name] = action{follow, func(d *desktop, a args) {
			d.moveWindow(d.workspace().current(), d.neighbour(dir), a["focus"].(bool))
		}}
		all["MoveColumnToWorkspace"+name] = action{follow,
			func(d *desktop, a args) { d.moveColumnAway(d.neighbour(dir), a["focus"].(bool)) }}
	}
	return all
}
