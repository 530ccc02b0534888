// Package reviewdialog shows what the banner is about, and the choices.
package reviewdialog

import (
	"strings"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/ui/model/session"
	"utter/ui/model/status"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
	"utter/ui/view/gtkx"
)

// Doings are what the dialogs ask of others.
type Doings struct {
	Open  func(file string) // in an editor
	Start func()            // the agent
}

// Show shows what is most urgent now.
func Show(parent gtk.Widgetter, s *session.Session, d Doings) {
	switch s.Banner().Kind {
	case session.ConflictBanner:
		conflict(parent, s)
	case session.FailureBanner:
		failure(parent, s)
	case session.ReadOnlyBanner:
		gtkx.Ask(parent, tr.T("Profiles Are Read-Only"),
			tr.T("The folder belongs to another user or is on a read-only disk. "+
				"You can view everything, but changes cannot be saved."),
			nil, func(string) {}, [2]string{"close", tr.T("Close")})
	case session.ProblemBanner:
		problems(parent, s, d)
	case session.AgentBanner:
		gtkx.Ask(parent, tr.T("Agent Not Running"),
			tr.T("You can edit profiles without it. Start it to see and try what you can say."),
			nil, func(id string) {
				if id == "start" {
					d.Start()
				}
			}, [2]string{"start", tr.T("Start")}, [2]string{"close", tr.T("Close")})
	}
}

// conflict shows both sides field by field.
func conflict(parent gtk.Widgetter, s *session.Session) {
	c := s.Conflict()
	list := newList()
	for _, row := range c.Rows {
		list.Append(gtkx.NewRow(wording.Path(row.Path),
			tr.T("Yours: %[1]s\nTheirs: %[2]s", wording.Value(row.Yours), wording.Value(row.Theirs))))
	}
	var extra gtk.Widgetter
	if len(c.Rows) > 0 {
		extra = list
	}
	gtkx.Ask(parent, tr.T("Changed in Two Places"),
		tr.T("%s was changed outside this window while you changed it here.", gtkx.Breakable(c.File)), extra,
		func(id string) {
			switch id {
			case "mine":
				s.KeepMine(c)
			case "theirs":
				s.UseTheirs(c)
			}
		}, [2]string{"mine", tr.T("Keep Mine")}, [2]string{"theirs", tr.T("Use Theirs")}, [2]string{"later", tr.T("Later")})
}

func newList() *gtk.ListBox {
	list := gtk.NewListBox()
	list.SetSelectionMode(gtk.SelectionNone)
	list.AddCSSClass("boxed-list")
	return list
}

// failure says what could not be done. With more than one change they are listed,
// and answered together.
func failure(parent gtk.Widgetter, s *session.Session) {
	f := s.Failure()
	details := gtkx.NewDetails()
	details.Show(f.Err().Error())
	extra := gtk.NewBox(gtk.OrientationVertical, 12)
	title, body := tr.T("Not Saved"), tr.T("The applications could not be read, so nothing can be changed yet.")
	if len(f.Changes) == 0 {
		title = tr.T("Could Not Read Applications")
		body = ""
	}
	switch n := len(f.Changes); {
	case n == 1 && f.Load == nil:
		body = wording.Error(f.Changes[0].Err)
	case n > 0:
		if f.Load == nil {
			body = tr.N("%d change is not saved:", "%d changes are not saved:", n, n)
		}
		list := newList()
		for _, c := range f.Changes {
			list.Append(gtkx.NewRow(strings.TrimSpace(c.Text), wording.Error(c.Err)))
		}
		extra.Append(list)
	}
	extra.Append(details.Boxed())
	answers := [][2]string{{"again", tr.T("Try Again")}}
	if f.Text() != "" {
		answers = append(answers, [2]string{"copy", tr.T("Copy")})
	}
	if n := len(f.Changes); n > 0 {
		answers = append(answers, [2]string{"drop", tr.N("Discard Change", "Discard All %d Changes", n, n)})
	}
	answers = append(answers, [2]string{"later", tr.T("Later")})
	gtkx.Ask(parent, title, body, extra, func(id string) {
		switch id {
		case "again":
			s.TryAgain(f)
		case "copy":
			gtk.BaseWidget(parent).Clipboard().SetText(f.Text())
		case "drop":
			s.Dismiss(f)
		}
	}, answers...)
}

// problems lists the files that do not count.
func problems(parent gtk.Widgetter, s *session.Session, d Doings) {
	all := status.Problems(s.Broken())
	if len(all) == 1 {
		Problem(parent, s, all[0], d)
		return
	}
	dialog := adw.NewAlertDialog(tr.T("Files with Errors"), "")
	list := newList()
	for _, p := range all {
		row := gtkx.NewRow(p.Title, p.Where)
		gtkx.Activatable(row, func() {
			dialog.Close()
			Problem(parent, s, p, d)
		})
		list.Append(row)
	}
	dialog.SetExtraChild(list)
	dialog.AddResponse("close", tr.T("Close"))
	dialog.Present(parent)
}

// Problem shows one problem and what can be done about it.
func Problem(parent gtk.Widgetter, s *session.Session, p status.Problem, d Doings) {
	details := gtkx.NewDetails()
	details.Show(p.Detail)
	answers := [][2]string{{"open", tr.T("Open File")}}
	if s.HasLastGood(p.File) {
		answers = append(answers, [2]string{"good", tr.T("Use Last Good Version")})
	}
	answers = append(answers, [2]string{"close", tr.T("Close")})
	gtkx.Ask(parent, p.Title, p.Where, details.Boxed(), func(id string) {
		switch id {
		case "open":
			d.Open(p.File)
		case "good":
			s.UseLastGood(p.File)
		}
	}, answers...)
}
