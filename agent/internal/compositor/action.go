package compositor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"utter/data"
	"utter/shared/spell"
)

// An Action is one of niri's actions, which are the vocabulary for every
// compositor; Parse makes valid ones only.
type Action struct {
	Name   string
	Arg    Arg
	Window WindowID // the window it is about; 0: the focused one
	// Want is how a toggle is to end: on, off, or either way where it is nil.
	Want *bool
}

// An Arg is the argument of an action. Which field counts depends on the
// action; the zero Arg is none.
type Arg struct {
	Number int    // an index, from 1; 0 where Text counts
	Text   string // a name, or a word such as "next"
	Size   Size
}

// A Size is a change of a length.
type Size struct {
	Amount   float64
	Percent  bool // of the output; else pixels
	Relative bool
}

// A class says by what an action is proved.
type class string

const (
	classSession        class = "session"
	classClose          class = "close"
	classFocusWindow    class = "focus-window"
	classFocus          class = "focus"     // the focused window changes
	classFocusAny       class = "focus-any" // the window, workspace or output does
	classWorkspace      class = "workspace"
	classOutput         class = "output"
	classMove           class = "move"
	classMoveWorkspace  class = "move-workspace"
	classMoveOutput     class = "move-output"
	classWorkspacePlace class = "workspace-place"
	classWorkspaceName  class = "workspace-name"
	classFullscreen     class = "fullscreen"
	classFloating       class = "floating"
	classSize           class = "size"
	classLayout         class = "keyboard-layout"
	classUrgent         class = "urgent"
	classOverview       class = "overview"
	classScreenshot     class = "screenshot"
)

type spec struct {
	Name  string
	Class class
	Args  []struct{ Name, Type string }
	// Window says that the action may be about a window that has no focus.
	Window    bool
	Confirm   bool
	Absent    string
	Forbidden string
}

// A Vocabulary knows every action. It is safe for concurrent use.
type Vocabulary struct {
	specs map[string]spec
	names []string
}

// NewVocabulary reads the built-in vocabulary.
func NewVocabulary() (*Vocabulary, error) {
	raw, err := data.FS.ReadFile("niri_actions.json")
	if err != nil {
		return nil, fmt.Errorf("compositor actions: %w", err)
	}
	var file struct{ Actions []spec }
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("compositor actions: %w", err)
	}
	v := &Vocabulary{specs: map[string]spec{}}
	for _, s := range file.Actions {
		v.specs[s.Name] = s
		v.names = append(v.names, s.Name)
	}
	return v, nil
}

// Names returns every action. The caller must not change the list.
func (v *Vocabulary) Names() []string { return v.names }

// Confirm reports whether an action must be confirmed by the user.
func (v *Vocabulary) Confirm(name string) bool { return v.specs[name].Confirm }

// Parse makes the action name with the arguments args, which are texts or
// whole numbers.
func (v *Vocabulary) Parse(name string, args []string) (Action, error) {
	s, ok := v.specs[name]
	if !ok {
		hint := ""
		if near := spell.Nearest(name, v.names); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return Action{}, fmt.Errorf("unknown action %q%s", name, hint)
	}
	a := Action{Name: name}
	if s.Class == classFullscreen && len(args) == 1 && (args[0] == "on" || args[0] == "off") {
		on := args[0] == "on"
		a.Want, args = &on, nil
	}
	if s.Forbidden != "" {
		return Action{}, fmt.Errorf("%s: %s", name, s.Forbidden)
	}
	if s.Window && len(args) == 2 && slices.Contains([]string{"--id", "--window-id"}, args[0]) {
		id, err := strconv.ParseUint(args[1], 10, 64)
		if err != nil || id == 0 {
			return Action{}, fmt.Errorf("%s: %q is not a window id", name, args[1])
		}
		a.Window, args = WindowID(id), nil
	}
	if len(s.Args) == 1 && s.Args[0].Type == "window" && len(args) == 2 && args[0] == "--id" {
		args = args[1:]
	}
	if len(args) != len(s.Args) {
		return Action{}, fmt.Errorf("%s: takes %d arguments, not %d", name, len(s.Args), len(args))
	}
	for i, arg := range s.Args {
		if err := a.setArg(arg.Type, args[i]); err != nil {
			return Action{}, fmt.Errorf("%s: %s %w", name, arg.Name, err)
		}
	}
	return a, nil
}

func (a *Action) setArg(kind, text string) error {
	n, numErr := strconv.Atoi(text)
	switch kind {
	case "window":
		id, err := strconv.ParseUint(text, 10, 64)
		if err != nil || id == 0 {
			return fmt.Errorf("is %q, not a window id", text)
		}
		a.Window = WindowID(id)
	case "number":
		if numErr != nil || n < 1 {
			return fmt.Errorf("is %q, not a number from 1", text)
		}
		a.Arg.Number = n
	case "workspace":
		if numErr == nil && n >= 0 {
			a.Arg.Number = n
			if n > 0 {
				return nil
			}
		}
		a.Arg.Text = text
	case "size":
		size, err := parseSize(text)
		if err != nil {
			return err
		}
		a.Arg.Size = size
	case "layout":
		if text != "next" && text != "prev" {
			if numErr != nil || n < 1 {
				return fmt.Errorf("is %q; write next, prev or a number from 1", text)
			}
			a.Arg.Number = n
			return nil
		}
		a.Arg.Text = text
	default:
		if words := strings.Split(kind, "|"); len(words) > 1 && !slices.Contains(words, text) {
			return fmt.Errorf("is %q; write %s", text, strings.Join(words, " or "))
		}
		a.Arg.Text = text
	}
	return nil
}

// parseSize reads "50%", "+10%", "-5%", "800" and "+20".
func parseSize(s string) (Size, error) {
	number, percent := strings.CutSuffix(s, "%")
	relative := strings.HasPrefix(number, "+") || strings.HasPrefix(number, "-")
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || n != n || n < -10000 || n > 10000 || !relative && n <= 0 {
		return Size{}, fmt.Errorf("is %q; write 50%%, +10%% or pixels such as 800", s)
	}
	return Size{n, percent, relative}, nil
}
