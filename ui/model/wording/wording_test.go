package wording

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"utter/shared/bus"
	"utter/shared/chord"
	"utter/shared/config"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/plugin/protocol"
	"utter/shared/profile"
	"utter/ui/model/tr"
)

// distinct reports texts that two keys share.
func distinct(t *testing.T, what string, texts map[string]string) {
	t.Helper()
	seen := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		text := texts[key]
		if other, ok := seen[text]; ok || text == "" {
			t.Errorf("%s: %s and %s both say %q", what, other, key, text)
		}
		seen[text] = key
	}
}

// TestEveryProblemHasItsOwnWords, none of them the English message.
func TestEveryProblemHasItsOwnWords(t *testing.T) {
	texts := map[string]string{}
	for _, code := range profile.Codes {
		p := profile.Problem{Code: code, Message: "message", Args: []string{"one", "two", "three", "four"}}
		text := Problem(p)
		if strings.Contains(text, "message") || strings.Contains(text, "%!") ||
			strings.HasSuffix(text, ".") && code != profile.CodeUnknownKey {
			t.Errorf("%s: %q", code, text)
		}
		texts[code] = text
		p.Args = nil // of an older agent
		if text := Problem(p); strings.Contains(text, "%!") {
			t.Errorf("%s without arguments: %q", code, text)
		}
	}
	distinct(t, "problems", texts)
	if got := Problem(profile.Problem{Code: "new", Message: "of a newer agent"}); got != "of a newer agent" {
		t.Errorf("an unknown code: %q", got)
	}
	for code, want := range map[string]string{
		profile.CodeUnknownKey: "“one” is unknown and ignored. Did you mean “two”?",
		profile.CodeSearchURL:  "one: Write {q} where the search words belong",
		profile.CodeKeys:       "one: “three” is not a key combination",
	} {
		if got := texts[code]; got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

func TestEveryStepHasItsOwnWords(t *testing.T) {
	args := map[string]any{
		"url": "URL", "app": "firefox", "query": "Q", "chord": "ctrl+shift+page_up", "text": "TEXT",
		"command": "move-window", "args": []any{"to", 3},
		"description": "D", "x": 1, "y": 2, "direction": "up", "ms": 5,
	}
	nameOf := func(app string) string { return strings.ToUpper(app) }
	texts := map[string]string{}
	for _, spec := range op.Specs() {
		name := string(spec.Name)
		if spec.Foreign() {
			continue
		}
		texts[name] = Step(bus.Step{Action: name, Args: args}, nameOf)
		if texts[name] == name {
			t.Errorf("%s has no words", name)
		}
		nobody := func(string) string { return "nobody" }
		if bare := Step(bus.Step{Action: name}, nobody); strings.Contains(bare, "%!") || strings.Contains(bare, "nobody") {
			t.Errorf("%s without arguments: %q", name, bare)
		}
	}
	distinct(t, "steps", texts)
	for name, want := range map[op.Name]string{
		op.Key{}.Op(): "Press Control Shift Page Up in FIREFOX", op.Niri{}.Op(): "Window command: move window to 3",
		op.TypeText{}.Op():  "Type “TEXT” in FIREFOX",
		op.LaunchApp{}.Op(): "Start FIREFOX", op.Media{}.Op(): "Player: move window FIREFOX", op.Scroll{}.Op(): "Scroll up",
	} {
		if got := texts[string(name)]; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := Step(bus.Step{Action: "launch_app", Args: map[string]any{"argv": []string{"foot", "-e"}}},
		nameOf); got != "Start foot -e" {
		t.Errorf("a command: %q", got)
	}
	for _, tt := range []struct {
		args map[string]any
		want string
	}{
		{nil, "shop.order"}, {map[string]any{"item": "milk\x1b"}, `shop.order milk\x1b`},
		{map[string]any{"from": "a", "count": int64(3), "n": 1e6, "o": map[string]any{"a": true}},
			`shop.order {"count":3,"from":"a","n":1000000,"o":{"a":true}}`},
		{map[string]any{"count": int64(3)}, `shop.order {"count":3}`},
	} {
		if got := Step(bus.Step{Action: "shop.order", Args: tt.args, Plugin: "shop"}, nameOf); got != tt.want {
			t.Errorf("what a plugin is told: %q, want %q", got, tt.want)
		}
	}
	if got := Step(bus.Step{Action: "plugin.op", Args: args}, nameOf); got != "plugin.op" {
		t.Errorf("an operation of a plugin: %q", got)
	}
	scrolls := map[string]string{}
	for _, d := range []string{"up", "down", "left", "right", ""} {
		scrolls["scroll "+d] = Step(bus.Step{Action: "scroll", Args: map[string]any{"direction": d}}, nameOf)
	}
	distinct(t, "scrolling", scrolls)
}

func TestEveryReasonHasItsOwnWords(t *testing.T) {
	texts := map[string]string{}
	for _, r := range []plan.Reason{
		plan.NoPlan, plan.Ambiguous, plan.NeedsConfirmation, plan.Missing, plan.NotFound, plan.PolicyReason, plan.Busy,
		plan.NotSupported, plan.Edge, plan.Timeout, plan.Cancelled,
	} {
		texts[string(r)] = Reason(string(r))
	}
	distinct(t, "reasons", texts)
	texts["expired"] = Reason("expired")
	distinct(t, "reasons", texts)
	if Reason("") != "" || Reason("new") != "" {
		t.Error("a reason that nobody knows has words")
	}
	outcomes := map[string]string{}
	for _, o := range []plan.Outcome{plan.Unknown, plan.Completed, plan.Refused, plan.Failed} {
		outcomes[o.String()] = Outcome(o.String())
	}
	distinct(t, "outcomes", outcomes)
}

func TestErrors(t *testing.T) {
	texts := map[string]string{}
	for name, err := range map[string]error{
		"broken": profile.ErrBroken, "refused": config.ErrRefused, "form": profile.ErrForm,
		"full": syscall.ENOSPC, "folder": syscall.ENOTDIR,
		"read-only": syscall.EROFS, "unread": ErrUnread, "plugin": config.ErrNoPlugin, "other": errors.New("other"),
	} {
		texts[name] = Error(fmt.Errorf("write: %w", &fs.PathError{Op: "open", Path: "x", Err: err}))
	}
	distinct(t, "errors", texts)
	for err, like := range map[error]string{
		config.ErrBroken: "broken", profile.ErrRefused: "refused", config.ErrForm: "form", syscall.EDQUOT: "full",
		syscall.EACCES: "read-only", syscall.EPERM: "read-only",
	} {
		if Error(err) != texts[like] {
			t.Errorf("%v: %q", err, Error(err))
		}
	}
}

func TestFieldsKindsAndParts(t *testing.T) {
	fields, kinds, parts, fixes := map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}
	for _, f := range []string{"name", "aliases", "launch", "new_window", "search_url", "app_ids", "mime_types",
		"kind", "terminal", "enabled"} {
		fields[f] = Field(f)
		if fields[f] == f {
			t.Errorf("the field %s has no words", f)
		}
	}
	for _, k := range profile.Kinds {
		kinds[string(k)] = Kind(k)
	}
	for _, p := range []string{"compositor", "input method", "virtual keyboard", "clipboard", "virtual pointer",
		"terminal", "browser", "filemanager", "editor", "notifications", "systemd user session"} {
		parts[p] = Part(p)
		fixes[p] = PartFix(p)
		if parts[p] == p && p != "systemd user session" || fixes[p] == "" {
			t.Errorf("the part %s has no words", p)
		}
	}
	distinct(t, "fields", fields)
	distinct(t, "kinds", kinds)
	distinct(t, "parts", parts)
	distinct(t, "states", map[string]string{"ok": PartState("ok"), "broken": PartState("broken"),
		"absent": PartState("absent")})
	if Field("new") != "new" || Part("new") != "new" || PartFix("new") != "" {
		t.Error("what a newer agent has")
	}
}

func TestPathsAndValues(t *testing.T) {
	for want, path := range map[string][]string{"Kind": {"kind"},
		"Words that need confirmation": {"policy", "require_confirm"}, "Search engine": {"search", "engine"},
		"“new tab”": {"shortcuts", "new_tab"}, "“a_b”": {"commands", "a_b"}, "": nil} {
		if got := Path(path); got != want {
			t.Errorf("Path(%q) = %q, want %q", path, got, want)
		}
	}
	c, err := chord.Parse("ctrl+t")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		value any
		want  string
	}{
		{nil, "nothing"}, {"", "none"}, {"x", "x"}, {[]string{}, "none"}, {[]string{"a", "b"}, "a, b"},
		{true, "on"}, {false, "off"},
		{chord.Sequence{c, c}, "ctrl+t ctrl+t"}, {chord.Sequence{}, "none"},
		{map[string]string{"action": "new_tab"}, "new tab"},
	} {
		if got := Value(tt.value); got != tt.want {
			t.Errorf("Value(%#v) = %q, want %q", tt.value, got, tt.want)
		}
	}
	for want, o := range map[string]profile.Origin{
		"a.yaml": {File: "/x/a.yaml"}, "a.yaml, line 3": {File: "a.yaml", Line: 3},
		"a.yaml, line 3, column 7": {File: "a.yaml", Line: 3, Column: 7},
	} {
		if got := Place(o); got != want {
			t.Errorf("Place = %q, want %q", got, want)
		}
	}
}

func TestChoices(t *testing.T) {
	for origin, want := range map[string]string{
		"/home/a/.config/utter/profiles/mail.yaml:3 (user)": "Mail (mail.yaml)",
		"mail.yaml (user)":        "Mail (mail.yaml)",
		"C:/odd:name.yaml (user)": "Mail (odd:name.yaml)",
		"mail.yaml:3 (curated)":   "Mail (Built-in)",
		"/usr/share/applications/thunderbird (2).desktop (catalogue)": "Mail (Found on this computer)",
		"plugin mailer": "Mail (plugin mailer)",
		"":              "Mail",
	} {
		if got := Choice("Mail", origin); got != want {
			t.Errorf("Choice(%q) = %q, want %q", origin, got, want)
		}
	}
	if Unreadable(fs.ErrPermission) == Unreadable(errors.New("x")) {
		t.Error("a file that cannot be read is not a broken one")
	}
}

func TestAliases(t *testing.T) {
	findings := []profile.Finding{
		{Code: profile.NameTaken, Subject: "a", Other: "Pad"}, {Code: profile.GenericWord, Subject: "b"},
		{Code: profile.BuiltInPhrase, Subject: "c"},
	}
	want := []string{"“a” is also a name of Pad", "“b” is too general to identify one application",
		"“c” already means something else"}
	if got := Findings(findings); !slices.Equal(got, want) {
		t.Errorf("Aliases = %q, want %q", got, want)
	}
}

// louder is a language that shows what is translated.
type louder struct{}

func (louder) Get(_, id string) string               { return loud(id) }
func (louder) Plural(one, many string, n int) string { return loud(many) }

var verb = regexp.MustCompile(`%(\[\d+\])?[A-Z]`)

func loud(text string) string {
	return verb.ReplaceAllStringFunc(strings.ToUpper(text), strings.ToLower)
}

// TestNothingIsPutTogetherFromEnglish: in a language of capitals nothing small
// is left but what files say.
func TestNothingIsPutTogetherFromEnglish(t *testing.T) {
	tr.Use(louder{})
	defer tr.Use(nil)
	args := []string{"ONE", "TWO", "THREE", "FOUR"}
	var texts []string
	for _, code := range profile.Codes {
		texts = append(texts, Problem(profile.Problem{Code: code, Args: args}))
	}
	for _, code := range chord.Codes {
		texts = append(texts, Mistake(&chord.SyntaxError{Input: "INPUT", Code: code, Word: "WORD"}))
	}
	for _, spec := range op.Specs() {
		name := string(spec.Name)
		if spec.Foreign() {
			continue
		}
		texts = append(texts, Step(bus.Step{Action: name}, nil))
	}
	for _, k := range profile.Kinds {
		texts = append(texts, Kind(k))
	}
	texts = append(texts, Value(nil), Value(true), Value(""), Place(profile.Origin{File: "F", Line: 1, Column: 2}),
		Error(nil), Outcome(""), PartState(""))
	for _, text := range texts {
		if strings.ToUpper(text) != text {
			t.Errorf("%q", text)
		}
	}
}

// TestWhatTheRunnerSays: all that its protocol knows has words of its own.
func TestWhatTheRunnerSays(t *testing.T) {
	kinds, states, permissions, grants := map[string]string{}, map[string]string{},
		map[string]string{}, map[string]string{}
	for _, k := range protocol.Kinds {
		if kinds[k] = PluginKind(k); kinds[k] == k {
			t.Errorf("the kind %s has no words", k)
		}
	}
	for _, s := range []string{
		protocol.StatusCreated, protocol.StatusStarting, protocol.StatusOK, protocol.StatusDegraded,
		protocol.StatusError, protocol.StatusStopped,
	} {
		states[s] = PluginStatus(s)
	}
	for _, p := range protocol.Permissions {
		if permissions[p] = Permission(p); permissions[p] == p {
			t.Errorf("the permission %s has no words", p)
		}
	}
	for _, granted := range []bool{false, true} {
		for _, enforced := range []bool{false, true} {
			grants[fmt.Sprint(granted,
				enforced)] = PermissionState(protocol.PermissionState{Granted: granted, Enforced: enforced})
		}
	}
	distinct(t, "kinds", kinds)
	distinct(t, "states", states)
	distinct(t, "permissions", permissions)
	distinct(t, "grants", grants)
	if PluginKind("new") != "new" || PluginStatus("new") != "" || Permission("new") != "new" {
		t.Error("what a newer runner has is not left as it is")
	}
}
