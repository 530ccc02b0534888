package service

import (
	"strings"
	"unicode/utf8"

	"github.com/godbus/dbus/v5"

	"utter/agent/internal/dialogue"
	"utter/agent/internal/launch"
	"utter/agent/internal/router"
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/profile"
)

// A dict is an a{sv}.
type dict = map[string]dbus.Variant

func set(d dict, name string, v any) { d[name] = dbus.MakeVariant(sendable(v)) }

// sendable makes texts fit for the bus, which ends the connection of whoever
// sends others: file names and titles may have any bytes.
func sendable(v any) any {
	switch v := v.(type) {
	case string:
		return cleanText(v)
	case []string:
		clean := make([]string, len(v))
		for i, s := range v {
			clean[i] = cleanText(s)
		}
		return clean
	}
	return v
}

func cleanText(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

// setText sets what says something.
func setText(d dict, name, v string) {
	if v != "" {
		set(d, name, v)
	}
}

func encodeStep(s plan.Step) dict {
	d := dict{}
	set(d, "action", string(s.Op()))
	set(d, "args", encodeArgs(op.Map(s.Args)))
	setText(d, "tier", string(s.Tier()))
	setText(d, "description", s.Description)
	if s.Confirm {
		set(d, "confirm", true)
	}
	setText(d, "plugin", s.Plugin)
	setText(d, "author", s.Author)
	return d
}

// encodeArgs writes arguments as D-Bus has them: whole numbers as x, others as d,
// lists as as or av, objects as a{sv}. D-Bus has nothing for null: it is left out.
func encodeArgs(args map[string]any) dict {
	d := dict{}
	for name, v := range args {
		if v != nil {
			set(d, cleanText(name), wire(v))
		}
	}
	return d
}

func wire(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case map[string]any:
		return encodeArgs(v)
	case []any:
		items := []dbus.Variant{}
		for _, item := range v {
			if item != nil {
				items = append(items, dbus.MakeVariant(sendable(wire(item))))
			}
		}
		return items
	}
	return v
}

func encodeResult(r plan.Result) dict {
	d := encodeStep(r.Step)
	set(d, "outcome", r.Outcome.String())
	setText(d, "evidence", string(r.Evidence))
	setText(d, "reason", string(r.Reason))
	setText(d, "message", r.Message)
	if r.Window != 0 {
		set(d, "window", r.Window)
	}
	return d
}

// encodeAnswer returns the outcome, message and steps of a D-Bus answer. An
// answer without steps still has one entry that says why.
func encodeAnswer(a dialogue.Answer) (outcome, message string, steps []dict) {
	steps = []dict{}
	for _, s := range a.Planned {
		steps = append(steps, encodeStep(s))
	}
	for _, r := range a.Results {
		steps = append(steps, encodeResult(r))
	}
	if len(steps) == 0 {
		d := dict{}
		set(d, "outcome", a.Outcome.String())
		setText(d, "reason", string(a.Reason))
		setText(d, "message", a.Message)
		steps = append(steps, d)
	}
	last := steps[len(steps)-1]
	if len(a.Choices) > 0 {
		set(last, "choices", encodeChoices(a.Choices))
	}
	if a.Question != nil {
		set(last, "token", a.Question.Token)
		set(last, "expires", uint32(a.Question.Expires.Seconds()))
	}
	return a.Outcome.String(), a.Message, steps
}

func encodeChoices(choices []plan.Choice) []dict {
	all := []dict{}
	for _, c := range choices {
		d := dict{}
		set(d, "label", c.Label)
		set(d, "origin", c.Origin)
		all = append(all, d)
	}
	return all
}

func encodeDecision(utterance string, dec dialogue.Planned) dict {
	d := dict{}
	set(d, "utterance", utterance)
	set(d, "found", dec.Plan != nil)
	set(d, "micros", uint64(dec.Took.Microseconds()))
	setText(d, "rule", dec.Rule)
	if len(dec.Passed) > 0 {
		set(d, "passed", dec.Passed)
	}
	if dec.Claims != nil {
		set(d, "name", dec.Name)
		set(d, "claims", encodeClaims(dec.Claims))
	}
	if dec.Plan == nil {
		setText(d, "reason", string(dec.Reason))
		setText(d, "message", dec.Message)
		if len(dec.Choices) > 0 {
			set(d, "choices", encodeChoices(dec.Choices))
		}
		return d
	}
	set(d, "source", string(dec.Plan.Source))
	set(d, "confidence", dec.Plan.Confidence)
	set(d, "needs_perception", dec.Plan.NeedsPerception)
	setText(d, "refusal", dec.Refusal)
	steps := []dict{}
	for _, s := range dec.Plan.Steps {
		steps = append(steps, encodeStep(s))
	}
	set(d, "steps", steps)
	return d
}

func encodeSuggestions(list []router.Suggestion) []dict {
	all := []dict{}
	for _, s := range list {
		d := dict{}
		set(d, "text", s.Text)
		set(d, "kind", s.Kind)
		set(d, "app", s.App)
		set(d, "group", string(s.Group))
		set(d, "detail", s.Detail)
		all = append(all, d)
	}
	return all
}

func encodeClaims(claims []dialogue.Claim) []dict {
	all := []dict{}
	for _, c := range claims {
		d := dict{}
		set(d, "app", c.Profile.ID)
		set(d, "name", c.Profile.Name)
		by := c.Pass.String()
		if c.Role {
			by = "role"
		}
		set(d, "by", by)
		set(d, "layer", c.Layer.String())
		set(d, "origin", c.Profile.Origin.String())
		set(d, "installed", c.Installed)
		all = append(all, d)
	}
	return all
}

func encodeProblems(problems []profile.Problem) []dict {
	all := []dict{}
	for _, p := range problems {
		d := dict{}
		set(d, "file", p.Origin.File)
		set(d, "line", uint32(p.Origin.Line))
		set(d, "column", uint32(p.Origin.Column))
		set(d, "severity", string(p.Severity))
		set(d, "message", p.Message)
		if p.Code != "" {
			set(d, "code", p.Code)
			set(d, "args", texts(p.Args))
		}
		all = append(all, d)
	}
	return all
}

func encodeFinding(f launch.Finding) dict {
	d := dict{}
	set(d, "found", f.Path != "")
	set(d, "executable", f.State == launch.Found)
	set(d, "path", f.Path)
	set(d, "state", string(f.State))
	return d
}

func encodeApps(apps []dialogue.App) []dict {
	all := []dict{}
	for _, a := range apps {
		d := dict{}
		set(d, "id", a.ID)
		set(d, "name", a.Name)
		set(d, "aliases", texts(a.Aliases))
		set(d, "kind", string(a.Kind))
		set(d, "app_ids", texts(a.AppIDs))
		set(d, "launch", texts(a.Launch))
		set(d, "layer", a.Layer.String())
		set(d, "origin", a.Origin.String())
		set(d, "installed", a.Installed)
		set(d, "running", a.Running)
		set(d, "role", a.Role())
		all = append(all, d)
	}
	return all
}

// texts is an as also where there is none.
func texts(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func encodeWindows(windows []dialogue.Window) []dict {
	all := []dict{}
	for _, w := range windows {
		d := dict{}
		set(d, "id", uint64(w.ID))
		set(d, "app_id", w.AppID)
		set(d, "title", w.Title)
		set(d, "pid", uint32(max(0, w.PID)))
		set(d, "workspace", w.WorkspaceName)
		set(d, "output", w.Output)
		set(d, "focused", w.Focused)
		set(d, "floating", w.Floating)
		set(d, "fullscreen", w.Fullscreen)
		set(d, "app", w.App)
		all = append(all, d)
	}
	return all
}
