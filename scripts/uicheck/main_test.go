package main

import (
	"slices"
	"strings"
	"testing"
)

// TestFindsWhatIsWrong compares the findings with the fixture, line by line.
func TestFindsWhatIsWrong(t *testing.T) {
	want := []string{
		"testdata/wrong/wrong.go:21:15: cannot use 1 (untyped int constant) as string value in argument to row.SetTitle",
		"testdata/wrong/wrong.go:22:6: row.SetHeading undefined (type *adw.ActionRow has no field or method SetHeading)",
		`testdata/wrong/wrong.go:23:9: cannot use gtk.NewLabel("") (value of type *gtk.Label)` +
			` as bool value in return statement`,
		"testdata/wrong/wrong_test.go:5:39: not enough arguments in call to right\n\thave (*testing.T)\n" +
			"\twant (*gtk.Entry, *gtk.Window)",
		"testdata/wrong/wrong.go:12:30: GtkShortcutsWindow is deprecated",
		"testdata/wrong/wrong.go:15:4: gtk_widget_show is deprecated",
		"testdata/wrong/wrong.go:16:6: adw_action_row_set_icon_name is deprecated",
		"testdata/wrong/wrong.go:17:4: GtkWindow::keys-changed is deprecated",
		"testdata/wrong/wrong.go:35:33: MapKeycode frees parts of its answer at the next collection; use TranslateKey",
		"testdata/wrong/wrong.ui:10: GtkEntry:completion is deprecated",
		"testdata/wrong/wrong.ui:11: GtkEntryCompletion is deprecated",
		"testdata/wrong/wrong.ui:18: GtkWindow::keys-changed is deprecated",
		"testdata/wrong/wrong.ui:5: AdwSwitchRow:icon-name is deprecated",
		"testdata/wrong/wrong.ui:7: GtkInfoBar is deprecated",
	}
	found, err := check([]string{"./testdata/wrong"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(found, want) {
		t.Errorf("found:\n%s\nwant:\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
}

// TestTree looks at the real packages.
func TestTree(t *testing.T) {
	found, err := check([]string{"utter/ui/view/...", "utter/app/..."})
	if err != nil || len(found) > 0 {
		t.Errorf("%v\n%s", err, strings.Join(found, "\n"))
	}
}

func TestStatuses(t *testing.T) {
	tests := []struct {
		pattern string
		status  int
	}{
		{"utter/shared/chord", exitOK},
		{"./testdata/wrong", exitFound},
		{"utter/there/is/none", exitFound},
		{"./testdata/absent/...", exitOK}, // as with every program of Go
		{"-no-such-flag", exitFault},
	}
	for _, tt := range tests {
		var out, complaint strings.Builder
		if status := run([]string{tt.pattern}, &out, &complaint); status != tt.status {
			t.Errorf("%s: status %d, want %d\n%s%s", tt.pattern, status, tt.status, &out, &complaint)
		}
	}
}

// TestListOfNames guards against a list that was cut short or made on a
// machine with an older GTK.
func TestListOfNames(t *testing.T) {
	for _, name := range []string{
		"GtkTreeView", "GtkShortcutsWindow", "AdwLeaflet", "AdwAboutWindow", "AdwPreferencesWindow",
		"gtk_widget_get_style_context",
		"gtk_show_uri", "gtk_application_window_set_help_overlay", "adw_preferences_window_new",
		"GtkPicture:keep-aspect-ratio",
	} {
		if !deprecated[name] {
			t.Errorf("%s is not in the list", name)
		}
	}
	for _, name := range []string{"", "GtkLabel", "AdwPreferencesPage", "gtk_widget_set_visible", "AdwActionRow:title"} {
		if deprecated[name] {
			t.Errorf("%q is in the list", name)
		}
	}
}
