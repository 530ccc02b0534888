package dialogue_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/dialogue"
	"utter/agent/internal/dialogue/dialoguetest"
	"utter/agent/internal/executor"
	"utter/agent/internal/notify"
	"utter/agent/internal/router"
	"utter/shared/op"
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

var notes = router.NewPluginOps([]router.PluginOp{
	{Plugin: "notes", Op: "note", Arg: "text"}, {Plugin: "notes", Op: "burn", Confirm: true},
})

// playPlugins gives a rig plugins; did is what they carried out.
func playPlugins(r *dialoguetest.Rig, a *addons) (did *[]string) {
	did = new([]string)
	r.Plugins = a
	r.Plugin = executor.HandlerFunc(func(_ context.Context, b *executor.Binding, s plan.Step) (executor.Done, error) {
		*did = append(*did, s.Plugin+": "+s.String())
		return executor.Done{Evidence: plan.ByPlugin, Message: "noted"}, nil
	})
	return did
}

func TestPluginsAreAskedWhereTheRulesGiveNothing(t *testing.T) {
	a := &addons{now: notes}
	r := dialoguetest.New()
	did := playPlugins(r, a)
	agent := r.Agent(t, nil)

	answer := agent.Run(t.Context(), "note buy milk", byUser)
	check(t, "note", answer, plan.Completed, "")
	if len(*did) != 1 || (*did)[0] != `notes: note {"text":"buy milk"}` || answer.Results[0].Evidence != plan.ByPlugin {
		t.Errorf("%q, %+v", *did, answer.Results)
	}
	if p := agent.Plan(t.Context(), "press f4", byUser); p.Plan == nil || p.Plan.Steps[0].Plugin != "" {
		t.Errorf("what a rule knows: %+v", p)
	}
	if len(a.asked) != 0 {
		t.Errorf("routers were asked %q", a.asked)
	}

	// Then their routers.
	a.made = &plan.Plan{Source: plan.SourcePlugins, Rule: "router", Steps: []plan.Step{
		{Args: op.Key{Chord: "f5"}, Author: "r", Provenance: plan.FromUser},
	}}
	p := agent.Plan(t.Context(), "make it fresh", byUser)
	if p.Plan != a.made || p.Rule != "router" || p.Passed[len(p.Passed)-1] != "plugins" || len(a.asked) != 1 ||
		a.asked[0] != "make it fresh" {
		t.Errorf("%+v, asked %q", p, a.asked)
	}
	check(t, "a router", agent.Run(t.Context(), "make it fresh", byUser), plan.Completed, "")

	// What a plugin no longer does is not said of it.
	a.known, a.now = notes, router.NewPluginOps(nil)
	check(t, "a plugin that is gone", agent.Run(t.Context(), "note buy milk", byUser), plan.Completed, "") // by the router
	if len(*did) != 1 {
		t.Errorf("%q", *did)
	}
	a.now = notes

	// Theirs is never more trusted than what was said.
	a.made.Steps[0].Provenance = plan.FromScreen
	check(t, "a router that reads the screen", agent.Run(t.Context(), "make it fresh", byUser), plan.Refused,
		plan.PolicyReason)

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
	r := dialoguetest.New()
	did := playPlugins(r, &addons{now: notes})
	agent := r.Agent(t, nil)
	answer := agent.Run(t.Context(), "burn", byUser)
	check(t, "burn", answer, plan.Refused, plan.NeedsConfirmation)
	if len(*did) != 0 || answer.Question == nil || !strings.Contains(answer.Question.Text, "burn") {
		t.Fatalf("%q, %+v", *did, answer)
	}
	confirmed, err := agent.Confirm(t.Context(), answer.Question.Token, true)
	if err != nil || confirmed.Outcome != plan.Completed || len(*did) != 1 {
		t.Errorf("%+v, %v, %q", confirmed, err, *did)
	}
	check(t, "screen", agent.Run(t.Context(), "note buy milk", dialogue.Options{Provenance: plan.FromScreen}),
		plan.Refused, plan.PolicyReason)
	if len(*did) != 1 {
		t.Errorf("%q", *did)
	}
}

func TestWhatPluginsDoIsAmongTheSuggestions(t *testing.T) {
	r := dialoguetest.New()
	playPlugins(r, &addons{now: notes})
	var said []string
	for _, s := range r.Agent(t, nil).Suggest(t.Context(), "", "", 1<<20) {
		if s.Group == router.GroupPlugins {
			said = append(said, s.Text)
		}
	}
	if strings.Join(said, ", ") != "burn, note …" {
		t.Errorf("%q", said)
	}
}

// A questioner has another program's questions put to the user.
type questioner struct {
	*dialoguetest.Rig
	agent *dialogue.Dialogue
	shown chan func(key string) // what the buttons of a notification do
}

type userSaid struct {
	yes bool
	err error
}

func newQuestioner(t *testing.T) *questioner {
	q := &questioner{Rig: dialoguetest.New(), shown: make(chan func(string), 9)}
	q.Ask = func(text string, _ []notify.Button, answered func(string)) error {
		if strings.HasPrefix(text, "confirm: another program wants ") {
			q.shown <- answered
		}
		return nil
	}
	playPlugins(q.Rig, &addons{now: notes})
	q.agent = q.Rig.Agent(t, nil)
	return q
}

// askFor asks, and returns what the buttons do and where the answer comes.
func (q *questioner) askFor(ctx context.Context) (press func(key string), answer chan userSaid) {
	answer = make(chan userSaid, 1)
	go func() {
		yes, err := q.Turns.AskFor(ctx, "pay", "pay {\"to\":\"ada\"}")
		answer <- userSaid{yes, err}
	}()
	press = <-q.shown
	synctest.Wait()
	return press, answer
}

// TestAskFor: another program's question is answered by its notification, or by a
// word of who has had the time to read it.
func TestAskFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuestioner(t)
		for key, yes := range map[string]bool{"yes": true, "no": false} {
			press, answer := q.askFor(t.Context())
			press(key)
			if got := <-answer; got.yes != yes || got.err != nil {
				t.Errorf("the button %s: %+v", key, got)
			}
			_, answer = q.askFor(t.Context())
			time.Sleep(2 * time.Second)
			said := q.agent.Run(t.Context(), key, byUser)
			if got := <-answer; got.yes != yes || got.err != nil || yes != (said.Outcome == plan.Completed) {
				t.Errorf("the word %s: %+v, %+v", key, got, said)
			}
		}
		_, answer := q.askFor(t.Context())
		q.agent.Run(t.Context(), "yes", byUser) // to what was there before
		if got := <-answer; got.yes {
			t.Error("a yes at once is one to the question")
		}
		_, answer = q.askFor(t.Context())
		time.Sleep(2 * time.Second)
		q.agent.Run(t.Context(), "press f4", byUser)
		if got := <-answer; got.yes {
			t.Error("another utterance is a yes")
		}
		ctx, cancel := context.WithCancel(t.Context())
		press, answer := q.askFor(ctx)
		cancel()
		if got := <-answer; got.yes || !errors.Is(got.err, context.Canceled) {
			t.Errorf("the program goes: %+v", got)
		}
		press("yes")
		if got := q.Heard(); !strings.HasSuffix(got, "ready") {
			t.Errorf("a question waits that nobody asks: heard %s", got)
		}
	})
}

// TestTheUsersYesIsForTheirOwnQuestion, whatever another program asks meanwhile.
func TestTheUsersYesIsForTheirOwnQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuestioner(t)
		if own := q.agent.Run(t.Context(), "burn", byUser); own.Question == nil {
			t.Fatalf("%+v", own)
		}
		answer := make(chan userSaid, 1)
		go func() {
			yes, err := q.Turns.AskFor(t.Context(), "pay", "pay")
			answer <- userSaid{yes, err}
		}()
		synctest.Wait()
		time.Sleep(2 * time.Second)
		check(t, "yes", q.agent.Run(t.Context(), "yes", byUser), plan.Completed, "")
		if len(answer) != 0 {
			t.Error("the other program got the answer")
		}
		press := <-q.shown // now it is its turn
		press("no")
		if got := <-answer; got.yes {
			t.Errorf("%+v", got)
		}

		// And one of the user's own takes its place.
		_, answer = q.askFor(t.Context())
		own := q.agent.Run(t.Context(), "burn", byUser)
		if got := <-answer; got.yes || own.Question == nil {
			t.Errorf("%+v, %+v", got, own)
		}
		// A question whose time is over holds nobody up.
		go func() {
			yes, err := q.Turns.AskFor(t.Context(), "pay", "pay")
			answer <- userSaid{yes, err}
		}()
		time.Sleep(30 * time.Second)
		press = <-q.shown
		press("yes")
		if got := <-answer; !got.yes {
			t.Errorf("%+v", got)
		}
	})
}

// TestNobodyToAsk: what nothing shows cannot be approved, and only who is shown a
// question has its token.
func TestNobodyToAsk(t *testing.T) {
	r := dialoguetest.New() // without notifications
	r.Agent(t, nil)
	if yes, err := r.Turns.AskFor(t.Context(), "pay", "pay"); yes || !errors.Is(err, dialogue.ErrNobody) ||
		r.Heard() != "" {
		t.Errorf("%v, %v", yes, err)
	}
}

// TestAPlanOfAPluginIsShownWhole where one of its steps must be confirmed, and a
// step that turns out to need it while it runs is asked for by itself.
func TestAPlanOfAPluginIsShownWhole(t *testing.T) {
	by := func(args op.Args, confirm bool) plan.Step {
		return plan.Step{Args: args, Author: "r", Provenance: plan.FromUser, Confirm: confirm}
	}
	a := &addons{now: notes, made: &plan.Plan{Source: plan.SourcePlugins, Rule: "router", Steps: []plan.Step{
		by(op.Done{}, true), by(op.Key{Chord: "f5"}, false), by(op.CloseApp{App: "editor"}, false),
		by(op.TypeText{Text: "x"}, false), by(op.TypeText{Text: "y"}, false),
	}}}
	r := dialoguetest.New()
	playPlugins(r, a)
	var did []string
	h := dialoguetest.Handlers{}
	for _, spec := range op.Specs() {
		h[spec.Name] = func(_ context.Context, s plan.Step) error { did = append(did, s.String()); return nil }
	}
	agent := r.Agent(t, h)
	r.Approvals = func(b *executor.Binding, s plan.Step) error {
		if op.Is[op.TypeText](s.Args) && !b.Approved {
			return plan.Refuse(plan.NeedsConfirmation, "confirm: into a terminal: %s", s)
		}
		return nil
	}
	answer := agent.Run(t.Context(), "tidy up", byUser)
	check(t, "tidy up", answer, plan.Refused, plan.NeedsConfirmation)
	for _, part := range []string{"1. done", "2. key", "f5", "3. close_app", "editor", "4. type_text", "5. type_text",
		"planned by the plugin r"} {
		if !strings.Contains(answer.Message, part) {
			t.Errorf("%q lacks %q", answer.Message, part)
		}
	}
	if len(did) != 0 {
		t.Fatalf("%q were done", did)
	}
	for _, text := range []string{`"x"`, `"y"`} { // each by itself
		answer = agent.Run(t.Context(), "yes", byUser)
		if answer.Reason != plan.NeedsConfirmation || !strings.Contains(answer.Message, "into a terminal") ||
			!strings.Contains(answer.Message, text) {
			t.Fatalf("%q, done %q", answer.Message, did)
		}
	}
	check(t, "the last yes", agent.Run(t.Context(), "yes", byUser), plan.Completed, "")
	if len(did) != 5 {
		t.Errorf("%q", did)
	}
}

// TestAPlanSaysWhatWouldBecomeOfIt: that the user is asked, and that policy is
// against it.
func TestAPlanSaysWhatWouldBecomeOfIt(t *testing.T) {
	r := dialoguetest.New()
	playPlugins(r, &addons{now: notes})
	agent := r.Agent(t, nil)
	for said, want := range map[string]struct {
		asks    bool
		refusal string
	}{
		"burn": {true, ""}, "note x": {false, ""}, "press f4": {false, ""},
	} {
		p := agent.Plan(t.Context(), said, byUser)
		if p.Plan == nil || p.Plan.Steps[0].Confirm != want.asks || !strings.Contains(p.Refusal, want.refusal) ||
			(p.Refusal == "") != (want.refusal == "") {
			t.Errorf("%q: %+v", said, p)
		}
	}
	p := agent.Plan(t.Context(), "note x", dialogue.Options{Provenance: plan.FromScreen})
	if !strings.Contains(p.Refusal, "screen") {
		t.Errorf("read off the screen: %+v", p)
	}
}
