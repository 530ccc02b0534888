package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

// A box is where something is in the window.
type box struct{ X, Y, Width, Height int32 }

// inWindow means coordinates from the window's corner, to AT-SPI.
const inWindowCoordinates = uint32(1)

// extents returns where a widget is.
func (w *widget) extents() (b box) {
	w.app.call(w.place, "Component.GetExtents", inWindowCoordinates).Store(&b)
	return b
}

// act calls an action of the settings app on the bus.
func (a *app) act(name string, args ...string) {
	a.s.t.Helper()
	values := []dbus.Variant{}
	for _, arg := range args {
		values = append(values, dbus.MakeVariant(arg))
	}
	err := a.s.conn.Object("org.utter.Settings", "/org/utter/Settings").
		Call("org.freedesktop.Application.ActivateAction", 0, name, values, map[string]dbus.Variant{}).Err
	if err != nil {
		a.s.t.Fatalf("%s%q: %v", name, args, err)
	}
}

// tags are the pages, as the action "page" calls them.
var tags = []string{"apps", "sayings", "try", "safety", "plugins", "agent"}

// A scene is something of the settings app to take a picture of.
type scene struct {
	name string
	open func(*app)
	shut func(*app) // nil where nothing has to be closed
}

// scenes are the pages and the editor, in any language.
func scenes() (all []scene) {
	for _, tag := range tags {
		all = append(all, scene{name: tag, open: func(a *app) { a.act("page", tag) }})
	}
	return append(all,
		scene{name: "try-plan", open: func(a *app) { a.act("say", "open firefox") }},
		scene{name: "try-miss", open: func(a *app) { a.act("say", "dance with me") }},
		scene{name: "editor", open: func(a *app) { a.act("edit", "firefox") }},
	)
}

// dialogs are what opens over them, in English.
func dialogs() []scene {
	dialog := func(name, title string, r role, open func(*app)) scene {
		return scene{name, func(a *app) { open(a); a.find(r, title) }, func(a *app) {
			a.s.sway().keyboard.press(0, codeEscape)
			a.gone(r, title)
		}}
	}
	return []scene{
		dialog("capture", "Keys for new tab", roleDialog, func(a *app) {
			a.act("edit", "firefox")
			a.activateIn(roleListItem, "new tab")
			a.setText(keysField, "ctrl+shift+t, ctrl+n")
		}),
		dialog("add", "Add Action", roleDialog, func(a *app) { a.activate("Add Action…") }),
		dialog("teach", "Teach “dance with me”", roleDialog, func(a *app) {
			a.act("say", "dance with me")
			a.activate("Teach…")
		}),
		dialog("new-app", "New App", roleDialog, func(a *app) {
			a.act("page", "apps")
			a.activate("New App…")
		}),
		dialog("conflict", "Changed in Two Places", roleAlert, func(a *app) {
			a.act("edit", "firefox")
			a.setText(aliases, "wolf")
			a.s.write("c/utter/profiles/f.yaml", strings.Replace(pictured, "[fox]", "[vixen]", 1))
			a.activate("Review…")
		}),
	}
}

// pictured is the user's file in the pictures.
const pictured = "id: firefox\naliases: [fox]\nshortcuts: {greet: ctrl+1, new_tab: ctrl+1}\n" +
	"commands: {tidy up: [ctrl+k, ctrl+s], hello: greet}\n"

// pictures takes pictures of scenes in a width.
func (a *app) pictures(scenes []scene, folder string, width int) {
	a.s.t.Helper()
	a.size(width, 800)
	for _, sc := range scenes {
		sc.open(a)
		a.shot(fmt.Sprintf("settings/%s/%s-%d", folder, sc.name, width))
		a.checkInside(sc.name, width)
		if sc.shut != nil {
			sc.shut(a)
		}
	}
}

// checkInside fails the test for what reaches out of the window at the sides.
func (a *app) checkInside(where string, width int) {
	a.s.t.Helper()
	wrong := 0
	a.front().walk(func(w *widget) {
		if wrong == 3 || w.role != roleLabel && w.role != roleButton && w.role != roleText && w.role != roleSwitch {
			return
		}
		if b := w.extents(); b.Width > 0 && (b.X < -1 || b.X+b.Width > int32(width)+1) {
			wrong++
			a.s.t.Errorf("%s at %d: %v is from %d to %d, in %s", where, width, w, b.X, b.X+b.Width, w.path())
		}
	})
}

// catalogues compiles the translations.
func (s *Session) catalogues(kind string) string {
	s.t.Helper()
	dir := s.folder("locale")
	cmd := exec.Command("go", "run", "./scripts/po", kind, dir)
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("po %s: %v %s", kind, err, out)
	}
	return dir
}

// TestSettingsPictures keeps pictures of every page in build/shots, for a person
// to look at, and fails for what does not fit. It takes all of them where
// UTTER_E2E_SHOTS is 1, else what is likeliest to be wrong.
func TestSettingsPictures(t *testing.T) {
	all := os.Getenv("UTTER_E2E_SHOTS") == "1"
	for _, tt := range []struct {
		name    string
		look    look
		widths  []int
		dialogs bool
	}{
		{"light", look{still: true}, []int{1280, 360}, true},
		{"dark", look{still: true, dark: true}, []int{1280, 360}, true},
		{"large", look{still: true, textScale: 1.5, highContrast: true}, []int{360}, false},
		{"de", look{still: true, locale: "de_DE.UTF-8"}, []int{1280, 360}, false},
		{"he", look{still: true, locale: "he_IL.UTF-8"}, []int{1280, 360}, false},
		{"xa", look{still: true, locale: "en_XA"}, []int{360}, false},
	} {
		if !all {
			tt.widths = []int{360}
			tt.dialogs = tt.name == "light"
		}
		if !all && (tt.name == "dark" || tt.name == "de") {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			s := tt.look.settings(t)
			s.startAgent()
			s.foot("own-window")
			a := s.wideSettings()
			for _, width := range tt.widths {
				a.pictures(scenes(), tt.name, width)
				if tt.dialogs {
					a.pictures(dialogs(), tt.name, width)
					a.activate("Review…")
					a.activate("Use Theirs")
					a.gone(roleAlert, "Changed in Two Places")
					s.write("c/utter/profiles/f.yaml", pictured)
					a.checkText(aliases, "fox")
				}
			}
			if tt.look.locale == "de_DE.UTF-8" {
				a.act("page", "apps")
				a.find(roleGroup, "Aktionen")
			}
		})
	}
}

// settings brings a desktop up in a look and its language.
func (l look) settings(t *testing.T) *Session {
	t.Helper()
	pseudo := l.locale == "en_XA"
	if pseudo {
		l.locale = "de_DE.UTF-8"
	}
	s := l.newSession(t, Options{Profiles: map[string]string{"f.yaml": pictured}})
	switch {
	case pseudo:
		s.env["UTTER_LOCALE_DIR"], s.env["LANGUAGE"] = s.catalogues("pseudo"), "en_XA"
	case l.locale != "":
		s.env["UTTER_LOCALE_DIR"] = s.catalogues("compile")
	}
	return s
}

// TestSettingsNothingIsCut compares labels in a narrow window with the room that
// their texts need, in a language that is longer than any other.
func TestSettingsNothingIsCut(t *testing.T) {
	s := look{still: true, locale: "en_XA"}.settings(t)
	s.startAgent()
	a := s.wideSettings()
	a.size(360, 800)
	type cut struct {
		where string
		w     *widget
		box   box
	}
	var all []cut
	for _, sc := range scenes() {
		sc.open(a)
		settle(a.pid)
		a.front().walk(func(w *widget) {
			if b := w.extents(); w.role == roleLabel && b.Width > 0 && !mayBeCut(w) {
				all = append(all, cut{sc.name, w, b})
			}
		})
	}
	if len(all) < 100 {
		t.Fatalf("only %d labels", len(all))
	}
	var texts []string
	for _, c := range all {
		texts = append(texts, c.w.name)
	}
	for i, need := range s.textWidths(texts) {
		c := all[i]
		if c.box.Height < 18 {
			need = need * 82 / 100 // a caption
		}
		if c.box.Height < 27 && c.box.Width < need*95/100 && c.w.isText() {
			t.Errorf("%s: %q has %d of about %d pixels, in %s", c.where, c.w.name, c.box.Width, need, c.w.path())
		}
	}
}

// isText reports whether what is called a label is one: key caps have a name in
// words, which is nowhere to be seen.
func (w *widget) isText() bool {
	var text string
	w.app.call(w.place, "Text.GetText", int32(0), int32(1)).Store(&text)
	return text != ""
}

// textWidths returns how wide texts are in the font of the desktop, as another
// program draws them.
func (s *Session) textWidths(texts []string) (widths []int32) {
	s.t.Helper()
	args := []string{"-font", "DejaVu-Sans", "-pointsize", "14.67"}
	escape := strings.NewReplacer("%", "%%", `\`, `\\`, "@", `\@`)
	for _, text := range texts {
		args = append(args, "label:"+escape.Replace(text))
	}
	var stderr strings.Builder
	cmd := s.command("convert", append(args, "-format", "%w\n", "info:")...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("convert: %v %s", err, stderr.String())
	}
	for line := range strings.FieldsSeq(string(out)) {
		var n int32
		fmt.Sscan(line, &n)
		widths = append(widths, n)
	}
	if len(widths) != len(texts) {
		s.t.Fatalf("%d widths of %d texts", len(widths), len(texts))
	}
	return widths
}

// mayBeCut reports whether a label is one of a long list of names, or what a
// combo shows.
func mayBeCut(w *widget) bool {
	for p := w.parent; p != nil; p = p.parent {
		if p.role == roleCombo || p.role == roleList &&
			(p.name == "[ÅÅþþļîîçååţîîööñš]" || p.name == "[Ŵĥååţ ýýööûû çååñ šååýý]") {
			return true
		}
	}
	return false
}
