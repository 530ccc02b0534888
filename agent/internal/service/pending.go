package service

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"utter/agent/internal/router"
	"utter/shared/plan"
	"utter/shared/utterance"
)

// expiry is how long a choice or a confirmation is waited for.
const expiry = 30 * time.Second

// Errors of tokens.
var (
	errNoToken  = errors.New("no such token; it was used, dropped or never given")
	errExpired  = errors.New("the token's time is over; say it again")
	errNoChoice = errors.New("no such choice")
)

// A Waiting is a question to the user.
type Waiting struct {
	Token     string
	Utterance string
	Text      string // shows the concrete arguments
	Choices   []plan.Choice
	Plan      *plan.Plan // of a confirmation of the agent's own
	Expires   time.Duration

	// answered, where it is not nil, hears what the user says to what another
	// program wants; op is what that is.
	answered chan<- bool
	op       string

	window   uint64 // 0, or gets the focus before the answer is carried out
	deadline time.Time
	digest   string
}

// isConfirmation tells a confirmation from a choice.
func (w Waiting) isConfirmation() bool { return w.Plan != nil || w.answered != nil }

// choice makes the task of one candidate.
func (w Waiting) choice(index int) task {
	return task{window: w.window, plan: &plan.Plan{
		Utterance: w.Utterance, Steps: w.Choices[index].Steps, Source: plan.SourceRules, Rule: "choice", Confidence: 1, Focused: w.window,
	}}
}

// digest stands for exactly the operations, arguments and provenance of a plan.
func digest(p *plan.Plan) string {
	type step struct {
		Op         plan.Op
		Args       plan.Args
		Provenance plan.Provenance
		Plugin     string
		Author     string
	}
	var steps []step
	for _, s := range p.Steps {
		steps = append(steps, step{s.Op, s.Args, s.Provenance, s.Plugin, s.Author})
	}
	text, err := json.Marshal(struct {
		Steps   []step
		Focused uint64
	}{steps, p.Focused})
	if err != nil {
		return "" // arguments are plain values; a digest of nothing fits nothing
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// pending holds the one question that waits: a new one takes the place of an
// old one, whose token is then of no use.
type pending struct {
	now     func() time.Time
	expired func() // called when a question's time is over

	mu  sync.Mutex
	one *Waiting
}

func newPending(now func() time.Time) *pending {
	return &pending{now: now, expired: func() {}}
}

func (p *pending) add(w Waiting) Waiting {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Token, w.Expires, w.deadline = rand.Text(), expiry, p.now().Add(expiry)
	if w.Plan != nil {
		w.digest = digest(w.Plan)
	}
	p.forget()
	p.one = &w
	time.AfterFunc(expiry+time.Millisecond, p.expired)
	return w
}

// waits reports whether a question may still be answered.
func (p *pending) waits() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.one != nil && !p.now().After(p.one.deadline)
}

// take returns the question of a token and forgets it: a token works once.
func (p *pending) take(token string) (Waiting, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.one == nil || p.one.Token != token {
		return Waiting{}, errNoToken
	}
	w := *p.one
	p.one = nil
	if p.now().After(w.deadline) {
		return Waiting{}, errExpired
	}
	return w, nil
}

// restore puts a question back that was answered wrongly.
func (p *pending) restore(w Waiting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.one == nil {
		p.one = &w
	}
}

func (p *pending) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget()
}

// forget drops the question; who waits for the answer hears no.
func (p *pending) forget() {
	if p.one != nil && p.one.answered != nil {
		p.one.answered <- false
	}
	p.one = nil
}

// withdraw drops the question of a token, if it still waits.
func (p *pending) withdraw(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.one != nil && p.one.Token == token {
		p.one = nil
	}
}

// confirms reports whether a confirmation waits.
func (p *pending) confirms() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.one != nil && p.one.isConfirmation() && !p.now().After(p.one.deadline)
}

// takeConfirmation returns the confirmation that waits, if there is one, and
// forgets it.
func (p *pending) takeConfirmation() (Waiting, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.one == nil || !p.one.isConfirmation() || p.now().After(p.one.deadline) {
		return Waiting{}, false
	}
	w := *p.one
	p.one = nil
	return w, true
}

// answeredBy reports whether an utterance answers the choice that waits: it is
// exactly a number, an ordinal or the name of a candidate. It takes the question.
func (p *pending) answeredBy(said string, r *router.Router) (Waiting, int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.one == nil || len(p.one.Choices) == 0 || p.now().After(p.one.deadline) {
		return Waiting{}, 0, false
	}
	key := utterance.Key(said)
	index := -1
	if n, ok := r.ChoiceNumber(key); ok {
		index = n - 1
	}
	for i, c := range p.one.Choices {
		if utterance.Key(c.Label) == key {
			if index >= 0 {
				return Waiting{}, 0, false // two candidates of that name
			}
			index = i
		}
	}
	if index < 0 || index >= len(p.one.Choices) {
		return Waiting{}, 0, false
	}
	w := *p.one
	p.one = nil
	return w, index, true
}
