package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"utter/shared/plugin"
	"utter/shared/plugin/plugintest"
	"utter/shared/plugin/protocol"
)

type order struct {
	Item  string   `json:"item" doc:"what to buy"`
	Size  string   `json:"size,omitempty" enum:"small,large"`
	Count uint     `json:"count,omitzero"`
	Tags  []string `json:"tags,omitempty"`
	Note  *string  `json:"note"`
}

type receipt struct {
	Detail string `json:"detail"`
	Price  int    `json:"price"`
}

// shop has one of everything.
func shop() plugin.Plugin {
	return plugin.Plugin{
		ID: "shop", Version: "1.0.0",
		Ops: []plugin.Op{
			{Name: "shop.order", Doc: "orders something", SideEffect: "purchase", Confirm: true, Do: plugin.Do(
				func(ctx context.Context, o order) (receipt, error) {
					plugin.Progress(ctx, 50, "packing %s", o.Item)
					plugin.Log(ctx).With("item", o.Item).Warn("ordered", "count", o.Count)
					return receipt{"bought " + o.Item, 7}, nil
				})},
			{Name: "open_url", Do: plugin.Do(func(context.Context, struct {
				URL string `json:"url"`
			}) (string, error) {
				return "opened", nil
			})},
		},
		Route: func(_ context.Context, said plugin.Utterance) ([]plugin.Step, error) {
			item, ok := said.After("buy")
			if !ok {
				return nil, nil
			}
			return []plugin.Step{{Op: "shop.order", Args: order{Item: item}}, {Op: "wait", FromScreen: true}}, nil
		},
	}
}

func TestWhatIsRegisteredIsWhatTheRunnerIsTold(t *testing.T) {
	s := plugintest.Start(t, shop())
	if want := (protocol.PluginInfo{Name: "shop", Version: "1.0.0", Kind: "bundle"}); s.Hello.Plugin != want {
		t.Errorf("hello says %+v", s.Hello.Plugin)
	}
	if want := []string{"action.open_url@1", "router.plan@1"}; !slices.Equal(s.Hello.Provides, want) {
		t.Errorf("provides %v", s.Hello.Provides)
	}
	want := []string{"action.capabilities", "action.invoke", "handle.fetch", "plugin.describe", "plugin.health",
		"protocol.hello", "router.plan", "shutdown"}
	if !slices.Equal(s.Describe.Methods, want) {
		t.Errorf("methods %v", s.Describe.Methods)
	}
	if s.Health != (protocol.HealthResult{Status: "ok", Detail: "shop is ready"}) {
		t.Errorf("health %+v", s.Health)
	}
	if len(s.Ops) != 2 || s.Ops[0].Op != "shop.order" || s.Ops[0].SideEffect != "purchase" || !s.Ops[0].NeedsConfirm ||
		s.Ops[1].SideEffect != "open_url" || s.Ops[1].NeedsConfirm {
		t.Errorf("ops %+v", s.Ops)
	}
	const schema = `{"type":"object","description":"orders something","properties":{` +
		`"count":{"type":"integer","minimum":0},"item":{"type":"string","description":"what to buy"},"note":{"type":"string"},` +
		`"size":{"type":"string","enum":["small","large"]},"tags":{"type":"array","items":{"type":"string"}}},` +
		`"required":["item"],"additionalProperties":false}`
	if string(s.Ops[0].Args) != schema {
		t.Errorf("schema\n%s, want\n%s", s.Ops[0].Args, schema)
	}
}

func TestSay(t *testing.T) {
	s := plugintest.Start(t, shop())
	steps, err := s.Route(t.Context(), "Buy  rye bread")
	if err != nil || len(steps) != 2 || string(steps[0].Args) != `{"item":"rye bread","note":null}` ||
		steps[0].Provenance != protocol.FromUser || steps[1].Provenance != protocol.FromScreen ||
		string(steps[1].Args) != "{}" {
		t.Errorf("%+v, %v", steps, err)
	}
	if steps, err := s.Route(t.Context(), "buyer beware"); err != nil || steps == nil || len(steps) != 0 {
		t.Errorf("%+v, %v", steps, err)
	}
	r, err := s.Invoke(t.Context(), "shop.order", map[string]any{"item": "tea", "count": 2})
	if err != nil || !r.OK || r.Detail != "bought tea" ||
		string(r.All) != `{"detail":"bought tea","ok":true,"op":"shop.order","price":7}` {
		t.Errorf("%+v, %v", r, err)
	}
	if p := s.Progress(); len(p) != 1 || p[0].Message != "packing tea" || *p[0].Percent != 50 {
		t.Errorf("progress %+v", p)
	}
	if want := []protocol.LogLine{{Level: "warning", Message: "ordered item=tea count=2"}}; !slices.Equal(s.Log(), want) {
		t.Errorf("log %+v", s.Log())
	}
}

func TestWhatDoesNotFitNeverReachesTheFunction(t *testing.T) {
	s := plugintest.Start(t, shop())
	for args, want := range map[string]string{
		`{}`:                       "shop.order: item is missing",
		`{"item":7}`:               "shop.order: item is 7, not a text",
		`{"item":null}`:            "shop.order: item is null, not a text",
		`{"Item":"x","item":"y"}`:  "shop.order: there is no Item; did you mean item?",
		`{"item":"x","amount":1}`:  "shop.order: there is no amount; did you mean count?|shop.order: there is no amount; there is count, item, note, size, tags",
		`{"item":"x","count":-1}`:  "shop.order: count is -1, less than 0",
		`{"item":"x","count":1.5}`: "shop.order: count is 1.5, not a whole number",
		`{"item":"x","count":99999999999999999999}`: "invalid params: count is number 99999999999999999999, not uint",
		`{"item":"x","size":"huge"}`:                `shop.order: size is "huge", not one of small, large`,
		`{"item":"x","tags":["a",{}]}`:              "shop.order: tags[1] is an object, not a text",
		`{"item":"x","tags":"a"}`:                   "shop.order: tags is a text, not a list",
		`[]`:                                        "shop.order: what is given is a list, not an object",
	} {
		_, err := s.Call(t.Context(), "action.invoke",
			json.RawMessage(`{"op":"shop.order","args":`+args+`,"provenance":"user"}`))
		var e *protocol.Error
		if !errors.As(err, &e) || e.Code != protocol.CodeInvalidParams ||
			!slices.Contains(strings.Split(want, "|"), e.Message) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

// failing has an op for each way to fail.
func failing(block chan struct{}) plugin.Plugin {
	op := func(name string, do func(context.Context, plugin.None) (string, error)) plugin.Op {
		return plugin.Op{Name: name, Do: plugin.Do(do)}
	}
	fails := func(name string, err error) plugin.Op {
		return op(name, func(context.Context, plugin.None) (string, error) { return "", err })
	}
	return plugin.Plugin{ID: "failing", Ops: []plugin.Op{
		fails("plain", errors.New("disk full")),
		fails("invalid", fmt.Errorf("list 3: %w", plugin.Invalid("no such list"))),
		fails("unavailable", plugin.Unavailable("no printer")),
		fails("denied", plugin.Denied("not on Sundays")),
		fails("late", fmt.Errorf("ask the printer: %w", context.DeadlineExceeded)),
		fails("bare", protocol.Errorf(-7, "mine").With(map[string]int{"a": 1})),
		op("panics", func(context.Context, plugin.None) (string, error) { panic("oh") }),
		op("asks", func(ctx context.Context, _ plugin.None) (string, error) {
			_, err := plugin.Windows(context.WithoutCancel(ctx))
			return "", errors.Join(err, plugin.Emit(ctx, "e", strings.Repeat("x", protocol.MaxEmit)))
		}),
		op("blocks", func(ctx context.Context, _ plugin.None) (string, error) {
			block <- struct{}{}
			<-ctx.Done()
			return "", ctx.Err()
		}),
		op("screen", func(ctx context.Context, _ plugin.None) (string, error) {
			return fmt.Sprint(plugin.FromScreen(ctx)), nil
		}),
	}}
}

func TestErrorsBecomeCodes(t *testing.T) {
	s := plugintest.Start(t, failing(nil))
	for _, tt := range []struct {
		op   string
		want protocol.Error
	}{
		{"plain", protocol.Error{Code: -32000, Message: "disk full"}},
		{"invalid", protocol.Error{Code: -32602, Message: "list 3: no such list"}},
		{"unavailable", protocol.Error{Code: -32005, Message: "no printer"}},
		{"denied", protocol.Error{Code: -32003, Message: "not on Sundays", Data: json.RawMessage(`{"reason":"denied"}`)}},
		{"late", protocol.Error{Code: -32001, Message: "ask the printer: context deadline exceeded",
			Data: json.RawMessage(`{"outcome":"unknown"}`)}},
		{"bare", protocol.Error{Code: -7, Message: "mine", Data: json.RawMessage(`{"a":1}`)}},
		{"panics", protocol.Error{Code: -32000, Message: "panics crashed: oh"}},
		{"asks", protocol.Error{Code: -32000, Message: "emit e: 65539 bytes; the maximum is 65536"}},
		{"no such op", protocol.Error{Code: -32601, Message: `plugin failing has no op "no such op"`}},
	} {
		_, err := s.Invoke(t.Context(), tt.op, nil)
		var e *protocol.Error
		if !errors.As(err, &e) || e.Code != tt.want.Code || e.Message != tt.want.Message ||
			string(e.Data) != string(tt.want.Data) {
			t.Errorf("%s: %v, want %v", tt.op, err, &tt.want)
		}
	}
	if said, err := s.Call(t.Context(), "action.invoke",
		json.RawMessage(`{"op":"screen","provenance":"screen"}`)); err != nil ||
		!strings.Contains(string(said), `"detail":"true"`) {
		t.Errorf("%s, %v", said, err)
	}
	if _, err := s.Call(t.Context(), "no.such", nil); protocol.CodeOf(err) != protocol.CodeMethodNotFound {
		t.Errorf("%v", err)
	}
}

func TestCancelReachesTheFunction(t *testing.T) {
	block := make(chan struct{})
	s := plugintest.Start(t, failing(block))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-block; cancel() }()
	if _, err := s.Invoke(ctx, "blocks", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := s.Invoke(t.Context(), "plain", nil); protocol.CodeOf(err) != protocol.CodePlugin {
		t.Errorf("the op that was cancelled still runs: %v", err)
	}
}

// TestOneOpAtATime: the second waits for the first, and can be cancelled too.
func TestOneOpAtATime(t *testing.T) {
	block := make(chan struct{})
	s := plugintest.Start(t, failing(block))
	first, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := s.Invoke(first, "blocks", nil); ended <- err }()
	<-block
	second, giveUp := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer giveUp()
	if _, err := s.Invoke(second, "plain", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	cancel()
	<-ended
}

func TestSettings(t *testing.T) {
	type settings struct {
		File  string `json:"file"`
		Limit int    `json:"limit"`
	}
	var got settings
	start := func(set any) error {
		got = settings{File: "notes.txt", Limit: 3}
		_, err := plugintest.Runner{Settings: set}.Try(t,
			plugin.Plugin{ID: "notes", Settings: &got, Start: func(context.Context) error {
				if got.Limit < 0 {
					return plugin.Invalid("limit is %d; write 0 or more", got.Limit)
				}
				return nil
			}})
		return err
	}
	if err := start(nil); err != nil || got != (settings{"notes.txt", 3}) {
		t.Errorf("%v, %+v", err, got)
	}
	if err := start(map[string]any{"limit": 5}); err != nil || got != (settings{"notes.txt", 5}) {
		t.Errorf("%v, %+v", err, got)
	}
	for _, tt := range []struct {
		set  any
		want string
	}{
		{map[string]any{"limit": -1}, "limit is -1; write 0 or more (-32602)"},
		{map[string]any{"limit": "x"}, "settings: limit is a text, not a whole number (-32602)"},
		{map[string]any{"fiel": "x"}, "settings: there is no fiel; did you mean file? (-32602)"},
	} {
		if err := start(tt.set); err == nil || err.Error() != tt.want {
			t.Errorf("%v: %v", tt.set, err)
		}
	}
	if _, err := (plugintest.Runner{Settings: map[string]int{"a": 1}}).Try(t,
		shop()); protocol.CodeOf(err) != protocol.CodeInvalidParams {
		t.Errorf("settings of a plugin that has none: %v", err)
	}
}

func TestHelloComesFirst(t *testing.T) {
	s, err := plugintest.Runner{}.Try(t,
		plugin.Plugin{ID: "closed", Start: func(context.Context) error { return errors.New("no printer") },
			Ops: []plugin.Op{{Name: "note",
				Do: plugin.Do(func(context.Context, plugin.None) (string, error) { return "", nil })}}})
	if err == nil || err.Error() != "no printer (-32000)" {
		t.Errorf("%v", err)
	}
	if _, err := s.Invoke(t.Context(), "note", nil); protocol.CodeOf(err) != protocol.CodeInvalidRequest {
		t.Errorf("%v", err)
	}
	if _, err := s.Call(t.Context(), "protocol.hello",
		map[string]any{"protocol": "2.0", "abi": 1}); protocol.CodeOf(err) != protocol.CodeIncompatible {
		t.Errorf("%v", err)
	}
}

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

func TestRunsErrorEndsThePlugin(t *testing.T) {
	gone := make(chan error)
	s := plugintest.Start(t, plugin.Plugin{ID: "lost", Run: func(context.Context) error { return <-gone }})
	gone <- errors.New("the printer is gone")
	for err := error(nil); err == nil; { // until it has hung up
		_, err = s.Call(t.Context(), protocol.MethodHealth, nil)
	}
	if err := s.Close(); err == nil || err.Error() != "the printer is gone" {
		t.Errorf("%v", err)
	}
}

func TestDesktopHealthMethodsAndHandles(t *testing.T) {
	s := plugintest.Runner{Desktop: plugin.Snapshot{Clipboard: "c", Windows: []plugin.Window{{AppID: "foot"}}}}.Start(t,
		plugin.Plugin{
			ID:     "eyes",
			Health: func(context.Context) error { return errors.New("half blind") },
			Desktop: func(ctx context.Context, sources []string) (plugin.Snapshot, error) {
				all, err := plugin.Windows(ctx, sources...)
				all.Clipboard = ""
				return all, err
			},
			Methods: []plugin.Method{{Name: "perception.screenshot",
				Do: plugin.Do(func(ctx context.Context, _ plugin.None) (map[string]string, error) {
					h, err := plugin.NewHandle(ctx, []byte("pixels"))
					return map[string]string{"handle": h}, err
				})}},
		})
	if s.Health.Status != "degraded" || s.Health.Detail != "half blind" {
		t.Errorf("%+v", s.Health)
	}
	if got, err := s.Call(t.Context(), "context.snapshot", nil); err != nil ||
		!strings.Contains(string(got), `"app_id":"foot"`) || !strings.Contains(string(got), `"clipboard":""`) {
		t.Errorf("%s, %v", got, err)
	}
	got, err := s.Call(t.Context(), "perception.screenshot", map[string]any{"provenance": "user"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"handle":"` + protocol.HandleOf([]byte("pixels")).String() + `"}`; string(got) != want {
		t.Errorf("%s", got)
	}
	if got, err := s.Call(t.Context(), "handle.fetch", json.RawMessage(got)); err != nil ||
		!strings.Contains(string(got), `"data_b64":"cGl4ZWxz"`) {
		t.Errorf("%s, %v", got, err)
	}
	for _, h := range []string{"/etc/passwd", protocol.HandleOf(nil).String()} {
		if _, err := s.Call(t.Context(), "handle.fetch", map[string]string{"handle": h}); err == nil {
			t.Errorf("%s was fetched", h)
		}
	}
}

func TestOldHandlesAreForgotten(t *testing.T) {
	var all []string
	s := plugintest.Start(t, plugin.Plugin{ID: "large",
		Ops: []plugin.Op{{Name: "make", Do: plugin.Do(func(ctx context.Context, _ plugin.None) (string, error) {
			for i := range 3 {
				h, err := plugin.NewHandle(ctx, slices.Repeat([]byte{byte(i)}, 4<<20))
				if err != nil {
					return "", err
				}
				all = append(all, h)
			}
			_, err := plugin.NewHandle(ctx, make([]byte, 8<<20+1))
			return fmt.Sprint(err), nil
		})}}})
	r, err := s.Invoke(t.Context(), "make", nil)
	if err != nil || r.Detail != "a handle for 8388609 bytes; the maximum is 8388608" {
		t.Fatal(r, err)
	}
	for i, h := range all {
		_, err := s.Call(t.Context(), "handle.fetch", map[string]string{"handle": h})
		if (err == nil) != (i > 0) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestMistakesOfTheAuthor(t *testing.T) {
	text := func(context.Context, plugin.None) (string, error) { return "", nil }
	note := plugin.Op{Name: "note", Do: plugin.Do(text)}
	for want, p := range map[string]plugin.Plugin{
		"ID":                        {ID: "A"},
		"which is a kind":           {ID: "router"},
		"Version \"1\"":             {ID: "ok", Version: "1"},
		"Kind \"x\"":                {ID: "ok", Kind: "x"},
		"op note is declared twice": {ID: "ok", Ops: []plugin.Op{note, note}},
		`op "" has an invalid name`: {ID: "ok", Ops: []plugin.Op{{Do: note.Do}}},
		"op note: has no function":  {ID: "ok", Ops: []plugin.Op{{Name: "note"}}},
		"JSON has nothing for chan int": {ID: "ok",
			Ops: []plugin.Op{{Name: "note",
				Do: plugin.Do(func(context.Context, struct{ C chan int }) (string, error) { return "", nil })}}},
		"its arguments are int": {ID: "ok",
			Ops: []plugin.Op{{Name: "note", Do: plugin.Do(func(context.Context, int) (string, error) { return "", nil })}}},
		"its result is int": {ID: "ok",
			Ops: []plugin.Op{{Name: "note", Do: plugin.Do(func(context.Context, plugin.None) (int, error) { return 0, nil })}}},
		"stream s: has no function": {ID: "ok", Streams: []plugin.Stream{{Name: "s"}}},
		"method router.plan": {ID: "ok",
			Route:   func(context.Context, plugin.Utterance) ([]plugin.Step, error) { return nil, nil },
			Methods: []plugin.Method{{Name: "router.plan", Do: note.Do}}},
		`capability "x" is not in the form name@N`: {ID: "ok", Requires: []string{"x"}},
		`permission "x"`:            {ID: "ok", Permissions: []string{"x"}},
		"Settings is not a pointer": {ID: "ok", Settings: plugin.None{}},
		"more than 65536 bytes to describe": {ID: "ok",
			Ops: []plugin.Op{{Name: "note", Doc: strings.Repeat("x", 70000), Do: note.Do}}},
	} {
		s, err := plugintest.Runner{}.Try(t, p)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
		s.Close()
	}
}

func TestOutsideOfAPlugin(t *testing.T) {
	if _, err := plugin.Windows(t.Context()); !errors.Is(err, plugin.ErrNoRunner) {
		t.Error(err)
	}
	if _, err := plugin.NewHandle(t.Context(), nil); !errors.Is(err, plugin.ErrNoRunner) {
		t.Error(err)
	}
	plugin.Progress(t.Context(), 1, "nobody")
	if plugin.FromScreen(t.Context()) {
		t.Error("from the screen")
	}
}

func TestAfter(t *testing.T) {
	for _, tt := range []struct {
		said, words, rest string
		ok                bool
	}{
		{"note buy  milk", "note", "buy  milk", true},
		{" Note: Buy milk ", "note", "Buy milk", true},
		{"take a note, x", "take a note", "x", true},
		{"notes", "note", "", false},
		{"take", "take a note", "", false},
		{"note", "note", "", true},
		{"", "note", "", false},
		{"", "", "", true},
		{"ÄPFEL kaufen", "äpfel", "kaufen", true},
	} {
		rest, ok := plugin.Utterance{Text: tt.said}.After(tt.words)
		if rest != tt.rest || ok != tt.ok {
			t.Errorf("%q after %q: %q, %v", tt.said, tt.words, rest, ok)
		}
	}
}
