package fakeniri_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	fakeniri "utter/tests/fakes/niri"
)

// The recordings in testdata are what a real niri 25.11 said, in this order, in
// one session; ../shared/data/niri-ipc/README.md says how they were made.
var scenes = []string{
	"queries-empty", "windows-open-focus-close", "workspaces", "outputs", "states",
	"spawn-screenshot-config", "client-errors", "every-action-without-arguments", "quit",
}

// A line is one of a recording.
type line struct {
	T    int // milliseconds
	Conn string
	Dir  string
	Line string
}

// notes are what stands in the recordings for sending something else than lines.
var notes = map[string]string{
	`"Version" and "FocusedWindow" in one write`:  "\"Version\"\n\"FocusedWindow\"\n",
	"first half":                                  `"Ver`,
	"second half":                                 "sion\"\n",
	"no newline, then the writing side closed":    `"Version"`,
}

// pause is how long a recording is silent before a new step begins.
const pause = 100

// A step is a few requests without a pause, and what came of them.
type step struct {
	at       int
	lines    []line   // requests and replies
	events   []object // of the connection "events"
	timeless bool     // niri is gone
}

type object = map[string]any

// TestReplay asks the model everything that was asked in the recordings: the
// replies and the events must be the same, the events in the same order. What
// the model does not play:
//
//   - programs: the windows that they open, and their titles, come from the
//     recording, and so does a configuration file that somebody saves;
//   - the time that programs take to change their size: a recording has several
//     WindowLayoutsChanged where the model has one, so those of one step count
//     as one;
//   - the scroll of niri's view: where a window begins to float is an option;
//   - times: that a window has had the focus is compared, not when;
//   - transforms of outputs: niri's nested output has none either.
func TestReplay(t *testing.T) {
	n := fakeniri.Start(t, fakeniri.Options{
		Named: []string{"mail"}, Layouts: []string{"English (US)", "German", "Russian"},
		First: 2, FloatAt: fakeniri.Place{X: 271, Y: 32},
	})
	r := &replay{niri: n}
	for _, scene := range scenes {
		t.Run(scene, func(t *testing.T) { r.play(t, read(t, scene)) })
	}
}

func read(t *testing.T, scene string) (lines []line) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", scene+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d := json.NewDecoder(f); ; {
		var l line
		if err := d.Decode(&l); err == io.EOF {
			return lines
		} else if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
}

// A replay goes on from scene to scene: the recordings are of one session.
type replay struct {
	niri  *fakeniri.Niri
	now   int // of the recording
	conns map[string]*conn
}

type conn struct {
	net.Conn
	lines *bufio.Reader
}

func dial(t *testing.T, path string) *conn {
	t.Helper()
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return &conn{c, bufio.NewReader(c)}
}

func (c *conn) next(t *testing.T) string {
	t.Helper()
	text, err := c.lines.ReadString('\n')
	if err != nil {
		t.Fatalf("%q, %v", text, err)
	}
	return strings.TrimSuffix(text, "\n")
}

func (r *replay) play(t *testing.T, lines []line) {
	r.conns = map[string]*conn{}
	for _, s := range steps(lines) {
		r.pass(s.at)
		events := r.ask(t, s)
		for _, e := range s.events {
			r.happen(t, e, s)
		}
		if events == nil {
			continue
		}
		until := s.at + pause
		for _, l := range s.lines {
			until = max(until, l.T)
		}
		r.pass(until)
		r.niri.Send("\"mark\"\n")
		var got []object
		for text := events.next(t); text != `"mark"`; text = events.next(t) {
			got = append(got, decode(t, text))
		}
		compare(t, s, collapse(got), collapse(s.events))
	}
	end := lines[len(lines)-1]
	r.pass(end.T)
}

// pass lets the model's time go on to that of the recording.
func (r *replay) pass(to int) {
	if to > r.now {
		r.niri.Pass(time.Duration(to-r.now) * time.Millisecond)
		r.now = to
	}
}

// steps puts the lines of a scene together.
func steps(lines []line) (all []step) {
	last := -pause
	for _, l := range lines {
		if l.Conn == "events" && l.Dir == "recv" && l.Line[0] == '{' && !strings.HasPrefix(l.Line, `{"Ok"`) {
			var e object
			json.Unmarshal([]byte(l.Line), &e)
			s := &all[len(all)-1]
			s.events = append(s.events, e)
			continue
		}
		if l.T-last >= pause && l.Dir == "send" || len(all) == 0 {
			all = append(all, step{at: l.T})
		}
		last = l.T
		s := &all[len(all)-1]
		s.lines = append(s.lines, l)
	}
	return all
}
