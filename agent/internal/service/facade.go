// Package service puts the agent on the session bus: it exports the interface of
// data/dbus/org.utter.Agent.xml, encodes what the dialogue returns and maps its
// errors. It has no state of its own.
package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"

	"utter/agent/internal/dialogue"
	"utter/data"
	"utter/shared/bus"
	"utter/shared/plan"
)

// ErrTaken means that another agent has the name.
var ErrTaken = errors.New("another utter-agent is running")

// A Facade answers on the session bus as data/dbus/org.utter.Agent.xml says.
type Facade struct {
	agent *dialogue.Dialogue
	conn  *dbus.Conn
	log   *slog.Logger
	props *prop.Properties
	ctx   context.Context // ends with the service
}

// Serve exports a on conn, claims the name and answers until ctx ends. It
// returns ErrTaken if the name is another's.
func Serve(ctx context.Context, conn *dbus.Conn, a *dialogue.Dialogue, version string, log *slog.Logger) error {
	f := &Facade{agent: a, conn: conn, log: log, ctx: ctx}
	if err := f.export(version); err != nil {
		return err
	}
	a.Listen(f) // the first call may come with the name
	reply, err := conn.RequestName(bus.Agent, dbus.NameFlagDoNotQueue)
	if err != nil {
		return fmt.Errorf("session bus: claim %s: %w", bus.Agent, err)
	}
	if reply != dbus.RequestNameReplyPrimaryOwner {
		return ErrTaken
	}
	log.Info("ready", "name", bus.Agent)
	err = f.follow(ctx)
	a.Cancel()
	return err
}

// follow keeps the Compositor property true until ctx or the bus ends.
func (f *Facade) follow(ctx context.Context) error {
	shown := ""
	for {
		now, changed := f.agent.Compositor()
		if now != shown {
			f.setProperty("Compositor", bus.Text(now))
			shown = now
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-f.conn.Context().Done():
			return errors.New("the session bus is gone")
		}
	}
}

func (f *Facade) export(version string) error {
	xml, err := data.FS.ReadFile("dbus/org.utter.Agent.xml")
	if err != nil {
		return fmt.Errorf("D-Bus interface: %w", err)
	}
	compositor, _ := f.agent.Compositor()
	status := bus.Status{Version: version, State: "ready", Compositor: compositor, Head: "off"}
	status.Problems = listOf(f.agent.Problems(), problemOf)
	properties := map[string]*prop.Prop{}
	for name, v := range bus.Encode(status) {
		properties[name] = &prop.Prop{Value: v.Value(), Emit: prop.EmitTrue}
	}
	properties["Version"].Emit = prop.EmitConst
	f.props, err = prop.Export(f.conn, bus.Path, prop.Map{bus.Interface: properties})
	if err != nil {
		return fmt.Errorf("session bus: export properties: %w", err)
	}
	if err := f.conn.ExportMethodTable(f.methods(), bus.Path, bus.Interface); err != nil {
		return fmt.Errorf("session bus: export %s: %w", bus.Interface, err)
	}
	introspect := map[string]any{"Introspect": func() (string, *dbus.Error) { return string(xml), nil }}
	if err := f.conn.ExportMethodTable(introspect, bus.Path, "org.freedesktop.DBus.Introspectable"); err != nil {
		return fmt.Errorf("session bus: export introspection: %w", err)
	}
	return nil
}

func (f *Facade) methods() map[string]any {
	return map[string]any{
		"Run": func(utterance string) (string, string, []bus.Dict, *dbus.Error) {
			return f.answer(f.agent.Run(f.ctx, utterance, dialogue.Options{Provenance: plan.FromUser}), nil)
		},
		"RunWithOptions":  f.runWithOptions,
		"Plan":            func(u string) (bus.Dict, *dbus.Error) { return f.plan(u, nil) },
		"PlanWithOptions": f.plan,
		"Choose": func(token string, index uint32) (string, string, []bus.Dict, *dbus.Error) {
			return f.answer(f.agent.Choose(f.ctx, token, int(index)))
		},
		"Confirm": func(token string, approve bool) (string, string, []bus.Dict, *dbus.Error) {
			return f.answer(f.agent.Confirm(f.ctx, token, approve))
		},
		"Suggest":     func(prefix string, limit uint32) ([]bus.Dict, *dbus.Error) { return f.suggest("", prefix, limit) },
		"SuggestFor":  f.suggest,
		"Cancel":      func() (uint32, *dbus.Error) { return uint32(f.agent.Cancel()), nil },
		"ListApps":    func() ([]bus.Dict, *dbus.Error) { return encode(f.agent.ListApps(), appOf) },
		"ListWindows": func() ([]bus.Dict, *dbus.Error) { return encode(f.agent.ListWindows(f.ctx), windowOf) },
		"CheckLaunch": func(argv []string) (bus.Dict, *dbus.Error) {
			return bus.Encode(checkOf(f.agent.CheckLaunch(f.ctx, argv))), nil
		},
		"Reload": f.reload,
		"Doctor": f.doctor,
		"Ping":   func() *dbus.Error { return nil },
	}
}

// encode writes a list as a method answers it.
func encode[From, To any](list []From, of func(From) To) ([]bus.Dict, *dbus.Error) {
	return bus.EncodeList(listOf(list, of)), nil
}

func (f *Facade) answer(a dialogue.Reply, err error) (string, string, []bus.Dict, *dbus.Error) {
	if err != nil {
		return "", "", nil, f.dbusError(err)
	}
	outcome, message, steps := replyOf(a).Values()
	return outcome, message, steps, nil
}

// dbusError is where Go's errors become D-Bus errors.
func (f *Facade) dbusError(err error) *dbus.Error {
	name := bus.ErrFailed
	switch {
	case errors.Is(err, dialogue.ErrNoToken):
		name = bus.ErrNotFound
	case errors.Is(err, dialogue.ErrExpired):
		name = bus.ErrExpired
	case errors.Is(err, dialogue.ErrNoChoice), errors.Is(err, errArgs):
		name = bus.ErrInvalidArgs
	}
	return dbus.NewError(name, []any{err.Error()})
}

func (f *Facade) runWithOptions(utterance string, options bus.Dict) (string, string, []bus.Dict, *dbus.Error) {
	o, err := runOptions(options)
	if err != nil {
		return "", "", nil, f.dbusError(err)
	}
	return f.answer(f.agent.Run(f.ctx, utterance, o), nil)
}

func (f *Facade) plan(utterance string, options bus.Dict) (bus.Dict, *dbus.Error) {
	o, err := planOptions(options)
	if err != nil {
		return nil, f.dbusError(err)
	}
	return bus.Encode(planOf(utterance, f.agent.Plan(f.ctx, utterance, o))), nil
}

func (f *Facade) suggest(app, prefix string, limit uint32) ([]bus.Dict, *dbus.Error) {
	return encode(f.agent.Suggest(f.ctx, app, prefix, int(min(limit, mostSuggestions))), suggestionOf)
}

func (f *Facade) reload() *dbus.Error {
	if err := f.agent.Reload(); err != nil {
		return f.dbusError(err)
	}
	return nil
}

func (f *Facade) doctor() ([]bus.Dict, *dbus.Error) {
	ctx, cancel := context.WithTimeout(f.ctx, 5*time.Second)
	defer cancel()
	return encode(f.agent.Doctor(ctx), partOf)
}

// mostSuggestions bounds an answer: a thousand applications with all their names
// fit in.
const mostSuggestions = 10_000
