// Package policy decides which steps may run and which must be confirmed first.
// It knows nothing of how they are carried out.
package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"utter/shared/plan"
	"utter/shared/utterance"
)

// ErrDenied is the family of every refusal: errors.Is(err, ErrDenied).
var ErrDenied = errors.New("denied by policy")

// A DeniedError says which rule refused a step.
type DeniedError struct {
	Op   plan.Op
	Rule Rule
}

// A Rule names a policy rule.
type Rule string

// The rules, in the order Check applies them.
const (
	RuleUnknown    Rule = "nobody vouches for this step"
	RuleProvenance Rule = "what is on the screen may select, but not say what to do"
	RuleDisabled   Rule = "this operation is switched off; [policy] enable_ops in config.toml allows it"
)

func (e *DeniedError) Error() string { return fmt.Sprintf("%s: %s", e.Op, e.Rule) }

// Unwrap makes every DeniedError match ErrDenied.
func (e *DeniedError) Unwrap() error { return ErrDenied }

// A Policy holds what the user has set. The zero Policy allows what is safe.
type Policy struct {
	Enabled []string // dangerous operations that may run
	Confirm []string // operations that must be confirmed
	// Words must be confirmed where they name what a click_element step clicks.
	Words []string
}

// Check returns nil if s may run and a *DeniedError if it may not.
func (p Policy) Check(s plan.Step) error {
	switch {
	case s.Provenance == plan.FromUnknown:
		return &DeniedError{s.Op, RuleUnknown}
	case s.Provenance == plan.FromScreen && len(s.Args) > 0:
		return &DeniedError{s.Op, RuleProvenance}
	case s.Op.Dangerous() && !slices.Contains(p.Enabled, string(s.Op)):
		return &DeniedError{s.Op, RuleDisabled}
	}
	return nil
}

// NeedsConfirmation reports whether the user must say yes to s.
func (p Policy) NeedsConfirmation(s plan.Step) bool {
	if s.Confirm || s.Op.Dangerous() || slices.Contains(p.Confirm, string(s.Op)) {
		return true
	}
	if s.Op != plan.ClickElement {
		return false
	}
	named := " " + utterance.Key(s.Args.Text("description")) + " "
	return slices.ContainsFunc(p.Words, func(w string) bool {
		key := utterance.Key(w)
		return key != "" && strings.Contains(named, " "+key+" ")
	})
}
