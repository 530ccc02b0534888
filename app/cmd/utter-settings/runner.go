package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"utter/shared/config"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/runnerclient"
)

// runnerUnit starts the plugin runner.
const runnerUnit = "utter-runner.service"

// pluginRunner asks the plugin runner, with a connection a question: it is asked
// seldom. Its methods block.
type pluginRunner struct {
	ctx  context.Context
	file string // the configuration

	mu    sync.Mutex
	told  fs.FileInfo // of the file, as the runner was told last; nil for none
	knows bool        // it was told
}

func newPluginRunner(ctx context.Context, file string) *pluginRunner {
	return &pluginRunner{ctx: ctx, file: file}
}

// with connects for one question.
func (r *pluginRunner) with(do func(ctx context.Context, c *runnerclient.Client) error) error {
	ctx, cancel := context.WithTimeout(r.ctx, askTime)
	defer cancel()
	cfg, _ := config.Load(r.file) // a broken file gives the defaults, and a runner may run all the same
	c, err := runnerclient.Dial(ctx, runnerclient.Find("", cfg, os.Getenv), runnerclient.Options{})
	if err != nil {
		return err
	}
	defer c.Close()
	return do(ctx, c)
}

func (r *pluginRunner) call(method string, params, result any) error {
	return r.with(func(ctx context.Context, c *runnerclient.Client) error { return c.Call(ctx, method, params, result) })
}

// Rows says the state of the plugins.
func (r *pluginRunner) Rows() ([]protocol.PluginRow, error) {
	var all protocol.PluginsResult
	err := r.call(protocol.MethodRunnerPlugins, nil, &all)
	return all.Plugins, err
}

// Restart starts a plugin again.
func (r *pluginRunner) Restart(id string) error {
	return r.call(protocol.MethodRunnerPluginRestart, protocol.PluginParams{Plugin: id}, nil)
}

// Log returns what a plugin said last.
func (r *pluginRunner) Log(id string) ([]string, error) {
	var said struct {
		Lines []string `json:"lines"`
	}
	err := r.call(protocol.MethodRunnerPluginLog, protocol.PluginParams{Plugin: id}, &said)
	return said.Lines, err
}

// CanStart reports whether there is a systemd user session with the unit.
func (r *pluginRunner) CanStart() bool {
	out, err := systemctl("show", "--property=LoadState", "--value", runnerUnit)
	return err == nil && strings.TrimSpace(out) == "loaded"
}

// Start starts the runner.
func (r *pluginRunner) Start() error {
	if out, err := systemctl("start", runnerUnit); err != nil {
		return fmt.Errorf("start %s: %w: %s", runnerUnit, err, strings.TrimSpace(out))
	}
	return nil
}

// reload makes a running runner read the configuration again, if that has changed
// since it was told last.
func (r *pluginRunner) reload() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	info, err := os.Stat(r.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if r.knows && sameFile(r.told, info) {
		return nil
	}
	err = r.call(protocol.MethodRunnerReload, nil, nil)
	if err == nil || errors.Is(err, runnerclient.ErrNoRunner) { // one that starts reads it
		r.told, r.knows = info, true
	}
	return err
}

func sameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
