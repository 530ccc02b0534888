package sway

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"utter/agent/internal/compositor"
)

// A node is a container of the tree, with the fields of sway and i3 that count.
type node struct {
	ID         int64   `json:"id"`
	Type       string  `json:"type"`
	Name       *string `json:"name"`
	AppID      *string `json:"app_id"`
	PID        int     `json:"pid"`
	Focused    bool    `json:"focused"`
	Urgent     bool    `json:"urgent"`
	Fullscreen int     `json:"fullscreen_mode"`
	Floating   string  `json:"floating"`
	Layout     string  `json:"layout"`
	Shell      string  `json:"shell"`
	XWindow    *int64  `json:"window"`
	Rect       rect    `json:"rect"`
	Focus      []int64 `json:"focus"`
	Nodes      []node  `json:"nodes"`
	FloatNodes []node  `json:"floating_nodes"`
	Properties *struct {
		Class    string `json:"class"`
		Instance string `json:"instance"`
	} `json:"window_properties"`
}

type rect struct{ X, Y, Width, Height int }

type workspace struct {
	ID      int64
	Num     int
	Name    string
	Output  string
	Visible bool
	Focused bool
}

type output struct {
	Name   string
	Active bool
	Rect   rect
}

type input struct {
	Identifier string
	Type       string
	Layouts    []string `json:"xkb_layout_names"`
	Active     int      `json:"xkb_active_layout_index"`
}

// scratch is what sway and i3 call the output and workspace of hidden windows.
const scratchOutput = "__i3"

// foldState makes a state of the four answers. inputs may be nil: i3 has none.
func foldState(tree, workspaces, outputs, inputs []byte) (*compositor.State, error) {
	s := &compositor.State{}
	var spaces []workspace
	if err := json.Unmarshal(workspaces, &spaces); err != nil {
		return nil, fmt.Errorf("%w: workspaces: %w", errMalformed, err)
	}
	for _, w := range spaces {
		s.Workspaces = append(s.Workspaces, compositor.Workspace{
			ID: uint64(w.ID), Number: w.Num, Name: w.Name, Output: w.Output, Visible: w.Visible, Focused: w.Focused,
		})
	}
	var outs []output
	if err := json.Unmarshal(outputs, &outs); err != nil {
		return nil, fmt.Errorf("%w: outputs: %w", errMalformed, err)
	}
	for _, o := range outs {
		if o.Active {
			s.Outputs = append(s.Outputs, compositor.Output{Name: o.Name, Rect: compositor.Rect(o.Rect)})
		}
	}
	var root node
	if err := json.Unmarshal(tree, &root); err != nil {
		return nil, fmt.Errorf("%w: tree: %w", errMalformed, err)
	}
	walk(&root, place{}, s)
	s.Layouts, s.Layout = keyboardLayouts(inputs)
	return s, nil
}

// place is where in the tree a walk is.
type place struct {
	output    string
	workspace uint64
	floating  bool
}

// walk appends the windows below n, the latest focused first.
func walk(n *node, at place, s *compositor.State) {
	switch {
	case n.Type == "dockarea":
		return // i3's bars
	case n.Type == "output" && n.Name != nil:
		at.output = *n.Name
	case n.Type == "workspace":
		at.workspace = uint64(n.ID)
	case n.Type == "floating_con" || n.Floating == "user_on" || n.Floating == "auto_on":
		at.floating = true
	}
	if isWindow(n) {
		s.Windows = append(s.Windows, window(n, at))
		return
	}
	rank := make(map[int64]int, len(n.Focus))
	for i, id := range slices.Backward(n.Focus) {
		rank[id] = i - len(n.Focus) // what is not named stays behind
	}
	children := slices.Concat(n.Nodes, n.FloatNodes)
	slices.SortStableFunc(children, func(a, b node) int { return cmp.Compare(rank[a.ID], rank[b.ID]) })
	for i := range children {
		walk(&children[i], at, s)
	}
}

func isWindow(n *node) bool {
	return (n.Type == "con" || n.Type == "floating_con") && len(n.Nodes) == 0 && len(n.FloatNodes) == 0 &&
		(n.AppID != nil || n.XWindow != nil || n.Properties != nil || n.Shell != "" && n.PID > 0)
}

func window(n *node, at place) compositor.Window {
	w := compositor.Window{
		ID: compositor.WindowID(n.ID), PID: n.PID, Workspace: at.workspace, Output: at.output, Focused: n.Focused,
		Floating: at.floating, Fullscreen: n.Fullscreen > 0, Urgent: n.Urgent,
		Hidden: at.output == scratchOutput, XWayland: n.XWindow != nil && n.Shell != "xdg_shell",
		Rect: compositor.Rect(n.Rect), Placed: true,
	}
	if n.Name != nil {
		w.Title = *n.Name
	}
	switch {
	case n.AppID != nil && *n.AppID != "":
		w.AppID = *n.AppID
	case n.Properties != nil:
		w.AppID = n.Properties.Class
	}
	return w
}

// keyboardLayouts returns the layouts of the first keyboard that has several,
// else of the first keyboard.
func keyboardLayouts(inputs []byte) ([]string, int) {
	var all []input
	if json.Unmarshal(inputs, &all) != nil {
		return nil, 0 // i3 has no such answer
	}
	var first *input
	for i, in := range all {
		if in.Type != "keyboard" || len(in.Layouts) == 0 || in.Active < 0 || in.Active >= len(in.Layouts) {
			continue
		}
		if first == nil || len(in.Layouts) > 1 && len(first.Layouts) == 1 {
			first = &all[i]
		}
	}
	if first == nil {
		return nil, 0
	}
	return first.Layouts, first.Active
}
