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

func variants(values map[string]any) Dict {
	d := Dict{}
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

func (s *stub) reply(method string, args ...any) (string, string, []Dict, *dbus.Error) {
	s.note(method, args...)
	return "completed", method, EncodeList([]Step{{Action: "done"}}), nil
}

// serve exports methods as the agent on a bus and returns a client of it.
func serve(t *testing.T, address string, methods map[string]any) *Client {
	t.Helper()
	conn := privatebus.Connect(t, address)
	if err := conn.ExportMethodTable(methods, Path, Interface); err != nil {
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

// methods answers every call, and notes it.
func (s *stub) methods() map[string]any {
	return map[string]any{
		"RunWithOptions": func(u string, o Dict) (string, string, []Dict, *dbus.Error) {
			return s.reply("RunWithOptions", u, o)
		},
		"Confirm": func(k string, yes bool) (string, string, []Dict, *dbus.Error) {
			return s.reply("Confirm", k, yes)
		},
		"Choose": func(k string, n uint32) (string, string, []Dict, *dbus.Error) { return s.reply("Choose", k, n) },
		"PlanWithOptions": func(u string, o Dict) (Dict, *dbus.Error) {
			s.note("PlanWithOptions", u, o)
			return Encode(Plan{Utterance: u}), nil
		},
		"SuggestFor": func(a, p string, n uint32) ([]Dict, *dbus.Error) {
			s.note("SuggestFor", a, p, n)
			return EncodeList([]Suggestion{{Text: p, Kind: "action", App: a, Group: "app", Detail: "ctrl+t"}}), nil
		},
		"CheckLaunch": func(argv []string) (Dict, *dbus.Error) {
			s.note("CheckLaunch", argv)
			return Encode(LaunchCheck{Found: true, Path: "/bin/foot", State: "not_executable"}), nil
		},
		"Reload":      func() *dbus.Error { s.note("Reload"); return nil },
		"Cancel":      func() (uint32, *dbus.Error) { s.note("Cancel"); return 3, nil },
		"ListApps":    func() ([]Dict, *dbus.Error) { s.note("ListApps"); return EncodeList([]App{{ID: "foot"}}), nil },
		"ListWindows": func() ([]Dict, *dbus.Error) { s.note("ListWindows"); return EncodeList([]Window{{ID: 7}}), nil },
		"Doctor":      func() ([]Dict, *dbus.Error) { s.note("Doctor"); return EncodeList([]Part{{Name: "keyboard"}}), nil },
	}
}

// Every call reaches the method of its name with its arguments.
func TestCalls(t *testing.T) {
	s := &stub{}
	address := privatebus.Start(t, nil)
	c := serve(t, address, s.methods())
	ctx, window := t.Context(), uint64(7)
	done := Reply{Outcome: "completed", Steps: []Step{{Action: "done"}}}
	reply := func(method string) Reply { r := done; r.Message = method; return r }
	for _, tt := range []struct {
		asked  string
		answer any
		call   func() (any, error)
	}{
		{"RunWithOptions[x map[dry_run:true timeout_ms:@u 5]]", reply("RunWithOptions"),
			func() (any, error) { return c.RunWithOptions(ctx, "x", RunOptions{DryRun: true, TimeoutMS: 5}) }},
		{"RunWithOptions[ü map[]]", reply("RunWithOptions"),
			func() (any, error) { return c.RunWithOptions(ctx, "ü", RunOptions{}) }},
		{"Confirm[token true]", reply("Confirm"), func() (any, error) { return c.Confirm(ctx, "token", true) }},
		{"Choose[token 2]", reply("Choose"), func() (any, error) { return c.Choose(ctx, "token", 2) }},
		{"PlanWithOptions[x map[window:@t 7]]", Plan{Utterance: "x"},
			func() (any, error) { return c.PlanWithOptions(ctx, "x", PlanOptions{Window: &window}) }},
		{"SuggestFor[foot op 9]", []Suggestion{{"op", "action", "foot", "app", "ctrl+t"}},
			func() (any, error) { return c.SuggestFor(ctx, "foot", "op", 9) }},
		{"CheckLaunch[[foot -e]]", LaunchCheck{true, false, "/bin/foot", "not_executable"},
			func() (any, error) { return c.CheckLaunch(ctx, []string{"foot", "-e"}) }},
		{"Reload[]", nil, func() (any, error) { return nil, c.Reload(ctx) }},
		{"Cancel[]", uint32(3), func() (any, error) { return c.Cancel(ctx) }},
		{"ListApps[]", []App{{ID: "foot", Aliases: []string{}, AppIDs: []string{}, Launch: []string{}}},
			func() (any, error) { return c.ListApps(ctx) }},
		{"ListWindows[]", []Window{{ID: 7}}, func() (any, error) { return c.ListWindows(ctx) }},
		{"Doctor[]", []Part{{Name: "keyboard"}}, func() (any, error) { return c.Doctor(ctx) }},
	} {
		answer, err := tt.call()
		asked := s.calls()
		if err != nil || !reflect.DeepEqual(answer, tt.answer) || !slices.Equal(asked, []string{tt.asked}) {
			t.Errorf("%q was asked, want %q; the answer is %+v, %v, want %+v", asked, tt.asked, answer, err, tt.answer)
		}
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
		_, err := c.Cancel(t.Context())
		if !errors.Is(err, ErrNoAgent) || errors.Is(err, ErrLost) {
			t.Errorf("%s: Cancel = %v, want ErrNoAgent", what, err)
		}
		if _, err := c.Status(t.Context()); !errors.Is(err, ErrNoAgent) {
			t.Errorf("%s: Status = %v, want ErrNoAgent", what, err)
		}
	}
}

// The agent's own errors keep their names.
func TestErrorsKeepTheirNames(t *testing.T) {
	address := privatebus.Start(t, nil)
	c := serve(t, address, map[string]any{
		"Confirm": func(name string, _ bool) (string, string, []Dict, *dbus.Error) {
			return "", "", nil, dbus.NewError(name, []any{"too late"})
		},
	})
	for _, name := range []string{ErrInvalidArgs, ErrNotFound, ErrExpired, ErrFailed} {
		_, err := c.Confirm(t.Context(), name, true)
		if !IsError(err, name) || IsError(err, name+"x") || errors.Is(err, ErrNoAgent) ||
			!strings.Contains(err.Error(), "too late") {
			t.Errorf("Confirm = %v, want %s", err, name)
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
		"Choose":          func(string, uint32) (string, *dbus.Error) { return "completed", nil },
		"Confirm":         func(string, bool) (string, string, string, *dbus.Error) { return "completed", "", "x", nil },
		"PlanWithOptions": func(string, Dict) (string, *dbus.Error) { return "x", nil },
		"ListApps":        func() ([]string, *dbus.Error) { return []string{"x"}, nil },
		"Cancel":          func() *dbus.Error { return nil },
	})
	for what, call := range map[string]func() error{
		"Choose":   func() error { _, err := c.Choose(t.Context(), "x", 0); return err },
		"Confirm":  func() error { _, err := c.Confirm(t.Context(), "x", true); return err },
		"Plan":     func() error { _, err := c.PlanWithOptions(t.Context(), "x", PlanOptions{}); return err },
		"ListApps": func() error { _, err := c.ListApps(t.Context()); return err },
		"Cancel":   func() error { _, err := c.Cancel(t.Context()); return err },
	} {
		if err := call(); err == nil || errors.Is(err, ErrLost) {
			t.Errorf("%s = %v", what, err)
		}
	}
}

// Where the agent or the bus goes away in the middle, nobody knows what it did.
func TestAnAgentThatGoesAwayDuringACall(t *testing.T) {
	address, end := privatebus.StartEnding(t, nil)
	agent := privatebus.Connect(t, address)
	leave := func() *dbus.Error { agent.Close(); return nil }
	if err := agent.ExportMethodTable(map[string]any{"Reload": leave}, Path, Interface); err != nil {
		t.Fatal(err)
	}
	privatebus.Own(t, agent, Agent)
	if err := dial(t, address).Reload(t.Context()); !errors.Is(err, ErrLost) || errors.Is(err, ErrNoAgent) {
		t.Errorf("the agent goes: Reload = %v, want ErrLost", err)
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
	for _, address := range []string{
		"", "autolaunch:", "unix:path=/nonexistent/bus", "nonsense", "unix:", "tcp:host=localhost",
	} {
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
	c := serve(t, address, map[string]any{
		"Confirm": func(k string, yes bool) (string, string, []Dict, *dbus.Error) {
			return s.reply("Confirm", k, yes)
		},
	})
	for _, text := range []string{"\xff", "a\x00b"} {
		if _, err := c.Confirm(t.Context(), text, true); err == nil || errors.Is(err, ErrLost) || errors.Is(err, ErrNoAgent) {
			t.Errorf("Confirm(%q) = %v", text, err)
		}
	}
	if _, err := c.Confirm(t.Context(), "fine", true); err != nil {
		t.Errorf("afterwards Confirm = %v", err)
	}
}
