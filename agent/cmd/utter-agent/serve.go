package main

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"golang.org/x/sync/errgroup"

	"utter/agent/internal/addons"
	"utter/agent/internal/dialogue"
	"utter/agent/internal/executor"
	"utter/agent/internal/service"
	"utter/shared/plugin/runnerclient"
	"utter/shared/xdg"
)

// serve wires the parts together and runs them until one fails or ctx ends. The
// parts are made by newDesk and newBody; the plugin has the same ones.
func serve(ctx context.Context, configFile string, dirs xdg.Dirs, log *slog.Logger) error {
	d, err := newDesk(configFile, dirs, log)
	if err != nil {
		return err
	}
	b, err := newBody(ctx, d)
	if err != nil {
		return err
	}
	defer b.close()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return d.desktop.Run(ctx) }) // finds the compositor while the files are read
	g.Go(func() error { return b.run(ctx) })
	turns := dialogue.NewTurns(b.notifier, log)
	runner := func() runnerclient.Address { return runnerclient.Find("", d.knowledge.Now().Config, os.Getenv) }
	addons := addons.New(addons.Options{Address: runner, Log: log, Ask: turns.AskFor})
	defer addons.Close()
	probe := &doctor{desktop: d.desktop, devices: b.devices, knowledge: d.knowledge, bus: b.session, addons: addons}
	agent, err := dialogue.New(dialogue.Parts{
		Desktop: d.desktop, Executor: executor.New(handlers(b, d.knowledge), executor.HandlerFunc(addons.Do), d.knowledge),
		AppOf: b.resolver.AppOf, IsTerminal: b.resolver.IsTerminal, Plugins: addons, Log: log, Knowledge: d.knowledge,
		FindProgram: b.launcher.Find,
		Probe:       probe.probe, Turns: turns,
	})
	if err != nil {
		return err
	}
	g.Go(func() error { return addons.Run(ctx) })
	g.Go(func() error { return d.knowledge.Follow(ctx, agent.Reload, agent.WatchTrouble, log) })
	g.Go(func() error { return service.Serve(ctx, b.session, agent, version, log) })
	if err := g.Wait(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil // asked to stop: not a failure
}
