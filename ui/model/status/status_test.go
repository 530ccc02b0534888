package status

import (
	"errors"
	"slices"
	"testing"

	"utter/shared/bus"
	"utter/shared/profile"
	"utter/ui/model/session"
	"utter/ui/model/session/sessiontest"
)

// A machine has an agent and a login that do as the test says.
type machine struct {
	*sessiontest.Desk
	*Model
	shown    State
	doctors  []func([]bus.Part, error)
	started  []func(error)
	enabled  bool
	cannot   bool // start with the session
	refuses  error
	switched []bool
}

func (m *machine) Doctor(answer func([]bus.Part, error)) { m.doctors = append(m.doctors, answer) }

type starter struct{ *machine }

func (s starter) Start(answer func(error)) { s.started = append(s.started, answer) }

func (m *machine) Enabled() (on, ok bool) { return m.enabled, !m.cannot }

func (m *machine) Enable(on bool) error {
	m.switched = append(m.switched, on)
	if m.refuses == nil {
		m.enabled = on
	}
	return m.refuses
}

func newMachine(t *testing.T, setUp func(*sessiontest.Desk)) *machine {
	m := &machine{Desk: sessiontest.New(t, setUp)}
	m.Model = New(m.Session, starter{m}, m, m.Work.Async, func(s State) { m.shown = s })
	m.shown = m.State()
	return m
}

var running = session.AgentState{Running: true, Version: "1.2", Compositor: "niri"}

func TestTheAgentComesAndGoes(t *testing.T) {
	m := newMachine(t, nil)
	if m.shown.Running || m.shown.Parts != nil {
		t.Errorf("at the start %+v", m.shown)
	}
	m.Session.SetAgent(running)
	if s := m.shown; !s.Running || s.Version != "1.2" || s.Compositor != "niri" || !s.CanLogin || len(m.doctors) != 1 {
		t.Errorf("running: %+v, asked %d times", s, len(m.doctors))
	}
	parts := []bus.Part{{Name: "clipboard", State: "ok"}, {Name: "new", State: "broken", Detail: "x"},
		{Name: "browser", State: "absent"}}
	m.doctors[0](parts, nil)
	want := []Part{{parts[0], "Clipboard", "Works"}, {parts[1], "new", "Broken"}, {parts[2], "Browser", "Missing"}}
	if !slices.Equal(m.shown.Parts, want) {
		t.Errorf("parts %+v", m.shown.Parts)
	}
	m.Session.SetAgent(running)
	if len(m.doctors) != 1 {
		t.Error("asked though nothing has changed")
	}
	m.Refresh()
	m.Session.SetAgent(session.AgentState{})
	m.doctors[1](parts, nil) // too late
	if m.shown.Running || m.shown.Parts != nil || m.shown.Version != "" {
		t.Errorf("gone: %+v", m.shown)
	}
}

func TestStaleAnswersOfTheDoctor(t *testing.T) {
	m := newMachine(t, nil)
	m.Session.SetAgent(running)
	m.Refresh()
	m.doctors[1]([]bus.Part{{Name: "browser"}}, nil)
	m.doctors[0](nil, nil)
	m.doctors[1](nil, errors.New("gone"))
	if len(m.shown.Parts) != 1 {
		t.Errorf("parts %+v", m.shown.Parts)
	}
}

func TestStart(t *testing.T) {
	m := newMachine(t, nil)
	m.Start()
	if !m.shown.Starting {
		t.Errorf("shown %+v", m.shown)
	}
	m.started[0](errors.New("no such name"))
	if m.shown.Starting || m.shown.Error != "It cannot be started" || m.shown.Detail != "no such name" {
		t.Errorf("shown %+v", m.shown)
	}
	m.Start()
	if m.shown.Error != "" {
		t.Errorf("shown %+v", m.shown)
	}
	m.Session.SetAgent(running)
	m.started[1](nil)
	if m.shown.Starting || m.shown.Error != "" || !m.shown.Running {
		t.Errorf("shown %+v", m.shown)
	}
}

func TestLogin(t *testing.T) {
	m := newMachine(t, nil)
	m.Refresh()
	m.SetLogin(false) // is so already
	m.SetLogin(true)
	if !slices.Equal(m.switched, []bool{true}) || !m.shown.Login {
		t.Errorf("switched %v, shown %+v", m.switched, m.shown)
	}
	m.refuses = errors.New("read-only")
	m.SetLogin(false)
	if !m.shown.Login || m.shown.Error != "This cannot be changed here" || m.shown.Detail != "read-only" {
		t.Errorf("refused: %+v", m.shown)
	}
	m.refuses = nil
	m.SetLogin(false)
	if m.shown.Login || m.shown.Error != "" || m.shown.Detail != "" {
		t.Errorf("done: %+v", m.shown)
	}
	m.cannot = true
	m.Refresh()
	if m.shown.CanLogin {
		t.Errorf("where nothing can: %+v", m.shown)
	}
}

// TestASwitchTurnedTwice at once ends where it is.
func TestASwitchTurnedTwice(t *testing.T) {
	m := newMachine(t, nil)
	m.Work.ByHand = true
	m.SetLogin(true)
	m.Refresh() // must not turn it back meanwhile
	m.SetLogin(false)
	m.Work.Finish()
	if m.enabled || m.shown.Login || !slices.Equal(m.switched, []bool{true, false}) {
		t.Errorf("switched %v, shown %+v", m.switched, m.shown)
	}
}

func TestProblems(t *testing.T) {
	m := newMachine(t, func(d *sessiontest.Desk) { d.Profile("a.yaml", "id: a\nkind: x\nalises: []\n") })
	if len(m.shown.Problems) != 2 {
		t.Fatalf("problems %+v", m.shown.Problems)
	}
	p := m.shown.Problems[0]
	if p.Where != "a.yaml, line 2, column 7" || p.File != m.Path("a.yaml") || !p.Broken ||
		p.Detail == "" || p.Title == "" {
		t.Errorf("%+v", p)
	}
	if q := m.shown.Problems[1]; q.Broken ||
		q.Title != "“alises” is unknown and ignored. Did you mean “aliases”?" {
		t.Errorf("%+v", q)
	}
	m.Session.SetAgent(session.AgentState{Problems: []profile.Problem{{Origin: profile.Origin{File: "config.toml"}, Message: "raw"}}})
	if got := m.shown.Problems[2]; got.Title != "raw" || got.Where != "config.toml" {
		t.Errorf("the agent's: %+v", got)
	}
}
