package wording

import (
	"fmt"
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
	if args == nil {
		return s.Action
	}
	values, words := op.Map(args), []string{}
	for _, a := range op.Of(args).Arguments() {
		text := ""
		if value, there := values[a.Name]; there {
			text = inWords(args, a.Name, value, nameOf)
		}
		words = append(words, "{"+a.Name+"}", text)
	}
	return strings.NewReplacer(words...).Replace(tr.T(op.Say(args)))
}

// inWords writes one argument of a step as people say it.
func inWords(a op.Args, name string, value any, nameOf func(app string) string) string {
	switch {
	case name == "app" && value != "":
		return nameOf(fmt.Sprint(value))
	case name == "chord":
		return Spoken(fmt.Sprint(value))
	case name == "command" && op.Is[op.Niri](a):
		return spaced(a.(op.Niri).String())
	case name == "command" && op.Is[op.Media](a):
		return spaced(fmt.Sprint(value))
	}
	if list, ok := value.([]string); ok {
		return strings.Join(list, " ")
	}
	return fmt.Sprint(value)
}

// spaced joins the words of a command, which no language has but the agent's.
func spaced(words ...string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(strings.Join(words, " "), "-", " ")), " ")
}
