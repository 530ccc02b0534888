package safety

import (
	"slices"
	"strings"
	"testing"

	"utter/shared/config"
	"utter/shared/op"
	"utter/shared/typing"
	"utter/ui/model/session"
	"utter/ui/model/session/sessiontest"
	"utter/ui/model/wording"
)

type page struct {
	*sessiontest.Desk
	*Model
	t     *testing.T
	shown State
}

// open shows a configuration file; "-" is none.
func open(t *testing.T, text string) *page {
	t.Helper()
	p := &page{t: t}
	p.Desk = sessiontest.New(t, func(d *sessiontest.Desk) {
		if text != "-" {
			d.Config(text)
		}
	})
	file := p.Dirs.ConfigFile()
	p.Model = New(p.Session, file, func() (config.Config, error) { return config.Load(file) }, isSite, p.Clock.Later,
		func(s State) { p.shown = s })
	p.shown = p.State()
	return p
}

func (p *page) file() string { return p.Read(p.Dirs.ConfigFile()) }

func (p *page) check(what, want string) {
	p.t.Helper()
	if got := p.file(); got != want {
		p.t.Errorf("%s: the file is\n%q, want\n%q", what, got, want)
	}
	if f := p.Session.Failure(); f != nil {
		p.t.Errorf("%s: %v", what, f.Err())
	}
}

const hand = `# mine
[agent]
type_with = 'keyboard'   # it works

[policy]
require_confirm = [
  "send",  # mail
  "pay",
] # ask
`

func TestOnlyAValueChanges(t *testing.T) {
	terminal, closing := Dangerous()[0], Asked()[0]
	tests := []struct {
		name, before string
		do           func(p *page)
		want, toast  string
	}{
		{"the first setting", "-", func(p *page) { p.Allow(terminal, true) },
			"[policy]\nenabled_ops = [\"terminal\"]\n", "Allowed: Run commands in a terminal"},
		{"comments stay", hand, func(p *page) { p.Allow(terminal, true) }, hand + "enabled_ops = [\"terminal\"]\n", ""},
		{"on and off", "-", func(p *page) { p.Ask(closing, true); p.Ask(closing, false) },
			"[policy]\nconfirm_ops = []\n", "No longer asks: Closing applications"},
		{"what is so already", "-", func(p *page) { p.Ask(closing, false); p.Allow(terminal, false); p.SetTypeWith("auto") },
			"-", ""},
		{"a way to type", hand, func(p *page) { p.SetTypeWith("clipboard") },
			strings.Replace(hand, "'keyboard'", "'clipboard'", 1), "Typing method changed"},
		{"the default is written as well", hand, func(p *page) { p.SetTypeWith("auto") },
			strings.Replace(hand, "'keyboard'", "'auto'", 1), ""},
		{"words", hand, func(p *page) { p.Edit("words", "send, buy ,,send"); p.Commit("words") },
			strings.Replace(hand, "  \"pay\",\n", "  \"buy\",\n", 1), "Words that need confirmation changed"},
		{"no words", hand, func(p *page) { p.Edit("words", ""); p.Commit("words") },
			"# mine\n[agent]\ntype_with = 'keyboard'   # it works\n\n[policy]\nrequire_confirm = [] # ask\n", ""},
		{"an engine", "-", func(p *page) { p.Edit("engine", " https://x.org/{q} "); p.Commit("engine") },
			"[search]\nengine = \"https://x.org/{q}\"\n", "Search engine changed"},
		{"the same words", hand, func(p *page) { p.Edit("words", "send,pay"); p.Commit("words") }, hand, ""},
	}
	for _, tt := range tests {
		p := open(t, tt.before)
		tt.do(p)
		p.check(tt.name, tt.want)
		if tt.toast != "" && p.LastToast() != tt.toast {
			t.Errorf("%s: toast %q", tt.name, p.LastToast())
		}
		if (tt.want != tt.before) != (p.Tells > 0) {
			t.Errorf("%s: the agent was told %d times", tt.name, p.Tells)
		}
		for p.Session.CanUndo() != "" {
			p.Session.Undo()
		}
		p.check(tt.name+", undone", tt.before)
	}
}

func TestWhatIsShown(t *testing.T) {
	p := open(t, hand+"confirm_ops = ['key']\nenabled_ops = ['terminal']\n")
	if s := p.shown; s.ReadOnly || s.Fault != "" || s.Detail != "" || !s.Allowed["terminal"] || !s.Asks["key"] ||
		s.Asks["niri"] || s.Words != "send, pay" ||
		s.TypeWith != "keyboard" || s.Engine != "google" || s.File != p.Dirs.ConfigFile() {
		t.Errorf("shown %+v", s)
	}
	p.Config("[search]\nengine = 'wikipedia'\n")
	p.Session.Reload() // an edit from outside
	if s := p.shown; s.Allowed["terminal"] || s.Engine != "wikipedia" || s.Words == "" {
		t.Errorf("shown %+v", s)
	}
}

// TestEveryOperationIsKnown to the agent, and every way to type.
func TestEveryOperationIsKnown(t *testing.T) {
	for _, o := range Dangerous() {
		if !op.Off(op.Name(o.Op)) || o.Title == "" || o.Subtitle == "" {
			t.Errorf("%+v is not dangerous", o)
		}
	}
	for _, spec := range op.Specs() {
		if spec.Off && !spec.Foreign() &&
			!slices.ContainsFunc(Dangerous(), func(o Operation) bool { return o.Op == string(spec.Name) }) {
			t.Errorf("%s is dangerous and cannot be allowed", spec.Name)
		}
	}
	for _, o := range Asked() {
		if !op.Known(op.Name(o.Op)) || o.Title == "" || o.Subtitle == "" {
			t.Errorf("%+v is unknown", o)
		}
	}
	if ways, labels := typing.Ways(), TypingLabels(); len(ways) != len(labels) {
		t.Errorf("%d ways, %d labels", len(ways), len(labels))
	}
}

// TestABrokenFileIsReadOnly: nothing is written, and no draft is lost.
func TestABrokenFileIsReadOnly(t *testing.T) {
	const broken = "[agent\n"
	p := open(t, "-")
	p.Edit("words", "buy")
	p.Config(broken)
	p.Session.Reload()
	if s := p.shown; !s.ReadOnly || s.Fault != wording.Error(config.ErrBroken) ||
		!strings.Contains(s.Detail, "config.toml:1:") || len(s.Allowed) != 0 {
		t.Errorf("shown %+v", s)
	}
	p.Allow(Dangerous()[0], true)
	p.SetTypeWith("clipboard")
	p.Edit("engine", "bing")
	p.Clock.Pass(session.SaveAfter)
	p.Flush()
	p.check("broken", broken)
	if p.shown.Words != "buy" || p.shown.Engine != "google" {
		t.Errorf("shown %+v", p.shown)
	}
	p.Config("")
	p.Session.Reload()
	p.Flush()
	p.check("mended", "[policy]\nrequire_confirm = [\"buy\"]\n")
}

// TestAFileThatBreaksWhileItIsWritten is refused by the session.
func TestAFileThatBreaksWhileItIsWritten(t *testing.T) {
	p := open(t, "-")
	p.Config("[agent\n")
	p.Allow(Dangerous()[0], true) // the page has not heard of it
	f := p.Session.Failure()
	if p.file() != "[agent\n" || f == nil {
		t.Errorf("file %q, failure %+v", p.file(), f)
	}
}

// TestTwoSwitchesAtOnce lose neither.
func TestTwoSwitchesAtOnce(t *testing.T) {
	p := open(t, "-")
	p.Work.ByHand = true
	p.Ask(Asked()[0], true)
	p.Ask(Asked()[1], true)
	p.Ask(Asked()[2], true)
	p.Ask(Asked()[0], false)
	p.Work.Finish()
	p.check("all", "[policy]\nconfirm_ops = [\"key\", \"type_text\"]\n")
}

// TestASaveIsNoOutsideEdit of the draft that goes on.
func TestASaveIsNoOutsideEdit(t *testing.T) {
	p := open(t, "-")
	p.Work.ByHand = true
	p.Edit("words", "a")
	p.Commit("words")
	p.Edit("words", "a, b")
	p.Commit("words")
	p.Work.Finish()
	p.check("both", "[policy]\nrequire_confirm = [\"a\", \"b\"]\n")
	if p.Session.Conflict() != nil || len(p.drafts) != 0 {
		t.Errorf("conflict %+v, drafts %v", p.Session.Conflict(), p.drafts)
	}
}

// TestTheFileIsReadOnlyWhereItChanged, and never because the agent came or went.
func TestTheFileIsReadOnlyWhereItChanged(t *testing.T) {
	reads := 0
	d := sessiontest.New(t, nil)
	file := d.Dirs.ConfigFile()
	var shown State
	m := New(d.Session, file, func() (config.Config, error) { reads++; return config.Load(file) }, isSite, d.Clock.Later,
		func(s State) { shown = s })
	d.Session.Reload() // nobody has looked before
	reads = 0
	d.Session.SetAgent(session.AgentState{Running: true})
	d.Session.Reload()
	if reads != 0 {
		t.Errorf("read %d times", reads)
	}
	d.Config("[search]\nengine = 'wikipedia'\n")
	d.Work.ByHand = true
	d.Session.Reload()
	if reads != 0 {
		t.Error("read on the main loop")
	}
	d.Work.Finish()
	if reads != 1 || shown.Engine != "wikipedia" || m.State().Engine != "wikipedia" {
		t.Errorf("read %d times; shown %+v", reads, shown)
	}
}
