package addons

import (
	"context"
	"slices"
	"strings"
	"sync"

	"utter/agent/internal/router"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
	"utter/shared/plugin/runnerclient"
)

// The offers are what plugins can do, as the runner told it last. They do not
// change.
type offers struct {
	known []offer // in the order of the configuration
	said  *router.PluginOps
}

// An offer is one run of a plugin and what it does.
type offer struct {
	row protocol.PluginRow
	ops []router.PluginOp // that can be said
	ok  bool              // it was asked, and has answered
}

// refresh asks the runner what runs, and those plugins what they do that are not
// known yet.
func (a *Addons) refresh(ctx context.Context) (offers, error) {
	rows, err := a.Rows(ctx)
	if err != nil {
		a.forget()
		return offers{}, err
	}
	rows = slices.DeleteFunc(rows, func(r protocol.PluginRow) bool { return !runs(r) || len(r.Ops) == 0 })
	a.mu.Lock()
	old, conn := a.offers, a.conn
	a.mu.Unlock()
	fresh := offers{known: make([]offer, len(rows))}
	var asked sync.WaitGroup
	for i, row := range rows {
		fresh.known[i] = offer{row: row}
		if j := slices.IndexFunc(old.known, func(s offer) bool { return s.ok && sameRow(s.row, row) }); j >= 0 {
			fresh.known[i] = old.known[j]
			continue
		}
		asked.Go(func() { fresh.known[i] = a.ask(ctx, row) })
	}
	asked.Wait()
	same := func(x, y offer) bool { return x.ok && y.ok && sameRow(x.row, y.row) }
	if old.said != nil && slices.EqualFunc(fresh.known, old.known, same) {
		return old, nil
	}
	var list []router.PluginOp
	for _, s := range fresh.known {
		list = append(list, s.ops...)
	}
	fresh.said = router.NewPluginOps(list)
	a.learn(conn, fresh)
	return fresh, nil
}

// learn keeps what was told over a connection, if it is still that one.
func (a *Addons) learn(conn *runnerclient.Client, o offers) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.conn == conn {
		a.offers = o
	}
}

func (a *Addons) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.offers = offers{}
}

func runs(r protocol.PluginRow) bool {
	return r.Status == protocol.StatusOK || r.Status == protocol.StatusDegraded
}

// sameRow reports whether two rows are of one run of a plugin that does the same.
func sameRow(a, b protocol.PluginRow) bool {
	return a.ID == b.ID && a.Epoch == b.Epoch && slices.Equal(a.Ops, b.Ops)
}

// ask asks one plugin what it does.
func (a *Addons) ask(ctx context.Context, row protocol.PluginRow) offer {
	s := offer{row: row}
	what := "the operations of " + row.ID
	err := a.unlessResting(ctx, what, askTime/2, func(ctx context.Context) error {
		conn, err := a.connected(ctx)
		if err != nil {
			return err
		}
		var said protocol.CapabilitiesResult
		err = conn.Call(ctx, protocol.MethodRunnerInvoke,
			protocol.RunnerInvokeParams{Plugin: row.ID, Method: protocol.MethodActionCapabilities}, &said)
		for _, info := range said.Ops {
			if o, ok := sayable(row.ID, info); ok {
				s.ops = append(s.ops, o)
			}
		}
		return err
	})
	if err != nil {
		a.complain(what, err)
		return offer{row: row}
	}
	s.ok = true
	return s
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
		return o, (o.Whole || kind == "string") && plain(o.Arg)
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
