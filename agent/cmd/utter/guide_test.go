package main

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"utter/shared/plan"
	"utter/shared/plugin/protocol"
)

// TestOpsInTheGuide compares the table of Utter's own ops with what package plan
// takes.
func TestOpsInTheGuide(t *testing.T) {
	text, err := os.ReadFile("../../../data/guides/writing-a-plugin.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| op | arguments |\n| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	code := regexp.MustCompile("`([a-z_]+)`(\\??)")
	told := map[plan.Op]bool{plan.ClickElement: true} // which the agent cannot do yet
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		args := code.FindAllStringSubmatch(cells[2], -1)
		for _, op := range code.FindAllStringSubmatch(cells[1], -1) {
			told[plan.Op(op[1])] = true
			checkArgs(t, plan.Op(op[1]), args)
		}
	}
	for _, op := range plan.Ops() {
		if !told[op] {
			t.Errorf("the guide does not tell of %s", op)
		}
	}
}

// checkArgs checks the arguments that the guide tells of an op.
func checkArgs(t *testing.T, op plan.Op, args [][]string) {
	t.Helper()
	all := plan.Args{}
	for _, arg := range args {
		all[arg[1]] = valueOf(arg[1])
	}
	if err := (plan.Step{Op: op, Args: all}).Check(); err != nil {
		t.Errorf("%s: %v", op, err)
	}
	for _, arg := range args {
		without := maps.Clone(all)
		delete(without, arg[1])
		err := (plan.Step{Op: op, Args: without}).Check()
		optional := arg[2] == "?" || op == plan.LaunchApp // which takes either
		if optional != (err == nil) {
			t.Errorf("%s without %s: %v", op, arg[1], err)
		}
	}
}

// valueOf returns a value for an argument; nearly all are texts.
func valueOf(name string) any {
	switch name {
	case "new_tab", "must_exist", "require_read_back", "enter":
		return true
	case "x", "y", "amount", "ms":
		return 1
	case "argv", "args":
		return []string{"a"}
	}
	return "text"
}

// TestKindsInTheManual compares the kinds of plugins in the manual with those that
// there are.
func TestKindsInTheManual(t *testing.T) {
	page, err := os.ReadFile("../../../data/man/utter-runner.1")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "\n.B kind\n")
	list, _, _ = strings.Cut(list, "\n.B runtime\n")
	words := regexp.MustCompile(`[a-z]+`).FindAllString(list, -1)
	for _, kind := range protocol.Kinds {
		if !slices.Contains(words, kind) {
			t.Errorf("utter-runner.1 does not name the kind %s:\n%s", kind, list)
		}
	}
}
