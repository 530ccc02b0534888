package bus

import (
	"encoding/xml"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"utter/data"
)

// A contract is what data/dbus/org.utter.Agent.xml says.
type contract struct {
	Comments  []string
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

// args returns the arguments of a direction.
func (m member) args(direction string) []argument {
	return slices.DeleteFunc(slices.Clone(m.Args), func(a argument) bool { return a.Direction != direction })
}

type argument struct {
	Name       string `xml:"name,attr"`
	Type       string `xml:"type,attr"`
	Direction  string `xml:"direction,attr"`
	Annotation struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	} `xml:"annotation"`
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
	if c.Name != Path || c.Interface.Name != Interface || len(c.Interface.Methods) < 10 {
		t.Fatalf("contract %s of %s with %d methods", c.Interface.Name, c.Name, len(c.Interface.Methods))
	}
	for _, comment := range regexp.MustCompile(`(?s)<!--.*?-->`).FindAllString(string(text), -1) {
		c.Comments = append(c.Comments, strings.TrimSuffix(comment, " -->"))
	}
	return c
}

var (
	heading = regexp.MustCompile(`^( +)dictionary (\w+): .+$`)
	keyLine = regexp.MustCompile(`^(\w+)(\??) ([a-z{}]+)(?: +(\S.*))?$`)
)

// dictionaries reads the descriptions of dictionaries: a heading, then a line a
// key, indented by two more spaces; what is indented further continues it. Each
// key is written as "name type", "name? type" if it may be absent, and "name type
// Dictionary" if dictionaries are in it.
func (c contract) dictionaries(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, comment := range c.Comments {
		name, indent := "", ""
		for line := range strings.Lines(comment) {
			line = strings.TrimRight(line, "\n")
			if m := heading.FindStringSubmatch(line); m != nil {
				indent, name = m[1]+"  ", m[2]
				all[name] = nil
				continue
			}
			key, ok := strings.CutPrefix(line, indent)
			if name == "" || !ok || line == "" {
				name = ""
				continue
			}
			if strings.HasPrefix(key, " ") {
				continue
			}
			m := keyLine.FindStringSubmatch(key)
			if m == nil {
				t.Fatalf("dictionary %s: no key is written as %q", name, line)
			}
			entry := m[1] + m[2] + " " + m[3]
			if of := regexp.MustCompile(`\bas ([A-Z]\w+)`).FindStringSubmatch(m[4]); of != nil {
				entry += " " + of[1]
			}
			all[name] = append(all[name], entry)
		}
	}
	return all
}

// dictionaryOf returns the dictionary that a Go type is, or is a list of.
func dictionaryOf(t reflect.Type) string {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		return t.Name()
	}
	return ""
}

// keysOf writes the keys of a struct as dictionaries does, and those of the
// structs in it.
func keysOf(t reflect.Type, into map[string][]string) {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if _, done := into[t.Name()]; done || t.Kind() != reflect.Struct {
		return
	}
	into[t.Name()] = nil
	for i, f := range fieldsOf(t) {
		entry := f.key
		if f.optional {
			entry += "?"
		}
		entry += " " + f.signature.String()
		if of := dictionaryOf(t.Field(i).Type); of != "" {
			entry += " " + of
		}
		into[t.Name()] = append(into[t.Name()], entry)
		keysOf(t.Field(i).Type, into)
	}
}

// fits reports whether a Go type is what an argument is.
func (a argument) fits(t reflect.Type) bool {
	dictionary := ""
	if a.Annotation.Name == "org.utter.Dictionary" {
		dictionary = a.Annotation.Value
	}
	return codecOf(t).signature.String() == a.Type && dictionaryOf(t) == dictionary
}

// values lists the types of the values of a Reply or a signal, else t alone.
func values(t reflect.Type) []reflect.Type {
	if t != reflect.TypeFor[Reply]() && !t.Implements(reflect.TypeFor[Event]()) {
		return []reflect.Type{t}
	}
	var all []reflect.Type
	for i := range t.NumField() {
		all = append(all, t.Field(i).Type)
	}
	return all
}

func compare(t *testing.T, what string, args []argument, types []reflect.Type) {
	t.Helper()
	if !slices.EqualFunc(args, types, argument.fits) {
		t.Errorf("%s: the contract has %+v, Go has %v", what, args, types)
	}
}

// uncalled are the methods that the client does not call: it uses those with
// options, of which these are the short forms.
var uncalled = []string{"Run", "Plan", "Suggest", "Ping"}

// The methods of the client, the signals and the properties are those of the
// contract: name by name and type by type.
func TestTheClientFitsTheContract(t *testing.T) {
	c := readContract(t)
	client := reflect.TypeFor[*Client]()
	for _, m := range c.Interface.Methods {
		f, ok := client.MethodByName(m.Name)
		if ok == slices.Contains(uncalled, m.Name) {
			t.Errorf("%s: the client calls it: %t", m.Name, ok)
		}
		if !ok {
			continue
		}
		var in, out []reflect.Type
		for i := 2; i < f.Type.NumIn(); i++ { // behind the client and the context
			in = append(in, f.Type.In(i))
		}
		for i := range f.Type.NumOut() - 1 { // before the error
			out = append(out, values(f.Type.Out(i))...)
		}
		compare(t, m.Name+" takes", m.args("in"), in)
		compare(t, m.Name+" answers", m.args("out"), out)
	}
	known := maps.Clone(signalTypes)
	for _, s := range c.Interface.Signals {
		e, ok := known[Interface+"."+s.Name]
		if !ok {
			t.Errorf("no event is the signal %s", s.Name)
			continue
		}
		compare(t, s.Name, s.Args, values(e))
		for i, f := range fieldsOf(e) {
			if f.key != s.Args[i].Name {
				t.Errorf("%s: %s is called %s", s.Name, s.Args[i].Name, f.key)
			}
		}
		delete(known, Interface+"."+s.Name)
	}
	if len(known) > 0 {
		t.Errorf("signals that the contract lacks: %v", known)
	}
	properties := map[string]argument{}
	for _, p := range c.Interface.Properties {
		properties[p.Name] = p
	}
	status := reflect.TypeFor[Status]()
	for i, f := range fieldsOf(status) {
		compare(t, f.key, []argument{properties[f.key]}, []reflect.Type{status.Field(i).Type})
	}
	if len(properties) != status.NumField() {
		t.Errorf("%d properties, Status has %d fields", len(properties), status.NumField())
	}
}

// The dictionaries that the contract describes are the structs, key by key, and
// no others.
func TestTheDictionariesAreThoseOfTheContract(t *testing.T) {
	c := readContract(t)
	described := c.dictionaries(t)
	structs := map[string][]string{}
	client := reflect.TypeFor[*Client]()
	reach := func(types []reflect.Type) {
		for _, of := range types {
			keysOf(of, structs)
		}
	}
	for _, m := range c.Interface.Methods {
		if f, ok := client.MethodByName(m.Name); ok {
			for i := 2; i < f.Type.NumIn(); i++ {
				reach(values(f.Type.In(i)))
			}
			for i := range f.Type.NumOut() - 1 {
				reach(values(f.Type.Out(i)))
			}
		}
	}
	for _, e := range signalTypes {
		reach(values(e))
	}
	reach([]reflect.Type{reflect.TypeFor[Status]()})
	delete(structs, "Status") // it is the properties
	for name := range structs {
		slices.Sort(structs[name])
		slices.Sort(described[name])
		if !slices.Equal(structs[name], described[name]) {
			t.Errorf("%s has the keys\n%q\nthe contract describes\n%q", name, structs[name], described[name])
		}
		delete(described, name)
	}
	if len(structs) < 10 || len(described) > 0 {
		t.Errorf("%d structs; the contract describes others too: %v", len(structs), described)
	}
	for _, m := range slices.Concat(c.Interface.Methods, c.Interface.Signals) {
		for _, a := range m.Args {
			if of := a.Annotation.Value; of != "" && structs[of] == nil {
				t.Errorf("%s: %s is a dictionary %s that does not exist", m.Name, a.Name, of)
			}
		}
	}
}
