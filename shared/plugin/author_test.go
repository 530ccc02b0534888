package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"utter/shared/plugin"
	"utter/shared/plugin/plugintest"
	"utter/shared/plugin/protocol"
)

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
