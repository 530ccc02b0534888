package niri

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	fakeniri "utter/tests/fakes/niri"
)

// twoOutputs is a desktop with the windows 11 (which has the focus), 12
// (floating), 13 and 14 (in one column), and 15 (on the other output).
func twoOutputs() *compositor.State {
	return &compositor.State{
		Windows: []compositor.Window{
			{ID: 11, Workspace: 1, Output: "DP-1", Focused: true, Column: 2, Row: 1},
			{ID: 12, Workspace: 1, Output: "DP-1", Floating: true},
			{ID: 13, Workspace: 1, Output: "DP-1", Column: 1, Row: 1},
			{ID: 14, Workspace: 1, Output: "DP-1", Column: 2, Row: 2},
			{ID: 15, Workspace: 3, Output: "HDMI-A-1", Column: 9, Row: 1},
		},
		Workspaces: []compositor.Workspace{
			{ID: 1, Number: 1, Name: "1", Output: "DP-1", Visible: true, Focused: true},
			{ID: 2, Number: 2, Name: "2", Output: "DP-1"},
			{ID: 3, Number: 1, Name: "mail", Output: "HDMI-A-1", Visible: true},
			{ID: 4, Number: 2, Name: "2", Output: "HDMI-A-1"},
			{ID: 5, Number: 3, Name: "3", Output: "HDMI-A-1"},
		},
		Outputs: []compositor.Output{
			{Name: "DP-1", Rect: compositor.Rect{Width: 1280, Height: 800}},
			{Name: "HDMI-A-1", Rect: compositor.Rect{X: 1280, Width: 1280, Height: 800}},
		},
		Layouts: []string{"English (US)", "German"},
	}
}

func loaded(t testing.TB) forms {
	t.Helper()
	f, err := loadForms()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestTranslate(t *testing.T) {
	f := loaded(t)
	compositortest.Translations(t, *update, func(a compositor.Action) (string, error) {
		request, err := f.translate(twoOutputs(), a)
		if err != nil {
			return "", err
		}
		line, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		checkForm(t, a.Name, line)
		return string(line), nil
	}, f.supports)
}

// checkForm compares a request with the facts: it has all fields that niri must
// have, no others, and each is of its type.
func checkForm(t *testing.T, name string, line []byte) {
	t.Helper()
	var request struct{ Action map[string]map[string]any }
	if err := json.Unmarshal(line, &request); err != nil || len(request.Action) != 1 {
		t.Errorf("%s: %s is not a request: %v", name, line, err)
	}
	all := facts(t)
	socket := all[slices.IndexFunc(all, func(a fact) bool { return a.Name == name })].Socket
	for action, fields := range request.Action {
		known, ok := socket[action]
		if !ok {
			t.Errorf("%s: %s is not in its facts", name, action)
		}
		for field, kind := range known {
			value, there := fields[field]
			if required := !strings.HasSuffix(kind, " or null"); required && !there {
				t.Errorf("%s: %s has no %s", name, line, field)
			}
			if there && !isKind(value, strings.TrimSuffix(kind, " or null")) {
				t.Errorf("%s: %s is %v, no %s", name, field, value, kind)
			}
			delete(fields, field)
		}
		if len(fields) > 0 {
			t.Errorf("%s: unknown fields %v", name, fields)
		}
	}
}

func isKind(value any, kind string) bool {
	whole := func(v any) bool {
		n, ok := v.(float64)
		return ok && n == float64(int64(n))
	}
	variant := func(names map[string]func(any) bool) bool {
		fields, ok := value.(map[string]any)
		if !ok || len(fields) != 1 {
			return false
		}
		for name, v := range fields {
			if is := names[name]; is == nil || !is(v) {
				return false
			}
		}
		return true
	}
	number := func(v any) bool { _, ok := v.(float64); return ok }
	text := func(v any) bool { _, ok := v.(string); return ok }
	small := func(v any) bool { n, ok := v.(float64); return whole(v) && ok && n >= 0 && n <= 255 }
	switch kind {
	case "integer":
		n, _ := value.(float64)
		return whole(value) && n >= 0
	case "integer 0-255":
		return small(value)
	case "boolean":
		_, ok := value.(bool)
		return ok
	case "string":
		return text(value)
	case "SizeChange":
		return variant(map[string]func(any) bool{"SetFixed": whole, "AdjustFixed": whole, "SetProportion": number,
			"AdjustProportion": number})
	case "WorkspaceReferenceArg":
		return variant(map[string]func(any) bool{"Index": small, "Id": whole, "Name": text})
	case "LayoutSwitchTarget":
		return value == "Next" || value == "Prev" || variant(map[string]func(any) bool{"Index": small})
	case "ColumnDisplay":
		return value == "Normal" || value == "Tabbed"
	}
	return false
}

// example values of the types of the facts.
var examples = map[string]string{
	"integer": "4000000000", "integer 0-255": "255", "integer 0-65535": "65535", "boolean": "true", "string": `"x"`,
	"array of strings": `["true"]`, "SizeChange": `{"SetFixed":300}`, "PositionChange": `{"SetFixed":1.5}`,
	"WorkspaceReferenceArg": `{"Name":"nowhere"}`, "LayoutSwitchTarget": `{"Index":0}`, "ColumnDisplay": `"Tabbed"`,
}

// TestTheModelKnowsTheFacts asks the model for every action as the facts write
// it: it must take that, and refuse it without a field that niri must have.
func TestTheModelKnowsTheFacts(t *testing.T) {
	n := fakeniri.Start(t, fakeniri.Options{})
	b := connect(t, n)
	send := func(action string, fields map[string]json.RawMessage) error {
		_, err := b.commands.ask(t.Context(), dict{"Action": dict{action: fields}})
		return err
	}
	for _, a := range facts(t) {
		for name, kinds := range a.Socket {
			if name == "Quit" {
				continue
			}
			fields := map[string]json.RawMessage{}
			for field, kind := range kinds {
				fields[field] = json.RawMessage(examples[strings.TrimSuffix(kind, " or null")])
			}
			if err := send(name, fields); err != nil {
				t.Errorf("%s %s: %v", name, fields, err)
			}
			for field, kind := range kinds {
				was := fields[field]
				delete(fields, field)
				var refused *refusedError
				if err := send(name, fields); errors.As(err, &refused) == strings.HasSuffix(kind, " or null") {
					t.Errorf("%s without %s: %v", name, field, err)
				}
				fields[field] = was
			}
		}
	}
}

// hostile are names that mean something to somebody.
var hostile = []string{`"`, `\`, `"}},"x":{"`, "\n", "\x00", "\xff", "{}", "null", "Next", "next",
	"", " ", "1", "-1", "99", "😀"}

// What a person says is compared with what there is; names that niri itself
// tells are never sent back but by their id.
func TestWordsNeverBecomeRequests(t *testing.T) {
	f := loaded(t)
	for _, a := range facts(t) {
		for _, text := range hostile {
			request, err := f.translate(twoOutputs(),
				compositor.Action{Name: a.Name, Arg: compositor.Arg{Text: text}, Window: 11})
			if err != nil {
				if !errors.Is(err, compositor.ErrNotSupported) && !errors.Is(err, compositor.ErrNotFound) {
					t.Errorf("%s %q: %v", a.Name, text, err)
				}
				continue
			}
			line, err := json.Marshal(request)
			if err != nil || strings.ContainsAny(string(line), "\n\x00") {
				t.Errorf("%s %q is %q, %v", a.Name, text, line, err)
			}
			if mark := "😀"; text == mark && a.Name != "set-workspace-name" && strings.Contains(string(line), mark) {
				t.Errorf("%s %q is %s", a.Name, text, line)
			}
		}
	}
}
