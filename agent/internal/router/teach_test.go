package router

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// taught is a router of a user who wrote these profiles.
func taught(t *testing.T, profiles string) *Router {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, []byte(profiles), 0o644); err != nil {
		t.Fatal(err)
	}
	return newRouter(t, file, everything)
}

// says checks what becomes of utterances while app has the focus.
func says(t *testing.T, r *Router, app string, want map[string]string) {
	t.Helper()
	ctx := Context{}
	if app != "" {
		ctx = Context{Focused: &Window{ID: 1, AppID: app}, Windows: []Window{{ID: 1, AppID: app}}}
	}
	for utterance, want := range want {
		if got := strings.ReplaceAll(said(r, utterance, ctx), "\n", " "); got != want {
			t.Errorf("in %q, %q:\n got %s\nwant %s", app, utterance, got, want)
		}
	}
}

const noRule = "no_plan: no rule matches these words"

func TestACommandMayNameAnAction(t *testing.T) {
	r := taught(t, `
profiles:
  firefox:
    new_window: [firefox, --new-window]
    shortcuts: {new_window: '', tabs: [ctrl+k, ctrl+t], new_tab: ctrl+n}
    commands:
      Fresh tab!: new_tab
      open youtube: All Tabs
      list them: tabs
      look around: {action: find}
      one more: new_window
      never: banana
      copy: banana
  foot:
    commands: {fresh tab: new tab}
`)
	says(t, r, "firefox", map[string]string{
		"fresh tab":        `key {"chord":"ctrl+n"}`, // its own key, not its kind's
		"fresh tab please": `key {"chord":"ctrl+n"}`,
		"list them":        `key {"chord":"ctrl+k"} key {"chord":"ctrl+t"}`,
		"look around":      `key {"chord":"ctrl+f"}`,
		"one more":         `launch_app {"app":"firefox","argv":["firefox","--new-window"]}`,
		"never":            noRule,
		"copy":             `key {"chord":"ctrl+c"}`, // what can do nothing takes nothing away
		"open youtube":     `ensure_url {"site":"youtube","url":"https://www.youtube.com"}`,
	})
	says(t, r, "foot", map[string]string{"fresh tab": `key {"chord":"ctrl+shift+t"}`, "list them": noRule})
	says(t, r, "", map[string]string{"fresh tab": noRule})
}

func TestWhatIsTaughtOfAKindCountsInItsApplications(t *testing.T) {
	r := taught(t, `
profiles:
  generic-browser:
    search_url: https://find.example/{q}
    shortcuts: {read_aloud: ctrl+alt+r, reload: f5, bookmark: '', copy: ctrl+insert}
    commands: {next page: ctrl+page_down, read it: read_aloud}
  generic-game:
    shortcuts: {jump: space}
  wesnoth: {shortcuts: {duck: c}}
  netsurf: {kind: browser}
  google-chrome:
    shortcuts: {read_aloud: f9}
    commands: {next page: ''}
`)
	says(t, r, "firefox", map[string]string{
		"read aloud":      `key {"chord":"ctrl+alt+r"}`,
		"read it":         `key {"chord":"ctrl+alt+r"}`,
		"reload":          `key {"chord":"f5"}`,
		"refresh":         `key {"chord":"f5"}`, // another phrase of the action
		"copy":            `key {"chord":"ctrl+insert"}`,
		"next page":       `key {"chord":"ctrl+page_down"}`,
		"bookmark":        noRule,
		"new tab":         `key {"chord":"ctrl+t"}`,
		"search for cats": `open_url {"url":"https://duckduckgo.com/?q=cats"}`, // its own
	})
	says(t, r, "netsurf", map[string]string{"search for cats": `open_url {"url":"https://find.example/cats"}`})
	says(t, r, "google-chrome", map[string]string{"read it": `key {"chord":"f9"}`, "next page": noRule})
	says(t, r, "wesnoth", map[string]string{"jump": `key {"chord":"space"}`, "duck": `key {"chord":"c"}`})
	says(t, r, "foot", map[string]string{"read aloud": noRule, "copy": `key {"chord":"ctrl+shift+c"}`})
	// The kind is still the role that it was.
	says(t, r, "", map[string]string{"open the browser": `ensure_app {"app":"firefox","argv":["firefox"]}`})
}

func TestWhatIsTaughtEverywhereCountsInEveryWindow(t *testing.T) {
	r := taught(t, `
profiles:
  everywhere:
    shortcuts: {drop_down: f12, new_tab: ctrl+alt+t, close_tab: ctrl+alt+w}
    commands: {take it back: ctrl+z, fresh tab: new_tab, fullscreen: f11, do find: {action: find}}
  foot:
    commands: {take it back: ''}
`)
	says(t, r, "firefox", map[string]string{
		"take it back": `key {"chord":"ctrl+z"}`,
		"drop down":    `key {"chord":"f12"}`,
		"fresh tab":    `key {"chord":"ctrl+t"}`, // the kind knows better
		"new tab":      `key {"chord":"ctrl+t"}`,
		"fullscreen":   `key {"chord":"f11"}`,
		"do find":      `key {"chord":"ctrl+f"}`,
	})
	for _, app := range []string{"unknown", "org.gnome.Calculator", ""} {
		says(t, r, app, map[string]string{
			"take it back":               `key {"chord":"ctrl+z"}`,
			"drop down":                  `key {"chord":"f12"}`,
			"fresh tab":                  `key {"chord":"ctrl+alt+t"}`,
			"open a new tab":             `key {"chord":"ctrl+alt+t"}`, // another phrase of the action
			"close tab":                  `key {"chord":"ctrl+alt+w"}`,
			"fullscreen":                 `key {"chord":"f11"}`,
			"do find":                    noRule,
			"copy then take it back":     `key {"chord":"ctrl+c"} key {"chord":"ctrl+z"}`,
			"take it back and drop down": `key {"chord":"ctrl+z"} key {"chord":"f12"}`,
		})
	}
	says(t, r, "foot", map[string]string{"take it back": noRule, "fresh tab": `key {"chord":"ctrl+shift+t"}`})
	says(t, r, "firefox", map[string]string{
		"open everywhere":      `no_plan: no application, site or address is called "everywhere"`,
		"switch to everywhere": noRule,
	})
	// Without it nothing is different.
	says(t, newRouter(t, "", everything), "unknown", map[string]string{
		"take it back": noRule, "close tab": "no_plan: the focused application has no shortcut for closing a tab",
	})
}
