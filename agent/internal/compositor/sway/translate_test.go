package sway

import (
	"errors"
	"flag"
	"strings"
	"testing"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
)

var update = flag.Bool("update", false, "write what the tests see into testdata")

// twoOutputs is a desktop with the windows 11 (which has the focus), 12
// (floating), 13 (the left one) and 14 (in the scratchpad).
func twoOutputs() *compositor.State {
	at := func(x int) compositor.Rect { return compositor.Rect{X: x, Width: 640, Height: 800} }
	return &compositor.State{
		Windows: []compositor.Window{
			{ID: 11, Workspace: 1, Output: "HEADLESS-1", Focused: true, Rect: at(640)},
			{ID: 14, Output: scratchOutput, Hidden: true},
			{ID: 12, Workspace: 1, Output: "HEADLESS-1", Floating: true, Rect: at(-10)},
			{ID: 13, Workspace: 1, Output: "HEADLESS-1", Rect: at(0)},
		},
		Workspaces: []compositor.Workspace{
			{ID: 1, Number: 1, Name: "1", Output: "HEADLESS-1", Visible: true, Focused: true},
			{ID: 2, Number: -1, Name: "mail", Output: "HEADLESS-2", Visible: true},
		},
		Outputs: []compositor.Output{
			{Name: "HEADLESS-2", Rect: compositor.Rect{X: 1280, Width: 1280, Height: 800}},
			{Name: "HEADLESS-1", Rect: compositor.Rect{Width: 1280, Height: 800}},
		},
		Layouts: []string{"English (US)", "German"},
	}
}

func TestTranslate(t *testing.T) {
	compositortest.Translations(t, *update, func(a compositor.Action) (string, error) {
		return translate(twoOutputs(), a)
	}, supports)
}

// hostile are names and words that mean something to sway.
var hostile = []string{
	"; exec touch /tmp/x", `"; exec touch /tmp/x; "`, `\"; exec touch /tmp/x; \"`, `'; exec touch /tmp/x; '`,
	", exec touch /tmp/x", "a\nexec touch /tmp/x", "a\r\nexec touch /tmp/x", "a\x00exec touch /tmp/x",
	"[con_id=11] kill", "[all] kill", "mail] kill", "$mail", "`kill`", "end\\", `"`, `'`, `\`, `""`, "", " ", "next",
	"prev_on_output", "back_and_forth", "number 1", "number", "--no-auto-back-and-forth 1", "left", "{", "}",
	"#", "kill", "-1", "99; kill",
}

// What a person says is compared with what there is; it never gets into a
// command.
func TestWordsNeverBecomeCommands(t *testing.T) {
	s := twoOutputs()
	for _, name := range compositortest.Vocabulary(t).Names() {
		for _, text := range hostile {
			a := compositor.Action{Name: name, Arg: compositor.Arg{Text: text}, Window: 11}
			if name == "switch-layout" || name == "set-column-display" {
				continue // Parse lets two words through
			}
			without := a
			without.Arg.Text = ""
			command, _ := translate(s, a)
			if plain, err := translate(s, without); command != plain && command != "" {
				t.Errorf("%s with %q is %q, without it is %q, %v", name, text, command, plain, err)
			}
		}
	}
}

// Names that sway itself reports are of others, too.
func TestNamesAreOneArgument(t *testing.T) {
	for _, name := range hostile {
		checkNames(t, name)
	}
}

func FuzzTranslate(f *testing.F) {
	for _, name := range hostile {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) { checkNames(t, name) })
}

// checkNames checks that a workspace and an output called name are either
// addressed by it exactly or refused.
func checkNames(t *testing.T, name string) {
	s := twoOutputs()
	s.Workspaces[1].Name = name
	s.Outputs[0].Name = name
	for _, tt := range []struct{ action, before string }{
		{"focus-workspace", "workspace --no-auto-back-and-forth "},
		{"move-window-to-workspace", "[con_id=11] move --no-auto-back-and-forth container to workspace "},
		{"move-column-to-workspace", "[con_id=11] move --no-auto-back-and-forth container to workspace "},
		{"focus-monitor", "focus output "},
		{"move-window-to-monitor", "[con_id=11] move container to output "},
		{"move-workspace-to-monitor", "move workspace to output "},
		{"focus-monitor-next", "focus output "},
		{"move-window-to-monitor-next", "[con_id=11] move container to output "},
		{"move-workspace-to-monitor-previous", "move workspace to output "},
	} {
		command, err := translate(s, compositor.Action{Name: tt.action, Arg: compositor.Arg{Text: name}, Window: 11})
		if err != nil {
			if command != "" || !errors.Is(err, compositor.ErrNotSupported) && !errors.Is(err, compositor.ErrNotFound) {
				t.Errorf("%s %q = %q, %v", tt.action, name, command, err)
			}
			continue
		}
		quoted, ok := strings.CutPrefix(command, tt.before)
		if !ok || unquoted(quoted) != name {
			t.Errorf("%s %q = %s", tt.action, name, command)
		}
	}
}

// unquoted returns the text that both sway and i3 understand by an argument in
// quotes, or a text that no test uses where they differ: i3 takes a backslash
// for an escape, sway (seen on 1.10.1) leaves it in the name and takes "--" for
// an option all the same, and both cut commands at line breaks first.
func unquoted(arg string) string {
	inner, ok := strings.CutPrefix(arg, `"`)
	inner, closed := strings.CutSuffix(inner, `"`)
	if !ok || !closed || strings.ContainsAny(inner, "\"\\\n\x00") || strings.HasPrefix(inner, "--") {
		return "understood in different ways"
	}
	return inner
}
