package main

import (
	"fmt"
	"testing"

	"github.com/godbus/dbus/v5"

	"utter/shared/bus"
	"utter/tests/fakes/privatebus"
)

// A stub stands for the agent.
type stub struct{}

// answers are its replies by utterance. Tokens are T1 of a choice and T2
// of a question.
var answers = map[string]bus.Reply{
	"open the terminal": {Outcome: "completed", Message: "Foot has the focus", Steps: []bus.Step{{
		Action: "ensure_app", Args: map[string]any{"app": "foot"}, Description: "show Foot", Tier: "app",
		Outcome: "completed", Evidence: "state", Message: "Foot has the focus", Window: 7}}},
	"workspace 3": {Outcome: "completed", Message: "workspace 3", Steps: []bus.Step{{
		Action: "niri", Description: "workspace 3", Message: "workspace 3", Outcome: "completed", Evidence: "state"}}},
	"type hello": {Outcome: "completed", Message: "", Steps: []bus.Step{{
		Action: "type_text", Args: map[string]any{"text": "hello"}, Outcome: "completed", Evidence: "read_back"}}},
	"close youtube": {Outcome: "failed", Message: "step 2 of 2: foot has lost the focus", Steps: []bus.Step{
		{Action: "ensure_url", Description: "show YouTube", Outcome: "completed", Evidence: "state"},
		{Action: "niri", Description: "close a window", Outcome: "refused",
			Reason: "not_found", Message: "foot has lost the focus"}}},
	"open sleeper": {Outcome: "unknown", Message: "no window of it came", Steps: []bus.Step{{
		Action: "launch_app", Description: "open Sleeper", Outcome: "unknown", Reason: "timeout",
		Message: "no window of it came"}}},
	"open brokenware": {Outcome: "failed", Message: "Brokenware ended at once: exit status 7", Steps: []bus.Step{{
		Action: "launch_app", Outcome: "failed", Message: "Brokenware ended at once: exit status 7"}}},
	"gibberish": {Outcome: "refused", Message: "no rule matches these words", Steps: []bus.Step{{
		Outcome: "refused", Reason: "no_plan", Message: "no rule matches these words"}}},
	"workspace 9": {Outcome: "refused", Message: "no compositor is running", Steps: []bus.Step{{
		Action: "niri", Outcome: "refused", Reason: "missing", Message: "no compositor is running"}}},
	"focus right": {Outcome: "refused", Message: "nothing further that way", Steps: []bus.Step{{
		Action: "niri", Outcome: "refused", Reason: "edge", Message: "nothing further that way"}}},
	"open mail": {Outcome: "refused", Message: "\"mail\" may mean several things", Steps: []bus.Step{{
		Outcome: "refused", Reason: "ambiguous", Message: "\"mail\" may mean several things", Token: "T1", Expires: 30,
		Choices: []bus.Choice{
			{Label: "Thunderbird", Origin: "/usr/share/applications/thunderbird.desktop (catalogue)"},
			{Label: "Geary & <Mail>", Origin: "mail.yaml:3 (user)"}}}}},
	"run rm -rf x": {Outcome: "refused", Message: "confirm: run a command (terminal command=rm -rf x)", Steps: []bus.Step{{
		Action: "terminal", Outcome: "refused", Reason: "needs_confirmation", Confirm: true,
		Message: "confirm: run a command (terminal command=rm -rf x)", Token: "T2", Expires: 30}}},
	"say quotes": {Outcome: "completed", Message: "", Steps: []bus.Step{{
		Action: "speak", Args: map[string]any{"text": "a \"b\" <c> & ü€\n😀"}, Outcome: "completed",
		Description: "say a \"b\" <c> & ü€\n😀"}}},
	"the text from standard input\nof two lines": done("two lines came"),
	"-v is not a flag":                           done("a dash came"),
	"timeout 1500":                               done("it came with 1500 ms"),
}

func done(description string) bus.Reply {
	step := bus.Step{Action: "done", Description: description, Outcome: "completed"}
	return bus.Reply{Outcome: "completed", Steps: []bus.Step{step}}
}

// sent returns a reply as the agent sends it.
func sent(r bus.Reply) (string, string, []bus.Dict, *dbus.Error) {
	outcome, message, steps := r.Values()
	return outcome, message, steps, nil
}

func (stub) reply(utterance string) (string, string, []bus.Dict, *dbus.Error) {
	if utterance == "break" {
		return "", "", nil, dbus.NewError(bus.ErrFailed, []any{"the agent is broken"})
	}
	r, ok := answers[utterance]
	if !ok {
		return "", "", nil, dbus.NewError(bus.ErrInvalidArgs, []any{"the stub does not know " + utterance})
	}
	return sent(r)
}

func (s stub) runWithOptions(utterance string, given bus.Dict) (string, string, []bus.Dict, *dbus.Error) {
	var o bus.RunOptions
	switch err := bus.DecodeOptions(given, &o); {
	case err != nil:
		return "", "", nil, dbus.NewError(bus.ErrInvalidArgs, []any{err.Error()})
	case o.TimeoutMS == 1500:
		return s.reply("timeout 1500")
	case o.Window != nil:
		return sent(done(fmt.Sprintf("the window %d came first", *o.Window)))
	case o.DryRun:
		return sent(bus.Reply{Outcome: "completed", Message: "dry run", Steps: []bus.Step{
			{Action: "ensure_app", Description: "show Foot",
				Args: map[string]any{"app": "foot", "argv": []string{"foot", "-e"}}},
			{Action: "wait", Args: map[string]any{"ms": 300}}}})
	}
	return s.reply(utterance)
}

func (stub) plan(utterance string, given bus.Dict) (bus.Dict, *dbus.Error) {
	var o bus.PlanOptions
	if err := bus.DecodeOptions(given, &o); err != nil {
		return nil, dbus.NewError(bus.ErrInvalidArgs, []any{err.Error()})
	}
	p := bus.Plan{
		Utterance: utterance, Rule: "open", Passed: []string{"custom", "desktop"}, Found: true, Source: "rules",
		Confidence: 1, NeedsPerception: new(bool),
		Steps: []bus.Step{{Action: "ensure_app", Args: map[string]any{"app": "foot"}, Description: "show Foot"}},
	}
	if o.Explain {
		p.Name = "terminal"
		p.Claims = []bus.Claim{
			{Name: "Foot", By: "alias", Layer: "catalogue",
				Origin: "foot.desktop", Installed: true},
			{Name: "Console", By: "name", Layer: "curated", Origin: "console.yaml"}}
	}
	if o.App != "" {
		p.Rule = "app " + o.App
	}
	if o.Window != nil {
		p.Rule = fmt.Sprint("window ", *o.Window)
	}
	switch utterance {
	case "gibberish":
		p = bus.Plan{Utterance: utterance, Reason: "no_plan", Message: "no rule matches these words"}
	case "open mail":
		p = bus.Plan{Utterance: utterance, Reason: "ambiguous", Message: "\"mail\" may mean several things",
			Choices: []bus.Choice{{Label: "Geary", Origin: "mail.yaml"}}}
	}
	return bus.Encode(p), nil
}

func (stub) choose(token string, index uint32) (string, string, []bus.Dict, *dbus.Error) {
	switch {
	case token != "T1":
		return "", "", nil, dbus.NewError(bus.ErrNotFound, []any{"no such token"})
	case index > 1:
		return "", "", nil, dbus.NewError(bus.ErrInvalidArgs, []any{"choice 7 of 2"})
	}
	return sent(done([]string{"the first", "the second"}[index]))
}

func (s stub) confirm(token string, yes bool) (string, string, []bus.Dict, *dbus.Error) {
	switch {
	case token == "OLD":
		return "", "", nil, dbus.NewError(bus.ErrExpired, []any{"the time is over"})
	case token != "T2":
		return "", "", nil, dbus.NewError(bus.ErrNotFound, []any{"no such token"})
	case !yes:
		return sent(bus.Reply{Outcome: "refused", Message: "you said no; nothing was done",
			Steps: []bus.Step{{Outcome: "refused", Reason: "cancelled", Message: "you said no; nothing was done"}}})
	}
	return s.reply("type hello")
}

// stubApps are the applications that it knows.
var stubApps = []bus.App{
	{ID: "foot", Name: "Foot", Aliases: []string{"terminal emulator", "föt"}, Kind: "terminal",
		AppIDs: []string{"foot", "footclient"}, Launch: []string{"foot"}, Layer: "catalogue",
		Origin: "foot.desktop", Installed: true},
	{ID: "spotify", Name: "Spotify", Kind: "media", AppIDs: []string{"Spotify"}, Layer: "curated",
		Origin: "media_spotify.yaml"},
}

func (stub) suggestFor(app, prefix string, limit uint32) ([]bus.Dict, *dbus.Error) {
	if app != "" {
		newTab := bus.Suggestion{Text: "new tab", Kind: "action", Group: "app", App: app, Detail: "ctrl+t"}
		return bus.EncodeList([]bus.Suggestion{newTab}), nil
	}
	return bus.EncodeList([]bus.Suggestion{
		{Text: prefix + " the terminal", Kind: "app", Group: "open", App: "foot", Detail: "foot"},
		{Text: prefix + " …", Kind: "site", Group: "web", Detail: "https://…"},
	}[:min(2, limit)]), nil
}

func (stub) checkLaunch(argv []string) (bus.Dict, *dbus.Error) {
	switch argv[0] {
	case "foot":
		return bus.Encode(bus.LaunchCheck{Found: true, Executable: true, Path: "/usr/bin/foot", State: "found"}), nil
	case "/tmp":
		return bus.Encode(bus.LaunchCheck{Found: true, Path: "/tmp", State: "not_executable"}), nil
	}
	return bus.Encode(bus.LaunchCheck{State: "not_found"}), nil
}

// serve puts the stub on a bus; compositor is the state of the compositor.
func (s stub) serve(t *testing.T, address, compositor string) {
	t.Helper()
	conn := privatebus.Connect(t, address)
	methods := map[string]any{
		"RunWithOptions": s.runWithOptions, "PlanWithOptions": s.plan,
		"Choose": s.choose, "Confirm": s.confirm, "Cancel": func() (uint32, *dbus.Error) { return 2, nil },
		"ListApps":    func() ([]bus.Dict, *dbus.Error) { return bus.EncodeList(stubApps), nil },
		"SuggestFor":  s.suggestFor,
		"CheckLaunch": s.checkLaunch,
		"Doctor": func() ([]bus.Dict, *dbus.Error) {
			return bus.EncodeList([]bus.Part{
				{Name: "compositor", State: compositor, Detail: "sway 1.10"},
				{Name: "clipboard", State: "absent", Detail: "cannot paste"}}), nil
		},
	}
	if err := conn.ExportMethodTable(methods, bus.Path, bus.Interface); err != nil {
		t.Fatal(err)
	}
	properties := func(string) (bus.Dict, *dbus.Error) {
		return bus.Encode(bus.Status{Problems: []bus.Problem{
			{File: "/p/mail.yaml", Line: 3, Column: 1, Severity: "error", Message: "kind is \"x\""}}}), nil
	}
	methods = map[string]any{"GetAll": properties}
	if err := conn.ExportMethodTable(methods, bus.Path, "org.freedesktop.DBus.Properties"); err != nil {
		t.Fatal(err)
	}
	privatebus.Own(t, conn, bus.Agent)
}
