package apps_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"utter/agent/internal/act/apps"
	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	"utter/agent/internal/compositor/memory"
	"utter/agent/internal/executor"
	"utter/agent/internal/launch"
	"utter/profiles"
	"utter/shared/catalog"
	"utter/shared/desktopentry"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/profile"
)

// TestMain lets the test binary play a program that ends with a status.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "exit" {
		status, _ := strconv.Atoi(os.Args[2])
		os.Exit(status)
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// me is a process that is there.
var me = os.Getpid()

// A shelf is what a test has installed: desktop files by id (the lines below
// the header), profiles by file name, and the programs that are not there.
type shelf struct {
	entries map[string]string
	curated map[string]string
	user    map[string]string
	missing []string
}

func (s shelf) library(t *testing.T) *catalog.Library {
	t.Helper()
	defaults, err := profile.LoadDefaults(profiles.FS)
	if err != nil {
		t.Fatal(err)
	}
	var entries []desktopentry.Entry
	for id, lines := range s.entries {
		text := "[Desktop Entry]\nType=Application\n" + lines + "\n"
		e, err := desktopentry.Parse(id, "/usr/share/applications/"+id+".desktop", []byte(text),
			desktopentry.NewLocale(func(string) string { return "" }))
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	patches := catalog.Patches(entries, func(string) bool { return false })
	for layer, files := range map[profile.Layer]map[string]string{profile.Curated: s.curated, profile.User: s.user} {
		fsys := fstest.MapFS{}
		for name, text := range files {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
		more, problems := profile.LoadFS(fsys, layer.String(), layer)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		patches = append(patches, more...)
	}
	found := func(program string) bool {
		for _, m := range s.missing {
			if program == m {
				return false
			}
		}
		return true
	}
	return catalog.New(profile.Merge(patches, defaults), found,
		func(p *profile.Profile) bool { return p.Startable(found) })
}

// A launcher starts nothing and notes what it is asked.
type launcher struct {
	mu   sync.Mutex
	told []string // "start …" and "activate …"
	last launch.Command
	// What the test makes of it. By default a start gives a process that lives
	// on, and an activation works.
	onStart    func(c launch.Command) (*launch.Process, error)
	onActivate func(ctx context.Context) error
	owner      int
}

func (l *launcher) note(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = append(l.told, s)
}

func (l *launcher) Start(_ context.Context, c launch.Command) (*launch.Process, error) {
	l.note("start " + strings.Join(c.Argv, " "))
	l.mu.Lock()
	l.last = c
	l.mu.Unlock()
	if l.onStart != nil {
		return l.onStart(c)
	}
	return lives(math.MaxInt32)
}

// lives is a process that never ends.
func lives(pid int) (*launch.Process, error) { return &launch.Process{PID: pid}, nil }

func (l *launcher) Activate(ctx context.Context, busName, token string, urls []string) error {
	l.note(strings.TrimSpace(fmt.Sprintf("activate %s by %s %s", busName, token, strings.Join(urls, " "))))
	if l.onActivate != nil {
		return l.onActivate(ctx)
	}
	return nil
}

func (l *launcher) OwnerPID(context.Context, string) int { return l.owner }

// calls returns what was asked since the last call.
func (l *launcher) calls() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	told := l.told
	l.told = nil
	return strings.Join(told, "; ")
}

// A screen is a desktop in memory that programs find by its environment.
type screen struct {
	*memory.Backend
	do func(a compositor.Action) error // before the action; an error prevents it
}

// errIgnored makes an application do nothing about what it is asked.
var errIgnored = errors.New("ignored")

func (s *screen) Info() compositor.Info {
	return compositor.Info{Name: "memory", Env: map[string]string{"WAYLAND_DISPLAY": "wayland-7"}}
}

func (s *screen) Do(ctx context.Context, state *compositor.State, a compositor.Action) error {
	if s.do != nil {
		switch err := s.do(a); err {
		case nil:
		case errIgnored:
			return nil
		default:
			return err
		}
	}
	return s.Backend.Do(ctx, state, a)
}

// A bench is a Resolver with everything round it.
type bench struct {
	*apps.Resolver
	t        *testing.T
	screen   *screen
	desktop  *compositor.Desktop
	launcher *launcher
	// noTerminal says that no terminal is installed.
	noTerminal bool
	// between is called after each step of a plan.
	between func()

	mu      sync.Mutex
	library *catalog.Library
}

// sites are the titles of the hosts in the tests' table.
var sites = map[string][]string{
	"youtube.com": {"youtube"}, "x.com": {"/ x", "twitter"},
	"google.com": {"google search", "google"}, "empty.example": {""},
}

// newBench returns a bench with these windows open, the last with the focus.
func newBench(t *testing.T, s shelf, windows ...compositor.Window) *bench {
	t.Helper()
	b := &bench{t: t, launcher: &launcher{}, library: s.library(t), screen: &screen{Backend: memory.New(windows...)}}
	b.desktop = compositortest.Follow(t, b.screen)
	b.Resolver = apps.New(apps.Options{
		Desktop: b.desktop, Launcher: b.launcher, Library: b.current,
		Token: func(_ context.Context, appID string) string { return "token-for-" + appID },
		Terminal: func(argv []string) ([]string, error) {
			if b.noTerminal {
				return nil, plan.Refuse(plan.Missing, "no terminal is installed")
			}
			return append([]string{"a-terminal", "-e"}, argv...), nil
		},
		Sites:  func(host string) []string { return sites[host] },
		Search: func(query string) string { return "https://search.example/?q=" + query },
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return b
}

func (b *bench) current() *catalog.Library {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.library
}

// reload activates another library.
func (b *bench) reload(l *catalog.Library) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.library = l
}

// focused returns the id of the window that has the focus.
func (b *bench) focused() compositor.WindowID {
	b.t.Helper()
	s, err := b.screen.Read(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	w, _ := s.Focused()
	return w.ID
}

// open returns the ids of the open windows, sorted.
func (b *bench) open() string {
	b.t.Helper()
	s, err := b.screen.Read(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	var ids []string
	for id := range compositor.WindowID(100) {
		if _, there := s.Window(id); there {
			ids = append(ids, fmt.Sprint(id))
		}
	}
	return strings.Join(ids, " ")
}

// do carries one step out and checks its outcome and reason; it returns what the
// handler says, or the error's text.
func (b *bench) do(args op.Args, outcome plan.Outcome, reason plan.Reason) (executor.Done, string) {
	b.t.Helper()
	done, err := b.act(b.t.Context(), plan.Step{Args: args, Provenance: plan.FromUser})
	compositortest.CheckError(b.t, fmt.Sprint(args), err, outcome, reason)
	if err != nil {
		return done, err.Error()
	}
	if done.Evidence != plan.ByState || done.Window == 0 {
		b.t.Errorf("%v: evidence %q, window %d", args, done.Evidence, done.Window)
	}
	return done, done.Message
}

// contains checks a text that people read.
func contains(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q does not say %q", text, w)
		}
	}
}

// act hands a step to its handler.
func (b *bench) act(ctx context.Context, s plan.Step) (executor.Done, error) {
	handlers := executor.Handlers{}
	b.Register(handlers)
	return handlers[s.Op()].Do(ctx, &executor.Binding{}, s)
}
