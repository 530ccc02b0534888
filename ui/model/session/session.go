// Package session holds what all pages of the settings app share: what is known about
// the applications, the changes of this session, whether the agent is running, and
// the most urgent problem. It does not interpret phrases; the agent does.
//
// A Session and all models belong to one goroutine, that of the main loop. Work that
// takes time runs in Async.
package session

import (
	"maps"
	"slices"
	"time"

	"utter/shared/catalog"
	"utter/shared/profile"
	"utter/shared/xdg"
	"utter/ui/model/undo"
)

// An Async runs work off the main loop and then done, with work's result, on
// it. Tests run both at once.
type Async func(work func() error, done func(error))

// A Later calls f on the main loop after d, unless cancelled before.
type Later func(d time.Duration, f func()) (cancel func())

// SaveAfter is how long after the last change a draft is saved.
const SaveAfter = 600 * time.Millisecond

// Parts are what a Session works with.
type Parts struct {
	Async Async
	Dirs  xdg.Dirs
	// Load reads what has changed of the applications. It is called by one
	// goroutine at a time.
	Load func() (*catalog.Library, error)
	// Seen reports whether the last Load saw these files as they are now. It is
	// not called during one.
	Seen func(paths []string) bool
	// Tell makes a running agent read the files again. It starts none.
	Tell func() error
	// Write replaces the content of a file; nil is atomicfile.Write.
	Write undo.Writer
}

// An AgentState is what is known of the agent.
type AgentState struct {
	Running    bool
	Version    string
	Compositor string // "" where it found none
	Problems   []profile.Problem
}

// A Toast is a short message that stays until it is closed or another comes.
type Toast struct {
	Text    string
	CanUndo bool
}

// A Session holds the shared state. Its methods are for the main loop.
type Session struct {
	parts Parts

	lib      *catalog.Library
	stack    undo.Stack
	agent    AgentState
	readOnly bool // the folder of the profiles

	agentKnown bool // whether it runs

	lastGood  map[string][]byte // of the files that are broken now or have gone, too
	loading   bool
	loadAgain bool
	noticed   []string // files that may have changed during the load
	loadFault error    // of the last load
	loadError error    // loadFault until the user has given it up
	loadOver  bool     // at least one load has ended
	loaded    []func() // wait for a load that begins after them
	followed  []*followed

	jobs    []func(finished func()) // changes that wait for their turn
	running bool                    // the first of jobs
	idle    []func()                // wait for the end of jobs
	held    []*held                 // changes that wait for the user

	listeners []*func()
	// Toasted shows a toast. It may be nil.
	Toasted func(Toast)
}

// New returns a Session that knows nothing before Reload.
func New(p Parts) *Session { return &Session{parts: p, lastGood: map[string][]byte{}} }

// Library returns what is known of the applications, nil before the first load.
func (s *Session) Library() *catalog.Library { return s.lib }

// Agent returns what is known of the agent.
func (s *Session) Agent() AgentState { return s.agent }

// ReadOnly reports whether no profile can be written.
func (s *Session) ReadOnly() bool { return s.readOnly }

// Subscribe has f called after every change, until the function it returns is
// called.
func (s *Session) Subscribe(f func()) (unsubscribe func()) {
	p := &f
	s.listeners = append(s.listeners, p)
	return func() { s.listeners = slices.DeleteFunc(s.listeners, func(q *func()) bool { return p == q }) }
}

func (s *Session) changed() {
	for _, f := range slices.Clone(s.listeners) {
		if slices.Contains(s.listeners, f) { // an earlier one may have ended it
			(*f)()
		}
	}
}

// SetAgent takes what was learned about the agent.
func (s *Session) SetAgent(a AgentState) {
	s.agent, s.agentKnown = a, true
	s.changed()
}

// AgentKnown reports whether SetAgent has been called: until then nobody knows
// whether the agent runs.
func (s *Session) AgentKnown() bool { return s.agentKnown }

// Notify shows a message that nothing can be done about.
func (s *Session) Notify(text string) { s.toast(Toast{Text: text}) }

func (s *Session) toast(t Toast) {
	if s.Toasted != nil {
		s.Toasted(t)
	}
}

// Reload reads what has changed on disk. Calls while it reads become one more.
func (s *Session) Reload() {
	if s.loading {
		s.loadAgain = true
		return
	}
	s.loading = true
	waiting := s.loaded
	s.loaded = nil
	var lib *catalog.Library
	readOnly := false
	var take []func()
	followed := slices.Clone(s.followed)
	s.parts.Async(func() (err error) {
		lib, err = s.parts.Load()
		readOnly = !writable(s.parts.Dirs.Profiles())
		for _, f := range followed {
			if f.changed() {
				take = append(take, f.read())
			}
		}
		return err
	}, func(err error) {
		s.loading, s.loadOver = false, true
		s.loadFault, s.loadError = err, err
		s.readOnly = readOnly
		if err == nil {
			s.lib = lib
			maps.Copy(s.lastGood, lib.LastGood())
		}
		for _, f := range take {
			f()
		}
		s.changed()
		for _, f := range waiting {
			f()
		}
		noticed := s.noticed
		s.noticed = nil
		if s.loadAgain {
			s.loadAgain = false
			s.Reload()
		} else if len(noticed) > 0 {
			s.Noticed(noticed)
		}
		s.proceed()
	})
}

// Noticed is Reload unless the last load saw these files as they are now, which
// it did where this process wrote them. No paths are all files.
func (s *Session) Noticed(paths []string) {
	switch {
	case len(paths) == 0:
		s.Reload()
	case s.loading:
		s.noticed = append(s.noticed, paths...)
	case !s.parts.Seen(paths):
		s.Reload()
	}
}

// reload is Reload; then is called when all that is on disk now is known.
func (s *Session) reload(then func()) {
	s.loaded = append(s.loaded, then)
	s.Reload()
}

// Follow has every load look at file as well. Where it has changed since the load
// before, read is called off the main loop, and what it returns on it.
func (s *Session) Follow(file string, read func() (take func())) {
	s.followed = append(s.followed, &followed{file: file, read: read})
}

// do runs jobs one after the other, in their order; each begins with a Library
// that knows what the one before it has written. The first waits for a load.
func (s *Session) do(job func(finished func())) {
	s.jobs = append(s.jobs, job)
	s.proceed()
}

// proceed begins what waits and can begin.
func (s *Session) proceed() {
	for !s.running && !s.loading {
		switch {
		case len(s.jobs) > 0 && !s.loadOver:
			return
		case len(s.jobs) > 0:
			s.running = true
			s.jobs[0](func() {
				s.running = false
				s.jobs = s.jobs[1:]
				s.proceed()
			})
		case len(s.idle) > 0:
			f := s.idle[0]
			s.idle = s.idle[1:]
			f()
		default:
			return
		}
	}
}

// Busy reports whether a change is being written.
func (s *Session) Busy() bool { return len(s.jobs) > 0 }

// WhenIdle calls f once no change is being written or waits for it.
func (s *Session) WhenIdle(f func()) {
	s.idle = append(s.idle, f)
	s.proceed()
}
