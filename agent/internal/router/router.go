// Package router turns an utterance into a plan by deterministic rules. It is
// pure: its caller passes in what is open and installed, it starts nothing, and
// text from a window's title or a page never becomes an argument of a step.
package router

import (
	"fmt"
	"slices"
	"sync"

	"utter/shared/address"
	"utter/shared/catalog"
	"utter/shared/chord"
	"utter/shared/op"
	"utter/shared/phrases"
	"utter/shared/plan"
	"utter/shared/profile"
	"utter/shared/utterance"
)

// A Window is an open window, as far as routing needs it.
type Window struct {
	ID    uint64
	AppID string
	Title string
	// App is the id of the profile that the window belongs to, or "" if only its app
	// id can tell.
	App string
	// Terminal says that it is a terminal, whatever its app id.
	Terminal bool
}

// A Context is the desktop at the moment of an utterance.
type Context struct {
	Focused *Window
	Windows []Window   // the latest focused first
	Plugins *PluginOps // what plugins can do; nil is nothing
}

// A Decision is what the rules make of an utterance: a plan, or the reason why
// there is none.
type Decision struct {
	Plan    *plan.Plan
	Reason  plan.Reason // NoPlan, Ambiguous or Missing where Plan is nil
	Message string      // for people, where Plan is nil
	Choices []plan.Choice
	// Passed names the rule families that looked at the words before the one
	// that won, or all of them.
	Passed []string
	Rule   string // the family that won or stopped the search
	// Name is what was taken for the name of an application, or "".
	Name string
}

// A Router routes by one set of words and one library. It is safe for concurrent
// use.
type Router struct {
	words *phrases.Set
	lib   *catalog.Library
	// Search is the address of plain searches, with {q}.
	search string

	loose   loose
	sayOnce sync.Once
	say     []phrase // what can always be said, sorted
}

// New returns a Router. engine is a site with a search address, such as
// "google", or such an address itself.
func New(words *phrases.Set, lib *catalog.Library, engine string) (*Router, error) {
	search := engine
	if s := words.Sites[utterance.Key(engine)]; s != nil {
		search = s.Search
	}
	if err := profile.CheckSearchURL(search); err != nil {
		return nil, fmt.Errorf("search.engine %w, or the name of a site that can be searched", err)
	}
	return &Router{words: words, lib: lib, search: search, loose: loosely(words)}, nil
}

// SearchURL returns the address of a plain search.
func (r *Router) SearchURL(words string) string { return address.FillQuery(r.search, words) }

// Words returns the words that r routes by.
func (r *Router) Words() *phrases.Set { return r.words }

// Library returns what r knows of applications.
func (r *Router) Library() *catalog.Library { return r.lib }

// A Word is an utterance that is not a command but answers what is going on.
type Word int

// The words.
const (
	NoWord Word = iota
	Yes
	No
	Stop // ends what is going on; where a question waits it is No
)

// Word returns what an utterance answers; waiting questions are asked for first.
func (r *Router) Word(said string, questionWaits bool) Word {
	l := r.words.Language
	for _, t := range []string{l.New(said).Text, utterance.Key(said)} {
		switch {
		case questionWaits && l.IsYes(t):
			return Yes
		case questionWaits && l.IsNo(t):
			return No
		case l.IsStop(t):
			return Stop
		}
	}
	return NoWord
}

// ChoiceNumber reads the answer to a choice: "2", "two", "the second", "number
// two". t is in normal form.
func (r *Router) ChoiceNumber(t string) (int, bool) {
	l, words := r.words.Language, &r.words.Words
	t = l.TrimArticles(t)
	ordinal, _ := cutBack(t, words.One)
	if n, ok := l.Ordinal(ordinal); ok {
		return n, true
	}
	number, _ := cutFront(t, words.Number)
	return l.Number(number)
}

// A request is one utterance on its way through the families.
type request struct {
	utterance.Utterance
	t string // the normal form that the families match
	// bareOf is a text that t was, and bareText is it without pointers.
	bareOf, bareText string
	ctx              Context
	// app is the profile of the focused window, or nil.
	app *profile.Profile
	// terminal says that the focused window is a terminal.
	terminal bool
	// running are the applications with a window, once they are asked for.
	running map[*profile.Profile]bool
	// named is what was taken for the name of an application.
	named string
	// hint says what is missing of what the words seem to mean.
	hint string
}

// An answer is what a family says: a plan, a refusal that ends the search, or
// neither (not mine).
type answer struct {
	steps   []plan.Step
	refusal *Decision
	// unsure lowers the confidence of a plan that must look at the screen.
	unsure bool
}

// given reports whether the family has answered.
func (a answer) given() bool { return a.steps != nil || a.refusal != nil }

func mine(steps ...plan.Step) answer { return answer{steps: steps} }

func refuse(reason plan.Reason, format string, args ...any) answer {
	return answer{refusal: &Decision{Reason: reason, Message: fmt.Sprintf(format, args...)}}
}

// Route returns what s means in ctx. It tries the words without openers and
// closers first, then all of them.
func (r *Router) Route(s string, ctx Context) Decision {
	tries := mostSplits
	d := r.route(s, ctx, &tries)
	if d.Plan == nil && d.Reason == plan.NoPlan && tries == 0 && r.joints(s) >= mostSteps {
		return tooLong()
	}
	return d
}

// route is Route that may still try so many splits.
func (r *Router) route(s string, ctx Context, tries *int) Decision {
	req := r.request(s, ctx)
	if req.Raw == "" {
		return Decision{Reason: plan.NoPlan, Message: "nothing was said"}
	}
	mayChain := r.splits(req.Utterance)
	if mayChain && r.takesText(req.Words) && r.custom(req).steps == nil {
		if d, ok := r.chain(s, req, tries); ok {
			return d
		}
	}
	d := r.whole(s, req)
	unclear := d.Plan == nil && d.Reason == plan.NoPlan || d.Rule == clickRule // which takes any words
	if unclear && mayChain && !r.takesText(req.Words) {
		if chained, ok := r.chain(s, req, tries); ok {
			return chained
		}
	}
	return d
}

func (r *Router) request(s string, ctx Context) *request {
	req := &request{Utterance: r.words.Language.New(s), ctx: ctx}
	req.t = req.Text
	if ctx.Focused != nil {
		req.app = r.appOf(ctx.Focused)
		req.terminal = r.isTerminal(ctx.Focused)
	}
	return req
}

// whole routes an utterance as one command.
func (r *Router) whole(s string, req *request) Decision {
	d := r.try(s, req)
	if d.Plan == nil && d.Reason == plan.NoPlan && req.Full != req.Text {
		req.t = req.Full
		if full := r.try(s, req); full.Plan != nil {
			return full
		}
		req.t = req.Text
	}
	if d.Plan == nil && d.Reason == plan.NoPlan {
		if t, ok := r.respelt(req.t); ok {
			req.t = t
			if again := r.try(s, req); again.Plan != nil {
				return again
			}
		}
	}
	return d
}

func (r *Router) try(said string, req *request) Decision {
	for i, f := range families {
		a := f.route(r, req)
		passed := familyNames[:i:i]
		switch {
		case a.refusal != nil:
			d := *a.refusal
			d.Passed, d.Rule, d.Name = passed, f.name, req.named
			return d
		case len(a.steps) > 0:
			return Decision{Plan: finish(said, f.name, a), Passed: passed, Rule: f.name, Name: req.named}
		}
	}
	return Decision{Reason: plan.NoPlan, Message: "no rule matches these words" + req.hint, Passed: slices.Clip(familyNames)}
}

func finish(said, rule string, a answer) *plan.Plan {
	p := &plan.Plan{Utterance: said, Steps: a.steps, Source: plan.SourceRules, Rule: rule, Confidence: 1}
	if a.unsure {
		p.Confidence, p.NeedsPerception = 0.6, true
	}
	for i := range p.Steps {
		p.Steps[i].Provenance = plan.FromUser
	}
	return p
}

// appOf returns the application of a window, or nil: what the context says, else
// what is known of its app id.
func (r *Router) appOf(w *Window) *profile.Profile {
	if p := r.lib.Index.ByID(w.App); p != nil && w.App != "" {
		return p
	}
	return r.lib.Index.ForWindow(w.AppID)
}

// isTerminal reports whether a window is a terminal.
func (r *Router) isTerminal(w *Window) bool { return w.Terminal || r.lib.IsTerminal(w.AppID) }

// keySteps presses a sequence, a step a chord.
func keySteps(seq chord.Sequence, description string) []plan.Step {
	steps := make([]plan.Step, len(seq))
	for i, c := range seq {
		steps[i] = plan.Step{Args: op.Key{Chord: c.String()}, Description: description}
	}
	return steps
}
