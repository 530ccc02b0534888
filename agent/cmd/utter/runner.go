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
		r.installCommand(), r.removeCommand(), r.callCommand(), r.driveCommand())
	return cmd
}

// dial connects to the runner.
func (r *runnerCLI) dial(ctx context.Context) (*runnerclient.Client, error) {
	cfg, err := config.Load(r.file)
	if err != nil {
		return nil, &exitError{exitFailed, "config", err.Error()}
	}
	conn, err := runnerclient.Dial(ctx, runnerclient.Find(r.socket, cfg, os.Getenv), runnerclient.Options{})
	if err != nil {
		return nil, runnerError(err)
	}
	return conn, nil
}

// call asks the runner one thing.
func (r *runnerCLI) call(ctx context.Context, method string, params, result any) error {
	conn, err := r.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.Call(ctx, method, params, result); err != nil {
		return runnerError(err)
	}
	return nil
}

// runnerError is where errors of the runner become exit statuses.
func runnerError(err error) error {
	code := protocol.CodeOf(err)
	switch {
	case errors.Is(err, runnerclient.ErrNoRunner):
		return &exitError{exitMissing, "missing", err.Error() + "; start it by: systemctl --user start utter-runner"}
	case code == protocol.CodeInvalidParams, code == protocol.CodeUnavailable:
		return &exitError{exitUnknown, "not_found", err.Error()}
	case code == protocol.CodeDenied:
		return &exitError{exitRefused, "policy", err.Error()}
	}
	return &exitError{exitFailed, "failed", err.Error()}
}

func (r *runnerCLI) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Short:   "List the plugins and how they are",
		Example: "  utter runner status",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s runner.Status
			if err := r.call(cmd.Context(), protocol.MethodRunnerStatus, nil, &s); err != nil {
				return err
			}
			r.show("runner status", s, func() { r.printRows(s.Plugins) })
			return nil
		},
	}
}

func (r *runnerCLI) printRows(rows []protocol.PluginRow) {
	if len(rows) == 0 {
		fmt.Fprintln(r.stdout, "There are no plugins; utter runner install FOLDER adds one.")
		return
	}
	w := tabwriter.NewWriter(r.stdout, 0, 8, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", row.ID, row.Kind, row.Status, printable(strings.ReplaceAll(row.Reason, "\n", "; ")))
	}
	w.Flush()
}

func (r *runnerCLI) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "validate PLUGIN",
		Short:   "Tell whether a plugin runs and has what it needs",
		Example: "  utter runner validate hello",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var v protocol.ValidateResult
			if err := r.call(cmd.Context(), protocol.MethodRunnerValidatePlugin, protocol.PluginParams{Plugin: args[0]}, &v); err != nil {
				return err
			}
			human := func() { r.printValidity(args[0], v) }
			if !v.OK {
				return r.showFailed("runner validate", v, &exitError{exitFailed, "invalid", args[0] + " does not run, or lacks something"}, human)
			}
			r.show("runner validate", v, human)
			return nil
		},
	}
}

func (r *runnerCLI) printValidity(id string, v protocol.ValidateResult) {
	state := "runs and has what it needs"
	if !v.OK {
		state = "does not run, or lacks something (utter runner status says why)"
	}
	fmt.Fprintf(r.stdout, "%s %s\n", id, state)
	if len(v.MissingRequires) > 0 {
		fmt.Fprintf(r.stdout, "  nobody provides: %s\n", strings.Join(v.MissingRequires, ", "))
	}
	if len(v.UnknownCapabilities) > 0 {
		fmt.Fprintf(r.stdout, "  nobody knows: %s\n", strings.Join(v.UnknownCapabilities, ", "))
	}
	r.printPermissions(v.Permissions)
}

func (r *runnerCLI) printPermissions(list []protocol.PermissionState) {
	for _, p := range list {
		granted, kept := "not granted", "advisory: nothing keeps the plugin from it"
		if p.Granted {
			granted = "granted"
		}
		if p.Enforced {
			kept = "enforced"
		}
		fmt.Fprintf(r.stdout, "  %s: %s, %s\n", printable(p.Name), granted, kept)
	}
}

// pluginCommand is a command that does one thing to one plugin.
func (r *runnerCLI) pluginCommand(use, short, method, done string) *cobra.Command {
	return &cobra.Command{
		Use:     use + " PLUGIN",
		Short:   short,
		Example: "  utter runner " + use + " hello",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.call(cmd.Context(), method, protocol.PluginParams{Plugin: args[0]}, nil); err != nil {
				return err
			}
			r.show("runner "+use, map[string]string{"plugin": args[0]}, func() { fmt.Fprintf(r.stdout, "%s %s\n", args[0], done) })
			return nil
		},
	}
}

func (r *runnerCLI) restartCommand() *cobra.Command {
	return r.pluginCommand("restart", "Start a plugin again, one that was given up too", protocol.MethodRunnerPluginRestart, "is being started")
}

func (r *runnerCLI) enableCommand() *cobra.Command {
	return r.pluginCommand("enable", "Start a plugin that is switched off, until the configuration is read again", protocol.MethodRunnerPluginEnable, "is being started")
}

func (r *runnerCLI) logCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "log PLUGIN",
		Short:   "Show what a plugin last said",
		Example: "  utter runner log hello",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var said struct {
				Lines []string `json:"lines"`
			}
			if err := r.call(cmd.Context(), protocol.MethodRunnerPluginLog, protocol.PluginParams{Plugin: args[0]}, &said); err != nil {
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
