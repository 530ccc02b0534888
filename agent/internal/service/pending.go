package service

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"utter/agent/internal/executor"
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

	foreign *foreign // it is about what another program wants, not about a plan

	approval executor.Approval // what a yes to the plan stands for
	window   uint64            // 0, or gets the focus before the answer is carried out
	deadline time.Time
	digest   string
}

// isConfirmation tells a confirmation from a choice.
func (w Waiting) isConfirmation() bool { return w.Plan != nil || w.foreign != nil }

func (w Waiting) isChoice() bool { return !w.isConfirmation() }

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
		return "" // arguments are plain values; nothing fits this
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// pending holds the one question that waits: a new one takes the place of an
// old one, whose token is then of no use. A question of another program takes
// the place of none.
type pending struct {
	now     func() time.Time
	expired func() // called when a question's time is over

	mu      sync.Mutex
	one     *Waiting
	changed chan struct{} // closed when one is another
}

func newPending(now func() time.Time) *pending {
	return &pending{now: now, expired: func() {}, changed: make(chan struct{})}
}

// set makes w the question that waits, or none. p.mu is held.
func (p *pending) set(w *Waiting) {
	if p.one != nil && p.one.foreign != nil && w != p.one {
		close(p.one.foreign.dropped)
	}
	p.one = w
	close(p.changed)
	p.changed = make(chan struct{})
}

// alive reports whether a question waits whose time is not over. p.mu is held.
func (p *pending) alive() bool { return p.one != nil && !p.now().After(p.one.deadline) }

func (p *pending) add(w Waiting) Waiting {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.put(w)
}

func (p *pending) put(w Waiting) Waiting {
	w.Token, w.Expires, w.deadline = rand.Text(), expiry, p.now().Add(expiry)
	if w.Plan != nil {
		w.digest = digest(w.Plan)
	}
	p.set(&w)
	time.AfterFunc(expiry+time.Millisecond, p.expired)
	return w
}

// addBehind is add when nothing else waits any more; the error is that of ctx.
func (p *pending) addBehind(ctx context.Context, w Waiting) (Waiting, error) {
	for {
		p.mu.Lock()
		if !p.alive() {
			defer p.mu.Unlock()
			return p.put(w), nil
		}
		changed, over := p.changed, time.NewTimer(p.one.deadline.Sub(p.now())+time.Millisecond)
		p.mu.Unlock()
		select {
		case <-changed:
		case <-over.C:
		case <-ctx.Done():
			over.Stop()
			return w, context.Cause(ctx)
		}
		over.Stop()
	}
}

// waits reports whether a question may still be answered.
func (p *pending) waits() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.alive()
}

// take returns the question of a token, if it is of a kind, and forgets it: a
// token works once.
func (p *pending) take(token string, kind func(Waiting) bool) (Waiting, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.one == nil || p.one.Token != token:
		return Waiting{}, errNoToken
	case !kind(*p.one):
		return Waiting{}, fmt.Errorf("%w: the token is for another kind of question", errNoChoice)
	case !p.alive():
		p.set(nil)
		return Waiting{}, errExpired
	}
	return p.taken(), nil
}

// taken returns the question that waits and forgets it; who asked it waits on.
// p.mu is held.
func (p *pending) taken() Waiting {
	w := *p.one
	p.one = nil
	p.set(nil)
	return w
}

// restore puts a question back that was answered wrongly.
func (p *pending) restore(w Waiting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.one == nil {
		p.set(&w)
	}
}

func (p *pending) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(nil)
}

// shown notes that the user sees the question of a token from now on.
func (p *pending) shown(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.one != nil && p.one.Token == token {
		p.one.foreign.shown = p.now()
	}
}

// withdraw drops the question of a token, if it still waits.
func (p *pending) withdraw(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.one != nil && p.one.Token == token {
		p.set(nil)
	}
}

// confirms reports whether a confirmation waits.
func (p *pending) confirms() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.alive() && p.one.isConfirmation()
}

// takeConfirmation returns the confirmation that waits, if there is one that can
// be meant by a word, and forgets it.
func (p *pending) takeConfirmation() (Waiting, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.alive() || !p.one.isConfirmation() || p.one.foreign != nil && !p.one.foreign.read(p.now()) {
		return Waiting{}, false
	}
	return p.taken(), true
}

// answeredBy reports whether an utterance answers the choice that waits: it is
// exactly a number, an ordinal or the name of a candidate. It takes the question.
func (p *pending) answeredBy(said string, r *router.Router) (Waiting, int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.alive() || len(p.one.Choices) == 0 {
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
	return p.taken(), index, true
}
