package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"utter/shared/bus"
	"utter/shared/plan"
)

// schema names the form of what --json prints.
const schema = "utter.cli/v1"

// An envelope is what --json prints.
type envelope struct {
	Schema  string     `json:"schema"`
	Command string     `json:"command"`
	OK      bool       `json:"ok"`
	Data    any        `json:"data,omitempty"`
	Error   *errorBody `json:"error,omitempty"`
}

type errorBody struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// show prints data: as JSON, or by human.
func (c *cli) show(command string, data any, human func()) {
	if !c.json {
		human()
		return
	}
	c.encode(envelope{Schema: schema, Command: command, OK: true, Data: data})
}

// showFailed prints data of a call that did not do what was asked, and returns
// the error that ends it.
func (c *cli) showFailed(command string, data any, e *exitError, human func()) error {
	if !c.json {
		human()
		return &exitError{e.status, e.reason, ""}
	}
	c.encode(envelope{Schema: schema, Command: command, Data: data, Error: &errorBody{e.reason, e.message}})
	return &exitError{e.status, e.reason, ""}
}

// fail prints an error that nothing has shown yet.
func (c *cli) fail(command string, e *exitError) {
	switch {
	case e.message == "":
	case c.json:
		c.encode(envelope{Schema: schema, Command: command, Error: &errorBody{e.reason, e.message}})
	default:
		fmt.Fprintf(c.stderr, "utter: %s\n", e.message)
	}
}

func (c *cli) encode(e envelope) {
	enc := json.NewEncoder(c.stdout)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		fmt.Fprintf(c.stderr, "utter: %v\n", err)
	}
}

// callError is where errors of calls become exit statuses.
func callError(err error) error {
	switch {
	case errors.Is(err, bus.ErrNoAgent), errors.Is(err, bus.ErrNoBus):
		return &exitError{exitMissing, string(plan.Missing), err.Error()}
	case bus.IsError(err, bus.ErrNotFound), bus.IsError(err, bus.ErrExpired):
		return &exitError{exitUnknown, "no_token", err.Error()}
	case bus.IsError(err, bus.ErrInvalidArgs):
		return &exitError{exitUsage, "usage", err.Error()}
	case errors.Is(err, context.Canceled):
		return &exitError{exitFailed, string(plan.Cancelled), "interrupted; the request continues until utter cancel"}
	case errors.Is(err, bus.ErrLost):
		return &exitError{exitFailed, plan.Unknown.String(), err.Error()}
	}
	return &exitError{exitFailed, "failed", err.Error()}
}

// statusOf is the exit status of an outcome and its reason.
func statusOf(outcome, reason string) int {
	switch {
	case outcome == plan.Completed.String():
		return exitDone
	case outcome != plan.Refused.String():
		return exitFailed
	case reason == string(plan.NoPlan):
		return exitUnknown
	case reason == string(plan.Missing):
		return exitMissing
	}
	return exitRefused
}

// printable makes text of others safe for a terminal: titles and names may have
// control sequences in them.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return '\ufffd'
		}
		return r
	}, s)
}

// printStep prints a step for people.
func (c *cli) printStep(s bus.Step) {
	if s.Outcome == "" {
		fmt.Fprintln(c.stdout, printable(s.Action+" "+argsText(s.Args)+ofPlugin(s)+asks(s)))
		return
	}
	line := cmp.Or(s.Description, s.Action)
	if s.Message != "" && s.Message != line {
		line = strings.TrimPrefix(line+": "+s.Message, ": ")
	}
	outcome := s.Outcome
	if s.Evidence != "" {
		outcome += ", " + strings.ReplaceAll(s.Evidence, "_", " ")
	}
	fmt.Fprintf(c.stdout, "%s (%s)\n", printable(line), outcome)
}

// argsText writes arguments as JSON with sorted keys.
func argsText(args map[string]any) string {
	if args == nil {
		return "{}"
	}
	b, err := json.Marshal(args)
	if err != nil {
		return fmt.Sprint(args)
	}
	return string(b)
}

// ofPlugin says which plugin carries a step out, and which one wrote it.
func ofPlugin(s bus.Step) string {
	who := ""
	if s.Plugin != "" {
		who += "  by the plugin " + s.Plugin
	}
	if s.Author != "" {
		who += "  planned by the plugin " + s.Author
	}
	return who
}

// asks says of a planned step that the user is asked before it is done.
func asks(s bus.Step) string {
	if s.Confirm {
		return "  (asks first)"
	}
	return ""
}

// printQuestion prints how to answer an utterance that waits for the user.
func (c *cli) printQuestion(choices []bus.Choice, token string) {
	for i, choice := range choices {
		fmt.Fprintf(c.stdout, "  %d. %s  (%s)\n", i+1, printable(choice.Label), printable(choice.Origin))
	}
	switch {
	case token == "":
	case len(choices) > 0:
		fmt.Fprintf(c.stdout, "Within 30 seconds: say or type its number, or: utter choose %s NUMBER\n", token)
	default:
		fmt.Fprintf(c.stdout, "Within 30 seconds: utter confirm %s yes\n", token)
	}
}
