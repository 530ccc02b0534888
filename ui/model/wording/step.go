package wording

import (
	"cmp"
	"strconv"
	"strings"

	"utter/shared/bus"
	"utter/shared/op"
	"utter/ui/model/tr"
)

// Step says what a step of a plan does. nameOf is what an application is called.
func Step(s bus.Step, nameOf func(app string) string) string {
	if s.Plugin != "" {
		return pluginStep(s.Action, s.Args)
	}
	args := op.Show(op.Name(s.Action), s.Args)
	app := op.AppOf(args)
	if app != "" {
		app = nameOf(app)
	}
	switch a := args.(type) {
	case op.OpenURL:
		return tr.T("Open %s", a.URL)
	case op.EnsureURL:
		return tr.T("Go to %s in an open or a new tab", a.URL)
	case op.LaunchApp:
		return tr.T("Start %s", cmp.Or(app, strings.Join(a.Argv, " ")))
	case op.EnsureApp:
		return tr.T("Switch to %s, or start it if it isn’t running", app)
	case op.FocusApp:
		return tr.T("Go to %s", app)
	case op.CloseApp:
		return tr.T("Close %s", app)
	case op.Search:
		return tr.T("Search the web for “%s”", a.Query)
	case op.Key:
		return press(Spoken(a.Chord), app)
	case op.TypeText:
		return typed(a.Text, app)
	case op.Terminal:
		return tr.T("Run “%s” in the terminal", a.Command)
	case op.Niri:
		return tr.T("Window command: %s", spaced(a.String()))
	case op.Media:
		return tr.T("Player: %s", spaced(a.Command, app))
	case op.ClickElement:
		return tr.T("Click “%s”", a.Description)
	case op.ClickPoint:
		return tr.T("Click at %[1]s, %[2]s", strconv.Itoa(a.X), strconv.Itoa(a.Y))
	case op.Scroll:
		return scroll(a.Direction)
	case op.Wait:
		return tr.T("Wait")
	case op.Speak:
		return tr.T("Say “%s”", a.Text)
	case op.Done:
		return tr.T("Nothing more")
	}
	return s.Action
}

func press(keys, app string) string {
	if app == "" {
		// Translators: %s are keys, such as "Control T".
		return tr.T("Press %s", keys)
	}
	// Translators: "Press Control T in Firefox".
	return tr.T("Press %[1]s in %[2]s", keys, app)
}

func typed(text, app string) string {
	if app == "" {
		return tr.T("Type “%s”", text)
	}
	// Translators: "Type “hello” in Firefox".
	return tr.T("Type “%[1]s” in %[2]s", text, app)
}

func scroll(direction string) string {
	switch direction {
	case "up":
		return tr.T("Scroll up")
	case "down":
		return tr.T("Scroll down")
	case "left":
		return tr.T("Scroll to the left")
	case "right":
		return tr.T("Scroll to the right")
	}
	return tr.T("Scroll")
}

// spaced joins the words of a command, which no language has but the agent's.
func spaced(words ...string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(strings.Join(words, " "), "-", " ")), " ")
}
