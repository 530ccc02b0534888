package bus

import (
	"context"
	"fmt"
	"reflect"

	"github.com/godbus/dbus/v5"
)

// An Event is what Watch reports: one of the types below, or a signal of the agent.
type Event interface{ event() }

// AgentChanged says whether an agent runs. Watch begins with it; where one
// follows another, it is told again: what was known of the old one is void.
type AgentChanged struct{ Running bool }

// PropertiesChanged means that properties of the agent have changed.
type PropertiesChanged struct{}

func (AgentChanged) event()          {}
func (ProfilesChanged) event()       {}
func (PropertiesChanged) event()     {}
func (PlanStarted) event()           {}
func (StepFinished) event()          {}
func (PlanFinished) event()          {}
func (ConfirmationRequested) event() {}
func (ChoiceRequested) event()       {}

// Watch tells what the agent says, whichever has the name, until ctx or the bus
// ends. It starts no agent. told is called by this goroutine, one event after
// the other in their order.
func (c *Client) Watch(ctx context.Context, told func(Event)) error {
	signals := make(chan *dbus.Signal, 64)
	c.conn.Signal(signals)
	defer c.conn.RemoveSignal(signals)
	for _, match := range [][]dbus.MatchOption{
		{
			dbus.WithMatchSender("org.freedesktop.DBus"), dbus.WithMatchInterface("org.freedesktop.DBus"),
			dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, Agent),
		},
		{dbus.WithMatchSender(Agent), dbus.WithMatchObjectPath(Path)},
	} {
		if err := c.conn.AddMatchSignalContext(ctx, match...); err != nil {
			return c.unwatched(ctx, err)
		}
		defer c.conn.RemoveMatchSignal(match...)
	}
	owner, err := c.owner(ctx)
	if err != nil {
		return c.unwatched(ctx, err)
	}
	told(AgentChanged{owner != ""})
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case s, alive := <-signals:
			if !alive {
				return c.unwatched(ctx, dbus.ErrClosed)
			}
			if now, changed := newOwner(s); changed && now != owner {
				owner = now
				told(AgentChanged{owner != ""})
			} else if e := eventOf(s); e != nil && s.Sender == owner {
				told(e)
			}
		}
	}
}

// unwatched says why Watch ends.
func (c *Client) unwatched(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if broken(err) {
		return fmt.Errorf("%w any more (%w)", ErrNoBus, err)
	}
	return fmt.Errorf("watch the agent: %w", err)
}

// owner returns the connection that has the agent's name, or "".
func (c *Client) owner(ctx context.Context) (string, error) {
	var owner string
	err := c.conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetNameOwner", 0, Agent).Store(&owner)
	if IsError(err, "org.freedesktop.DBus.Error.NameHasNoOwner") {
		return "", nil
	}
	return owner, err
}

// newOwner reads who has the agent's name from now on.
func newOwner(s *dbus.Signal) (owner string, changed bool) {
	var name, before string
	if s.Sender != "org.freedesktop.DBus" || s.Name != "org.freedesktop.DBus.NameOwnerChanged" ||
		dbus.Store(s.Body, &name, &before, &owner) != nil || name != Agent {
		return "", false
	}
	return owner, true
}

// signalTypes are the agent's own signals by their names.
var signalTypes = typesOf(
	PlanStarted{}, StepFinished{}, PlanFinished{}, ConfirmationRequested{}, ChoiceRequested{}, ProfilesChanged{},
)

func typesOf(signals ...Event) map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, e := range signals {
		types[signalName(e)] = reflect.TypeOf(e)
	}
	return types
}

// signalName returns the name of a signal, which is the name of its type.
func signalName(e Event) string { return Interface + "." + reflect.TypeOf(e).Name() }

// Emit sends e, a signal of the agent, to every program on the bus.
func Emit(conn *dbus.Conn, e Event) error { return conn.Emit(Path, signalName(e), body(e)...) }

// eventOf returns the event of a signal of the agent, or nil for one that it cannot
// read: the agent can be another version.
func eventOf(s *dbus.Signal) Event {
	if s.Path != Path {
		return nil
	}
	if s.Name == "org.freedesktop.DBus.Properties.PropertiesChanged" && len(s.Body) > 0 && s.Body[0] == Interface {
		return PropertiesChanged{}
	}
	t, known := signalTypes[s.Name]
	if !known {
		return nil
	}
	e := reflect.New(t)
	if decodeBody(s.Body, e.Interface()) != nil {
		return nil
	}
	return e.Elem().Interface().(Event)
}
