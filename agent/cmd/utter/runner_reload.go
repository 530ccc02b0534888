package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"utter/agent/runner/status"
	"utter/shared/config"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/runnerclient"
)

func (r *runnerCLI) reloadCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reload",
		Short: "Make the runner reload the configuration after a manual change",
		Long: "Reload makes the runner reload the configuration and reports the effect on the plugins. An invalid\n" +
			"file changes nothing. install, remove, enable and disable reload it themselves.",
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
	r.quiet()
	conn, err := r.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var before status.Status
	if err := conn.Call(ctx, protocol.MethodRunnerStatus, nil, &before); err != nil {
		return runnerError(err)
	}
	if !r.follow(before.Runner.Config) {
		return &exitError{exitFailed, "config", "nothing has changed: " + otherFile(before.Runner.Config)}
	}
	if err := conn.Call(ctx, protocol.MethodRunnerReload, nil, nil); err != nil {
		return notRead("nothing has changed: ", err)
	}
	after, err := rowsWhen(ctx, conn, func(rows []protocol.PluginRow) bool {
		return !slices.ContainsFunc(rows, func(row protocol.PluginRow) bool { return !isSettled(row.Status) })
	})
	if err != nil {
		return err
	}
	r.quiet() // it was right a moment ago
	changes := changesOf(before.Plugins, after, r.configuration())
	r.show("runner reload", map[string]any{"changes": changes, "file": r.file}, func() { r.printChanges(changes) })
	return nil
}

func otherFile(file string) string { return "the runner reads " + file + ", not this file" }

// notRead is the error of a runner that was to read its configuration.
func notRead(why string, err error) error {
	said, ok := errors.AsType[*protocol.Error](err)
	if !ok || said.Code != protocol.CodeInvalidParams {
		return runnerError(err)
	}
	return &exitError{exitFailed, "config", printable(why + said.Message)}
}

func (r *runnerCLI) printChanges(changes []pluginChange) {
	if len(changes) == 0 {
		fmt.Fprintln(r.stdout, "Configuration reloaded; no plugin has changed.")
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

// A standing is what a change of the configuration has made of a plugin.
type standing struct {
	row     protocol.PluginRow
	running bool   // there is a runner that has read it
	other   string // the file that the runner reads instead
}

func (s standing) String() string {
	switch {
	case s.other != "":
		return otherFile(s.other)
	case !s.running:
		return "the runner is not running"
	}
	return state(s.row.Status, s.row.Reason)
}

// changed makes a runner that is there read its configuration, and waits until it
// has made up its mind about a plugin. There need not be a runner.
func (r *runnerCLI) changed(ctx context.Context, id string) (s standing, err error) {
	const unread = "the configuration was changed, but the runner reads it only when this is fixed: "
	if _, err := config.Load(r.file); err != nil {
		return s, &exitError{exitFailed, "config", unread + err.Error()}
	}
	conn, err := r.dial(ctx)
	if isMissing(err) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	defer conn.Close()
	var now status.Status
	if err := conn.Call(ctx, protocol.MethodRunnerStatus, nil, &now); err != nil {
		return s, runnerError(err)
	}
	if !r.follow(now.Runner.Config) {
		return standing{other: now.Runner.Config}, nil
	}
	if err := conn.Call(ctx, protocol.MethodRunnerReload, nil, nil); err != nil {
		return s, notRead(unread, err)
	}
	rows, err := rowsWhen(ctx, conn, func(rows []protocol.PluginRow) bool {
		row := rowOf(rows, id)
		return row == nil || isSettled(row.Status)
	})
	s.running = true
	if row := rowOf(rows, id); row != nil {
		s.row = *row
	} else {
		s.row.Status = statusOff
	}
	return s, err
}

// rowsWhen asks for the plugins until done says that they are as they should be.
// One that takes too long for that is still as it is: it may wait for others.
func rowsWhen(ctx context.Context, conn *runnerclient.Client,
	done func([]protocol.PluginRow) bool) ([]protocol.PluginRow, error) {
	const patience, pause = 20 * time.Second, 50 * time.Millisecond
	late := time.After(patience)
	for {
		var said protocol.PluginsResult
		if err := conn.Call(ctx, protocol.MethodRunnerPlugins, nil, &said); err != nil {
			return nil, runnerError(err)
		}
		if done(said.Plugins) {
			return said.Plugins, nil
		}
		select {
		case <-time.After(pause): // the runner tells no client of it
		case <-late:
			return said.Plugins, nil
		case <-ctx.Done():
			return nil, runnerError(context.Cause(ctx))
		}
	}
}
