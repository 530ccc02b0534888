package safety

import (
	"slices"
	"syscall"
	"testing"

	"utter/ui/model/session"
	"utter/ui/model/wording"
)

func TestDrafts(t *testing.T) {
	p := open(t, "-")
	p.Edit("engine", "bi")
	p.Clock.Pass(session.SaveAfter - 1)
	p.Edit("engine", "bing")
	p.Clock.Pass(session.SaveAfter - 1)
	p.check("not yet", "-")
	p.Clock.Pass(1)
	p.check("saved", "[search]\nengine = \"bing\"\n")

	p.Edit("engine", " ")
	p.Clock.Pass(session.SaveAfter)
	p.Flush()
	p.check("invalid", "[search]\nengine = \"bing\"\n")
	if p.shown.Error == "" || p.shown.Engine != " " {
		t.Errorf("shown %+v", p.shown)
	}
	p.Edit("engine", "bing")
	p.Flush()
	if p.shown.Error != "" || p.Clock.Waiting() != 0 || len(p.Toasts) != 1 {
		t.Errorf("shown %+v; %d things wait; toasts %v", p.shown, p.Clock.Waiting(), p.Toasts)
	}
	p.Edit("engine", "bing") // the page itself
	if p.Clock.Waiting() != 0 {
		t.Error("filling the page is a draft")
	}
}

// TestTypingOnDuringASave loses nothing and shows nothing old.
func TestTypingOnDuringASave(t *testing.T) {
	p := open(t, "-")
	p.Work.ByHand = true
	p.Edit("engine", "bing")
	p.Commit("engine")
	p.Commit("engine") // once is enough
	p.Work.Step()
	p.Edit("engine", "bingo")
	p.Session.SetAgent(session.AgentState{})
	for p.Work.Waiting() > 0 {
		p.Work.Step()
		p.Session.SetAgent(session.AgentState{})
		if p.shown.Engine != "bingo" {
			t.Fatalf("shown %q", p.shown.Engine)
		}
	}
	p.Work.ByHand = false
	p.Clock.Pass(session.SaveAfter)
	p.check("saved", "[search]\nengine = \"bingo\"\n")
}

func TestADraftThatFailed(t *testing.T) {
	p := open(t, "-")
	p.Full = syscall.ENOSPC
	p.Edit("words", "a, b")
	p.Commit("words")
	p.Flush() // does not try it again
	f := p.Session.Failure()
	if f == nil || p.Writes != 1 || f.Text() != "Words that need confirmation changed: a, b\n" || p.shown.Words != "a, b" {
		t.Fatalf("failure %+v, shown %+v", f, p.shown)
	}
	p.Full = nil
	p.Session.TryAgain(p.Session.Failure())
	p.check("tried again", "[policy]\nrequire_confirm = [\"a\", \"b\"]\n")

	p.Full = syscall.ENOSPC
	p.Edit("words", "c")
	p.Commit("words")
	p.Session.Dismiss(p.Session.Failure())
	if p.shown.Words != "a, b" || p.Session.Failure() != nil {
		t.Errorf("given up: %+v", p.shown)
	}
}

// isSite knows the sites that these tests name.
func isSite(name string) bool {
	return slices.Contains([]string{"google", "wikipedia", "bi", "bing", "bingo"}, name)
}

func TestAnEngineMustBeOneThatCanBeSearched(t *testing.T) {
	p := open(t, "-")
	for text, ok := range map[string]bool{
		"bing": true, "https://x.org/?q={q}": true, "nonsense": false, "https://x.org/": false, "": false, "x.org/{q}": false,
	} {
		p.Edit("engine", text)
		if (p.shown.Error == "") != ok {
			t.Errorf("%q: %q", text, p.shown.Error)
		}
	}
}

// TestAnOutsideEditOfADraftIsAsked, in rows, and one of another key is not.
func TestAnOutsideEditOfADraftIsAsked(t *testing.T) {
	tests := []struct {
		field, text, outside string
		answer               string // "" for no question
		row, want            string
	}{
		{"engine", "bing", "[search]\nengine = 'bi'\n", "mine", "Search engine: bing / bi", "[search]\nengine = 'bing'\n"},
		{"engine", "bing", "[search]\nengine = 'bi'\n", "theirs", "Search engine: bing / bi", "[search]\nengine = 'bi'\n"},
		{"engine", "bing", "[search]\nengine = 'bing'\n", "", "", "[search]\nengine = 'bing'\n"},
		{"engine", "bing", "# hello\n[agent]\n", "", "", "# hello\n[agent]\n\n[search]\nengine = \"bing\"\n"},
		{"words", "buy, send", "[policy]\nrequire_confirm = ['pay']\n", "mine",
			"Words that need confirmation: buy, send / pay", "[policy]\nrequire_confirm = ['buy', 'send']\n"},
		{"words", "buy, send", "[policy]\nrequire_confirm = ['pay']\n", "theirs",
			"Words that need confirmation: buy, send / pay", "[policy]\nrequire_confirm = ['pay']\n"},
	}
	for _, tt := range tests {
		for _, heard := range []bool{false, true} {
			p := open(t, "-")
			p.Edit(tt.field, tt.text)
			p.Config(tt.outside)
			if heard {
				p.Session.Reload()
			}
			p.Commit(tt.field)
			c := p.Session.Conflict()
			if (c != nil) != (tt.answer != "") {
				t.Fatalf("%s over %q: conflict %+v", tt.text, tt.outside, c)
			}
			if c != nil {
				r := c.Rows[0]
				if got := wording.Path(r.Path) + ": " + wording.Value(r.Yours) + " / " + wording.Value(r.Theirs); got != tt.row ||
					len(c.Rows) != 1 || p.file() != tt.outside {
					t.Errorf("rows %q, want %q; the file is %q", got, tt.row, p.file())
				}
				p.Flush() // asks nothing twice
			}
			switch tt.answer {
			case "mine":
				p.Session.KeepMine(c)
			case "theirs":
				p.Session.UseTheirs(c)
			}
			p.check(tt.text+" "+tt.answer, tt.want)
			if p.Session.Conflict() != nil || len(p.drafts) != 0 {
				t.Errorf("%s: afterwards conflict %+v, drafts %v", tt.text, p.Session.Conflict(), p.drafts)
			}
		}
	}
}
