package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"utter/shared/bus"
)

// maxInput bounds what "utter run -" reads, in bytes.
const maxInput = 1 << 20

// utterance joins the words of the command line. A single "-" stands for
// standard input.
func (c *cli) utterance(args []string) (string, error) {
	s := strings.Join(args, " ")
	if len(args) == 1 && args[0] == "-" {
		b, err := io.ReadAll(io.LimitReader(c.stdin, maxInput+1))
		if err != nil {
			return "", &exitError{exitFailed, "failed", "read standard input: " + err.Error()}
		}
		if len(b) > maxInput {
			return "", &exitError{exitUsage, "usage", "the utterance is longer than 1 MiB"}
		}
		s = strings.TrimSuffix(string(b), "\n")
	}
	return s, checkText(s)
}

// checkText refuses what cannot be sent on D-Bus.
func checkText(s string) error {
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		return &exitError{exitUsage, "usage", "the text is not valid UTF-8"}
	}
	return nil
}

func (c *cli) runCommand() *cobra.Command {
	var o bus.RunOptions
	var window uint64
	cmd := &cobra.Command{
		Use:   "run TEXT...",
		Short: "Carry out an utterance",
		Long: "Run carries out TEXT and reports the outcome. If TEXT is -, it is read from\n" +
			"standard input. Put -- before words that begin with a dash.",
		Example: "  utter run \"open the terminal\"\n  utter run --dry-run workspace three",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := c.utterance(args)
			if err != nil {
				return err
			}
			return c.withAgent(cmd, func(a *bus.Client) error {
				if cmd.Flags().Changed("window") {
					o.Window = &window
				}
				r, err := a.RunWithOptions(cmd.Context(), s, o)
				if err != nil {
					return callError(err)
				}
				return c.showReply("run", s, r)
			})
		},
	}
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "print the steps and do nothing")
	cmd.Flags().Uint64Var(&window, "window", 0, "focus the window with this id first, or do nothing")
	cmd.Flags().Uint32Var(&o.TimeoutMS, "timeout-ms", 0, "cancel the plan after this many milliseconds (0: never)")
	return cmd
}

// withAgent connects to the session bus for f.
func (c *cli) withAgent(cmd *cobra.Command, f func(*bus.Client) error) error {
	a, err := bus.Dial(cmd.Context())
	if err != nil {
		return callError(err)
	}
	defer a.Close()
	return f(a)
}

// runData is the data of run, choose and confirm.
type runData struct {
	Utterance string     `json:"utterance,omitempty"`
	Outcome   string     `json:"outcome"`
	Message   string     `json:"message"`
	Reason    string     `json:"reason,omitempty"`
	Steps     []bus.Step `json:"steps"`
}

// showReply prints what became of a plan.
func (c *cli) showReply(command, utterance string, r bus.Reply) error {
	last := r.Last()
	d := runData{Utterance: utterance, Outcome: r.Outcome, Message: r.Message, Reason: last.Reason, Steps: r.Steps}
	human := func() {
		for _, s := range r.Steps {
			c.printStep(s)
		}
		c.printQuestion(last.Choices, last.Token)
	}
	if status := statusOf(r.Outcome, d.Reason); status != exitDone {
		reason := d.Reason
		if reason == "" {
			reason = r.Outcome
		}
		return c.showFailed(command, d, &exitError{status, reason, r.Message}, human)
	}
	c.show(command, d, human)
	return nil
}

func (c *cli) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "cancel",
		Short:   "Cancel the running plan and those in the queue",
		Example: "  utter cancel",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withAgent(cmd, func(a *bus.Client) error {
				n, err := a.Cancel(cmd.Context())
				if err != nil {
					return callError(err)
				}
				c.show("cancel", map[string]uint32{"cancelled": n}, func() { fmt.Fprintf(c.stdout, "cancelled: %d\n", n) })
				return nil
			})
		},
	}
}

func (c *cli) confirmCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "confirm TOKEN yes|no",
		Short:   "Approve or reject a plan that needs confirmation",
		Example: "  utter confirm 7QK2… yes",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[1] != "yes" && args[1] != "no" {
				return &exitError{exitUsage, "usage", "write yes or no after the token, not " + strconv.Quote(args[1])}
			}
			if err := checkText(args[0]); err != nil {
				return err
			}
			return c.withAgent(cmd, func(a *bus.Client) error {
				r, err := a.Confirm(cmd.Context(), args[0], args[1] == "yes")
				if err != nil {
					return callError(err)
				}
				return c.showReply("confirm", "", r)
			})
		},
	}
}

func (c *cli) chooseCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "choose TOKEN NUMBER",
		Short:   "Carry out one of the choices of an ambiguous utterance",
		Example: "  utter choose 7QK2… 1",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.ParseUint(args[1], 10, 32)
			if err != nil || n == 0 {
				return &exitError{exitUsage, "usage", "write the number of a choice after the token, from 1"}
			}
			if err := checkText(args[0]); err != nil {
				return err
			}
			return c.withAgent(cmd, func(a *bus.Client) error {
				r, err := a.Choose(cmd.Context(), args[0], uint32(n-1))
				if err != nil {
					return callError(err)
				}
				return c.showReply("choose", "", r)
			})
		},
	}
}
