package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"utter/agent/runner/sandbox"
	"utter/agent/runner/stream"
	"utter/shared/config"
	"utter/shared/plugin/protocol"
)

// Shared is what all plugins of a runner share. It must not be changed.
type Shared struct {
	Box     *sandbox.Box
	Mode    sandbox.Mode
	Guarded []string // files that no plugin may be given to write
	Folder  string   // the runner's own, where plugins get sockets and temporary files
	Dir     string   // the runner's working directory
	Python  string   // what PYTHONPATH begins with
	Environ []string // the runner's
	Runner  string   // its name and version, for hello
	// Timeout returns how long a plugin may take to answer.
	Timeout func() time.Duration
	Streams *stream.Table
	Events  Events
	Log     *slog.Logger
	Pace    Pace
}

// Pace says how patient the supervisor is. Zero values are those of DefaultPace.
type Pace struct {
	FirstPause, LongestPause time.Duration // between a crash and the next start
	GiveUp                   int           // starts in a row that ended too soon
	Steady                   time.Duration // a life that long forgets the crashes before
	Beat                     time.Duration // between signs of life
	LateReply                time.Duration // for the reply to a call that timed out
}

// DefaultPace is that of the runner.
var DefaultPace = Pace{
	FirstPause: 200 * time.Millisecond, LongestPause: 30 * time.Second, GiveUp: 8, Steady: time.Minute,
	Beat: 15 * time.Second, LateReply: 10 * time.Second,
}

// Events are told what plugins do. Its methods are called from many goroutines
// and, but for Admit and Serve, must not wait.
type Events interface {
	// Changed says that the state of a plugin is another.
	Changed()
	// Admit decides whether a plugin that shook hands may run. It may wait for
	// others to start.
	Admit(ctx context.Context, p *Plugin, a protocol.Agreement) error
	// Gone says that a process of p has ended that had shaken hands, or tried to.
	Gone(p *Plugin)
	// Rests says that p waits to be started again.
	Rests(p *Plugin)
	// Serve answers a request of a plugin.
	Serve(ctx context.Context, l *Live, method string, params json.RawMessage) (any, error)
}

// A State is what is known of a plugin.
type State struct {
	Status string
	Reason string // why it is not ok
	Epoch  int
	Live   *Live // nil unless it can be called
	// Last is the last Live that shook hands, running or not; nil before the first.
	Last *Live
}

// A Plugin is one entry of the configuration with its processes, one after
// another.
type Plugin struct {
	Entry  config.Plugin // never changed
	shared *Shared
	log    *slog.Logger
	lines  Lines

	again chan struct{} // asks for a new process

	mu      sync.Mutex
	talk    meter // of what goes to the log
	state   State
	resting bool     // waits for again, or for its pause to end
	lacking []string // capabilities whose absence it rests for
}

// New returns a plugin that has not been started. epoch is that of its first
// process.
func New(shared *Shared, entry config.Plugin, epoch int) *Plugin {
	return &Plugin{
		Entry: entry, shared: shared, log: shared.Log.With("plugin", entry.ID),
		again: make(chan struct{}, 1), talk: meter{limit: 100},
		state: State{Status: protocol.StatusCreated, Epoch: epoch},
	}
}

// ID returns the id of the plugin.
func (p *Plugin) ID() string { return p.Entry.ID }

// State returns what is known now.
func (p *Plugin) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state
}

// Live returns the process that can be called, or nil.
func (p *Plugin) Live() *Live { return p.State().Live }

// Starting reports whether it may soon be usable although it is not.
func (s State) Starting() bool {
	return s.Status == protocol.StatusCreated || s.Status == protocol.StatusStarting
}

// Lines returns what the plugin last said on its standard error and by $/log, and
// what the runner says of its life, marked as such.
func (p *Plugin) Lines() []string { return p.lines.All() }

// say keeps a line of the plugin's and, within reason, logs it.
func (p *Plugin) say(from, line string) {
	if strings.HasPrefix(line, strings.TrimSpace(ofRunner)) {
		line = `\` + line
	}
	p.lines.Add(line)
	p.mu.Lock()
	ok, lost := p.talk.admit(time.Now())
	p.mu.Unlock()
	if lost > 0 {
		p.log.Warn("the plugin logs too much; lines were dropped", "count", lost)
	}
	if ok {
		p.log.Info("the plugin says", "from", from, "line", line)
	}
}

// note adds to what the plugin said what became of it.
func (p *Plugin) note(what string) { p.lines.Add(escaped(ofRunner + what)) }

// Restart asks for a new process, at once, crashes forgotten.
func (p *Plugin) Restart() {
	select {
	case p.again <- struct{}{}:
	default:
	}
}

// Waits says what a plugin that starts waits for.
func (p *Plugin) Waits(reason string) {
	p.set(func(s *State) {
		if s.Status == protocol.StatusStarting {
			s.Reason = reason
		}
	})
}

// Offer says that a capability has appeared. A plugin that rests because it
// lacked one of them is started.
func (p *Plugin) Offer(provided []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.lacking {
		for _, there := range provided {
			if c == there && p.resting {
				p.lacking = nil
				p.Restart()
				return
			}
		}
	}
}

// Degrade says why the plugin, if it runs, is not what it could be; "" takes
// that back.
func (p *Plugin) Degrade(reason string) {
	p.mu.Lock()
	l := p.state.Live
	if l == nil {
		p.mu.Unlock()
		return
	}
	before := p.state
	l.lacks = reason
	p.state.Status, p.state.Reason = l.condition()
	changed := before.Status != p.state.Status || before.Reason != p.state.Reason
	p.mu.Unlock()
	if changed {
		p.shared.Events.Changed()
	}
}

// health notes what the plugin says of itself.
func (p *Plugin) health(l *Live, h protocol.HealthResult) {
	p.mu.Lock()
	if p.state.Live == l {
		l.said = h
		p.state.Status, p.state.Reason = l.condition()
	}
	p.mu.Unlock()
	p.shared.Events.Changed()
}

func (p *Plugin) set(change func(*State)) {
	p.mu.Lock()
	change(&p.state)
	s := p.state
	p.mu.Unlock()
	p.log.Debug("state", "status", s.Status, "epoch", s.Epoch, "reason", s.Reason)
	p.shared.Events.Changed()
}

// Run keeps the plugin running until ctx ends, and returns when nothing of it is
// left. Call it once.
func (p *Plugin) Run(ctx context.Context) {
	pace := p.shared.Pace.orDefault()
	crashes := 0
	for {
		began := time.Now()
		err := p.live(ctx)
		if ctx.Err() != nil {
			break
		}
		if time.Since(began) >= pace.Steady {
			crashes = 0
		}
		if errors.Is(err, errAgain) {
			crashes = 0
			p.note("restarted on request")
		} else {
			crashes++
			if p.rest(ctx, err, crashes, pace) {
				crashes = 0
			}
		}
		if ctx.Err() != nil {
			break
		}
		p.set(func(s *State) { s.Epoch++ })
	}
	p.set(func(s *State) { s.Status, s.Reason, s.Live = protocol.StatusStopped, "", nil })
}

// rest waits until the plugin is to be started again, and reports whether
// somebody asked for it.
func (p *Plugin) rest(ctx context.Context, err error, crashes int, pace Pace) (asked bool) {
	var wait <-chan time.Time
	reason := err.Error()
	switch {
	case permanent(err):
		p.note("is not running: " + reason)
		p.log.Error("the plugin is not running", "error", err)
	case crashes >= pace.GiveUp:
		reason = "given up after " + plural(crashes, "failure") + ": " + reason
		p.note(reason)
		p.log.Error("gave up on the plugin; utter runner restart starts it again", "failures", crashes, "error", err)
	default:
		pause := min(pace.FirstPause<<min(crashes-1, 20), pace.LongestPause)
		p.note(reason + "; restarts in " + pause.String())
		reason += "; restarts soon"
		p.log.Warn("the plugin ended; it will be restarted", "error", err, "pause", pause)
		timer := time.NewTimer(pause)
		defer timer.Stop()
		wait = timer.C
	}
	p.mu.Lock()
	p.resting, p.lacking = true, protocol.ErrorData(err).Missing
	p.mu.Unlock()
	p.set(func(s *State) { s.Status, s.Reason, s.Live = protocol.StatusError, reason, nil })
	defer func() {
		p.mu.Lock()
		p.resting = false
		p.mu.Unlock()
	}()
	p.shared.Events.Rests(p)
	select {
	case <-p.again:
		return true
	case <-wait:
	case <-ctx.Done():
	}
	return false
}

func (a Pace) orDefault() Pace {
	d := DefaultPace
	set := func(to *time.Duration, from time.Duration) {
		if from > 0 {
			*to = from
		}
	}
	set(&d.FirstPause, a.FirstPause)
	set(&d.LongestPause, a.LongestPause)
	set(&d.Steady, a.Steady)
	set(&d.Beat, a.Beat)
	set(&d.LateReply, a.LateReply)
	if a.GiveUp > 0 {
		d.GiveUp = a.GiveUp
	}
	return d
}
