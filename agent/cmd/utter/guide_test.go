package main

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"utter/shared/op"
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
	told := map[op.Name]bool{op.ClickElement{}.Op(): true} // which the agent cannot do yet
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		args := code.FindAllStringSubmatch(cells[2], -1)
		for _, found := range code.FindAllStringSubmatch(cells[1], -1) {
			name := op.Name(found[1])
			told[name] = true
			checkArgs(t, name, args)
		}
	}
	for _, spec := range op.Specs() {
		if !told[spec.Name] && !spec.Foreign() {
			t.Errorf("the guide does not tell of %s", spec.Name)
		}
	}
}

// checkArgs checks the arguments that the guide tells of an op.
func checkArgs(t *testing.T, name op.Name, args [][]string) {
	t.Helper()
	all := map[string]any{}
	for _, arg := range args {
		all[arg[1]] = valueOf(arg[1])
	}
	if _, err := op.Decode(name, all); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	for _, arg := range args {
		without := maps.Clone(all)
		delete(without, arg[1])
		_, err := op.Decode(name, without)
		optional := arg[2] == "?" || name == "launch_app" // which takes either
		if optional != (err == nil) {
			t.Errorf("%s without %s: %v", name, arg[1], err)
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
	case "direction":
		return "up"
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
