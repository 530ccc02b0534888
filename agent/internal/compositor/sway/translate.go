package sway

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"utter/agent/internal/compositor"
)

// bare translates actions that sway has under another name. Those about a
// window are prefixed by its id.
var bare = map[string]string{
	"focus-column-left":                        "focus left",
	"focus-column-right":                       "focus right",
	"focus-window-up":                          "focus up",
	"focus-window-down":                        "focus down",
	"focus-column-or-monitor-left":             "focus left",
	"focus-column-or-monitor-right":            "focus right",
	"focus-window-or-monitor-up":               "focus up",
	"focus-window-or-monitor-down":             "focus down",
	"focus-workspace-up":                       "workspace prev_on_output",
	"focus-workspace-down":                     "workspace next_on_output",
	"focus-workspace-previous":                 "workspace back_and_forth",
	"focus-monitor-left":                       "focus output left",
	"focus-monitor-right":                      "focus output right",
	"focus-monitor-up":                         "focus output up",
	"focus-monitor-down":                       "focus output down",
	"focus-floating":                           "focus floating",
	"focus-tiling":                             "focus tiling",
	"switch-focus-between-floating-and-tiling": "focus mode_toggle",
	"move-workspace-to-monitor-left":           "move workspace to output left",
	"move-workspace-to-monitor-right":          "move workspace to output right",
	"move-workspace-to-monitor-up":             "move workspace to output up",
	"move-workspace-to-monitor-down":           "move workspace to output down",
	"load-config-file":                         "reload",
	"power-off-monitors":                       "output * power off",
	"power-on-monitors":                        "output * power on",
	"quit":                                     "exit",
}

var onWindow = map[string]string{
	"focus-window":                  "focus",
	"close-window":                  "kill",
	"fullscreen-window":             "fullscreen toggle",
	"toggle-window-floating":        "floating toggle",
	"move-window-to-floating":       "floating enable",
	"move-window-to-tiling":         "floating disable",
	"move-column-left":              "move left",
	"move-column-right":             "move right",
	"move-window-up":                "move up",
	"move-window-down":              "move down",
	"move-window-to-workspace-up":   "move container to workspace prev_on_output",
	"move-window-to-workspace-down": "move container to workspace next_on_output",
	"move-column-to-workspace-up":   "move container to workspace prev_on_output",
	"move-column-to-workspace-down": "move container to workspace next_on_output",
	"move-window-to-monitor-left":   "move container to output left",
	"move-window-to-monitor-right":  "move container to output right",
	"move-window-to-monitor-up":     "move container to output up",
	"move-window-to-monitor-down":   "move container to output down",
	"move-column-to-monitor-left":   "move container to output left",
	"move-column-to-monitor-right":  "move container to output right",
	"move-column-to-monitor-up":     "move container to output up",
	"move-column-to-monitor-down":   "move container to output down",
	"toggle-column-tabbed-display":  "layout toggle tabbed split",
}

// byState translates actions whose command depends on the state or an argument.
var byState = map[string]func(*compositor.State, compositor.Action) (string, error){
	"focus-window-previous":              focusPrevious,
	"focus-column-first":                 focusEnd,
	"focus-column-last":                  focusEnd,
	"focus-workspace":                    workspaceCommand,
	"move-window-to-workspace":           workspaceCommand,
	"move-column-to-workspace":           workspaceCommand,
	"focus-monitor-next":                 nextOutput,
	"focus-monitor-previous":             nextOutput,
	"move-window-to-monitor-next":        nextOutput,
	"move-window-to-monitor-previous":    nextOutput,
	"move-column-to-monitor-next":        nextOutput,
	"move-column-to-monitor-previous":    nextOutput,
	"move-workspace-to-monitor-next":     nextOutput,
	"move-workspace-to-monitor-previous": nextOutput,
	"focus-monitor":                      namedOutput,
	"move-window-to-monitor":             namedOutput,
	"move-column-to-monitor":             namedOutput,
	"move-workspace-to-monitor":          namedOutput,
	"set-column-width":                   resize,
	"set-window-width":                   resize,
	"set-window-height":                  resize,
	"center-window":                      center,
	"set-column-display":                 columnDisplay,
	"switch-layout":                      switchLayout,
}

// supports reports whether translate knows the action.
func supports(action string) bool {
	return bare[action] != "" || onWindow[action] != "" || byState[action] != nil
}

// translate returns the commands for a, or ErrNotSupported or ErrNotFound. It
// puts no text into a command that sway did not itself report.
func translate(s *compositor.State, a compositor.Action) (string, error) {
	if c, ok := bare[a.Name]; ok {
		return c, nil
	}
	if c, ok := onWindow[a.Name]; ok {
		return criteria(a.Window) + c, nil
	}
	if command, ok := byState[a.Name]; ok {
		return command(s, a)
	}
	return "", compositor.ErrNotSupported
}

func criteria(id compositor.WindowID) string { return fmt.Sprintf("[con_id=%d] ", id) }

// keywords mean something else to sway, in quotes as well.
var keywords = []string{
	"next", "prev", "next_on_output", "prev_on_output", "back_and_forth", "current", "number",
	"left", "right", "up", "down", "primary", "nonprimary",
}

// named ends a command with a name that sway reported. i3 takes a backslash for
// an escape, sway leaves it in the name and takes "--" for an option even in
// quotes, and both cut commands at line breaks: such names are refused.
func named(command, name string) (string, error) {
	if strings.ContainsAny(name, "\"\\\n\x00$") || strings.HasPrefix(name, "--") ||
		slices.Contains(keywords, strings.ToLower(name)) {
		return "", fmt.Errorf("a name that sway takes for nothing else (this is %q): %w", name, compositor.ErrNotFound)
	}
	return command + `"` + name + `"`, nil
}

func focusPrevious(s *compositor.State, _ compositor.Action) (string, error) {
	for _, w := range s.Windows {
		if !w.Focused && !w.Hidden {
			return criteria(w.ID) + "focus", nil
		}
	}
	return "", fmt.Errorf("another window: %w", compositor.ErrNotFound)
}

// focusEnd focuses the first or last tiled window of the workspace in use.
func focusEnd(s *compositor.State, a compositor.Action) (string, error) {
	ws, _ := s.FocusedWorkspace()
	var tiled []compositor.Window
	for _, w := range s.Windows {
		if w.Workspace == ws.ID && !w.Floating {
			tiled = append(tiled, w)
		}
	}
	if len(tiled) == 0 {
		return "", fmt.Errorf("a window on this workspace: %w", compositor.ErrNotFound)
	}
	byPlace := func(a, b compositor.Window) int { return cmp.Compare(a.Rect.X, b.Rect.X) }
	if a.Name == "focus-column-first" {
		return criteria(slices.MinFunc(tiled, byPlace).ID) + "focus", nil
	}
	return criteria(slices.MaxFunc(tiled, byPlace).ID) + "focus", nil
}

// workspaceCommand goes, or moves, to a workspace: numbers are made at need, a
// name must exist.
func workspaceCommand(s *compositor.State, a compositor.Action) (string, error) {
	command := criteria(a.Window) + "move --no-auto-back-and-forth container to workspace "
	if a.Name == "focus-workspace" {
		command = "workspace --no-auto-back-and-forth "
	}
	if a.Arg.Number > 0 {
		return fmt.Sprintf("%snumber %d", command, a.Arg.Number), nil
	}
	for _, w := range s.Workspaces {
		if strings.EqualFold(w.Name, a.Arg.Text) {
			return named(command, w.Name)
		}
	}
	return "", fmt.Errorf("a workspace named %q: %w", a.Arg.Text, compositor.ErrNotFound)
}

// toOutput begins the command of an action that ends with a monitor.
func toOutput(a compositor.Action) string {
	switch {
	case strings.HasPrefix(a.Name, "focus-"):
		return "focus output "
	case strings.HasPrefix(a.Name, "move-workspace-"):
		return "move workspace to output "
	}
	return criteria(a.Window) + "move container to output "
}

// nextOutput goes, or moves, to the output after or before the one in use.
func nextOutput(s *compositor.State, a compositor.Action) (string, error) {
	outputs := slices.SortedFunc(slices.Values(s.Outputs), func(a, b compositor.Output) int {
		return cmp.Or(cmp.Compare(a.Rect.X, b.Rect.X), cmp.Compare(a.Rect.Y, b.Rect.Y))
	})
	ws, _ := s.FocusedWorkspace()
	i := slices.IndexFunc(outputs, func(o compositor.Output) bool { return o.Name == ws.Output })
	if i < 0 || len(outputs) < 2 {
		return "", fmt.Errorf("another monitor: %w", compositor.ErrNotFound)
	}
	step := 1
	if strings.HasSuffix(a.Name, "previous") {
		step = len(outputs) - 1
	}
	return named(toOutput(a), outputs[(i+step)%len(outputs)].Name)
}

func namedOutput(s *compositor.State, a compositor.Action) (string, error) {
	for _, o := range s.Outputs {
		if strings.EqualFold(o.Name, a.Arg.Text) {
			return named(toOutput(a), o.Name)
		}
	}
	return "", fmt.Errorf("a monitor named %q: %w", a.Arg.Text, compositor.ErrNotFound)
}

// center places a floating window in the middle; sway has no such thing for a
// tiled one.
func center(s *compositor.State, a compositor.Action) (string, error) {
	if w, ok := s.Window(a.Window); !ok || !w.Floating {
		return "", compositor.ErrNotSupported
	}
	return criteria(a.Window) + "move position center", nil
}

func columnDisplay(_ *compositor.State, a compositor.Action) (string, error) {
	return criteria(a.Window) + map[string]string{"normal": "layout default", "tabbed": "layout tabbed"}[a.Arg.Text], nil
}

// switchLayout always gives the layout's number: sway 1.10 aborts at "next" if
// any keyboard has no keymap yet.
func switchLayout(s *compositor.State, a compositor.Action) (string, error) {
	n, i := len(s.Layouts), a.Arg.Number-1
	switch {
	case n > 0 && a.Arg.Text == "next":
		i = (s.Layout + 1) % n
	case n > 0 && a.Arg.Text == "prev":
		i = (s.Layout + n - 1) % n
	}
	if i < 0 || i >= n {
		return "", fmt.Errorf("a keyboard layout with that number: %w", compositor.ErrNotFound)
	}
	return fmt.Sprintf("input type:keyboard xkb_switch_layout %d", i), nil
}

func resize(_ *compositor.State, a compositor.Action) (string, error) {
	what, unit, verb, amount := "width", "px", "set", a.Arg.Size.Amount
	if a.Name == "set-window-height" {
		what = "height"
	}
	if a.Arg.Size.Percent {
		unit = "ppt"
	}
	if a.Arg.Size.Relative {
		verb = "grow"
		if amount < 0 {
			verb, amount = "shrink", -amount
		}
	}
	return fmt.Sprintf("%sresize %s %s %d %s", criteria(a.Window), verb, what, int(amount), unit), nil
}
