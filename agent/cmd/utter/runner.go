package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"utter/agent/internal/runner"
	"utter/shared/config"
	"utter/shared/protocol"
	"utter/shared/runnerclient"
	"utter/shared/xdg"
)

// A runnerCLI is a call of utter runner.
type runnerCLI struct {
	*cli
	socket, file string
	dirs         xdg.Dirs
	read         *config.Config // see configuration
}

func (c *cli) runnerCommand() *cobra.Command {
	r := &runnerCLI{cli: c, dirs: xdg.New(os.Getenv, os.Getuid())}
	cmd := &cobra.Command{
		Use:   "runner",
		Short: "Look after plugins and the runner that runs them",
		Long: "The runner, utter-runner, runs the plugins of the configuration. These commands ask it, and\n" +
			"change the [[plugin]] tables of the configuration.",
		Example: "  utter runner status",
		Args:    onlyCommands,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&r.socket, "socket", "", "the runner's socket")
	cmd.PersistentFlags().StringVar(&r.file, "config", r.dirs.ConfigFile(), "the configuration")
	cmd.AddCommand(r.statusCommand(), r.validateCommand(), r.doctorCommand(), r.restartCommand(), r.enableCommand(), r.logCommand(),
		r.reloadCommand(), r.installCommand(), r.removeCommand(), r.callCommand(), r.driveCommand())
	return cmd
}

// dial connects to the runner.
func (r *runnerCLI) dial(ctx context.Context) (*runnerclient.Client, error) {
	conn, err := runnerclient.Dial(ctx, runnerclient.Find(r.socket, r.configuration(), os.Getenv), runnerclient.Options{})
	if err != nil {
		return nil, runnerError(err)
	}
	return conn, nil
}

// about asks the runner for something of one plugin.
func (r *runnerCLI) about(ctx context.Context, conn *runnerclient.Client, method, id string, result any) error {
	if err := conn.Call(ctx, method, protocol.PluginParams{Plugin: id}, result); err != nil {
		return r.unknown(id, method, err)
	}
	return nil
}

// runnerError is where errors of the runner become exit statuses. What a plugin
// said may be in them.
func runnerError(err error) error {
	code, said := protocol.CodeOf(err), printable(err.Error())
	switch {
	case errors.Is(err, runnerclient.ErrNoRunner):
		return &exitError{exitMissing, "missing", said + "; start it by: systemctl --user start utter-runner (or, in a terminal: utter-runner &)"}
	case code == protocol.CodeInvalidParams, code == protocol.CodeUnavailable:
		return &exitError{exitUnknown, "not_found", said}
	case protocol.ErrorData(err).Reason == protocol.ReasonNoConfirmer:
		return &exitError{exitRefused, "needs_confirmation", said + ": it needs your word, and nobody is there to ask you. " +
			"The agent asks, by a notification, while it runs; utter doctor starts it. Then try again"}
	case code == protocol.CodeDenied:
		return &exitError{exitRefused, "policy", said}
	}
	return &exitError{exitFailed, "failed", said}
}

// A runnerState is what utter runner status tells.
type runnerState struct {
	runner.Status
	Absent []absentPlugin `json:"absent"` // those of the configuration that the runner does not have
}

func (r *runnerCLI) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "List the plugins and how they are",
		Long: "Status lists the plugins. One that is off is switched off in the configuration; one that is unread\n" +
			"stands there, and the runner has not read it yet.",
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
			s.Absent = r.absent(s.Plugins)
			r.show("runner status", s, func() { r.printRows(s) })
			return nil
		},
	}
}

func (r *runnerCLI) printRows(s runnerState) {
	if len(s.Plugins)+len(s.Absent) == 0 {
		fmt.Fprintln(r.stdout, "There are no plugins; utter runner install FOLDER adds one.")
		return
	}
	w := tabwriter.NewWriter(r.stdout, 0, 8, 2, ' ', 0)
	row := func(id, kind, status, reason string) {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", printable(id), printable(kind), status, printable(strings.ReplaceAll(reason, "\n", "; ")))
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
		Short:   "Tell whether a plugin runs and has what it needs",
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
	var rows protocol.PluginsResult
	if err := conn.Call(ctx, protocol.MethodRunnerPlugins, nil, &rows); err != nil {
		return v, runnerError(err)
	}
	for _, row := range rows.Plugins {
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
		return "runs and has what it needs"
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
		fmt.Fprintf(r.stdout, "  nobody provides: %s\n", strings.Join(v.MissingRequires, ", "))
	}
	if len(v.UnknownCapabilities) > 0 {
		fmt.Fprintf(r.stdout, "  nobody knows: %s\n", strings.Join(v.UnknownCapabilities, ", "))
	}
	r.printPermissions(id, v.Permissions)
	for _, w := range v.Warnings {
		fmt.Fprintf(r.stdout, "  WARNING: %s\n", printable(w))
	}
}

// pluginCommand is a command that does one thing to one plugin.
func (r *runnerCLI) pluginCommand(use, short, method string, done func(id string) string) *cobra.Command {
	return &cobra.Command{
		Use:     use + " PLUGIN",
		Short:   short,
		Example: "  utter runner " + use + " hello",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, err := r.dial(cmd.Context())
			if err != nil {
				return err
			}
			defer conn.Close()
			if err := r.about(cmd.Context(), conn, method, args[0], nil); err != nil {
				return err
			}
			r.show("runner "+use, map[string]string{"plugin": args[0]}, func() { fmt.Fprintln(r.stdout, done(args[0])) })
			return nil
		},
	}
}

func (r *runnerCLI) restartCommand() *cobra.Command {
	return r.pluginCommand("restart", "Start a plugin again, one that was given up too", protocol.MethodRunnerPluginRestart,
		func(id string) string { return id + " is being started" })
}

func (r *runnerCLI) enableCommand() *cobra.Command {
	return r.pluginCommand("enable", "Start a plugin that is switched off, until the runner ends", protocol.MethodRunnerPluginEnable,
		func(id string) string {
			if entry, ok := r.entry(id); ok && !entry.Enabled {
				return id + " is being started, for now; to switch it on for good, change " + r.file
			}
			return id + " is being started"
		})
}

func (r *runnerCLI) logCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "log PLUGIN",
		Short:   "Show what a plugin last said",
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
			})
			return nil
		},
	}
}

// changed makes a runner that is there read its configuration, and waits until it
// has made up its mind about a plugin that is wanted, or has none any more. There
// need not be a runner.
func (r *runnerCLI) changed(ctx context.Context, id string, wanted bool) (row protocol.PluginRow, running bool, err error) {
	if _, err := config.Load(r.file); err != nil {
		return row, false, &exitError{exitFailed, "config", "the configuration is changed, but the runner reads it only once this is mended: " + err.Error()}
	}
	conn, err := r.dial(ctx)
	var e *exitError
	if errors.As(err, &e) && e.status == exitMissing {
		return row, false, nil
	}
	if err != nil {
		return row, false, err
	}
	defer conn.Close()
	if err := conn.Reload(); err != nil {
		return row, false, &exitError{exitFailed, "failed", "tell the runner: " + err.Error()}
	}
	row, err = settledRow(ctx, conn, id, wanted)
	return row, true, err
}

func isSettled(status string) bool {
	return !slices.Contains([]string{protocol.StatusCreated, protocol.StatusStarting}, status)
}
