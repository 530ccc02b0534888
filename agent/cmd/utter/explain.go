package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"utter/shared/bus"
)

func (c *cli) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain TEXT...",
		Short: "Explain what an utterance means",
		Long: "Explain prints the plan, the rule that matched, the rules tried before it, and everything a\n" +
			"name could mean, the best match first.",
		Example: "  utter explain open the terminal",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := c.utterance(args)
			if err != nil {
				return err
			}
			return c.withAgent(cmd, func(a *bus.Client) error {
				p, err := a.PlanWithOptions(cmd.Context(), s, bus.PlanOptions{Explain: true})
				if err != nil {
					return callError(err)
				}
				return c.showExplained(p)
			})
		},
	}
}

func (c *cli) showExplained(p bus.Plan) error {
	human := func() {
		for _, s := range p.Steps {
			c.printStep(s)
		}
		if len(p.Steps) == 0 {
			fmt.Fprintf(c.stdout, "no plan: %s\n", p.Message)
		}
		if p.Rule != "" {
			fmt.Fprintf(c.stdout, "rule: %s\n", p.Rule)
		}
		if len(p.Passed) > 0 {
			fmt.Fprintf(c.stdout, "tried before: %s\n", strings.Join(p.Passed, ", "))
		}
		c.printClaims(p)
	}
	if !p.Found {
		return c.showFailed("explain", p, noPlan(p), human)
	}
	c.show("explain", p, human)
	return nil
}

func (c *cli) printClaims(p bus.Plan) {
	if len(p.Claims) == 0 {
		return
	}
	fmt.Fprintf(c.stdout, "%q could mean:\n", p.Name)
	w := tabwriter.NewWriter(c.stdout, 0, 8, 2, ' ', 0)
	for _, cl := range p.Claims {
		note := ""
		if !cl.Installed {
			note = "not installed"
		}
		fmt.Fprintf(w, "  %s\tby %s\t%s\t%s\t%s\n", cl.Name, cl.By, cl.Layer, cl.Origin, note)
	}
	w.Flush()
}

func (c *cli) suggestCommand() *cobra.Command {
	var limit uint32
	var app string
	cmd := &cobra.Command{
		Use:     "suggest [TEXT...]",
		Short:   "List what you can say now that begins with TEXT",
		Long:    "Suggest prints what you can say and what it does. A … stands for words of your own.",
		Example: "  utter suggest open\n  utter suggest --app firefox --limit 1000",
		RunE: func(cmd *cobra.Command, args []string) error {
			prefix := strings.Join(args, " ")
			if err := errors.Join(checkText(prefix), checkText(app)); err != nil {
				return err
			}
			return c.withAgent(cmd, func(a *bus.Client) error {
				list, err := a.SuggestFor(cmd.Context(), app, prefix, limit)
				if err != nil {
					return callError(err)
				}
				c.show("suggest", list, func() { c.printSuggestions(list) })
				return nil
			})
		},
	}
	cmd.Flags().Uint32Var(&limit, "limit", 20, "the maximum number of suggestions")
	cmd.Flags().StringVar(&app, "app", "", "as if a window of this application were focused")
	return cmd
}

func (c *cli) printSuggestions(list []bus.Suggestion) {
	w := tabwriter.NewWriter(c.stdout, 0, 8, 2, ' ', 0)
	for _, s := range list {
		fmt.Fprintf(w, "%s\t%s\n", s.Text, s.Detail)
	}
	w.Flush()
}
