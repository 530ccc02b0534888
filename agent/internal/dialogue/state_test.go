package dialogue

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"utter/agent/internal/router"
	"utter/shared/catalog"
	"utter/shared/phrases"
	"utter/shared/plan"
	"utter/shared/turnstile"
)

// scripts are what happens to a state, line by line, and after the arrow what that comes
// to and what then waits. Names stand for questions and plans.
var scripts = map[string]string{
	"one plan runs and eight wait": `
		tell          -> nothing
		joins a       -> 1 plan
		tell          -> told running; 1 plan
		joins b       -> behind others; 2 plans
		leaves b      -> 1 plan
		joins c d e f g h i j -> behind others; 9 plans
		joins k       -> full; 9 plans
		cancel        -> ended 9; 9 plans
		leaves a      -> 8 plans
		joins k       -> behind others; 9 plans`,
	"the last plan leaves": `
		joins a       -> 1 plan
		choice q      -> 1 plan; asks q
		tell          -> told running; 1 plan; asks q
		leaves a      -> asks q
		tell          -> told waiting; asks q
		cancel        -> nothing
		tell          -> told ready`,
	"a question is answered once": `
		choice a      -> asks a
		tell          -> told waiting; asks a
		choose a 2    -> no choice; asks a
		choose a -1   -> no choice; asks a
		confirm a yes -> no choice; asks a
		choose a 1    -> a is 1
		choose a 1    -> no token
		plan p        -> asks p
		choose p 0    -> no choice; asks p
		confirm p no  -> p is no
		confirm p no  -> no token
		tell          -> told ready`,
	"a new question takes the place of the old": `
		choice a      -> asks a
		plan p        -> asks p
		choose a 1    -> no token; asks p
		cancel        -> nothing
		confirm p yes -> no token`,
	"a question waits for thirty seconds": `
		choice a      -> asks a
		pass 30s      -> asks a
		choose a 9    -> no choice; asks a
		pass 1ms      -> nothing
		tell          -> nothing
		choose a 1    -> expired
		choose a 1    -> no token
		plan p        -> asks p
		pass 31s      -> nothing
		say yes       -> nothing
		confirm p yes -> no token`,
	"an utterance chooses": `
		choice a      -> asks a
		say second    -> a is 1
		choice a      -> asks a
		say Ada.      -> a is 0
		choice a      -> asks a
		say yes       -> nothing
		choose a 0    -> no token
		choice a      -> asks a
		say 3         -> nothing
		say 1         -> nothing`,
	"an utterance confirms": `
		plan p        -> asks p
		say yes       -> p is yes
		plan p        -> asks p
		say cancel    -> p is no
		plan p        -> asks p
		say 1         -> nothing
		confirm p yes -> no token`,
	"a word ends the plans": `
		say never mind -> nothing
		joins a b      -> behind others; 2 plans
		say yes        -> 2 plans
		say never mind -> ended 2; 2 plans
		plan p         -> 2 plans; asks p
		say never mind -> p is no; 2 plans`,
	"another program waits behind the agent's question": `
		plan p        -> asks p
		program x     -> asks p; x behind
		program y     -> asks p; x y behind
		say yes       -> p is yes; asks x; y behind
		shown x       -> asks x; y behind
		confirm x yes -> x is yes; asks y
		gone y        -> y dropped`,
	"a question whose time is over holds nobody up": `
		choice a      -> asks a
		program x     -> asks a; x behind
		pass 31s      -> asks x
		choose a 0    -> no token; asks x`,
	"a word is meant for what the user has read": `
		program x     -> asks x
		pass 5s       -> asks x
		say yes       -> x dropped
		program x     -> asks x
		shown x       -> asks x
		pass 1999ms   -> asks x
		say yes       -> x dropped
		program x     -> asks x
		shown x       -> asks x
		pass 2s       -> asks x
		say no        -> x is no`,
	"what drops a question drops the request": `
		program x     -> asks x
		program y     -> asks x; y behind
		say open foot -> asks y; x dropped
		plan p        -> asks p; y dropped
		cancel        -> nothing
		program x     -> asks x
		cancel        -> x dropped`,
	"a program that goes takes its question along": `
		plan p        -> asks p
		program x     -> asks p; x behind
		program y     -> asks p; x y behind
		gone x        -> asks p; y behind
		confirm p no  -> p is no; asks y
		gone y        -> y dropped
		confirm y yes -> no token`,
}

func TestWhatWaits(t *testing.T) {
	words, err := phrases.English()
	if err != nil {
		t.Fatal(err)
	}
	r, err := router.New(words, catalog.New(nil, nil, nil), "google")
	if err != nil {
		t.Fatal(err)
	}
	for name, script := range scripts {
		p := &player{
			t: t, state: state{told: "ready"}, now: time.Now(), router: r,
			questions: map[string]*Question{}, places: map[string]*turnstile.Place{}, dropped: map[string]bool{},
		}
		for line := range strings.Lines(strings.TrimSpace(script)) {
			move, want, _ := strings.Cut(line, "->")
			var got []string
			for _, e := range p.events(strings.Fields(move)) {
				got = p.outcome(p.state.apply(p.now, e))
			}
			if got := cmp.Or(strings.Join(append(got, p.waiting()...), "; "), "nothing"); got != strings.TrimSpace(want) {
				t.Errorf("%s:\n%s\nis   %s", name, strings.TrimSpace(line), got)
			}
		}
	}
}

// A player plays a script.
type player struct {
	t         *testing.T
	state     state
	now       time.Time
	router    *router.Router
	questions map[string]*Question
	places    map[string]*turnstile.Place
	joining   string
	dropped   map[string]bool // requests of which that has been said
}

// events is what a line means.
func (p *player) events(move []string) (all []event) {
	verb, args := move[0], append(move[1:], "", "")
	q := p.questions[args[0]]
	asked := func(asked *Question) *Question {
		p.questions[args[0]] = asked
		delete(p.dropped, args[0])
		return asked
	}
	switch verb {
	case "joins":
		for range move[1:] {
			all = append(all, planJoins{p.t.Context()})
		}
		p.joining = args[0]
		return all
	case "leaves":
		return []event{planLeaves{p.places[args[0]]}}
	case "choice":
		return []event{agentAsks{asked(&Question{Kind: Choice, Choices: []plan.Choice{{Label: "Ada"}, {Label: "Bob"}}})}}
	case "plan":
		return []event{agentAsks{asked(&Question{Kind: Confirmation, Plan: &plan.Plan{}})}}
	case "program":
		return []event{programAsks{asked(&Question{Kind: Request, request: newRequest()})}}
	case "shown":
		return []event{questionShown{q}}
	case "gone":
		return []event{programLeaves{q}}
	case "say":
		return []event{userSays{strings.Join(move[1:], " "), p.router}}
	case "choose":
		index, err := strconv.Atoi(args[1])
		if err != nil {
			p.t.Fatal(err)
		}
		return []event{userChooses{q.Token, index}}
	case "confirm":
		return []event{userConfirms{q.Token, args[1] == "yes"}}
	case "cancel":
		return []event{userCancels{}}
	case "tell":
		return []event{stateTold{}}
	case "pass":
		d, err := time.ParseDuration(args[0])
		if err != nil {
			p.t.Fatal(err)
		}
		p.now = p.now.Add(d)
		return []event{timePasses{}}
	}
	p.t.Fatalf("nothing is called %q", verb)
	return nil
}

// outcome writes what an event came to.
func (p *player) outcome(o outcome) (said []string) {
	for text, holds := range map[string]bool{
		"no token": errors.Is(o.err, ErrNoToken), "expired": errors.Is(o.err, ErrExpired),
		"no choice": errors.Is(o.err, ErrNoChoice), "told " + o.told: o.told != "",
		fmt.Sprint("ended ", o.ended): o.ended > 0,
		"behind others":               o.behind && o.place != nil, "full": o.behind && o.place == nil,
	} {
		if holds {
			said = append(said, text)
		}
	}
	switch {
	case o.question == nil:
	case o.question.Kind == Choice:
		said = append(said, fmt.Sprint(p.name(o.question), " is ", o.index))
	case o.approve:
		said = append(said, p.name(o.question)+" is yes")
	default:
		said = append(said, p.name(o.question)+" is no")
	}
	if o.place != nil && p.places[p.joining] == nil {
		p.places[p.joining] = o.place
	}
	return said
}

func (p *player) name(q *Question) string {
	for name, other := range p.questions {
		if other == q {
			return name
		}
	}
	return "?"
}

// waiting writes what waits, and the requests that were dropped since the last line.
func (p *player) waiting() (said []string) {
	switch n := p.state.line.Len(); n {
	case 0:
	case 1:
		said = append(said, "1 plan")
	default:
		said = append(said, fmt.Sprint(n, " plans"))
	}
	if p.state.waits(p.now) {
		said = append(said, "asks "+p.name(p.state.question))
	}
	var behind []string
	for _, q := range p.state.requests {
		behind = append(behind, p.name(q))
	}
	if len(behind) > 0 {
		said = append(said, strings.Join(behind, " ")+" behind")
	}
	for name, q := range p.questions {
		if q.Kind != Request || p.dropped[name] {
			continue
		}
		select {
		case <-q.request.dropped:
			p.dropped[name] = true
			said = append(said, name+" dropped")
		default:
		}
	}
	return said
}
