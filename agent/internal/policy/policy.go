// Package policy decides which steps may run and which must be confirmed first.
// It knows nothing of how they are carried out.
package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"utter/shared/chord"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/plugin/protocol"
	"utter/shared/utterance"
)

// ErrDenied is the family of every refusal: errors.Is(err, ErrDenied).
var ErrDenied = errors.New("denied by policy")

// A DeniedError says which rule refused a step.
type DeniedError struct {
	Op   op.Name
	Rule Rule
	Why  string // more of it, or ""
}

// A Rule names a policy rule.
type Rule string

// The rules, in the order Check applies them.
const (
	RuleUnknown    Rule = "nobody vouches for this step"
	RuleProvenance Rule = "what is on the screen may select, but not say what to do"
	RuleDisabled   Rule = "this operation is switched off; [policy] enable_ops in config.toml allows it"
	// RulePlugin stands for what the policy of the plugin runner says of a step
	// that a plugin wrote.
	RulePlugin Rule = "a plugin may not ask for this"
)

func (e *DeniedError) Error() string {
	if e.Why != "" {
		return fmt.Sprintf("%s: %s: %s", e.Op, e.Rule, e.Why)
	}
	return fmt.Sprintf("%s: %s", e.Op, e.Rule)
}

// Unwrap makes every DeniedError match ErrDenied.
func (e *DeniedError) Unwrap() error { return ErrDenied }

// A Policy holds what the user has set. The zero Policy allows what is safe.
type Policy struct {
	Enabled []string // dangerous operations that may run
	Confirm []string // operations that must be confirmed
	// Words must be confirmed where they name what a click_element step clicks.
	Words []string
	// Disabled are operations that no plugin may ask for.
	Disabled []string
}

// Check returns nil if s may run and a *DeniedError if it may not.
func (p Policy) Check(s plan.Step) error {
	switch {
	case s.Provenance == plan.FromUnknown:
		return &DeniedError{Op: s.Op(), Rule: RuleUnknown}
	case s.Provenance == plan.FromScreen && len(op.Map(s.Args)) > 0:
		return &DeniedError{Op: s.Op(), Rule: RuleProvenance}
	case s.Author != "":
		_, err := p.ofPlugin(s)
		return err
	case op.Off(s.Op()) && !p.Allows(s.Op()):
		return &DeniedError{Op: s.Op(), Rule: RuleDisabled}
	}
	return nil
}

// Allows reports whether an operation that is off by default is switched on.
func (p Policy) Allows(op op.Name) bool { return slices.Contains(p.Enabled, string(op)) }

// ofPlugin judges a step that a plugin wrote as the runner would: what starts a
// program counts as terminal, a page has a harmless scheme, and what may cost the
// user's work is confirmed.
func (p Policy) ofPlugin(s plan.Step) (protocol.Verdict, error) {
	from := protocol.FromUser
	if s.Provenance != plan.FromUser {
		from = protocol.FromScreen
	}
	args := json.RawMessage("{}")
	if given := op.Map(s.Args); len(given) > 0 {
		var err error
		if args, err = json.Marshal(given); err != nil {
			return protocol.Verdict{}, &DeniedError{Op: s.Op(), Rule: RulePlugin, Why: err.Error()}
		}
	}
	v, err := protocol.Policy{Enabled: p.Enabled, Disabled: p.Disabled}.Check(protocol.Action{
		Op: string(s.Op()), Args: args, Provenance: from, Confirm: s.Confirm, Advertised: s.Plugin != "",
	})
	if err != nil {
		return v, &DeniedError{Op: s.Op(), Rule: RulePlugin, Why: why(s.Op(), err)}
	}
	if key, ok := s.Args.(op.Key); ok {
		v.Confirm = v.Confirm || ofTheDesktop(key.Chord)
	}
	return v, nil
}

// why is what the policy of the runner says, without what is said already.
func why(op op.Name, err error) string {
	text := err.Error()
	if said, ok := errors.AsType[*protocol.Error](err); ok {
		text = said.Message
	}
	return strings.TrimPrefix(text, string(op)+": ")
}

// ofTheDesktop reports whether a chord may be one that the desktop listens to, not
// the window: it could end the session, or start what is typed next.
func ofTheDesktop(text string) bool {
	c, err := chord.Parse(text)
	if err != nil {
		return true // it is refused later
	}
	mods, key := c.Mods(), c.Keysym()
	switch {
	case mods&chord.Super != 0, mods&chord.Ctrl != 0 && mods&chord.Alt != 0:
		return true
	case mods&chord.Alt != 0:
		return slices.Contains([]string{"F2", "F4", "Tab"}, key)
	}
	return strings.HasPrefix(key, "Super_") || strings.HasPrefix(key, "XF86")
}

// NeedsConfirmation reports whether the user must say yes to s.
func (p Policy) NeedsConfirmation(s plan.Step) bool {
	if s.Confirm || op.Off(s.Op()) || slices.Contains(p.Confirm, string(s.Op())) {
		return true
	}
	if s.Author != "" {
		if v, err := p.ofPlugin(s); err != nil || v.Confirm {
			return true
		}
	}
	click, ok := s.Args.(op.ClickElement)
	if !ok {
		return false
	}
	named := " " + utterance.Key(click.Description) + " "
	return slices.ContainsFunc(p.Words, func(w string) bool {
		key := utterance.Key(w)
		return key != "" && strings.Contains(named, " "+key+" ")
	})
}
