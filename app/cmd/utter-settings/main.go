// Command utter-settings is the settings app: it lets the user teach Utter
// applications, lists what the user can say, and shows the state of the agent.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gdk/v4"
	"github.com/diamondburned/gotk4/pkg/gio/v2"
	"github.com/diamondburned/gotk4/pkg/glib/v2"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/ui/model/tr"
	"utter/ui/view/gtkx"
)

// id is the application's id on the bus, of its windows and of its icon.
const id = "org.utter.Settings"

// exitUsage is the status for a page that does not exist.
const exitUsage = 2

// version is set by the build.
var version = "devel"

//go:embed style.css
var style string

func main() {
	os.Exit(run(os.Args, os.Stdout, os.Stderr))
}

// run is main without the process.
func run(args []string, stdout, stderr io.Writer) int {
	for _, a := range args[1:] {
		if a == "--version" {
			fmt.Fprintln(stdout, "utter-settings", version)
			return 0
		}
	}
	tr.Use(gtkx.LoadTranslations(localeDir()))
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	app := adw.NewApplication(id, gio.ApplicationHandlesCommandLine)
	addOptions(&app.Application.Application, stderr)
	s := &settings{app: app, ctx: ctx}
	app.ConnectStartup(s.startUp)
	app.ConnectActivate(s.present)
	app.ConnectCommandLine(s.commandLine)
	return app.Run(args)
}

// addOptions adds the options. A page that does not exist is an error of the
// program that was started, whether or not another has the window.
func addOptions(app *gio.Application, stderr io.Writer) {
	app.AddMainOption("page", 0, glib.OptionFlagNone, glib.OptionArgString, tr.T("Open a page: %s", tags()), tr.T("NAME"))
	app.AddMainOption("app", 0, glib.OptionFlagNone, glib.OptionArgString,
		tr.T("Open the editor of an application"), tr.T("ID"))
	app.AddMainOption("say", 0, glib.OptionFlagNone, glib.OptionArgString,
		tr.T("Open “Try It” with a phrase"), tr.T("TEXT"))
	app.AddMainOption("version", 0, glib.OptionFlagNone, glib.OptionArgNone, tr.T("Print the version"), "")
	app.ConnectHandleLocalOptions(func(options *glib.VariantDict) int {
		const goOn = -1
		name := option(options, "page")
		if name == "" || slices.ContainsFunc(pages, func(p page) bool { return p.tag == name }) {
			return goOn
		}
		fmt.Fprintln(stderr, tr.T("There is no page “%s”. The pages are: %s.", name, tags()))
		return exitUsage
	})
}

// option is the value of an option, or "".
func option(options *glib.VariantDict, name string) string {
	if v := options.LookupValue(name, glib.NewVariantType("s")); v != nil {
		return v.String()
	}
	return ""
}

// commandLine does in the one main window what another start of the program asks
// for.
func (s *settings) commandLine(line *gio.ApplicationCommandLine) int {
	defer line.Done() // the other process waits for it
	s.present()
	options := line.OptionsDict()
	if name := option(options, "page"); name != "" {
		s.window.Show(name)
	}
	if app := option(options, "app"); app != "" {
		s.editNamed(app)
	}
	if phrase := option(options, "say"); phrase != "" {
		s.say(phrase)
	}
	return 0
}

// startUp comes once, before the window: style, keys and the actions that other
// programs may call on the bus.
func (s *settings) startUp() {
	css := gtk.NewCSSProvider()
	css.LoadFromString(style)
	gtk.StyleContextAddProviderForDisplay(gdk.DisplayGetDefault(), css, uint(gtk.STYLE_PROVIDER_PRIORITY_APPLICATION))
	for action, keys := range map[string][]string{
		"win.undo": {"<Control>z"}, "win.redo": {"<Control><Shift>z"}, "win.search": {"<Control>f"},
		"win.shortcuts": {"<Control>question"}, "win.help": {"F1"}, "app.quit": {"<Control>q"},
	} {
		s.app.SetAccelsForAction(action, keys)
	}
	s.action("quit", nil, func(string) {
		if s.window != nil {
			s.window.Close()
		}
	})
	for _, p := range pages { // the desktop entry calls some of them
		s.action(p.tag, nil, func(string) { s.present(); s.window.Show(p.tag) })
	}
	argument := glib.NewVariantType("s")
	s.action("page", argument, func(name string) { s.present(); s.window.Show(name) })
	s.action("edit", argument, func(app string) { s.present(); s.editNamed(app) })
	s.action("say", argument, func(phrase string) { s.present(); s.say(phrase) })
}

func (s *settings) action(name string, argument *glib.VariantType, f func(argument string)) {
	a := gio.NewSimpleAction(name, argument)
	a.ConnectActivate(func(v *glib.Variant) {
		if argument == nil {
			f("")
			return
		}
		f(v.String())
	})
	s.app.AddAction(a)
}
