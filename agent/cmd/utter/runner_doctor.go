package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"utter/agent/runner/sandbox"
	"utter/agent/runner/status"
	"utter/shared/config"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/runnerclient"
)

// A diagnosis is what utter runner doctor found.
type diagnosis struct {
	OK        bool              `json:"ok"`
	Connected bool              `json:"connected"`
	Socket    string            `json:"socket"`
	Error     string            `json:"error,omitempty"`
	Runner    status.About      `json:"runner"`
	Plugins   []pluginDiagnosis `json:"plugins"`
	Drift     []drift           `json:"drift"`
	Config    []string          `json:"config"` // errors in the configuration
	Admission string            `json:"admission"`
}

type pluginDiagnosis struct {
	ID           string                     `json:"id"`
	Kind         string                     `json:"kind"`
	Epoch        int                        `json:"epoch"`
	Status       string                     `json:"status"`
	Negotiated   protocol.Negotiated        `json:"negotiated"`
	Unknown      []string                   `json:"unknown_capabilities"`
	Missing      []string                   `json:"missing_requires"`
	Permissions  []protocol.PermissionState `json:"permissions"`
	Deprecations []string                   `json:"deprecations"` // there are none in 1.0
	Warnings     []string                   `json:"warnings"`
	Hint         string                     `json:"hint,omitempty"` // what starts one that is off
	Error        string                     `json:"error,omitempty"`
}

// A drift is something that is not as it was when a plugin was installed.
type drift struct {
	Kind     string `json:"kind"` // protocol, version or plugin
	Plugin   string `json:"plugin,omitempty"`
	Recorded string `json:"recorded"`
	Actual   string `json:"actual"`
}

func (r *runnerCLI) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check the runner, its plugins and the sandbox",
		Long: "Doctor reports a permission as enforced only if an attempt inside the sandbox was refused and the\n" +
			"same attempt outside succeeded. Everything else is advisory: the plugin could do it.",
		Example: "  utter runner doctor",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := r.diagnose(cmd.Context())
			human := func() { r.printDiagnosis(d) }
			switch {
			case !d.Connected:
				return r.showFailed("runner doctor", d, &exitError{exitMissing, "missing", d.Error}, human)
			case !d.OK:
				return r.showFailed("runner doctor", d, &exitError{exitFailed, "failed", "some checks failed"}, human)
			}
			r.show("runner doctor", d, human)
			return nil
		},
	}
}

func (r *runnerCLI) diagnose(ctx context.Context) diagnosis {
	d := diagnosis{Plugins: []pluginDiagnosis{}, Drift: []drift{}, Config: []string{}}
	r.quiet() // its errors are reported here
	address := runnerclient.Find(r.socket, r.configuration(), os.Getenv)
	d.Socket = address.Socket
	conn, err := runnerclient.Dial(ctx, address, runnerclient.Options{})
	if err == nil {
		defer conn.Close()
		err = r.examine(ctx, conn, &d)
	}
	cfg, wrong := config.Load(r.file)
	if wrong = errors.Join(wrong, cfg.Faults()); wrong != nil {
		d.Config = append(d.Config, wrong.Error())
	}
	d.Admission = admissionOf(cfg)
	if err != nil {
		d.Error = err.Error()
		d.Runner.Enforce, d.Runner.Sandbox = cfg.Security.Enforce, r.probe(ctx, address.Socket)
	}
	d.Connected = err == nil
	d.OK = d.Connected && len(d.Config) == 0 && len(d.Drift) == 0
	for _, p := range d.Plugins {
		d.OK = d.OK && p.Error == ""
	}
	return d
}

// examine asks the runner.
func (r *runnerCLI) examine(ctx context.Context, conn *runnerclient.Client, d *diagnosis) error {
	var s status.Status
	if err := conn.Call(ctx, protocol.MethodRunnerStatus, nil, &s); err != nil {
		return err
	}
	d.Runner = s.Runner
	if !r.follow(s.Runner.Config) {
		d.Config = append(d.Config, otherFile(s.Runner.Config))
	}
	r.quiet()
	rec, err := r.readRecord()
	if err != nil {
		d.Config = append(d.Config, err.Error())
	}
	drifted := func(kind, plugin, recorded, actual string) {
		if recorded != "" && actual != "" && recorded != actual { // a plugin that does not run tells no version
			d.Drift = append(d.Drift, drift{kind, plugin, recorded, actual})
		}
	}
	drifted("protocol", "", rec.Protocol, s.Runner.Protocol)
	drifted("version", "", rec.Version, s.Runner.Version)
	for _, row := range s.Plugins {
		p := pluginDiagnosis{
			ID: row.ID, Kind: row.Kind, Epoch: row.Epoch, Status: row.Status,
			Permissions: row.Permissions, Unknown: []string{}, Missing: []string{}, Deprecations: []string{},
			Warnings: append([]string{}, r.configuration().WarningsOf(row.ID)...),
		}
		var v protocol.ValidateResult
		if err := conn.Call(ctx, protocol.MethodRunnerValidatePlugin, protocol.PluginParams{Plugin: row.ID}, &v); err != nil {
			p.Error = err.Error()
		} else {
			p.Negotiated, p.Unknown, p.Missing = v.Negotiated, v.UnknownCapabilities, v.MissingRequires
			if !v.OK {
				p.Error = row.Status + ": " + row.Reason
			}
		}
		if was := rec.Plugins[row.ID]; was != nil {
			drifted("plugin", row.ID, was.Version, row.Version)
		}
		d.Plugins = append(d.Plugins, p)
	}
	for _, a := range r.absent(s.Plugins) {
		d.Plugins = append(d.Plugins, diagnosisOf(a))
	}
	return nil
}

// diagnosisOf is of a plugin that the runner does not have. One that is off is no
// error.
func diagnosisOf(a absentPlugin) pluginDiagnosis {
	p := pluginDiagnosis{
		ID: a.ID, Kind: a.Kind, Status: a.Status, Unknown: []string{}, Missing: []string{},
		Permissions: []protocol.PermissionState{}, Deprecations: []string{}, Warnings: []string{},
	}
	if a.Status == statusOff {
		p.Hint = a.Reason
	} else {
		p.Error = a.Reason
	}
	return p
}

// probe tries the sandbox here, where there is no runner to ask.
func (r *runnerCLI) probe(ctx context.Context, socket string) sandbox.Report {
	return sandbox.New(sandbox.Host{
		Home: r.dirs.Home, Runtime: r.dirs.Runtime, Bus: os.Getenv("DBUS_SESSION_BUS_ADDRESS"), Socket: socket,
		Private: []string{filepath.Join(r.dirs.Config, "utter"), filepath.Join(r.dirs.State, "utter")},
	}).Probe(ctx)
}

// admissionOf says which programs may connect, and how far that holds.
func admissionOf(cfg config.Config) string {
	s := cfg.Socket
	switch {
	case s == nil:
		return "programs that can read the token file: every program of this user outside a sandbox"
	case s.AllowSameUID:
		return "every program of this user outside a sandbox"
	case len(s.AllowBinaries) > 0:
		return "programs by path; advisory, because a program can execute another after it has connected"
	case s.Token != "":
		return "programs that know the token in the configuration"
	}
	return "no one"
}

func (r *runnerCLI) printDiagnosis(d diagnosis) {
	out := func(format string, args ...any) { fmt.Fprintf(r.stdout, format+"\n", args...) }
	if d.Connected {
		out("runner: version %s, protocol %s, at %s", d.Runner.Version, d.Runner.Protocol, d.Socket)
	} else {
		out("runner: %s", d.Error)
	}
	out("clients: %s", d.Admission)
	switch s := d.Runner.Sandbox; {
	case d.Runner.Enforce == string(sandbox.Never):
		out("sandbox: disabled; every permission is advisory")
	case !s.Works:
		out("sandbox: none, every permission is advisory: %s", s.Reason)
	default:
		out("sandbox: bubblewrap %s", s.Version)
		for _, c := range s.Claims {
			out("  %s: %s (%s)", c.Name, c.State, c.Reason)
		}
	}
	for _, p := range d.Plugins {
		out("%s: %s", printable(p.ID), state(p.Status, p.Hint))
		if p.Error != "" {
			out("  %s", printable(p.Error))
		}
		r.printPermissions(p.ID, p.Permissions)
		for _, w := range p.Warnings {
			out("  WARNING: %s", printable(w))
		}
	}
	for _, c := range d.Drift {
		out("changed since it was installed: %s %s was %s, is %s", c.Kind, c.Plugin, c.Recorded, c.Actual)
	}
	for _, c := range d.Config {
		out("configuration: %s", c)
	}
}
