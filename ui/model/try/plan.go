package try

import (
	"cmp"
	"fmt"

	"utter/shared/bus"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
)

// A Window is an open window that can be the target.
type Window struct {
	ID      uint64
	App     string // the application's id, or ""
	AppID   string
	Title   string
	AppName string
}

// Label is what a window is called in a list of targets.
func (w Window) Label() string {
	name := cmp.Or(w.AppName, w.AppID)
	switch {
	case name == "":
		return w.Title
	case w.Title == "" || w.Title == name:
		return name
	}
	return fmt.Sprintf("%s · %s", name, w.Title)
}

// An Agent plans and runs. Answers come on the main loop.
type Agent interface {
	// Plan plans for a window, or where its ID is 0, for the focus in its App.
	Plan(utterance string, target Window, answer func(bus.Plan, error))
	// Run carries an utterance out after the target has got the focus. Steps
	// are told as they end, of whatever runs then and maybe not all of them.
	Run(utterance string, target Window, step func(index int, s bus.Step), ended func(bus.Reply, error))
	// Answer answers a question: yes or no to a confirmation, by number to a
	// choice.
	Answer(q Question, yes bool, choice int, step func(index int, s bus.Step), ended func(bus.Reply, error))
	Windows(answer func([]Window, error))
	// NameOf is what an application is called.
	NameOf(app string) string
}

// A Question is what the agent asks before it goes on.
type Question struct {
	Token   string
	Text    string   // what would be done, or what is not clear; the model says it
	Detail  string   // the agent's own words, in English
	Choices []string // nil where it is to be confirmed
}

// explain says why a plan is what it is.
func explain(p bus.Plan) []string {
	var lines []string
	if p.Found && p.Rule != "" {
		// Translators: %s is the name of a family of rules, such as "open".
		lines = append(lines, tr.T("Chosen by the rule “%s”", p.Rule))
	}
	switch passed := wording.List(p.Passed); {
	case passed == "":
	case p.Found:
		lines = append(lines, tr.T("Rules tried before: %s", passed))
	default:
		// Translators: %s are the names of rules, none of which matched.
		lines = append(lines, tr.T("Rules tried: %s", passed))
	}
	if len(p.Claims) > 1 {
		var names []string
		for _, c := range p.Claims[1:] {
			names = append(names, c.Name)
		}
		lines = append(lines, tr.T("The name could also mean: %s", wording.List(names)))
	}
	if p.Confidence > 0 && p.Confidence < 1 {
		lines = append(lines, tr.T("Confidence: %.0f%%", p.Confidence*100))
	}
	if p.Micros != nil && *p.Micros > 0 {
		lines = append(lines, tr.T("Decided in %d µs", *p.Micros))
	}
	return lines
}
