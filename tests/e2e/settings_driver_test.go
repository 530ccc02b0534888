package e2e

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// shown is within what a window shows what it should.
const shown = 5 * time.Second

// rowAction is the action of what is activated as a whole: rows have none of
// their own.
const rowAction = "row.activate"

// settings opens the settings app. That it ends by itself or complains fails the
// test. Its memory is tidied up often: what the bindings free twice shows then.
func (s *Session) settings(args ...string) *app {
	s.t.Helper()
	if built.err != nil {
		s.t.Fatal(built.err)
	}
	a := s.screenReader()
	p := s.start("settings", append([]string{"env", "GOGC=20", "utter-settings"}, args...)...)
	s.awaitWindow("the settings", 20*time.Second, func(w Window) bool { return w.PID == p.pid() })
	a.follow(p.pid())
	a.process = p
	s.t.Cleanup(a.checkEnd)
	return a
}

// complaint begins what GTK and Go write of their bugs and ours.
var complaint = regexp.MustCompile(`(?m)^.*(-CRITICAL|-WARNING) \*\*.*|^(panic|fatal error|SIG[A-Z]+): .*`)

// checkEnd fails the test if the program has ended by itself or complained.
func (a *app) checkEnd() {
	a.s.t.Helper()
	if !a.closed && !alive(a.pid) {
		a.s.t.Error("the program has ended by itself")
	}
	for _, line := range complaint.FindAllString(contents(a.process.log), 5) {
		a.s.t.Errorf("it complains: %s", line)
	}
}

// close closes the window as the compositor does, and waits for the end of the
// program.
func (a *app) close() {
	a.s.t.Helper()
	a.closed = true
	a.s.sway().do("[pid=%d] kill", a.pid)
	a.ended()
}

// ended waits for the end of the program, which must be a success.
func (a *app) ended() {
	a.s.t.Helper()
	a.closed = true
	if status, ok := a.process.ended(shown); !ok || status != 0 {
		a.s.t.Fatalf("the window was closed: ended %v, exit status %d", ok, status)
	}
}

// await reads the tree until ok, and ends the test with the tree if that does
// not come.
func (a *app) await(what string, ok func(front *widget) bool) {
	a.s.t.Helper()
	if !eventually(shown, func() bool { return ok(a.front()) }) {
		a.s.t.Fatalf("%s: not within %v. The window:\n%s", what, shown, a.tree())
	}
}

// front reads the part of the tree that a user can reach: the topmost dialog,
// else all. GTK keeps what is under a dialog in the tree and does not call
// dialogs modal. A toast is an alert too, but has no name.
func (a *app) front() *widget {
	top := a.read()
	top.walk(func(w *widget) {
		if w.role == roleDialog || w.role == roleAlert && w.name != "" {
			top = w
		}
	})
	return top
}

// find waits for the one widget of a role and name. Of nested ones that share
// a name, as a row and its switch do, it is the outermost.
func (a *app) find(r role, name string) (found *widget) {
	a.s.t.Helper()
	a.await(fmt.Sprintf("one %v %q", r, name), func(front *widget) bool {
		all := front.named(r, name)
		if len(all) == 1 {
			found = all[0]
		}
		return len(all) == 1
	})
	return found
}

// gone waits until nothing of a role has a name.
func (a *app) gone(r role, name string) {
	a.s.t.Helper()
	a.await(fmt.Sprintf("no %v %q", r, name), func(front *widget) bool { return len(front.named(r, name)) == 0 })
}

func (w *widget) named(r role, name string) (found []*widget) {
	if w.name == name && (w.role == r || r == roleAny && slices.Contains(controls, w.role)) {
		return []*widget{w}
	}
	for _, c := range w.children {
		found = append(found, c.named(r, name)...)
	}
	return found
}

// parts returns w and what belongs to it: all below that has its name or none.
func (w *widget) parts() (all []*widget) {
	var collect func(part *widget)
	collect = func(part *widget) {
		if part != w && part.name != "" && (part.name != w.name || part.role == roleLabel) {
			return
		}
		all = append(all, part)
		for _, c := range part.children {
			collect(c)
		}
	}
	collect(w)
	return all
}

// part returns the first of w's parts that fits, or nil.
func (w *widget) part(fits func(*widget) bool) *widget {
	if i := slices.IndexFunc(w.parts(), fits); i >= 0 {
		return w.parts()[i]
	}
	return nil
}

// action returns the number of the action that activates w itself. Buttons have
// one, whose name is translated; names with a dot are actions of the program.
func (w *widget) action() (i int, ok bool) {
	if i := slices.Index(w.actions, rowAction); i >= 0 {
		return i, true
	}
	return 0, len(w.actions) == 1 && !strings.Contains(w.actions[0], ".")
}

// all returns the states of w and its parts.
func (w *widget) all() (all states) {
	for _, part := range w.parts() {
		all |= part.states
	}
	return all
}

// activate does what a click on the control with a name does.
func (a *app) activate(name string) {
	a.s.t.Helper()
	a.activateIn(roleAny, name)
}

// activateIn is activate for a name that controls of several roles have.
func (a *app) activateIn(r role, name string) {
	a.s.t.Helper()
	w := a.awaitStateIn(r, name, stateSensitive, true)
	part := w.part(func(p *widget) bool { _, ok := p.action(); return ok })
	if part == nil {
		a.s.t.Fatalf("%v has no action. The window:\n%s", w, a.tree())
	}
	i, _ := part.action()
	var ok bool
	if err := a.call(part.place, "Action.DoAction", int32(i)).Store(&ok); err != nil || !ok {
		a.s.t.Fatalf("activate %v: %v, %v", w, ok, err)
	}
}

// field waits for the text box with a name.
func (a *app) field(name string) (found *widget) {
	a.s.t.Helper()
	a.await(fmt.Sprintf("a text box %q", name), func(front *widget) bool {
		found = front.box(name)
		return found != nil
	})
	return found
}

// box returns the one text box with a name, or nil.
func (w *widget) box(name string) *widget {
	for _, r := range texts {
		if all := w.named(r, name); len(all) == 1 {
			return all[0]
		}
	}
	return nil
}

// setText replaces what is in the text box with a name. It presses no Enter.
func (a *app) setText(name, text string) {
	a.s.t.Helper()
	var w *widget
	a.await(fmt.Sprintf("a text box %q to write in", name), func(front *widget) bool {
		w = front.box(name)
		return w != nil && w.states.has(stateSensitive)
	})
	var ok bool
	err := a.call(w.place, "EditableText.SetTextContents", text).Store(&ok)
	if err != nil || !ok {
		a.s.t.Fatalf("set the text of %q: %v, %v", name, ok, err)
	}
}

// text returns what is in the text box with a name.
func (a *app) text(name string) string {
	a.s.t.Helper()
	return a.field(name).text
}

// checkText waits for the text box with a name to hold want.
func (a *app) checkText(name, want string) {
	a.s.t.Helper()
	if !eventually(shown, func() bool { return a.text(name) == want }) {
		a.s.t.Errorf("%q: %s", name, difference(a.text(name), want))
	}
}

// awaitState waits until the control with a name has a state, or has it not.
func (a *app) awaitState(name string, one state, want bool) {
	a.s.t.Helper()
	a.awaitStateIn(roleAny, name, one, want)
}

func (a *app) awaitStateIn(r role, name string, one state, want bool) (found *widget) {
	a.s.t.Helper()
	what := cmp.Or(stateNames[one], "sensitive")
	a.await(fmt.Sprintf("%v %q %s: %v", r, name, what, want), func(front *widget) bool {
		all := front.named(r, name)
		if len(all) == 1 {
			found = all[0]
		}
		if one == stateSensitive && found != nil {
			return len(all) == 1 && found.states.has(one) == want // what is within does not hear of it
		}
		return len(all) == 1 && found.all().has(one) == want
	})
	return found
}

// label returns what is written in w: its name, else its first label.
func (w *widget) label() (text string) {
	w.walk(func(below *widget) {
		if text == "" && (below == w || below.role == roleLabel) {
			text = below.name
		}
	})
	return text
}

// chosen returns what the combo with a name shows.
func (a *app) chosen(name string) (option string) {
	a.s.t.Helper()
	a.find(roleCombo, name).walk(func(w *widget) {
		if option == "" && w.role == roleListItem {
			option = w.label()
		}
	})
	return option
}

// choose opens the combo with a name and takes an option by the keyboard, as
// lists cannot be selected from through accessibility.
func (a *app) choose(name, option string) {
	a.s.t.Helper()
	keyboard := a.s.sway().keyboard
	a.activateIn(roleCombo, name)
	a.await("the options of "+name, func(*widget) bool {
		w := a.focused()
		return w != nil && w.role == roleListItem
	})
	keyboard.press(0, codeHome)
	for range 50 {
		if eventually(200*time.Millisecond, func() bool { w := a.focused(); return w != nil && w.label() == option }) {
			keyboard.press(0, codeEnter)
			a.await(name+" shows "+option, func(*widget) bool { return a.chosen(name) == option })
			return
		}
		keyboard.press(0, codeDown)
	}
	a.s.t.Fatalf("%q does not offer %q. The window:\n%s", name, option, a.tree())
}

// window returns the window that was opened last.
func (a *app) window() (found *widget) {
	a.read().walk(func(w *widget) {
		if w.role == roleWindow {
			found = w
		}
	})
	if found == nil {
		a.s.t.Fatal("the program has no window")
	}
	return found
}

// checkAnnounced waits until text is in something that was announced.
func (a *app) checkAnnounced(text string) {
	a.s.t.Helper()
	heard := func() bool {
		return slices.ContainsFunc(a.announced(), func(s string) bool { return strings.Contains(s, text) })
	}
	if !eventually(shown, heard) {
		a.s.t.Errorf("announced %q, want something with %q", a.announced(), text)
	}
}
