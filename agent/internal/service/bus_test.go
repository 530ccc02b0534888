package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"utter/agent/internal/dialogue"
	"utter/agent/internal/dialogue/dialoguetest"
	"utter/shared/bus"
	"utter/tests/fakes/privatebus"
)

// A client talks to an agent that answers on a bus of its own.
type client struct {
	*bus.Client
	t       *testing.T
	address string
	conn    *dbus.Conn
	agent   dbus.BusObject // for what a Client does not send
	signals chan *dbus.Signal
}

// serve answers for a until the test ends.
func serve(t *testing.T, a *dialogue.Dialogue) *client {
	t.Helper()
	address := privatebus.Start(t, nil)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	dialled, err := bus.Dial(context.WithoutCancel(t.Context())) // what ends with the test ends first
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dialled.Close() })
	c := &client{dialled, t, address, privatebus.Connect(t, address), nil, make(chan *dbus.Signal, 1000)}
	c.agent = c.conn.Object(bus.Agent, bus.Path)
	owned := make(chan *dbus.Signal, 10)
	c.conn.Signal(owned)
	c.match(dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, bus.Agent))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	server := privatebus.Connect(t, address)
	go func() { ended <- Serve(ctx, server, a, "1.2.3", slog.New(slog.DiscardHandler)) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve = %v, want the end of its context", err)
		}
	})
	awaitOwner(owned)
	c.conn.RemoveSignal(owned)
	c.conn.Signal(c.signals)
	c.match(dbus.WithMatchObjectPath(bus.Path))
	return c
}

// awaitOwner waits until the agent's name has an owner.
func awaitOwner(signals <-chan *dbus.Signal) {
	for s := range signals {
		if strings.HasSuffix(s.Name, ".NameOwnerChanged") {
			return
		}
	}
}

func (c *client) match(options ...dbus.MatchOption) {
	c.t.Helper()
	if err := c.conn.AddMatchSignal(options...); err != nil {
		c.t.Fatal(err)
	}
}

// say runs an utterance.
func (c *client) say(utterance string, o bus.RunOptions) bus.Reply {
	c.t.Helper()
	r, err := c.RunWithOptions(c.t.Context(), utterance, o)
	if err != nil {
		c.t.Fatalf("%s: %v", utterance, err)
	}
	return r
}

func (c *client) plan(utterance string, o bus.PlanOptions) bus.Plan {
	c.t.Helper()
	p, err := c.PlanWithOptions(c.t.Context(), utterance, o)
	if err != nil {
		c.t.Fatalf("%s: %v", utterance, err)
	}
	return p
}

// until returns the signals up to the first of this name.
func (c *client) until(name string) []*dbus.Signal {
	c.t.Helper()
	var all []*dbus.Signal
	limit := time.After(10 * time.Second)
	for {
		select {
		case s, ok := <-c.signals:
			if !ok {
				c.t.Fatalf("the bus ended before %s", name)
			}
			all = append(all, s)
			if strings.HasSuffix(s.Name, "."+name) {
				return all
			}
		case <-limit:
			c.t.Fatalf("no %s came, but %v", name, all)
		}
	}
}

func isError(t *testing.T, what string, err error, name string) {
	t.Helper()
	var e dbus.Error
	if !errors.As(err, &e) || e.Name != name || len(e.Body) == 0 || fmt.Sprint(e.Body[0]) == "" {
		t.Errorf("%s: %v, want %s with a message", what, err, name)
	}
}

func TestServeEndsWithTheBus(t *testing.T) {
	address := privatebus.Start(t, nil)
	conn := privatebus.Connect(t, address)
	watcher := privatebus.Connect(t, address)
	owned := make(chan *dbus.Signal, 10)
	watcher.Signal(owned)
	err := watcher.AddMatchSignal(dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, bus.Agent))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	a := dialoguetest.New().Agent(t, nil)
	go func() { ended <- Serve(context.Background(), conn, a, "1", slog.New(slog.DiscardHandler)) }()
	awaitOwner(owned)
	conn.Close()
	if err := <-ended; err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("Serve = %v, want that the bus has gone", err)
	}
}
