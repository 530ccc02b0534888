package runner

import (
	"context"
	"reflect"
	"slices"
	"sync"

	"utter/agent/runner/supervisor"
	"utter/shared/config"
	"utter/shared/plugin/protocol"
)

// A registry has the plugins of the configuration, in its order.
type registry struct {
	runner *Runner
	ctx    context.Context // of all plugins
	folder string
	shared *supervisor.Shared
	work   sync.Mutex // one change of the plugins at a time

	mu      sync.Mutex
	slots   []*slot
	changed chan struct{} // closed, and replaced, when anything changes
	agreed  map[*supervisor.Plugin]protocol.Agreement
	epochs  map[string]int // that a plugin of this id gets next
}

// A slot is one [[plugin]].
type slot struct {
	entry  config.Plugin
	plugin *supervisor.Plugin // nil if it is not to run
	cancel context.CancelFunc
	done   chan struct{}
}

// start starts every plugin at once.
func (g *registry) start(ctx context.Context, r *Runner, folder string) {
	g.work.Lock()
	g.runner, g.ctx, g.folder = r, ctx, folder
	g.shared = r.shared(folder)
	g.agreed, g.epochs = map[*supervisor.Plugin]protocol.Agreement{}, map[string]int{}
	g.work.Unlock()
	g.reconcile(false)
}

// reconcile makes the plugins what the configuration says: those whose entry is
// as before go on.
func (g *registry) reconcile(anew bool) {
	g.work.Lock()
	defer g.work.Unlock()
	if g.runner == nil { // not started yet; it will read the configuration then
		return
	}
	if anew {
		g.shared = g.runner.shared(g.folder)
	}
	g.mu.Lock()
	before := g.slots
	g.mu.Unlock()
	var after, ended []*slot
	seen := map[string]bool{}
	for _, entry := range g.runner.config.Load().Plugin {
		if entry.ID == "" || seen[entry.ID] {
			continue
		}
		seen[entry.ID] = true
		old := find(before, entry.ID)
		if old != nil && !anew && sameEntry(old.entry, entry) {
			after = append(after, old)
			continue
		}
		after = append(after, &slot{entry: entry})
	}
	for _, old := range before {
		if !slices.Contains(after, old) {
			ended = append(ended, old)
		}
	}
	g.end(ended)
	g.mu.Lock()
	g.slots = after
	g.mu.Unlock()
	for _, s := range after {
		if s.plugin == nil && s.entry.Fault == nil && s.entry.Enabled {
			g.run(s)
		}
	}
	g.runner.Changed()
}

// sameEntry compares what entries say, not where they are.
func sameEntry(a, b config.Plugin) bool {
	a.Line, b.Line = 0, 0
	return reflect.DeepEqual(a, b)
}

func find(slots []*slot, id string) *slot {
	for _, s := range slots {
		if s.entry.ID == id {
			return s
		}
	}
	return nil
}

// run starts the plugin of a slot.
func (g *registry) run(s *slot) {
	ctx, cancel := context.WithCancel(g.ctx)
	g.mu.Lock()
	p := supervisor.New(g.shared, s.entry, g.epochs[s.entry.ID])
	s.plugin, s.cancel, s.done = p, cancel, make(chan struct{})
	g.mu.Unlock()
	go func() {
		defer close(s.done)
		p.Run(ctx)
	}()
}

// end ends plugins, all at the same time, and waits.
func (g *registry) end(slots []*slot) {
	for _, s := range slots {
		if s.plugin != nil {
			s.cancel()
		}
	}
	for _, s := range slots {
		if s.plugin != nil {
			<-s.done
			g.mu.Lock()
			g.epochs[s.entry.ID] = s.plugin.State().Epoch + 1
			g.mu.Unlock()
		}
	}
}

// stop ends all.
func (g *registry) stop() {
	g.work.Lock()
	defer g.work.Unlock()
	g.mu.Lock()
	slots := g.slots
	g.mu.Unlock()
	g.end(slots)
}

// enable starts a plugin that does not run although nothing is wrong with its
// entry.
func (g *registry) enable(id string) error {
	g.work.Lock()
	defer g.work.Unlock()
	g.mu.Lock()
	s := find(g.slots, id)
	g.mu.Unlock()
	switch {
	case s == nil:
		return unknownPlugin(id)
	case s.entry.Fault != nil:
		return protocol.Errorf(protocol.CodeUnavailable, "%v", s.entry.Fault)
	case s.plugin == nil:
		g.run(s)
		g.runner.Changed()
	case s.plugin.State().Status == protocol.StatusError:
		s.plugin.Restart()
	}
	return nil
}

func unknownPlugin(id string) error {
	return protocol.Errorf(protocol.CodeInvalidParams, "there is no plugin %.80q", id)
}

// all returns the plugins that are to run, in the order of the configuration.
func (g *registry) all() (list []*supervisor.Plugin) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.slots {
		if s.plugin != nil {
			list = append(list, s.plugin)
		}
	}
	return list
}

// byID returns the plugin of that id, or nil.
func (g *registry) byID(id string) *supervisor.Plugin {
	for _, p := range g.all() {
		if p.ID() == id {
			return p
		}
	}
	return nil
}

// live returns those that can be called.
func (g *registry) live() (list []*supervisor.Live) {
	for _, p := range g.all() {
		if l := p.Live(); l != nil {
			list = append(list, l)
		}
	}
	return list
}

// watch returns a channel that is closed at the next change.
func (g *registry) watch() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.changed
}

// Changed wakes the waiters for a plugin.
func (r *Runner) Changed() {
	g := &r.plugins
	g.mu.Lock()
	close(g.changed)
	g.changed = make(chan struct{})
	g.mu.Unlock()
}
