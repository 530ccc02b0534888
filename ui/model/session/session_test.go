package session_test

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"utter/shared/bus"
	"utter/shared/chord"
	"utter/shared/config"
	"utter/shared/profile"
	"utter/ui/model/cases"
	"utter/ui/model/session"
	"utter/ui/model/session/sessiontest"
)

// note is an application that is installed and that nobody wrote a profile of.
func note(d *sessiontest.Desk) { d.Install("note", "Note", "Categories=Utility;") }

func set(value, base any, path ...string) session.Set {
	return session.Set{Path: path, Value: value, Base: base}
}

func edit(app string, sets ...session.Set) session.Edit {
	return session.Edit{App: app, Kind: profile.Utility, Label: "label", Sets: sets}
}

// save saves and returns how it ended.
func save(t *testing.T, d *sessiontest.Desk, e session.Edit) error {
	t.Helper()
	err := errors.New("not ended")
	d.Session.Save(e, func(e error) { err = e })
	return err
}

func keys(t *testing.T, text ...string) chord.Sequence {
	t.Helper()
	var seq chord.Sequence
	for _, s := range text {
		c, err := chord.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		seq = append(seq, c)
	}
	return seq
}

// check compares the profile files with name and text by turns.
func check(t *testing.T, d *sessiontest.Desk, what string, want ...string) {
	t.Helper()
	files := map[string]string{}
	for i := 0; i < len(want); i += 2 {
		files[want[i]] = want[i+1]
	}
	if got := d.Files(); !maps.Equal(got, files) {
		t.Errorf("%s: the files are %q, want %q", what, got, files)
	}
}

const mine = "utility_note.yaml"

// TestChangesKeepTheirOrder, though all are asked for before the first is done:
// each sees what the one before it wrote.
func TestChangesKeepTheirOrder(t *testing.T) {
	d := sessiontest.New(t, note)
	d.Work.ByHand = true
	var order []string
	add := func(name string) {
		d.Session.Do(func() session.Edit {
			names := slices.Clone(d.InForce("note").Aliases)
			var base any
			if d.InForce("note").Layer == profile.User {
				base = names
			}
			return edit("note", set(append(names, name), base, "aliases"))
		}, func(err error) {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			order = append(order, name)
		})
	}
	add("one")
	add("two")
	d.Session.Undo()
	add("three")
	d.Session.WhenIdle(func() { order = append(order, "idle") })
	if !d.Session.Busy() || d.Session.CanUndo() != "" {
		t.Errorf("busy %v, undo %q", d.Session.Busy(), d.Session.CanUndo())
	}
	d.Work.Finish()
	if got := strings.Join(order, " "); got != "one two three idle" || d.Session.Busy() {
		t.Errorf("order %q, busy %v", got, d.Session.Busy())
	}
	check(t, d, "all done", mine, "id: note\naliases: [note, one, three]\n")
	if d.Tells != 4 {
		t.Errorf("the agent was told %d times", d.Tells)
	}
	d.Session.WhenIdle(func() { order = nil })
	if order != nil {
		t.Error("WhenIdle waited for nothing")
	}
}

// TestUndoTwiceAtOnce takes back two changes, not one twice.
func TestUndoTwiceAtOnce(t *testing.T) {
	d := sessiontest.New(t, note)
	save(t, d, edit("note", set("game", nil, "kind")))
	save(t, d, edit("note", set("office", "game", "kind")))
	d.Work.ByHand = true
	d.Session.Undo()
	d.Session.Undo()
	d.Session.Undo() // nothing is left
	d.Session.Redo()
	d.Work.Finish()
	check(t, d, "undone twice and done again", mine, "id: note\nkind: game\n")
	if d.Session.Conflict() != nil {
		t.Errorf("conflict %+v", d.Session.Conflict())
	}
}

func TestUnsubscribeWhileBeingTold(t *testing.T) {
	d := sessiontest.New(t, nil)
	var told []string
	var leaveFirst, leaveSecond func()
	leaveFirst = d.Session.Subscribe(func() {
		told = append(told, "first")
		leaveFirst()
		leaveSecond()
	})
	leaveSecond = d.Session.Subscribe(func() { told = append(told, "second") })
	d.Session.Subscribe(func() { told = append(told, "third") })
	d.Session.SetAgent(session.AgentState{})
	d.Session.SetAgent(session.AgentState{})
	if got := strings.Join(told, " "); got != "first third third" {
		t.Errorf("told %q", got)
	}
}

// TestTheMostUrgentBanner of several.
func TestTheMostUrgentBanner(t *testing.T) {
	d := sessiontest.New(t, note)
	banner := func(want session.BannerKind, title string) {
		t.Helper()
		if b := d.Session.Banner(); b.Kind != want || b.Title != title {
			t.Errorf("banner %+v, want %v %q", b, want, title)
		}
	}
	banner(session.NoBanner, "")
	d.Session.SetAgent(session.AgentState{})
	banner(session.AgentBanner, "The Utter agent is not running")
	d.Profile("a.yaml", "nonsense\n")
	d.Session.Reload()
	banner(session.ProblemBanner, "A file has an error")
	d.Profile("b.yaml", "nonsense\n")
	d.Session.Reload()
	banner(session.ProblemBanner, "2 files have errors")
	d.Full = syscall.ENOSPC
	d.Session.Save(edit("note", set("game", nil, "kind")), nil)
	banner(session.FailureBanner, "Your change could not be saved")
	d.Full = nil
	d.Profile(mine, "id: note\naliases: [theirs]\n")
	d.Session.Save(edit("note", set([]string{"mine"}, nil, "aliases")), nil)
	banner(session.ConflictBanner, "This was also changed outside this window")
}

// TestProblemsOfTwoReadersAreToldOnce though the agent, which has seen the file
// before it broke, says more.
func TestProblemsOfTwoReadersAreToldOnce(t *testing.T) {
	d := sessiontest.New(t, func(d *sessiontest.Desk) { d.Profile("a.yaml", "id: a\nkind: x\n") })
	ours := d.Session.Problems()
	if len(ours) != 1 || len(d.Session.Broken()) != 1 {
		t.Fatalf("problems %v", ours)
	}
	same := ours[0]
	same.Message += "; its last good version stays active"
	other := profile.Problem{Origin: profile.Origin{File: "config.toml"}, Severity: profile.Warning, Message: "other"}
	d.Session.SetAgent(session.AgentState{Running: true, Problems: []profile.Problem{same, other}})
	if got := d.Session.Problems(); len(got) != 2 || !got[1].Equal(other) || len(d.Session.Broken()) != 1 {
		t.Errorf("problems %v", got)
	}
	if !d.Session.AgentKnown() || d.Session.Agent().Problems[1].Message != "other" {
		t.Error("the agent is not known")
	}
}

// TestAddCase saves what "utter eval" needs, and what is the user's marked.
func TestAddCase(t *testing.T) {
	d := sessiontest.New(t, func(d *sessiontest.Desk) {
		note(d)
		d.Profile("x.yaml",
			"profiles:\n  note: {aliases: [jotter], shortcuts: {jump: f2}}\n  mine: {name: Mine}\n"+
				"  everywhere: {commands: {greet: f3}}\n")
		d.Config("[search]\nengine = 'youtube'\n")
	})
	file := filepath.Join(d.Dirs.Config, "utter", "tests.json")
	c := cases.Case{Utterance: "jump", Focused: &bus.ContextWindow{AppID: "note"}}
	d.Session.AddCase("saved", file, c)
	text := d.Read(file)
	for _, want := range []string{`"utterance": "jump"`, `"engine": "youtube"`, `"everywhere": {`,
		`"mine": {`, `"generic-browser": {`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in the file", want)
		}
	}
	own := text[strings.Index(text, `"note": {`):]
	own = own[strings.Index(own, `"own": {`):][:120]
	if !strings.Contains(own, "jotter") || !strings.Contains(own, `"jump": "f2"`) {
		t.Errorf("own is %s", own)
	}
	d.Session.Undo()
	if d.Read(file) != "-" || d.LastToast() != "Undone – saved" {
		t.Errorf("undone: %s, toast %q", d.Read(file), d.LastToast())
	}

	d.Put(file, "{}")
	d.Session.AddCase("saved", file, c)
	if f := d.Session.Failure(); f == nil || !errors.Is(f.Err(), cases.ErrOther) ||
		f.Text() != "jump\n" || d.Read(file) != "{}" {
		t.Errorf("another file: %+v, %s", f, d.Read(file))
	}
	d.Put(file, "-")
	d.Session.TryAgain(d.Session.Failure())
	if d.Read(file) != text {
		t.Errorf("tried again: %s", d.Read(file))
	}
	d.Config("nonsense")
	d.Session.AddCase("saved", file, c)
	if d.Session.Failure() == nil || d.Read(file) != text {
		t.Error("a case without its search engine was saved")
	}
}

func TestConfigure(t *testing.T) {
	d := sessiontest.New(t, func(d *sessiontest.Desk) { d.Config("# mine\n[search]\nengine = 'a' # b\n") })
	engine := func(name string) session.Setting {
		return session.Setting{Table: "search", Key: "engine", Label: "changed",
			Value: func(c config.Config) (any, bool) { return name, name != c.Search.Engine }}
	}
	var ended []error
	note := func(err error) { ended = append(ended, err) }
	d.Session.Configure(engine("a"), note)
	d.Session.Configure(engine("bing"), note)
	d.Session.Configure(engine(""), note) // refused by the file's reader
	if got := d.Read(d.Dirs.ConfigFile()); got != "# mine\n[search]\nengine = 'bing' # b\n" {
		t.Errorf("file %q", got)
	}
	f := d.Session.Failure()
	if len(ended) != 3 || ended[0] != nil || ended[1] != nil || !errors.Is(ended[2], config.ErrRefused) || f == nil ||
		f.Text() != "changed: none\n" {
		t.Errorf("ended %v, failure %+v", ended, f)
	}
	d.Session.Configure(engine("google"), note) // of the same value: the failure has been seen to
	if d.Session.Failure() != nil || len(d.Toasts) != 2 {
		t.Errorf("failure %v, toasts %v", d.Session.Failure(), d.Toasts)
	}
	d.Config("nonsense")
	d.Session.Configure(engine("x"), note)
	if !errors.Is(ended[4], config.ErrBroken) || d.Read(d.Dirs.ConfigFile()) != "nonsense" {
		t.Errorf("ended %v, file %q", ended, d.Read(d.Dirs.ConfigFile()))
	}
	d.Session.Dismiss(d.Session.Failure())
	d.Config("[search]\nengine = 'theirs'\n")
	d.Session.Undo()
	if c := d.Session.Conflict(); c == nil || c.File != d.Dirs.ConfigFile() || len(c.Rows) != 0 {
		t.Errorf("conflict %+v", c)
	}
	d.Session.KeepMine(d.Session.Conflict())
	if got := d.Read(d.Dirs.ConfigFile()); got != "# mine\n[search]\nengine = 'bing' # b\n" {
		t.Errorf("undone: %q", got)
	}
}
