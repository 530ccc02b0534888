package service

import (
	"encoding/xml"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"utter/agent/internal/dialogue/dialoguetest"
	"utter/data"
	"utter/shared/bus"
	"utter/shared/op"
	"utter/shared/profile"
)

// A contract is what data/dbus/org.utter.Agent.xml says.
type contract struct {
	Name      string `xml:"name,attr"`
	Interface struct {
		Name       string     `xml:"name,attr"`
		Methods    []member   `xml:"method"`
		Signals    []member   `xml:"signal"`
		Properties []argument `xml:"property"`
	} `xml:"interface"`
}

type member struct {
	Name string     `xml:"name,attr"`
	Args []argument `xml:"arg"`
}

type argument struct {
	Name      string `xml:"name,attr"`
	Type      string `xml:"type,attr"`
	Direction string `xml:"direction,attr"`
	Access    string `xml:"access,attr"`
}

// signature joins the types of the arguments in a direction.
func (m member) signature(direction string) string {
	var b strings.Builder
	for _, a := range m.Args {
		if a.Direction == direction {
			b.WriteString(a.Type)
		}
	}
	return b.String()
}

func readContract(t *testing.T) contract {
	t.Helper()
	text, err := data.FS.ReadFile("dbus/org.utter.Agent.xml")
	if err != nil {
		t.Fatal(err)
	}
	var c contract
	if err := xml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	if c.Name != bus.Path || c.Interface.Name != bus.Interface || len(c.Interface.Methods) < 10 {
		t.Fatalf("contract %s of %s with %d methods", c.Interface.Name, c.Name, len(c.Interface.Methods))
	}
	return c
}

// TestMethodsAreThoseOfTheContract, name by name and type by type.
func TestMethodsAreThoseOfTheContract(t *testing.T) {
	want := map[string][2]string{}
	for _, m := range readContract(t).Interface.Methods {
		want[m.Name] = [2]string{m.signature("in"), m.signature("out")}
		for _, a := range m.Args {
			if a.Name == "" || a.Direction != "in" && a.Direction != "out" {
				t.Errorf("%s: argument %+v", m.Name, a)
			}
		}
	}
	failure := reflect.TypeFor[*dbus.Error]()
	for name, f := range (&Facade{}).methods() {
		typ := reflect.TypeOf(f)
		var in, out string
		for i := range typ.NumIn() {
			in += dbus.SignatureOfType(typ.In(i)).String()
		}
		last := typ.NumOut() - 1
		for i := range last {
			out += dbus.SignatureOfType(typ.Out(i)).String()
		}
		if typ.Out(last) != failure {
			t.Errorf("%s cannot fail", name)
		}
		if got, ok := want[name]; !ok || got != [2]string{in, out} {
			t.Errorf("%s takes %q and returns %q; the contract says %q", name, in, out, got)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("the contract has methods that are not exported: %v", want)
	}
}

// TestTheBusShowsTheContract: introspection, properties and signals as they are on
// a real bus.
func TestTheBusShowsTheContract(t *testing.T) {
	con := readContract(t)
	r := dialoguetest.New()
	at := profile.Origin{File: "a.yaml", Line: 3, Column: 5}
	r.SetLoad([]profile.Problem{{Origin: at, Severity: profile.Broken, Message: "m"}}, nil)
	a := r.Agent(t, dialoguetest.Handlers{op.Key{}.Op(): nil})
	c := serve(t, a)

	var text string
	if err := c.agent.Call("org.freedesktop.DBus.Introspectable.Introspect", 0).Store(&text); err != nil {
		t.Fatal(err)
	}
	if file, _ := data.FS.ReadFile("dbus/org.utter.Agent.xml"); text != string(file) {
		t.Error("Introspect is not the contract")
	}

	var properties map[string]dbus.Variant
	if err := c.agent.Call("org.freedesktop.DBus.Properties.GetAll", 0, bus.Interface).Store(&properties); err != nil {
		t.Fatal(err)
	}
	for _, p := range con.Interface.Properties {
		v, ok := properties[p.Name]
		if !ok || v.Signature().String() != p.Type || p.Access != "read" {
			t.Errorf("property %s is %v, the contract says %s", p.Name, v, p.Type)
		}
		if err := c.agent.SetProperty(bus.Interface+"."+p.Name, v); err == nil {
			t.Errorf("property %s can be set", p.Name)
		}
		delete(properties, p.Name)
	}
	if len(properties) > 0 {
		t.Errorf("properties that the contract lacks: %v", properties)
	}

	// Everything that makes a signal.
	for _, said := range []string{"press f5", "open chat", "log out"} {
		c.say(said, bus.RunOptions{})
	}
	r.SetLoad(nil, nil)
	if err := c.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, s := range c.until("ProfilesChanged") {
		if name, ok := strings.CutPrefix(s.Name, bus.Interface+"."); ok {
			seen[name] = ""
			if len(s.Body) > 0 {
				seen[name] = dbus.SignatureOf(s.Body...).String()
			}
		}
	}
	for _, s := range con.Interface.Signals {
		if got, ok := seen[s.Name]; !ok || got != s.signature("") {
			t.Errorf("signal %s carries %q, seen: %v; the contract says %q", s.Name, got, ok, s.signature(""))
		}
		delete(seen, s.Name)
	}
	if len(seen) > 0 {
		t.Errorf("signals that the contract lacks: %v", slices.Collect(maps.Keys(seen)))
	}
}

// TestProblemsCarryWhatTranslatesThem, where there is a code.
func TestProblemsCarryWhatTranslatesThem(t *testing.T) {
	at := profile.Origin{File: "a.yaml", Line: 3, Column: 5}
	for _, tt := range []struct {
		code string
		args []string
		want []string
	}{
		{"unknown_key", []string{"alias", "aliases"}, []string{"alias", "aliases"}},
		{"no_args", nil, []string{}},
		{"", nil, nil},
	} {
		p := problemOf(profile.Problem{Origin: at, Severity: profile.Broken, Message: "m", Code: tt.code, Args: tt.args})
		want := bus.Problem{File: "a.yaml", Line: 3, Column: 5, Severity: "error", Message: "m", Code: tt.code, Args: tt.want}
		if !reflect.DeepEqual(p, want) {
			t.Errorf("%q: %+v, want %+v", tt.code, p, want)
		}
	}
}
