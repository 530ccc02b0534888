package fakeniri_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	fakeniri "utter/tests/fakes/niri"
)

func TestFaults(t *testing.T) {
	const focus = `{"Action":{"FocusWindow":{"id":1}}}`
	for _, tt := range []struct {
		what  string
		fault func(*fakeniri.Niri) fakeniri.Fault
		reply string // "" is none
		now   string // the desktop at the reply
		later string
	}{
		{"none", func(*fakeniri.Niri) fakeniri.Fault { return fakeniri.Fault{} }, `{"Ok":"Handled"}`,
			"1* a* b c; 2", "1* a* b c; 2"},
		{"wrong", func(*fakeniri.Niri) fakeniri.Fault { return fakeniri.Fault{Instead: fakeniri.Nothing} },
			`{"Ok":"Handled"}`, "1* a b c*; 2", "1* a b c*; 2"},
		{"another", func(n *fakeniri.Niri) fakeniri.Fault {
			return fakeniri.Fault{Instead: func() { n.Do(`{"CloseWindow":{"id":2}}`) }}
		}, `{"Ok":"Handled"}`, "1* a c*; 2", "1* a c*; 2"},
		{"late", func(*fakeniri.Niri) fakeniri.Fault { return fakeniri.Fault{Late: 200 * time.Millisecond} },
			`{"Ok":"Handled"}`, "1* a b c*; 2", "1* a* b c; 2"},
		{"slow", func(*fakeniri.Niri) fakeniri.Fault { return fakeniri.Fault{Wait: 200 * time.Millisecond} },
			`{"Ok":"Handled"}`, "1* a* b c; 2", "1* a* b c; 2"},
		{"garbage", func(*fakeniri.Niri) fakeniri.Fault { return fakeniri.Fault{Say: []byte("}\n")} }, `}`,
			"1* a* b c; 2", "1* a* b c; 2"},
		{"silent", func(*fakeniri.Niri) fakeniri.Fault { return fakeniri.Fault{Silent: true} }, "",
			"1* a* b c; 2", "1* a* b c; 2"},
		{"the end", func(*fakeniri.Niri) fakeniri.Fault { return fakeniri.Fault{Silent: true, End: true} }, "",
			"1* a* b c; 2", "1* a* b c; 2"},
	} {
		n := fakeniri.Start(t, fakeniri.Options{})
		open(n, "a", "b", "c")
		n.On("FocusWindow", tt.fault(n))
		c := dial(t, n.Path())
		fmt.Fprintln(c, focus)
		if tt.reply == "" {
			c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
			if text, err := c.lines.ReadString('\n'); err == nil || (err == io.EOF) != (tt.what == "the end") {
				t.Errorf("%s: %q, %v", tt.what, text, err)
			}
		} else if got := c.next(t); got != tt.reply {
			t.Errorf("%s: the reply is %s", tt.what, got)
		}
		if got := picture(t, n); got != tt.now {
			t.Errorf("%s: it is %s, want %s", tt.what, got, tt.now)
		}
		for end := time.Now().Add(10 * time.Second); picture(t, n) != tt.later && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		if got := picture(t, n); got != tt.later {
			t.Errorf("%s: in the end it is %s, want %s", tt.what, got, tt.later)
		}
	}
}

func TestDialects(t *testing.T) {
	for _, tt := range []struct {
		o    fakeniri.Options
		has  []string
		lack []string
	}{
		{fakeniri.Options{}, []string{"focus_timestamp", "CastsChanged"}, []string{"something_new", "SomethingNewHappened"}},
		{fakeniri.Options{Newer: true},
			[]string{"focus_timestamp", "CastsChanged", "something_new", "SomethingNewHappened"}, nil},
		{fakeniri.Options{Older: true}, []string{"app_id"},
			[]string{"focus_timestamp", "CastsChanged", "layout\"", "is_urgent"}},
	} {
		n := fakeniri.Start(t, tt.o)
		open(n, "a")
		c := dial(t, n.Path())
		fmt.Fprintln(c, `"EventStream"`)
		text := ""
		for !strings.Contains(text, `"ConfigLoaded"`) {
			text += c.next(t)
		}
		n.Rename(1, "last")
		for !strings.Contains(text, `"last"`) {
			text += c.next(t)
		}
		for _, word := range tt.has {
			if !strings.Contains(text, word) {
				t.Errorf("%+v: no %s in %s", tt.o, word, text)
			}
		}
		for _, word := range tt.lack {
			if strings.Contains(text, word) {
				t.Errorf("%+v: %s in %s", tt.o, word, text)
			}
		}
	}
}

// The socket of one that has ended may be another's by then.
func TestReplacedSocket(t *testing.T) {
	first := fakeniri.Start(t, fakeniri.Options{})
	second := fakeniri.Start(t, fakeniri.Options{Path: first.Path()})
	open(second, "a")
	first.Close()
	c := dial(t, first.Path())
	fmt.Fprintln(c, `"Windows"`)
	if got := c.next(t); !strings.Contains(got, `"a"`) {
		t.Errorf("the second niri answers %s", got)
	}
	second.Close()
	if _, err := os.Stat(second.Path()); !os.IsNotExist(err) {
		t.Errorf("the socket is left behind: %v", err)
	}
}
