// Package capturedialog asks for keys: pressed, or written in words.
package capturedialog

import (
	"time"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gdk/v4"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"

	"utter/shared/chord"
	"utter/ui/model/capture"
	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/view/gtkx"
)

// A Question is what the dialog asks.
type Question struct {
	Title string   // "Keys for new tab"
	Keys  []string // that it has now
	// Name is set where what the keys are for must be named as well: it is the
	// label of the field.
	Name        string
	Suggestions []string
	// Clash names the action that has a sequence already.
	Clash func(name string, seq chord.Sequence) string
	// Done is called with the answer.
	Done func(name string, seq chord.Sequence, takeOver bool)
}

type dialog struct {
	*adw.Dialog
	question Question
	model    *capture.Model
	parent   gtk.Widgetter

	name    *adw.EntryRow // nil without a name
	text    *adw.EntryRow
	caps    *gtk.Box
	record  *gtk.ToggleButton
	problem *gtk.Label
	set     *gtk.Button
	resume  func() // the application's shortcuts
	level3  bool   // AltGr is down: no modifier state tells
	syncing bool
}

// Show asks.
func Show(parent gtk.Widgetter, q Question) {
	d := &dialog{Dialog: adw.NewDialog(), question: q, parent: parent, resume: func() {}}
	d.SetTitle(q.Title)
	d.SetContentWidth(420)
	d.model = capture.New(q.Keys, session.Later(gtkx.Later), d.clash, d.show)
	d.model.Said = func(text string) { gtkx.Announce(d.text, text) }
	d.build()
	d.ConnectClosed(d.model.Stop)
	d.show(d.model.State())
	d.Present(parent)
	if d.name != nil {
		d.name.GrabFocus()
	} else {
		d.text.GrabFocus()
	}
}

func (d *dialog) clash(seq chord.Sequence) string {
	name := ""
	if d.name != nil {
		name = d.name.Text()
	}
	return d.question.Clash(name, seq)
}

func (d *dialog) build() {
	cancel, set := gtk.NewButtonWithLabel(tr.T("Cancel")), gtk.NewButtonWithLabel(tr.T("Set"))
	set.AddCSSClass("suggested-action")
	cancel.ConnectClicked(func() { d.Close() })
	set.ConnectClicked(d.finish)
	d.set = set
	header := adw.NewHeaderBar()
	header.SetShowEndTitleButtons(false)
	header.SetShowStartTitleButtons(false)
	header.PackStart(cancel)
	header.PackEnd(set)
	view := adw.NewToolbarView()
	view.AddTopBar(header)
	view.SetContent(d.content())
	d.SetChild(view)
	d.SetDefaultWidget(set)
}

func (d *dialog) content() gtk.Widgetter {
	page := adw.NewPreferencesPage()
	group := adw.NewPreferencesGroup()
	if d.question.Name != "" {
		d.name = adw.NewEntryRow()
		d.name.SetTitle(d.question.Name)
		d.name.ConnectChanged(func() { d.show(d.model.State()) })
		d.name.SetActivatesDefault(true)
		group.Add(d.name)
		d.suggest(group)
	}
	d.text = adw.NewEntryRow()
	d.text.SetTitle(tr.T("Keys"))
	d.text.SetActivatesDefault(true)
	d.text.ConnectChanged(func() {
		if !d.syncing {
			d.model.Type(d.text.Text())
		}
	})
	group.Add(d.text)
	group.SetDescription(tr.T("Type them, such as “control shift k”, or record them. Separate several with commas."))
	page.Add(group)

	pressed := adw.NewPreferencesGroup()
	box := gtk.NewBox(gtk.OrientationVertical, 12)
	d.caps = gtk.NewBox(gtk.OrientationHorizontal, 0)
	d.caps.SetHAlign(gtk.AlignCenter)
	d.caps.SetSizeRequest(-1, 40)
	d.problem = gtk.NewLabel("")
	gtkx.Wrap(d.problem)
	d.problem.SetJustify(gtk.JustifyCenter)
	box.Append(d.caps)
	box.Append(d.problem)
	box.Append(d.buttons())
	pressed.Add(box)
	page.Add(pressed)
	return page
}

// suggest adds a choice of names that applications of this kind know.
func (d *dialog) suggest(group *adw.PreferencesGroup) {
	if len(d.question.Suggestions) == 0 {
		return
	}
	row := gtkx.Combo(adw.NewComboRow())
	row.SetTitle(tr.T("Common names"))
	row.SetModel(gtk.NewStringList(append([]string{tr.T("Choose…")}, d.question.Suggestions...)))
	row.NotifyProperty("selected", func() {
		if i := int(row.Selected()); i > 0 && i <= len(d.question.Suggestions) {
			d.name.SetText(d.question.Suggestions[i-1])
		}
	})
	group.Add(row)
}

func (d *dialog) buttons() gtk.Widgetter {
	box := gtk.NewBox(gtk.OrientationHorizontal, 12)
	box.SetHAlign(gtk.AlignCenter)
	d.record = gtk.NewToggleButtonWithLabel(tr.T("Record"))
	d.record.AddCSSClass("pill")
	d.record.ConnectToggled(d.toggled)
	d.record.AddController(d.keys())
	clear := gtk.NewButtonWithLabel(tr.T("Clear"))
	clear.AddCSSClass("pill")
	clear.ConnectClicked(d.model.Clear)
	box.Append(d.record)
	box.Append(clear)
	return box
}

// toggled begins or ends recording. While it lasts the compositor is asked to
// leave its own shortcuts to us.
func (d *dialog) toggled() {
	if d.syncing {
		return
	}
	if d.record.Active() {
		d.record.GrabFocus()
		d.inhibit(true)
		d.resume = gtkx.SuspendShortcuts()
		d.model.Record()
		gtkx.Announce(d.record, tr.T("Recording. Press the keys."))
	} else {
		d.model.Stop()
	}
}

// inhibit asks for the keys that the compositor would take, or gives them back.
func (d *dialog) inhibit(on bool) {
	top := gtkx.Toplevel(d.parent)
	switch {
	case top == nil:
	case on:
		top.InhibitSystemShortcuts(nil)
	default:
		top.RestoreSystemShortcuts()
	}
}

// keys takes every key while recording.
func (d *dialog) keys() gtk.EventControllerer {
	c := gtk.NewEventControllerKey()
	c.SetPropagationPhase(gtk.PhaseCapture)
	c.ConnectKeyPressed(func(keyval, keycode uint, state gdk.ModifierType) bool {
		if gdk.KeyvalName(keyval) == altGr {
			d.level3 = true
		}
		p := press(d.Dialog.Display(), int(c.Group()), keyval, keycode, state)
		p.Code, p.Level3 = keycode, d.level3
		return d.model.Pressed(p)
	})
	c.ConnectKeyReleased(func(keyval, keycode uint, _ gdk.ModifierType) {
		if gdk.KeyvalName(keyval) == altGr {
			d.level3 = false
		}
		d.model.Released(keycode)
	})
	focus := gtk.NewEventControllerFocus()
	focus.ConnectLeave(func() {
		if d.record.Active() {
			gtkx.Later(50*time.Millisecond, func() { // the dialog's own changes move the focus for a moment
				if !d.record.HasFocus() {
					d.model.Stop()
				}
			})
		}
	})
	d.record.AddController(focus)
	return c
}

// altGr is the keysym of the AltGr key.
const altGr = "ISO_Level3_Shift"

// press is what the keyboard's map knows of a key: its lowest level in the group
// active, then in the others. Display.MapKeycode would tell it at once, but the
// bindings free parts of its answer later, which ends the program.
func press(display *gdk.Display, group int, keyval, keycode uint, state gdk.ModifierType) capture.Press {
	p := capture.Press{
		Ctrl: state&gdk.ControlMask != 0, Shift: state&gdk.ShiftMask != 0, Alt: state&gdk.AltMask != 0,
		Super: state&gdk.SuperMask != 0,
	}
	for _, g := range []int{group, 0, 1, 2, 3} { // a keymap has four at most
		if sym, _, _, _, ok := display.TranslateKey(keycode, 0, g); ok {
			p.Keysyms = append(p.Keysyms, keysym(sym))
		}
	}
	if len(p.Keysyms) == 0 {
		p.Keysyms = []string{keysym(keyval)}
	}
	return p
}

// keysym is how the model calls a keysym: the character beyond ASCII that it
// stands for, else its name.
func keysym(keyval uint) string {
	if r := gdk.KeyvalToUnicode(keyval); r >= 0x80 {
		return string(rune(r))
	}
	return gdk.KeyvalName(keyval)
}

func (d *dialog) show(s capture.State) {
	d.syncing = true
	gtkx.SetText(d.text, s.Text)
	d.record.SetActive(s.Recording)
	d.syncing = false
	if !s.Recording {
		d.inhibit(false)
		d.resume()
	}
	if old := d.caps.FirstChild(); old != nil {
		d.caps.Remove(old)
	}
	if len(s.Keys) > 0 {
		d.caps.Append(gtkx.NewKeys(s.Keys))
	}
	gtkx.Invalid(d.text, s.Error != "")
	message := d.message(s)
	if message != d.problem.Text() && message != "" && !s.Recording {
		gtkx.Announce(d.text, message)
	}
	d.problem.SetText(message)
	named := d.name == nil || d.name.Text() != ""
	d.set.SetSensitive(s.CanSet && named)
	d.set.SetLabel(tr.T("Set"))
	if s.Clash != "" {
		d.set.SetLabel(tr.T("Reassign"))
	}
}

func (d *dialog) message(s capture.State) string {
	switch {
	case s.Error != "":
		return s.Error
	case s.Recording:
		return tr.T("Press the keys. Recording ends 3 seconds after the last one.")
	case s.Clash != "":
		return tr.T("“%s” already uses these keys. Setting them here removes them there.", s.Clash)
	}
	return ""
}

func (d *dialog) finish() {
	s := d.model.State()
	if !s.CanSet {
		return
	}
	name := ""
	if d.name != nil {
		name = d.name.Text()
	}
	d.question.Done(name, d.model.Sequence(), s.Clash != "")
	d.Close()
}
