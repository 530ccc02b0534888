package notify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"utter/tests/fakes/privatebus"
)

// patience is for other processes on a loaded machine.
const patience = 20 * time.Second

// newNotifier returns a Notifier that runs on a connection of its own.
func newNotifier(t *testing.T, address string) *Notifier {
	t.Helper()
	// The bus hears of Run's match by its first call; the answer is empty.
	var once sync.Once
	matching := make(chan bool)
	conn, err := dbus.Connect(address, dbus.WithIncomingInterceptor(func(m *dbus.Message) {
		if m.Type == dbus.TypeMethodReply && len(m.Body) == 0 {
			once.Do(func() { close(matching) })
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	n := New(conn)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- n.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Run = %v, want context.Canceled", err)
		}
	})
	select {
	case <-matching:
	case <-time.After(patience):
		t.Fatal("Run listens to nothing")
	}
	return n
}

var yesNo = []Button{{"yes", "Do it"}, {"no", "No"}}

func TestShow(t *testing.T) {
	address := privatebus.Start(t, nil)
	s := newServer(t, address)
	n := newNotifier(t, address)
	for _, tt := range []struct {
		can     []string
		buttons []Button
		want    string
	}{
		{[]string{"body"}, nil,
			`Utter|0|org.utter.Settings|sum <b>|a < b && "c"|[]|map[desktop-entry:"org.utter.Settings"]|1234`},
		{[]string{"body"}, yesNo,
			`Utter|0|org.utter.Settings|sum <b>|a < b && "c"|["yes" "Do it" "no" "No"]|` +
				`map[desktop-entry:"org.utter.Settings" urgency:@y 0x2]|1234`},
		// A server that reads markup shows the same.
		{[]string{"body", "body-markup"}, nil,
			`Utter|0|org.utter.Settings|sum <b>|a &lt; b &amp;&amp; "c"|[]|map[desktop-entry:"org.utter.Settings"]|1234`},
	} {
		s.set(tt.can, nil)
		if err := n.Show(t.Context(), "sum <b>", `a < b && "c"`, tt.buttons, 1234, nil); err != nil {
			t.Fatal(err)
		}
		if got := <-s.shown; got != tt.want {
			t.Errorf("shown\n%s\nwant\n%s", got, tt.want)
		}
	}
}

// asks shows a question and returns where its answers come.
func (n *Notifier) asks(t *testing.T) <-chan string {
	t.Helper()
	answers := make(chan string, 8)
	if err := n.Show(t.Context(), "Utter", "Really?", yesNo, 0, func(key string) { answers <- key }); err != nil {
		t.Fatal(err)
	}
	return answers
}

func next(t *testing.T, answers <-chan string) string {
	t.Helper()
	select {
	case a := <-answers:
		return a
	case <-time.After(patience):
		t.Fatal("no answer comes")
		return ""
	}
}

func TestTheAnswerArrivesOnce(t *testing.T) {
	address := privatebus.Start(t, nil)
	s := newServer(t, address)
	n := newNotifier(t, address)
	first, second := n.asks(t), n.asks(t)
	emit(t, s.conn, "ActivationToken", uint32(2), "a-token") // comes before the answer
	emit(t, s.conn, "ActionInvoked", uint32(2), "no")
	if a := next(t, second); a != "no" {
		t.Errorf("the second is answered by %q", a)
	}
	emit(t, s.conn, "ActionInvoked", uint32(2), "yes")
	emit(t, s.conn, "NotificationClosed", uint32(2), uint32(2))
	emit(t, s.conn, "ActionInvoked", uint32(1), "yes")
	if a := next(t, first); a != "yes" {
		t.Errorf("the first is answered by %q", a)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(first)+len(second)+len(n.waiting) > 0 {
		t.Error("an answer comes twice")
	}
}

// What is put away is not answered, whatever comes under its number later.
func TestAQuestionThatIsPutAwayIsNotAnswered(t *testing.T) {
	address := privatebus.Start(t, nil)
	s := newServer(t, address)
	n := newNotifier(t, address)
	first, second := n.asks(t), n.asks(t)
	emit(t, s.conn, "NotificationClosed", uint32(1), uint32(2))
	emit(t, s.conn, "ActionInvoked", uint32(1), "yes")
	emit(t, s.conn, "ActionInvoked", uint32(2), "yes")
	next(t, second)
	if len(first) > 0 {
		t.Error("it was answered")
	}
}

// A question is forgotten when its time is over, and another that got its number
// from a server that was restarted is not.
func TestAQuestionIsForgottenInTime(t *testing.T) {
	address := privatebus.Start(t, nil)
	s := newServer(t, address)
	n := newNotifier(t, address)
	old := &question{"old", func(string) {}}
	answers := n.asks(t)
	n.forget(1, old)
	emit(t, s.conn, "ActionInvoked", uint32(1), "yes")
	next(t, answers)
	if err := n.Show(t.Context(), "Utter", "Really?", yesNo, 1, func(string) {}); err != nil {
		t.Fatal(err)
	}
	waiting := func() int {
		n.mu.Lock()
		defer n.mu.Unlock()
		return len(n.waiting)
	}
	for deadline := time.Now().Add(patience); waiting() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it waits for ever")
		}
	}
}

// A fast user's answer overtakes the server's own.
func TestAnAnswerBeforeTheNumber(t *testing.T) {
	address := privatebus.Start(t, nil)
	s := newServer(t, address)
	s.set(nil, func(id uint32) *dbus.Error {
		emit(t, s.conn, "ActionInvoked", id, "yes")
		return nil
	})
	if a := next(t, newNotifier(t, address).asks(t)); a != "yes" {
		t.Errorf("it is answered by %q", a)
	}
}

// Only who shows a question can answer it: nobody else on the bus, by a signal
// to all or to us, approves a plan.
func TestOthersCannotAnswer(t *testing.T) {
	address := privatebus.Start(t, nil)
	s := newServer(t, address)
	n := newNotifier(t, address)
	answers := n.asks(t)
	impostor := privatebus.Connect(t, address)
	emit(t, impostor, "ActionInvoked", uint32(1), "yes")
	emit(t, impostor, "NotificationClosed", uint32(1), uint32(1))
	message := &dbus.Message{Type: dbus.TypeSignal, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldDestination: dbus.MakeVariant(n.conn.Names()[0]), dbus.FieldPath: dbus.MakeVariant(dbus.ObjectPath(path)),
		dbus.FieldInterface: dbus.MakeVariant(service), dbus.FieldMember: dbus.MakeVariant("ActionInvoked"),
		dbus.FieldSignature: dbus.MakeVariant(dbus.SignatureOf(uint32(0), "")),
	}, Body: []any{uint32(1), "yes"}}
	if call := impostor.Send(message, nil); call != nil && call.Err != nil {
		t.Fatal(call.Err)
	}
	// The bus has handed all that on when it answers the impostor.
	if err := impostor.BusObject().Call("org.freedesktop.DBus.GetId", 0).Err; err != nil {
		t.Fatal(err)
	}
	emit(t, s.conn, "ActionInvoked", uint32(1), "no")
	if a := next(t, answers); a != "no" {
		t.Errorf("it is answered by %q", a)
	}
}

func TestNonsenseFromTheServer(t *testing.T) {
	address := privatebus.Start(t, nil)
	s := newServer(t, address)
	n := newNotifier(t, address)
	answers := n.asks(t)
	for _, values := range [][]any{nil, {uint32(1)}, {"1", "yes"}, {int32(1), "yes"}, {uint32(7), "yes"},
		{uint32(7), uint32(7), "x"}} {
		emit(t, s.conn, "ActionInvoked", values...)
		emit(t, s.conn, "NotificationClosed", values...)
	}
	emit(t, s.conn, "ActionInvoked", uint32(1), "yes")
	if a := next(t, answers); a != "yes" {
		t.Errorf("it is answered by %q", a)
	}
}

func TestWithoutAServer(t *testing.T) {
	address := privatebus.Start(t, map[string]string{})
	n := newNotifier(t, address)
	if err := n.Show(t.Context(), "a", "b", nil, 0, nil); !errors.Is(err, ErrNone) {
		t.Errorf("Show = %v, want ErrNone", err)
	}
	n = newNotifier(t, privatebus.Start(t, map[string]string{service: "/nonexistent/server"}))
	if err := n.Show(t.Context(), "a", "b", nil, 0, nil); !errors.Is(err, ErrNone) {
		t.Errorf("with a server that cannot start: Show = %v, want ErrNone", err)
	}
}

func TestAServerThatRefusesOrHangs(t *testing.T) {
	address := privatebus.Start(t, nil)
	s := newServer(t, address)
	n := newNotifier(t, address)
	s.set(nil, func(uint32) *dbus.Error { return dbus.NewError("org.example.Full", []any{"too many"}) })
	err := n.Show(t.Context(), "a", "b", nil, 0, nil)
	if err == nil || errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "too many") {
		t.Errorf("Show = %v", err)
	}
	hold := make(chan bool)
	s.set(nil, func(uint32) *dbus.Error { <-hold; return nil })
	start := time.Now()
	err = n.Show(t.Context(), "a", "b", nil, 0, nil)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > patience/2 {
		t.Errorf("Show = %v after %v", err, time.Since(start))
	}
	close(hold)
}

func TestRunEndsWithTheBus(t *testing.T) {
	conn := privatebus.Connect(t, privatebus.Start(t, nil))
	n := New(conn)
	done := make(chan error, 1)
	go func() { done <- n.Run(t.Context()) }()
	conn.Close()
	select {
	case err := <-done:
		if err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("Run = %v", err)
		}
	case <-time.After(patience):
		t.Error("Run goes on")
	}
}

func TestSpeak(t *testing.T) {
	address := privatebus.Start(t, nil)
	bin := t.TempDir()
	said := filepath.Join(bin, "said")
	script := func(status int) {
		text := fmt.Sprintf("#!/bin/sh\nprintf '%%s|' \"$@\" >%s\nexit %d\n", said, status)
		if err := os.WriteFile(filepath.Join(bin, "spd-say"), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	n := newNotifier(t, address)
	t.Setenv("PATH", bin)
	if _, err := n.Speak(t.Context(), "hello"); !errors.Is(err, ErrNone) {
		t.Errorf("without anything: %v, want ErrNone", err)
	}
	script(0)
	how, err := n.Speak(t.Context(), "-e $(x); `y` 'z'")
	if got, _ := os.ReadFile(said); how != "speech" || err != nil || string(got) != "--wait|--|-e $(x); `y` 'z'|" {
		t.Errorf("Speak = %q, %v; said %q", how, err, got)
	}
	s := newServer(t, address)
	script(1)
	if how, err := n.Speak(t.Context(), "hello"); how != "notification" || err != nil {
		t.Errorf("with a broken spd-say: %q, %v", how, err)
	}
	if got := <-s.shown; !strings.Contains(got, "|Utter|hello|") {
		t.Errorf("shown %s", got)
	}
}
