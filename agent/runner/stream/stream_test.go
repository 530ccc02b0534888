package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

func TestSubscribeRefuses(t *testing.T) {
	serve(t, Options{MaxStreams: 2}, func(b *bench) {
		b.plugin.subscribe = func(p protocol.SubscribeParams) (any, error) {
			switch p.Method {
			case "fails":
				return nil, protocol.Errorf(-31000, "as it is")
			case "number":
				return json.RawMessage(`{"stream_id":7}`), nil
			case "nothing":
				return json.RawMessage(`{}`), nil
			}
			return protocol.SubscribeResult{StreamID: "same"}, nil
		}
		v := b.viewer()
		tests := []struct {
			params string
			code   protocol.Code
		}{
			{`{}`, protocol.CodeInvalidParams},
			{`{"method":""}`, protocol.CodeInvalidParams},
			{`{"method":7}`, protocol.CodeInvalidParams},
			{`{"method":"m","mode":"fast"}`, protocol.CodeInvalidParams},
			{`{"method":"m","params":[]}`, protocol.CodeInvalidParams},
			{`{"method":"m","window":-1}`, protocol.CodeInvalidParams},
			{`{"method":"$/cancel"}`, protocol.CodeInvalidParams},
			{`{"method":"stream.end"}`, protocol.CodeInvalidParams},
			{`{"method":"runner.event","mode":"reliable"}`, protocol.CodeInvalidParams},
			{`{"method":"fails"}`, -31000},
			{`{"method":"number"}`, protocol.CodeUnavailable},
			{`{"method":"nothing"}`, protocol.CodeUnavailable},
			{`{"method":"m"}`, 0},
			{`{"method":"m"}`, protocol.CodePlugin}, // a plugin's stream has one subscriber
			{`{"method":"runner.event"}`, 0},
			{`{"method":"m"}`, protocol.CodeUnavailable}, // has its two
		}
		for _, tt := range tests {
			raw, err := v.ask(protocol.MethodStreamSubscribe, json.RawMessage(tt.params))
			if (err == nil) != (tt.code == 0) || err != nil && protocol.CodeOf(err) != tt.code {
				t.Errorf("%s: %s, %v; want %d", tt.params, raw, err, tt.code)
			}
		}
		if _, err := v.client.Subscribe(b.ctx, nil,
			protocol.SubscribeParams{Method: "m"}); protocol.CodeOf(err) != protocol.CodeUnavailable {
			t.Errorf("nobody has it: %v", err)
		}
	})
}

// TestAcksNeedNoAnswer: a plugin that never answers them gets them all the same.
func TestAcksNeedNoAnswer(t *testing.T) {
	serve(t, Options{Window: 2}, func(b *bench) {
		b.plugin.names("s")
		b.plugin.silent = true
		v := b.viewer()
		id := v.sub("reliable")
		begin := time.Now()
		for seq := int64(1); seq <= 300; seq++ {
			b.plugin.emit(t, "m", "s", seq)
			synctest.Wait()
			v.ack(id, seq)
		}
		if saw := v.saw(); saw != frames(id, 1, 300) {
			t.Errorf("saw %s", saw)
		}
		if n := strings.Count(b.plugin.log(), "ack"); n != 300 || time.Since(begin) > 0 {
			t.Errorf("%d acks in %v", n, time.Since(begin))
		}
	})
}

// TestSameNameAgain: a plugin may use an id again once it was stopped.
func TestSameNameAgain(t *testing.T) {
	serve(t, Options{}, func(b *bench) {
		b.plugin.names("s", "s", "s")
		v := b.viewer()
		for n := 1; n <= 3; n++ {
			id := v.sub("reliable")
			b.plugin.emit(t, "m", "s", 1, 2)
			if saw := v.saw(); saw != frames(id, 1, 2) {
				t.Errorf("%d: saw %s", n, saw)
			}
			v.ack(id, 1)
			v.stop(id)
		}
		if log := b.plugin.log(); log != "ack s 1, stop s, ack s 1, stop s, ack s 1, stop s" {
			t.Errorf("the plugin was asked %s", log)
		}
	})
}

func TestClientGoesWhileItSubscribes(t *testing.T) {
	serve(t, Options{}, func(b *bench) {
		b.plugin.subscribe = func(protocol.SubscribeParams) (any, error) {
			time.Sleep(time.Second)
			return protocol.SubscribeResult{StreamID: "late"}, nil
		}
		v := b.viewer()
		call, err := v.Start(b.ctx, protocol.MethodStreamSubscribe, protocol.SubscribeParams{Method: "m"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		v.Close()
		call.Wait(b.ctx)
		time.Sleep(2 * time.Second)
		b.plugin.emit(t, "m", "late", 1, 2, 3) // nobody learned its name: it is told at its first frame
		synctest.Wait()
		if log := b.plugin.log(); log != "stop late" {
			t.Errorf("the plugin was asked %s", log)
		}
	})
}

func TestPluginDies(t *testing.T) {
	serve(t, Options{Window: 2}, func(b *bench) {
		b.plugin.names("a", "b")
		v := b.viewer()
		lossy, reliable := v.sub("lossy"), v.sub("reliable")
		b.plugin.emit(t, "m", "a", 1)
		b.plugin.emit(t, "m", "b", 1, 2, 3)
		synctest.Wait()
		b.plugin.Close()
		if saw := v.saw(); saw != "m stream-1 1, m stream-2 1, m stream-2 2, end stream-1 1 -32000" {
			t.Errorf("saw %s", saw)
		}
		v.ack(reliable, 1)
		if saw := v.saw(); saw != "m stream-2 3, end stream-2 3 -32000" {
			t.Errorf("after ack saw %s", saw)
		}
		v.stop(lossy)
		if _, err := v.ask(protocol.MethodStreamSubscribe,
			protocol.SubscribeParams{Method: "m"}); protocol.CodeOf(err) != protocol.CodePlugin {
			t.Errorf("subscribe = %v", err)
		}
	})
}

// TestNobodysFrames: a plugin is told once that nobody wants a stream, however
// many it invents.
func TestNobodysFrames(t *testing.T) {
	serve(t, Options{}, func(b *bench) {
		b.plugin.emit(t, "m", "ghost", 1, 2, 3)
		synctest.Wait()
		if log := b.plugin.log(); log != "stop ghost" {
			t.Errorf("the plugin was asked %s", log)
		}
		for _, bad := range []string{`{}`, `{"stream_id":7}`, `{"stream_id":""}`, `{"stream_id":"x","seq":`} {
			if b.source.Notified("m", json.RawMessage(bad)) {
				t.Errorf("%s was taken", bad)
			}
		}
		for i := range 5000 {
			b.source.Notified("m", fmt.Appendf(nil, `{"stream_id":"ghost %d"}`, i))
		}
		b.table.mu.Lock()
		if n := len(b.source.asks); n > maxOrphans+1 {
			t.Errorf("%d asks wait", n)
		}
		b.table.mu.Unlock()
		synctest.Wait()
	})
}

// TestEarlyFramesAreBounded: while a subscribe is pending a plugin cannot fill
// the memory.
func TestEarlyFramesAreBounded(t *testing.T) {
	serve(t, Options{MaxBytes: 1 << 20}, func(b *bench) {
		release := make(chan struct{})
		b.plugin.subscribe = func(protocol.SubscribeParams) (any, error) {
			<-release
			return nil, errors.New("no")
		}
		v := b.viewer()
		call, err := v.Start(b.ctx, protocol.MethodStreamSubscribe, protocol.SubscribeParams{Method: "m", Mode: "reliable"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		data := strings.Repeat("x", 1000)
		for i := range 20000 {
			b.source.Notified("m", fmt.Appendf(nil, `{"stream_id":"s%d","data":%q}`, i%1000, data))
		}
		b.table.mu.Lock()
		if len(b.source.early) > maxPending || b.table.bytes > 1<<20 || b.table.bytes == 0 {
			t.Errorf("%d streams with %d bytes", len(b.source.early), b.table.bytes)
		}
		b.table.mu.Unlock()
		close(release)
		if _, err := call.Wait(b.ctx); err == nil {
			t.Error("subscribe was answered")
		}
		if st := b.table.Stats(); st.Bytes != 0 {
			t.Errorf("Stats = %+v", st)
		}
	})
}

// TestFrameTooLargeForAConnection ends that stream, and no other.
func TestFrameTooLargeForAConnection(t *testing.T) {
	table := New(Options{})
	c := table.newConsumer(small{})
	c.writing = true
	s := table.newProducer("p", nil)
	s.asking = true
	want, _ := table.read(s, protocol.SubscribeParams{Method: "m", Mode: "reliable"})
	table.mu.Lock()
	sub, _ := s.adopt(c, want, json.RawMessage(`{"stream_id":"s"}`))
	table.mu.Unlock()
	c.begin(sub)
	s.Notified("m", json.RawMessage(`{"stream_id":"s","data":1}`))
	s.Notified("m", json.RawMessage(`{"stream_id":"s","data":2}`))
	if !c.send(c.take()) {
		t.Fatal("the connection ended")
	}
	batch := c.take()
	if len(batch) != 1 || batch[0].method != protocol.NotifyStreamEnd || len(s.asks) != 1 || !s.asks[0].stop {
		t.Errorf("next %+v, asks %v", batch, s.asks)
	}
	c.sent()
}

type small struct{}

func (small) Notify(context.Context, string, any) error { return rpc.ErrTooLarge }
func (small) Send(context.Context, string, any) error {
	return fmt.Errorf("notify m: %w", rpc.ErrTooLarge)
}
