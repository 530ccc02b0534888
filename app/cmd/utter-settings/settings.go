package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	coreglib "github.com/diamondburned/gotk4/pkg/core/glib"
	"github.com/diamondburned/gotk4/pkg/gio/v2"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/shared/catalog"
	"utter/shared/desktopentry"
	"utter/shared/phrases"
	"utter/shared/plugin/runnerclient"
	"utter/shared/utterance"
	"utter/shared/xdg"
	"utter/ui/model/apps"
	"utter/ui/model/editor"
	"utter/ui/model/layout"
	"utter/ui/model/sayings"
	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/model/try"
	"utter/ui/view/agentpage"
	"utter/ui/view/appspage"
	"utter/ui/view/editorpage"
	"utter/ui/view/gtkx"
	"utter/ui/view/reviewdialog"
	"utter/ui/view/sayingspage"
	"utter/ui/view/shortcutsdialog"
	"utter/ui/view/teachdialog"
	"utter/ui/view/trypage"
	"utter/ui/view/window"
)

// settings is the program: this file is the only place where models and views
// meet what is outside.
type settings struct {
	app *adw.Application
	ctx context.Context

	dirs    xdg.Dirs
	words   *phrases.Keeper
	session *session.Session
	agent   *agent
	runner  *pluginRunner
	window  *window.Window
	parts   editor.Parts
	layout  layout.Layout

	// sections are all pages; those that others need have a name as well.
	sections []window.Section

	apps    *appspage.Page
	sayings *sayingspage.Page
	try     *trypage.Page
	status  *agentpage.Page
	editing *editorpage.Page // nil while no editor is open
	asking  *editorpage.Page // was left with drafts that the user is asked about
	// discarded, warned and closed: the user has given up what cannot be saved;
	// has been told what is not saved; and the window is closing.
	discarded, warned, closed bool
	// targets are the applications of the library targetsOf.
	targets   []sayings.Target
	targetsOf *catalog.Library
}

// present shows the window, which is made the first time.
func (s *settings) present() {
	if s.window == nil {
		if err := s.wire(); err != nil {
			// The built-in tables are part of the program: this is a bug in it.
			panic(err)
		}
	}
	s.window.Present()
}

// wire makes everything and connects it.
func (s *settings) wire() error {
	words, err := phrases.English()
	if err != nil {
		return err
	}
	s.dirs = xdg.New(os.Getenv, os.Getuid())
	s.words = phrases.NewKeeper(words, s.dirs.Phrases())
	s.agent = newAgent(s.ctx, s.nameOf)
	s.runner = newPluginRunner(s.ctx, s.dirs.ConfigFile())
	keeper := catalog.NewKeeper(catalog.Source{
		Dirs: s.dirs, Locale: desktopentry.NewLocale(os.Getenv), Taken: words.Taken,
		Found: catalog.FoundInPath, Desktop: desktops(),
	})
	s.session = session.New(session.Parts{Async: gtkx.Async, Dirs: s.dirs, Load: s.loader(keeper),
		Seen: keeper.Seen, Tell: s.tell})
	s.parts = editor.Parts{Session: s.session, Agent: s.agent, Words: s.words, Later: session.Later(gtkx.Later)}
	s.layout = layout.Load(s.layoutFile())
	s.window = window.New(s.app, s.session, window.Acts{
		Undo: s.undo, Review: s.review, Shortcuts: func() { shortcutsdialog.Show(s.window, titles()) },
		Help: s.help, About: s.about,
	})
	s.window.SetDefaultSize(s.layout.Width, s.layout.Height)
	if s.layout.Maximized {
		s.window.Maximize()
	}
	s.window.Closing = s.closing
	s.window.NotifyProperty("is-active", func() {
		if s.window.IsActive() {
			s.windowsChanged() // others may have opened and closed meanwhile
		}
	})
	s.addPages()
	s.window.Start(s.layout.Page, layout.Exists(s.layoutFile()))
	s.session.Subscribe(s.follow)
	s.agent.watch(s.session, s.windowsChanged)
	watched := keeper.Watched()
	watched.Folders, watched.Files = append(watched.Folders, s.dirs.Phrases()), append(watched.Files, s.dirs.ConfigFile())
	watchFiles(s.ctx, watched, s.session.Noticed)
	return nil
}

// loader loads with keeper, and once more soon where a file seems to be written
// just now.
func (s *settings) loader(keeper *catalog.Keeper) func() (*catalog.Library, error) {
	const soon = 400 * time.Millisecond
	return func() (*catalog.Library, error) {
		lib, err := keeper.Load()
		if keeper.Unsettled() {
			time.AfterFunc(soon, func() { coreglib.IdleAdd(s.session.Reload) })
		}
		return lib, err
	}
}

// tell makes what runs read the files again, and says if the plugin runner did
// not: then a plugin runs on that was switched off. An agent follows the files.
func (s *settings) tell() error {
	var runner, agent error
	var both sync.WaitGroup
	both.Go(func() { runner = s.runner.reload() })
	both.Go(func() { agent = s.agent.reload() })
	both.Wait()
	if runner != nil && !errors.Is(runner, runnerclient.ErrNoRunner) {
		coreglib.IdleAdd(func() { s.session.Notify(tr.T("The plugin runner has not read the change. Restart it.")) })
	}
	return errors.Join(runner, agent)
}

// nameOf is what an application is called.
func (s *settings) nameOf(app string) string {
	if lib := s.session.Library(); lib != nil {
		if p := lib.Index.ByID(app); p != nil {
			return p.Name
		}
	}
	return app
}

func (s *settings) layoutFile() string { return filepath.Join(s.dirs.State, "utter", "settings.json") }

// follow tells the pages that need the agent whether there is one.
func (s *settings) follow() {
	if !s.session.AgentKnown() {
		return
	}
	on := s.session.Agent().Running
	s.warned = s.warned && s.session.Banner().Kind != session.NoBanner
	for _, section := range s.sections {
		if section.Running != nil {
			section.Running(on)
		}
	}
}

// windowsChanged gives the pages with targets the open windows.
func (s *settings) windowsChanged() {
	if !s.session.Agent().Running {
		return
	}
	s.try.Model.RefreshWindows()
}

// listed gives "What You Can Say" the applications to choose from.
func (s *settings) listed(others []try.Window) {
	var windows []sayings.Target
	for _, w := range others {
		windows = append(windows, sayings.Target{App: w.App, Label: w.Label()})
	}
	s.sayings.Model.SetTargets(windows, s.allTargets())
}

func (s *settings) allTargets() []sayings.Target {
	lib := s.session.Library()
	if lib == nil {
		return nil
	}
	if lib == s.targetsOf {
		return s.targets
	}
	list := apps.New(apps.All)
	list.SetLibrary(lib)
	var all []sayings.Target
	for _, id := range list.Shown() {
		if r := list.Row(id); !r.Role {
			all = append(all, sayings.Target{App: id, Label: r.Name})
		}
	}
	s.targets, s.targetsOf = all, lib
	return all
}

// searchable reports whether a site can be searched.
func (s *settings) searchable(name string) bool {
	site := s.words.Words().Sites[utterance.Key(name)]
	return site != nil && site.Search != ""
}

func (s *settings) say(phrase string) {
	s.window.Show("try")
	s.try.Say(phrase)
}

func (s *settings) teach(phrase, app string) { teachdialog.Show(s.window, phrase, app, s.parts) }

// saveTest appends the phrase of "Try It" and its plan to the file of tests.
func (s *settings) saveTest() {
	file := filepath.Join(s.dirs.Config, "utter", "tests.json")
	label, c := s.try.Model.Case(file)
	s.session.AddCase(label, file, c)
}

func (s *settings) doings() reviewdialog.Doings {
	return reviewdialog.Doings{Open: s.open, Start: s.status.Start}
}

func (s *settings) review() { reviewdialog.Show(s.window, s.session, s.doings()) }

// open opens a file in whatever the user has for it.
func (s *settings) open(file string) {
	launcher := gtk.NewFileLauncher(gio.NewFileForPath(file))
	launcher.Launch(s.ctx, &s.window.Window, func(result gio.AsyncResulter) {
		if err := launcher.LaunchFinish(result); err != nil {
			gtkx.Ask(s.window, tr.T("Could Not Open File"), tr.T("Open %s in a text editor.", file), nil,
				func(string) {}, [2]string{"close", tr.T("Close")})
		}
	})
}

// help opens the guide that was installed with us, else the manual page's name
// is told.
func (s *settings) help() {
	for _, dir := range append([]string{shareDir()}, s.dirs.DataDirs...) {
		guide := filepath.Join(dir, "doc", "utter", "guides", "settings-app.md")
		if _, err := os.Stat(guide); err == nil {
			s.open(guide)
			return
		}
	}
	gtkx.Ask(s.window, tr.T("Help"),
		tr.T("The guides are not installed. See “man utter-settings” and “man utter” for the essentials."), nil,
		func(string) {}, [2]string{"close", tr.T("Close")})
}

func (s *settings) about() {
	about := adw.NewAboutDialog()
	about.SetApplicationName(tr.T("Utter"))
	about.SetApplicationIcon(id)
	about.SetVersion(version)
	about.SetDeveloperName(tr.T("The Utter developers"))
	about.SetComments(tr.T("Control your desktop in plain words"))
	about.SetLicenseType(gtk.LicenseMITX11)
	// Translators: your names, one per line.
	if credits := tr.T("translator-credits"); credits != "translator-credits" {
		about.SetTranslatorCredits(credits)
	}
	about.Present(s.window)
}

// desktops are the names of the desktop that runs.
func desktops() []string {
	return strings.FieldsFunc(os.Getenv("XDG_CURRENT_DESKTOP"), func(r rune) bool { return r == ':' })
}

// localeDir is where the translations lie: beside the program that was installed,
// or where UTTER_LOCALE_DIR says.
func localeDir() string {
	if dir := os.Getenv("UTTER_LOCALE_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(shareDir(), "locale")
}

// shareDir is the folder "share" beside the program that was installed.
func shareDir() string {
	exe, err := os.Executable()
	if err != nil {
		return "/usr/share"
	}
	return filepath.Join(filepath.Dir(exe), "..", "share")
}
