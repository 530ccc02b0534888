package fakeniri_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	fakeniri "utter/tests/fakes/niri"
)

type line = fakeniri.Line

// notes are what is in the recordings for sending something else than lines.
var notes = map[string]string{
	`"Version" and "FocusedWindow" in one write`: "\"Version\"\n\"FocusedWindow\"\n",
	"first half":  `"Ver`,
	"second half": "sion\"\n",
	"no newline, then the writing side closed": `"Version"`,
}

// pause is how long a recording is silent before a new step begins.
const pause = 100

// A step is a few requests without a pause between them, and what came of it
// until the next ones.
type step struct {
	lines  []line // requests and replies
	events []line // that "events" got
	end    int    // when the next step begins
}

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
		First: 2, FloatAt: fakeniri.Point{X: 271, Y: 32},
	})
	r := &replay{niri: n}
	for _, scene := range fakeniri.Scenes {
		t.Run(scene, func(t *testing.T) { r.play(t, fakeniri.Recording(t, scene)) })
	}
}

// A replay goes on from scene to scene: the recordings are of one session.
type replay struct {
	niri  *fakeniri.Niri
	now   int // of the recording
	conns map[string]*conn
	quit  bool
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
	c.SetDeadline(time.Now().Add(3 * time.Second))
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
	var wantNoted, gotNoted []string
	for _, s := range steps(lines) {
		for _, l := range s.lines {
			r.exchange(t, l)
		}
		for _, e := range s.events {
			r.pass(e.T)
			r.happen(e, s)
		}
		r.pass(s.end - 1)
		if events := r.conns["events"]; events != nil && !t.Failed() {
			got := r.collect(t, events)
			compare(t, s, got)
			wantNoted, gotNoted = append(wantNoted, noted(s.events)...), append(gotNoted, noted(got)...)
		}
	}
	if !slices.Equal(gotNoted, wantNoted) {
		t.Errorf("the focus was noted %q, want %q", gotNoted, wantNoted)
	}
}

// steps puts the lines of a scene together.
func steps(lines []line) (all []step) {
	last := -pause
	for _, l := range lines {
		if isEvent(l) && l.Conn == "events" {
			all[len(all)-1].events = append(all[len(all)-1].events, l)
			continue
		}
		if l.Dir == "send" && l.T-last >= pause {
			if len(all) > 0 {
				all[len(all)-1].end = l.T
			}
			all = append(all, step{})
		}
		last = l.T
		all[len(all)-1].lines = append(all[len(all)-1].lines, l)
	}
	all[len(all)-1].end = lines[len(lines)-1].T + 1
	return all
}

func isEvent(l line) bool {
	return l.Dir == "recv" && !strings.HasPrefix(l.Line, `{"Ok"`) && !strings.HasPrefix(l.Line, `{"Err"`)
}

// pass lets the model's time go on to that of the recording.
func (r *replay) pass(to int) {
	if to > r.now {
		r.niri.Pass(time.Duration(to-r.now) * time.Millisecond)
		r.now = to
	}
}

// exchange sends a request of a recording, or checks what came back.
func (r *replay) exchange(t *testing.T, l line) {
	t.Helper()
	if l.Dir == "send" || isEvent(l) {
		r.pass(l.T)
	}
	c := r.conns[l.Conn]
	if c == nil && !r.quit {
		c = dial(t, r.niri.Path())
		r.conns[l.Conn] = c
	}
	switch l.Dir {
	case "send":
		if r.quit {
			return // the recording says how that went
		}
		text, ok := notes[l.Line]
		if !ok {
			text = l.Line + "\n"
		}
		_, err := io.WriteString(c, text)
		if strings.HasPrefix(l.Line, "no newline") {
			err = c.Conn.(*net.UnixConn).CloseWrite()
		}
		if err != nil {
			t.Fatal(err)
		}
	case "recv":
		want, got := decode(l.Line), decode(c.next(t))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d: the reply is\n%s, want\n%s", l.T, encode(got), encode(want))
		}
	case "eof":
		r.quit = true
		if _, err := c.lines.ReadByte(); err != io.EOF {
			t.Errorf("%d: the connection goes on: %v", l.T, err)
		}
		delete(r.conns, l.Conn)
	case "error": // a request to one that has quit
		if _, err := net.Dial("unix", r.niri.Path()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%d: after quitting: %v, want no socket", l.T, err)
		}
	}
}

// happen does what the programs in the recording did before an event.
func (r *replay) happen(e line, s step) {
	var event struct {
		WindowOpenedOrChanged *struct {
			Window struct {
				ID    uint64
				Title string
				AppID string `json:"app_id"`
				PID   int
			}
		}
		ConfigLoaded *struct{ Failed bool }
	}
	json.Unmarshal([]byte(e.Line), &event)
	asked := func(what string) bool {
		return slices.ContainsFunc(s.lines, func(l line) bool { return l.Dir == "send" && strings.Contains(l.Line, what) })
	}
	if c := event.ConfigLoaded; c != nil && !asked("LoadConfigFile") && !asked("EventStream") {
		r.niri.Reload(!c.Failed)
	}
	if o := event.WindowOpenedOrChanged; o != nil {
		title, known := r.title(o.Window.ID)
		switch {
		case !known:
			r.niri.Open(fakeniri.Toplevel{AppID: o.Window.AppID, Title: o.Window.Title, PID: o.Window.PID})
		case title != o.Window.Title:
			r.niri.Rename(o.Window.ID, o.Window.Title)
		}
	}
}

func (r *replay) title(id uint64) (title string, known bool) {
	var reply struct {
		Ok struct {
			Windows []struct {
				ID    uint64
				Title string
			}
		}
	}
	json.Unmarshal([]byte(r.niri.Say("Windows")), &reply)
	for _, w := range reply.Ok.Windows {
		if w.ID == id {
			return w.Title, true
		}
	}
	return "", false
}

// collect returns the events that have come so far.
func (r *replay) collect(t *testing.T, c *conn) (events []line) {
	t.Helper()
	const mark = `"everything so far"`
	r.niri.Send(mark + "\n")
	for text := c.next(t); text != mark; text = c.next(t) {
		events = append(events, line{Line: text})
	}
	return events
}
