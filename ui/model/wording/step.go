package wording

import (
	"fmt"
	"strings"

	"utter/shared/plan"
	"utter/ui/model/tr"
)

// Step says what a step of a plan does.
func Step(action string, args map[string]any) string {
	a := func(name string) string {
		if v, ok := args[name]; ok {
			return fmt.Sprint(v)
		}
		return ""
	}
	switch plan.Op(action) {
	case plan.OpenURL:
		return tr.T("Open %s", a("url"))
	case plan.EnsureURL:
		return tr.T("Go to %s, in a tab that is open or a new one", a("url"))
	case plan.LaunchApp:
		return tr.T("Start %s", either(a("app"), a("argv")))
	case plan.EnsureApp:
		return tr.T("Go to %s, starting it where it does not run", a("app"))
	case plan.FocusApp:
		return tr.T("Go to %s", a("app"))
	case plan.CloseApp:
		return tr.T("Close %s", a("app"))
	case plan.Search:
		return tr.T("Search the web for “%s”", a("query"))
	case plan.Key:
		return in(tr.T("Press %s", strings.ReplaceAll(a("chord"), "+", " ")), a("app"))
	case plan.TypeText:
		return in(tr.T("Type “%s”", a("text")), a("app"))
	case plan.Terminal:
		return tr.T("Run “%s” in the terminal", a("command"))
	case plan.Niri:
		return tr.T("Window command: %s", strings.ReplaceAll(strings.TrimSpace(a("command")+" "+plain(args["args"])), "-", " "))
	case plan.Media:
		return tr.T("Player: %s", strings.TrimSpace(a("command")+" "+a("app")))
	case plan.ClickElement:
		return tr.T("Click “%s”", a("description"))
	case plan.ClickPoint:
		return tr.T("Click at %[1]s, %[2]s", a("x"), a("y"))
	case plan.Scroll:
		return tr.T("Scroll %s", a("direction"))
	case plan.Wait:
		return tr.T("Wait")
	case plan.Speak:
		return tr.T("Say “%s”", a("text"))
	}
	return action
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// in says in which application something happens, where one is named.
func in(what, app string) string {
	if app == "" {
		return what
	}
	// Translators: "Press ctrl t in Firefox".
	return tr.T("%[1]s in %[2]s", what, app)
}

// plain writes a list without brackets.
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
