package wording

import (
	"fmt"
	"strings"

	"utter/shared/plan"
	"utter/ui/model/tr"
)

// Step says what a step of a plan does. nameOf is what an application is called.
func Step(action string, args map[string]any, nameOf func(app string) string) string {
	a := func(name string) string { return plain(args[name]) }
	app := a("app")
	if app != "" {
		app = nameOf(app)
	}
	switch plan.Op(action) {
	case plan.OpenURL:
		return tr.T("Open %s", a("url"))
	case plan.EnsureURL:
		return tr.T("Go to %s in an open or a new tab", a("url"))
	case plan.LaunchApp:
		if app == "" {
			app = a("argv")
		}
		return tr.T("Start %s", app)
	case plan.EnsureApp:
		return tr.T("Switch to %s, or start it if it isn’t running", app)
	case plan.FocusApp:
		return tr.T("Go to %s", app)
	case plan.CloseApp:
		return tr.T("Close %s", app)
	case plan.Search:
		return tr.T("Search the web for “%s”", a("query"))
	case plan.Key:
		return press(Spoken(a("chord")), app)
	case plan.TypeText:
		return typed(a("text"), app)
	case plan.Terminal:
		return tr.T("Run “%s” in the terminal", a("command"))
	case plan.Niri:
		return tr.T("Window command: %s", spaced(a("command"), a("args")))
	case plan.Media:
		return tr.T("Player: %s", spaced(a("command"), app))
	case plan.ClickElement:
		return tr.T("Click “%s”", a("description"))
	case plan.ClickPoint:
		return tr.T("Click at %[1]s, %[2]s", a("x"), a("y"))
	case plan.Scroll:
		return scroll(a("direction"))
	case plan.Wait:
		return tr.T("Wait")
	case plan.Speak:
		return tr.T("Say “%s”", a("text"))
	case plan.Done:
		return tr.T("Nothing more")
	}
	return action
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

// plain writes an argument: a list without brackets.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []string:
		return strings.Join(v, " ")
	case []any:
		words := make([]string, len(v))
		for i, item := range v {
			words[i] = fmt.Sprint(item)
		}
		return strings.Join(words, " ")
	}
	return fmt.Sprint(v)
}
