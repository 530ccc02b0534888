package niri

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	fakeniri "utter/tests/fakes/niri"
)

// faults are what a broken niri may do with a question that it answers with
// reply.
func faults(reply string) map[string]fakeniri.Fault {
	say := func(text string) []byte { return []byte(text) }
	return map[string]fakeniri.Fault{
		"the end":                  {Silent: true, End: true},
		"silence":                  {Silent: true},
		"half a line and silence":  {Say: say(reply[:len(reply)/2])},
		"no line end and silence":  {Say: say(reply)},
		"no line end and the end":  {Say: say(reply), End: true},
		"garbage":                  {Say: say("HTTP/1.1 400 Bad Request\r\n\r\n")},
		"an empty line":            {Say: say("\n")},
		"no reply":                 {Say: say("{}\n")},
		"null":                     {Say: say("null\n")},
		"a text":                   {Say: say("\"Handled\"\n")},
		"an event":                 {Say: say(`{"WindowClosed":{"id":1}}` + "\n")},
		"a deep one":               {Say: say(strings.Repeat("[", 100_000) + "\n")},
		"a line that never ends":   {Say: bytes.Repeat([]byte("x"), maxLine+4096)},
		"too late":                 {Wait: replyTime + 2*time.Second}, // more than a loaded machine is late
		"an answer to another one": {Say: say(`{"Ok":{"SomethingElse":[]}}` + "\n")},
	}
}

// TestFaults has a broken niri answer each question: the call must end within
// the time for answers, and the next one at once.
func TestFaults(t *testing.T) {
	t.Parallel()
	var cases sync.WaitGroup
	slots := make(chan struct{}, 40)
	for _, question := range []string{"Version", "EventStream", "Windows", "Workspaces", "Outputs", "KeyboardLayouts",
		"OverviewState", "FocusWindow"} {
		reply := `{"Ok":{"` + question + `":[]}}`
		for name, fault := range faults(reply) {
			anyAnswer := question == "EventStream" || question == "FocusWindow"
			if anyAnswer && name == "an answer to another one" {
				continue // all that counts is Ok
			}
			n := start(t, fakeniri.Options{}, "a")
			n.On(question, fault)
			cases.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				checkFault(t, question+": "+name, n, question)
			})
		}
	}
	cases.Wait()
}

func checkFault(t *testing.T, what string, n *fakeniri.Niri, question string) {
	const limit = replyTime + 3*time.Second // for a loaded machine
	begun := time.Now()
	b, err := Dial(t.Context(), n.Path(), nil)
	if question != "Version" {
		if err != nil {
			t.Errorf("%s: Dial = %v", what, err)
			return
		}
		defer b.Close()
		err = put(t, b, question)
	}
	if took := time.Since(begun); !errors.Is(err, compositor.ErrGone) || took > limit {
		t.Errorf("%s: %v after %v", what, err, took)
	}
	if question == "Version" {
		if !compositortest.Eventually(func() bool { return n.Clients() == 0 }) {
			t.Errorf("%s: %d connections are left open", what, n.Clients())
		}
		return
	}
	begun = time.Now()
	n.Misbehave(nil)
	err = put(t, b, question)
	if took := time.Since(begun); !errors.Is(err, compositor.ErrGone) || took > replyTime {
		t.Errorf("%s: the next time %v after %v", what, err, took)
	}
}

// put does what asks niri question.
func put(t *testing.T, b *Backend, question string) error {
	t.Helper()
	switch question {
	case "EventStream":
		_, err := b.Watch(t.Context())
		return err
	case "FocusWindow":
		s := &compositor.State{Windows: []compositor.Window{{ID: 1}}}
		return b.Do(t.Context(), s, compositor.Action{Name: "focus-window", Window: 1})
	}
	_, err := b.Read(t.Context())
	return err
}

// A reply that is cut anywhere ends the connection, and nothing else.
func TestRepliesCutAnywhere(t *testing.T) {
	n := start(t, fakeniri.Options{}, "a")
	whole := n.Say("Windows")
	for cut := range len(whole) {
		n.On("Windows", fakeniri.Fault{Say: []byte(whole[:cut]), End: true})
		b := connect(t, n)
		if s, err := b.Read(t.Context()); !errors.Is(err, compositor.ErrGone) || s != nil {
			t.Errorf("after %d bytes: %v, %v", cut, s, err)
		}
		b.Close()
	}
	for size := 1; size <= len(whole); size *= 4 { // in pieces it is whole
		n.On("Windows", fakeniri.Fault{})
		s, err := connect(t, n).Read(t.Context())
		if err != nil || len(s.Windows) != 1 {
			t.Errorf("%v, %v", s, err)
		}
	}
}

// Events that are cut anywhere end the watch: what follows cannot be trusted.
func TestEventsCutAnywhere(t *testing.T) {
	const event = `{"WindowFocusChanged":{"id":null}}` + "\n"
	n := start(t, fakeniri.Options{}, "a")
	for cut := 1; cut < len(event); cut++ {
		_, states := watched(t, n)
		n.Send(event[:cut])
		n.HangUp()
		for s := compositortest.Next(t, states); s != nil; s = compositortest.Next(t, states) {
			if _, focused := s.Focused(); !focused && cut < len(event)-1 {
				t.Errorf("half an event of %d bytes was believed", cut)
			}
		}
	}
}

func TestEvents(t *testing.T) {
	for _, tt := range []struct {
		what, data string
		final      bool
	}{
		{"a window event", `{"WindowFocusChanged":{"id":null}}` + "\n", false},
		{"an event that nobody knows", `{"SomethingNew":{"id":1}}` + "\n", false},
		{"a known event of another form", `{"WindowClosed":[]}` + "\n", false},
		{"garbage", "HTTP/1.1 400 Bad Request\r\n\r\n", true},
		{"no object", "7\n", true},
		{"an empty line", "\n", true},
		{"a line that never ends", strings.Repeat("x", maxLine+4096), true},
	} {
		n := start(t, fakeniri.Options{}, "a")
		_, states := watched(t, n)
		n.Send(tt.data)
		n.Rename(1, "after")
		s := compositortest.Next(t, states)
		for s != nil && s.Windows[0].Title != "after" {
			s = compositortest.Next(t, states)
		}
		if (s == nil) != tt.final {
			t.Errorf("%s: %v", tt.what, s)
		}
	}
}

// A cancelled question ends at once, and so does one that waits for its turn.
func TestCancelled(t *testing.T) {
	t.Parallel()
	n := start(t, fakeniri.Options{}, "a")
	b := connect(t, n)
	n.On("Windows", fakeniri.Fault{Silent: true})
	ctx, cancel := context.WithCancel(t.Context())
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			begun := time.Now()
			_, err := b.Read(ctx)
			if took := time.Since(begun); !errors.Is(err, context.Canceled) || took > replyTime-500*time.Millisecond {
				t.Errorf("Read = %v after %v", err, took)
			}
		})
	}
	time.Sleep(100 * time.Millisecond)
	cancel()
	both.Wait()
}

// When questions fail, Watch ends too: that is how a Desktop learns that it has
// to connect again.
func TestWatchEndsWhenAQuestionFails(t *testing.T) {
	t.Parallel()
	for _, question := range []string{"Windows", "FocusWindow"} {
		n := start(t, fakeniri.Options{}, "a")
		b, states := watched(t, n)
		n.On(question, fakeniri.Fault{Silent: true})
		if err := put(t, b, question); !errors.Is(err, compositor.ErrGone) {
			t.Errorf("%s: %v, want ErrGone", question, err)
		}
		for compositortest.Next(t, states) != nil {
		}
	}
}

// What niri does not know is refused, and the connection stays.
func TestRefusedRequests(t *testing.T) {
	n := start(t, fakeniri.Options{}, "a")
	b := connect(t, n)
	for _, request := range []any{"NoSuchRequest", dict{"Action": dict{"NoSuchAction": dict{}}},
		dict{"Action": dict{"FocusWindow": dict{"id": "1"}}}, "ReturnError"} {
		var refused *refusedError
		if _, err := b.commands.ask(t.Context(), request); !errors.As(err, &refused) {
			t.Errorf("%v: %v", request, err)
		}
	}
	if s, err := b.Read(t.Context()); err != nil || len(s.Windows) != 1 {
		t.Errorf("Read = %v, %v", s, err)
	}
}

// A receiver that takes nothing keeps the agent neither from reading, nor from
// having the last state when it looks.
func TestManyEvents(t *testing.T) {
	n := start(t, fakeniri.Options{}, "a")
	_, states := watched(t, n)
	for i := range 300 {
		n.Rename(1, fmt.Sprint(i))
		time.Sleep(time.Millisecond)
	}
	for s := compositortest.Next(t, states); s == nil || s.Windows[0].Title != "299"; s = compositortest.Next(t, states) {
		if s == nil {
			t.Fatal("niri has dropped the agent")
		}
	}
}
