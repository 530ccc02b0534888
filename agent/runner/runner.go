// Package runner is the plugin runner. It keeps the configured plugins running,
// asks their routers for plans, carries out steps through the plugins that provide
// them, and serves clients on a socket. Every action is checked against the policy
// first, whichever client requests it, and one action runs at a time.
//
// It has no access to the desktop. A plugin such as utter-agent --plugin provides
// the core ops, if the configuration says so.
package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"utter/agent/runner/handle"
	"utter/agent/runner/sandbox"
	"utter/agent/runner/stream"
	"utter/agent/runner/supervisor"
	"utter/shared/config"
)

// Options say what a Runner is to be.
type Options struct {
	Config  config.Config
	File    string                        // of the configuration: no plugin may write it
	Load    func() (config.Config, error) // for Reload
	Socket  string                        // path of the socket
	Folder  string                        // the usual folder of the runner, $XDG_RUNTIME_DIR/utter
	Dir     string                        // working directory
	Python  string                        // what PYTHONPATH of plugins begins with
	Environ []string
	Box     *sandbox.Box // nil: no sandbox
	Version string
	Log     *slog.Logger
	Pace    supervisor.Pace
}

// A Runner runs plugins and serves clients.
type Runner struct {
	opts    Options
	log     *slog.Logger
	config  atomic.Pointer[config.Config]
	streams *stream.Table
	handles *handle.Store
	queue   *queue
	prompts chan struct{} // full while somebody is asked

	reloading sync.Mutex // one reading of the configuration at a time

	plugins registry
	clients clients
}

// New returns a Runner. Run makes it work.
func New(o Options) *Runner {
	r := &Runner{opts: o, log: o.Log, queue: &queue{}, prompts: make(chan struct{}, 1)}
	r.config.Store(&o.Config)
	r.streams = stream.New(stream.Options{Lossy: o.Config.Runner.LossyQueue, Window: o.Config.Runner.CreditWindow})
	r.plugins.changed = make(chan struct{})
	r.clients.all = map[*client]bool{}
	return r
}

// Run opens the socket, starts the plugins and serves until ctx ends. Then it
// stops the plugins, and nothing is left when it returns. ErrTaken means that
// another runner has the socket.
func (r *Runner) Run(ctx context.Context) error {
	s, err := r.open()
	if err != nil {
		return err
	}
	defer s.close()
	root := r.config.Load().Runner.HandleRoot
	if root == "" {
		root = filepath.Join(s.folder, "handles")
	}
	ttl := time.Duration(r.config.Load().Runner.HandleTTL) * time.Second
	if r.handles, err = handle.Open(handle.Options{Root: root, TTL: ttl}); err != nil {
		return fmt.Errorf("handles: %w", err)
	}
	defer func() {
		if err := r.handles.Close(); err != nil {
			r.log.Warn("handles", "error", err)
		}
		if s.folder == filepath.Dir(root) {
			os.Remove(root) // it is empty
		}
	}()

	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() {
		if err := r.handles.Run(ctx); err != nil && ctx.Err() == nil {
			r.log.Error("handles", "error", err)
		}
	})
	r.plugins.start(ctx, r, s.folder)
	err = r.serve(ctx, s)
	cancel()
	r.plugins.stop()
	all.Wait()
	return err
}

// Reload reads the configuration again and returns when it has taken effect. One that
// is wrong changes nothing.
func (r *Runner) Reload() error {
	r.reloading.Lock()
	defer r.reloading.Unlock()
	c, err := r.opts.Load()
	if err != nil {
		r.log.Error("the configuration is invalid; the previous one stays active", "error", err)
		return err
	}
	r.warnFaults(c)
	before := r.config.Swap(&c)
	if before.Runner != c.Runner {
		r.log.Warn("in [runner], only the timeouts change without a restart")
	}
	r.plugins.reconcile(before.Security.Enforce != c.Security.Enforce)
	r.log.Info("the configuration has taken effect")
	return nil
}

func (r *Runner) warnFaults(c config.Config) {
	if err := c.Faults(); err != nil {
		r.log.Error("plugins were skipped", "error", err)
	}
}

// timeout is how long a plugin may take, if nobody says otherwise.
func (r *Runner) timeout() time.Duration {
	return time.Duration(r.config.Load().Runner.RPCTimeoutMS) * time.Millisecond
}

func (r *Runner) confirmTimeout() time.Duration {
	return time.Duration(r.config.Load().Runner.ConfirmTimeoutMS) * time.Millisecond
}

// mode is how far the sandbox is wanted.
func (r *Runner) mode() sandbox.Mode {
	m, err := sandbox.ParseMode(r.config.Load().Security.Enforce)
	if err != nil { // a Config from Load is valid
		return sandbox.Always
	}
	return m
}

// shared is what all plugins get, with what the configuration says now.
func (r *Runner) shared(folder string) *supervisor.Shared {
	return &supervisor.Shared{
		Box: r.opts.Box, Mode: r.mode(), Guarded: []string{r.opts.File}, Folder: folder, Dir: r.opts.Dir,
		Python: r.opts.Python, Environ: r.opts.Environ,
		Runner: "utter-runner " + r.opts.Version, Timeout: r.timeout, Streams: r.streams, Events: r,
		Log: r.log, Pace: r.opts.Pace,
	}
}

// ErrTaken means that another runner has the socket.
var ErrTaken = errors.New("another runner has the socket")

// Dir returns the working directory, or "/".
func Dir() string {
	dir, err := os.Getwd()
	if err != nil {
		return "/"
	}
	return dir
}
