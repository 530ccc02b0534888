package dialogue

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"utter/agent/internal/executor"
	"utter/shared/op"
	"utter/shared/plan"
)

// expiry is how long a question can be answered.
const expiry = 30 * time.Second

// readTime is how long the question of another program must have been visible before a
// spoken word can be meant for it.
const readTime = 2 * time.Second

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

	deadline time.Time
	digest   string            // of the plan as it was shown
	approval executor.Approval // what a yes to the plan stands for
	window   uint64            // 0, or gets the focus before the answer is carried out
	request  *request          // of a Request
}

// choice returns the task that one candidate stands for.
func (q *Question) choice(index int) task {
	return task{window: q.window, plan: &plan.Plan{
		Utterance: q.Utterance, Steps: q.Choices[index].Steps, Source: plan.SourceRules, Rule: "choice", Confidence: 1,
		Focused: q.window,
	}}
}

// canBeMeant reports whether a spoken yes or no can be the answer.
func (q *Question) canBeMeant(now time.Time) bool {
	return q.Kind == Confirmation || q.Kind == Request && !q.request.shown.IsZero() && now.Sub(q.request.shown) >= readTime
}

// A request is the part of a question that the program that asked waits for.
type request struct {
	turn    chan struct{} // closed when the question can be asked
	shown   time.Time     // when the user saw it first
	answer  chan bool
	dropped chan struct{} // closed when another question took its place
	gone    chan struct{} // closed when nobody waits for the answer any more
}

func newRequest() *request {
	return &request{
		turn: make(chan struct{}), answer: make(chan bool), dropped: make(chan struct{}), gone: make(chan struct{}),
	}
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
