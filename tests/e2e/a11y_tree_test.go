package e2e

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/godbus/dbus/v5"
)

// A widget is a part of a program as it was when it was read. GTK leaves out
// what is not shown; what is scrolled away is there, but of a list view only
// some rows.
type widget struct {
	place
	app         *app
	parent      *widget
	children    []*widget
	role        role
	name        string
	description string
	text        string // what is in it, not what it is called
	states      states
	actions     []string
	relations   []relation
	below       int32 // how many children there are
}

// A relation is one of AT-SPI's between a widget and others.
type relation struct {
	Kind    uint32
	Targets []place
}

// read reads the whole tree, all widgets of a level at once. What vanishes
// meanwhile has neither role nor name. That the program has ended ends the test:
// else everything in it would count as gone.
func (a *app) read() *widget {
	a.s.t.Helper()
	root := &widget{place: a.root, app: a}
	known := map[place]*widget{}
	for level := []*widget{root}; len(level) > 0; {
		var first, then []func()
		for _, w := range level {
			known[w.place] = w
			first = append(first, w.ask())
		}
		for i, answer := range first {
			answer()
			then = append(then, level[i].askMore())
		}
		for _, answer := range then {
			answer()
		}
		var next []*widget
		for _, w := range level {
			next = append(next, w.children...)
		}
		level = next
	}
	for _, w := range known {
		w.relate(known)
	}
	if !alive(a.pid) {
		log := contents(a.s.file("log/settings.log"))
		a.s.t.Fatalf("the program has ended:\n%s", log[:min(len(log), 6000)])
	}
	return root
}

// send calls a method of a widget; the answer comes later.
func (w *widget) send(method string, args ...any) *dbus.Call {
	return w.app.conn.Object(w.Bus, w.Path).Go(method, 0, make(chan *dbus.Call, 1), args...)
}

// ask asks what a widget is. The function it returns waits for the answer. What
// children there are, and what can be done, comes in askMore.
func (w *widget) ask() func() {
	properties := w.send("org.freedesktop.DBus.Properties.GetAll", atspi+"Accessible")
	number := w.send(atspi + "Accessible.GetRole")
	bits := w.send(atspi + "Accessible.GetState")
	return func() {
		var values map[string]dbus.Variant
		var words []uint32
		(<-properties.Done).Store(&values)
		(<-number.Done).Store(&w.role)
		(<-bits.Done).Store(&words)
		w.name, _ = values["Name"].Value().(string)
		w.description, _ = values["Description"].Value().(string)
		w.below, _ = values["ChildCount"].Value().(int32)
		for i, word := range words {
			w.states |= states(word) << (32 * i)
		}
	}
}

// askMore asks for the rest of a widget. Most are labels and boxes, which have
// none.
func (w *widget) askMore() func() {
	var below, relations, actions, text *dbus.Call
	if w.below > 0 {
		below = w.send(atspi + "Accessible.GetChildren")
	}
	if slices.Contains(controls, w.role) {
		relations = w.send(atspi + "Accessible.GetRelationSet")
	}
	if w.role != roleLabel && w.role != roleImage &&
		(w.role != rolePanel || w.parent != nil && w.parent.role == roleListItem) {
		actions = w.send(atspi + "Action.GetActions")
	}
	if slices.Contains(texts, w.role) {
		text = w.send(atspi+"Text.GetText", int32(0), int32(1<<30)) // -1 gives nothing of an entry
	}
	return func() {
		var places []place
		var offered []struct{ Name, Description, Keys string }
		wait := func(call *dbus.Call, into any) {
			if call != nil {
				(<-call.Done).Store(into)
			}
		}
		wait(below, &places)
		wait(relations, &w.relations)
		wait(actions, &offered)
		wait(text, &w.text)
		for _, action := range offered {
			w.actions = append(w.actions, action.Name)
		}
		for _, p := range places {
			w.children = append(w.children, &widget{place: p, app: w.app, parent: w})
		}
	}
}

// relate fills in what other widgets say of w, as screen readers do: the item
// of a menu is only called by its label, and a row described by its subtitle.
func (w *widget) relate(known map[place]*widget) {
	for _, r := range w.relations {
		switch {
		case r.Kind == labelledBy && w.name == "":
			w.name = w.app.textsOf(r.Targets, known)
		case r.Kind == describedBy && w.description == "":
			w.description = w.app.textsOf(r.Targets, known)
		}
	}
}

// textsOf joins the texts of some places, which need not be in the tree.
func (a *app) textsOf(places []place, known map[place]*widget) string {
	var texts []string
	for _, p := range places {
		var text string
		if w := known[p]; w != nil {
			text = cmp.Or(w.text, w.name)
		} else {
			a.call(p, "Text.GetText", int32(0), int32(1<<30)).Store(&text)
		}
		texts = append(texts, text)
	}
	return strings.TrimSpace(strings.Join(texts, " "))
}

// walk calls visit for w and all below it.
func (w *widget) walk(visit func(*widget)) {
	visit(w)
	for _, c := range w.children {
		c.walk(visit)
	}
}

// tree writes the tree for people. What has nothing to say is left out.
func (a *app) tree() string {
	var b strings.Builder
	a.read().write(&b, 0)
	return b.String()
}

func (w *widget) write(b *strings.Builder, depth int) {
	if w.name != "" || slices.Contains(controls, w.role) {
		fmt.Fprintf(b, "%s%v", strings.Repeat("  ", depth), w)
		if s := w.states.String(); s != "" {
			fmt.Fprintf(b, " (%s)", s)
		}
		if w.text != "" && w.text != w.name {
			fmt.Fprintf(b, " holds %q", clip(w.text))
		}
		if w.description != "" {
			fmt.Fprintf(b, " described %q", w.description)
		}
		if i, ok := w.action(); ok {
			fmt.Fprintf(b, " does %s", w.actions[i])
		}
		b.WriteString("\n")
		depth++
	}
	for _, c := range w.children {
		c.write(b, depth)
	}
}

func (w *widget) String() string { return fmt.Sprintf("%v %q", w.role, w.name) }
