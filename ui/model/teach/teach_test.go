package teach

import (
	"slices"
	"strings"
	"testing"

	"utter/shared/chord"
	"utter/shared/phrases"
	"utter/shared/profile"
	"utter/ui/model/editor"
	"utter/ui/model/session/sessiontest"
)

// A dialog is open over a computer with Firefox, Note and Pad, which has an
// action that is called like a key.
type dialog struct {
	*sessiontest.Desk
	*Model
	t     *testing.T
	shown State
}

type silent struct{}

func (silent) CheckLaunch([]string, func(editor.LaunchState)) {}
func (silent) TryPhrase(string, string, func(line string))    {}

func open(t *testing.T, said, app string) *dialog {
	t.Helper()
	d := &dialog{t: t}
	d.Desk = sessiontest.New(t, func(d *sessiontest.Desk) {
		d.Install("firefox", "Firefox", "Categories=WebBrowser;")
		d.Install("note", "Note", "Categories=Utility;")
		d.Install("pad", "Pad", "Categories=Utility;")
		d.Profile("x.yaml", "id: pad\nshortcuts: {delete: f2, jump_up: f3}\n")
	})
	words, err := phrases.English()
	if err != nil {
		t.Fatal(err)
	}
	parts := editor.Parts{Session: d.Session, Agent: silent{}, Words: words, Later: d.Clock.Later}
	d.Model = New(said, app, parts, func(s State) { d.shown = s })
	d.shown = d.State()
	return d
}

// choose chooses by what is shown.
func (d *dialog) app(label string) {
	d.t.Helper()
	d.SetApp(index(d.t, d.shown.Apps, label))
}

func (d *dialog) action(label string) {
	d.t.Helper()
	d.SetAction(index(d.t, d.shown.Actions, label))
}

func index(t *testing.T, choices []Choice, label string) int {
	t.Helper()
	i := slices.IndexFunc(choices, func(c Choice) bool { return c.Label == label })
	if i < 0 {
		t.Fatalf("there is no %q in %v", label, choices)
	}
	return i
}

func keys(t *testing.T, text string) chord.Sequence {
	t.Helper()
	c, err := chord.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return chord.Sequence{c}
}

func TestWhatIsTaught(t *testing.T) {
	const pad = "id: pad\nshortcuts: {delete: f2, jump_up: f3}\n"
	tests := []struct {
		name, said, app string
		do              func(d *dialog)
		note            string
		file, want      string
		toast           string
	}{
		{"a name", "Open Surfer!", "", func(d *dialog) { d.app("Firefox") }, "“open surfer” will open Firefox",
			"browser_firefox.yaml", "id: firefox\naliases: [firefox, mozilla firefox, surfer]\n",
			"“surfer” is now a name of Firefox"},
		{"a name that is written otherwise", "launch surfer",
			"", func(d *dialog) { d.app("Note"); d.SetPhrase("My Jotter") }, "“open my jotter” will open Note",
			"utility_note.yaml", "id: note\naliases: [note, my jotter]\n", ""},
		{"a name that another application has", "start pad", "note", func(d *dialog) {},
			"“open pad” will open Note\n“pad” is also a name of Pad",
			"utility_note.yaml", "id: note\naliases: [note, pad]\n", ""},
		{"an action", "leap", "pad", func(d *dialog) { d.action("jump up") }, "Pad: “leap” will mean “jump up”",
			"x.yaml", pad + "commands:\n  leap: jump_up\n", "Pad: “leap” now also means “jump up”"},
		{"an action that is called like a key", "wipe", "pad", func(d *dialog) { d.action("delete") },
			"Pad: “wipe” will mean “delete”",
			"x.yaml", pad + "commands:\n  wipe: {action: delete}\n", ""},
		{"keys", "wipe", "pad", func(d *dialog) { d.SetMeaning(Presses); d.SetKeys(keys(t, "f5")) },
			"Pad: “wipe” will press the keys",
			"x.yaml", pad + "commands:\n  wipe: f5\n", "Pad: keys of “wipe” changed"},
		{"everywhere", "wipe", "", func(d *dialog) { d.app("Everywhere"); d.SetMeaning(Presses); d.SetKeys(keys(t, "f5")) },
			"Everywhere: “wipe” will press the keys",
			"other_everywhere.yaml", "id: everywhere\ncommands:\n  wipe: f5\n", "Everywhere: keys of “wipe” changed"},
		{"in all of a kind", "wipe", "", func(d *dialog) { d.app("All Browsers"); d.SetMeaning(Acts); d.action("reload") },
			"All Browsers: “wipe” will mean “reload”",
			"browser_generic-browser.yaml", "id: generic-browser\ncommands:\n  wipe: reload\n", ""},
	}
	for _, tt := range tests {
		d := open(t, tt.said, tt.app)
		tt.do(d)
		if d.State().Note != tt.note || !d.State().CanTeach {
			t.Errorf("%s: %q, %v; want %q", tt.name, d.State().Note, d.State().CanTeach, tt.note)
		}
		d.Teach()
		if got := d.Read(d.Path(tt.file)); got != tt.want || d.Session.Failure() != nil {
			t.Errorf("%s: %q, want %q; files %q", tt.name, got, tt.want, d.Files())
		}
		if tt.toast != "" && d.LastToast() != tt.toast {
			t.Errorf("%s: toast %q", tt.name, d.LastToast())
		}
	}
}

func TestWhatCannotBeTaught(t *testing.T) {
	tests := []struct {
		name string
		do   func(d *dialog)
		note string
	}{
		{"no phrase", func(d *dialog) { d.SetPhrase(" ! ") }, "Enter a phrase"},
		{"a name of many", func(d *dialog) { d.app("Everywhere") },
			"Choose a single application: a name belongs to only one"},
		{"no action", func(d *dialog) { d.app("Note"); d.SetMeaning(Acts) }, "Note has no actions yet"},
		{"no keys", func(d *dialog) { d.SetMeaning(Presses) }, "Choose the keys"},
	}
	for _, tt := range tests {
		d := open(t, "open surfer", "")
		before := d.Files()
		tt.do(d)
		if d.shown.Note != tt.note || d.shown.CanTeach {
			t.Errorf("%s: %q, %v", tt.name, d.shown.Note, d.shown.CanTeach)
		}
		d.Teach()
		if got := d.Files(); len(got) != len(before) || len(d.Toasts) != 0 {
			t.Errorf("%s: files %q", tt.name, got)
		}
	}
}

func TestHowTheDialogBegins(t *testing.T) {
	tests := []struct {
		said, app, phrase, choice string
		meaning                   Meaning
	}{
		{"open surfer", "pad", "surfer", "Pad", Opens},
		{"open surfer", "", "surfer", "Firefox", Opens}, // the first that can have a name
		{"jump higher", "pad", "jump higher", "Pad", Acts},
		{"jump higher", "", "jump higher", "Firefox", Opens},
		{"jump higher", "unknown", "jump higher", "Firefox", Opens},
		{"open", "pad", "open", "Pad", Acts},
		{"", "", "", "Firefox", Opens},
	}
	for _, tt := range tests {
		d := open(t, tt.said, tt.app)
		if s := d.shown; s.Phrase != tt.phrase || s.Apps[s.App].Label != tt.choice || s.Meaning != tt.meaning {
			t.Errorf("%q in %q: %q, %s, %v", tt.said, tt.app, s.Phrase, s.Apps[s.App].Label, s.Meaning)
		}
	}
}

// TestThePhraseFollowsTheMeaning until the user writes another.
func TestThePhraseFollowsTheMeaning(t *testing.T) {
	d := open(t, "open surfer", "pad")
	d.SetMeaning(Acts)
	if d.shown.Phrase != "open surfer" {
		t.Errorf("an action: %q", d.shown.Phrase)
	}
	d.SetMeaning(Opens)
	if d.shown.Phrase != "surfer" {
		t.Errorf("a name: %q", d.shown.Phrase)
	}
	d.SetPhrase("My Own")
	d.SetMeaning(Acts)
	d.SetMeaning(Acts)
	if d.shown.Phrase != "my own" {
		t.Errorf("one's own: %q", d.shown.Phrase)
	}
}

func TestChoices(t *testing.T) {
	d := open(t, "x", "pad")
	var labels []string
	for _, c := range d.shown.Apps {
		labels = append(labels, c.Label)
	}
	if got := strings.Join(labels, ", "); got != "Everywhere, All Browsers, All Utilities, Firefox, Note, Pad" {
		t.Errorf("applications %s", got)
	}
	if !slices.Equal(d.shown.Actions, []Choice{{"delete", "delete"}, {"jump_up", "jump up"}}) {
		t.Errorf("actions %v", d.shown.Actions)
	}
	d.SetAction(1)
	d.SetAction(7)
	d.SetApp(-1)
	if d.shown.Action != 1 || d.shown.Apps[d.shown.App].Label != "Pad" {
		t.Errorf("shown %+v", d.shown)
	}
	d.app("Firefox")
	if d.shown.Action != 0 || len(d.shown.Actions) < 10 {
		t.Errorf("another application's actions: %+v", d.shown)
	}
	d.SetKeys(keys(t, "ctrl+k"))
	if !slices.Equal(d.shown.Keys, []string{"ctrl+k"}) {
		t.Errorf("keys %q", d.shown.Keys)
	}
	if d.InForce("pad").Kind != profile.Utility {
		t.Error("the test's own file is not read")
	}
}
