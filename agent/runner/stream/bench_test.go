package stream

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// benchmark sends b.N frames of 200 bytes from a plugin through the runner to a
// client that takes pause for each, over two Unix sockets.
func benchmark(b *testing.B, mode string, pause time.Duration) {
	bench := newBench(b, Options{})
	frame := json.RawMessage(`"` + strings.Repeat("x", 198) + `"`)
	var acked atomic.Int64
	credit := make(chan struct{}, 1)
	pluginHere, pluginThere := sockets(b)
	var source *Producer
	far := rpc.NewPeer(pluginThere,
		rpc.Options{Handle: func(_ context.Context, method string, params json.RawMessage) (any, error) {
			if method == protocol.MethodStreamAck {
				var a protocol.AckParams
				if err := protocol.DecodeParams(params, &a); err != nil {
					return nil, err
				}
				for old := acked.Load(); a.Seq > old && !acked.CompareAndSwap(old, a.Seq); old = acked.Load() {
				}
				select {
				case credit <- struct{}{}:
				default:
				}
			}
			return protocol.SubscribeResult{StreamID: "s"}, nil
		}})
	near := rpc.NewPeer(pluginHere, rpc.Options{
		MaxBody:  rpc.MaxFromPlugin,
		Notified: func(_ context.Context, method string, params json.RawMessage) { source.Notified(method, params) },
	})
	source = bench.table.NewProducer("q", near)
	bench.source.Close(nil)
	bench.source = source
	bench.run(far, func() {})
	bench.run(near, func() { source.Close(nil) })

	var got, last atomic.Int64
	var v *rpc.Peer
	end := make(chan struct{})
	clientHere, clientThere := sockets(b)
	viewer := bench.viewerOn(clientHere, clientThere)
	v = viewer.Peer
	viewer.seen = func(f protocol.StreamFrame) {
		time.Sleep(pause)
		got.Add(1)
		last.Store(*f.Seq)
		if mode == protocol.ModeReliable && *f.Seq%32 == 0 {
			_, _ = v.Start(context.Background(), protocol.MethodStreamAck, protocol.AckParams{StreamID: f.StreamID, Seq: *f.Seq})
		}
		if *f.Seq == int64(b.N) {
			close(end)
		}
	}
	viewer.sub(mode)
	b.ResetTimer()
	for seq := int64(1); seq <= int64(b.N); seq++ {
		for mode == protocol.ModeReliable && seq-acked.Load() > protocol.DefaultCredit {
			<-credit
		}
		if err := far.Notify(b.Context(), "m", protocol.StreamFrame{StreamID: "s", Seq: &seq, Data: frame}); err != nil {
			b.Fatal(err)
		}
	}
	sent := b.Elapsed()
	<-end
	b.ReportMetric(float64(sent.Nanoseconds())/float64(b.N), "sent-ns/op")
	b.ReportMetric(float64(got.Load())/float64(b.N)*100, "%delivered")
	b.StopTimer()
	if mode == protocol.ModeReliable && got.Load() != int64(b.N) {
		b.Errorf("sent %d, got %d", b.N, got.Load())
	}
	bench.close()
}

func sockets(b *testing.B) (here, there net.Conn) {
	l, err := net.Listen("unix", b.TempDir()+"/s")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	if there, err = net.Dial("unix", l.Addr().String()); err != nil {
		b.Fatal(err)
	}
	if here, err = l.Accept(); err != nil {
		b.Fatal(err)
	}
	return here, there
}

func BenchmarkLossy(b *testing.B)        { benchmark(b, protocol.ModeLossy, 0) }
func BenchmarkLossySlow(b *testing.B)    { benchmark(b, protocol.ModeLossy, 100*time.Microsecond) }
func BenchmarkReliable(b *testing.B)     { benchmark(b, protocol.ModeReliable, 0) }
func BenchmarkReliableSlow(b *testing.B) { benchmark(b, protocol.ModeReliable, 100*time.Microsecond) }

// BenchmarkNotified is the runner's own part of a frame: read, queued, taken.
func BenchmarkNotified(b *testing.B) {
	table := New(Options{})
	c := table.newConsumer(nil)
	c.writing = true
	s := table.newProducer("p", nil)
	s.asking = true
	table.mu.Lock()
	sub, err := s.adopt(c, wanted{method: "m"}, json.RawMessage(`{"stream_id":"s"}`))
	table.mu.Unlock()
	if err != nil {
		b.Fatal(err)
	}
	c.begin(sub)
	params := json.RawMessage(`{"stream_id":"s","data":"` + strings.Repeat("x", 198) + `"}`)
	for b.Loop() {
		s.Notified("m", params)
		c.take()
		c.sent()
	}
}
