package policy

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"utter/data"
	"utter/shared/op"
)

// judgeCommand judges a command of the compositor by data/niri_actions.json.
func judgeCommand(name string) (Verdict, error) {
	niri := op.Niri{}.Op()
	c, known := commands()[name]
	switch {
	case name == "":
		return Verdict{}, &DeniedError{Op: niri, Rule: RuleArgs, Why: "command is missing or not a string"}
	case name == "spawn" || name == "spawn-sh":
		return Verdict{Op: op.Terminal{}.Op()}, nil
	case !known:
		return Verdict{}, &DeniedError{Op: niri, Rule: RuleArgs, Why: fmt.Sprintf("there is no command %.80q", name)}
	case c.Forbidden != "":
		return Verdict{}, &DeniedError{Op: niri, Rule: RuleForbid, Why: name + ": " + c.Forbidden}
	}
	return Verdict{Op: niri, Confirm: c.Confirm || c.Class == "session" || strings.HasPrefix(name, "power-off")}, nil
}

type command struct {
	Name      string `json:"name"`
	Class     string `json:"class"`
	Confirm   bool   `json:"confirm"`
	Forbidden string `json:"forbidden"`
}

// commands reads the table that is built in; a test proves that it can.
var commands = sync.OnceValue(func() map[string]command {
	var table struct {
		Actions []command `json:"actions"`
	}
	all := map[string]command{}
	raw, err := data.FS.ReadFile("niri_actions.json")
	if err != nil || json.Unmarshal(raw, &table) != nil {
		return all // nothing is known, so nothing is allowed
	}
	for _, c := range table.Actions {
		all[c.Name] = c
	}
	return all
})
