// Package status is the page about the agent: whether it is running, what it can do
// here, and what is wrong.
package status

import (
	"utter/shared/bus"
	"utter/shared/profile"
	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
)

// A Part is a part of the desktop and its state.
type Part struct {
	bus.Part
	Title  string
	Status string // the state in words
}

// An Agent is asked and started. Answers come on the main loop.
type Agent interface {
	Doctor(answer func([]bus.Part, error))
	Start(answer func(error))
}

// A Login starts the agent with the session. Its methods block.
type Login interface {
	// Enabled reports whether it does; ok is false where nothing here can.
	Enabled() (on, ok bool)
	Enable(on bool) error
}

// A Problem describes an error in a file, as the page shows it.
type Problem struct {
	Title  string // what is wrong
	Where  string // file, line and column
	File   string
	Detail string // the raw text
	Broken bool
}

// A State is all that the page shows.
type State struct {
	Running    bool
	Starting   bool
	Error      string // what could not be done, or ""
	Detail     string // why, in English
	Version    string
	Compositor string
	Parts      []Part
	Problems   []Problem
	CanLogin   bool
	Login      bool
}

// A Model holds the page.
type Model struct {
	session *session.Session
	agent   Agent
	login   Login
	async   session.Async
	shown   func(State)
	state   State
	turn    int  // of Refresh
	setting bool // Login is being set
}

// New returns a model.
func New(s *session.Session, agent Agent, login Login, async session.Async, shown func(State)) *Model {
	m := &Model{session: s, agent: agent, login: login, async: async, shown: shown}
	m.take()
	s.Subscribe(m.follow)
	return m
}

// State returns what the page shows now.
func (m *Model) State() State { return m.state }

// take takes what the session knows and reports whether the agent has begun.
func (m *Model) take() (began bool) {
	a := m.session.Agent()
	began = a.Running && !m.state.Running
	m.state.Running, m.state.Version, m.state.Compositor = a.Running, a.Version, a.Compositor
	if began {
		m.state.Starting = false
		m.fail("", nil)
	}
	if !a.Running {
		m.state.Parts = nil
	}
	m.state.Problems = Problems(m.session.Problems())
	return began
}

// fail notes what could not be done, if err is not nil, and why.
func (m *Model) fail(what string, err error) {
	m.state.Error, m.state.Detail = "", ""
	if err != nil {
		m.state.Error, m.state.Detail = what, err.Error()
	}
}

func (m *Model) follow() {
	began := m.take()
	m.shown(m.state)
	if began {
		m.Refresh()
	}
}

// Problems makes problems readable.
func Problems(list []profile.Problem) []Problem {
	var all []Problem
	for _, p := range list {
		all = append(all, Problem{
			Title: wording.Problem(p), Where: wording.Place(p.Origin), File: p.Origin.File, Detail: p.Error(),
			Broken: p.Severity == profile.Broken,
		})
	}
	return all
}

// Refresh looks at the parts of the desktop again.
func (m *Model) Refresh() {
	m.turn++
	turn := m.turn
	var on, ok bool
	m.async(func() error {
		on, ok = m.login.Enabled()
		return nil
	}, func(error) {
		if turn == m.turn && !m.setting {
			m.state.Login, m.state.CanLogin = on, ok
			m.shown(m.state)
		}
	})
	if !m.session.Agent().Running {
		return
	}
	m.agent.Doctor(func(parts []bus.Part, err error) {
		if err != nil || turn != m.turn || !m.state.Running {
			return // it has gone, which follow hears of, or was asked again
		}
		m.state.Parts = nil
		for _, p := range parts {
			m.state.Parts = append(m.state.Parts, Part{p, wording.Part(p.Name), wording.PartState(p.State)})
		}
		m.shown(m.state)
	})
}

// Start starts the agent.
func (m *Model) Start() {
	m.state.Starting = true
	m.fail("", nil)
	m.shown(m.state)
	m.agent.Start(func(err error) {
		m.state.Starting = false
		m.fail(tr.T("It cannot be started"), err)
		m.shown(m.state)
	})
}

// SetLogin makes the agent start with the session, or no longer.
func (m *Model) SetLogin(on bool) {
	if on == m.state.Login {
		return
	}
	m.state.Login = on
	if !m.setting {
		m.setLogin()
	}
}

// setLogin does what was asked for last: while one is done, another may come.
func (m *Model) setLogin() {
	on := m.state.Login
	m.setting = true
	m.fail("", nil)
	m.async(func() error { return m.login.Enable(on) }, func(err error) {
		m.setting = false
		switch {
		case err != nil:
			m.fail(tr.T("This cannot be changed here"), err)
		case m.state.Login != on:
			m.setLogin()
			return
		}
		m.Refresh()
	})
}
