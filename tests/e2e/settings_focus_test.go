package e2e

import (
	"slices"
	"strings"
	"time"
)

// focused returns what has the keyboard's focus, or nil.
func (a *app) focused() (found *widget) {
	a.read().walk(func(w *widget) {
		if w.states.has(stateFocused) {
			found = w
		}
	})
	return found
}

// tab presses Tab and returns what has the focus then. moved is false if it
// stayed where it was.
func (a *app) tab() (now *widget, moved bool) {
	a.s.t.Helper()
	_, moved = a.step(0, codeTab)
	return a.focused(), moved
}

// step presses a key that moves the focus and returns where it went. moved is
// false if it stayed.
func (a *app) step(mods, code uint32) (to place, moved bool) {
	before := len(a.moved())
	a.s.sway().keyboard.press(mods, code)
	if !eventually(shown, func() bool { return len(a.moved()) > before }) {
		return place{}, false
	}
	for n := 0; n != len(a.moved()); { // on its way it may rest elsewhere
		n = len(a.moved())
		eventually(10*time.Millisecond, func() bool { return n != len(a.moved()) })
	}
	moves := a.moved()
	return moves[len(moves)-1], true
}

// tabStops walks the window with Tab until it comes back to where it was, and
// returns what it met. A widget that keeps Tab to itself fails the test.
func (a *app) tabStops() (stops []*widget) {
	a.s.t.Helper()
	known := map[place]*widget{}
	at := func(p place) *widget {
		if known[p] == nil {
			a.read().walk(func(w *widget) { known[w.place] = w })
		}
		return known[p]
	}
	for range 200 {
		to, moved := a.step(0, codeTab)
		now := at(to)
		switch {
		case !moved:
			a.s.t.Errorf("Tab does not leave %v", a.focused())
			return stops
		case now == nil:
			a.s.t.Fatalf("Tab goes to what is not in the tree: %v", to)
		case slices.Contains(stops, now):
			return stops // a list may be entered elsewhere than at its first row
		}
		stops = append(stops, now)
	}
	a.s.t.Fatalf("Tab does not come back to %v", stops[0])
	return nil
}

// controls returns the controls in front, nested ones of one name once. A list
// item is a control if it can be activated.
func (a *app) controls(roles ...role) []*widget { return a.front().controls(nil, roles) }

func (w *widget) controls(owner *widget, roles []role) (found []*widget) {
	if slices.Contains(roles, w.role) && (w.role != roleListItem || w.part((*widget).isRow) != nil) {
		if owner == nil || owner.name != w.name {
			found = append(found, w)
		}
		owner = w
	}
	for _, c := range w.children {
		found = append(found, c.controls(owner, roles)...)
	}
	return found
}

func (w *widget) isRow() bool { return slices.Contains(w.actions, rowAction) }

// namesOf returns the names of the controls in front, in their order.
func (a *app) namesOf(roles ...role) (names []string) {
	for _, w := range a.controls(roles...) {
		names = append(names, w.name)
	}
	return names
}

// checkNames fails the test for every control in front that has no name, or
// that of another one.
func (a *app) checkNames() {
	a.s.t.Helper()
	seen := map[string]*widget{}
	for _, w := range a.controls(controls...) {
		if w.name == "" {
			a.s.t.Errorf("a %v in %s has no name", w.role, w.path())
		} else if other := seen[w.name]; other != nil {
			a.s.t.Errorf("two controls are called %q: a %v in %s and a %v in %s", w.name, other.role,
				other.path(), w.role, w.path())
		}
		seen[w.name] = w
	}
}

// path names what w is in.
func (w *widget) path() string {
	var names []string
	for p := w.parent; p != nil; p = p.parent {
		if p.name != "" {
			names = append(names, p.String())
		}
	}
	slices.Reverse(names)
	return strings.Join(names, " > ")
}
