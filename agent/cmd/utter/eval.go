package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"time"

	"github.com/spf13/cobra"

	"utter/agent/internal/router"
	"utter/shared/bus"
	"utter/shared/catalog"
	"utter/shared/chord"
	"utter/shared/op"
	"utter/shared/phrases"
	"utter/shared/profile"
)

// A corpus is what utter eval reads: sets of profiles, contexts that name one,
// and utterances in a context with the plan that they should have.
type corpus struct {
	Format   string
	Profiles map[string]struct {
		Order  []string
		ByID   map[string]json.RawMessage `json:"by_id"`
		Engine string                     // where plain searches go, google if ""
	}
	Contexts map[string]struct {
		Profiles string
		bus.Context
	}
	Cases []corpusCase
}

type corpusCase struct {
	ID, Utterance, Context string
	// Expect is a list of steps, null for no plan, or absent: then the case is
	// only routed.
	Expect json.RawMessage
	Weak   any
	Gap    any
	Head   bool `json:"decision_head"`
}

type evalResult struct {
	ID     string     `json:"id"`
	Plan   []bus.Step `json:"plan"`
	Source string     `json:"source,omitempty"`
	Micros float64    `json:"micros"`
	OK     bool       `json:"ok"`
}

func (c *cli) evalCommand() *cobra.Command {
	head := "off"
	cmd := &cobra.Command{
		Use:   "eval FILE",
		Short: "Route the utterances of a corpus and compare the plans",
		Long: "Eval reads a corpus (format utter-router-corpus/1) and routes its utterances without an agent or a\n" +
			"desktop; its applications count as installed. With --json it prints one line per case. It exits\n" +
			"with status 1 if a case fails that is marked neither weak nor gap.",
		Example: "  utter eval corpus.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if head != "off" {
				return &exitError{exitUsage, "usage", "--head " + head + ": there is no decision head yet; write off"}
			}
			data, err := os.ReadFile(args[0])
			if err != nil {
				return &exitError{exitFailed, "failed", err.Error()}
			}
			e, err := newEvaluator(data)
			if err != nil {
				return &exitError{exitFailed, "failed", fmt.Sprintf("%s: %v", args[0], err)}
			}
			return c.evaluate(e)
		},
	}
	cmd.Flags().StringVar(&head, "head", head, "the decision head to use: off")
	return cmd
}

// An evaluator has a router for every set of profiles.
type evaluator struct {
	corpus  corpus
	routers map[string]*router.Router
}

func newEvaluator(data []byte) (*evaluator, error) {
	e := &evaluator{routers: map[string]*router.Router{}}
	if err := json.Unmarshal(data, &e.corpus); err != nil {
		return nil, err
	}
	words, err := phrases.English()
	if err != nil {
		return nil, err
	}
	for name, set := range e.corpus.Profiles {
		var patches []profile.Patch
		for _, id := range set.Order {
			fresh, err := corpusProfile(id, set.ByID[id])
			if err != nil {
				return nil, fmt.Errorf("profiles %s: %w", name, err)
			}
			patches = append(patches, fresh...)
		}
		yes := func(string) bool { return true }
		lib := catalog.New(profile.Merge(patches, nil), yes, func(*profile.Profile) bool { return true })
		if e.routers[name], err = router.New(words, lib, cmp.Or(set.Engine, "google")); err != nil {
			return nil, err
		}
	}
	for i, cs := range e.corpus.Cases {
		ctx, ok := e.corpus.Contexts[cs.Context]
		if !ok || e.routers[ctx.Profiles] == nil {
			return nil, fmt.Errorf("case %d (%s): unknown context %q", i, cs.ID, cs.Context)
		}
	}
	return e, nil
}

// corpusProfile reads a profile of the corpus, of which one may be marked as
// generated. What is the user's stands once more under "own".
func corpusProfile(id string, raw json.RawMessage) ([]profile.Patch, error) {
	var marks struct {
		Generated bool
		Own       map[string]any
	}
	if err := json.Unmarshal(raw, &marks); err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	layer := profile.Curated
	switch {
	case marks.Generated:
		layer = profile.Catalogue
	case id == profile.Everywhere:
		layer = profile.User
	}
	patches, problems := profile.Decode(id, layer, raw) // JSON is YAML
	if len(patches) != 1 {
		return nil, fmt.Errorf("%s: %v", id, problems)
	}
	if marks.Own == nil {
		return patches, nil
	}
	marks.Own["id"] = id
	own, err := json.Marshal(marks.Own)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	mine, problems := profile.Decode(id, profile.User, own)
	if len(mine) != 1 {
		return nil, fmt.Errorf("%s: own: %v", id, problems)
	}
	return append(patches, mine...), nil
}

// evaluate routes every case and prints what came of it.
func (c *cli) evaluate(e *evaluator) error {
	failed, passed, excused := 0, 0, 0
	enc := json.NewEncoder(c.stdout)
	enc.SetEscapeHTML(false)
	for _, cs := range e.corpus.Cases {
		r := e.route(cs)
		switch {
		case r.OK:
			passed++
		case cs.Weak != nil || cs.Gap != nil:
			excused++
		default:
			failed++
		}
		if c.json {
			if err := enc.Encode(r); err != nil {
				return &exitError{exitFailed, "failed", err.Error()}
			}
		} else if !r.OK {
			c.printEval(cs, r)
		}
	}
	if !c.json {
		fmt.Fprintf(c.stdout, "%d passed, %d failed, %d differ but are marked weak or gap\n", passed, failed, excused)
	}
	if failed > 0 {
		return &exitError{exitFailed, "failed", ""}
	}
	return nil
}

func (c *cli) printEval(cs corpusCase, r evalResult) {
	mark := "FAILED"
	if cs.Weak != nil || cs.Gap != nil {
		mark = "differs"
	}
	got, err := json.Marshal(r.Plan)
	if err != nil {
		got = []byte(err.Error())
	}
	var want bytes.Buffer
	if json.Compact(&want, cs.Expect) != nil {
		want.Write(cs.Expect)
	}
	fmt.Fprintf(c.stdout, "%s %s %q\n  got  %s\n  want %s\n", mark, cs.ID, cs.Utterance, got, &want)
}

// route routes one case.
func (e *evaluator) route(cs corpusCase) evalResult {
	ctx := e.corpus.Contexts[cs.Context]
	open := router.ContextOf(ctx.Context)
	began := time.Now()
	d := e.routers[ctx.Profiles].Route(cs.Utterance, open)
	r := evalResult{ID: cs.ID, Micros: float64(time.Since(began).Nanoseconds()) / 1e3}
	if d.Plan != nil {
		r.Source = string(d.Plan.Source)
		for _, s := range d.Plan.Steps {
			r.Plan = append(r.Plan, bus.Step{Action: string(s.Op()), Args: op.Map(s.Args)})
		}
	}
	r.OK = cs.Expect == nil || asExpected(cs.Expect, r.Plan)
	return r
}

// asExpected compares a plan with what the corpus wants: the arguments given
// must be there, more are allowed.
func asExpected(want json.RawMessage, got []bus.Step) bool {
	var steps []bus.Step
	if json.Unmarshal(want, &steps) != nil || len(steps) != len(got) {
		return false
	}
	for i, w := range steps {
		if w.Action != got[i].Action {
			return false
		}
		for name, value := range w.Args {
			if !sameArg(name, value, got[i].Args[name]) {
				return false
			}
		}
	}
	return true
}

// sameArg compares chords parsed, and all else as JSON has it.
func sameArg(name string, want, got any) bool {
	if name == "chord" {
		a, errA := chord.Parse(fmt.Sprint(want))
		b, errB := chord.Parse(fmt.Sprint(got))
		return errA == nil && errB == nil && a == b
	}
	text, err := json.Marshal(got)
	if err != nil {
		return false
	}
	var plain any
	return json.Unmarshal(text, &plain) == nil && reflect.DeepEqual(plain, want)
}
