package main

import (
	"context"

	"github.com/godbus/dbus/v5"
	"golang.org/x/sync/errgroup"

	"utter/agent/internal/act/apps"
	"utter/agent/internal/act/keys"
	"utter/agent/internal/act/media"
	"utter/agent/internal/act/pause"
	"utter/agent/internal/act/speech"
	"utter/agent/internal/compositor"
	"utter/agent/internal/executor"
	"utter/agent/internal/input"
	"utter/agent/internal/knowledge"
	"utter/agent/internal/launch"
	"utter/agent/internal/mpris"
	"utter/agent/internal/notify"
	"utter/shared/bus"
	"utter/shared/catalog"
	"utter/shared/chord"
	"utter/shared/plan"
	"utter/shared/typing"
	"utter/shared/wayland"
)

// A body is what carries steps out on a desk.
type body struct {
	session  *dbus.Conn
	launcher *launch.Launcher
	devices  *input.Input
	notifier *notify.Notifier
	players  *mpris.Remote
	resolver *apps.Resolver
	keys     *keys.Keys
}

// newBody returns a body on the session bus. Its connection outlives ctx, until
// close.
func newBody(ctx context.Context, d *desk) (*body, error) {
	session, err := bus.Connect(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	launcher, err := launch.New(session)
	if err != nil {
		session.Close()
		return nil, err
	}
	k := d.knowledge
	devices := input.New(func() (input.Display, error) { return display(d.desktop, d.runtimeDir) })
	resolver := apps.New(apps.Options{
		Desktop: d.desktop, Launcher: launcher,
		Library:  func() *catalog.Library { return k.Now().Library() },
		Terminal: func(argv []string) ([]string, error) { return k.Now().InTerminal(argv) },
		Sites:    func(host string) []string { return k.Now().SiteTitles(host) },
		Search:   func(query string) string { return k.Now().SearchURL(query) },
		Token: func(ctx context.Context, appID string) string {
			token, err := devices.ActivationToken(ctx, appID)
			if err != nil {
				d.log.Debug("activation token", "error", err) // programs start without one as well
			}
			return token
		},
	})
	return &body{
		session: session, launcher: launcher, devices: devices, resolver: resolver,
		notifier: notify.New(session), players: mpris.New(session),
		keys: &keys.Keys{
			Desktop: d.desktop, Devices: devices, Stopped: launch.Stopped,
			WindowsOf: resolver.WindowsOf, Foreground: launch.Foreground,
			Way: func() typing.Way { return k.Now().TypeWith() },
			Paste: func(w compositor.Window) chord.Chord {
				return knowledge.PasteChord(resolver.AppOf(w), resolver.IsTerminal(w))
			},
			CloseTab:   func(w compositor.Window) chord.Sequence { return knowledge.CloseTab(resolver.AppOf(w)) },
			IsTerminal: resolver.IsTerminal,
			MayCommand: func() bool { return k.Now().MayCommand() },
		},
	}, nil
}

// run keeps what listens at work until ctx ends.
func (b *body) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return b.notifier.Run(ctx) })
	g.Go(func() error { return b.players.Run(ctx) })
	g.Go(func() error { return b.resolver.Run(ctx) })
	return g.Wait()
}

func (b *body) close() {
	b.devices.Close()
	b.session.Close()
}

// handlers are what carries out every operation that the agent has.
func handlers(b *body, k *knowledge.Knowledge) executor.Handlers {
	all := executor.Handlers{}
	b.resolver.Register(all)
	b.keys.Register(all)
	media.Register(all, b.players, func(app string) []string { return k.Now().PlayerNames(app) })
	speech.Register(all, b.notifier)
	pause.Register(all)
	return all
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
		Socket: wayland.SocketPath(name, runtimeDir), Layout: d.State().Layout, SeatLayout: info.SeatLayout,
	}, nil
}
