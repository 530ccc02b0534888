package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"utter/shared/bus"
	"utter/shared/utterance"
)

func (c *cli) appsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "apps",
		Short:   "List and show applications",
		Example: "  utter apps list\n  utter apps show firefox",
		Args:    onlyCommands,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.appsList(), c.appsShow(), c.appsCheck(), c.validate("apps"), c.diff("apps"), c.restore("apps"))
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
				shown := slices.DeleteFunc(apps, func(app bus.App) bool { return !app.Installed && !all })
				c.show("apps list", shown, func() { c.printApps(shown) })
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "include those that are known but not installed")
	return cmd
}

func (c *cli) printApps(apps []bus.App) {
	w := tabwriter.NewWriter(c.stdout, 0, 8, 2, ' ', 0)
	for _, app := range apps {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", app.ID, app.Name, app.Kind, strings.Join(app.Aliases, ", "))
	}
	w.Flush()
}

func (c *cli) appsShow() *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME",
		Short:   "Print everything known about an application",
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

func (c *cli) appsCheck() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "check PROGRAM [ARGUMENT...]",
		Short:   "Find the program that a launch command would start",
		Long:    "Check prints the path of PROGRAM as the agent finds it, and starts nothing.",
		Example: "  utter apps check foot --title notes",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, arg := range args {
				if err := checkText(arg); err != nil {
					return err
				}
			}
			return c.withAgent(cmd, func(a *bus.Client) error {
				check, err := a.CheckLaunch(cmd.Context(), args)
				if err != nil {
					return callError(err)
				}
				return c.showCheck(args[0], check)
			})
		},
	}
	cmd.Flags().SetInterspersed(false) // what follows PROGRAM is its own
	return cmd
}

func (c *cli) showCheck(program string, check bus.LaunchCheck) error {
	message := fmt.Sprintf("there is no program %q", program)
	switch check.State {
	case "found":
		c.show("apps check", check, func() { fmt.Fprintln(c.stdout, check.Path) })
		return nil
	case "not_executable":
		message = check.Path + " exists but is not executable"
	}
	e := &exitError{exitUnknown, check.State, message}
	return c.showFailed("apps check", check, e, func() { fmt.Fprintln(c.stdout, message) })
}

func isCalled(app bus.App, name string) bool {
	for _, n := range append([]string{app.ID, app.Name}, app.Aliases...) {
		if utterance.Key(n) == utterance.Key(name) {
			return true
		}
	}
	return false
}

func (c *cli) printApp(app bus.App) {
	w := tabwriter.NewWriter(c.stdout, 0, 8, 2, ' ', 0)
	list := func(words []string) string { return strings.Join(words, ", ") }
	for _, line := range []struct {
		key   string
		value any
	}{
		{"id", app.ID}, {"name", app.Name}, {"aliases", list(app.Aliases)}, {"kind", app.Kind}, {"app_ids", list(app.AppIDs)},
		{"launch", list(app.Launch)}, {"layer", app.Layer}, {"origin", app.Origin}, {"installed", app.Installed},
		{"running", app.Running}, {"role", app.Role},
	} {
		fmt.Fprintf(w, "%s\t%v\n", line.key, line.value)
	}
	w.Flush()
}
