package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// An entry is one item of a list in the manual: the words of its first line, and
// all of its text.
type entry struct {
	head []string
	text string
}

// manEntries reads the section COMMANDS of utter(1) as plain text.
func manEntries(t *testing.T) (entries []entry) {
	t.Helper()
	page, err := os.ReadFile("../../../data/man/utter.1")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n.SH COMMANDS\n")
	section, _, _ = strings.Cut(section, "\n.SH ")
	section = strings.ReplaceAll(section, `\-`, "-")
	section = regexp.MustCompile(`\\f[BIPR]|"`).ReplaceAllString(section, "")
	for _, item := range strings.Split(section, ".TP\n")[1:] {
		head, _, _ := strings.Cut(item, "\n")
		_, words, _ := strings.Cut(head, " ") // behind the macro
		entries = append(entries, entry{strings.Fields(words), item})
	}
	return entries
}

// TestManualExplainsEveryCommand: utter(1) has an entry for every command and
// names its options there, and it has no others.
func TestManualExplainsEveryCommand(t *testing.T) {
	entries := manEntries(t)
	known := []string{"completion"} // made by cobra
	option := regexp.MustCompile(`(?m)^\s+(?:-\w, )?--([\w-]+)`)
	var look func(cmd *cobra.Command, parent string)
	look = func(cmd *cobra.Command, parent string) {
		known = append(known, cmd.Name())
		var text string
		for _, e := range entries {
			if slices.Contains(e.head, cmd.Name()) {
				text += e.text
			}
		}
		if text == "" || !strings.Contains(text, parent) {
			t.Errorf("utter(1) does not explain %q", cmd.CommandPath())
		}
		for _, m := range option.FindAllStringSubmatch(cmd.LocalNonPersistentFlags().FlagUsages(), -1) {
			if m[1] != "help" && !regexp.MustCompile(`--`+m[1]+`\b`).MatchString(text) {
				t.Errorf("utter(1) does not explain --%s at %q", m[1], cmd.CommandPath())
			}
		}
		for _, sub := range cmd.Commands() {
			look(sub, cmd.Name())
		}
	}
	for _, cmd := range (&cli{}).root().Commands() {
		look(cmd, "")
	}
	for _, e := range entries {
		if !slices.Contains(known, e.head[0]) {
			t.Errorf("utter(1) explains %q, which is not a command", e.head[0])
		}
	}
	if len(entries) < 10 {
		t.Errorf("read %d entries of utter(1)", len(entries))
	}
}
