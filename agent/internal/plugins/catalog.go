package plugins

import (
	"context"
	"slices"
	"strings"

	"utter/agent/internal/router"
	"utter/shared/protocol"
	"utter/shared/rpc"
)

// A catalog is what plugins can do, as the runner told it last.
type catalog struct {
	rows []protocol.PluginRow // of those that run
	said *router.PluginOps
}

// refresh asks the runner what runs, and the plugins what they do if that is not
// what it was.
func (p *Plugins) refresh(ctx context.Context) (catalog, error) {
	rows, err := p.Rows(ctx)
	if err != nil {
		p.forget()
		return catalog{}, err
	}
	rows = slices.DeleteFunc(rows, func(r protocol.PluginRow) bool { return !runs(r) || len(r.Ops) == 0 })
	p.mu.Lock()
	known := p.catalog
	p.mu.Unlock()
	if known.said != nil && slices.EqualFunc(rows, known.rows, sameRow) {
		return known, nil
	}
	fresh := catalog{rows: rows}
	var list []router.PluginOp
	for _, row := range rows {
		ops, err := p.ask(ctx, row.ID)
		if err != nil {
			p.complain("the operations of "+row.ID, err)
			continue
		}
		list = append(list, ops...)
	}
	fresh.said = router.NewPluginOps(list)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.catalog = fresh
	return fresh, nil
}

func (p *Plugins) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.catalog = catalog{}
}

func runs(r protocol.PluginRow) bool {
	return r.Status == protocol.StatusOK || r.Status == protocol.StatusDegraded
}

// sameRow reports whether two rows are of one run of a plugin that does the same.
func sameRow(a, b protocol.PluginRow) bool {
	return a.ID == b.ID && a.Epoch == b.Epoch && slices.Equal(a.Ops, b.Ops)
}

// ask asks one plugin what it does.
func (p *Plugins) ask(ctx context.Context, id string) ([]router.PluginOp, error) {
	conn, err := p.connected(ctx)
	if err != nil {
		return nil, err
	}
	var said protocol.CapabilitiesResult
	err = conn.Call(ctx, protocol.MethodRunnerInvoke, protocol.RunnerInvokeParams{Plugin: id, Method: protocol.MethodActionCapabilities}, &said)
	if err != nil {
		return nil, err
	}
	var list []router.PluginOp
	for _, info := range said.Ops {
		if o, ok := sayable(id, info); ok {
			list = append(list, o)
		}
	}
	return list, nil
}

// maxOpName bounds the name of an operation that is said.
const maxOpName = 80

// sayable makes a phrase of an operation: its name, and behind it its one
// argument. One that needs several can be asked for by a router only. What the
// agent does itself is left to it.
func sayable(id string, info protocol.OpInfo) (router.PluginOp, bool) {
	o := router.PluginOp{Plugin: id, Op: info.Op, Confirm: info.NeedsConfirm}
	if protocol.IsCoreOp(info.Op) || len(info.Op) > maxOpName || !plain(info.Op) {
		return o, false
	}
	var schema struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if len(info.Args) > 0 && rpc.Unmarshal(info.Args, &schema) != nil {
		return o, false
	}
	switch len(schema.Required) {
	case 0:
		return o, true
	case 1:
		o.Arg = schema.Required[0]
		kind := schema.Properties[o.Arg].Type
		o.Whole = kind == "integer"
		return o, o.Whole || kind == "string"
	}
	return o, false
}

// plain reports whether a name is made of what names are made of: it is shown and
// said.
func plain(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._/-", r)
	})
}
