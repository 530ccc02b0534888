package plugin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"utter/shared/plugin"
	"utter/shared/plugin/plugintest"
	"utter/shared/plugin/protocol"
)

// counting has a stream of the numbers to n, as fast as it can.
func counting(started chan<- *plugin.Subscriber) plugin.Plugin {
	return plugin.Plugin{ID: "counting", Streams: []plugin.Stream{{Name: "count", Feed: plugin.Feed(
		func(ctx context.Context, a struct {
			To int `json:"to"`
		}, to *plugin.Subscriber) error {
			if started != nil {
				started <- to
			}
			for i := range a.To {
				if err := to.Send(ctx, i+1); err != nil {
					return err
				}
			}
			if a.To == 0 {
				return plugin.Unavailable("nothing to count")
			}
			return nil
		})}}}
}

func TestStreams(t *testing.T) {
	s := plugintest.Start(t, counting(nil))
	const n = 1000
	for _, window := range []int{0, 1, 64} {
		var st *plugintest.Stream
		var err error
		if window == 0 {
			st, err = s.Subscribe(t.Context(), "count", map[string]int{"to": n})
		} else {
			st, err = s.SubscribeReliable(t.Context(), "count", map[string]int{"to": n}, window)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := int64(1); i <= n; i++ {
			f, err := st.Next(t.Context())
			if err != nil || *f.Seq != i || string(f.Data) != fmt.Sprint(i) {
				t.Fatalf("window %d: frame %d is %+v, %v", window, i, f, err)
			}
			if err := st.Ack(t.Context(), i); err != nil {
				t.Fatal(err)
			}
		}
		if f, err := st.Next(t.Context()); err != io.EOF {
			t.Errorf("%+v, %v", f, err)
		}
	}
	st, err := s.Subscribe(t.Context(), "count", map[string]int{"to": 0})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Next(t.Context()); protocol.CodeOf(err) != protocol.CodeUnavailable {
		t.Errorf("%v", err)
	}
	if _, err := s.Subscribe(t.Context(), "cuont", nil); protocol.CodeOf(err) != protocol.CodeUnavailable {
		t.Errorf("%v", err)
	}
	if _, err := s.Subscribe(t.Context(), "count", nil); protocol.CodeOf(err) != protocol.CodeInvalidParams {
		t.Errorf("%v", err)
	}
}

// TestReliableWaitsForCredit: exactly the window, then nothing until an ack,
// which is cumulative, and one for more than was sent is not a credit.
func TestReliableWaitsForCredit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := make(chan *plugin.Subscriber, 1)
		s := plugintest.Start(t, counting(started))
		st, err := s.SubscribeReliable(t.Context(), "count", map[string]int{"to": 100}, 4)
		if err != nil {
			t.Fatal(err)
		}
		if !(<-started).Reliable() {
			t.Error("it is not reliable")
		}
		for _, tt := range []struct {
			ack  int64
			want int
		}{{0, 4}, {0, 4}, {3, 7}, {99, 11}, {2, 11}} {
			if err := st.Ack(t.Context(), tt.ack); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if st.Waiting() != tt.want {
				t.Errorf("after ack %d there are %d frames, want %d", tt.ack, st.Waiting(), tt.want)
			}
		}
		if err := st.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := st.Stop(t.Context()); err != nil {
			t.Errorf("again: %v", err)
		}
		synctest.Wait()
		if err := st.Ack(t.Context(), 11); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if st.Waiting() != 11 {
			t.Errorf("frames after stop: %d", st.Waiting())
		}
	})
}

func TestSendEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		errs := make(chan error, 2)
		s := plugintest.Start(t, plugin.Plugin{ID: "patient", Streams: []plugin.Stream{{Name: "s", Feed: plugin.Feed(
			func(ctx context.Context, _ plugin.None, to *plugin.Subscriber) error {
				_ = to.Send(ctx, 1)
				short, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				errs <- to.Send(short, 2)
				errs <- to.Send(ctx, 3)
				return nil
			})}}})
		st, err := s.SubscribeReliable(t.Context(), "s", nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := <-errs; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		if err := st.Ack(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if err := <-errs; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if f, _ := st.Next(t.Context()); *f.Seq != 1 {
			t.Errorf("%+v", f)
		}
		if f, _ := st.Next(t.Context()); *f.Seq != 2 || string(f.Data) != "3" {
			t.Errorf("%+v", f)
		}
	})
}

// TestEnd: what runs is told, what is in flight may end, and Close returns.
func TestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended []string
		s := plugintest.Start(t, plugin.Plugin{ID: "lasting",
			Run: func(ctx context.Context) error {
				if err := plugin.Emit(ctx, "begun", map[string]int{"n": 1}); err != nil {
					t.Error(err)
				}
				<-ctx.Done()
				ended = append(ended, "run")
				return ctx.Err()
			},
			Ops: []plugin.Op{{Name: "slow", Do: plugin.Do(func(ctx context.Context, _ plugin.None) (string, error) {
				time.Sleep(time.Second)
				return "done", ctx.Err()
			})}}})
		s.Wait(func() bool { return len(s.Events()) == 1 })
		if e := s.Events()[0]; e.Event != "begun" || string(e.Data) != `{"n":1}` {
			t.Errorf("%+v", e)
		}
		done := make(chan string, 1)
		go func() {
			r, err := s.Invoke(t.Context(), "slow", nil)
			done <- fmt.Sprint(r.Detail, err)
		}()
		synctest.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if got := <-done; got != "done<nil>" {
			t.Errorf("the op in flight: %s", got)
		}
		if !slices.Equal(ended, []string{"run"}) {
			t.Error("Run was not told")
		}
	})
}
