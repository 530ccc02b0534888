package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"utter/agent/internal/policy"
	"utter/agent/internal/router"
	"utter/shared/catalog"
	"utter/shared/chord"
	"utter/shared/config"
	"utter/shared/desktopentry"
	"utter/shared/op"
	"utter/shared/phrases"
	"utter/shared/plan"
	"utter/shared/plugin/runnerclient"
	"utter/shared/profile"
	"utter/shared/typing"
	"utter/shared/watch"
	"utter/shared/xdg"
)

// knowledge is what the user's files say, as read last.
type knowledge struct {
	configFile string
	dirs       xdg.Dirs
	words      *phrases.Keeper

	loading sync.Mutex // one load at a time
	keeper  *catalog.Keeper

	mu     sync.Mutex
	config *config.Config // the last one that was whole
	routes *router.Router
}

// newKnowledge returns a knowledge that has read nothing yet.
func newKnowledge(configFile string, dirs xdg.Dirs, builtIn *phrases.Set) *knowledge {
	return &knowledge{
		configFile: configFile, dirs: dirs, words: phrases.NewKeeper(builtIn, dirs.Phrases()),
		keeper: catalog.NewKeeper(catalog.Source{
			Dirs: dirs, Locale: desktopentry.NewLocale(os.Getenv), Taken: builtIn.IsAgent, Found: catalog.FoundInPath,
			Desktop: desktops(),
		}),
	}
}

// desktops are the names of the desktop that runs.
func desktops() []string {
	return strings.FieldsFunc(os.Getenv("XDG_CURRENT_DESKTOP"), func(r rune) bool { return r == ':' })
}

// load reads what has changed. A broken configuration leaves the last one in
// force, at the start the defaults, and is a problem.
func (k *knowledge) load() (*router.Router, []profile.Problem, error) {
	k.loading.Lock()
	defer k.loading.Unlock()
	lib, err := k.keeper.Load()
	if err != nil {
		return nil, nil, err
	}
	problems := slices.Clone(lib.Problems) // the Library does not change
	complain := func(err error) { problems = append(problems, configProblems(k.configFile, err)...) }
	k.mu.Lock()
	defer k.mu.Unlock()
	c, err := config.Load(k.configFile)
	if err != nil {
		complain(err)
		if k.config != nil {
			c = *k.config
		}
	}
	for _, n := range c.Notices {
		for _, p := range configProblems(k.configFile, n) {
			p.Severity = profile.Warning
			problems = append(problems, p)
		}
	}
	words, wrong := k.words.Load()
	problems = append(problems, wrong...)
	if k.routes != nil && k.routes.Library() == lib && k.config.Search == c.Search && k.routes.Words() == words {
		k.config = &c
		return k.routes, problems, nil
	}
	routes, err := router.New(words, lib, c.Search.Engine)
	if err != nil {
		complain(err)
		c.Search = config.Default().Search
		if k.config != nil {
			c.Search = k.config.Search // the last one that was right
		}
		if routes, err = router.New(words, lib, c.Search.Engine); err != nil {
			return nil, nil, err
		}
	}
	k.config, k.routes = &c, routes
	return routes, problems, nil
}

// configProblems are the mistakes in a configuration file.
func configProblems(file string, err error) []profile.Problem {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []profile.Problem
		for _, e := range joined.Unwrap() {
			all = append(all, configProblems(file, e)...)
		}
		return all
	}
	p := profile.Problem{Origin: profile.Origin{Layer: profile.User, File: file}, Severity: profile.Broken, Message: err.Error()}
	var field *config.FieldError
	if errors.As(err, &field) {
		p.Origin.Line, p.Origin.Column = field.Line, field.Column
		p.Message = strings.TrimSpace(field.Field + " " + field.Reason)
	}
	return []profile.Problem{p}
}

// unsettled reports whether a file seems to be written just now.
func (k *knowledge) unsettled() bool {
	k.loading.Lock()
	defer k.loading.Unlock()
	return k.keeper.Unsettled()
}

// seen reports whether the last load saw these files as they are now.
func (k *knowledge) seen(paths []string) bool {
	k.loading.Lock()
	defer k.loading.Unlock()
	return k.keeper.Seen(paths)
}

// watched is what load reads.
func (k *knowledge) watched() watch.Set {
	w := k.keeper.Watched()
	w.Folders, w.Files = append(w.Folders, k.dirs.Phrases()), append(w.Files, k.configFile)
	return w
}

func (k *knowledge) settings() config.Config {
	k.mu.Lock()
	defer k.mu.Unlock()
	return *k.config
}

func (k *knowledge) router() *router.Router {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.routes
}

func (k *knowledge) library() *catalog.Library { return k.router().Library() }

func (k *knowledge) policy() policy.Policy {
	p := k.settings().Policy
	return policy.Policy{Enabled: p.EnabledOps, Confirm: p.ConfirmOps, Words: p.RequireConfirm, Disabled: p.DisabledOps}
}

// Check says whether a step may run, by the policy in force.
func (k *knowledge) Check(s plan.Step) error { return k.policy().Check(s) }

// NeedsConfirmation says whether the user must agree, by the policy in force.
func (k *knowledge) NeedsConfirmation(s plan.Step) bool { return k.policy().NeedsConfirmation(s) }

// mayCommand reports whether commands may be run in terminals.
func (k *knowledge) mayCommand() bool { return k.policy().Allows(op.Terminal{}.Op()) }

// runner is where the runner of plugins is.
func (k *knowledge) runner() runnerclient.Address {
	return runnerclient.Find("", k.settings(), os.Getenv)
}

func (k *knowledge) typeWith() typing.Way { return k.settings().Agent.TypeWith }

// pasteChord returns what pastes in an application: its own action, else what
// its kind has.
func (k *knowledge) pasteChord(appID string) chord.Chord {
	lib := k.library()
	name := "ctrl+v"
	if p := lib.Index.ForWindow(appID); p != nil {
		if seq := p.Shortcuts["paste"]; len(seq) == 1 {
			return seq[0]
		}
	} else if k.router().Words().IsTerminal(appID) {
		name = "ctrl+shift+v"
	}
	c, err := chord.Parse(name)
	if err != nil {
		panic(err) // a constant
	}
	return c
}

// playerNames returns what the media player of an application may call itself;
// nil where no application is named.
func (k *knowledge) playerNames(id string) []string {
	if id == "" {
		return nil
	}
	names := []string{id}
	if p := k.library().Index.ByID(id); p != nil {
		names = append(names, p.AppIDs...)
		names = append(names, p.Name)
		if p.Entry != nil {
			names = append(names, p.Entry.ID)
		}
	}
	return names
}

// isTerminal reports whether windows of this app id are terminals.
func (k *knowledge) isTerminal(appID string) bool {
	if p := k.library().Index.ForWindow(appID); p != nil && p.Kind != profile.Other {
		return p.Kind == profile.Terminal
	}
	return k.router().Words().IsTerminal(appID)
}

// closeTab returns the keys that close a tab in an application, or none.
func (k *knowledge) closeTab(appID string) chord.Sequence {
	if p := k.library().Index.ForWindow(appID); p != nil {
		return p.Shortcuts["close_tab"]
	}
	return nil
}

// inTerminal wraps a command so that it runs in a new terminal.
func (k *knowledge) inTerminal(argv []string) ([]string, error) {
	lib := k.library()
	if catalog.FoundInPath("xdg-terminal-exec") {
		return append([]string{"xdg-terminal-exec"}, argv...), nil
	}
	p := lib.Default(profile.Terminal)
	if p == nil {
		return nil, plan.Refuse(plan.Missing, "it needs a terminal, and none is installed")
	}
	terminal := lib.Command(p)
	if len(terminal) == 0 {
		return nil, plan.Refuse(plan.Missing, "it needs a terminal, and %s cannot be started", p.Name)
	}
	return slices.Concat(terminal, k.router().Words().TerminalExec(filepath.Base(terminal[0])), argv), nil
}
