package bus

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"utter/tests/fakes/privatebus"
)

// An agent is one whose signals and properties a test makes up.
type agent struct {
	t    *testing.T
	conn *dbus.Conn
}

// newAgent starts an agent of some version.
func newAgent(t *testing.T, address, version string) agent {
	t.Helper()
	a := agent{t, privatebus.Connect(t, address)}
	properties := func(string) (Dict, *dbus.Error) {
		return Encode(Status{version, "ready", "sway 1.10", "off", []Problem{
			{File: "a.yaml", Line: 3, Column: 5, Severity: "error", Message: "m", Code: "unknown_key", Args: []string{"x"}}, {},
		}}), nil
	}
	methods := map[string]any{"GetAll": properties}
	if err := a.conn.ExportMethodTable(methods, Path, "org.freedesktop.DBus.Properties"); err != nil {
		t.Fatal(err)
	}
	privatebus.Own(t, a.conn, Agent)
	return a
}

func (a agent) emit(name string, args ...any) {
	a.t.Helper()
	if err := a.conn.Emit(Path, name, args...); err != nil {
		a.t.Fatal(err)
	}
}

// end makes the agent leave the bus.
func (a agent) end() { a.conn.Close() }

// watch follows the agent in the background.
func watch(t *testing.T, c *Client) <-chan Event {
	t.Helper()
	events, ended := make(chan Event, 100), make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { ended <- c.Watch(ctx, func(e Event) { events <- e }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Watch = %v, want the end of its context", err)
		}
	})
	return events
}

func expect(t *testing.T, events <-chan Event, want ...Event) {
	t.Helper()
	for _, w := range want {
		select {
		case got := <-events:
			if !reflect.DeepEqual(got, w) {
				t.Fatalf("event %#v, want %#v", got, w)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("no event came, want %#v", w)
		}
	}
}

func TestWatchTellsWhatTheAgentSays(t *testing.T) {
	address := privatebus.Start(t, nil)
	a := newAgent(t, address, "1")
	events := watch(t, dial(t, address))
	expect(t, events, AgentChanged{true})

	step := Step{Action: "key", Args: map[string]any{"chord": "ctrl+t"}}
	told := []Event{
		PlanStarted{"new tab", []Step{step}}, StepFinished{1, step}, PlanFinished{"new tab", "completed", "done"},
		ConfirmationRequested{"T1", "confirm: quit", 30},
		ChoiceRequested{"T2", "which?", []Choice{{"Foot", "foot.desktop"}}, 29},
	}
	a.emit(Interface+".ProfilesChanged", "of another form: it has no arguments that anyone reads")
	a.emit(Interface+".PlanStarted", uint32(1)) // of another form: left out
	a.emit(Interface+".PlanFinished", "new tab", "completed", uint32(1))
	a.emit(Interface+".NotKnownYet", "x")
	for _, e := range told {
		if err := Emit(a.conn, e); err != nil {
			t.Fatal(err)
		}
	}
	const propertiesChanged = "org.freedesktop.DBus.Properties.PropertiesChanged"
	a.emit(propertiesChanged, "org.example.Other", Dict{}, []string{})
	a.emit(propertiesChanged, Interface, variants(map[string]any{"State": "running"}), []string{})
	expect(t, events, ProfilesChanged{})
	expect(t, events, told...)
	expect(t, events, PropertiesChanged{})
}

// Signals keep their order, also where they are looked at slowly.
func TestEventsKeepTheirOrder(t *testing.T) {
	address := privatebus.Start(t, nil)
	a := newAgent(t, address, "1")
	const n = 1000
	got, ended := make(chan int, n), make(chan bool)
	ctx, cancel := context.WithCancel(t.Context())
	ready := make(chan bool)
	c := dial(t, address)
	go func() {
		defer close(ended)
		c.Watch(ctx, func(e Event) {
			if _, first := e.(AgentChanged); first {
				close(ready)
				time.Sleep(50 * time.Millisecond)
			}
			if s, ok := e.(StepFinished); ok {
				got <- int(s.Index)
			}
		})
	}()
	<-ready
	for i := range n {
		a.emit(Interface+".StepFinished", uint32(i), Dict{})
	}
	for i := range n {
		if index := <-got; index != i {
			t.Fatalf("step %d comes as number %d", index, i)
		}
	}
	cancel()
	<-ended
}

// The client outlives the agent: it tells that one goes and another comes, and
// its calls reach the new one.
func TestTheClientOutlivesTheAgent(t *testing.T) {
	address := privatebus.Start(t, nil)
	c := dial(t, address)
	events := watch(t, c)
	expect(t, events, AgentChanged{false})
	for _, version := range []string{"1", "2"} {
		a := newAgent(t, address, version)
		expect(t, events, AgentChanged{true})
		s, err := c.Status(t.Context())
		if err != nil || s.Version != version {
			t.Errorf("Status = %+v, %v", s, err)
		}
		a.emit(Interface + ".ProfilesChanged")
		expect(t, events, ProfilesChanged{})
		a.end()
		expect(t, events, AgentChanged{false})
	}
}

// Nobody else can speak for the agent.
func TestSignalsOfOthersAreNoEvents(t *testing.T) {
	address := privatebus.Start(t, nil)
	a := newAgent(t, address, "1")
	c := dial(t, address)
	events := watch(t, c)
	expect(t, events, AgentChanged{true})
	impostor := privatebus.Connect(t, address)
	signal := func(iface, member string, body ...any) {
		t.Helper()
		m := &dbus.Message{Type: dbus.TypeSignal, Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldPath:        dbus.MakeVariant(dbus.ObjectPath(Path)),
			dbus.FieldInterface:   dbus.MakeVariant(iface),
			dbus.FieldMember:      dbus.MakeVariant(member),
			dbus.FieldDestination: dbus.MakeVariant(c.conn.Names()[0]),
			dbus.FieldSignature:   dbus.MakeVariant(dbus.SignatureOf(body...)),
		}, Body: body}
		if err := impostor.Send(m, nil).Err; err != nil {
			t.Fatal(err)
		}
	}
	signal(Interface, "ConfirmationRequested", "T1", "confirm: nothing bad", uint32(30))
	signal("org.freedesktop.DBus", "NameOwnerChanged", Agent, "", impostor.Names()[0])
	var id string // an answer from the bus: both signals have been passed on
	if err := impostor.BusObject().Call("org.freedesktop.DBus.GetId", 0).Store(&id); err != nil {
		t.Fatal(err)
	}
	a.emit(Interface + ".ProfilesChanged")
	expect(t, events, ProfilesChanged{})
}

func TestStatus(t *testing.T) {
	address := privatebus.Start(t, nil)
	newAgent(t, address, "1.2.3")
	s, err := dial(t, address).Status(t.Context())
	want := Status{Version: "1.2.3", State: "ready", Compositor: "sway 1.10", Head: "off", Problems: []Problem{
		{File: "a.yaml", Line: 3, Column: 5, Severity: "error", Message: "m", Code: "unknown_key", Args: []string{"x"}}, {},
	}}
	if err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("Status = %+v, %v; want %+v", s, err, want)
	}
}

// A passive client looks and starts nothing; Start says why where nothing comes.
func TestAPassiveClientStartsNothing(t *testing.T) {
	dir := t.TempDir()
	trace := dir + "/started"
	address := privatebus.Start(t, map[string]string{Agent: "/bin/sh -c ':>" + trace + "; exit 1'"})
	c := dial(t, address)
	passive := c.Passive()
	for what, call := range map[string]func() error{
		"Plan":   func() error { _, err := passive.PlanWithOptions(t.Context(), "x", PlanOptions{}); return err },
		"Status": func() error { _, err := passive.Status(t.Context()); return err },
		"Reload": func() error { return passive.Reload(t.Context()) },
	} {
		if err := call(); !errors.Is(err, ErrNotRunning) || errors.Is(err, ErrNoAgent) {
			t.Errorf("%s = %v, want ErrNotRunning", what, err)
		}
	}
	if exists(trace) {
		t.Error("an agent was started")
	}
	for _, starts := range []*Client{c, passive} {
		if err := starts.Start(t.Context()); !errors.Is(err, ErrNoAgent) || !errors.Is(err, ErrNotRunning) {
			t.Errorf("Start = %v, want ErrNoAgent", err)
		}
	}
	if !exists(trace) {
		t.Error("Start starts nothing")
	}
	newAgent(t, address, "1")
	if err := passive.Start(t.Context()); err != nil {
		t.Errorf("Start where one runs = %v", err)
	}
}

func TestWatchEndsWithTheBus(t *testing.T) {
	address, end := privatebus.StartEnding(t, nil)
	c := dial(t, address)
	ended, first := make(chan error, 1), make(chan Event, 1)
	go func() { ended <- c.Watch(t.Context(), func(e Event) { first <- e }) }()
	<-first
	end()
	if err := <-ended; !errors.Is(err, ErrNoBus) {
		t.Errorf("Watch = %v, want ErrNoBus", err)
	}
	if err := c.Watch(t.Context(), func(Event) {}); !errors.Is(err, ErrNoBus) {
		t.Errorf("Watch without a bus = %v, want ErrNoBus", err)
	}
}
