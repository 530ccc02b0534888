package fakewayland

import (
	"utter/shared/wayland"
)

// An InputMethodMode says how an input method is received.
type InputMethodMode int

// The modes.
const (
	Active      InputMethodMode = iota // it serves the focused field
	Silent                             // it never hears anything, as on niri beside fcitx5
	Unavailable                        // it hears that another one is there
)

// A Field is the text field of the pretend application. It takes the text of
// an input method as text-input-v3 has it.
type Field struct {
	Hint, Purpose uint32
	Before, After string // the text around the cursor at first
	Reports       Report
	Deaf          bool // the application throws away what is typed and deleted
}

// A Report says what a Field sends of the text around its cursor.
type Report int

// The reports.
const (
	ReportsNothing    Report = iota // as terminals do
	ReportsText                     // as GTK and Qt do
	ReportsStaleFirst               // as Firefox does: after a commit an empty text, then the right one
)

// Causes of a change, as text-input-v3 numbers them.
const (
	causeInputMethod = 0
	causeOther       = 1
)

// A textField is the Field and who has the focus. The text moves as it is edited.
type textField struct {
	Field
	focused bool
}

// An inputMethod is what one client's zwp_input_method_v2 has said and heard.
type inputMethod struct {
	client  *client
	object  *object
	active  bool
	serial  uint32 // the number of done events sent
	pending edit
}

// An edit is what one commit request does.
type edit struct {
	texts         []string // the last counts; the others are lost
	before, after uint32   // bytes to delete
}

// Focus gives the focus to f.
func (c *Compositor) Focus(f Field) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unfocus()
	c.field = textField{f, true}
	if c.input != nil {
		c.input.activate()
	}
}

// Unfocus takes the focus from the field.
func (c *Compositor) Unfocus() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unfocus()
}

// FieldText returns the text before and after the field's cursor.
func (c *Compositor) FieldText() (before, after string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.field.Before, c.field.After
}

func (c *Compositor) unfocus() {
	c.field.focused = false
	if c.input != nil && c.input.active {
		c.input.active = false
		c.input.event(wayland.InputMethodOnDeactivate)
		c.input.done()
	}
}

func (c *client) inputMethodRequest(k call) {
	if k.Name == "get_input_method" {
		c.getInputMethod(k.made)
		return
	}
	m, ok := k.on.data.(*inputMethod)
	if !ok {
		return // the manager, or one that is unavailable
	}
	switch k.Name {
	case "commit_string":
		m.pending.texts = append(m.pending.texts, k.string(0))
	case "delete_surrounding_text":
		m.pending.before, m.pending.after = k.uint(0), k.uint(1)
	case "commit":
		m.commit(k.uint(0))
	}
}

func (c *client) getInputMethod(o *object) {
	if c.comp.options.InputMethod == Unavailable || c.comp.input != nil {
		c.event(o, wayland.InputMethodOnUnavailable)
		return
	}
	m := &inputMethod{client: c, object: o}
	o.data = m
	if c.comp.options.InputMethod == Silent {
		return
	}
	c.comp.input = m
	if c.comp.field.focused {
		m.activate()
	}
}

// die makes room for the next input method.
func (m *inputMethod) die() {
	if m.client.comp.input == m {
		m.client.comp.input = nil
	}
}

func (m *inputMethod) event(opcode uint16, args ...any) {
	m.client.event(m.object, opcode, args...)
}

func (m *inputMethod) done() {
	m.serial++
	m.event(wayland.InputMethodOnDone)
}

func (m *inputMethod) activate() {
	m.active = true
	m.event(wayland.InputMethodOnActivate)
	m.report(causeOther)
}

// report sends the state of the field.
func (m *inputMethod) report(cause uint32) {
	f := &m.client.comp.field
	if f.Reports != ReportsNothing {
		text, cursor := f.surrounding()
		m.event(wayland.InputMethodOnSurroundingText, text, cursor, cursor)
		m.event(wayland.InputMethodOnTextChangeCause, cause)
	}
	m.event(wayland.InputMethodOnContentType, f.Hint, f.Purpose)
	m.done()
}

// commit carries out what is pending if serial is the number of done events
// sent, and forgets it otherwise, as wlroots does.
func (m *inputMethod) commit(serial uint32) {
	comp := m.client.comp
	e := m.pending
	m.pending = edit{}
	if serial != m.serial || !m.active {
		comp.lost = append(comp.lost, e.texts...)
		return
	}
	text := ""
	if n := len(e.texts); n > 0 {
		text = e.texts[n-1]
		comp.lost = append(comp.lost, e.texts[:n-1]...)
		comp.commits = append(comp.commits, text)
	}
	comp.field.edit(text, int(e.before), int(e.after))
	if comp.field.Reports == ReportsStaleFirst {
		m.event(wayland.InputMethodOnSurroundingText, "", uint32(0), uint32(0))
		m.event(wayland.InputMethodOnTextChangeCause, uint32(causeInputMethod))
		m.done()
	}
	if comp.field.Reports != ReportsNothing {
		m.report(causeInputMethod)
	}
}

// edit deletes bytes around the cursor and then inserts text before it.
func (f *textField) edit(text string, before, after int) {
	if f.Deaf {
		return
	}
	f.Before = f.Before[:max(0, len(f.Before)-before)] + text
	f.After = f.After[min(after, len(f.After)):]
}

// surrounding returns the text around the cursor, at most 3,000 bytes of it,
// and the cursor's place in bytes.
func (f *textField) surrounding() (text string, cursor uint32) {
	before, after := f.Before, f.After
	if cut := len(before) - 2000; cut > 0 {
		before = before[nextRune(before, cut):]
	}
	if len(after) > 1000 {
		after = after[:nextRune(after, 997)]
	}
	return before + after, uint32(len(before))
}
