package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"utter/shared/bus"
	"utter/shared/utterance"
)

func (c *cli) appsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "apps",
		Short:   "What applications can be named, and how",
		Example: "  utter apps list\n  utter apps show firefox",
		Args:    onlyCommands,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.appsList(), c.appsShow(), c.validate("apps"), c.diff("apps"), c.restore("apps"))
	return cmd
}

func (c *cli) appsList() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the applications that are installed here",
		Example: "  utter apps list",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withAgent(cmd, func(a *bus.Client) error {
				apps, err := a.ListApps(cmd.Context())
				if err != nil {
					return callError(err)
				}
				shown := []bus.Dict{}
				for _, app := range apps {
					if installed, _ := app["installed"].(bool); installed || all {
						shown = append(shown, app)
					}
				}
				c.show("apps list", shown, func() { c.printApps(shown) })
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "those that are known but not installed as well")
	return cmd
}

func (c *cli) printApps(apps []bus.Dict) {
	w := tabwriter.NewWriter(c.stdout, 0, 8, 2, ' ', 0)
	for _, app := range apps {
		aliases, _ := app["aliases"].([]string)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", text(app, "id"), text(app, "name"), text(app, "kind"), strings.Join(aliases, ", "))
	}
	w.Flush()
}

func (c *cli) appsShow() *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME",
		Short:   "Print all that is known of an application",
		Example: "  utter apps show firefox",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := strings.Join(args, " ")
			return c.withAgent(cmd, func(a *bus.Client) error {
				apps, err := a.ListApps(cmd.Context())
				if err != nil {
					return callError(err)
				}
				for _, app := range apps {
					if isCalled(app, name) {
						c.show("apps show", app, func() { c.printApp(app) })
						return nil
					}
				}
				return &exitError{exitUnknown, "not_found", fmt.Sprintf("no application has the id, name or alias %q", name)}
			})
		},
	}
}

func isCalled(app bus.Dict, name string) bool {
	names, _ := app["aliases"].([]string)
	for _, n := range append([]string{text(app, "id"), text(app, "name")}, names...) {
		if utterance.Key(n) == utterance.Key(name) {
			return true
		}
	}
	return false
}

func (c *cli) printApp(app bus.Dict) {
	w := tabwriter.NewWriter(c.stdout, 0, 8, 2, ' ', 0)
	for _, field := range []string{"id", "name", "aliases", "kind", "app_ids", "launch", "layer", "origin", "installed", "running", "role"} {
		value := fmt.Sprint(app[field])
		if list, ok := app[field].([]string); ok {
			value = strings.Join(list, ", ")
		}
		fmt.Fprintf(w, "%s\t%s\n", field, value)
	}
	w.Flush()
}
