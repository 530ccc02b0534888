package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/godbus/dbus/v5"

	"utter/agent/internal/addons"
	"utter/agent/internal/compositor"
	"utter/agent/internal/dialogue"
	"utter/agent/internal/input"
	"utter/agent/internal/knowledge"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/runnerclient"
	"utter/shared/profile"
	"utter/shared/typing"
)

// doctor looks at the parts of the desktop.
type doctor struct {
	desktop   *compositor.Desktop
	devices   *input.Input
	knowledge *knowledge.Knowledge
	bus       *dbus.Conn
	addons    *addons.Addons
}

// probe returns the parts, the most important first.
func (d *doctor) probe(ctx context.Context) []dialogue.Part {
	parts := []dialogue.Part{d.compositor()}
	parts = append(parts, d.ways(ctx)...)
	parts = append(parts, d.roles()...)
	return append(parts,
		d.service(ctx, "notifications", "org.freedesktop.Notifications", "only the CLI and D-Bus show questions"),
		d.service(ctx, "systemd user session", "org.freedesktop.systemd1",
			"programs start in their own session, without a scope"),
		d.runner(ctx))
}

// runner is the runner of plugins and how many of them run.
func (d *doctor) runner(ctx context.Context) dialogue.Part {
	rows, err := d.addons.Rows(ctx)
	switch {
	case errors.Is(err, runnerclient.ErrNoRunner):
		return dialogue.Part{Name: "plugins", State: "absent", Detail: "utter-runner does not run; there are no plugins"}
	case err != nil:
		return dialogue.Part{Name: "plugins", State: "broken", Detail: err.Error()}
	}
	part := dialogue.Part{Name: "plugins", State: "ok"}
	var bad []string
	for _, r := range rows {
		if r.Status != protocol.StatusOK && r.Status != protocol.StatusDegraded {
			bad = append(bad, r.ID)
		}
	}
	part.Detail = fmt.Sprintf("%d of %d run", len(rows)-len(bad), len(rows))
	if len(bad) > 0 {
		part.State, part.Detail = "broken", part.Detail+"; not "+strings.Join(bad, ", ")+" (utter runner status)"
	}
	return part
}

func (d *doctor) compositor() dialogue.Part {
	info, ok := d.desktop.Info()
	if !ok {
		_, err := d.desktop.Read(context.Background())
		return dialogue.Part{Name: "compositor", State: "absent", Detail: fmt.Sprint(err)}
	}
	detail := strings.TrimSpace(info.Name + " " + info.Version)
	if len(d.desktop.State().Outputs) == 0 {
		unknown := info.Name + " is not supported: its windows cannot be seen"
		return dialogue.Part{Name: "compositor", State: "absent", Detail: unknown}
	}
	return dialogue.Part{Name: "compositor", State: "ok", Detail: detail}
}

// ways are the ways of typing and pointing.
func (d *doctor) ways(ctx context.Context) []dialogue.Part {
	p, err := d.devices.Parts(ctx)
	part := func(name string, p input.Part, without string) dialogue.Part {
		switch {
		case err != nil:
			return dialogue.Part{Name: name, State: "absent", Detail: err.Error()}
		case !p.There:
			return dialogue.Part{Name: name, State: "absent", Detail: cmp.Or(p.Note, without)}
		}
		return dialogue.Part{Name: name, State: "ok", Detail: p.Note}
	}
	var parts []dialogue.Part
	for _, m := range typing.Methods {
		parts = append(parts, part(m.Part, p.Ways[m.Way], detail(m.Without)))
	}
	return append(parts, part("virtual pointer", p.Pointer, "scrolling and clicking do not work"))
}

// detail makes a sentence a detail of a part: without capital and full stop.
func detail(sentence string) string {
	return strings.ToLower(sentence[:1]) + strings.TrimSuffix(sentence[1:], ".")
}

// roles are the applications that "terminal", "browser" and so on mean.
func (d *doctor) roles() []dialogue.Part {
	var parts []dialogue.Part
	lib := d.knowledge.Now().Library()
	for _, kind := range []profile.Kind{profile.Terminal, profile.Browser, profile.FileManager, profile.Editor} {
		part := dialogue.Part{Name: string(kind), State: "absent", Detail: "none is installed"}
		if p := lib.Default(kind); p != nil {
			part.State, part.Detail = "ok", p.Name
		}
		parts = append(parts, part)
	}
	return parts
}

func (d *doctor) service(ctx context.Context, name, busName, without string) dialogue.Part {
	var owned bool
	err := d.bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, busName).Store(&owned)
	if err != nil || !owned {
		return dialogue.Part{Name: name, State: "absent", Detail: without}
	}
	return dialogue.Part{Name: name, State: "ok"}
}
