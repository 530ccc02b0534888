package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"utter/agent/internal/runner/sandbox"
	"utter/shared/config"
	"utter/shared/protocol"
)

// checkConfig says what is wrong with the configuration and starts nothing.
func (c call) checkConfig(ctx context.Context, stdout io.Writer) int {
	cfg, err := c.load()
	if err == nil {
		err = cfg.Faults()
	}
	if err != nil {
		fmt.Fprintf(stdout, "error: %s\n", strings.ReplaceAll(err.Error(), "\n", "\nerror: "))
	}
	for _, w := range c.warnings(ctx, cfg) {
		fmt.Fprintf(stdout, "warning: %s\n", w)
	}
	if err != nil {
		fmt.Fprintln(stdout, "config INVALID")
		return exitFailed
	}
	fmt.Fprintln(stdout, "config OK")
	return exitOK
}

// warnings are what a valid configuration may not be meant to say.
func (c call) warnings(ctx context.Context, cfg config.Config) (list []string) {
	warn := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if len(cfg.Plugin) == 0 {
		warn("there are no plugins")
	}
	for _, p := range cfg.Plugin {
		if p.Runtime != protocol.RuntimeSubprocess {
			warn("plugin %s: runtime %s is not supported; it will not run", p.ID, p.Runtime)
		}
		if p.Dir != "" {
			if info, err := os.Stat(p.Dir); err != nil || !info.IsDir() {
				warn("plugin %s: cwd %s is no folder", p.ID, p.Dir)
			}
		}
		for _, s := range append(append([]string{}, p.Provides...), p.Requires...) {
			if !protocol.KnownCapability(s) {
				warn("plugin %s: nobody knows the capability %s", p.ID, s)
			}
		}
	}
	if cfg.Socket != nil && cfg.Socket.AdmitsNobody() {
		warn("[socket] admits nobody: default-deny will reject all clients")
	}
	if cfg.Socket != nil {
		for _, name := range cfg.Socket.AllowBinaries {
			if !filepath.IsAbs(name) {
				warn("[socket] allow_binaries: %s admits every program of that name; write its path", name)
			}
		}
	}
	if cfg.Security.Enforce == string(sandbox.Always) {
		if r := sandbox.New(c.host("")).Probe(ctx); !r.Works {
			warn("enforce = true, and there is no sandbox here (%s): no plugin will start", r.Reason)
		}
	}
	return list
}
