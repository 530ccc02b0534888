package main

import (
	"strings"

	"utter/shared/config"
	"utter/shared/i18n"
	"utter/ui/model/apps"
	"utter/ui/model/status"
	"utter/ui/model/tr"
	"utter/ui/view/agentpage"
	"utter/ui/view/appspage"
	"utter/ui/view/pluginspage"
	"utter/ui/view/reviewdialog"
	"utter/ui/view/safetypage"
	"utter/ui/view/sayingspage"
	"utter/ui/view/trypage"
	"utter/ui/view/window"
)

// A page is a page of the sidebar.
type page struct {
	tag   string // its name for --page and on the bus
	title string // marked for translation
	icon  string
	build func(*settings) window.Section // without what is declared here
}

// pages are the pages of the sidebar, from the top. The sidebar, the shortcuts,
// --page and the actions on the bus come from this list; a test compares the
// manual page and the desktop entry with the tags.
var pages = []page{
	{tag: "apps", title: i18n.Mark("App Actions"), icon: "view-app-grid-symbolic",
		build: func(s *settings) window.Section {
			filtered := func(f apps.Filter) { s.layout.Filter = string(f) }
			s.apps = appspage.New(s.session, apps.Filter(s.layout.Filter), s.edit, s.newApp, filtered)
			return window.Section{Page: s.apps.Page, Search: s.apps.FocusSearch, TakesUndo: s.apps.TakesUndo}
		}},
	{tag: "sayings", title: i18n.Mark("What You Can Say"), icon: "user-available-symbolic",
		build: func(s *settings) window.Section {
			s.sayings = sayingspage.New(s.agent, s.startAgent, s.say)
			return window.Section{
				Page: s.sayings.Page, Search: s.sayings.FocusSearch, Shown: s.windowsChanged,
				TakesUndo: s.sayings.TakesUndo, Running: s.sayings.SetRunning,
			}
		}},
	{tag: "try", title: i18n.Mark("Try It"), icon: "media-playback-start-symbolic",
		build: func(s *settings) window.Section {
			s.try = trypage.New(s.agent, id, trypage.Doings{Start: s.startAgent, Teach: s.teach, Save: s.saveTest})
			s.try.Model.Listed = s.listed
			return window.Section{
				Page: s.try.Page, Shown: s.windowsChanged, TakesUndo: s.try.TakesUndo, Running: s.try.SetRunning,
			}
		}},
	{tag: "safety", title: i18n.Mark("Safety"), icon: "security-high-symbolic",
		build: func(s *settings) window.Section {
			p := safetypage.New(s.session, s.dirs.ConfigFile(), s.readConfig, s.searchable, s.open)
			return window.Section{Page: p.Page, Left: p.Leave, Invalid: p.Invalid, Revert: p.Revert}
		}},
	{tag: "plugins", title: i18n.Mark("Plugins"), icon: "application-x-addon-symbolic",
		build: func(s *settings) window.Section {
			p := pluginspage.New(s.session, s.runner, s.dirs.ConfigFile(), s.readConfig, s.open)
			for _, property := range []string{"is-active", "suspended"} {
				s.window.NotifyProperty(property, func() { p.SetWindow(s.window.IsActive(), s.window.IsSuspended()) })
			}
			return window.Section{Page: p.Page}
		}},
	{tag: "agent", title: i18n.Mark("Agent"), icon: "preferences-system-symbolic",
		build: func(s *settings) window.Section {
			review := func(p status.Problem) { reviewdialog.Problem(s.window, s.session, p, s.doings()) }
			s.status = agentpage.New(s.session, s.agent, login{}, review)
			return window.Section{Page: s.status.Page, Shown: s.status.Refresh}
		}},
}

// tags lists the names of the pages for a message.
func tags() string {
	var all []string
	for _, p := range pages {
		all = append(all, p.tag)
	}
	return strings.Join(all, ", ")
}

func titles() (all []string) {
	for _, p := range pages {
		all = append(all, tr.T(p.title))
	}
	return all
}

func (s *settings) addPages() {
	for _, p := range pages {
		section := p.build(s)
		section.Tag, section.Title, section.Icon = p.tag, tr.T(p.title), p.icon
		s.sections = append(s.sections, section)
		s.window.Add(s.app, section)
	}
}

func (s *settings) readConfig() (config.Config, error) { return config.Load(s.dirs.ConfigFile()) }

func (s *settings) startAgent() { s.status.Start() }
