package bus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"

	"utter/tests/fakes/privatebus"
)

type dict = map[string]dbus.Variant

func variants(values map[string]any) dict {
	d := dict{}
	for name, v := range values {
		d[name] = dbus.MakeVariant(v)
	}
	return d
}

// A stub answers as an agent does and notes what it is asked.
type stub struct {
	mu    sync.Mutex
	asked []string
}

func (s *stub) note(method string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, fmt.Sprint(method, args))
}

// calls returns what was asked since the last call.
func (s *stub) calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

func (s *stub) reply(method string, args ...any) (string, string, []dict, *dbus.Error) {
	s.note(method, args...)
	return "completed", method, []dict{variants(map[string]any{"action": "done"})}, nil
}

func (s *stub) list(method string, args ...any) ([]dict, *dbus.Error) {
	s.note(method, args...)
	return []dict{variants(map[string]any{"name": method})}, nil
}

func (s *stub) suggest(method string, args ...any) ([]dict, *dbus.Error) {
	s.note(method, args...)
	return []dict{variants(map[string]any{"text": method, "kind": "action", "app": "foot", "group": "app", "detail": "ctrl+t"})}, nil
}

// serve exports methods as the agent on a bus and returns a client of it.
func serve(t *testing.T, address string, methods map[string]any) *Client {
	t.Helper()
	conn := privatebus.Connect(t, address)
	if err := conn.ExportMethodTable(methods, Path, Interface); err != nil {
		t.Fatal(err)
	}
	get := func(iface, name string) (dbus.Variant, *dbus.Error) {
		return dbus.MakeVariant([]dict{variants(map[string]any{"file": iface, "message": name, "line": uint32(7)})}), nil
	}
	if err := conn.ExportMethodTable(map[string]any{"Get": get}, Path, "org.freedesktop.DBus.Properties"); err != nil {
		t.Fatal(err)
	}
	privatebus.Own(t, conn, Agent)
	return dial(t, address)
}

func dial(t *testing.T, address string) *Client {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	c, err := Dial(context.WithoutCancel(t.Context())) // what ends with the test ends first
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Every call reaches the method of its name with its arguments.
func TestCalls(t *testing.T) {
	s := &stub{}
	address := privatebus.Start(t, nil)
	c := serve(t, address, map[string]any{
		"Run":            func(u string) (string, string, []dict, *dbus.Error) { return s.reply("Run", u) },
		"RunWithOptions": func(u string, o dict) (string, string, []dict, *dbus.Error) { return s.reply("RunWithOptions", u, o) },
		"Confirm":        func(k string, yes bool) (string, string, []dict, *dbus.Error) { return s.reply("Confirm", k, yes) },
		"Choose":         func(k string, n uint32) (string, string, []dict, *dbus.Error) { return s.reply("Choose", k, n) },
		"Plan": func(u string) (dict, *dbus.Error) {
			s.note("Plan", u)
			return variants(map[string]any{"name": "Plan"}), nil
		},
		"PlanWithOptions": func(u string, o dict) (dict, *dbus.Error) {
			s.note("PlanWithOptions", u, o)
			return variants(map[string]any{"name": "PlanWithOptions"}), nil
		},
		"Suggest":    func(p string, n uint32) ([]dict, *dbus.Error) { return s.suggest("Suggest", p, n) },
		"SuggestFor": func(a, p string, n uint32) ([]dict, *dbus.Error) { return s.suggest("SuggestFor", a, p, n) },
		"CheckLaunch": func(argv []string) (dict, *dbus.Error) {
			s.note("CheckLaunch", argv)
			return variants(map[string]any{"found": true, "executable": false, "path": "/bin/foot", "state": "not_executable"}), nil
		},
		"Reload":      func() *dbus.Error { s.note("Reload"); return nil },
		"Cancel":      func() (uint32, *dbus.Error) { s.note("Cancel"); return 3, nil },
		"ListApps":    func() ([]dict, *dbus.Error) { return s.list("ListApps") },
		"ListWindows": func() ([]dict, *dbus.Error) { return s.list("ListWindows") },
		"Doctor":      func() ([]dict, *dbus.Error) { return s.list("Doctor") },
	})
	ctx := t.Context()
	options := map[string]any{"dry_run": true, "timeout_ms": uint32(5)}
	reply := func(r Reply, err error) (string, error) {
		return fmt.Sprint(r.Outcome, " ", r.Message, " ", r.Steps), err
	}
	one := func(d Dict, err error) (string, error) { return fmt.Sprint(d["name"]), err }
	list := func(l []Dict, err error) (string, error) { return fmt.Sprint(len(l), " ", l[0]["name"]), err }
	for _, tt := range []struct {
		asked, answer string
		call          func() (string, error)
	}{
		{"Run[open ü]", "completed Run [map[action:done]]", func() (string, error) { return reply(c.Run(ctx, "open ü")) }},
		{"RunWithOptions[x map[dry_run:true timeout_ms:@u 5]]", "completed RunWithOptions [map[action:done]]", func() (string, error) { return reply(c.RunWithOptions(ctx, "x", options)) }},
		{"RunWithOptions[x map[]]", "completed RunWithOptions [map[action:done]]", func() (string, error) { return reply(c.RunWithOptions(ctx, "x", nil)) }},
		{"Confirm[token true]", "completed Confirm [map[action:done]]", func() (string, error) { return reply(c.Confirm(ctx, "token", true)) }},
		{"Choose[token 2]", "completed Choose [map[action:done]]", func() (string, error) { return reply(c.Choose(ctx, "token", 2)) }},
		{"Plan[x]", "Plan", func() (string, error) { return one(c.Plan(ctx, "x")) }},
		{"PlanWithOptions[x map[app:\"foot\"]]", "PlanWithOptions", func() (string, error) { return one(c.PlanWithOptions(ctx, "x", map[string]any{"app": "foot"})) }},
		{"Suggest[op 9]", "[{Suggest action foot app ctrl+t}]", func() (string, error) { l, err := c.Suggest(ctx, "op", 9); return fmt.Sprint(l), err }},
		{"SuggestFor[foot op 9]", "[{SuggestFor action foot app ctrl+t}]", func() (string, error) { l, err := c.SuggestFor(ctx, "foot", "op", 9); return fmt.Sprint(l), err }},
		{"CheckLaunch[[foot -e]]", "{true false /bin/foot not_executable}", func() (string, error) {
			l, err := c.CheckLaunch(ctx, []string{"foot", "-e"})
			return fmt.Sprint(l), err
		}},
		{"Reload[]", "", func() (string, error) { return "", c.Reload(ctx) }},
		{"Cancel[]", "3", func() (string, error) { n, err := c.Cancel(ctx); return fmt.Sprint(n), err }},
		{"ListApps[]", "1 ListApps", func() (string, error) { return list(c.ListApps(ctx)) }},
		{"ListWindows[]", "1 ListWindows", func() (string, error) { return list(c.ListWindows(ctx)) }},
		{"Doctor[]", "1 Doctor", func() (string, error) { return list(c.Doctor(ctx)) }},
	} {
		answer, err := tt.call()
		if asked := s.calls(); err != nil || answer != tt.answer || !slices.Equal(asked, []string{tt.asked}) {
			t.Errorf("%q was asked, want %q; the answer is %q, %v, want %q", asked, tt.asked, answer, err, tt.answer)
		}
	}
	problems, err := c.Problems(ctx)
	if want := []Dict{{"file": Interface, "message": "Problems", "line": uint32(7)}}; err != nil || !reflect.DeepEqual(problems, want) {
		t.Errorf("Problems = %v, %v; want %v", problems, err, want)
	}
}

// What D-Bus wraps in variants arrives as plain Go values, at any depth.
func TestAnswersArePlain(t *testing.T) {
	wire := variants(map[string]any{
		"outcome": "refused", "window": uint64(1 << 40), "confidence": 0.5, "found": true, "aliases": []string{"a", "b"},
		"args":    variants(map[string]any{"x": int64(-1), "list": []dbus.Variant{dbus.MakeVariant("s"), dbus.MakeVariant(int64(2))}}),
		"choices": []dict{variants(map[string]any{"label": "one"}), {}},
		"nested":  dbus.MakeVariant(dbus.MakeVariant("deep")),
		"none":    []dict{},
	})
	want := Dict{
		"outcome": "refused", "window": uint64(1 << 40), "confidence": 0.5, "found": true, "aliases": []string{"a", "b"},
		"args":    Dict{"x": int64(-1), "list": []any{"s", int64(2)}},
		"choices": []Dict{{"label": "one"}, {}},
		"nested":  "deep",
		"none":    []Dict{},
	}
	address := privatebus.Start(t, nil)
	c := serve(t, address, map[string]any{
		"Plan": func(string) (dict, *dbus.Error) { return wire, nil },
		"Run":  func(string) (string, string, []dict, *dbus.Error) { return "refused", "why", []dict{wire}, nil },
	})
	d, err := c.Plan(t.Context(), "x")
	if err != nil || !reflect.DeepEqual(d, want) {
		t.Errorf("Plan = %#v, %v\nwant %#v", d, err, want)
	}
	r, err := c.Run(t.Context(), "x")
	if err != nil || r.Outcome != "refused" || r.Message != "why" || !reflect.DeepEqual(r.Steps, []Dict{want}) {
		t.Errorf("Run = %#v, %v", r, err)
	}
}

// An agent that is not there and cannot be started, for every reason that the
// bus may have.
func TestNoAgent(t *testing.T) {
	for what, services := range map[string]map[string]string{
		"not installed":          nil,
		"its program is missing": {Agent: "/nonexistent/utter-agent"},
		"it ends at once":        {Agent: "/bin/false"},
	} {
		address := privatebus.Start(t, services)
		c := dial(t, address)
		_, err := c.Run(t.Context(), "x")
		if !errors.Is(err, ErrNoAgent) || errors.Is(err, ErrLost) {
			t.Errorf("%s: Run = %v, want ErrNoAgent", what, err)
		}
		if _, err := c.Problems(t.Context()); !errors.Is(err, ErrNoAgent) {
			t.Errorf("%s: Problems = %v, want ErrNoAgent", what, err)
		}
	}
}

// The agent's own errors keep their names.
func TestErrorsKeepTheirNames(t *testing.T) {
	address := privatebus.Start(t, nil)
	c := serve(t, address, map[string]any{
		"Plan": func(name string) (dict, *dbus.Error) { return nil, dbus.NewError(name, []any{"too late"}) },
	})
	for _, name := range []string{ErrInvalidArgs, ErrNotFound, ErrExpired, ErrFailed} {
		_, err := c.Plan(t.Context(), name)
		if !IsError(err, name) || IsError(err, name+"x") || errors.Is(err, ErrNoAgent) || !strings.Contains(err.Error(), "too late") {
			t.Errorf("Plan = %v, want %s", err, name)
		}
	}
	// An older agent lacks a method: it is there all the same.
	if _, err := c.ListApps(t.Context()); err == nil || errors.Is(err, ErrNoAgent) || errors.Is(err, ErrLost) {
		t.Errorf("a method that is missing: %v", err)
	}
	if IsError(nil, ErrFailed) || IsError(errors.New("x"), ErrFailed) {
		t.Error("IsError of other errors")
	}
}

// An answer of another form is an error, not a panic.
func TestAnswersOfAnotherForm(t *testing.T) {
	address := privatebus.Start(t, nil)
	c := serve(t, address, map[string]any{
		"Run":      func(string) (string, *dbus.Error) { return "completed", nil },
		"Plan":     func(string) (string, *dbus.Error) { return "x", nil },
		"ListApps": func() ([]string, *dbus.Error) { return []string{"x"}, nil },
	})
	if r, err := c.Run(t.Context(), "x"); err == nil || r.Outcome != "" {
		t.Errorf("Run = %v, %v", r, err)
	}
	if d, err := c.Plan(t.Context(), "x"); err == nil {
		t.Errorf("Plan = %v", d)
	}
	if l, err := c.ListApps(t.Context()); err == nil {
		t.Errorf("ListApps = %v", l)
	}
}

// Where the agent or the bus goes away in the middle, nobody knows what it did.
func TestAnAgentThatGoesAwayDuringACall(t *testing.T) {
	address, end := privatebus.StartEnding(t, nil)
	agent := privatebus.Connect(t, address)
	leave := func(string) (string, string, []dict, *dbus.Error) { agent.Close(); return "", "", nil, nil }
	if err := agent.ExportMethodTable(map[string]any{"Run": leave}, Path, Interface); err != nil {
		t.Fatal(err)
	}
	privatebus.Own(t, agent, Agent)
	if _, err := dial(t, address).Run(t.Context(), "x"); !errors.Is(err, ErrLost) || errors.Is(err, ErrNoAgent) {
		t.Errorf("the agent goes: Run = %v, want ErrLost", err)
	}
	c := serve(t, address, map[string]any{"Cancel": func() (uint32, *dbus.Error) { end(); return 0, nil }})
	for range 2 { // the second call finds the bus gone
		if _, err := c.Cancel(t.Context()); !errors.Is(err, ErrLost) {
			t.Errorf("the bus goes: Cancel = %v, want ErrLost", err)
		}
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	address := privatebus.Start(t, nil)
	asked, hold := make(chan bool, 2), make(chan bool)
	defer close(hold)
	c := serve(t, address, map[string]any{"Cancel": func() (uint32, *dbus.Error) { asked <- true; <-hold; return 0, nil }})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if _, err := c.Cancel(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, ErrLost) {
		t.Errorf("Cancel = %v, want context.Canceled", err)
	}
	// The same where the connection ends with the context.
	ctx, cancel = context.WithCancel(t.Context())
	c, err := Dial(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() {
		<-asked
		cancel()
	}()
	if _, err := c.Cancel(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, ErrLost) {
		t.Errorf("Cancel = %v, want context.Canceled", err)
	}
}

// Without a bus the error says which variable to look at, and no bus is started
// for it: it would live for ever.
func TestWithoutABus(t *testing.T) {
	bin, trace := t.TempDir(), filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(filepath.Join(bin, "dbus-launch"), []byte("#!/bin/sh\n: >"+trace+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	for _, address := range []string{"", "autolaunch:", "unix:path=/nonexistent/bus", "nonsense", "unix:", "tcp:host=localhost"} {
		t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
		_, err := Dial(t.Context())
		if !errors.Is(err, ErrNoBus) || !strings.Contains(err.Error(), "DBUS_SESSION_BUS_ADDRESS") {
			t.Errorf("%q: Dial = %v", address, err)
		}
		if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != address {
			t.Errorf("%q became %q", address, os.Getenv("DBUS_SESSION_BUS_ADDRESS"))
		}
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("dbus-launch was run")
	}
}

// The bus of the user's runtime directory is found without the variable.
func TestTheBusOfTheRuntimeDirectory(t *testing.T) {
	address := privatebus.Start(t, nil)
	path, _, _ := strings.Cut(strings.TrimPrefix(address, "unix:path="), ",")
	if path == address {
		t.Fatalf("the bus is at %s", address)
	}
	runtime := t.TempDir()
	if err := os.Symlink(path, filepath.Join(runtime, "bus")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	for _, address := range []string{"", "autolaunch:"} {
		if _, err := dial(t, address).Cancel(t.Context()); !errors.Is(err, ErrNoAgent) {
			t.Errorf("%q: Cancel = %v", address, err)
		}
	}
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// Text that is not UTF-8 is an error and does not end the connection.
func TestTextThatIsNotUTF8(t *testing.T) {
	s := &stub{}
	address := privatebus.Start(t, nil)
	c := serve(t, address, map[string]any{"Run": func(u string) (string, string, []dict, *dbus.Error) { return s.reply("Run", u) }})
	for _, text := range []string{"\xff", "a\x00b"} {
		if _, err := c.Run(t.Context(), text); err == nil || errors.Is(err, ErrLost) || errors.Is(err, ErrNoAgent) {
			t.Errorf("Run(%q) = %v", text, err)
		}
	}
	if _, err := c.Run(t.Context(), "fine"); err != nil {
		t.Errorf("afterwards Run = %v", err)
	}
}
