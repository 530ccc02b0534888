package e2e

import (
	"encoding/xml"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// found reports whether the answer of Plan is a plan.
func found(body []any) bool {
	plan, _ := body[0].(map[string]dbus.Variant)
	ok, _ := plan["found"].Value().(bool)
	return ok
}

// problems returns the agent's Problems as text.
func (s *Session) problems() string {
	s.t.Helper()
	v, err := s.conn.Object("org.utter.Agent", "/org/utter/Agent").GetProperty("org.utter.Agent.Problems")
	if err != nil {
		s.t.Fatal(err)
	}
	list, ok := v.Value().([]map[string]dbus.Variant)
	if !ok {
		s.t.Fatalf("Problems is of type %s", v.Signature())
	}
	return fmt.Sprint(plain(list))
}

// A busInterface is what introspection data tells of one interface.
type busInterface struct {
	Name    string `xml:"name,attr"`
	Methods []struct {
		Name string   `xml:"name,attr"`
		Args []busArg `xml:"arg"`
	} `xml:"method"`
	Signals []struct {
		Name string   `xml:"name,attr"`
		Args []busArg `xml:"arg"`
	} `xml:"signal"`
	Properties []struct {
		Name   string `xml:"name,attr"`
		Type   string `xml:"type,attr"`
		Access string `xml:"access,attr"`
	} `xml:"property"`
}

type busArg struct {
	Type      string `xml:"type,attr"`
	Direction string `xml:"direction,attr"`
}

// members writes an interface as sorted lines.
func (i busInterface) members() (lines []string) {
	for _, m := range i.Methods {
		in, out := "", ""
		for _, a := range m.Args {
			if a.Direction == "out" {
				out += a.Type
			} else {
				in += a.Type
			}
		}
		lines = append(lines, fmt.Sprintf("method %s(%s) %s", m.Name, in, out))
	}
	for _, m := range i.Signals {
		args := ""
		for _, a := range m.Args {
			args += a.Type
		}
		lines = append(lines, fmt.Sprintf("signal %s(%s)", m.Name, args))
	}
	for _, p := range i.Properties {
		lines = append(lines, fmt.Sprintf("property %s %s %s", p.Name, p.Type, p.Access))
	}
	slices.Sort(lines)
	return lines
}

func parseInterface(t *testing.T, data []byte) busInterface {
	t.Helper()
	var node struct {
		Interfaces []busInterface `xml:"interface"`
	}
	if err := xml.Unmarshal(data, &node); err != nil {
		t.Fatal(err)
	}
	for _, i := range node.Interfaces {
		if i.Name == "org.utter.Agent" {
			return i
		}
	}
	t.Fatal("no interface org.utter.Agent")
	return busInterface{}
}

// What the agent says it offers is what the contract promises.
func TestTheAgentOffersTheContract(t *testing.T) {
	contract, err := os.ReadFile("../../data/dbus/org.utter.Agent.xml")
	if err != nil {
		t.Fatal(err)
	}
	s := NewSession(t, Options{})
	s.startAgent()
	var offered string
	err = s.conn.Object("org.utter.Agent", "/org/utter/Agent").
		Call("org.freedesktop.DBus.Introspectable.Introspect", 0).Store(&offered)
	if err != nil {
		t.Fatal(err)
	}
	want, got := parseInterface(t, contract).members(), parseInterface(t, []byte(offered)).members()
	if !slices.Equal(got, want) {
		t.Errorf("offered:\n%s\ncontract:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A plan is told by its signals, in order.
func TestAPlanIsToldBySignals(t *testing.T) {
	s := NewSession(t, Options{})
	s.foot("bystander") // niri has a second workspace only beside a used one
	s.startAgent()
	if err := s.conn.AddMatchSignal(dbus.WithMatchInterface("org.utter.Agent")); err != nil {
		t.Fatal(err)
	}
	signals := make(chan *dbus.Signal, 32)
	s.conn.Signal(signals)
	defer s.conn.RemoveSignal(signals)
	s.MustRun("workspace 2")
	var names []string
	for len(names) == 0 || names[len(names)-1] != "PlanFinished" {
		select {
		case signal := <-signals:
			if name, ok := strings.CutPrefix(signal.Name, "org.utter.Agent."); ok {
				names = append(names, name)
			}
		case <-time.After(3 * time.Second):
			t.Fatalf("signals: %v, want PlanFinished at the end", names)
		}
	}
	if want := []string{"PlanStarted", "StepFinished", "PlanFinished"}; !slices.Equal(names, want) {
		t.Errorf("signals: %v, want %v", names, want)
	}
}

// Plan says what Run would do and does nothing.
func TestPlanAndDryRunDoNothing(t *testing.T) {
	s := NewSession(t, Options{})
	s.foot("bystander")
	before := s.places()
	call := s.Bus("Plan", "move window to workspace 2")
	if call.Err != nil || !found(call.Body) {
		t.Errorf("Plan: %v %v", call.Body, call.Err)
	}
	if a := s.cli("run", "--dry-run", "--json", "move window to workspace 2"); a.Exit != exitDone {
		t.Errorf("run --dry-run: exit status %d: %s", a.Exit, a.Stdout)
	}
	if a := s.cli("plan", "--json", "move window to workspace 2"); a.Exit != exitDone {
		t.Errorf("plan: exit status %d: %s", a.Exit, a.Stdout)
	}
	if got := s.places(); got != before {
		t.Errorf("windows moved: %s, before %s", got, before)
	}
}

// Wrong use of the CLI is told as such; parts that stand are told too.
func TestTheCLITellsUsageFromFailure(t *testing.T) {
	s := NewSession(t, Options{})
	s.needAgent()
	for _, args := range [][]string{{"run", "--no-such-flag", "x"}, {"run"}, {"cancel", "it"}} {
		if err := s.command("utter", args...).Run(); exitStatus(err) != exitUsage {
			t.Errorf("utter %v: %v, want exit status %d", args, err, exitUsage)
		}
	}
	if err := s.command("utter", "no-such-command").Run(); exitStatus(err) != exitNoSuch && exitStatus(err) != exitUsage {
		t.Errorf("utter no-such-command: %v", err)
	}
	if a := s.cli("doctor", "--json"); a.Exit != exitDone || !strings.Contains(a.Stdout, s.desktop.name()) {
		t.Errorf("doctor: exit status %d: %s", a.Exit, a.Stdout)
	}
	if a := s.cli("apps", "list", "--json"); a.Exit != exitDone || !strings.Contains(a.Stdout, "foot") {
		t.Errorf("apps: exit status %d: %s", a.Exit, a.Stdout)
	}
}

// Without a bus the agent is a missing part.
func TestTheCLIWithoutABusSaysThatAPartIsMissing(t *testing.T) {
	s := NewSession(t, Options{})
	s.env["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=" + s.file("nowhere")
	if a := s.cli("run", "--json", "workspace 2"); a.Exit != exitMissing {
		t.Errorf("exit status %d: %s", a.Exit, a.Stdout)
	}
}
