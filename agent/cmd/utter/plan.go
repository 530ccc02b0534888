package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"utter/agent/internal/router"
	"utter/shared/bus"
	"utter/shared/catalog"
	"utter/shared/config"
	"utter/shared/phrases"
	"utter/shared/plan"
	"utter/shared/xdg"
)

func (c *cli) planCommand() *cobra.Command {
	var offline bool
	var o bus.PlanOptions
	var window uint64
	cmd := &cobra.Command{
		Use:   "plan TEXT...",
		Short: "Print what an utterance would do",
		Long: "Plan prints the steps that TEXT would take now, and does nothing. With --offline it needs\n" +
			"no agent and no desktop: it uses this user's files, as if no window were open.",
		Example: "  utter plan open youtube\n  utter plan --offline \"search for tom & jerry\"",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := c.utterance(args)
			if err != nil {
				return err
			}
			if offline {
				p, err := offlinePlan(s)
				if err != nil {
					return &exitError{exitFailed, "failed", err.Error()}
				}
				return c.showPlan(p)
			}
			return c.withAgent(cmd, func(a *bus.Client) error {
				if cmd.Flags().Changed("window") {
					o.Window = &window
				}
				p, err := a.PlanWithOptions(cmd.Context(), s, o)
				if err != nil {
					return callError(err)
				}
				return c.showPlan(p)
			})
		},
	}
	cmd.Flags().BoolVar(&offline, "offline", false, "plan in this process, without the agent or a desktop")
	cmd.Flags().StringVar(&o.App, "app", "", "as if a window of this application were focused")
	cmd.Flags().Uint64Var(&window, "window", 0, "as if the window with this id were focused")
	cmd.MarkFlagsMutuallyExclusive("offline", "app", "window")
	return cmd
}

// showPlan prints a plan, or why there is none.
func (c *cli) showPlan(p bus.Plan) error {
	if !p.Found {
		return c.showFailed("plan", p, noPlan(p), func() {
			fmt.Fprintf(c.stdout, "no plan: %s\n", p.Message)
			c.printQuestion(p.Choices, "")
		})
	}
	c.show("plan", p, func() {
		for _, s := range p.Steps {
			c.printStep(s)
		}
		if p.Refusal != "" {
			fmt.Fprintf(c.stdout, "would be refused: %s\n", printable(p.Refusal))
		}
		if p.Source == string(plan.SourcePlugins) {
			fmt.Fprintln(c.stdout, "by the router of a plugin")
			return
		}
		fmt.Fprintf(c.stdout, "by the %s rule\n", p.Rule)
	})
	return nil
}

// noPlan ends a call that has no plan to show.
func noPlan(p bus.Plan) *exitError {
	return &exitError{statusOf(plan.Refused.String(), p.Reason), p.Reason, p.Message}
}

// library reads this user's files in this process. What is wrong with the user's
// words is the agent's to report.
func library() (*catalog.Library, *phrases.Set, error) {
	words, err := phrases.English()
	if err != nil {
		return nil, nil, err
	}
	s := source(words)
	lib, err := catalog.Load(s)
	words, _ = words.Extended(s.Dirs.Phrases())
	return lib, words, err
}

// offlinePlan plans in this process.
func offlinePlan(s string) (p bus.Plan, err error) {
	lib, words, err := library()
	if err != nil {
		return p, err
	}
	dirs := xdg.New(os.Getenv, os.Getuid())
	cfg, err := config.Load(dirs.ConfigFile())
	if err != nil {
		return p, err
	}
	r, err := router.New(words, lib, cfg.Search.Engine)
	if err != nil {
		return p, err
	}
	return r.Route(s, router.Context{}).OnBus(s), nil
}
