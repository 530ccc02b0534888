package niri

import (
	"encoding/json"
	"fmt"
	"strings"

	"utter/agent/internal/compositor"
	"utter/data"
)

// forms are the socket forms of the actions: name -> CamelCase name and fields.
type forms map[string]form

type form struct {
	name   string
	fields map[string]string // their types, as the facts write them
}

func (f form) has(field string) bool { return f.fields[field] != "" }

// lacks reports whether fields leave one out that niri must have.
func (f form) lacks(fields dict) bool {
	for field, kind := range f.fields {
		if fields[field] == nil && !strings.HasSuffix(kind, " or null") {
			return true
		}
	}
	return false
}

// always are the fields that have one value whatever is asked for.
var always = map[string]bool{
	"focus":             true, // what is moved is followed, as niri's own keys do
	"skip_confirmation": true, // the user has said yes already
	"write_to_disk":     true,
	"show_pointer":      false,
}

// asked are the fields that hold what an action is about.
var asked = []string{"id", "window_id", "output", "change", "layout", "index", "display",
	"name", "session_id", "reference"}

// supports reports whether translate can fill in the form of an action.
func (f forms) supports(action string) bool {
	form, ok := f[action]
	fields := dict{}
	for name := range always {
		fields[name] = true
	}
	for _, name := range asked {
		fields[name] = true
	}
	return ok && !form.lacks(fields)
}

// loadForms reads the built-in facts.
func loadForms() (forms, error) {
	raw, err := data.FS.ReadFile("niri_actions.json")
	if err != nil {
		return nil, fmt.Errorf("niri actions: %w", err)
	}
	var file struct {
		Actions []struct {
			Name   string
			Socket map[string]map[string]string
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("niri actions: %w", err)
	}
	all := forms{}
	for _, a := range file.Actions {
		for name, fields := range a.Socket {
			all[a.Name] = form{name, fields}
		}
	}
	return all, nil
}

// A dict is a JSON object.
type dict map[string]any

// translate returns the request for a. niri answers Handled to what does not
// exist, so that is refused here, by the state before.
func (f forms) translate(s *compositor.State, a compositor.Action) (dict, error) {
	form, ok := f[a.Name]
	if !ok {
		return nil, compositor.ErrNotSupported
	}
	if _, ok := s.Window(a.Window); !ok && a.Window != 0 {
		return nil, fmt.Errorf("the window %d: %w", a.Window, compositor.ErrNotFound)
	}
	if focused, ok := s.Focused(); ok && a.Window != 0 && a.Window != focused.ID && form.fields["id"] == "" &&
		form.fields["window_id"] == "" {
		// It would be done to the focused window, whatever that is.
		return nil, fmt.Errorf("that window with the focus: %w", compositor.ErrNotFound)
	}
	fields := dict{}
	for _, id := range []string{"id", "window_id"} {
		if form.has(id) && a.Window != 0 {
			fields[id] = uint64(a.Window)
		}
	}
	for name, value := range always {
		if form.has(name) {
			fields[name] = value
		}
	}
	if err := argument(s, a, form.has, fields); err != nil {
		return nil, err
	}
	if form.lacks(fields) {
		return nil, compositor.ErrNotSupported
	}
	return dict{"Action": dict{form.name: fields}}, nil
}

// argument puts the argument of a where it belongs.
func argument(s *compositor.State, a compositor.Action, has func(field string) bool, fields dict) error {
	none := a.Arg == compositor.Arg{}
	switch {
	case none:
	case has("output"):
		for _, o := range s.Outputs {
			if strings.EqualFold(o.Name, a.Arg.Text) {
				fields["output"] = o.Name
				return nil
			}
		}
		return fmt.Errorf("a monitor named %q: %w", a.Arg.Text, compositor.ErrNotFound)
	case has("change"):
		fields["change"] = change(a.Arg.Size)
	case has("layout"):
		return layoutTarget(s, a.Arg, fields)
	case has("index"):
		if n := places(s, a.Name); a.Arg.Number > n {
			return fmt.Errorf("number %d of %d: %w", a.Arg.Number, n, compositor.ErrNotFound)
		}
		fields["index"] = a.Arg.Number
	case has("display"):
		fields["display"] = map[string]string{"normal": "Normal", "tabbed": "Tabbed"}[a.Arg.Text]
	case has("name"):
		fields["name"] = a.Arg.Text
	case has("session_id"):
		fields["session_id"] = a.Arg.Number
	case has("reference"): // beside an index or output it may be left out
		ws, err := find(s, a.Arg)
		if err != nil {
			return err
		}
		fields["reference"] = dict{"Id": ws.ID}
	}
	return nil
}

// find returns the workspace that an argument means: by its place on the monitor
// in use, or by its name anywhere.
func find(s *compositor.State, arg compositor.Arg) (compositor.Workspace, error) {
	focused, _ := s.FocusedWorkspace()
	for _, w := range s.Workspaces {
		if arg.Number > 0 && w.Number == arg.Number && w.Output == focused.Output ||
			arg.Text != "" && strings.EqualFold(w.Name, arg.Text) {
			return w, nil
		}
	}
	if arg.Number > 0 {
		return compositor.Workspace{}, fmt.Errorf("workspace %d on this monitor: %w", arg.Number, compositor.ErrNotFound)
	}
	return compositor.Workspace{}, fmt.Errorf("a workspace named %q: %w", arg.Text, compositor.ErrNotFound)
}

// places returns how many there are of what an action counts. niri goes to the
// last one if there are fewer.
func places(s *compositor.State, action string) (n int) {
	in, _ := s.FocusedWorkspace()
	if action == "move-workspace-to-index" {
		for _, w := range s.Workspaces {
			if w.Output == in.Output {
				n++
			}
		}
		return n
	}
	focused, _ := s.Focused()
	for _, w := range s.Windows {
		switch {
		case w.Workspace != in.ID:
		case action != "focus-window-in-column":
			n = max(n, w.Column)
		case w.Column == focused.Column:
			n = max(n, w.Row)
		}
	}
	return n
}

func change(size compositor.Size) dict {
	switch {
	case size.Percent && size.Relative:
		return dict{"AdjustProportion": size.Amount}
	case size.Percent:
		return dict{"SetProportion": size.Amount}
	case size.Relative:
		return dict{"AdjustFixed": int(size.Amount)}
	}
	return dict{"SetFixed": int(size.Amount)}
}

func layoutTarget(s *compositor.State, arg compositor.Arg, fields dict) error {
	switch {
	case arg.Text == "next":
		fields["layout"] = "Next"
	case arg.Text == "prev":
		fields["layout"] = "Prev"
	case arg.Number > len(s.Layouts):
		return fmt.Errorf("keyboard layout %d of %d: %w", arg.Number, len(s.Layouts), compositor.ErrNotFound)
	default:
		fields["layout"] = dict{"Index": arg.Number - 1}
	}
	return nil
}
