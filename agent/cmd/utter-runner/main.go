// Utter-runner runs plugins and serves them on a socket. See utter-runner(1).
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
	"path/filepath"
	"strings"
	"syscall"

	"utter/agent/runner"
	"utter/agent/runner/sandbox"
	"utter/shared/config"
	"utter/shared/plugin/runnerclient"
	"utter/shared/xdg"
)

// version is set by the build.
var version = "0.1.0"

// Exit statuses, documented in utter-runner(1).
const (
	exitOK     = 0
	exitFailed = 1 // or the configuration is not valid
	exitUsage  = 2
)

func main() {
	sandbox.BecomeProbe()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// A call is what the arguments say.
type call struct {
	config string
	named  bool // the configuration must be there
	socket string
	check  bool
	level  slog.Level
	dirs   xdg.Dirs
}

// run is main without the process: everything it touches is an argument, so
// tests call it directly.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, status, ok := parse(args, stdout, stderr)
	if !ok {
		return status
	}
	if c.check {
		return c.checkConfig(ctx, stdout)
	}
	cfg, err := c.load()
	if err != nil {
		fmt.Fprintf(stderr, "utter-runner: %v\n", err)
		return exitFailed
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: c.level}))
	if err := cfg.Faults(); err != nil {
		log.Error("plugins were skipped", "error", err)
	}
	switch err := c.serve(ctx, cfg, log); {
	case errors.Is(err, runner.ErrTaken):
		fmt.Fprintf(stderr, "utter-runner: %v; exiting\n", err)
	case err != nil:
		fmt.Fprintf(stderr, "utter-runner: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// parse reads the arguments. Where there is nothing more to do, ok is false.
func parse(args []string, stdout, stderr io.Writer) (c call, status int, ok bool) {
	c.dirs = xdg.New(os.Getenv, os.Getuid())
	fs := flag.NewFlagSet("utter-runner", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&c.config, "config", c.dirs.ConfigFile(),
		"read the configuration from `FILE`; it can also be given as the argument")
	fs.StringVar(&c.socket, "socket", "", "serve clients at `PATH`")
	fs.BoolVar(&c.check, "check-config", false, "validate the configuration and exit")
	level := fs.String("log-level", "INFO", "log at `LEVEL` or above: DEBUG, INFO, WARNING or ERROR")
	showVersion := fs.Bool("version", false, "print the version and exit")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return c, exitOK, false
		}
		return c, exitUsage, false
	}
	usage := func(format string, args ...any) (call, int, bool) {
		fmt.Fprintf(stderr, "utter-runner: "+format+"\n", args...)
		return c, exitUsage, false
	}
	fs.Visit(func(f *flag.Flag) { c.named = c.named || f.Name == "config" })
	switch {
	case fs.NArg() > 1 || fs.NArg() == 1 && c.named:
		return usage("unexpected argument %q", fs.Arg(fs.NArg()-1))
	case fs.NArg() == 1:
		c.config, c.named = fs.Arg(0), true
	}
	if err := c.level.UnmarshalText([]byte(strings.Replace(strings.ToUpper(*level), "WARNING", "WARN", 1))); err != nil {
		return usage("-log-level %q: write DEBUG, INFO, WARNING or ERROR", *level)
	}
	if *showVersion {
		fmt.Fprintln(stdout, "utter-runner", version)
		return c, exitOK, false
	}
	return c, exitOK, true
}

// load reads the configuration. One that was named must be there.
func (c call) load() (config.Config, error) {
	if _, err := os.Stat(c.config); c.named && err != nil {
		return config.Config{}, fmt.Errorf("configuration: %w", err)
	}
	return config.Load(c.config)
}

// serve wires the parts together and runs them until ctx ends.
func (c call) serve(ctx context.Context, cfg config.Config, log *slog.Logger) error {
	address := runnerclient.Find(c.socket, cfg, os.Getenv)
	socket, err := filepath.Abs(address.Socket)
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	file, err := filepath.Abs(c.config)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	r := runner.New(runner.Options{
		Config: cfg, File: file, Load: c.load, Socket: socket, Folder: address.Folder, Dir: runner.Dir(),
		Python: pythonFolder(), Environ: os.Environ(),
		Box: sandbox.New(c.host(socket)), Version: version, Log: log,
	})
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	ctx, cancel := context.WithCancel(ctx)
	reloads := make(chan struct{})
	defer func() { <-reloads }()
	defer cancel()
	go func() {
		defer close(reloads)
		for {
			select {
			case <-hangup:
				_ = r.Reload() // it logs what is wrong
			case <-ctx.Done():
				return
			}
		}
	}()
	return r.Run(ctx)
}

// host is what a sandbox keeps plugins out of.
func (c call) host(socket string) sandbox.Host {
	wayland := os.Getenv("WAYLAND_DISPLAY")
	if wayland != "" && !filepath.IsAbs(wayland) {
		wayland = filepath.Join(c.dirs.Runtime, wayland)
	}
	return sandbox.Host{
		Home: c.dirs.Home, Runtime: c.dirs.Runtime, Bus: os.Getenv("DBUS_SESSION_BUS_ADDRESS"),
		Wayland: wayland, Socket: socket,
		Private: []string{filepath.Join(c.dirs.Config, "utter"), filepath.Join(c.dirs.State, "utter")},
	}
}

// pythonFolder is what plugins in Python can import from: it is installed beside
// the program.
func pythonFolder() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	return filepath.Join(filepath.Dir(filepath.Dir(exe)), "share", "utter", "python")
}
