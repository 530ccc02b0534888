package service

import (
	"utter/agent/internal/dialogue"
	"utter/agent/internal/launch"
	"utter/agent/internal/router"
	"utter/shared/bus"
	"utter/shared/profile"
)

// replyOf returns an answer for the bus. Without steps it has one entry that says why.
func replyOf(a dialogue.Reply) bus.Reply {
	r := bus.Reply{Outcome: a.Outcome.String(), Message: a.Message, Steps: bus.StepsOf(a.Planned)}
	for _, result := range a.Results {
		r.Steps = append(r.Steps, bus.ResultOf(result))
	}
	if len(r.Steps) == 0 {
		r.Steps = []bus.Step{{Outcome: a.Outcome.String(), Reason: string(a.Reason), Message: a.Message}}
	}
	last := &r.Steps[len(r.Steps)-1]
	last.Choices = bus.ChoicesOf(a.Choices)
	if a.Question != nil {
		last.Token, last.Expires = a.Question.Token, seconds(*a.Question)
	}
	return r
}

func seconds(q dialogue.Question) uint32 { return uint32(q.Expires.Seconds()) }

func planOf(utterance string, d dialogue.Planned) bus.Plan {
	p := d.OnBus(utterance)
	p.Micros, p.Refusal = new(uint64(d.Took.Microseconds())), d.Refusal
	if d.Claims != nil {
		p.Name, p.Claims = d.Name, listOf(d.Claims, claimOf)
	}
	return p
}

func claimOf(c dialogue.Claim) bus.Claim {
	by := c.Pass.String()
	if c.Role {
		by = "role"
	}
	return bus.Claim{
		App: c.Profile.ID, Name: c.Profile.Name, By: by, Layer: c.Layer.String(), Origin: c.Profile.Origin.String(),
		Installed: c.Installed,
	}
}

func suggestionOf(s router.Suggestion) bus.Suggestion {
	return bus.Suggestion{Text: s.Text, Kind: s.Kind, App: s.App, Group: string(s.Group), Detail: s.Detail}
}

func problemOf(p profile.Problem) bus.Problem {
	told := bus.Problem{
		File: p.Origin.File, Line: uint32(p.Origin.Line), Column: uint32(p.Origin.Column),
		Severity: string(p.Severity), Message: p.Message, Code: p.Code,
	}
	if p.Code != "" {
		told.Args = append([]string{}, p.Args...)
	}
	return told
}

func checkOf(f launch.Program) bus.LaunchCheck {
	return bus.LaunchCheck{Found: f.Path != "", Executable: f.State == launch.Found, Path: f.Path, State: string(f.State)}
}

func appOf(a dialogue.App) bus.App {
	return bus.App{
		ID: a.ID, Name: a.Name, Aliases: a.Aliases, Kind: string(a.Kind), AppIDs: a.AppIDs, Launch: a.Launch,
		Layer: a.Layer.String(), Origin: a.Origin.String(), Installed: a.Installed, Running: a.Running, Role: a.Role(),
	}
}

func windowOf(w dialogue.OpenWindow) bus.Window {
	return bus.Window{
		ID: uint64(w.ID), AppID: w.AppID, Title: w.Title, PID: uint32(max(0, w.PID)), Workspace: w.WorkspaceName,
		Output: w.Output, Focused: w.Focused, Floating: w.Floating, Fullscreen: w.Fullscreen, App: w.App,
	}
}

func partOf(p dialogue.Part) bus.Part {
	return bus.Part{Name: p.Name, State: p.State, Detail: p.Detail}
}

// listOf applies of to each item. The list is never nil.
func listOf[From, To any](list []From, of func(From) To) []To {
	all := make([]To, len(list))
	for i, v := range list {
		all[i] = of(v)
	}
	return all
}
