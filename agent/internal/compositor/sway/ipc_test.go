package sway

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
)

// FuzzReadMessage reads arbitrary bytes: no panic, no message that was not
// sent, and no more memory than the bytes that came are worth.
func FuzzReadMessage(f *testing.F) {
	f.Add(append(header(2, getTree), "{}"...))
	f.Add(header(0, eventWindow))
	f.Add(header(1<<32-1, getTree))
	f.Add(header(maxPayload, getTree))
	f.Add(append(header(3, getTree), "{}"...))
	f.Add([]byte("i3-ipc"))
	f.Add([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := bytes.NewReader(data)
		for {
			kind, payload, err := readMessage(r)
			if err != nil {
				if payload != nil {
					t.Errorf("readMessage = %q with %v", payload, err)
				}
				break
			}
			var again bytes.Buffer
			writeMessage(&again, kind, string(payload))
			if start := len(data) - r.Len() - again.Len(); !bytes.Equal(again.Bytes(), data[start:start+again.Len()]) {
				t.Errorf("%q was read as %q", data, again.Bytes())
			}
		}
		runtime.ReadMemStats(&after)
		if used, most := after.TotalAlloc-before.TotalAlloc, uint64(1<<20+1<<16*len(data)); used > most {
			t.Errorf("%d bytes cost %d bytes of memory", len(data), used)
		}
	})
}

func TestReadMessageErrors(t *testing.T) {
	for _, tt := range []struct {
		in   []byte
		want error
	}{
		{nil, io.EOF},
		{[]byte("i3-i"), io.ErrUnexpectedEOF},
		{header(3, getTree), io.ErrUnexpectedEOF},
		{append(header(3, getTree), "{}"...), io.ErrUnexpectedEOF},
		{header(maxPayload, getTree), io.ErrUnexpectedEOF},
		{header(maxPayload+1, getTree), errMalformed},
		{header(1<<32-1, getTree), errMalformed},
		{[]byte("HTTP/1.1 400 Bad Request\r\n"), errMalformed},
	} {
		if _, payload, err := readMessage(bytes.NewReader(tt.in)); !errors.Is(err, tt.want) || payload != nil {
			t.Errorf("readMessage(%q) = %q, %v; want %v", tt.in, payload, err, tt.want)
		}
	}
}

// faults are what a broken sway may answer to a question of type q.
func faults(q messageType) map[string]func(net.Conn) {
	whole := append(header(4, q), "null"...)
	return map[string]func(net.Conn){
		"garbage":                        sends(false, []byte("HTTP/1.1 400 Bad Request\r\n\r\n")),
		"the end":                        sends(true, nil),
		"half a header and the end":      sends(true, whole[:9]),
		"half a message and the end":     sends(true, whole[:16]),
		"a header and the end":           sends(true, whole[:14]),
		"silence":                        sends(false, nil),
		"half a header and silence":      sends(false, whole[:9]),
		"half a message and silence":     sends(false, whole[:16]),
		"another type":                   says(q+1, "{}"),
		"an event":                       says(eventWindow, `{"change":"new"}`),
		"a huge length":                  sends(false, header(1<<32-1, q)),
		"the largest length and the end": sends(true, header(maxPayload, q)),
		"a length that is never kept":    sends(false, header(maxPayload, q)),
		"one byte now and then": func(c net.Conn) {
			for _, b := range whole {
				c.Write([]byte{b})
				time.Sleep(replyTime / 8)
			}
		},
	}
}

// nonsense are whole messages that say nothing.
var nonsense = []string{"", "}", "no JSON", `"text"`, "17", "\xff\xfe", strings.Repeat("[", 100_000)}

// TestFaults has a broken sway answer each question: the call must end within
// the time for answers, and the next one at once.
func TestFaults(t *testing.T) {
	t.Parallel()
	dir := compositortest.ShortDir(t)
	var cases sync.WaitGroup
	n := 0
	run := func(what string, q messageType, answer func(net.Conn), broken bool) {
		n++
		f := newFake(t, filepath.Join(dir, fmt.Sprintf("s%d", n)))
		cases.Go(func() { checkFault(t, what, f, q, answer, broken) })
	}
	for _, q := range []messageType{getVersion, getTree, getInputs, runCommand, subscribe} {
		for name, answer := range faults(q) {
			run(fmt.Sprintf("%s to question %d", name, q), q, answer, true)
		}
		for _, payload := range nonsense {
			if q == getInputs {
				continue // what it cannot read there it does without
			}
			run(fmt.Sprintf("%.20q to question %d", payload, q), q, says(q, payload), false)
		}
	}
	cases.Wait()
}

func checkFault(t *testing.T, what string, f *fake, q messageType, answer func(net.Conn), broken bool) {
	const limit = replyTime + 3*time.Second // for a loaded machine
	f.on(q, answer)
	start := time.Now()
	b, err := Dial(t.Context(), f.path, nil)
	if q != getVersion {
		if err != nil {
			t.Errorf("%s: Dial = %v", what, err)
			return
		}
		defer b.Close()
		err = ask(t, b, q)
	}
	took := time.Since(start)
	if err == nil || broken && !errors.Is(err, compositor.ErrGone) || took > limit {
		t.Errorf("%s: %v after %v", what, err, took)
	}
	if q == getVersion {
		if !compositortest.Eventually(func() bool { return f.connections() == 0 }) {
			t.Errorf("%s: %d connections are left open", what, f.connections())
		}
		return
	}
	if q == subscribe {
		return // only asked once
	}
	start = time.Now()
	f.on(q, nil)
	err = ask(t, b, q)
	if took := time.Since(start); broken != errors.Is(err, compositor.ErrGone) || took > replyTime {
		t.Errorf("%s: the next time %v after %v", what, err, took)
	}
}

// ask does what puts question q.
func ask(t *testing.T, b *Backend, q messageType) error {
	switch q {
	case runCommand:
		return b.Do(t.Context(), nil, compositor.Action{Name: "focus-window", Window: 1})
	case subscribe:
		_, err := b.Watch(t.Context())
		return err
	default:
		_, err := b.Read(t.Context())
		return err
	}
}

// When questions fail, Watch ends too: that is how a Desktop learns that it has
// to connect again.
func TestWatchEndsWhenAQuestionFails(t *testing.T) {
	t.Parallel()
	f := newFake(t, filepath.Join(compositortest.ShortDir(t), "s"))
	b := dialFake(t, f)
	states, err := b.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	compositortest.Next(t, states)
	f.on(runCommand, sends(false, nil))
	if err := ask(t, b, runCommand); !errors.Is(err, compositor.ErrGone) {
		t.Errorf("Do = %v, want ErrGone", err)
	}
	for compositortest.Next(t, states) != nil {
	}
}

// Quitting is done when sway goes, not when it says nothing.
func TestQuit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		what   string
		answer func(net.Conn)
		want   error
	}{
		{"it goes at once", sends(true, nil), nil},
		{"it answers first", says(runCommand, `[{"success":true}]`), nil},
		{"it hangs", sends(false, nil), compositor.ErrGone},
	} {
		f := newFake(t, filepath.Join(compositortest.ShortDir(t), "s"))
		f.on(runCommand, tt.answer)
		if err := dialFake(t, f).Do(t.Context(), nil, compositor.Action{Name: "quit"}); !errors.Is(err, tt.want) {
			t.Errorf("%s: Do(quit) = %v, want %v", tt.what, err, tt.want)
		}
	}
}

func TestEvents(t *testing.T) {
	for _, tt := range []struct {
		what  string
		send  func(net.Conn)
		final bool
	}{
		{"a window event", says(eventWindow, `{"change":"focus"}`), false},
		{"an event that nobody knows", says(eventBit|99, `{}`), false},
		{"an event that is not JSON", says(eventWindow, `}`), false},
		{"shutdown", says(eventShutdown, `{"change":"exit"}`), true},
		{"garbage", sends(false, []byte("HTTP/1.1 400 Bad Request\r\n\r\n")), true},
		{"a huge event", sends(false, header(1<<32-1, eventWindow)), true},
		{"half an event and the end", sends(true, header(10, eventWindow)), true},
		{"the end", sends(true, nil), true},
	} {
		f := newFake(t, filepath.Join(compositortest.ShortDir(t), "s"))
		states, err := dialFake(t, f).Watch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		compositortest.Next(t, states)
		tt.send(<-f.events)
		if s := compositortest.Next(t, states); (s == nil) != tt.final {
			t.Errorf("%s: %v", tt.what, s)
		}
	}
}

// A compositor that sends events without end must not make the agent read as
// often, nor keep it from seeing the last state.
func TestEventsAreCoalesced(t *testing.T) {
	f := newFake(t, filepath.Join(compositortest.ShortDir(t), "s"))
	states, err := dialFake(t, f).Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	events := <-f.events
	for range 10_000 {
		if err := writeMessage(events, eventWindow, `{"change":"title"}`); err != nil {
			t.Fatal(err)
		}
	}
	if n := f.count(getTree); n > 3 {
		t.Errorf("it read %d times for a receiver that takes nothing", n)
	}
	f.on(getOutputs, says(getOutputs, "[]"))
	writeMessage(events, eventWindow, `{"change":"title"}`)
	for s := compositortest.Next(t, states); len(s.Outputs) != 0; s = compositortest.Next(t, states) {
	}
}

func TestCommandErrors(t *testing.T) {
	other := errors.New("any other")
	for _, tt := range []struct {
		answer string
		want   error
	}{
		{`[{"success":true}]`, nil},
		{`[]`, nil},
		{`[{"success":false,"parse_error":false,"error":"No matching node."}]`, compositor.ErrNotFound},
		{`[{"success":false,"error":"No window matches given criteria"}]`, compositor.ErrNotFound}, // i3
		{`[{"success":false,"parse_error":false,"error":"Can't find output with name\/direction 'up'"}]`,
			compositor.ErrNotFound},
		{`[{"success":false,"parse_error":false,"error":"Failed to find a floating container in workspace."}]`,
			compositor.ErrNotFound},
		{`[{"success":false,"parse_error":true,"error":"Unknown/invalid command 'x'"}]`, compositor.ErrNotSupported},
		{`[{"success":false,"parse_error":true,"error":"Expected one of these tokens: <end>, '['"}]`,
			compositor.ErrNotSupported}, // i3
		{`[{"success":false,"parse_error":true,"error":"Cannot resize any further"}]`, other},
		{`[{"success":true},{"success":false,"error":"No matching node."}]`, compositor.ErrNotFound},
		{`[{"success":false}]`, other},
		{`{"success":true}`, errMalformed},
		{`null`, nil},
	} {
		err := commandError([]byte(tt.answer))
		known := errors.Is(err, compositor.ErrNotFound) || errors.Is(err, compositor.ErrNotSupported) ||
			errors.Is(err, errMalformed)
		if tt.want == other && (err == nil || known) || tt.want != other && !errors.Is(err, tt.want) {
			t.Errorf("commandError(%s) = %v, want %v", tt.answer, err, tt.want)
		}
	}
}
