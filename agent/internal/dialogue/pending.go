package dialogue

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
	"utter/shared/op"
	"utter/shared/plan"
	"utter/shared/utterance"
)

// expiry is how long a choice or a confirmation is waited for.
const expiry = 30 * time.Second

// Errors of the tokens that answer questions.
var (
	ErrNoToken  = errors.New("no such token; it was used, dropped or never given")
	ErrExpired  = errors.New("the token's time is over; say it again")
	ErrNoChoice = errors.New("no such choice")
)

// A Kind says how a question is answered and what for.
type Kind int

// The kinds of questions.
const (
	Choice       Kind = iota // which candidate an utterance means
	Confirmation             // whether a plan of the agent may run
	Request                  // whether another program may do something
)

// A Question waits for the user's answer.
type Question struct {
	Kind      Kind
	Token     string
	Utterance string
	Text      string // shows the concrete arguments
	Choices   []plan.Choice
	Plan      *plan.Plan // of a Confirmation
	Op        string     // of a Request: what the other program wants to do
	Expires   time.Duration

	foreign *foreign // of a Request

	approval executor.Approval // what a yes to the plan stands for
	window   uint64            // 0, or gets the focus before the answer is carried out
	deadline time.Time
	digest   string
}

// isConfirmation tells what yes or no answers from a choice.
func (w Question) isConfirmation() bool { return w.Kind != Choice }

func (w Question) isChoice() bool { return w.Kind == Choice }

// choice makes the task of one candidate.
func (w Question) choice(index int) task {
	return task{window: w.window, plan: &plan.Plan{
		Utterance: w.Utterance, Steps: w.Choices[index].Steps, Source: plan.SourceRules, Rule: "choice", Confidence: 1, Focused: w.window,
	}}
}

// digest stands for exactly the operations, arguments and provenance of a plan.
func digest(p *plan.Plan) string {
	type step struct {
		Op         op.Name
		Args       map[string]any
		Provenance plan.Provenance
		Plugin     string
		Author     string
	}
	var steps []step
	for _, s := range p.Steps {
		steps = append(steps, step{s.Op(), op.Map(s.Args), s.Provenance, s.Plugin, s.Author})
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
	one     *Question
	changed chan struct{} // closed when one is another
}

func newPending(now func() time.Time) *pending {
	return &pending{now: now, expired: func() {}, changed: make(chan struct{})}
}

// set makes w the question that waits, or none. p.mu is held.
func (p *pending) set(w *Question) {
	if p.one != nil && p.one.foreign != nil && w != p.one {
		close(p.one.foreign.dropped)
	}
	p.one = w
	close(p.changed)
	p.changed = make(chan struct{})
}

// alive reports whether a question waits whose time is not over. p.mu is held.
func (p *pending) alive() bool { return p.one != nil && !p.now().After(p.one.deadline) }

func (p *pending) add(w Question) Question {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.put(w)
}

func (p *pending) put(w Question) Question {
	w.Token, w.Expires, w.deadline = rand.Text(), expiry, p.now().Add(expiry)
	if w.Plan != nil {
		w.digest = digest(w.Plan)
	}
	p.set(&w)
	time.AfterFunc(expiry+time.Millisecond, p.expired)
	return w
}

// addBehind is add when nothing else waits any more; the error is that of ctx.
func (p *pending) addBehind(ctx context.Context, w Question) (Question, error) {
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
func (p *pending) take(token string, kind func(Question) bool) (Question, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.one == nil || p.one.Token != token:
		return Question{}, ErrNoToken
	case !kind(*p.one):
		return Question{}, fmt.Errorf("%w: the token is for another kind of question", ErrNoChoice)
	case !p.alive():
		p.set(nil)
		return Question{}, ErrExpired
	}
	return p.taken(), nil
}

// taken returns the question that waits and forgets it; who asked it waits on.
// p.mu is held.
func (p *pending) taken() Question {
	w := *p.one
	p.one = nil
	p.set(nil)
	return w
}

// restore puts a question back that was answered wrongly.
func (p *pending) restore(w Question) {
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
func (p *pending) takeConfirmation() (Question, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.alive() || !p.one.isConfirmation() || p.one.foreign != nil && !p.one.foreign.read(p.now()) {
		return Question{}, false
	}
	return p.taken(), true
}

// answeredBy reports whether an utterance answers the choice that waits: it is
// exactly a number, an ordinal or the name of a candidate. It takes the question.
func (p *pending) answeredBy(said string, r *router.Router) (Question, int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.alive() || len(p.one.Choices) == 0 {
		return Question{}, 0, false
	}
	key := utterance.Key(said)
	index := -1
	if n, ok := r.ChoiceNumber(key); ok {
		index = n - 1
	}
	for i, c := range p.one.Choices {
		if utterance.Key(c.Label) == key {
			if index >= 0 {
				return Question{}, 0, false // two candidates of that name
			}
			index = i
		}
	}
	if index < 0 || index >= len(p.one.Choices) {
		return Question{}, 0, false
	}
	return p.taken(), index, true
}
