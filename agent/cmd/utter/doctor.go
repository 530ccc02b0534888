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
		Short: "Look at the parts of the desktop that Utter needs",
		Long: "Doctor tells which parts are there and what is lost without the others. It ends with 4\n" +
			"where the agent or a compositor is missing.",
		Example: "  utter doctor",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			parts, problems, err := c.examine(cmd)
			data := bus.Dict{"parts": parts, "problems": problems}
			human := func() { c.printParts(parts, problems) }
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

// examine asks the agent. An agent that is not there is the first finding.
func (c *cli) examine(cmd *cobra.Command) (parts, problems []bus.Dict, err error) {
	missing := func(name string, err error) ([]bus.Dict, []bus.Dict, error) {
		var e *exitError
		errors.As(callError(err), &e)
		return []bus.Dict{{"name": name, "state": "absent", "detail": e.message}}, []bus.Dict{}, e
	}
	a, err := bus.Dial(cmd.Context())
	if err != nil {
		return missing("session bus", err)
	}
	defer a.Close()
	found, err := a.Doctor(cmd.Context())
	if err != nil {
		return missing("agent", err)
	}
	problems, err = a.Problems(cmd.Context())
	if err != nil {
		return missing("agent", err)
	}
	parts = append([]bus.Dict{{"name": "agent", "state": "ok", "detail": bus.Agent}}, found...)
	for _, p := range found {
		if text(p, "name") == "compositor" && text(p, "state") != "ok" {
			return parts, problems, &exitError{exitMissing, "missing", "compositor: " + text(p, "detail")}
		}
	}
	return parts, problems, nil
}

func (c *cli) printParts(parts, problems []bus.Dict) {
	w := tabwriter.NewWriter(c.stdout, 0, 8, 2, ' ', 0)
	for _, p := range parts {
		fmt.Fprintf(w, "%s\t%s\t%s\n", text(p, "name"), text(p, "state"), text(p, "detail"))
	}
	w.Flush()
	for _, p := range problems {
		fmt.Fprintf(c.stdout, "%s: %s:%v:%v: %s\n", text(p, "severity"), text(p, "file"), p["line"], p["column"], text(p, "message"))
	}
}
