// Package plan holds the vocabulary that every part of Utter shares: steps and
// plans, who authored them, and what became of them. It decides nothing.
package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"utter/shared/op"
)

// A Provenance says who authored a step's arguments.
type Provenance int

// Only FromUser is trusted. A step that forgets to say gets FromUnknown, so the
// error fails closed.
const (
	FromUnknown Provenance = iota
	FromScreen
	FromUser
)

var provenances = []string{"unknown", "screen", "user"}

func (p Provenance) String() string { return provenances[p] }

// ParseProvenance reads what String writes.
func ParseProvenance(s string) (Provenance, error) {
	i := slices.Index(provenances, s)
	if i < 0 {
		return FromUnknown, fmt.Errorf("provenance %q is not one of %s", s, strings.Join(provenances, ", "))
	}
	return Provenance(i), nil
}

// A Source says which part of the router made a plan.
type Source string

// The sources.
const (
	SourceRules   Source = "rules"
	SourcePlugins Source = "plugins" // the routers of plugins
)

// A Step is one action on the desktop.
type Step struct {
	Args        op.Args // what to do, and with what; of what a plugin carries out an op.Foreign
	Description string  // for people, in English
	Confirm     bool    // must not run before the user has said yes
	Provenance  Provenance
	// Plugin carries the step out, by its id; "" is the agent itself.
	Plugin string
	// Author wrote the arguments, by the id of a plugin; "" is the user's own
	// words, by the rules.
	Author string
}

// Op returns the name of what s does, or "".
func (s Step) Op() op.Name {
	if s.Args == nil {
		return ""
	}
	return s.Args.Op()
}

// Tier returns the way in which s reaches the desktop.
func (s Step) Tier() op.Tier { return op.Of(s.Args).Tier }

// Check reports what is wrong with the arguments of s. Those of what a plugin carries out, the runner checks by the
// plugin's own schema.
func (s Step) Check() error { return op.Check(s.Args) }

// String writes s as "op key=value …" with sorted keys, for people and logs that may see arguments. What a plugin
// wrote, or is told, is written as JSON, which can be read in one way only.
func (s Step) String() string {
	args := op.Map(s.Args)
	if s.Plugin != "" || s.Author != "" {
		return string(s.Op()) + " " + asJSON(args)
	}
	var b strings.Builder
	b.WriteString(string(s.Op()))
	for _, name := range slices.Sorted(maps.Keys(args)) {
		fmt.Fprintf(&b, " %s=%v", name, args[name])
	}
	return b.String()
}

func asJSON(args map[string]any) string {
	if args == nil {
		args = map[string]any{}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(args); err != nil {
		return fmt.Sprint(args) // a number that JSON lacks
	}
	return strings.TrimSpace(b.String())
}

// A Plan is what an utterance means. A plan without steps does nothing.
type Plan struct {
	Utterance  string
	Steps      []Step
	Source     Source
	Rule       string  // the rule family that won
	Confidence float64 // 1 for rules
	// NeedsPerception says that a step must look at the screen.
	NeedsPerception bool
	// Focused is the window that had the focus when the plan was made, or 0:
	// what goes to "the focused window" goes to this one or nowhere.
	Focused uint64
}

// An Outcome is what is known about a step or a plan after it has ended.
type Outcome int

// An interrupted step is Unknown and never retried: its effect may have
// happened. Refused means that nothing was done.
const (
	Unknown Outcome = iota
	Completed
	Refused
	Failed
)

var outcomes = []string{"unknown", "completed", "refused", "failed"}

func (o Outcome) String() string { return outcomes[o] }

// A Reason says by rule why a step was refused, failed or stayed unknown.
type Reason string

// The reasons. They are part of the D-Bus interface: never rename one.
const (
	NoPlan            Reason = "no_plan"            // the words mean nothing here
	Ambiguous         Reason = "ambiguous"          // they mean several things equally
	NeedsConfirmation Reason = "needs_confirmation" // the user must say yes first
	Missing           Reason = "missing"            // a part of the desktop is not there
	NotFound          Reason = "not_found"          // the window, page or thing is not there
	PolicyReason      Reason = "policy"             // the user's policy or the step's provenance forbids it
	Busy              Reason = "busy"               // too many plans are waiting
	NotSupported      Reason = "not_supported"      // this desktop cannot do that
	Edge              Reason = "edge"               // there is nothing further in that direction
	Timeout           Reason = "timeout"            // no sign of it came in time
	Cancelled         Reason = "cancelled"          // the user cancelled it
)

// Evidence says how a completed step was proved.
type Evidence string

// The kinds of evidence.
const (
	NoEvidence Evidence = ""
	ByState    Evidence = "state"     // the desktop's state shows it
	ByReadBack Evidence = "read_back" // the text was read back from where it went
	Delivered  Evidence = "delivered" // the target kept the focus and the protocol accepted it
	// ByPlugin: a plugin says so, and nothing else does.
	ByPlugin Evidence = "plugin_reported"
)

// A Result is what became of one step.
type Result struct {
	Step     Step
	Outcome  Outcome
	Evidence Evidence
	Reason   Reason
	Message  string // for people, in English
	Window   uint64 // the window that the step was bound to, or 0
}

// An Error carries a reason through Go's errors: what did not happen and why.
// The zero Outcome is Unknown.
type Error struct {
	Outcome Outcome
	Reason  Reason
	Text    string
	Choices []Choice // with Ambiguous: what the words may mean
}

func (e *Error) Error() string { return e.Text }

// Refuse returns an error that says nothing was done.
func Refuse(r Reason, format string, args ...any) *Error {
	return &Error{Outcome: Refused, Reason: r, Text: fmt.Sprintf(format, args...)}
}

// Unsure returns an error that says the effect could not be proved.
func Unsure(r Reason, format string, args ...any) *Error {
	return &Error{Outcome: Unknown, Reason: r, Text: fmt.Sprintf(format, args...)}
}

// Fail returns an error that says it was tried and did not work.
func Fail(format string, args ...any) *Error {
	return &Error{Outcome: Failed, Text: fmt.Sprintf(format, args...)}
}

// A Choice is one meaning of ambiguous words.
type Choice struct {
	Label  string // what a person would call it
	Origin string // the file or layer it comes from
	Steps  []Step // what choosing it does
}
