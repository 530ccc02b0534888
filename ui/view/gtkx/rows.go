package gtkx

import (
	"path/filepath"
	"strings"

	"github.com/diamondburned/gotk4-adwaita/pkg/adw"
	"github.com/diamondburned/gotk4/pkg/gio/v2"
	"github.com/diamondburned/gotk4/pkg/gtk/v4"
	"github.com/diamondburned/gotk4/pkg/pango"

	"utter/ui/model/wording"
)

// NewRow returns a row of plain text: what files and windows say is not markup.
func NewRow(title, subtitle string) *adw.ActionRow {
	row := adw.NewActionRow()
	row.SetUseMarkup(false)
	row.SetTitle(title)
	row.SetSubtitle(subtitle)
	return row
}

// Activatable makes a row do something when it is activated, by pointer, keyboard
// or an assistive program.
func Activatable(row *adw.ActionRow, f func()) {
	row.SetActivatable(true)
	row.ConnectActivated(f)
	OnActivate(row, f)
}

// NewButtonRow returns a row that is a button.
func NewButtonRow(title string, f func()) *adw.ButtonRow {
	row := adw.NewButtonRow()
	row.SetTitle(title)
	row.ConnectActivated(f)
	OnActivate(row, f)
	return row
}

// NewIconButton returns a flat button with a symbol. name is what it is called,
// by its tooltip and for assistive programs.
func NewIconButton(icon, name string, f func()) *gtk.Button {
	b := gtk.NewButtonFromIconName(icon)
	b.AddCSSClass("flat")
	b.SetVAlign(gtk.AlignCenter)
	b.SetTooltipText(name)
	Name(b, name)
	b.ConnectClicked(f)
	return b
}

// NewIcon returns the picture of an application: a name of the icon theme, or a
// path.
func NewIcon(icon string, pixels int) *gtk.Image {
	image := gtk.NewImage()
	SetIcon(image, icon)
	image.SetPixelSize(pixels)
	SetRole(image, gtk.AccessibleRolePresentation)
	return image
}

// SetIcon changes the picture of an application.
func SetIcon(image *gtk.Image, icon string) {
	switch {
	case filepath.IsAbs(icon):
		image.SetFromGIcon(gio.NewFileIcon(gio.NewFileForPath(icon)))
	case gtk.IconThemeGetForDisplay(image.Display()).HasIcon(icon):
		// A themed icon of two names is not a way: GTK would take the second from
		// Adwaita before the first from hicolor, where applications have theirs.
		image.SetFromIconName(icon)
	default:
		image.SetFromIconName("application-x-executable")
	}
}

// NewKeys returns key caps for chords such as "ctrl+t". A screen reader says
// "Control T".
func NewKeys(chords []string) *gtk.Box {
	box := gtk.NewBox(gtk.OrientationHorizontal, 6)
	box.SetVAlign(gtk.AlignCenter)
	box.SetDirection(gtk.TextDirLTR) // as they stand on the keyboard, in any language
	var words []string
	for i, c := range chords {
		if i > 0 {
			then := gtk.NewLabel("→")
			then.AddCSSClass("dim-label")
			SetRole(then, gtk.AccessibleRolePresentation)
			box.Append(then)
		}
		words = append(words, wording.Spoken(c))
		for part := range strings.SplitSeq(c, "+") {
			label := gtk.NewLabel(wording.Cap(part))
			label.AddCSSClass("keycap")
			SetRole(label, gtk.AccessibleRolePresentation)
			box.Append(label)
		}
	}
	SetRole(box, gtk.AccessibleRoleLabel)
	Name(box, strings.Join(words, ", "))
	return box
}

// SetText fills an entry row unless it says so already: writing to a row while
// the user types in it moves the cursor.
func SetText(row interface {
	Text() string
	SetText(string)
}, text string) {
	if row.Text() != text {
		row.SetText(text)
	}
}

// Wrap makes a label break its lines, within words too where it must: what files
// and addresses say has no spaces.
func Wrap(l *gtk.Label) {
	l.SetWrap(true)
	l.SetWrapMode(pango.WrapWordChar)
}

// Breakable lets a path break after its slashes.
func Breakable(path string) string { return strings.ReplaceAll(path, "/", "/\u200b") }
