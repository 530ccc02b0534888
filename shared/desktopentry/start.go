package desktopentry

import (
	"path/filepath"
	"slices"
	"strings"
)

// A Start is what a command line starts, behind the wrappers that only prepare it.
type Start struct {
	// Program is the base name of the program, or "" where a script or a language's
	// runtime hides it.
	Program string
	// AppID is the application that a launcher such as flatpak is asked for, or "".
	AppID string
	// Content says that an argument selects what the program shows, as with
	// "steam steam://rungameid/400": its windows need not be this application's.
	Content bool

	args []string
}

// A wrapper starts another program, which is named behind its options.
type wrapper struct {
	valued []string // options whose value is a word of its own
	verb   string   // that comes before the program: "run" of flatpak
	app    bool     // it is asked for an application, not a program
}

var wrappers = map[string]wrapper{
	"env": {valued: []string{"-u", "--unset", "-C", "--chdir"}}, "nice": {valued: []string{"-n", "--adjustment"}},
	"ionice": {valued: []string{"-c", "-n", "--class", "--classdata"}}, "nohup": {}, "setsid": {}, "exec": {},
	"taskset": {}, "prime-run": {}, "gamemoderun": {}, "mangohud": {}, "optirun": {}, "primusrun": {}, "dbus-run-session": {},
	"dbus-launch": {}, "systemd-inhibit": {}, "systemd-run": {valued: []string{"-p", "-u", "-E", "--unit", "--slice", "--property"}},
	"systemd-cat": {valued: []string{"-t", "-p"}}, "uwsm": {verb: "app", valued: []string{"-s", "-u", "-a", "-t"}}, "uwsm-app": {},
	"stdbuf": {valued: []string{"-i", "-o", "-e"}}, "AppImageLauncher": {},
	"flatpak": {verb: "run", app: true}, "snap": {verb: "run", app: true},
	"gtk-launch": {app: true}, "gapplication": {verb: "launch", app: true},
}

// hiding are programs that run what their arguments say.
var hiding = []string{"sh", "bash", "dash", "zsh", "python", "python2", "python3", "perl", "ruby", "java", "node", "electron", "wine",
	"wine64", "mono", "dotnet", "xdg-open", "gio", "exo-open", "kde-open", "pkexec", "sudo", "doas"}

// StartOf reads a command line.
func StartOf(argv []string) Start {
	for range 8 { // wrappers in wrappers
		if len(argv) == 0 {
			return Start{}
		}
		name := filepath.Base(argv[0])
		w, wraps := wrappers[name]
		if !wraps {
			return program(name, argv[1:])
		}
		argv = w.skip(argv[1:])
		if w.app {
			return Start{AppID: w.appID(argv)}
		}
	}
	return Start{}
}

// skip drops the verb, the options and the settings K=V of a wrapper.
func (w wrapper) skip(args []string) []string {
	if w.verb != "" && len(args) > 0 && args[0] == w.verb {
		args = args[1:]
	}
	for len(args) > 0 {
		a := args[0]
		switch {
		case a == "--":
			return args[1:]
		case slices.Contains(w.valued, a):
			args = args[min(2, len(args)):]
		case strings.HasPrefix(a, "-") || isSetting(a):
			args = args[1:]
		default:
			return args
		}
	}
	return nil
}

func (w wrapper) appID(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return strings.TrimSuffix(filepath.Base(args[0]), ".desktop")
}

// isSetting reports whether a word of a command line is K=V.
func isSetting(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

func program(name string, args []string) Start {
	s := Start{Program: name, args: args, Content: slices.ContainsFunc(args, selects)}
	if slices.Contains(hiding, name) {
		s.Program, s.Content = "", true
	}
	return s
}

// selecting are options that choose what a program shows, or what its windows are
// called.
var selecting = []string{"--app", "--app-id", "--app-name", "--class", "--name", "--appid", "-a", "-e", "-m", "-jar", "-x", "-T",
	"--title", "--profile", "-P", "--command", "--execute", "--gapplication-app-id", "--wm-class", "--applaunch", "-applaunch", "--kiosk"}

// selects reports whether an argument selects content.
func selects(arg string) bool {
	option, _, _ := strings.Cut(arg, "=")
	switch {
	case slices.Contains(selecting, option):
		return true
	case strings.HasPrefix(arg, "-"):
		return false
	}
	ends := []string{".asar", ".sh", ".py", ".pl", ".rb", ".js", ".jar", ".exe", ".html"}
	return strings.Contains(arg, "://") || slices.Contains(ends, strings.ToLower(filepath.Ext(arg))) || !strings.HasPrefix(arg, "%")
}

// option returns the value of --name=value or --name value, or "".
func (s Start) option(name string) string {
	for i, a := range s.args {
		if v, ok := strings.CutPrefix(a, name+"="); ok {
			return v
		}
		if a == name && i+1 < len(s.args) {
			return s.args[i+1]
		}
	}
	return ""
}

// Start returns what e starts. It is empty where e has no command line.
func (e Entry) Start() Start { return e.start }

// WindowIDs returns the app ids that e's command line settles: those of a game of
// Steam, of a web app of a Chromium browser, and that an option sets.
func (e Entry) WindowIDs() []string { return e.windowIDs }

func (s Start) windowIDs() []string {
	var ids []string
	for _, a := range s.args {
		if number, ok := strings.CutPrefix(a, "steam://rungameid/"); ok && s.Program == "steam" && number != "" {
			ids = append(ids, "steam_app_"+number)
		}
	}
	if id := s.option("-applaunch"); id != "" && s.Program == "steam" {
		ids = append(ids, "steam_app_"+id)
	}
	app, folder := s.option("--app-id"), s.option("--profile-directory")
	switch {
	case app == "":
	case folder != "":
		ids = append(ids, "chrome-"+app+"-"+strings.ReplaceAll(folder, " ", "_"), "crx_"+app)
	case isChromium(s.Program):
		ids = append(ids, "chrome-"+app+"-Default", "crx_"+app)
	default:
		ids = append(ids, app)
	}
	if class := s.option("--class"); class != "" {
		ids = append(ids, class)
	}
	return ids
}

func isChromium(program string) bool {
	return slices.ContainsFunc([]string{"chrom", "brave", "vivaldi", "edge", "opera"}, func(part string) bool {
		return strings.Contains(program, part)
	})
}
