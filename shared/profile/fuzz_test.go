package profile

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"utter/shared/chord"
)

// without returns what a file says but for one field of its profile i.
func without(t *testing.T, data []byte, i int, field string) []Patch {
	t.Helper()
	patches, err := says(data)
	if err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	for k := range patches {
		patches[k].Origin, patches[k].saysAt = Origin{}, nil
	}
	reflect.ValueOf(&patches[i]).Elem().FieldByName(field).SetZero()
	return patches
}

// A fuzzed is a change, the field that it may change, and what that becomes.
type fuzzed struct {
	change Change
	field  string
	is     func(Patch) bool
}

func fuzzChanges(s string) []fuzzed {
	seq := chord.Sequence{}
	if c, err := chord.Parse(s); err == nil {
		seq = append(seq, c)
	}
	texts := []string{s, "a", s}
	return []fuzzed{
		{change("name", s), "Name", func(p Patch) bool { return p.Name != nil && *p.Name == s }},
		{change("name", nil), "Name", func(p Patch) bool { return p.Name == nil }},
		{change("aliases", texts), "Aliases",
			func(p Patch) bool { return p.Aliases != nil && slices.Equal(*p.Aliases, texts) }},
		{change("aliases", nil), "Aliases", func(p Patch) bool { return p.Aliases == nil }},
		{change("shortcuts/a", nil), "Shortcuts", func(p Patch) bool { return p.Shortcuts["a"] == nil }},
		{Change{[]string{"shortcuts", s}, seq}, "Shortcuts", func(p Patch) bool {
			got, there := p.Shortcuts[s]
			return there && slices.Equal(got, seq)
		}},
	}
}

func FuzzEdit(f *testing.F) {
	for _, data := range []string{fox, "", "# a\n", "profiles:\n  firefox:\n    name: a\n  b: {}\n",
		"{id: firefox, shortcuts: {a: f5}}",
		"id: firefox\naliases:\n- a # b\n- 'c'\n", "id: firefox\r\nname: |\r\n  a\r\n",
		"\ufeff--- # a\nid: firefox\nname: a\n  b\n",
		"id: firefox\n? name\n: a\ncommands: &x {b: [f5,\n f6], # c\n}\n", "id: firefox\nx: y\u2028z: 1\nname: !!str\n  a"} {
		for what := range fuzzChanges("") {
			f.Add([]byte(data), uint8(what), "on")
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, what uint8, s string) {
		changes := fuzzChanges(s)
		tt := changes[int(what)%len(changes)]
		before, err := says(data)
		after, editErr := edited(data, "firefox", tt.change)
		if err != nil && editErr == nil {
			t.Fatalf("a broken file was edited: %q", data)
		}
		if editErr != nil || len(before) == 0 && tt.change.Value == nil {
			return
		}
		if len(before) == 0 {
			data, before = []byte("id: firefox\n"), []Patch{{ID: "firefox"}}
		}
		i := slices.IndexFunc(before, func(p Patch) bool { return p.ID == "firefox" })
		if i < 0 {
			i = slices.IndexFunc(before, func(p Patch) bool { return strings.EqualFold(p.ID, "firefox") })
		}
		if was, is := without(t, data, i, tt.field), without(t, after, i, tt.field); !reflect.DeepEqual(was, is) {
			t.Errorf("%v changes more:\n%q\n%q", tt.change, data, after)
		}
		if patches, _ := says(after); !tt.is(patches[i]) {
			t.Errorf("%v is not made:\n%q\n%q", tt.change, data, after)
		}
	})
}
