package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"utter/shared/config"
	"utter/shared/plugin/protocol"
)

func (r *runnerCLI) enableCommand() *cobra.Command {
	return r.switchCommand("enable", "Enable a plugin in the configuration and start it", true)
}

func (r *runnerCLI) disableCommand() *cobra.Command {
	return r.switchCommand("disable", "Disable a plugin in the configuration and stop it", false)
}

func (r *runnerCLI) switchCommand(use, short string, on bool) *cobra.Command {
	return &cobra.Command{
		Use:     use + " PLUGIN",
		Short:   short,
		Example: "  utter runner " + use + " hello",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.switchPlugin(cmd.Context(), args[0], on)
		},
	}
}

// switchPlugin switches a plugin on or off for good. One that is on already and
// was given up is started.
func (r *runnerCLI) switchPlugin(ctx context.Context, id string, on bool) error {
	if err := r.followRunner(ctx); err != nil {
		return err
	}
	before, _ := r.entry(id)
	err := r.edit(func(data []byte) ([]byte, error) { return config.EnablePlugin(r.file, data, id, on) })
	if e, ok := errors.AsType[*exitError](err); ok && e.status == exitUnknown {
		return r.nobody(id, e.message)
	}
	if err != nil {
		return err
	}
	now, err := r.changed(ctx, id)
	if err != nil {
		return err
	}
	already := before.Enabled == on
	fails := on && now.running && now.row.Status == protocol.StatusError
	if fails && already {
		if err := r.startAgain(ctx, id); err != nil {
			return err
		}
	}
	return r.showSwitch(id, on, already, fails, now)
}

// showSwitch tells what stands where, and what became of the plugin.
func (r *runnerCLI) showSwitch(id string, on, already, fails bool, now standing) error {
	entry, _ := r.entry(id)
	data := map[string]any{
		"plugin": id, "enabled": on, "changed": !already, "file": r.file, "line": entry.Line, "running": now.running,
		"status": now.row.Status, "reason": now.row.Reason,
	}
	after := " (" + now.String() + ")"
	switch {
	case fails && already:
		after = "; it is being restarted"
	case !on && now.running:
		after = ""
	}
	human := func() {
		fmt.Fprintln(r.stdout,
			printable(fmt.Sprintf("%s is %s in %s, line %d%s", id, switched(on, already), r.file, entry.Line, after)))
	}
	if fails && !already {
		return r.showFailed("runner enable", data, &exitError{exitFailed, "failed", now.row.Reason}, human)
	}
	r.show("runner "+map[bool]string{true: "enable", false: "disable"}[on], data, human)
	return nil
}

func switched(on, already bool) string {
	text := map[bool]string{true: "on", false: "off"}[on]
	if already {
		return "already " + text
	}
	return "switched " + text
}

// startAgain starts a plugin that is on and does not run.
func (r *runnerCLI) startAgain(ctx context.Context, id string) error {
	conn, err := r.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return r.about(ctx, conn, protocol.MethodRunnerPluginEnable, id, nil)
}
