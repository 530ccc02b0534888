package runner

import (
	"context"
	"strings"

	"utter/agent/runner/supervisor"
	"utter/shared/plugin/protocol"
)

// Admit waits until the requirements of p are decided: somebody that runs
// provides them, or nobody will.
func (r *Runner) Admit(ctx context.Context, p *supervisor.Plugin, a protocol.Agreement) error {
	g := &r.plugins
	g.mu.Lock()
	g.agreed[p] = a
	g.mu.Unlock()
	g.settle()
	r.Changed()
	for {
		next := g.watch()
		wait := g.othersStart() // first: who has said what it provides by then is counted
		missing := g.missing(p)
		if len(missing) == 0 {
			return nil
		}
		if !wait {
			return protocol.Errorf(protocol.CodeUnavailable, "no plugin provides %s",
				strings.Join(missing, ", ")).With(protocol.Data{Missing: missing})
		}
		p.Waits("waits for " + strings.Join(missing, ", "))
		select {
		case <-next:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Gone takes back what an ended process provided.
func (r *Runner) Gone(p *supervisor.Plugin) {
	g := &r.plugins
	g.mu.Lock()
	delete(g.agreed, p)
	g.mu.Unlock()
	g.settle()
	r.Changed()
}

// Rests offers p what it lacks, which may have come in the meantime.
func (r *Runner) Rests(*supervisor.Plugin) { r.plugins.settle() }

// missing returns what p requires and nobody that can run provides.
func (g *registry) missing(p *supervisor.Plugin) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return protocol.Resolve(g.named())[p.ID()]
}

// named returns the agreements by id. The caller holds g.mu.
func (g *registry) named() map[string]protocol.Agreement {
	byID := map[string]protocol.Agreement{}
	for p, a := range g.agreed {
		byID[p.ID()] = a
	}
	return byID
}

// othersStart reports whether a plugin may yet say what it provides.
func (g *registry) othersStart() bool {
	for _, p := range g.all() {
		g.mu.Lock()
		_, agreed := g.agreed[p]
		g.mu.Unlock()
		if !agreed && p.State().Starting() {
			return true
		}
	}
	return false
}

// settle tells plugins what the others provide now.
func (g *registry) settle() {
	g.mu.Lock()
	missing := protocol.Resolve(g.named())
	var provided []string
	for p, a := range g.agreed {
		if missing[p.ID()] == nil {
			provided = append(provided, a.Provides...)
		}
	}
	g.mu.Unlock()
	for _, p := range g.all() {
		reason := ""
		if m := missing[p.ID()]; len(m) > 0 {
			reason = "no plugin provides " + strings.Join(m, ", ") + " any more"
		}
		p.Degrade(reason)
		p.Offer(provided)
	}
}
