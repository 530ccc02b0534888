package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
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
