package runner

import (
	"context"
	"slices"

	"utter/agent/runner/sandbox"
	"utter/agent/runner/supervisor"
	"utter/shared/config"
	"utter/shared/plugin/protocol"
)

// rows describes the plugins; disabled ones are left out.
func (g *registry) rows(ctx context.Context) []protocol.PluginRow {
	var slots []slot
	g.mu.Lock()
	for _, s := range g.slots {
		slots = append(slots, *s)
	}
	g.mu.Unlock()
	rows := []protocol.PluginRow{}
	for _, s := range slots {
		if s.plugin == nil && s.entry.Fault == nil {
			continue
		}
		rows = append(rows, g.row(ctx, s))
	}
	return rows
}

func (g *registry) row(ctx context.Context, s slot) protocol.PluginRow {
	agreement := protocol.Negotiate(protocol.HelloResult{}, entryOf(s.entry))
	row := protocol.PluginRow{ID: s.entry.ID, Kind: s.entry.Kind, Status: protocol.StatusError, Ops: []string{}}
	if s.plugin == nil {
		row.Reason = s.entry.Fault.Error()
	} else {
		state := s.plugin.State()
		row.Status, row.Reason, row.Epoch = state.Status, state.Reason, state.Epoch
		if l := state.Live; l != nil {
			agreement, row.Version, row.Ops = l.Agreement, l.Hello.Plugin.Version, l.Ops()
		}
	}
	row.Provides, row.Requires = agreement.Provides, agreement.Requires
	row.Permissions = g.permissions(ctx, agreement)
	return row
}

func entryOf(e config.Plugin) protocol.Entry {
	return protocol.Entry{Provides: e.Provides, Requires: e.Requires, Permissions: e.Permissions}
}

// permissions says of each permission that is granted or wished for whether it
// is granted and kept.
func (g *registry) permissions(ctx context.Context, a protocol.Agreement) []protocol.PermissionState {
	r := g.runner
	mode, report := r.mode(), sandbox.Report{Reason: "there is none"}
	if r.opts.Box == nil {
		mode = sandbox.Never
	} else if mode != sandbox.Never {
		report = r.opts.Box.Probe(ctx)
	}
	list := []protocol.PermissionState{}
	for _, p := range sandbox.Permissions(a.Granted, report, mode) {
		if p.Granted || slices.Contains(a.NotGranted, p.Name) {
			list = append(list, protocol.PermissionState{Name: p.Name, Granted: p.Granted,
				Enforced: p.Enforced, Advisory: p.Advisory})
		}
	}
	return list
}

// validate says what is to be said of one plugin.
func (g *registry) validate(ctx context.Context, p *supervisor.Plugin) protocol.ValidateResult {
	state := p.State()
	a := protocol.Negotiate(protocol.HelloResult{}, entryOf(p.Entry))
	if state.Last != nil {
		a = state.Last.Agreement
	}
	v := protocol.ValidateResult{
		Negotiated: protocol.Negotiated{Protocol: protocol.Version, ABI: protocol.ABI}, UnknownCapabilities: a.Unknown,
		Permissions: g.permissions(ctx, a),
	}
	g.mu.Lock()
	all := g.named()
	g.mu.Unlock()
	all[p.ID()] = a
	v.MissingRequires = append([]string{}, protocol.Resolve(all)[p.ID()]...)
	v.OK = state.Live != nil && len(v.MissingRequires) == 0
	return v
}
