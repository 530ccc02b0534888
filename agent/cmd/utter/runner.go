package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"utter/agent/runner/status"
	"utter/shared/config"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/runnerclient"
	"utter/shared/xdg"
)

// A runnerCLI is a call of utter runner.
type runnerCLI struct {
	*cli
	socket, file string
	named        func() bool // the file is that of --config
	dirs         xdg.Dirs
	read         *config.Config // see configuration
}

func (c *cli) runnerCommand() *cobra.Command {
	r := &runnerCLI{cli: c, dirs: xdg.New(os.Getenv, os.Getuid())}
	cmd := &cobra.Command{
		Use:   "runner",
		Short: "Manage plugins and the plugin runner",
		Long: "The runner, utter-runner, runs the plugins of the configuration. These commands query it and\n" +
			"change the [[plugin]] tables of the configuration.",
		Example: "  utter runner status",
		Args:    onlyCommands,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			// call and drive wait as long as their answers take, install for the user's.
			if !slices.Contains([]string{"call", "drive", "install"}, cmd.Name()) {
				ctx, cancel := context.WithTimeout(cmd.Context(), askTime)
				context.AfterFunc(ctx, cancel) // the process is one command
				cmd.SetContext(ctx)
			}
		},
	}
	cmd.PersistentFlags().StringVar(&r.socket, "socket", "", "the runner's socket")
	cmd.PersistentFlags().StringVar(&r.file, "config", r.dirs.ConfigFile(),
		"the configuration, instead of that of the running runner")
	r.named = func() bool { return cmd.PersistentFlags().Changed("config") }
	cmd.AddCommand(r.statusCommand(), r.validateCommand(), r.doctorCommand(), r.restartCommand(), r.enableCommand(),
		r.disableCommand(), r.logCommand(),
		r.reloadCommand(), r.installCommand(), r.removeCommand(), r.callCommand(), r.driveCommand())
	return cmd
}

// Limits for a runner that does not answer.
const (
	dialTime = 10 * time.Second
	askTime  = time.Minute // of a whole command; restarting plugins takes some of it
)

// dial connects to the runner.
func (r *runnerCLI) dial(ctx context.Context) (*runnerclient.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	conn, err := runnerclient.Dial(ctx, runnerclient.Find(r.socket, r.configuration(), os.Getenv), runnerclient.Options{})
	if err != nil {
		return nil, runnerError(err)
	}
	return conn, nil
}

// about asks the runner for something of one plugin.
func (r *runnerCLI) about(ctx context.Context, conn *runnerclient.Client, method, id string, result any) error {
	if err := conn.Call(ctx, method, protocol.PluginParams{Plugin: id}, result); err != nil {
		return r.unknown(ctx, conn, id, err)
	}
	return nil
}

// runnerError is where errors of the runner become exit statuses. What a plugin
// said may be in them.
func runnerError(err error) error {
	code, said := protocol.CodeOf(err), printable(err.Error())
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &exitError{exitFailed, "timeout", "the plugin runner does not respond"}
	case errors.Is(err, runnerclient.ErrNoRunner):
		return &exitError{exitMissing, "missing",
			said + "; start it with: systemctl --user start utter-runner (or, in a terminal: utter-runner &)"}
	case protocol.ErrorData(err).Reason == protocol.ReasonBusy:
		return &exitError{exitFailed, "busy", said}
	case code == protocol.CodeInvalidParams, code == protocol.CodeUnavailable:
		return &exitError{exitUnknown, "not_found", said}
	case protocol.ErrorData(err).Reason == protocol.ReasonNoConfirmer:
		return &exitError{exitRefused, "needs_confirmation",
			said + ": it needs your confirmation, and nothing is running that could ask you. " +
				"The agent asks with a notification while it is running; utter doctor starts it. Then try again"}
	case code == protocol.CodeDenied:
		return &exitError{exitRefused, "policy", said}
	}
	return &exitError{exitFailed, "failed", said}
}

// A runnerState is what utter runner status tells.
type runnerState struct {
	status.Status
	Absent []absentPlugin `json:"absent"` // those of the configuration that the runner does not have
}

func (r *runnerCLI) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "List the plugins and their status",
		Long: "Status lists the plugins. One that is off is disabled in the configuration; one that is unread\n" +
			"is in the configuration, but the runner has not read it yet.",
		Example: "  utter runner status",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			conn, err := r.dial(cmd.Context())
			if err != nil {
				return err
			}
			defer conn.Close()
			var s runnerState
			if err := conn.Call(cmd.Context(), protocol.MethodRunnerStatus, nil, &s.Status); err != nil {
				return runnerError(err)
			}
			r.follow(s.Runner.Config)
			s.Absent = r.absent(s.Plugins)
			r.show("runner status", s, func() { r.printRows(s) })
			return nil
		},
	}
}

func (r *runnerCLI) printRows(s runnerState) {
	if len(s.Plugins)+len(s.Absent) == 0 {
		fmt.Fprintln(r.stdout, "There are no plugins; add one with utter runner install FOLDER.")
		return
	}
	w := tabwriter.NewWriter(r.stdout, 0, 8, 2, ' ', 0)
	row := func(id, kind, status, reason string) {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", printable(id), printable(kind), status,
			printable(strings.ReplaceAll(reason, "\n", "; ")))
	}
	for _, p := range s.Plugins {
		row(p.ID, p.Kind, p.Status, p.Reason)
	}
	for _, p := range s.Absent {
		row(p.ID, p.Kind, p.Status, p.Reason)
	}
	w.Flush()
}

// A validity is what utter runner validate tells.
type validity struct {
	protocol.ValidateResult
	Status   string   `json:"status"`
	Reason   string   `json:"reason,omitempty"` // why it is not ok
	Warnings []string `json:"warnings"`         // what its entry may not be meant to say
}

func (r *runnerCLI) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "validate PLUGIN",
		Short:   "Check whether a plugin is running and has what it needs",
		Example: "  utter runner validate hello",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := r.validate(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			human := func() { r.printValidity(args[0], v) }
			if !v.OK {
				return r.showFailed("runner validate", v, &exitError{exitFailed, "invalid", args[0] + " " + v.why()}, human)
			}
			r.show("runner validate", v, human)
			return nil
		},
	}
}

func (r *runnerCLI) validate(ctx context.Context, id string) (v validity, err error) {
	conn, err := r.dial(ctx)
	if err != nil {
		return v, err
	}
	defer conn.Close()
	if err := r.about(ctx, conn, protocol.MethodRunnerValidatePlugin, id, &v.ValidateResult); err != nil {
		return v, err
	}
	var s status.Status
	if err := conn.Call(ctx, protocol.MethodRunnerStatus, nil, &s); err != nil {
		return v, runnerError(err)
	}
	r.follow(s.Runner.Config)
	for _, row := range s.Plugins {
		if row.ID == id || row.Kind == id && v.Status == "" { // a kind stands for a plugin of it
			v.Status, v.Reason = row.Status, row.Reason
		}
	}
	v.Warnings = append([]string{}, r.configuration().WarningsOf(id)...)
	return v, nil
}

// why says in words how a plugin is.
func (v validity) why() string {
	switch {
	case v.OK:
		return "is running and has what it needs"
	case len(v.MissingRequires) > 0:
		return "lacks what it needs (" + state(v.Status, v.Reason) + ")"
	}
	return "does not run (" + state(v.Status, v.Reason) + ")"
}

// state is a status with its reason, if it has one.
func state(status, reason string) string { return strings.TrimSuffix(status+": "+reason, ": ") }

func (r *runnerCLI) printValidity(id string, v validity) {
	fmt.Fprintf(r.stdout, "%s %s\n", id, printable(v.why()))
	if len(v.MissingRequires) > 0 {
		fmt.Fprintf(r.stdout, "  no plugin provides: %s\n", strings.Join(v.MissingRequires, ", "))
	}
	if len(v.UnknownCapabilities) > 0 {
		fmt.Fprintf(r.stdout, "  unknown: %s\n", strings.Join(v.UnknownCapabilities, ", "))
	}
	r.printPermissions(id, v.Permissions)
	for _, w := range v.Warnings {
		fmt.Fprintf(r.stdout, "  WARNING: %s\n", printable(w))
	}
}

func (r *runnerCLI) restartCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "restart PLUGIN",
		Short:   "Restart a plugin, even one that the runner gave up on",
		Example: "  utter runner restart hello",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, err := r.dial(cmd.Context())
			if err != nil {
				return err
			}
			defer conn.Close()
			if err := r.about(cmd.Context(), conn, protocol.MethodRunnerPluginRestart, args[0], nil); err != nil {
				return err
			}
			r.show("runner restart", map[string]string{"plugin": args[0]},
				func() { fmt.Fprintln(r.stdout, args[0]+" is being started") })
			return nil
		},
	}
}

func (r *runnerCLI) logCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "log PLUGIN",
		Short: "Show the last lines a plugin logged, and how it ended",
		Long: "Log shows the last lines that a plugin wrote to standard error or logged. A line that begins\n" +
			"with [runner] comes from the runner: how the plugin ended, and when it will be restarted.",
		Example: "  utter runner log hello",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, err := r.dial(cmd.Context())
			if err != nil {
				return err
			}
			defer conn.Close()
			var said struct {
				Lines []string `json:"lines"`
			}
			if err := r.about(cmd.Context(), conn, protocol.MethodRunnerPluginLog, args[0], &said); err != nil {
				return err
			}
			r.show("runner log", said, func() {
				for _, line := range said.Lines {
					fmt.Fprintln(r.stdout, printable(line))
				}
				if len(said.Lines) == 0 {
					fmt.Fprintln(r.stderr, "(nothing)")
				}
			})
			return nil
		},
	}
}

// isSettled reports whether a plugin stays in a status for now: one that is stopped
// is about to be started again.
func isSettled(status string) bool {
	return !slices.Contains([]string{protocol.StatusCreated, protocol.StatusStarting, protocol.StatusStopped}, status)
}
