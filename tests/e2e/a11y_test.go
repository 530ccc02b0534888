package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// A role is AT-SPI's number for what a widget is. The names that programs give
// to roles differ between versions.
type role uint32

const (
	roleAny      role = 0 // every control
	roleAlert    role = 2
	roleSwitch   role = 7 // and check boxes
	roleCombo    role = 11
	roleDialog   role = 16
	roleWindow   role = 23
	roleImage    role = 27
	roleLabel    role = 29
	roleList     role = 31
	roleListItem role = 32
	roleMenu     role = 33
	roleMenuItem role = 35
	rolePanel    role = 39 // and whatever has no other
	roleButton   role = 43
	roleRadio    role = 44 // and the toggles of a group
	roleSpin     role = 52
	roleText     role = 61
	roleToggle   role = 62
	roleSearch   role = 79
	roleLink     role = 88
	roleGroup    role = 99
)

var roleNames = map[role]string{
	roleAny: "control", roleAlert: "alert", roleSwitch: "switch", roleCombo: "combo", roleDialog: "dialog",
	roleWindow: "window", roleImage: "image", roleLabel: "label", roleList: "list", roleListItem: "list item",
	roleMenu: "menu", roleMenuItem: "menu item", roleButton: "button", roleRadio: "radio", roleSpin: "spin button",
	roleText: "text", roleToggle: "toggle", roleSearch: "search", roleLink: "link", roleGroup: "group",
}

// controls are the roles of what a user can act on.
var controls = []role{roleSwitch, roleCombo, roleListItem, roleMenuItem, roleButton, roleRadio, roleSpin, roleText,
	roleToggle, roleSearch, roleLink}

// texts are the roles of what holds text. A label is called by its text.
var texts = []role{roleText, roleSearch, roleSpin}

func (r role) String() string {
	if name, ok := roleNames[r]; ok {
		return name
	}
	return fmt.Sprintf("role %d", uint32(r))
}

// A state is AT-SPI's number of one, and states a set of them.
type (
	state  uint
	states uint64
)

const (
	stateChecked   state = 4
	stateExpanded  state = 10
	stateFocused   state = 12
	statePressed   state = 20
	stateSelected  state = 23
	stateSensitive state = 24
	stateInvalid   state = 36
)

var stateNames = map[state]string{
	stateChecked: "checked", stateExpanded: "expanded", stateFocused: "focused", statePressed: "pressed",
	stateSelected: "selected", stateInvalid: "invalid",
}

func (s states) has(one state) bool { return s&(1<<one) != 0 }

func (s states) String() string {
	var names []string
	for one, name := range stateNames {
		if s.has(one) {
			names = append(names, name)
		}
	}
	if !s.has(stateSensitive) {
		names = append(names, "insensitive")
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// A place is where a widget is on the accessibility bus.
type place struct {
	Bus  string
	Path dbus.ObjectPath
}

const (
	labelledBy  = 2
	describedBy = 18
)

const atspi = "org.a11y.atspi."

// An app is a program as a screen reader sees it.
type app struct {
	s    *Session
	pid  int
	conn *dbus.Conn
	root place

	process *process // of one that settings started
	closed  bool     // by the test

	mu     sync.Mutex
	spoken []string
	moves  []place // where the focus went, by and by
}

// app waits until a program is on the accessibility bus.
func (s *Session) app(pid int) *app {
	s.t.Helper()
	a := s.screenReader()
	a.follow(pid)
	return a
}

// screenReader listens to all programs that come.
func (s *Session) screenReader() *app {
	s.t.Helper()
	var address string
	launcher := s.conn.Object("org.a11y.Bus", "/org/a11y/bus")
	if err := launcher.Call("org.a11y.Bus.GetAddress", 0).Store(&address); err != nil {
		s.t.Fatalf("the accessibility bus: %v", err)
	}
	conn, err := dbus.Connect(address)
	if err != nil {
		s.t.Fatalf("the accessibility bus: %v", err)
	}
	s.t.Cleanup(func() { conn.Close() })
	a := &app{s: s, conn: conn}
	a.listen()
	return a
}

// follow waits until the program to read is on the bus.
func (a *app) follow(pid int) {
	a.s.t.Helper()
	a.pid = pid
	a.s.await("the program on the accessibility bus", 10*time.Second, func() bool {
		a.root = a.rootOf(pid)
		return a.root.Path != ""
	})
}

// rootOf returns the place of the program with a pid, or the zero place.
func (a *app) rootOf(pid int) place {
	var programs []place
	a.call(place{atspi + "Registry", "/org/a11y/atspi/accessible/root"}, "Accessible.GetChildren").Store(&programs)
	for _, p := range programs {
		var owner uint32
		a.conn.BusObject().Call("org.freedesktop.DBus.GetConnectionUnixProcessID", 0, p.Bus).Store(&owner)
		if int(owner) == pid {
			return p
		}
	}
	return place{}
}

func (a *app) call(p place, method string, args ...any) *dbus.Call {
	return a.conn.Object(p.Bus, p.Path).Call(atspi+method, 0, args...)
}

// listen notes what programs announce from now on, and where the focus goes.
func (a *app) listen() {
	a.s.t.Helper()
	for _, member := range []string{"Announcement", "StateChanged"} {
		err := a.conn.AddMatchSignal(dbus.WithMatchInterface(atspi+"Event.Object"), dbus.WithMatchMember(member))
		if err != nil {
			a.s.t.Fatal(err)
		}
	}
	registry := a.conn.Object(atspi+"Registry", "/org/a11y/atspi/registry")
	if err := registry.Call(atspi+"Registry.RegisterEvent", 0, "object:state-changed:focused",
		[]string{}, "").Err; err != nil {
		a.s.t.Fatalf("listen for the focus: %v", err) // unasked, programs tell of announcements only
	}
	signals := make(chan *dbus.Signal, 1000)
	a.conn.Signal(signals)
	go func() {
		for signal := range signals {
			a.note(signal)
		}
	}()
}

func (a *app) note(signal *dbus.Signal) {
	if len(signal.Body) < 4 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	v, _ := signal.Body[3].(dbus.Variant)
	text, isText := v.Value().(string)
	switch {
	case strings.HasSuffix(signal.Name, ".Announcement") && isText:
		a.spoken = append(a.spoken, text)
	case signal.Body[0] == "focused" && signal.Body[1] == int32(1):
		a.moves = append(a.moves, place{signal.Sender, signal.Path})
	}
}

// moved returns where the focus has gone so far.
func (a *app) moved() []place {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.moves)
}

// announced returns what has been announced so far.
func (a *app) announced() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.spoken)
}
