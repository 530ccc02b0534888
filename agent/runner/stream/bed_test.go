package stream

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// A bench is a Table with one plugin and some clients on pipes, inside synctest.
type bench struct {
	t      testing.TB
	ctx    context.Context
	table  *Table
	source *Producer
	plugin *plugin
	ends   []func()
}

// A plugin is the far end of a Producer.
type plugin struct {
	*rpc.Peer
	subscribe func(p protocol.SubscribeParams) (any, error)
	silent    bool // answers no stream.ack and no stream.stop

	mu    sync.Mutex
	asked []string // "ack s 3", "stop s", in order
}

// serve plays synctest's main goroutine of a test.
func serve(t *testing.T, o Options, do func(b *bench)) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, o)
		do(b)
		b.close()
	})
}

func newBench(t testing.TB, o Options) *bench {
	b := &bench{t: t, ctx: t.Context(), table: New(o)}
	b.source, b.plugin = b.connect("p")
	return b
}

func (b *bench) connect(id string) (*Producer, *plugin) {
	here, there := net.Pipe()
	p := &plugin{}
	p.Peer = rpc.NewPeer(there, rpc.Options{Handle: p.handle, MaxInFlight: 1000})
	var s *Producer
	ours := rpc.NewPeer(here, rpc.Options{
		MaxBody:  rpc.MaxFromPlugin,
		Notified: func(_ context.Context, method string, params json.RawMessage) { s.Notified(method, params) },
	})
	s = b.table.NewProducer(id, ours)
	b.run(p.Peer, func() {})
	b.run(ours, func() { s.Close(nil) })
	return s, p
}

// run runs a peer until close, and then does what follows.
func (b *bench) run(p *rpc.Peer, then func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Run(context.Background())
		then()
	}()
	b.ends = append(b.ends, func() { p.Close(); <-done })
}

// close ends all peers and checks that nothing is left.
func (b *bench) close() {
	b.t.Helper()
	for _, end := range b.ends {
		end()
	}
	b.table.mu.Lock()
	defer b.table.mu.Unlock()
	if b.table.open != 0 || b.table.bytes != 0 || len(b.table.events) != 0 {
		b.t.Errorf("left: %d streams, %d bytes, %d subscribers of events", b.table.open, b.table.bytes, len(b.table.events))
	}
}

func (p *plugin) handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	note := func(format string, args ...any) {
		p.mu.Lock()
		p.asked = append(p.asked, fmt.Sprintf(format, args...))
		p.mu.Unlock()
	}
	switch method {
	case protocol.MethodStreamSubscribe:
		var s protocol.SubscribeParams
		if err := protocol.DecodeParams(params, &s); err != nil {
			return nil, err
		}
		return p.subscribe(s)
	case protocol.MethodStreamAck:
		var a protocol.AckParams
		if err := protocol.DecodeParams(params, &a); err != nil {
			return nil, err
		}
		note("ack %s %d", a.StreamID, a.Seq)
	case protocol.MethodStreamStop:
		var s protocol.StopParams
		if err := protocol.DecodeParams(params, &s); err != nil {
			return nil, err
		}
		note("stop %s", s.StreamID)
	}
	if p.silent {
		<-ctx.Done()
	}
	return nil, protocol.Errorf(protocol.CodeMethodNotFound, "an error will do")
}

func (p *plugin) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.asked, ", ")
}

// emit sends frames of a stream as fast as the runner takes them.
func (p *plugin) emit(t testing.TB, method, id string, seqs ...int64) {
	t.Helper()
	for _, seq := range seqs {
		if err := p.Notify(context.Background(), method,
			protocol.StreamFrame{StreamID: id, Seq: &seq, Data: json.RawMessage(fmt.Sprint(seq))}); err != nil {
			t.Fatal(err)
		}
	}
}

func upTo(first, last int64) (seqs []int64) {
	for ; first <= last; first++ {
		seqs = append(seqs, first)
	}
	return seqs
}

// names lets the plugin call its streams by these names, in turn.
func (p *plugin) names(ids ...string) {
	p.subscribe = func(protocol.SubscribeParams) (any, error) {
		id := ids[0]
		ids = ids[1:]
		return protocol.SubscribeResult{StreamID: id}, nil
	}
}

// A viewer is the far end of a Consumer.
type viewer struct {
	*rpc.Peer
	t      testing.TB
	client *Consumer

	seen func(protocol.StreamFrame) // instead of got

	mu  sync.Mutex
	got []string // "m s 3", "end s 3 code", in order
}

func (b *bench) viewer() *viewer { return b.viewerOn(net.Pipe()) }

func (b *bench) viewerOn(here, there net.Conn) *viewer {
	v := &viewer{t: b.t}
	v.Peer = rpc.NewPeer(there, rpc.Options{MaxBody: rpc.MaxFromPlugin, Notified: v.notified})
	ours := rpc.NewPeer(here,
		rpc.Options{Handle: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			switch method {
			case protocol.MethodStreamSubscribe:
				var p protocol.SubscribeParams
				if err := protocol.DecodeParams(params, &p); err != nil {
					return nil, err
				}
				from := b.source
				if p.Method == protocol.NotifyRunnerEvent {
					from = nil
				}
				return v.client.Subscribe(ctx, from, p)
			case protocol.MethodStreamAck:
				var p protocol.AckParams
				if err := protocol.DecodeParams(params, &p); err != nil {
					return nil, err
				}
				v.client.Ack(p)
			case protocol.MethodStreamStop:
				var p protocol.StopParams
				if err := protocol.DecodeParams(params, &p); err != nil {
					return nil, err
				}
				v.client.Stop(ctx, p)
			}
			return struct{}{}, nil
		}})
	v.client = b.table.NewConsumer(ours)
	b.run(v.Peer, func() {})
	b.run(ours, v.client.Close)
	return v
}

func (v *viewer) notified(_ context.Context, method string, params json.RawMessage) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if method == protocol.NotifyStreamEnd {
		var e protocol.StreamEnd
		if rpc.Unmarshal(params, &e) != nil {
			panic(string(params))
		}
		said := fmt.Sprintf("end %s %d", e.StreamID, e.LastSeq)
		if e.Error != nil {
			said += fmt.Sprintf(" %d", e.Error.Code)
		}
		v.got = append(v.got, said)
		return
	}
	var f protocol.StreamFrame
	if rpc.Unmarshal(params, &f) != nil || f.Seq == nil {
		panic(string(params))
	}
	if v.seen != nil {
		v.seen(f)
		return
	}
	v.got = append(v.got, fmt.Sprintf("%s %s %d", method, f.StreamID, *f.Seq))
}

func (v *viewer) ask(method string, params any) (json.RawMessage, error) {
	return v.Call(v.t.Context(), method, params)
}

func (v *viewer) sub(mode string) string {
	v.t.Helper()
	raw, err := v.ask(protocol.MethodStreamSubscribe, protocol.SubscribeParams{Method: "m", Mode: mode})
	var r protocol.SubscribeResult
	if err != nil || rpc.Unmarshal(raw, &r) != nil {
		v.t.Fatalf("subscribe = %s, %v", raw, err)
	}
	return r.StreamID
}

func (v *viewer) ack(id string, seq int64) {
	v.t.Helper()
	if raw, err := v.ask(protocol.MethodStreamAck, protocol.AckParams{StreamID: id, Seq: seq}); string(raw) != "{}" {
		v.t.Errorf("stream.ack = %s, %v", raw, err)
	}
	synctest.Wait()
}

func (v *viewer) stop(id string) {
	v.t.Helper()
	if raw, err := v.ask(protocol.MethodStreamStop, protocol.StopParams{StreamID: id}); string(raw) != "{}" {
		v.t.Errorf("stream.stop = %s, %v", raw, err)
	}
	synctest.Wait()
}

// saw returns what came since the last call, when all is quiet.
func (v *viewer) saw() string {
	synctest.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	said := strings.Join(v.got, ", ")
	v.got = nil
	return said
}

func frames(id string, first, last int64) string {
	var all []string
	for _, seq := range upTo(first, last) {
		all = append(all, fmt.Sprintf("m %s %d", id, seq))
	}
	return strings.Join(all, ", ")
}
