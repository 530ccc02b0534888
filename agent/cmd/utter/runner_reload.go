package main

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"utter/shared/config"
	"utter/shared/protocol"
	"utter/shared/runnerclient"
)

func (r *runnerCLI) reloadCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reload",
		Short: "Make the runner read the configuration again, after a change by hand",
		Long: "Reload makes the runner read the configuration again and says what became of the plugins. A file\n" +
			"that is wrong changes nothing. install and remove do it by themselves.",
		Example: "  utter runner reload",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return r.reload(cmd.Context()) },
	}
}

// A pluginChange is what a new configuration has made of a plugin.
type pluginChange struct {
	ID     string `json:"id"`
	Change string `json:"change"` // added, restarted, changed, switched off or removed
	Status string `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`
}

func (r *runnerCLI) reload(ctx context.Context) error {
	cfg, err := config.Load(r.file)
	if err != nil {
		return &exitError{exitFailed, "config", "nothing has changed: " + err.Error()}
	}
	conn, err := r.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var before protocol.PluginsResult
	if err := conn.Call(ctx, protocol.MethodRunnerPlugins, nil, &before); err != nil {
		return runnerError(err)
	}
	if err := conn.Reload(); err != nil {
		return &exitError{exitFailed, "failed", "tell the runner: " + err.Error()}
	}
	after, err := settledRows(ctx, conn, cfg)
	if err != nil {
		return err
	}
	changes := changesOf(before.Plugins, after, cfg)
	r.show("runner reload", map[string]any{"changes": changes}, func() { r.printChanges(changes) })
	return nil
}

func (r *runnerCLI) printChanges(changes []pluginChange) {
	if len(changes) == 0 {
		fmt.Fprintln(r.stdout, "The configuration is read; no plugin has changed.")
	}
	for _, c := range changes {
		line := c.ID + " is " + c.Change
		if c.Status != "" {
			line += " (" + state(c.Status, c.Reason) + ")"
		}
		fmt.Fprintln(r.stdout, printable(line))
	}
}

// changesOf compares what the runner has with what it had before it read cfg.
func changesOf(before, after []protocol.PluginRow, cfg config.Config) []pluginChange {
	list := []pluginChange{}
	for _, row := range after {
		was := rowOf(before, row.ID)
		switch {
		case was == nil:
			list = append(list, pluginChange{row.ID, "added", row.Status, row.Reason})
		case was.Epoch != row.Epoch:
			list = append(list, pluginChange{row.ID, "restarted", row.Status, row.Reason})
		case isSettled(was.Status) && (was.Status != row.Status || was.Reason != row.Reason):
			list = append(list, pluginChange{row.ID, "changed", row.Status, row.Reason})
		}
	}
	for _, row := range before {
		if rowOf(after, row.ID) != nil {
			continue
		}
		c := pluginChange{ID: row.ID, Change: "removed"}
		if slices.ContainsFunc(cfg.Plugin, func(p config.Plugin) bool { return p.ID == row.ID }) {
			c.Change = "switched off"
		}
		list = append(list, c)
	}
	return list
}

func rowOf(rows []protocol.PluginRow, id string) *protocol.PluginRow {
	if i := slices.IndexFunc(rows, func(p protocol.PluginRow) bool { return p.ID == id }); i >= 0 {
		return &rows[i]
	}
	return nil
}

// settledRows waits until the runner has the plugins of a configuration, has
// decided about each, and leaves them so for a moment: it tells no client when it
// has read the file.
func settledRows(ctx context.Context, conn *runnerclient.Client, cfg config.Config) (rows []protocol.PluginRow, err error) {
	const quiet = 500 * time.Millisecond
	var since time.Time
	err = untilRows(ctx, conn, func(now []protocol.PluginRow) bool {
		if !fits(now, cfg) || !reflect.DeepEqual(now, rows) {
			rows, since = now, time.Now()
			return false
		}
		return time.Since(since) >= quiet
	})
	return rows, err
}

// fits reports whether rows are those of a configuration. A plugin that is off
// may run because somebody enabled it.
func fits(rows []protocol.PluginRow, cfg config.Config) bool {
	off := map[string]bool{}
	for _, p := range cfg.Plugin {
		if _, seen := off[p.ID]; p.ID == "" || seen {
			continue
		}
		off[p.ID] = p.Fault == nil && !p.Enabled
		if row := rowOf(rows, p.ID); !off[p.ID] && (row == nil || !isSettled(row.Status)) {
			return false
		}
	}
	return !slices.ContainsFunc(rows, func(row protocol.PluginRow) bool { _, known := off[row.ID]; return !known })
}

// untilRows asks for the plugins until done says that they are as they should be.
func untilRows(ctx context.Context, conn *runnerclient.Client, done func([]protocol.PluginRow) bool) error {
	const patience, pause = 20 * time.Second, 50 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		// Nobody enables a plugin without an id, and no plugin is enabled while the
		// runner ends those of before: the refusal comes behind that.
		err := conn.Call(ctx, protocol.MethodRunnerPluginEnable, protocol.PluginParams{}, nil)
		if err != nil && protocol.CodeOf(err) != protocol.CodeInvalidParams {
			return runnerError(err)
		}
		var rows protocol.PluginsResult
		if err := conn.Call(ctx, protocol.MethodRunnerPlugins, nil, &rows); err != nil {
			return runnerError(err)
		}
		if done(rows.Plugins) {
			return nil
		}
		select {
		case <-time.After(pause): // the runner tells no client of it
		case <-ctx.Done():
			return &exitError{exitFailed, "timeout", "the runner has not read the configuration within 20 seconds; does it use this file?"}
		}
	}
}
