// Utter-agent is the background service of Utter. See utter-agent(1).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"utter/agent/internal/knowledge"
	"utter/agent/internal/launch"
	"utter/agent/internal/service"
	"utter/shared/plugin"
	"utter/shared/xdg"
)

// version is set by the build.
var version = "0.1.0"

// Exit statuses, documented in utter-agent(1).
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitConfig = 78 // EX_CONFIG
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is main without the process: everything it touches is an argument, so
// tests call it directly.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("utter-agent", flag.ContinueOnError)
	fs.SetOutput(stderr)
	dirs := xdg.New(os.Getenv, os.Getuid())
	file := fs.String("config", dirs.ConfigFile(), "read the configuration from `FILE`")
	check := fs.Bool("check-config", false, "validate the configuration and exit")
	debug := fs.Bool("debug", false, "log what is done in detail, utterances included")
	asPlugin := fs.Bool("plugin", false, "be a plugin of utter-runner, on standard input and output")
	dryRun := fs.Bool("dry-run", false, "with -plugin: say what would be done, and touch nothing")
	showVersion := fs.Bool("version", false, "print the version and exit")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitOK
		}
		return exitUsage
	}
	if fs.NArg() > 0 {
		fmt.Fprintf(stderr, "utter-agent: unexpected argument %q\n", fs.Arg(0))
		return exitUsage
	}
	if *dryRun && !*asPlugin {
		fmt.Fprintln(stderr, "utter-agent: -dry-run requires -plugin; for a single utterance, use: utter run --dry-run")
		return exitUsage
	}
	if *showVersion {
		fmt.Fprintln(stdout, "utter-agent", version)
		return exitOK
	}
	if *check {
		named := false
		fs.Visit(func(f *flag.Flag) { named = named || f.Name == "config" })
		if err := checkConfig(*file, named, dirs); err != nil {
			fmt.Fprintf(stderr, "utter-agent: %v\n", err)
			return exitConfig
		}
		fmt.Fprintln(stdout, "configuration is valid")
		return exitOK
	}
	// Started as a service it may lack the places where the user's programs lie.
	if err := os.Setenv("PATH", launch.CompletePath(os.Getenv("PATH"), dirs.Home)); err != nil {
		fmt.Fprintf(stderr, "utter-agent: %v\n", err)
		return exitFailed
	}
	if *asPlugin {
		plugin.Main(newPlugin(*file, dirs, *dryRun)) // it exits
	}
	level := slog.LevelInfo
	if *debug {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	switch err := serve(ctx, *file, dirs, log); {
	case errors.Is(err, service.ErrTaken):
		fmt.Fprintln(stderr, "utter-agent: another agent is running; exiting")
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "utter-agent: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// checkConfig reports what is wrong with a configuration. One that was named must
// be there.
func checkConfig(file string, named bool, dirs xdg.Dirs) error {
	if _, err := os.Stat(file); named && err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	return knowledge.CheckConfig(file, dirs)
}
