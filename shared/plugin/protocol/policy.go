package protocol

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"

	"utter/data"
	"utter/shared/plugin/rpc"
)

// A rule is what the policy table says of a core op.
type rule struct {
	off     bool // until enabled_ops names it
	confirm bool
}

// core holds the ops that are known without a plugin.
var core = map[string]rule{
	"ensure_url": {}, "open_url": {}, "niri": {}, "launch_app": {}, "ensure_app": {}, "focus_app": {},
	"key": {}, "type_text": {}, "scroll": {}, "media": {}, "click_element": {}, "click_point": {}, "search": {},
	"wait": {}, "speak": {}, "done": {},
	"terminal":  {off: true, confirm: true},
	"input":     {off: true, confirm: true},
	"close_app": {confirm: true},
}

// Schemes are those that a page may have.
var Schemes = []string{"http", "https", "mailto"}

// BareOp removes a leading "action.".
func BareOp(op string) string { return strings.TrimPrefix(op, "action.") }

// IsCoreOp reports whether op, in either spelling, needs no plugin that
// advertises it.
func IsCoreOp(op string) bool { return isCore(BareOp(op)) }

func isCore(bare string) bool { _, ok := core[bare]; return ok }

// CoreOps returns the core ops, sorted.
func CoreOps() []string {
	ops := make([]string, 0, len(core))
	for op := range core {
		ops = append(ops, op)
	}
	slices.Sort(ops)
	return ops
}

// A Policy is the [policy] table. The zero Policy is the default: terminal and
// input are off. Ops are in either spelling; Disabled wins.
type Policy struct {
	Enabled, Disabled []string
}

// An Action is what somebody asks for, as policy sees it.
type Action struct {
	Op   string
	Args json.RawMessage // an object; absent is empty
	// Provenance is the effective one. Only FromUser is trusted.
	Provenance Provenance
	// Confirm asks for a confirmation besides what the policy asks: the step's,
	// or needs_confirm of the plugin.
	Confirm bool
	// Advertised says that the plugin to be asked names the op in
	// action.capabilities, or the method in plugin.describe.
	Advertised bool
	// IntoTerminal says that a plugin wrote the step, and that it types or
	// presses keys into a terminal.
	IntoTerminal bool
}

// A Verdict allows an action.
type Verdict struct {
	Op      string // what it counts as: "terminal" for what runs a command
	Confirm bool   // the user must say yes first
}

// Check decides about a. Its errors are, in this order of tests: -32602 (args
// are no object), -32006 {op, fields} (from the screen, with any argument),
// -32601 (unknown op), -32003 {reason: disabled}, -32602 and -32003 {reason:
// scheme, allowed} (a bad url). Provenance that is neither value is -32003
// {reason: provenance}.
func (p Policy) Check(a Action) (Verdict, error) {
	op := BareOp(a.Op)
	args, err := rpc.Members(orEmpty(a.Args))
	switch {
	case err != nil:
		return Verdict{}, Errorf(CodeInvalidParams, "%.80s: args are no object: %v", op, err)
	case a.Provenance != FromUser && a.Provenance != FromScreen:
		return Verdict{}, Denied(ReasonProvenance, "%.80s: nobody vouches for this step", op)
	case a.Provenance == FromScreen && len(args) > 0:
		return Verdict{}, untrusted(op, args)
	case strings.HasPrefix(op, "action."), !isCore(op) && !a.Advertised: // one prefix is read, not two
		return Verdict{}, Errorf(CodeMethodNotFound, "there is no op %.80q", op)
	}
	v, err := countAs(op, args, a.IntoTerminal)
	if err != nil {
		return Verdict{}, err
	}
	v.Confirm = v.Confirm || a.Confirm || core[op].confirm || core[v.Op].confirm
	for _, name := range []string{op, v.Op} {
		if !p.allows(name) {
			return Verdict{}, Errorf(CodeDenied, "%s is switched off", name).With(Data{Reason: ReasonDisabled, Op: name})
		}
	}
	if op == "ensure_url" || op == "open_url" {
		return v, checkURL(op, text(args, "url"))
	}
	return v, nil
}

// allows reports whether op is switched on. Naming an op in Enabled switches it
// on; it does not make one.
func (p Policy) allows(op string) bool {
	named := func(list []string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return BareOp(s) == op })
	}
	return !named(p.Disabled) && (!core[op].off || named(p.Enabled))
}

// untrusted is the refusal of arguments that the screen authored.
func untrusted(op string, args []rpc.Member) error {
	fields := make([]string, len(args))
	for i, m := range args {
		fields[i] = m.Name
	}
	slices.Sort(fields)
	return Errorf(CodeUntrusted, "%.80s: what is on the screen may select, but not say what to do", op).With(Data{Op: op, Fields: fields})
}

// countAs finds what an op comes to with these arguments.
func countAs(op string, args []rpc.Member, intoTerminal bool) (Verdict, error) {
	has := func(name string) bool {
		return slices.ContainsFunc(args, func(m rpc.Member) bool { return m.Name == name })
	}
	switch {
	case intoTerminal:
		return Verdict{Op: "terminal"}, nil
	case (op == "launch_app" || op == "ensure_app") && (has("argv") || has("command")):
		return Verdict{Op: "terminal"}, nil
	case op == "niri":
		return niri(text(args, "command"))
	case op == "input" || strings.HasPrefix(op, "input."):
		return Verdict{Op: "input"}, nil
	case strings.HasPrefix(op, "terminal."):
		return Verdict{Op: "terminal"}, nil
	}
	return Verdict{Op: op}, nil
}

// niri judges a command of the compositor by data/niri_actions.json.
func niri(command string) (Verdict, error) {
	a, known := niriActions()[command]
	switch {
	case command == "":
		return Verdict{}, Errorf(CodeInvalidParams, "niri: command is missing or no text")
	case command == "spawn" || command == "spawn-sh":
		return Verdict{Op: "terminal"}, nil
	case !known:
		return Verdict{}, Errorf(CodeInvalidParams, "niri: there is no command %.80q", command)
	case a.Forbidden != "":
		return Verdict{}, Denied(ReasonDisabled, "niri %s: %s", command, a.Forbidden)
	}
	return Verdict{Op: "niri", Confirm: a.Confirm || a.Class == "session" || strings.HasPrefix(command, "power-off")}, nil
}

type niriAction struct {
	Name      string `json:"name"`
	Class     string `json:"class"`
	Confirm   bool   `json:"confirm"`
	Forbidden string `json:"forbidden"`
}

// niriActions reads the table that is built in; a test proves that it can.
var niriActions = sync.OnceValue(func() map[string]niriAction {
	var table struct {
		Actions []niriAction `json:"actions"`
	}
	all := map[string]niriAction{}
	text, err := data.FS.ReadFile("niri_actions.json")
	if err != nil || rpc.Unmarshal(text, &table) != nil {
		return all // nothing is known, so nothing is allowed
	}
	for _, a := range table.Actions {
		all[a.Name] = a
	}
	return all
})

// text returns the argument called name, or "" if it is no text.
func text(args []rpc.Member, name string) (s string) {
	for _, m := range args {
		if m.Name == name && rpc.Unmarshal(m.Value, &s) != nil {
			return ""
		}
	}
	return s
}

func checkURL(op, address string) error {
	if address == "" {
		return Errorf(CodeInvalidParams, "%s: url is missing or no text", op)
	}
	u, err := url.Parse(address)
	if err != nil {
		return Errorf(CodeInvalidParams, "%s: url is malformed", op)
	}
	if !slices.Contains(Schemes, strings.ToLower(u.Scheme)) {
		return Errorf(CodeDenied, "%s: a url must begin with %s", op, strings.Join(Schemes, ", ")).
			With(Data{Reason: ReasonScheme, Op: op, Allowed: Schemes})
	}
	return nil
}

// InvokedAction reads a call of runner.invoke that policy must see: AccessInvoke
// or AccessPoliced. Absent provenance is -32003, a missing op -32602.
// Provenance, confirm and timeout_ms of a policed method are not arguments.
func InvokedAction(method string, params json.RawMessage) (Action, error) {
	var in struct {
		Provenance Provenance `json:"provenance"`
		Confirm    bool       `json:"confirm"`
	}
	params = orEmpty(params)
	if err := DecodeParams(params, &in); err != nil {
		return Action{}, err
	}
	from, err := in.Provenance.OfInvoke()
	if err != nil {
		return Action{}, err
	}
	if InvokeAccess(method) != AccessInvoke {
		args, err := without(params, "provenance", "confirm", "timeout_ms")
		return Action{Op: method, Args: args, Provenance: from, Confirm: in.Confirm}, err
	}
	var what struct {
		Op   string          `json:"op"`
		Args json.RawMessage `json:"args"`
	}
	if err := DecodeParams(params, &what); err != nil {
		return Action{}, err
	}
	if what.Op == "" {
		return Action{}, Errorf(CodeInvalidParams, "action.invoke: op is missing")
	}
	return Action{Op: what.Op, Args: what.Args, Provenance: from, Confirm: in.Confirm}, nil
}

// without returns object without some of its members.
func without(object json.RawMessage, names ...string) (json.RawMessage, error) {
	members, err := rpc.Members(object)
	if err != nil {
		return nil, Errorf(CodeInvalidParams, "params are no object")
	}
	kept := []byte("{")
	for _, m := range members {
		if slices.Contains(names, m.Name) {
			continue
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(append(rpc.AppendString(kept, m.Name), ':'), m.Value...)
	}
	return append(kept, '}'), nil
}
