package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"utter/agent/runner/sandbox"
	"utter/shared/config"
)

// checkConfig says what is wrong with the configuration and starts nothing.
func (c call) checkConfig(ctx context.Context, stdout io.Writer) int {
	cfg, err := c.load()
	var warnings []string
	if err == nil { // else what is known are the defaults
		err, warnings = cfg.Faults(), c.warnings(ctx, cfg)
	}
	if err != nil {
		fmt.Fprintf(stdout, "error: %s\n", strings.ReplaceAll(err.Error(), "\n", "\nerror: "))
	}
	for _, w := range warnings {
		fmt.Fprintf(stdout, "warning: %s\n", w)
	}
	if err != nil {
		fmt.Fprintln(stdout, "config INVALID")
		return exitFailed
	}
	fmt.Fprintln(stdout, "config OK")
	return exitOK
}

// warnings are what a valid configuration may not be meant to say, here too.
func (c call) warnings(ctx context.Context, cfg config.Config) (list []string) {
	for _, w := range cfg.Warnings() {
		list = append(list, w.Text)
	}
	if cfg.Security.Enforce == string(sandbox.Always) {
		if r := sandbox.New(c.host("")).Probe(ctx); !r.Works {
			list = append(list, fmt.Sprintf("enforce = true, and there is no sandbox here (%s): no plugin will start", r.Reason))
		}
	}
	return list
}
