package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"utter/agent/runner/status"
	"utter/shared/config"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/runnerclient"
	"utter/shared/spell"
)

// What a plugin of the configuration is that the runner does not have.
const (
	statusOff    = "off"
	statusUnread = "unread"
)

// configuration reads the configuration, once. One that is wrong is told of, and
// the defaults hold: a runner goes on while its file is being fixed.
func (r *runnerCLI) configuration() config.Config {
	if r.read == nil {
		cfg, err := config.Load(r.file)
		if err != nil {
			fmt.Fprintf(r.stderr, "utter: warning: %v\n", err)
		}
		r.read = &cfg
	}
	return *r.read
}

// quiet reads the configuration without a word: who changes it, or has the runner
// read it, says what is wrong.
func (r *runnerCLI) quiet() {
	cfg, _ := config.Load(r.file)
	r.read = &cfg
}

// follow makes the file that the runner reads the one that is meant here. It
// reports false where --config names another.
func (r *runnerCLI) follow(file string) bool {
	switch {
	case file == "" || sameFile(file, r.file):
		return true
	case r.named():
		return false
	}
	r.file, r.read = file, nil
	return true
}

func sameFile(a, b string) bool {
	if abs, err := filepath.Abs(b); err == nil && abs == a {
		return true
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// followRunner is follow where there may be a runner or not.
func (r *runnerCLI) followRunner(ctx context.Context) error {
	r.quiet()
	conn, err := r.dial(ctx)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	var s status.Status
	if err := conn.Call(ctx, protocol.MethodRunnerStatus, nil, &s); err != nil {
		return runnerError(err)
	}
	if r.follow(s.Runner.Config) && r.read == nil {
		r.quiet()
	}
	return nil
}

// isMissing reports whether an error of dial says that there is no runner.
func isMissing(err error) bool {
	e, ok := errors.AsType[*exitError](err)
	return ok && e.status == exitMissing
}

// entry returns what the configuration says of a plugin.
func (r *runnerCLI) entry(id string) (config.Plugin, bool) {
	all := r.configuration().Plugin
	i := slices.IndexFunc(all, func(p config.Plugin) bool { return p.ID == id })
	if i < 0 {
		return config.Plugin{}, false
	}
	return all[i], true
}

// An absentPlugin is in the configuration, but the runner does not know it.
type absentPlugin struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Status string `json:"status"` // off, unread or error
	Reason string `json:"reason"`
	Line   int    `json:"line"`
}

// absent lists the plugins of the configuration that are not among rows.
func (r *runnerCLI) absent(rows []protocol.PluginRow) []absentPlugin {
	list := []absentPlugin{}
	seen := map[string]bool{}
	for _, p := range r.configuration().Plugin {
		first := p.ID != "" && !seen[p.ID]
		seen[p.ID] = true
		if first && slices.ContainsFunc(rows, func(row protocol.PluginRow) bool { return row.ID == p.ID }) {
			continue
		}
		a := absentPlugin{ID: cmp.Or(p.ID, "(without an id)"), Kind: p.Kind, Line: p.Line}
		switch {
		case p.Fault != nil:
			a.Status, a.Reason = protocol.StatusError, p.Fault.Error()
		case !p.Enabled:
			a.Status, a.Reason = statusOff, "utter runner enable "+p.ID
		default:
			a.Status, a.Reason = statusUnread, unread
		}
		list = append(list, a)
	}
	return list
}

const unread = "the runner has not read it yet: utter runner reload"

// unknown is the error of a runner that does not run a plugin, in the light of the
// configuration.
func (r *runnerCLI) unknown(ctx context.Context, conn *runnerclient.Client, id string, err error) error {
	if protocol.CodeOf(err) != protocol.CodeInvalidParams {
		return runnerError(err)
	}
	var s status.Status
	if err := conn.Call(ctx, protocol.MethodRunnerStatus, nil, &s); err != nil {
		return runnerError(err)
	}
	r.follow(s.Runner.Config)
	p, ok := r.entry(id)
	switch {
	case !ok:
		return r.nobody(id, err.Error())
	case p.Fault != nil:
		return &exitError{exitFailed, "invalid", id + " cannot run: " + p.Fault.Error()}
	case !p.Enabled:
		return &exitError{exitFailed, statusOff, fmt.Sprintf("%s is off: utter runner enable %s", id, id)}
	}
	return &exitError{exitFailed, statusUnread, id + ": " + unread}
}

// nobody is the error of an id that no plugin has.
func (r *runnerCLI) nobody(id, message string) error {
	var ids []string
	for _, p := range r.configuration().Plugin {
		ids = append(ids, p.ID)
	}
	if near := spell.Nearest(id, ids); near != "" {
		message += fmt.Sprintf("; did you mean %q?", near)
	}
	return &exitError{exitUnknown, "not_found", message}
}

// printPermissions prints how far each permission is enforced, and the paths that
// it is for.
func (r *runnerCLI) printPermissions(id string, list []protocol.PermissionState) {
	entry, _ := r.entry(id)
	for _, p := range list {
		granted, kept := "not granted", "advisory: the plugin could do this anyway"
		if p.Granted {
			granted = "granted" + pathsOf(entry, p.Name)
		}
		if p.Enforced {
			kept = "enforced"
		}
		fmt.Fprintf(r.stdout, "  %s: %s, %s\n", printable(p.Name), granted, kept)
	}
}

// pathsOf says for which paths an entry grants a permission; "" where it is not
// one for paths.
func pathsOf(entry config.Plugin, permission string) string {
	for _, g := range entry.Grants() {
		switch {
		case g.Permission != permission:
		case len(g.Paths) == 0:
			return " for no path"
		default:
			return " for " + printable(strings.Join(g.Paths, " "))
		}
	}
	return ""
}
