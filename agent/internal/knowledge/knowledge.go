// Package knowledge holds what the agent knows from files: the words, the profiles, the
// catalogue of applications and the configuration. It keeps one snapshot of all of them,
// replaces it as a whole, and does not know which windows are open.
package knowledge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"utter/agent/internal/policy"
	"utter/agent/internal/router"
	"utter/shared/catalog"
	"utter/shared/config"
	"utter/shared/desktopentry"
	"utter/shared/phrases"
	"utter/shared/plan"
	"utter/shared/profile"
	"utter/shared/watch"
	"utter/shared/xdg"
)

// Knowledge reads the files and holds what they say. Its methods may be called at any
// time from several goroutines.
type Knowledge struct {
	configFile string
	dirs       xdg.Dirs

	loading   sync.Mutex // one load at a time; guards the keepers
	words     *phrases.Keeper
	catalogue *catalog.Keeper

	now atomic.Pointer[Snapshot]
}

// New returns a Knowledge that has read the built-in words and no files of the user.
func New(configFile string, dirs xdg.Dirs) (*Knowledge, error) {
	builtIn, err := phrases.English()
	if err != nil {
		return nil, err
	}
	return &Knowledge{
		configFile: configFile, dirs: dirs, words: phrases.NewKeeper(builtIn, dirs.Phrases()),
		catalogue: catalog.NewKeeper(catalog.Source{
			Dirs: dirs, Locale: desktopentry.NewLocale(os.Getenv), Taken: builtIn.Taken, Found: catalog.FoundInPath,
			Desktop: strings.FieldsFunc(os.Getenv("XDG_CURRENT_DESKTOP"), func(r rune) bool { return r == ':' }),
		}),
	}, nil
}

// Now returns what the last Load found, or nil before the first.
func (k *Knowledge) Now() *Snapshot { return k.now.Load() }

// Load reads the files that have changed. It reports whether anything but settings is
// different. A broken configuration is a problem: the settings stay as they were, which at
// the start are the defaults. After an error the snapshot is the same as before.
func (k *Knowledge) Load() (changed bool, err error) {
	k.loading.Lock()
	defer k.loading.Unlock()
	lib, err := k.catalogue.Load()
	if err != nil {
		return false, err
	}
	words, wrong := k.words.Load()
	last := k.Now()
	if last == nil {
		last = &Snapshot{Config: config.Default()}
	}
	next := &Snapshot{Router: last.Router}
	next.Config, next.Problems = settings(k.configFile, last.Config)
	search := next.Config.Search
	if last.Router == nil || last.Library() != lib || last.Router.Words() != words || last.Config.Search != search {
		next.Router, err = router.New(words, lib, search.Engine)
		if err != nil {
			next.Problems = append(next.Problems, configProblems(k.configFile, err)...)
			next.Config.Search = last.Config.Search
			if next.Router, err = router.New(words, lib, last.Config.Search.Engine); err != nil {
				return false, err
			}
		}
	}
	next.Problems = slices.Concat(lib.Problems, next.Problems, wrong)
	p := next.Config.Policy
	next.Policy = policy.Policy{
		Enabled: p.EnabledOps, Confirm: p.ConfirmOps, Words: p.RequireConfirm, Disabled: p.DisabledOps,
	}
	k.now.Store(next)
	return next.Router != last.Router || !slices.EqualFunc(next.Problems, last.Problems, profile.Problem.Equal), nil
}

// settings reads a configuration. One that is broken is a problem, and the last one is
// returned.
func settings(file string, last config.Config) (config.Config, []profile.Problem) {
	var problems []profile.Problem
	c, err := config.Load(file)
	if err != nil {
		return last, configProblems(file, err)
	}
	for _, n := range c.Notices {
		for _, p := range configProblems(file, n) {
			p.Severity = profile.Warning
			problems = append(problems, p)
		}
	}
	return c, problems
}

// configProblems makes problems of the errors in a configuration file.
func configProblems(file string, err error) []profile.Problem {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []profile.Problem
		for _, e := range joined.Unwrap() {
			all = append(all, configProblems(file, e)...)
		}
		return all
	}
	p := profile.Problem{
		Origin: profile.Origin{Layer: profile.User, File: file}, Severity: profile.Broken, Message: err.Error(),
	}
	var field *config.FieldError
	if errors.As(err, &field) {
		p.Origin.Line, p.Origin.Column = field.Line, field.Column
		p.Message = strings.TrimSpace(field.Field + " " + field.Reason)
	}
	return []profile.Problem{p}
}

// CheckConfig returns what is wrong with a configuration file, or nil.
func CheckConfig(file string, dirs xdg.Dirs) error {
	c, err := config.Load(file)
	if err != nil {
		return err
	}
	words, err := phrases.English()
	if err != nil {
		return err
	}
	words, _ = words.Extended(dirs.Phrases())
	if _, err := router.New(words, catalog.New(nil, nil, nil), c.Search.Engine); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// Follow calls reload when files change, until ctx ends. trouble is told if they cannot
// be watched.
func (k *Knowledge) Follow(ctx context.Context, reload func() error, trouble func(error), log *slog.Logger) error {
	return watch.New(k.watched(), func(paths []string) bool {
		k.loading.Lock()
		seen := k.catalogue.Seen(paths)
		k.loading.Unlock()
		if seen {
			return false // the settings app has had it read already
		}
		if err := reload(); err != nil {
			log.Error("reload", "error", err)
		}
		k.loading.Lock()
		defer k.loading.Unlock()
		return k.catalogue.Unsettled()
	}, trouble, log).Run(ctx)
}

// watched is what Load reads.
func (k *Knowledge) watched() watch.Set {
	w := k.catalogue.Watched()
	w.Folders, w.Files = append(w.Folders, k.dirs.Phrases()), append(w.Files, k.configFile)
	return w
}

// Check returns why a step may not run by the current policy, or nil.
func (k *Knowledge) Check(s plan.Step) error { return k.Now().Policy.Check(s) }

// NeedsConfirmation reports whether the user must agree to a step by the current policy.
func (k *Knowledge) NeedsConfirmation(s plan.Step) bool { return k.Now().Policy.NeedsConfirmation(s) }
