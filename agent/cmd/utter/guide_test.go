package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"utter/shared/op"
	"utter/shared/plugin/protocol"
)

// TestOpsInTheGuide compares the table of Utter's own ops with their declarations; go test -update writes it.
func TestOpsInTheGuide(t *testing.T) {
	const file, head = "../../../data/guides/writing-a-plugin.md", "| op | does | arguments |\n| --- | --- | --- |\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), head)
	table, behind, ends := strings.Cut(rest, "\n\n")
	if !found || !ends {
		t.Fatalf("%s has no table of ops", file)
	}
	want := strings.TrimSuffix(opTable(), "\n")
	if *update {
		if err := os.WriteFile(file, []byte(before+head+want+"\n\n"+behind), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if table != want {
		t.Errorf("the table of ops in %s is\n%s\nwant\n%s\n(go test ./agent/cmd/utter -run OpsInTheGuide -update)",
			file, table, want)
	}
}

// opTable is the table of the ops that the agent has a handler for.
func opTable() string {
	var b strings.Builder
	for _, s := range op.Specs() {
		if s.Foreign() || s.Missing {
			continue
		}
		var args []string
		for _, a := range s.Arguments() {
			arg := "`" + a.Name + "`"
			if !a.Required {
				arg += "?"
			}
			args = append(args, arg)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, s.Doc, strings.Join(args, ", "))
	}
	return b.String()
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
