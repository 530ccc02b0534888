package router

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// moments are contexts in which every family can be told something.
func moments() []Context {
	window := func(id uint64, app string) Window { return Window{ID: id, AppID: app} }
	firefox, foot, player := window(1, "firefox"), window(2, "foot"), window(3, "spotify")
	all := []Window{firefox, foot, player}
	ops := NewPluginOps([]PluginOp{
		{Plugin: "notes", Op: "note", Arg: "text"}, {Plugin: "notes", Op: "turn", Arg: "by", Whole: true},
	})
	return []Context{
		{Focused: &firefox, Windows: all, Plugins: ops}, {Focused: &foot, Windows: all, Plugins: ops}, {Windows: all},
	}
}

// listed returns what each family lists in a moment, by its name.
func listed(r *Router, ctx Context) map[string][]phrase {
	all := map[string][]phrase{}
	near, ofPlugins := r.sayNow(ctx)
	for _, p := range slices.Concat(near, ofPlugins, r.always()) {
		all[p.family.name] = append(all[p.family.name], p)
	}
	return all
}

// TestEveryFamilyListsWhatItCanBeTold: what it lists comes to it, or to a family
// before it that lists the same, and each family has something that comes to it.
func TestEveryFamilyListsWhatItCanBeTold(t *testing.T) {
	r := newRouter(t, "testdata/taught.yaml", append([]string{"codex"}, everything...))
	reached := map[string]bool{}
	for _, ctx := range moments() {
		lists := listed(r, ctx)
		for name, all := range lists {
			for _, p := range all {
				d := r.Route(p.said, ctx)
				reached[name] = reached[name] || d.Rule == name
				if d.Plan == nil || d.Rule == name {
					continue
				}
				same := func(other phrase) bool { return other.text == p.text }
				if p.said == p.text && !slices.ContainsFunc(lists[d.Rule], same) {
					t.Errorf("%s lists %q, which comes to %s; that does not list it", name, p.said, d.Rule)
				}
			}
		}
	}
	for _, f := range families {
		if !reached[f.name] {
			t.Errorf("%s lists nothing that comes to it", f.name)
		}
		if f.kind == "" || f.group == "" || f.always == nil && f.now == nil {
			t.Errorf("%+v lacks something", f)
		}
	}
}

// TestEveryVerbIsListed by the family that it opens, with a plan behind it.
func TestEveryVerbIsListed(t *testing.T) {
	r := newRouter(t, "", append([]string{"codex"}, everything...))
	verbs := reflect.ValueOf(r.words.Verbs)
	for i := range verbs.NumField() {
		name := strings.ToLower(verbs.Type().Field(i).Name)
		if !slices.ContainsFunc(families, func(f family) bool { return f.name == name }) {
			t.Errorf("there are verbs for %q, which is not a family", name)
		}
		lists := verbsIn(verbs.Field(i))
		if len(lists) == 0 {
			t.Errorf("%s has no verbs", name)
		}
		for _, verb := range lists {
			if !listsVerb(r, name, verb) {
				t.Errorf("%s can be told %q and does not list it", name, verb)
			}
		}
	}
}

// verbsIn returns the verbs of a field of phrases.Verbs: a list, or a struct of
// lists.
func verbsIn(v reflect.Value) (all []string) {
	if v.Kind() == reflect.Slice {
		return v.Interface().([]string)
	}
	for i := range v.NumField() {
		all = append(all, v.Field(i).Interface().([]string)...)
	}
	return all
}

func listsVerb(r *Router, family, verb string) bool {
	for _, ctx := range moments() {
		for _, p := range listed(r, ctx)[family] {
			if strings.Contains(" "+p.said, " "+verb+" ") && r.Route(p.said, ctx).Rule == family {
				return true
			}
		}
	}
	return false
}

// TestNoWordIsMissing: a list of words that is empty says nothing.
func TestNoWordIsMissing(t *testing.T) {
	r := newRouter(t, "", nil)
	words := reflect.ValueOf(r.words.Words)
	for i := range words.NumField() {
		if words.Field(i).Len() == 0 {
			t.Errorf("the language has no words for %s", words.Type().Field(i).Name)
		}
	}
}
