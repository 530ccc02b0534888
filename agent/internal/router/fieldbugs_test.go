package router

import (
	"testing"

	"utter/shared/plan"
)

// Rows of the public field bugs, as far as they are the router's: what people
// say to the applications of those reports.

// appOf returns the application that the first step of what is said names.
func appOf(r *Router, said string, ctx Context) (app string, reason plan.Reason) {
	d := r.Route(said, ctx)
	if d.Plan == nil {
		return "", d.Reason
	}
	return arg(d.Plan.Steps[0], "app"), ""
}

func TestFieldBug6AProgramThatIsGoneIsSaidToBeMissing(t *testing.T) {
	r := newRouter(t, "", nil)
	if app, reason := appOf(r, "open steam", Context{}); app != "" || reason != plan.Missing {
		t.Errorf("not installed: app %q, reason %q", app, reason)
	}
	if app, reason := appOf(r, "open steam", Context{Windows: []Window{{ID: 1, AppID: "Steam"}}}); app != "steam" {
		t.Errorf("not installed but open: app %q, reason %q", app, reason)
	}
	r = newRouter(t, "", []string{"steam"})
	if app, reason := appOf(r, "open steam", Context{}); app != "steam" {
		t.Errorf("installed: app %q, reason %q", app, reason)
	}
}

func TestFieldBug10NoDisplayIsOpenedByItsNamesOnly(t *testing.T) {
	r := newRouter(t, "", []string{"colour-portal"})
	for _, said := range []string{"open colour portal", "open colour-portal", "open the Colour Portal app",
		"launch org.example.ColourPortal", "open colourportal"} {
		if app, reason := appOf(r, said, Context{}); app != "org.example.ColourPortal" {
			t.Errorf("%q: app %q, reason %q", said, app, reason)
		}
	}
	for _, said := range []string{"open colour", "open portal", "close portal"} {
		if app, reason := appOf(r, said, Context{}); app != "" || reason != plan.NoPlan {
			t.Errorf("%q: app %q, reason %q; want no plan", said, app, reason)
		}
	}
}

func TestFieldBug26LocalisedAndOriginalNamesMeanTheApp(t *testing.T) {
	r := newRouter(t, "", []string{"nautilus", "gnome-calculator", "gnome-software"}) // in a German session
	for said, want := range map[string]string{
		"open files": "org.gnome.Nautilus", "open Dateien": "org.gnome.Nautilus", "open nautilus": "org.gnome.Nautilus",
		"switch to dateien": "org.gnome.Nautilus", "close DATEIEN": "org.gnome.Nautilus",
		"open taschenrechner": "org.gnome.Calculator", "open calculator": "org.gnome.Calculator",
		"open programme": "org.gnome.Software", "open software": "org.gnome.Software",
		"open explorer": "org.gnome.Nautilus", // a keyword
	} {
		if app, reason := appOf(r, said, Context{}); app != want {
			t.Errorf("%q: app %q, reason %q; want %q", said, app, reason, want)
		}
	}
	if app, _ := appOf(r, "close explorer", Context{}); app != "" {
		t.Errorf("a keyword closes %q", app)
	}
}
