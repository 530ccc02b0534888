package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/runnerclient"
)

// memory holds a runner with many plugins against one with a single one.
func (p *pluginsBench) memory() error {
	var runner, plugin [2]float64
	for i, n := range []int{1, crowd} {
		r, err := p.start(n)
		if err != nil {
			return err
		}
		time.Sleep(3 * time.Second) // let it come to rest
		runner[i], err = megabytes(r.cmd.Process.Pid)
		if err == nil {
			plugin[i], err = ofEachChild(r.cmd.Process.Pid, n)
		}
		r.stop()
		if err != nil {
			return err
		}
	}
	p.row(fmt.Sprintf("runner with %d plugins", crowd), fmt.Sprintf("%.1f MB, %.2f ×", runner[1], runner[1]/runner[0]),
		fmt.Sprintf("with 1: %.1f MB", runner[0]), "", false)
	p.row("each further plugin", fmt.Sprintf("%.0f kB in the runner, %.1f MB of its own",
		(runner[1]-runner[0])/(crowd-1)*1024, plugin[1]),
		fmt.Sprintf("one alone: %.1f MB", plugin[0]), "", false)
	return nil
}

// A running is a runner that was started.
type running struct {
	cmd    *exec.Cmd
	folder string
}

// start starts a runner with n plugins, p0 and so on, and waits until all are
// ready.
func (p *pluginsBench) start(n int) (*running, error) {
	var text strings.Builder
	text.WriteString("[security]\nenforce = false\n")
	for i := range n {
		fmt.Fprintf(&text, "\n[[plugin]]\nid = \"p%d\"\nkind = \"bundle\"\nentrypoint = [%q]\n[plugin.settings]\nfile = %q\n",
			i, filepath.Join(p.bin, "hello_go"), p.notes)
	}
	file := filepath.Join(p.dir, "config.toml")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		return nil, err
	}
	r := &running{folder: filepath.Join(p.dir, "utter")}
	r.cmd = exec.CommandContext(p.ctx, filepath.Join(p.bin, "utter-runner"), "--config", file)
	r.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "XDG_RUNTIME_DIR=" + p.dir}
	var said bytes.Buffer
	r.cmd.Stderr = &said
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	if err := await(func() bool { return r.ready(p.ctx, n) }); err != nil {
		r.stop()
		return nil, fmt.Errorf("the runner with %d plugins: %w\n%s", n, err, said.String())
	}
	return r, nil
}

func (r *running) stop() {
	_ = r.cmd.Process.Signal(syscall.SIGTERM)
	_ = r.cmd.Wait()
}

func (r *running) dial(ctx context.Context,
	notified func(context.Context, string, json.RawMessage)) (*runnerclient.Client, error) {
	at := runnerclient.Address{Socket: filepath.Join(r.folder, "runner.sock"), Folder: r.folder}
	return runnerclient.Dial(ctx, at, runnerclient.Options{Notified: notified})
}

// ready reports whether n plugins are.
func (r *running) ready(ctx context.Context, n int) bool {
	client, err := r.dial(ctx, nil)
	if err != nil {
		return false
	}
	defer client.Close()
	var all protocol.PluginsResult
	if client.Call(ctx, protocol.MethodRunnerPlugins, nil, &all) != nil {
		return false
	}
	for _, row := range all.Plugins {
		if row.Status != protocol.StatusOK {
			return false
		}
	}
	return len(all.Plugins) == n
}
