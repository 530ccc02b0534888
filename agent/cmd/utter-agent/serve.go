package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"golang.org/x/sync/errgroup"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/memory"
	"utter/agent/internal/compositor/niri"
	"utter/agent/internal/compositor/sway"
	"utter/agent/internal/executor"
	"utter/agent/internal/input"
	"utter/agent/internal/launch"
	"utter/agent/internal/media"
	"utter/agent/internal/notify"
	"utter/agent/internal/resolve"
	"utter/agent/internal/router"
	"utter/agent/internal/service"
	"utter/shared/bus"
	"utter/shared/plan"
	"utter/shared/watch"
	"utter/shared/wayland"
	"utter/shared/xdg"
)

// serve wires the parts together and runs them until one fails or ctx ends.
// This is the only place that knows every concrete type.
func serve(ctx context.Context, configFile string, dirs xdg.Dirs, log *slog.Logger) error {
	session, err := bus.Connect(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	defer session.Close()
	launcher, err := launch.New(session)
	if err != nil {
		return err
	}
	vocabulary, err := compositor.NewVocabulary()
	if err != nil {
		return err
	}
	tables, err := router.NewTables()
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	desktop := compositor.NewDesktop(func(ctx context.Context) (compositor.Backend, error) { return connect(ctx, dirs.Runtime) }, vocabulary, log)
	g.Go(func() error { return desktop.Run(ctx) })
	k := newKnowledge(configFile, dirs, tables)
	devices := input.New(func() (input.Display, error) { return display(desktop, dirs.Runtime) })
	defer devices.Close()
	notifier := notify.New(session)
	g.Go(func() error { return notifier.Run(ctx) })
	players := media.New(session)
	g.Go(func() error { return players.Run(ctx) })

	resolver := resolve.New(resolve.Options{
		Desktop: desktop, Launcher: launcher, Library: k.library, Terminal: k.inTerminal, Sites: func(host string) []string { return k.router().Tables().SiteTitles(host) },
		Search: func(query string) string { return k.router().SearchURL(query) },
		Token: func(ctx context.Context, appID string) string {
			token, err := devices.ActivationToken(ctx, appID)
			if err != nil {
				log.Debug("activation token", "error", err) // programs start without one as well
			}
			return token
		},
	})
	g.Go(func() error { return resolver.Run(ctx) })
	hands := &executor.Hands{
		Desktop: desktop, Devices: devices, Way: k.typeWith, Paste: k.pasteChord, CloseTab: k.closeTab, Stopped: launch.Stopped,
		WindowsOf: resolver.WindowsOf, IsTerminal: k.isTerminal, Foreground: launch.Foreground,
	}
	probe := &doctor{desktop: desktop, devices: devices, knowledge: k, bus: session}
	agent, err := service.New(service.Parts{
		Desktop: desktop, Executor: executor.New(handlers(hands, resolver, notifier, players, k), k), AppOf: resolver.AppOf,
		Log: log, Load: k.load, FindProgram: launcher.Find, Probe: probe.probe, Ask: notifier,
	})
	if err != nil {
		return err
	}
	files := watch.New(k.watched(), func() bool {
		if err := agent.Reload(); err != nil {
			log.Error("reload", "error", err)
		}
		return k.unsettled()
	}, agent.WatchTrouble, log)
	g.Go(func() error { return files.Run(ctx) })
	g.Go(func() error { return service.Serve(ctx, session, agent, version, log) })
	if err := g.Wait(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil // asked to stop: not a failure
}

// handlers maps every operation to what carries it out.
func handlers(h *executor.Hands, r *resolve.Resolver, n *notify.Notifier, m *media.Remote, k *knowledge) map[plan.Op]executor.Handler {
	return map[plan.Op]executor.Handler{
		plan.OpenURL: executor.HandlerFunc(r.OpenURL), plan.EnsureURL: executor.HandlerFunc(r.EnsureURL),
		plan.LaunchApp: executor.HandlerFunc(r.LaunchApp), plan.EnsureApp: executor.HandlerFunc(r.EnsureApp),
		plan.FocusApp: executor.HandlerFunc(r.FocusApp), plan.CloseApp: executor.HandlerFunc(r.CloseApp),
		plan.Search: executor.HandlerFunc(r.Search),
		plan.Key:    executor.HandlerFunc(h.Key), plan.TypeText: executor.HandlerFunc(h.TypeText),
		plan.Niri: executor.HandlerFunc(h.Niri), plan.Scroll: executor.HandlerFunc(h.Scroll),
		plan.ClickPoint: executor.HandlerFunc(h.ClickPoint),
		plan.Wait:       executor.HandlerFunc(executor.Wait), plan.Done: executor.HandlerFunc(executor.Nothing),
		plan.Speak:        speak(n),
		plan.Media:        play(m, k),
		plan.Terminal:     executor.HandlerFunc(h.Terminal),
		plan.ClickElement: executor.NotBuilt("not built yet"),
	}
}

// play tells a media player something.
func play(m *media.Remote, k *knowledge) executor.Handler {
	return executor.HandlerFunc(func(ctx context.Context, _ *executor.Binding, s plan.Step) (executor.Done, error) {
		r, err := m.Do(ctx, s.Args.Text("command"), k.playerNames(s.Args.Text("app")))
		if err != nil {
			return executor.Done{}, err
		}
		message := r.Player
		if r.Note != "" {
			message += "; " + r.Note
		}
		return executor.Done{Evidence: plan.ByState, Message: message}, nil
	})
}

func speak(n *notify.Notifier) executor.Handler {
	return executor.HandlerFunc(func(ctx context.Context, _ *executor.Binding, s plan.Step) (executor.Done, error) {
		how, err := n.Speak(ctx, s.Args.Text("text"))
		if errors.Is(err, notify.ErrNone) {
			return executor.Done{}, plan.Refuse(plan.Missing, "speak: neither spd-say (speech-dispatcher) nor a notification service is here")
		}
		return executor.Done{Evidence: plan.Delivered, Message: "said by " + how}, err
	})
}

// connect finds the compositor of this session. One that Utter cannot talk to is
// stood in for by a desktop that refuses everything by name.
func connect(ctx context.Context, runtimeDir string) (compositor.Backend, error) {
	b, err := known(ctx, runtimeDir)
	if err == nil || !errors.Is(err, compositor.ErrNone) {
		return b, err
	}
	name := os.Getenv("WAYLAND_DISPLAY")
	if name == "" {
		return nil, fmt.Errorf("%w, and WAYLAND_DISPLAY is not set", err)
	}
	conn, dialErr := wayland.Dial(ctx, wayland.SocketPath(name, runtimeDir))
	if dialErr != nil {
		return nil, err
	}
	desktop, _, _ := strings.Cut(os.Getenv("XDG_CURRENT_DESKTOP"), ":")
	if desktop == "" {
		desktop = "this compositor"
	}
	unknown := memory.Unknown(desktop, map[string]string{"WAYLAND_DISPLAY": name})
	go func() { // the connection is kept to see the compositor go
		<-conn.Done()
		unknown.Close()
	}()
	context.AfterFunc(ctx, func() { conn.Close() })
	return unknown, nil
}

// known connects to niri, sway or i3. One may run nested in another: then the
// one whose display this session is on is meant.
func known(ctx context.Context, runtimeDir string) (compositor.Backend, error) {
	n, niriErr := niri.Connect(ctx, os.Getenv, runtimeDir)
	s, swayErr := sway.Connect(ctx, os.Getenv, runtimeDir)
	switch {
	case niriErr != nil && swayErr != nil:
		if !errors.Is(niriErr, compositor.ErrNone) {
			return nil, niriErr
		}
		return nil, swayErr
	case niriErr != nil:
		return s, nil
	case swayErr != nil:
		return n, nil
	}
	chosen, other := n, s
	if display := os.Getenv("WAYLAND_DISPLAY"); display != "" && s.Info().Env["WAYLAND_DISPLAY"] == display {
		chosen, other = s, n
	}
	return chosen, other.Close()
}

// display is the compositor that keys and text go to.
func display(d *compositor.Desktop, runtimeDir string) (input.Display, error) {
	info, ok := d.Info()
	if !ok {
		return input.Display{}, plan.Refuse(plan.Missing, "no compositor is running")
	}
	name := info.Env["WAYLAND_DISPLAY"]
	if name == "" {
		return input.Display{}, plan.Refuse(plan.Missing, "%s has no Wayland display to type on", info.Name)
	}
	return input.Display{
		Socket: wayland.SocketPath(name, runtimeDir), Layout: d.State().Layout, SeatLayout: info.Name == "niri",
	}, nil
}
