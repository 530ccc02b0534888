package main

import (
	"fmt"
	"testing"

	"github.com/godbus/dbus/v5"

	"utter/shared/bus"
	"utter/tests/fakes/privatebus"
)

type dict = map[string]dbus.Variant

func variants(values map[string]any) dict {
	d := dict{}
	for name, v := range values {
		d[name] = dbus.MakeVariant(v)
	}
	return d
}

// A stub stands for the agent.
type stub struct{}

// An answer is what it answers to an utterance.
type answer struct {
	outcome, message string
	steps            []map[string]any
}

// answers are its replies by utterance. Tokens are T1 of a choice and T2
// of a question.
var answers = map[string]answer{
	"open the terminal": {"completed", "Foot has the focus", []map[string]any{{
		"action": "ensure_app", "args": variants(map[string]any{"app": "foot"}), "description": "show Foot", "tier": "app",
		"outcome": "completed", "evidence": "state", "message": "Foot has the focus", "window": uint64(7)}}},
	"workspace 3": {"completed", "workspace 3", []map[string]any{{
		"action": "niri", "description": "workspace 3", "message": "workspace 3", "outcome": "completed", "evidence": "state"}}},
	"type hello": {"completed", "", []map[string]any{{
		"action": "type_text", "args": variants(map[string]any{"text": "hello"}), "outcome": "completed", "evidence": "read_back"}}},
	"close youtube": {"failed", "step 2 of 2: foot has lost the focus", []map[string]any{
		{"action": "ensure_url", "description": "show YouTube", "outcome": "completed", "evidence": "state"},
		{"action": "niri", "description": "close a window", "outcome": "refused", "reason": "not_found", "message": "foot has lost the focus"}}},
	"open sleeper": {"unknown", "no window of it came", []map[string]any{{
		"action": "launch_app", "description": "open Sleeper", "outcome": "unknown", "reason": "timeout", "message": "no window of it came"}}},
	"open brokenware": {"failed", "Brokenware ended at once: exit status 7", []map[string]any{{
		"action": "launch_app", "outcome": "failed", "message": "Brokenware ended at once: exit status 7"}}},
	"gibberish": {"refused", "no rule fits these words", []map[string]any{{
		"outcome": "refused", "reason": "no_plan", "message": "no rule fits these words"}}},
	"workspace 9": {"refused", "no compositor is running", []map[string]any{{
		"action": "niri", "outcome": "refused", "reason": "missing", "message": "no compositor is running"}}},
	"focus right": {"refused", "nothing further that way", []map[string]any{{
		"action": "niri", "outcome": "refused", "reason": "edge", "message": "nothing further that way"}}},
	"open mail": {"refused", "\"mail\" may mean several things", []map[string]any{{
		"outcome": "refused", "reason": "ambiguous", "message": "\"mail\" may mean several things", "token": "T1", "expires": uint32(30),
		"choices": []dict{
			variants(map[string]any{"label": "Thunderbird", "origin": "/usr/share/applications/thunderbird.desktop (catalogue)"}),
			variants(map[string]any{"label": "Geary & <Mail>", "origin": "mail.yaml:3 (user)"})}}}},
	"run rm -rf x": {"refused", "confirm: run a command (terminal command=rm -rf x)", []map[string]any{{
		"action": "terminal", "outcome": "refused", "reason": "needs_confirmation", "confirm": true,
		"message": "confirm: run a command (terminal command=rm -rf x)", "token": "T2", "expires": uint32(30)}}},
	"say quotes": {"completed", "", []map[string]any{{
		"action": "speak", "args": variants(map[string]any{"text": "a \"b\" <c> & ü€\n😀"}), "description": "say a \"b\" <c> & ü€\n😀", "outcome": "completed"}}},
	"the text from standard input\nof two lines": {"completed", "", []map[string]any{{"action": "done", "description": "two lines came", "outcome": "completed"}}},
	"-v is no flag": {"completed", "", []map[string]any{{"action": "done", "description": "a dash came", "outcome": "completed"}}},
	"timeout 1500":  {"completed", "", []map[string]any{{"action": "done", "description": "it came with 1500 ms", "outcome": "completed"}}},
}

func dicts(list []map[string]any) []dict {
	all := []dict{}
	for _, s := range list {
		all = append(all, variants(s))
	}
	return all
}

func (stub) reply(utterance string) (string, string, []dict, *dbus.Error) {
	if utterance == "break" {
		return "", "", nil, dbus.NewError(bus.ErrFailed, []any{"the agent is broken"})
	}
	a, ok := answers[utterance]
	if !ok {
		return "", "", nil, dbus.NewError(bus.ErrInvalidArgs, []any{"the stub does not know " + utterance})
	}
	return a.outcome, a.message, dicts(a.steps), nil
}

func (s stub) runWithOptions(utterance string, o dict) (string, string, []dict, *dbus.Error) {
	if ms, ok := o["timeout_ms"].Value().(uint32); ok && ms == 1500 {
		return s.reply("timeout 1500")
	}
	if id, ok := o["window"].Value().(uint64); ok {
		return "completed", "", dicts([]map[string]any{{"action": "done", "description": fmt.Sprintf("the window %d came first", id), "outcome": "completed"}}), nil
	}
	if dry, _ := o["dry_run"].Value().(bool); dry {
		return "completed", "dry run", dicts([]map[string]any{
			{"action": "ensure_app", "args": variants(map[string]any{"app": "foot", "argv": []string{"foot", "-e"}}), "description": "show Foot"},
			{"action": "wait", "args": variants(map[string]any{"ms": int64(300)})}}), nil
	}
	return s.reply(utterance)
}

func (stub) plan(utterance string, o dict) (dict, *dbus.Error) {
	d := map[string]any{"utterance": utterance, "rule": "open", "passed": []string{"custom", "desktop"}, "found": true, "source": "rules",
		"confidence": 1.0, "needs_perception": false, "steps": dicts([]map[string]any{
			{"action": "ensure_app", "args": variants(map[string]any{"app": "foot"}), "description": "show Foot"}})}
	if explain, _ := o["explain"].Value().(bool); explain {
		d["name"] = "terminal"
		d["claims"] = []dict{
			variants(map[string]any{"name": "Foot", "by": "alias", "layer": "catalogue", "origin": "foot.desktop", "installed": true}),
			variants(map[string]any{"name": "Console", "by": "name", "layer": "curated", "origin": "console.yaml", "installed": false})}
	}
	for _, name := range []string{"app", "window"} {
		if v, ok := o[name]; ok {
			d["rule"] = fmt.Sprint(name, " ", v.Value())
		}
	}
	switch utterance {
	case "gibberish":
		d = map[string]any{"utterance": utterance, "found": false, "reason": "no_plan", "message": "no rule fits these words"}
	case "open mail":
		d = map[string]any{"utterance": utterance, "found": false, "reason": "ambiguous", "message": "\"mail\" may mean several things",
			"choices": []dict{variants(map[string]any{"label": "Geary", "origin": "mail.yaml"})}}
	}
	return variants(d), nil
}

func (stub) choose(token string, index uint32) (string, string, []dict, *dbus.Error) {
	switch {
	case token != "T1":
		return "", "", nil, dbus.NewError(bus.ErrNotFound, []any{"no such token"})
	case index > 1:
		return "", "", nil, dbus.NewError(bus.ErrInvalidArgs, []any{"choice 7 of 2"})
	}
	return "completed", "", dicts([]map[string]any{{"action": "done", "description": []string{"the first", "the second"}[index], "outcome": "completed"}}), nil
}

func (s stub) confirm(token string, yes bool) (string, string, []dict, *dbus.Error) {
	switch {
	case token == "OLD":
		return "", "", nil, dbus.NewError(bus.ErrExpired, []any{"the time is over"})
	case token != "T2":
		return "", "", nil, dbus.NewError(bus.ErrNotFound, []any{"no such token"})
	case !yes:
		return "refused", "turned down", dicts([]map[string]any{{"outcome": "refused", "reason": "cancelled", "message": "turned down"}}), nil
	}
	return s.reply("type hello")
}

// stubApps are the applications that it knows.
var stubApps = []map[string]any{
	{"id": "foot", "name": "Foot", "aliases": []string{"terminal emulator", "föt"}, "kind": "terminal", "app_ids": []string{"foot", "footclient"},
		"launch": []string{"foot"}, "layer": "catalogue", "origin": "foot.desktop", "installed": true, "running": false, "role": false},
	{"id": "spotify", "name": "Spotify", "aliases": []string{}, "kind": "media", "app_ids": []string{"Spotify"},
		"launch": []string{}, "layer": "curated", "origin": "media_spotify.yaml", "installed": false, "running": false, "role": false},
}

func (stub) suggestFor(app, prefix string, limit uint32) ([]dict, *dbus.Error) {
	if app != "" {
		return dicts([]map[string]any{{"text": "new tab", "kind": "action", "group": "app", "app": app, "detail": "ctrl+t"}}), nil
	}
	return dicts([]map[string]any{
		{"text": prefix + " the terminal", "kind": "app", "group": "open", "app": "foot", "detail": "foot"},
		{"text": prefix + " …", "kind": "site", "group": "web", "app": "", "detail": "https://…"},
	}[:min(2, limit)]), nil
}

func (stub) checkLaunch(argv []string) (dict, *dbus.Error) {
	switch argv[0] {
	case "foot":
		return variants(map[string]any{"found": true, "executable": true, "path": "/usr/bin/foot", "state": "found"}), nil
	case "/tmp":
		return variants(map[string]any{"found": true, "executable": false, "path": "/tmp", "state": "not_executable"}), nil
	}
	return variants(map[string]any{"found": false, "executable": false, "path": "", "state": "not_found"}), nil
}

// serve puts the stub on a bus; compositor is how that part stands.
func (s stub) serve(t *testing.T, address, compositor string) {
	t.Helper()
	conn := privatebus.Connect(t, address)
	list := func(l []map[string]any) func() ([]dict, *dbus.Error) {
		return func() ([]dict, *dbus.Error) { return dicts(l), nil }
	}
	methods := map[string]any{
		"RunWithOptions": s.runWithOptions, "PlanWithOptions": s.plan,
		"Choose": s.choose, "Confirm": s.confirm, "Cancel": func() (uint32, *dbus.Error) { return 2, nil }, "ListApps": list(stubApps),
		"SuggestFor":  s.suggestFor,
		"CheckLaunch": s.checkLaunch,
		"Doctor": list([]map[string]any{
			{"name": "compositor", "state": compositor, "detail": "sway 1.10"}, {"name": "clipboard", "state": "absent", "detail": "cannot paste"}}),
	}
	if err := conn.ExportMethodTable(methods, bus.Path, bus.Interface); err != nil {
		t.Fatal(err)
	}
	get := func(_, name string) (dbus.Variant, *dbus.Error) {
		return dbus.MakeVariant(dicts([]map[string]any{
			{"file": "/p/mail.yaml", "line": uint32(3), "column": uint32(1), "severity": "error", "message": "kind is \"x\""}})), nil
	}
	if err := conn.ExportMethodTable(map[string]any{"Get": get}, bus.Path, "org.freedesktop.DBus.Properties"); err != nil {
		t.Fatal(err)
	}
	privatebus.Own(t, conn, bus.Agent)
}
