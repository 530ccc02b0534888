package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"utter/shared/bus"
	"utter/shared/profile"
)

// validation is the data of validate.
type validation struct {
	Folder   string        `json:"folder"`
	Notes    []note        `json:"notes"`
	Problems []bus.Problem `json:"problems"`
	Profiles int           `json:"profiles"`
}

type note struct {
	Code    string `json:"code"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
	Other   string `json:"other"`
	Subject string `json:"subject"`
}

func problemsOf(problems []profile.Problem) []bus.Problem {
	list := []bus.Problem{}
	for _, p := range problems {
		list = append(list, bus.Problem{
			File: p.Origin.File, Line: uint32(p.Origin.Line), Column: uint32(p.Origin.Column),
			Severity: string(p.Severity), Message: p.Message,
		})
	}
	return list
}

func notesOf(notes []profile.Note) []note {
	list := []note{}
	for _, n := range notes {
		list = append(list, note{n.Code, n.Origin.File, n.Origin.Line, n.String(), n.Other, n.Subject})
	}
	return list
}

func (c *cli) printProblems(problems []profile.Problem) {
	for _, p := range problems {
		fmt.Fprintf(c.stdout, "%s: %v\n", p.Severity, p)
	}
}

// validate reads the user's files itself: it must work without an agent.
func (c *cli) validate(parent string) *cobra.Command {
	return &cobra.Command{
		Use:     "validate",
		Short:   "Check your profile files",
		Example: "  utter " + parent + " validate",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, patches, problems := own()
			lib, words, err := library()
			if err != nil {
				return &exitError{exitFailed, "failed", err.Error()}
			}
			problems = append(problems, profile.LintCommands(lib.Index, patches)...)
			notes := profile.LintFiles(lib.Index, patches, words.IsGeneric, words.IsPhrase)
			data := validation{dir, notesOf(notes), problemsOf(problems), len(patches)}
			human := func() {
				c.printProblems(problems)
				for _, n := range notes {
					fmt.Fprintf(c.stdout, "note: %s:%d: %v\n", n.Origin.File, n.Origin.Line, n.Finding)
				}
				fmt.Fprintf(c.stdout, "%d profiles in %s, %d problems\n", len(patches), dir, len(problems))
			}
			if slices.ContainsFunc(problems, func(p profile.Problem) bool { return p.Severity == profile.Broken }) {
				e := &exitError{exitFailed, "broken", fmt.Sprintf("%d problems in %s", len(problems), dir)}
				return c.showFailed(parent+" validate", data, e, human)
			}
			c.show(parent+" validate", data, human)
			return nil
		},
	}
}
