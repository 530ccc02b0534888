package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"utter/shared/bus"
)

func (c *cli) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check the parts of the desktop that Utter needs",
		Long: "Doctor reports which parts are there and what does not work without the others. It exits with\n" +
			"status 4 if the agent or a compositor is missing.",
		Example: "  utter doctor",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			data, err := examine(cmd)
			human := func() { c.printExamination(data) }
			if err != nil {
				var e *exitError
				if !errors.As(err, &e) {
					return err
				}
				return c.showFailed("doctor", data, e, human)
			}
			c.show("doctor", data, human)
			return nil
		},
	}
}

// An examination is the data of doctor.
type examination struct {
	Parts    []bus.Part    `json:"parts"`
	Problems []bus.Problem `json:"problems"`
}

// examine asks the agent. An agent that is not there is the first finding.
func examine(cmd *cobra.Command) (examination, error) {
	missing := func(name string, err error) (examination, error) {
		var e *exitError
		errors.As(callError(err), &e)
		return examination{[]bus.Part{{Name: name, State: "absent", Detail: e.message}}, []bus.Problem{}}, e
	}
	a, err := bus.Dial(cmd.Context())
	if err != nil {
		return missing("session bus", err)
	}
	defer a.Close()
	parts, err := a.Doctor(cmd.Context())
	if err != nil {
		return missing("agent", err)
	}
	status, err := a.Status(cmd.Context())
	if err != nil {
		return missing("agent", err)
	}
	found := examination{append([]bus.Part{{Name: "agent", State: "ok", Detail: bus.Agent}}, parts...), status.Problems}
	for _, p := range parts {
		if p.Name == "compositor" && p.State != "ok" {
			return found, &exitError{exitMissing, "missing", "compositor: " + p.Detail}
		}
	}
	return found, nil
}

func (c *cli) printExamination(found examination) {
	w := tabwriter.NewWriter(c.stdout, 0, 8, 2, ' ', 0)
	for _, p := range found.Parts {
		fmt.Fprintf(w, "%s\t%s\t%s\n", p.Name, p.State, p.Detail)
	}
	w.Flush()
	for _, p := range found.Problems {
		fmt.Fprintf(c.stdout, "%s: %s:%d:%d: %s\n", p.Severity, p.File, p.Line, p.Column, p.Message)
	}
}
