package service

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/executor"
	"utter/agent/internal/notify"
	"utter/agent/internal/router"
	"utter/shared/plan"
)

// addons are Plugins that are played.
type addons struct {
	known, now *router.PluginOps
	made       *plan.Plan
	err        error
	asked      []string // of the routers
}

func (a *addons) Known() *router.PluginOps              { return a.known }
func (a *addons) Ops(context.Context) *router.PluginOps { a.known = a.now; return a.now }
func (a *addons) Route(_ context.Context, utterance string, _ plan.Provenance, _ router.Context) (*plan.Plan, error) {
	a.asked = append(a.asked, utterance)
	return a.made, a.err
}

var notes = router.NewPluginOps([]router.PluginOp{{Plugin: "notes", Op: "note", Arg: "text"}, {Plugin: "notes", Op: "burn", Confirm: true}})

// playPlugins gives a rig plugins; did is what they carried out.
func playPlugins(r *rig, a *addons) (did *[]string) {
	did = new([]string)
	r.addons = a
	r.plugins = executor.HandlerFunc(func(_ context.Context, b *executor.Binding, s plan.Step) (executor.Done, error) {
		*did = append(*did, s.Plugin+": "+s.String())
		return executor.Done{Evidence: plan.ByPlugin, Message: "noted"}, nil
	})
	return did
}

func TestPluginsAreAskedWhereTheRulesGiveNothing(t *testing.T) {
	a := &addons{now: notes}
	r := newRig()
	did := playPlugins(r, a)
	agent := r.agent(t, nil)

	answer := agent.Run(t.Context(), "note buy milk", byUser)
	check(t, "note", answer, plan.Completed, "")
	if len(*did) != 1 || (*did)[0] != "notes: note text=buy milk" || answer.Results[0].Evidence != plan.ByPlugin {
		t.Errorf("%q, %+v", *did, answer.Results)
	}
	if p := agent.Plan(t.Context(), "press f4", Options{Provenance: plan.FromUser}); p.Plan == nil || p.Plan.Steps[0].Plugin != "" {
		t.Errorf("what a rule knows: %+v", p)
	}
	if len(a.asked) != 0 {
		t.Errorf("routers were asked %q", a.asked)
	}

	// Then their routers.
	a.made = &plan.Plan{Source: plan.SourcePlugins, Rule: "router", Steps: []plan.Step{{Op: plan.Key, Args: plan.Args{"chord": "f5"}, Author: "r", Provenance: plan.FromUser}}}
	p := agent.Plan(t.Context(), "make it fresh", byUser)
	if p.Plan != a.made || p.Rule != "router" || p.Passed[len(p.Passed)-1] != "plugins" || len(a.asked) != 1 || a.asked[0] != "make it fresh" {
		t.Errorf("%+v, asked %q", p, a.asked)
	}
	check(t, "a router", agent.Run(t.Context(), "make it fresh", byUser), plan.Completed, "")

	// Theirs is never more trusted than what was said.
	a.made.Steps[0].Provenance = plan.FromScreen
	check(t, "a router that reads the screen", agent.Run(t.Context(), "make it fresh", byUser), plan.Refused, plan.PolicyReason)

	a.made = nil
	check(t, "nobody knows", agent.Run(t.Context(), "make it fresh", byUser), plan.Refused, plan.NoPlan)
	a.err = errors.New("the plugin r is confused")
	answer = agent.Run(t.Context(), "make it fresh", byUser)
	check(t, "an error", answer, plan.Refused, plan.NoPlan)
	if !strings.Contains(answer.Message, "confused") {
		t.Errorf("the error is not told: %q", answer.Message)
	}
	asked := len(a.asked)
	agent.Run(t.Context(), "  ", byUser)
	agent.Run(t.Context(), "chat", byUser)
	agent.Run(t.Context(), "switch to chat", byUser) // ambiguous, or not open: an answer of the rules
	if got := a.asked[asked:]; len(got) > 1 || len(got) == 1 && got[0] != "chat" {
		t.Errorf("routers were asked %q", got)
	}
}

// TestThePluginsOwnWishToBeConfirmed and the screen.
func TestAPluginIsConfirmedAndNeverToldByTheScreen(t *testing.T) {
	r := newRig()
	did := playPlugins(r, &addons{now: notes})
	agent := r.agent(t, nil)
	answer := agent.Run(t.Context(), "burn", byUser)
	check(t, "burn", answer, plan.Refused, plan.NeedsConfirmation)
	if len(*did) != 0 || answer.Waiting == nil || !strings.Contains(answer.Waiting.Text, "burn") {
		t.Fatalf("%q, %+v", *did, answer)
	}
	confirmed, err := agent.Confirm(t.Context(), answer.Waiting.Token, true)
	if err != nil || confirmed.Outcome != plan.Completed || len(*did) != 1 {
		t.Errorf("%+v, %v, %q", confirmed, err, *did)
	}
	check(t, "screen", agent.Run(t.Context(), "note buy milk", Options{Provenance: plan.FromScreen}), plan.Refused, plan.PolicyReason)
	if len(*did) != 1 {
		t.Errorf("%q", *did)
	}
}

func TestWhatPluginsDoIsAmongTheSuggestions(t *testing.T) {
	r := newRig()
	playPlugins(r, &addons{now: notes})
	var said []string
	for _, s := range r.agent(t, nil).Suggest(t.Context(), "", "", 1<<20) {
		if s.Group == router.GroupPlugins {
			said = append(said, s.Text)
		}
	}
	if strings.Join(said, ", ") != "burn, note …" {
		t.Errorf("%q", said)
	}
	if d := digest(&plan.Plan{Steps: []plan.Step{{Op: "note", Plugin: "a"}}}); d == digest(&plan.Plan{Steps: []plan.Step{{Op: "note", Plugin: "b"}}}) ||
		d == digest(&plan.Plan{Steps: []plan.Step{{Op: "note", Plugin: "a", Author: "b"}}}) {
		t.Error("a confirmation is not bound to the plugin")
	}
}

// TestAskFor: what another program wants is a question like any other, answered
// by a word, a token or nobody.
func TestAskFor(t *testing.T) {
	r := newRig()
	agent := r.agent(t, nil)
	ask := func(ctx context.Context) (answer chan bool, token string) {
		answer = make(chan bool, 1)
		told := make(chan string, 1)
		r.mu.Lock()
		r.ask = func(text string, _ []notify.Action, _ func(string)) error {
			told <- text
			return notify.ErrNone
		}
		agent.parts.Ask = r.ask
		r.mu.Unlock()
		go func() { answer <- agent.AskFor(ctx, "note", "note {\"text\":\"x\"}") }()
		if text := <-told; text != `confirm: another program wants note {"text":"x"}` {
			t.Errorf("the user reads %q", text)
		}
		agent.pending.mu.Lock()
		defer agent.pending.mu.Unlock()
		return answer, agent.pending.one.Token
	}
	answer, token := ask(t.Context())
	if a, err := agent.Confirm(t.Context(), token, true); err != nil || a.Outcome != plan.Completed || !<-answer {
		t.Errorf("yes by its token: %+v, %v", a, err)
	}
	answer, _ = ask(t.Context())
	check(t, "yes by word", agent.Run(t.Context(), "yes", byUser), plan.Completed, "")
	if !<-answer {
		t.Error("yes by word is no yes")
	}
	answer, token = ask(t.Context())
	check(t, "no by word", agent.Run(t.Context(), "no", byUser), plan.Refused, plan.Cancelled)
	if <-answer {
		t.Error("no is a yes")
	}
	if _, err := agent.Confirm(t.Context(), token, true); !errors.Is(err, errNoToken) {
		t.Errorf("a token works twice: %v", err)
	}
	answer, _ = ask(t.Context())
	agent.Run(t.Context(), "press f4", byUser) // another utterance drops the question
	if <-answer {
		t.Error("nothing is a yes")
	}
	ctx, cancel := context.WithCancel(t.Context())
	answer, token = ask(ctx)
	cancel()
	if <-answer {
		t.Error("the end is a yes")
	}
	if _, err := agent.Confirm(t.Context(), token, true); !errors.Is(err, errNoToken) {
		t.Errorf("a question that nobody asks any more: %v", err)
	}
	if got := publicText(Waiting{Text: "confirm: another program wants note secret", op: "note", answered: make(chan bool)}); strings.Contains(got, "secret") {
		t.Errorf("every program on the bus reads %q", got)
	}
}

// TestAQuestionThatNobodyAnswers ends by itself.
func TestAQuestionThatNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		agent := r.agent(t, nil)
		began := time.Now()
		if agent.AskFor(t.Context(), "note", "x") || time.Since(began) != expiry {
			t.Errorf("it took %v", time.Since(began))
		}
		time.Sleep(time.Second)
	})
}
