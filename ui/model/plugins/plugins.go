// Package plugins is the page about the plugins of the runner. The runner reports
// their state; the configuration file says which of them are enabled.
package plugins

import (
	"errors"
	"reflect"
	"time"

	"utter/shared/config"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/runnerclient"
	"utter/ui/model/session"
	"utter/ui/model/tr"
)

// A Runner is asked and started. Its methods block.
type Runner interface {
	// Rows says the state of the plugins. The error is runnerclient.ErrNoRunner
	// where none runs.
	Rows() ([]protocol.PluginRow, error)
	Restart(id string) error
	Log(id string) ([]string, error)
	// CanStart reports whether there is someone here to start a runner.
	CanStart() bool
	Start() error
}

// How often the runner is asked while somebody looks: it tells nobody of changes.
// After the user has done something it is asked sooner, some times.
const (
	Pause      = 1500 * time.Millisecond
	ShortPause = 250 * time.Millisecond
	shortOnes  = 12
)

// StartTime is how long a runner that was started may take to answer.
const StartTime = 10 * time.Second

// A Model holds the page.
type Model struct {
	session *session.Session
	runner  Runner
	file    string
	read    func() (config.Config, error)
	async   session.Async
	later   session.Later
	shown   func(State)
	last    State // that was shown

	now    config.Config
	err    error            // why now is not what the file says
	wanted map[string]*bool // what is being written, by id

	rows    []protocol.PluginRow
	rowsErr error
	asked   bool // rows and rowsErr say something

	visible       bool // the page may be seen
	active        bool // and the window has the focus
	asking, again bool
	soon          int    // so many more questions come after a short pause
	cancel        func() // of the next question

	canStart, startKnown bool
	starting             bool
	waiting              func() // ends the wait for a runner that was started
	reading              bool   // a log
	trouble, detail      string
}

// New returns a model, which asks nothing before Show. read reads the
// configuration file; it is called now, and with the session's loads off the main
// loop, where the file has changed.
func New(s *session.Session, runner Runner, file string, read func() (config.Config, error), async session.Async,
	later session.Later, shown func(State)) *Model {
	m := &Model{
		session: s, runner: runner, file: file, read: read, async: async, later: later, shown: shown,
		wanted: map[string]*bool{}, cancel: func() {}, waiting: func() {},
	}
	m.now, m.err = read()
	s.Follow(file, m.reread)
	return m
}

// reread reads the file off the main loop; take takes what it says on it.
func (m *Model) reread() (take func()) {
	now, err := m.read()
	return func() {
		m.now, m.err = now, err
		m.show()
		m.askSoon()
	}
}

// show shows what has changed: most answers of the runner are as those before.
func (m *Model) show() {
	if s := m.State(); !reflect.DeepEqual(s, m.last) {
		m.last = s
		m.shown(s)
	}
}

func (m *Model) phase() Phase {
	switch {
	case !m.asked:
		return Asking
	case errors.Is(m.rowsErr, runnerclient.ErrNoRunner):
		return NoRunner
	case m.rowsErr != nil:
		return Failed
	case len(m.rows) == 0:
		return Empty
	}
	return Listed
}

// Show says that the page may be seen: the runner is asked, and again when
// something is done. It is asked now and then while the window has the focus as
// well: whether a window without it is in sight not every compositor tells.
func (m *Model) Show() {
	m.visible, m.startKnown = true, false
	m.ask()
}

// SetActive says whether the window has the focus.
func (m *Model) SetActive(active bool) {
	if m.active == active {
		return
	}
	switch m.active = active; {
	case active:
		m.ask()
	case m.soon == 0:
		m.cancel()
	}
}

// Hide says that the page cannot be seen: the runner is asked no more.
func (m *Model) Hide() {
	m.visible, m.soon = false, 0
	m.cancel()
}

// askSoon asks now, and some times more after short pauses.
func (m *Model) askSoon() {
	if m.visible {
		m.soon = shortOnes
		m.ask()
	}
}

// ask asks the runner, if somebody may look, and again after a pause.
func (m *Model) ask() {
	m.cancel()
	switch {
	case !m.visible:
		return
	case m.asking:
		m.again = true // what comes may be old already
		return
	}
	m.asking = true
	startKnown := m.startKnown
	var rows []protocol.PluginRow
	canStart := m.canStart
	m.async(func() (err error) {
		rows, err = m.runner.Rows()
		if !startKnown && errors.Is(err, runnerclient.ErrNoRunner) {
			canStart, startKnown = m.runner.CanStart(), true
		}
		return err
	}, func(err error) {
		m.asking = false
		m.canStart, m.startKnown = canStart, startKnown
		m.take(rows, err)
		m.show()
		m.askLater()
	})
}

// askLater asks at once where something was done since the last question, else
// after a pause.
func (m *Model) askLater() {
	if m.again {
		m.again = false
		m.ask()
		return
	}
	switch {
	case m.soon > 0: // which nothing is while the page cannot be seen
		m.soon--
		m.cancel = m.later(ShortPause, m.ask)
	case m.visible && m.active:
		m.cancel = m.later(Pause, m.ask)
	}
}

// take takes an answer of the runner.
func (m *Model) take(rows []protocol.PluginRow, err error) {
	was := m.phase()
	m.rows, m.rowsErr, m.asked = rows, err, true
	switch now := m.phase(); {
	case now == Failed:
		m.fail(tr.T("The plugin runner does not respond"), err)
	case now == NoRunner && was == NoRunner:
	default:
		m.fail("", nil)
	}
	if m.phase() != NoRunner {
		m.starting = false
		m.waiting()
	}
}

// fail notes what did not work, if err is not nil, and why.
func (m *Model) fail(what string, err error) {
	m.trouble, m.detail = "", ""
	if err != nil {
		m.trouble, m.detail = what, err.Error()
	}
}

// Start starts the runner.
func (m *Model) Start() {
	if m.starting {
		return
	}
	m.starting = true
	m.fail("", nil)
	m.show()
	m.async(m.runner.Start, func(err error) {
		if err != nil {
			m.starting = false
			m.fail(tr.T("It cannot be started"), err)
			m.show()
			return
		}
		m.waiting()
		m.waiting = m.later(StartTime, m.startedInVain)
		m.askSoon()
	})
}

// startedInVain ends the wait for a runner that has been started.
func (m *Model) startedInVain() {
	if !m.starting {
		return
	}
	m.starting = false
	m.fail(tr.T("It was started but does not respond"), errors.New("systemctl --user status utter-runner"))
	m.show()
}

// Switch switches a plugin on or off for good: in the configuration, which the
// runner then reads.
func (m *Model) Switch(id string, on bool) {
	if m.err != nil {
		return
	}
	label := tr.T("Turned off: %s", clean(id, maxWord))
	if on {
		label = tr.T("Turned on: %s", clean(id, maxWord))
	}
	want := &on
	m.wanted[id] = want
	m.show()
	m.session.RewriteConfig(session.Rewrite{About: "plugin\x00" + id, Label: label,
		To: func(file string, before []byte) ([]byte, error) {
			return config.EnablePlugin(file, before, id, on)
		}}, func(error) { // the session shows it
		if m.wanted[id] == want {
			delete(m.wanted, id)
		}
		m.show()
		m.askSoon()
	})
}

// Restart starts a plugin again, one that was given up too.
func (m *Model) Restart(id string) {
	name := clean(id, maxWord)
	m.async(func() error { return m.runner.Restart(id) }, func(err error) {
		text := tr.T("%s is being restarted", name)
		if err != nil {
			text = tr.T("%s could not be restarted", name)
		}
		m.session.Notify(text)
		m.askSoon()
	})
}

// Log tells what a plugin said last, a line a line, or what did not work. It
// tells nothing where the page is seen no more by then, or another log is being
// read.
func (m *Model) Log(id string, answer func(lines []string, trouble string)) {
	if m.reading {
		return
	}
	m.reading = true
	var lines []string
	m.async(func() (err error) {
		lines, err = m.runner.Log(id)
		return err
	}, func(err error) {
		m.reading = false
		if !m.visible {
			return
		}
		if err != nil {
			answer(nil, tr.T("The plugin runner has no log for this plugin"))
			return
		}
		var all []string
		for _, line := range lines[max(0, len(lines)-maxLines):] {
			all = append(all, clean(line, maxLine))
		}
		answer(all, "")
	})
}
