package main

import (
	"os"

	"utter/ui/model/newapp"
	"utter/ui/model/tr"
	"utter/ui/model/try"
	"utter/ui/view/editorpage"
	"utter/ui/view/gtkx"
	"utter/ui/view/newappdialog"
	"utter/ui/view/pickdialog"
)

// editNamed opens the editor of an application that a command line names, once it
// is known which there are.
func (s *settings) editNamed(app string) {
	lib := s.session.Library()
	if lib == nil {
		var leave func()
		leave = s.session.Subscribe(func() {
			if s.session.Library() != nil {
				leave()
				s.editNamed(app)
			}
		})
		return
	}
	if lib.Explain(app).Profile == nil {
		s.window.Show("apps")
		s.apps.Find(app)
		s.session.Notify(tr.T("No application has the ID “%s”", app))
		return
	}
	s.edit(app)
}

// edit opens the editor of an application.
func (s *settings) edit(app string) {
	if s.editing != nil && s.editing.ID() == app && s.window.Current() == "apps" {
		s.window.ShowContent()
		return
	}
	s.window.Show("apps")
	page := editorpage.New(app, s.parts, editorpage.Doings{PickWindow: s.pickWindow, Try: func(phrase, app string) {
		s.say(phrase)
		s.try.Model.SetTargetApp(app)
	}})
	s.editing = page
	s.window.Push(page.Page, func() { s.left(page) })
}

func (s *settings) pickWindow(picked func(appID string)) {
	s.agent.Windows(func(all []try.Window, err error) {
		pickdialog.Show(s.window, s.others(all), picked)
	})
}

// others leaves our own window out.
func (s *settings) others(all []try.Window) []try.Window {
	var rest []try.Window
	for _, w := range all {
		if w.AppID != id {
			rest = append(rest, w)
		}
	}
	return rest
}

func (s *settings) newApp() {
	var processes []newapp.Source
	s.agent.Windows(func(all []try.Window, err error) {
		gtkx.Async(func() error {
			processes = newapp.Processes(os.DirFS("/proc"), os.Getuid())
			return nil
		}, func(error) { s.chooseNew(all, processes) })
	})
}

func (s *settings) chooseNew(all []try.Window, processes []newapp.Source) {
	newappdialog.Show(s.window, newapp.Windows(s.others(all)), processes, func(src newapp.Source) {
		newapp.Create(s.session, src, s.edit)
	})
}
