package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"utter/agent/internal/router"
	"utter/shared/bus"
	"utter/shared/catalog"
	"utter/shared/config"
	"utter/shared/op"
	"utter/shared/phrases"
	"utter/shared/plan"
	"utter/shared/xdg"
)

func (c *cli) planCommand() *cobra.Command {
	var offline bool
	var app string
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
				d, err := offlinePlan(s)
				if err != nil {
					return &exitError{exitFailed, "failed", err.Error()}
				}
				return c.showPlan(d)
			}
			return c.withAgent(cmd, func(a *bus.Client) error {
				options := map[string]any{}
				if cmd.Flags().Changed("app") {
					options["app"] = app
				}
				if cmd.Flags().Changed("window") {
					options["window"] = window
				}
				d, err := a.PlanWithOptions(cmd.Context(), s, options)
				if err != nil {
					return callError(err)
				}
				return c.showPlan(d)
			})
		},
	}
	cmd.Flags().BoolVar(&offline, "offline", false, "plan in this process, without agent and desktop")
	cmd.Flags().StringVar(&app, "app", "", "as if a window of this application had the focus")
	cmd.Flags().Uint64Var(&window, "window", 0, "as if the window of this id had the focus")
	cmd.MarkFlagsMutuallyExclusive("offline", "app", "window")
	return cmd
}

// showPlan prints a plan, or why there is none.
func (c *cli) showPlan(d bus.Dict) error {
	if found, _ := d["found"].(bool); !found {
		reason, message := text(d, "reason"), text(d, "message")
		e := &exitError{statusOf(plan.Refused.String(), reason), reason, message}
		return c.showFailed("plan", d, e, func() {
			fmt.Fprintf(c.stdout, "no plan: %s\n", message)
			c.printQuestion(d)
		})
	}
	c.show("plan", d, func() {
		steps, _ := d["steps"].([]bus.Dict)
		for _, s := range steps {
			c.printStep(s)
		}
		if why := text(d, "refusal"); why != "" {
			fmt.Fprintf(c.stdout, "would be refused: %s\n", printable(why))
		}
		if text(d, "source") == string(plan.SourcePlugins) {
			fmt.Fprintln(c.stdout, "by the router of a plugin")
			return
		}
		fmt.Fprintf(c.stdout, "by the %s rule\n", text(d, "rule"))
	})
	return nil
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
func offlinePlan(s string) (bus.Dict, error) {
	lib, words, err := library()
	if err != nil {
		return nil, err
	}
	dirs := xdg.New(os.Getenv, os.Getuid())
	cfg, err := config.Load(dirs.ConfigFile())
	if err != nil {
		return nil, err
	}
	r, err := router.New(words, lib, cfg.Search.Engine)
	if err != nil {
		return nil, err
	}
	return decisionDict(s, r.Route(s, router.Context{})), nil
}

// decisionDict writes a decision as the agent's Plan does.
func decisionDict(s string, dec router.Decision) bus.Dict {
	d := bus.Dict{"utterance": s, "found": dec.Plan != nil}
	if dec.Rule != "" {
		d["rule"] = dec.Rule
	}
	if len(dec.Passed) > 0 {
		d["passed"] = dec.Passed
	}
	if dec.Plan == nil {
		d["reason"], d["message"] = string(dec.Reason), dec.Message
		choices := []bus.Dict{}
		for _, ch := range dec.Choices {
			choices = append(choices, bus.Dict{"label": ch.Label, "origin": ch.Origin})
		}
		if len(choices) > 0 {
			d["choices"] = choices
		}
		return d
	}
	steps := []bus.Dict{}
	for _, st := range dec.Plan.Steps {
		step := bus.Dict{
			"action": string(st.Op()), "args": bus.Dict(op.Map(st.Args)), "tier": string(st.Tier()), "description": st.Description,
		}
		if st.Confirm {
			step["confirm"] = true
		}
		steps = append(steps, step)
	}
	d["source"], d["confidence"] = string(dec.Plan.Source), dec.Plan.Confidence
	d["needs_perception"], d["steps"] = dec.Plan.NeedsPerception, steps
	return d
}
