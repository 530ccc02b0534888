package dialogue

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"utter/agent/internal/router"
	"utter/shared/turnstile"
	"utter/shared/utterance"
)

// Errors of the tokens that answer questions.
var (
	ErrNoToken  = errors.New("this question is no longer open: it was answered or withdrawn, or 30 seconds have passed; say the phrase again")
	ErrExpired  = errors.New("the token has expired; say it again")
	ErrNoChoice = errors.New("no such choice")
)

var errCancelled = errors.New("cancelled by the user")

// A state is everything that waits. Only apply changes it.
//
// What the user says must never answer a question that they do not mean. So there is one
// question at a time: the agent's own takes the place of any other, whose token is then
// useless, and an utterance that answers nothing drops it. The request of another program
// takes the place of nothing. It waits until no question can be answered, and a spoken
// word counts for it only after the user had the time to read it: otherwise a program
// could ask just before the user says "yes" to something else.
type state struct {
	line     turnstile.Line // the plan that runs and those that wait for it
	question *Question      // nil, or asked last; its time may be over
	requests []*Question    // of other programs, until they can be asked
	told     string         // the name of the state that listeners heard last
}

// An event is something that happens to a state.
type event any

// The events.
type (
	planJoins     struct{ ctx context.Context }
	planLeaves    struct{ place *turnstile.Place }
	agentAsks     struct{ question *Question }
	programAsks   struct{ question *Question } // a Request
	programLeaves struct{ question *Question } // nobody waits for the answer any more
	questionShown struct{ question *Question }
	userSays      struct {
		utterance string
		router    *router.Router
	}
	userChooses struct {
		token string
		index int
	}
	userConfirms struct {
		token   string
		approve bool
	}
	userCancels struct{}
	timePasses  struct{}
	stateTold   struct{} // listeners are told the state's name
)

// An outcome is what an event comes to.
type outcome struct {
	place    *turnstile.Place // of planJoins; nil if too many wait
	behind   bool             // of planJoins: other plans come first
	question *Question        // that was answered
	index    int              // the answer to a Choice
	approve  bool             // the answer to any other
	ended    int              // how many plans were cancelled
	told     string           // of stateTold: the state's name, or "" if it is the same
	err      error
}

// apply changes s by what happens at this moment.
func (s *state) apply(now time.Time, e event) (o outcome) {
	switch e := e.(type) {
	case planJoins:
		o.behind = s.line.Len() > 0
		o.place = s.line.Join(e.ctx)
	case planLeaves:
		s.line.Leave(e.place)
	case agentAsks:
		s.ask(e.question, now)
	case programAsks:
		s.requests = append(s.requests, e.question)
	case programLeaves:
		s.requests = slices.DeleteFunc(s.requests, func(q *Question) bool { return q == e.question })
		if s.question == e.question {
			s.drop()
		}
	case questionShown:
		e.question.request.shown = now
	case userSays:
		o = s.hear(e, now)
	case userChooses:
		o.index = e.index
		o.question, o.err = s.choose(e, now)
	case userConfirms:
		o.approve = e.approve
		o.question, o.err = s.take(e.token, now, func(k Kind) bool { return k != Choice })
	case userCancels:
		s.drop()
		o.ended = s.line.Cancel(errCancelled)
	case stateTold:
		if name := s.name(now); name != s.told {
			s.told, o.told = name, name
		}
	case timePasses:
	}
	if len(s.requests) > 0 && !s.waits(now) {
		next := s.requests[0]
		s.requests = s.requests[1:]
		s.ask(next, now)
		close(next.request.turn)
	}
	return o
}

// name is what listeners are told of s.
func (s *state) name(now time.Time) string {
	switch {
	case s.line.Len() > 0:
		return "running"
	case s.waits(now):
		return "waiting"
	}
	return "ready"
}

// waits reports whether a question can be answered.
func (s *state) waits(now time.Time) bool {
	return s.question != nil && !now.After(s.question.deadline)
}

func (s *state) ask(q *Question, now time.Time) {
	s.drop()
	q.Token, q.Expires, q.deadline = rand.Text(), expiry, now.Add(expiry)
	if q.Plan != nil {
		q.digest = digest(q.Plan)
	}
	s.question = q
}

// drop forgets the question, which is thereby not agreed to.
func (s *state) drop() {
	if s.question != nil && s.question.Kind == Request {
		close(s.question.request.dropped)
	}
	s.question = nil
}

// answered returns the question that waits and forgets it: it is answered once.
func (s *state) answered() *Question {
	q := s.question
	s.question = nil
	return q
}

// find says why a token answers no question of this kind, or returns nil.
func (s *state) find(token string, now time.Time, kind func(Kind) bool) error {
	switch {
	case s.question == nil || s.question.Token != token:
		return ErrNoToken
	case !kind(s.question.Kind):
		return fmt.Errorf("%w: the token is for another kind of question", ErrNoChoice)
	case !s.waits(now):
		s.drop()
		return ErrExpired
	}
	return nil
}

func (s *state) take(token string, now time.Time, kind func(Kind) bool) (*Question, error) {
	if err := s.find(token, now, kind); err != nil {
		return nil, err
	}
	return s.answered(), nil
}

// choose leaves the question if there is no choice of that index.
func (s *state) choose(e userChooses, now time.Time) (*Question, error) {
	if err := s.find(e.token, now, func(k Kind) bool { return k == Choice }); err != nil {
		return nil, err
	}
	if n := len(s.question.Choices); e.index < 0 || e.index >= n {
		return nil, fmt.Errorf("%w: choice %d of %d", ErrNoChoice, e.index+1, n)
	}
	return s.answered(), nil
}

// hear takes an utterance for the answer to what is going on, if it is one: a number
// or a name to a choice, yes or no to a confirmation, a word such as "cancel" to a choice
// or to plans.
// Any other drops the question.
func (s *state) hear(e userSays, now time.Time) (o outcome) {
	waits := s.waits(now)
	if waits && s.question.Kind == Choice {
		if i, ok := chosen(e.utterance, s.question, e.router); ok {
			return outcome{question: s.answered(), index: i}
		}
	}
	if waits && s.question.Kind == Choice {
		if w := e.router.Word(e.utterance, true); w == router.No || w == router.Stop {
			return outcome{question: s.answered(), index: noChoice}
		}
	}
	word := e.router.Word(e.utterance, waits && s.question.Kind != Choice)
	if (word == router.Yes || word == router.No) && s.question.canBeMeant(now) {
		return outcome{question: s.answered(), approve: word == router.Yes}
	}
	s.drop()
	if word == router.Stop {
		o.ended = s.line.Cancel(errCancelled)
	}
	return o
}

// noChoice is the index of an answer to a choice that turns all candidates down.
const noChoice = -1

// chosen returns the candidate that an utterance names: it is exactly a number, an
// ordinal or the label of one.
func chosen(said string, q *Question, r *router.Router) (index int, ok bool) {
	key := utterance.Key(said)
	index = -1
	if n, ok := r.ChoiceNumber(key); ok {
		index = n - 1
	}
	for i, c := range q.Choices {
		if utterance.Key(c.Label) == key {
			if index >= 0 {
				return 0, false // two candidates of that name
			}
			index = i
		}
	}
	return index, index >= 0 && index < len(q.Choices)
}
