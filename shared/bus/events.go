package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/godbus/dbus/v5"
)

// An Event is something that Watch tells: one of the types below.
type Event interface{ event() }

// AgentChanged says whether an agent runs. Watch begins with it; where one
// follows another, it is told again: what was known of the old one is void.
type AgentChanged struct{ Running bool }

// ProfilesChanged means that what applications can be named, or how, is new.
type ProfilesChanged struct{}

// PropertiesChanged holds the properties of the agent that are new.
type PropertiesChanged struct{ changed Dict }

// PlanStarted means that a plan runs. What is typed is left out of it.
type PlanStarted struct {
	Utterance string
	Steps     []Dict
}

// StepFinished tells the outcome of a step, by its number from 0.
type StepFinished struct {
	Index int
	Step  Dict
}

// PlanFinished tells the outcome of the plan that ran.
type PlanFinished struct{ Utterance, Outcome, Message string }

// ConfirmationRequested asks whether a plan may run.
type ConfirmationRequested struct {
	Token, Text string
	Expires     time.Duration
}

// ChoiceRequested asks which of several things is meant.
type ChoiceRequested struct {
	Token, Text string
	Choices     []Dict // label and origin
	Expires     time.Duration
}

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
		{dbus.WithMatchSender("org.freedesktop.DBus"), dbus.WithMatchInterface("org.freedesktop.DBus"), dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, Agent)},
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
			} else if e := decode(s); e != nil && s.Sender == owner {
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

// decode returns what a signal of the agent tells, or nil: it may be of another
// form, from an agent of another version.
func decode(s *dbus.Signal) Event {
	var steps []map[string]dbus.Variant
	var one map[string]dbus.Variant
	var index, seconds uint32
	var a, b, c string
	var e Event
	var err error
	if s.Path != Path {
		return nil
	}
	switch s.Name {
	case Interface + ".ProfilesChanged":
		e = ProfilesChanged{}
	case Interface + ".PlanStarted":
		err = dbus.Store(s.Body, &a, &steps)
		e = PlanStarted{a, plainList(steps)}
	case Interface + ".StepFinished":
		err = dbus.Store(s.Body, &index, &one)
		e = StepFinished{int(index), plainDict(one)}
	case Interface + ".PlanFinished":
		err = dbus.Store(s.Body, &a, &b, &c)
		e = PlanFinished{a, b, c}
	case Interface + ".ConfirmationRequested":
		err = dbus.Store(s.Body, &a, &b, &seconds)
		e = ConfirmationRequested{a, b, time.Duration(seconds) * time.Second}
	case Interface + ".ChoiceRequested":
		err = dbus.Store(s.Body, &a, &b, &steps, &seconds)
		e = ChoiceRequested{a, b, plainList(steps), time.Duration(seconds) * time.Second}
	case "org.freedesktop.DBus.Properties.PropertiesChanged":
		var invalidated []string
		if err = dbus.Store(s.Body, &a, &one, &invalidated); a != Interface {
			return nil
		}
		e = PropertiesChanged{plainDict(one)}
	}
	if err != nil {
		return nil
	}
	return e
}
