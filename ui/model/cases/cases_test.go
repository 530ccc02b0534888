package cases

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"utter/shared/bus"
	"utter/shared/desktopentry"
	"utter/shared/profile"
)

var update = flag.Bool("update", false, "write testdata/saved.json")

// profiles reads profiles, a text a layer.
func profiles(t *testing.T, texts map[profile.Layer]string) []*profile.Profile {
	t.Helper()
	var patches []profile.Patch
	for _, layer := range []profile.Layer{profile.Catalogue, profile.Curated, profile.User} {
		list, problems := profile.Decode("test", layer, []byte(texts[layer]))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		patches = append(patches, list...)
	}
	for i, p := range patches {
		if p.Origin.Layer == profile.Catalogue {
			patches[i].Entry = &desktopentry.Entry{ID: p.ID, Name: "Original " + p.ID, LocalName: *p.Name, Exec: p.ID}
		}
	}
	return profile.Merge(patches, nil)
}

func knowledge(t *testing.T) Knowledge {
	known := Knowledge{Engine: "https://duck.example/?q={q}"}
	for _, p := range profiles(t, map[profile.Layer]string{
		profile.Catalogue: "profiles: {pad: {name: Surfer}}",
		profile.Curated:   "profiles: {firefox: {name: Firefox, kind: browser, launch: [firefox], app_ids: [firefox, firefox-esr], search_url: \"https://x.org/?a&q={q}\", shortcuts: {new_tab: ctrl+t}}}",
		profile.User: "profiles:\n  firefox: {aliases: [surfer], shortcuts: {frobnicate: [ctrl+k, f], new_tab: ctrl+t}, commands: {press it: f2, fresh: new_tab}}\n" +
			"  mine: {name: Mine, enabled: false}\n  everywhere: {commands: {greet: ctrl+g}}\n",
	}) {
		known.Apps = append(known.Apps, App{Profile: p, OwnName: p.ID == "mine", OwnAliases: p.ID == "firefox"})
	}
	return known
}

var firefox = bus.ContextWindow{AppID: "firefox-esr", Title: "News"}

func step(action string, args map[string]any) []bus.Step {
	return []bus.Step{{Action: action, Args: args}}
}

// TestAppend makes the file that the test of "utter eval" reads: all its cases
// must pass there. To change it, run go test -update and both tests.
func TestAppend(t *testing.T) {
	known := knowledge(t)
	key := func(chord string) []bus.Step { return step("key", map[string]any{"chord": chord}) }
	var data []byte
	for _, c := range []Case{
		{"new tab", &firefox, []bus.ContextWindow{firefox, {AppID: "pad", Title: "x"}}, key("ctrl+t")},
		{"fresh", &firefox, []bus.ContextWindow{firefox}, key("ctrl+t")},
		{"press it", &firefox, []bus.ContextWindow{firefox}, key("f2")},
		{"frobnicate", &firefox, []bus.ContextWindow{firefox},
			[]bus.Step{key("ctrl+k")[0], key("f")[0]}}, // the user's own action
		{"open surfer", nil, nil, step("ensure_app", map[string]any{"app": "firefox"})}, // the user's name wins
		{"close firefox", nil, []bus.ContextWindow{firefox}, step("close_app", map[string]any{"app": "firefox"})},
		{"greet", nil, nil, step("key", map[string]any{"chord": "ctrl+g"})},
		{"look up cats", nil, nil, step("open_url", map[string]any{"url": "https://duck.example/?q=cats"})},
		{"open original pad", nil, nil, step("ensure_app", map[string]any{"app": "pad"})},
		{"zyxwv", nil, nil, nil},
	} {
		var err error
		if data, err = Append(data, c, known); err != nil {
			t.Fatal(err)
		}
	}
	const golden = "testdata/saved.json"
	if *update {
		if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != string(data) {
		t.Errorf("%v; the file is\n%s", err, data)
	}
	if n := strings.Count(string(data), `"by_id"`); n != 1 {
		t.Errorf("what is known stands there %d times", n)
	}
}

// TestAppendKeepsTheRest: marks, further fields, ids and profiles of others.
func TestAppendKeepsTheRest(t *testing.T) {
	const before = `{"note": "<mine>", "format": "utter-router-corpus/1", "profiles": {"p": {"order": []}, "mine-001": {"x": 1}},
		"contexts": {"mine-002": {"profiles": "p"}},
		"cases": [{"id": "mine-003", "weak": "seldom", "big": 12345678901234567890}, 7]}`
	data, err := Append([]byte(before), Case{Utterance: "a < b"}, Knowledge{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"note": "<mine>"`, `"weak": "seldom"`, `12345678901234567890`, `"x": 1`,
		`"id": "mine-004"`, `"utterance": "a < b"`, `"expect": null`, "\n  7,\n"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s is not there:\n%s", want, data)
		}
	}
	other, err := Append(data, Case{Utterance: "c"}, Knowledge{Engine: "x"})
	if err != nil || strings.Count(string(other), `"engine"`) != 1 || !json.Valid(other) {
		t.Errorf("%v:\n%s", err, other)
	}
}

func TestAppendRefusesOtherFiles(t *testing.T) {
	for _, text := range []string{"nonsense", "[]", "{}", `{"format": "other/1"}`, `{"format": 7}`,
		`{"format": "utter-router-corpus/1", "cases": {}}`, `{"format": "utter-router-corpus/1", "profiles": null}`} {
		if got, err := Append([]byte(text), Case{}, Knowledge{}); !errors.Is(err, ErrOther) || got != nil {
			t.Errorf("%s: %v, %s", text, err, got)
		}
	}
	for _, text := range []string{"", " \n"} {
		if _, err := Append([]byte(text), Case{}, Knowledge{}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	if _, err := Append(nil, Case{Steps: step("x", map[string]any{"f": func() {}})}, Knowledge{}); err == nil {
		t.Error("a function was written")
	}
}
