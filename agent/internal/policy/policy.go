// Package policy decides which actions may run and which must be confirmed first. It is the one policy of the agent and of
// the plugin runner, and does not know how an action is carried out.
package policy

import (
	"fmt"
	"slices"
	"strings"

	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/utterance"
)

// A DeniedError says which rule refused an action.
type DeniedError struct {
	Op   op.Name // what it counts as
	Rule Rule
	Why  string // more about it, or ""
	// Fields are the names of the arguments that RuleScreen is about, sorted.
	Fields []string
}

// A Rule names a policy rule.
type Rule string

// The rules, in the order in which they are applied.
const (
	RuleUnknown  Rule = "the step's origin is unknown"
	RuleScreen   Rule = "text from the screen may select an operation, but not supply its arguments"
	RuleNoOp     Rule = "there is no such operation"
	RuleArgs     Rule = "the arguments are invalid"
	RuleDisabled Rule = "this operation is disabled; to allow it, add it to [policy] enabled_ops in config.toml"
	RuleForbid   Rule = "this is never allowed"
	RuleScheme   Rule = "only addresses with these schemes may be opened"
)

func (e *DeniedError) Error() string {
	if e.Why != "" {
		return fmt.Sprintf("%.80s: %s: %s", e.Op, e.Rule, e.Why)
	}
	return fmt.Sprintf("%.80s: %s", e.Op, e.Rule)
}

// A Policy holds what the user has set. The zero Policy allows what is safe. Operations are in either spelling, with or
// without "action.".
type Policy struct {
	Enabled []string // operations that are off by default and may run
	// Disabled are operations that no program may ask for. They win over Enabled.
	Disabled []string
	Confirm  []string // operations that must be confirmed
	// Words must be confirmed where they name what a click_element step clicks.
	Words []string
}

// A Verdict allows an action.
type Verdict struct {
	Op      op.Name // what it counts as: "terminal" for what runs a command
	Confirm bool    // the user must agree first
}

// Check returns nil if s may run and a *DeniedError if it may not.
func (p Policy) Check(s plan.Step) error {
	name := s.Op()
	switch {
	case s.Author != "":
		_, err := p.Judge(requested(s))
		return err
	case s.Provenance == plan.FromUnknown:
		return &DeniedError{Op: name, Rule: RuleUnknown}
	case s.Provenance == plan.FromScreen && len(op.Map(s.Args)) > 0:
		return fromScreen(name, op.Map(s.Args))
	case op.Off(name) && !p.Allows(name):
		return &DeniedError{Op: name, Rule: RuleDisabled}
	}
	return nil
}

// NeedsConfirmation reports whether the user must agree to s first.
func (p Policy) NeedsConfirmation(s plan.Step) bool {
	if s.Confirm || op.Off(s.Op()) || p.asks(s.Args) {
		return true
	}
	if s.Author == "" {
		return false
	}
	v, err := p.Judge(requested(s))
	return err != nil || v.Confirm
}

// requested is a step that a plugin wrote.
func requested(s plan.Step) Request {
	return Request{Op: string(s.Op()), Args: op.Map(s.Args), From: s.Provenance, Confirm: s.Confirm, Advertised: s.Plugin != ""}
}

// Allows reports whether an operation that is off by default is switched on.
func (p Policy) Allows(name op.Name) bool { return names(p.Enabled, name) }

// names reports whether a list, in either spelling, has an operation.
func names(list []string, name op.Name) bool {
	return slices.ContainsFunc(list, func(s string) bool { return op.Bare(s) == name })
}

// asks reports whether the user wants to confirm an operation, or a click on such a thing.
func (p Policy) asks(a op.Args) bool {
	if a != nil && names(p.Confirm, a.Op()) {
		return true
	}
	click, ok := a.(op.ClickElement)
	if !ok {
		return false
	}
	named := " " + utterance.Key(click.Description) + " "
	return slices.ContainsFunc(p.Words, func(w string) bool {
		key := utterance.Key(w)
		return key != "" && strings.Contains(named, " "+key+" ")
	})
}
