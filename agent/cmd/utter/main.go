// Utter is the command line interface: a thin client of the agent, and the
// commands that work without it. See utter(1).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// version is set by the build.
var version = "0.1.0"

// Exit statuses, documented in utter(1).
const (
	exitDone    = 0
	exitFailed  = 1
	exitUsage   = 2
	exitRefused = 3 // or needs confirmation
	exitMissing = 4 // a part of the desktop is not there
	exitUnknown = 5 // no such command, application or plan
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is main without the process: everything it touches is an argument, so
// tests call it directly.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := &cli{stdin: stdin, stdout: stdout, stderr: stderr}
	root := c.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	ran, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitDone
	}
	var known *exitError
	if !errors.As(err, &known) {
		known = &exitError{exitUsage, "usage", err.Error() + "\nTry: " + ran.CommandPath() + " --help"}
	}
	c.json = c.json || wantsJSON(args)
	c.fail(strings.TrimPrefix(ran.CommandPath(), "utter "), known)
	return known.status
}

// wantsJSON tells also where the flags could not be read.
func wantsJSON(args []string) bool {
	for _, a := range args {
		if a == "--" {
			break
		}
		if a == "--json" || a == "--json=true" {
			return true
		}
	}
	return false
}

// A cli is one call of the command line.
type cli struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	json           bool
}

// An exitError ends the call with a status. A message that has been shown
// already is "".
type exitError struct {
	status  int
	reason  string // machine-readable
	message string
}

func (e *exitError) Error() string { return e.message }

// onlyCommands refuses what is not a command of cmd's.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &exitError{exitUnknown, "no_command", fmt.Sprintf("there is no command %q; %s --help lists them", args[0], cmd.CommandPath())}
	}
	return nil
}

func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "utter",
		Short: "Say what should happen on the desktop, and see it happen",
		Long: "Utter turns what you say or type into actions on the desktop. The agent does the work;\n" +
			"it is started when it is needed.",
		Example:       "  utter run \"open the terminal\"",
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          onlyCommands,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().BoolVar(&c.json, "json", false, "print exactly one JSON object (utter.cli/v1)")
	root.AddCommand(c.runCommand(), c.planCommand(), c.cancelCommand(), c.confirmCommand(), c.chooseCommand(), c.explainCommand(), c.suggestCommand(),
		c.appsCommand(), c.profilesCommand(), c.catalogCommand(), c.evalCommand(), c.doctorCommand(), c.runnerCommand())
	return root
}
