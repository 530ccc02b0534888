package policy

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"utter/shared/chord"
	"utter/shared/op"
	"utter/shared/plan"
)

// A Request is an action that a program asks for: a plugin, or a client of the runner.
type Request struct {
	Op   string // in either spelling
	Args map[string]any
	From plan.Provenance // only FromUser is trusted
	// Confirm asks for a confirmation besides what the policy asks for.
	Confirm bool
	// Advertised says that a plugin offers the operation.
	Advertised bool
	// IntoTerminal says that a program wrote the action, and that it types or presses keys into a terminal.
	IntoTerminal bool
}

// Judge decides about what a program asks for. What starts a program counts as terminal, an address needs a harmless
// scheme, and what may cost the user work is confirmed. Its errors are *DeniedError.
func (p Policy) Judge(r Request) (Verdict, error) {
	name := op.Bare(r.Op)
	spec, core := op.Find(name)
	switch {
	case r.From == plan.FromUnknown:
		return Verdict{}, &DeniedError{Op: name, Rule: RuleUnknown}
	case r.From == plan.FromScreen && len(r.Args) > 0:
		return Verdict{}, fromScreen(name, r.Args)
	case strings.HasPrefix(string(name), "action."), !core && !r.Advertised: // one prefix is read, not two
		return Verdict{}, &DeniedError{Op: name, Rule: RuleNoOp}
	}
	v, err := countAs(spec, name, r)
	if err != nil {
		return Verdict{}, err
	}
	counted, _ := op.Find(v.Op)
	v.Confirm = v.Confirm || r.Confirm || spec.Asks || counted.Asks || spec.Off || counted.Off
	for _, n := range []op.Name{name, v.Op} {
		if names(p.Disabled, n) || op.Off(n) && !p.Allows(n) {
			return Verdict{}, &DeniedError{Op: n, Rule: RuleDisabled}
		}
	}
	if spec.Has(op.Address) {
		return v, checkAddress(name, text(r.Args, "url"))
	}
	return v, nil
}

// fromScreen is the refusal of arguments that the screen wrote.
func fromScreen(name op.Name, args map[string]any) error {
	return &DeniedError{Op: name, Rule: RuleScreen, Fields: slices.Sorted(maps.Keys(args))}
}

// text returns the text argument called name, or "".
func text(args map[string]any, name string) string { s, _ := args[name].(string); return s }

// countAs finds what an operation comes to with these arguments.
func countAs(spec op.Spec, name op.Name, r Request) (Verdict, error) {
	has := func(arg string) bool { _, ok := r.Args[arg]; return ok }
	switch {
	case r.IntoTerminal, spec.Has(op.Program) && (has("argv") || has("command")),
		strings.HasPrefix(string(name), "terminal."):
		return Verdict{Op: op.Terminal{}.Op()}, nil
	case op.IsInput(name):
		return Verdict{Op: "input"}, nil
	case name == op.Niri{}.Op():
		return judgeCommand(text(r.Args, "command"))
	}
	keys := text(r.Args, "chord")
	return Verdict{Op: name, Confirm: name == op.Key{}.Op() && keys != "" && ofTheDesktop(keys)}, nil
}

// ofTheDesktop reports whether a chord may be one that the desktop listens to, not the window: it could end the session,
// or start what is typed next.
func ofTheDesktop(written string) bool {
	c, err := chord.Parse(written)
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

func checkAddress(name op.Name, address string) error {
	if address == "" {
		return &DeniedError{Op: name, Rule: RuleArgs, Why: "url is missing or not a string"}
	}
	u, err := url.Parse(address)
	if err != nil {
		return &DeniedError{Op: name, Rule: RuleArgs, Why: "url is malformed"}
	}
	if !slices.Contains(op.Schemes, strings.ToLower(u.Scheme)) {
		return &DeniedError{Op: name, Rule: RuleScheme, Why: strings.Join(op.Schemes, ", ")}
	}
	return nil
}
