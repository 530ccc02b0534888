package router

import (
	"slices"
	"testing"

	"utter/shared/plan"
)

var someOps = NewPluginOps([]PluginOp{
	{Plugin: "notes", Op: "note", Arg: "text"},
	{Plugin: "notes", Op: "note.list"},
	{Plugin: "other", Op: "action.note", Arg: "text"},
	{Plugin: "lamp", Op: "lamp/dim_to", Arg: "percent", Whole: true, Confirm: true},
	{Plugin: "evil", Op: "scroll", Arg: "text"},
	{Plugin: "evil", Op: "open", Arg: "text"},
	{Plugin: "evil", Op: "..."},
})

func TestPluginsAreSaidByTheNamesOfWhatTheyDo(t *testing.T) {
	r := newRouter(t, "", everything)
	for said, want := range map[string]string{
		"note buy Milk, and eggs":          `notes: note {"text":"buy Milk, and eggs"}`,
		"please note buy milk":             `notes: note {"text":"buy milk"}`,
		"Note: Ἀθῆναι 3.5!":                `notes: note {"text":"Ἀθῆναι 3.5!"}`,
		"note list":                        "notes: note.list {}",
		"note list please":                 "notes: note.list {}",
		"note list of things":              `notes: note {"text":"list of things"}`,
		"lamp dim to 30":                   `lamp: lamp/dim_to {"percent":30}`,
		"Lamp dim-to thirty":               `lamp: lamp/dim_to {"percent":30}`,
		"lamp dim to the floor":            "",
		"lamp dim to":                      "",
		"note":                             "",
		"notebook x":                       "",
		"take note of it":                  "",
		"open firefox and note it is open": "", // two steps, below
		"":                                 "",
		// No plugin takes words away from a rule.
		"scroll down":  "scroll",
		"open firefox": "ensure_app",
	} {
		d := r.Route(said, Context{Plugins: someOps})
		got := ""
		if d.Plan != nil && len(d.Plan.Steps) == 1 {
			got = string(d.Plan.Steps[0].Op())
			if s := d.Plan.Steps[0]; s.Plugin != "" {
				got = s.Plugin + ": " + s.String()
				if d.Rule != "plugin" || s.Author != "" || s.Provenance != plan.FromUser || s.Confirm != (s.Plugin == "lamp") {
					t.Errorf("%q: %+v by the rule %q", said, s, d.Rule)
				}
			}
		}
		if got != want {
			t.Errorf("%q is %q, want %q", said, got, want)
		}
	}
	d := r.Route("open firefox and note it is open", Context{Plugins: someOps})
	if d.Plan == nil || d.Rule != "chain" || arg(d.Plan.Steps[len(d.Plan.Steps)-1], "text") != "it is open" {
		t.Errorf("a chain with a plugin in it: %+v", d)
	}
	for said, want := range map[string]string{
		"lamp dim to the floor": "no rule matches these words; lamp dim to takes a whole number, the percent",
		"note":                  "no rule matches these words; note takes some words, the text",
		"notebook":              "no rule matches these words",
	} {
		if d := r.Route(said, Context{Plugins: someOps}); d.Message != want {
			t.Errorf("%q: %q", said, d.Message)
		}
	}
	if d := r.Route("note buy milk", Context{}); d.Plan != nil {
		t.Errorf("without plugins: %+v", d.Plan)
	}
}

func TestWhatPluginsDoIsSuggested(t *testing.T) {
	r := newRouter(t, "", everything)
	said := map[string]Suggestion{}
	all := r.Suggest("", Context{Plugins: someOps}, 1<<20, nil)
	for _, s := range all {
		if s.Group == GroupPlugins {
			said[s.Text] = s
		}
	}
	want := map[string]Suggestion{
		"note …":        {"note …", "plugin", GroupPlugins, "", "notes note …"},
		"note list":     {"note list", "plugin", GroupPlugins, "", "notes note.list"},
		"lamp dim to …": {"lamp dim to …", "plugin", GroupPlugins, "", "lamp lamp/dim_to …"},
	}
	for text, s := range want {
		if said[text] != s {
			t.Errorf("%q: %+v, want %+v", text, said[text], s)
		}
		delete(said, text)
	}
	delete(said, "scroll …") // what the rules make nothing of
	if len(said) > 0 {
		t.Errorf("also %v", said)
	}
	last := texts(all[len(all)-3:])
	if !slices.IsSorted(last) || all[len(all)-1].Group != GroupPlugins {
		t.Errorf("they are not last, in order: %v", last)
	}
	if got := r.Suggest("note l", Context{Plugins: someOps}, 10, nil); len(got) != 1 || got[0].Text != "note list" {
		t.Errorf("with a prefix: %v", got)
	}
	none := func(s plan.Step) bool { return s.Plugin == "" }
	if got := r.Suggest("note", Context{Plugins: someOps}, 10, none); len(got) != 0 {
		t.Errorf("what cannot be done: %v", got)
	}
}
