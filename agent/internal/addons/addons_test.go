package addons

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"utter/agent/internal/executor"
	"utter/agent/internal/router"
	"utter/shared/catalog"
	"utter/shared/op"
	"utter/shared/phrases"
	"utter/shared/plan"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/runnerclient"
)

// newPlugins are those of the runner at a socket; whose is what the user says to
// what others want.
func newAddons(socket string, says func(ctx context.Context, op, text string) (bool, error)) *Addons {
	if says == nil {
		says = func(context.Context, string, string) (bool, error) { return false, nil }
	}
	return New(Options{
		Address: func() runnerclient.Address {
			return runnerclient.Address{Socket: socket, Folder: filepath.Dir(socket), Token: "t"}
		},
		Log: slog.New(slog.DiscardHandler), Ask: says,
	})
}

func TestOpsAreWhatCanBeSaid(t *testing.T) {
	r, p := newRunner(t, nil)
	if p.Known() != nil {
		t.Error("something is known before it was asked")
	}
	first := p.Ops(t.Context())
	want := router.NewPluginOps([]router.PluginOp{
		{Plugin: "notes", Op: "note", Arg: "text"}, {Plugin: "notes", Op: "note.all"},
		{Plugin: "notes", Op: "shop.order", Arg: "n", Whole: true, Confirm: true},
	})
	if !reflect.DeepEqual(first, want) {
		t.Errorf("%+v, want %+v", first, want)
	}
	if p.Ops(t.Context()) != first || p.Known() != first || r.count(protocol.MethodRunnerInvoke) != 1 {
		t.Errorf("they were asked for %d times", r.count(protocol.MethodRunnerInvoke))
	}
	r.drop()
	await(t, "another connection", func() bool {
		return reflect.DeepEqual(p.Ops(t.Context()), want) && r.count(protocol.MethodRunnerAuth) == 2
	})
}

func TestWithoutARunner(t *testing.T) {
	p := newAddons(filepath.Join(t.TempDir(), "none"), nil)
	if ops := p.Ops(t.Context()); ops != nil {
		t.Errorf("ops: %v", ops)
	}
	if made, err := p.Route(t.Context(), "x", plan.FromUser, router.Context{}); made != nil || err != nil {
		t.Errorf("route: %v, %v", made, err)
	}
	if _, err := p.Rows(t.Context()); !errors.Is(err, runnerclient.ErrNoRunner) {
		t.Errorf("rows: %v", err)
	}
	_, err := p.Do(t.Context(), &executor.Binding{}, plan.Step{Args: op.Foreign{Name: "note"}, Plugin: "notes"})
	if known, ok := errors.AsType[*plan.Error](err); !ok || known.Outcome != plan.Refused || known.Reason != plan.Missing {
		t.Errorf("do: %v", err)
	}
}

// TestALookThatFailedIsNotTheTruth: what a plugin can do is asked again until it
// is known, and a plugin that does not answer hides no other.
func TestALookThatFailedIsNotTheTruth(t *testing.T) {
	hangs := make(chan struct{})
	_, p := newRunner(t, func(ctx context.Context, method string, params json.RawMessage) (any, error) {
		var q protocol.RunnerInvokeParams
		switch {
		case method == protocol.MethodRunnerPlugins:
			return json.RawMessage(
				`{"plugins":[{"id":"slow","status":"ok","ops":["slow.do"]},{"id":"notes","status":"ok","ops":["note"]}]}`), nil
		case method == protocol.MethodRunnerInvoke && protocol.DecodeParams(params, &q) == nil && q.Plugin == "slow":
			select {
			case <-hangs:
				return json.RawMessage(`{"ops":[{"op":"slow.do"}]}`), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return nil, errNotMine
	})
	if got := said(t, p.Ops(t.Context()), "note x", "slow do"); got != "note x" {
		t.Errorf("while one hangs: %q", got)
	}
	close(hangs)
	p.mu.Lock()
	clear(p.rests) // their time is over
	p.mu.Unlock()
	if got := said(t, p.Ops(t.Context()), "note x", "slow do"); got != "note x, slow do" {
		t.Errorf("then: %q", got)
	}
}

// said lists which of the phrases mean something to plugins.
func said(t *testing.T, ops *router.PluginOps, utterances ...string) string {
	t.Helper()
	words, err := phrases.English()
	if err != nil {
		t.Fatal(err)
	}
	r, err := router.New(words, catalog.New(nil, nil, nil), "google")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, phrase := range utterances {
		if d := r.Route(phrase, router.Context{Plugins: ops}); d.Plan != nil && d.Plan.Steps[0].Plugin != "" {
			all = append(all, phrase)
		}
	}
	return strings.Join(all, ", ")
}

func TestRoute(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer string
		from   plan.Provenance
		want   string // the steps, or what is in the error
	}{
		{"nothing", `{"steps":[]}`, plan.FromUser, ""},
		{"the agent's own",
			`{"plugin":"r","steps":[{"op":"action.open_url","args":{"url":"https://e.org","new_tab":true},"provenance":"user"}]}`, plan.FromUser, `open_url {"new_tab":true,"url":"https://e.org"}  by r user`},
		{"a plugin's",
			`{"plugin":"r","steps":[{"op":"action.note","args":{"text":"x","deep":{"n":3,"f":1.5,"a":[1,null]}},"provenance":"user","confirm":true}]}`, plan.FromUser, `action.note {"deep":{"a":[1,null],"f":1.5,"n":3},"text":"x"} notes by r user confirm`},
		{"read off the screen", `{"plugin":"r","steps":[{"op":"done","provenance":"screen"}]}`,
			plan.FromUser, "done {}  by r screen"},
		{"said by the screen", `{"plugin":"r","steps":[{"op":"done","provenance":"user"}]}`,
			plan.FromScreen, "done {}  by r screen"},
		{"no provenance", `{"plugin":"r","steps":[{"op":"done"}]}`, plan.FromUser, "done {}  by r screen"},
		{"wrong arguments",
			`{"plugin":"r","steps":[{"op":"done","provenance":"user"},{"op":"open_url","args":{"uri":"x"},"provenance":"user"}]}`, plan.FromUser, `the plugin r: step 2: open_url: argument "url" is missing`},
		{"nobody's", `{"plugin":"r","steps":[{"op":"gone.do","provenance":"user"}]}`, plan.FromUser,
			`no running plugin provides "gone.do"`},
		{"no name", `{"plugin":"r","steps":[{"op":"","provenance":"user"}]}`, plan.FromUser, `provides ""`},
		{"no object", `{"plugin":"r","steps":[{"op":"done","args":[1],"provenance":"user"}]}`,
			plan.FromUser, "not an object"},
		{"null", `{"plugin":"r","steps":[{"op":"done","args":null,"provenance":"user"}]}`, plan.FromUser, "not an object"},
		{"nobody's plan", `{"steps":[{"op":"done","provenance":"user"}]}`, plan.FromUser, "does not say which plugin"},
		{"too many steps", `{"plugin":"r","steps":[` + strings.Repeat(`{"op":"done"},`, protocol.MaxSteps) +
			`{"op":"done"}]}`, plan.FromUser, "a plan of 17 steps"},
		{"escapes", `{"plugin":"r","steps":[{"op":"a\u001b[2J\u202e"}]}`, plan.FromUser, `provides "a`},
		{"too deep", `{"plugin":"r","steps":[{"op":"note","args":` + strings.Repeat(`{"a":[`, 5) + strings.Repeat(`]}`, 5) +
			`,"provenance":"user"}]}`, plan.FromUser, "nested more than 8 deep"},
		{"too long", `{"plugin":"r","steps":[{"op":"note","args":{"a":"` + strings.Repeat("x", 33<<10) +
			`"}},{"op":"note","args":{"a":"` + strings.Repeat("x", 33<<10) + `"}}]}`, plan.FromUser, "longer than 64 KiB"},
		{"no plan", `{"steps":"x"}`, plan.FromUser, "the answer of the runner"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, p := newRunner(t, func(_ context.Context, method string, _ json.RawMessage) (any, error) {
				if method == protocol.MethodRunnerPlan {
					return json.RawMessage(tt.answer), nil
				}
				return nil, errNotMine
			})
			made, err := p.Route(t.Context(), "x", tt.from, router.Context{Focused: &router.Window{ID: 7}})
			switch {
			case err != nil:
				if tt.want == "" || !strings.Contains(err.Error(), tt.want) ||
					strings.ContainsAny(err.Error(), "\x1b\u202e") || made != nil {
					t.Errorf("%v with %v, want %q", err, made, tt.want)
				}
			case made == nil:
				if tt.want != "" {
					t.Errorf("nothing, want %q", tt.want)
				}
			default:
				var said []string
				for _, s := range made.Steps {
					text := s.String() + " " + s.Plugin + " by " + s.Author + " " + s.Provenance.String()
					if s.Confirm {
						text += " confirm"
					}
					said = append(said, text)
				}
				if got := strings.Join(said, "; "); got != tt.want || made.Source != plan.SourcePlugins || made.Focused != 7 {
					t.Errorf("%q, want %q; %+v", got, tt.want, made)
				}
			}
		})
	}
}

// TestRoutersAreToldOfTheDesktop: the runner cuts off what a plugin may not see.
func TestRoutersAreToldOfTheDesktop(t *testing.T) {
	asked := make(chan json.RawMessage, 1)
	_, p := newRunner(t, func(_ context.Context, method string, params json.RawMessage) (any, error) {
		if method != protocol.MethodRunnerPlan {
			return nil, errNotMine
		}
		asked <- params
		return protocol.PlanResult{Steps: []protocol.Step{}}, nil
	})
	w := router.Window{ID: 7, AppID: "foot", Title: "~"}
	if _, err := p.Route(t.Context(), "x", plan.FromScreen,
		router.Context{Focused: &w, Windows: []router.Window{w, {ID: 8}}}); err != nil {
		t.Fatal(err)
	}
	var got protocol.CommandParams
	var seen protocol.Snapshot
	if err := errors.Join(protocol.DecodeParams(<-asked, &got), protocol.DecodeParams(got.Context, &seen)); err != nil {
		t.Fatal(err)
	}
	if got.Utterance != "x" || got.Provenance != protocol.FromScreen || seen.Focused == nil ||
		seen.Focused.AppID != "foot" || len(seen.Windows) != 2 || seen.Windows[1].WindowID != 8 {
		t.Errorf("%+v, %+v", got, seen)
	}
}

// TestDo: what is said of a step is what is known of it.
func TestDo(t *testing.T) {
	coded := func(c protocol.Code, d protocol.Data) error { return protocol.Errorf(c, "because").With(d) }
	for _, tt := range []struct {
		name    string
		answer  any
		err     error
		outcome plan.Outcome
		reason  plan.Reason
		text    string
	}{
		{"done", map[string]any{"detail": "noted"}, nil, plan.Completed, "", "noted"},
		{"not done", map[string]any{"ok": false, "message": "the book is full"}, nil, plan.Failed,
			"", "notes: the book is full"},
		{"not done, no word", map[string]any{"ok": false}, nil, plan.Failed, "", "notes: it did not succeed"},
		{"no answer that makes sense", "x", nil, plan.Unknown, "", "it may have taken effect"},
		{"many words", map[string]any{"detail": "\x1b[2J" + strings.Repeat("é", 2000)}, nil,
			plan.Completed, "", `\x1b[2Jéé`},
		{"error", nil, coded(protocol.CodePlugin, protocol.Data{}), plan.Failed, "", "notes: because"},
		{"crashed", nil, coded(protocol.CodePlugin, protocol.Data{Outcome: protocol.OutcomeUnknown}), plan.Unknown,
			plan.Missing, "it may have taken effect"},
		{"down", nil, coded(protocol.CodePlugin, protocol.Data{Outcome: protocol.OutcomeNotStarted}), plan.Refused,
			plan.Missing, "notes: because"},
		{"late", nil, coded(protocol.CodeTimeout, protocol.Data{Outcome: protocol.OutcomeUnknown}), plan.Unknown,
			plan.Timeout, "it may have taken effect"},
		{"cancelled", nil, coded(protocol.CodeCancelled, protocol.Data{Outcome: protocol.OutcomeNotStarted}), plan.Refused,
			plan.Cancelled, "because"},
		{"busy", nil, coded(protocol.CodeUnavailable, protocol.Data{Outcome: protocol.OutcomeNotStarted}),
			plan.Refused, plan.Busy, "because"},
		{"off", nil, coded(protocol.CodeDenied, protocol.Data{Reason: protocol.ReasonDisabled}), plan.Refused,
			plan.PolicyReason, "because"},
		{"from the screen", nil, coded(protocol.CodeUntrusted, protocol.Data{Fields: []string{"text"}}), plan.Refused,
			plan.PolicyReason, "because"},
		{"busy before", nil, coded(protocol.CodeUnavailable, protocol.Data{Reason: protocol.ReasonBusy}),
			plan.Refused, plan.Busy, "because"},
		// The plugin's own words: whether it has begun, nobody knows.
		{"does not fit", nil, coded(protocol.CodeInvalidParams, protocol.Data{}), plan.Failed, "", "because"},
		{"denied by the plugin", nil, coded(protocol.CodeDenied, protocol.Data{}), plan.Failed, "", "because"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, p := newRunner(t, func(_ context.Context, method string, _ json.RawMessage) (any, error) {
				if method == protocol.MethodRunnerInvoke {
					return tt.answer, tt.err
				}
				return nil, errNotMine
			})
			got := run(t, p, note(), false)
			if got.Outcome != tt.outcome || got.Reason != tt.reason || !strings.Contains(got.Message, tt.text) {
				t.Errorf("%v, %q, %q; want %v, %q, %q", got.Outcome, got.Reason, got.Message, tt.outcome, tt.reason, tt.text)
			}
			if evidence := got.Results[0].Evidence; (tt.outcome == plan.Completed) != (evidence == plan.ByPlugin) {
				t.Errorf("its evidence is %q", evidence)
			}
			if len(got.Message) > 2*maxWords || strings.Contains(got.Message, "\x1b") {
				t.Errorf("a message of %d bytes: %.80q", len(got.Message), got.Message)
			}
		})
	}
}

func note() plan.Step {
	return plan.Step{Args: op.Foreign{Name: "note", Args: map[string]any{"text": "buy milk", "n": 3}},
		Plugin: "notes", Provenance: plan.FromUser}
}

type allowed struct{}

func (allowed) Check(plan.Step) error            { return nil }
func (allowed) NeedsConfirmation(plan.Step) bool { return false }

// run has an executor run one step.
func run(t *testing.T, p *Addons, s plan.Step, approved bool) executor.Report {
	t.Helper()
	approval := executor.Approval{First: approved}
	return executor.New(nil, executor.HandlerFunc(p.Do), allowed{}).Run(t.Context(), &plan.Plan{Steps: []plan.Step{s}},
		approval, func(int, plan.Result) {})
}
