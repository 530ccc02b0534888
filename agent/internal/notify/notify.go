// Package notify informs the user outside any window: by speech, or with a desktop
// notification, which can ask a question.
package notify

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// ErrNone means that nothing here shows notifications.
var ErrNone = errors.New("no notification service is running")

const (
	service   = "org.freedesktop.Notifications"
	path      = "/org/freedesktop/Notifications"
	appName   = "Utter"
	icon      = "org.utter.Settings"
	urgent    = byte(2)
	shortTime = int32(5000) // milliseconds
	// Speech takes about 80 ms a character; a speaker that hangs is left.
	speakLeast = 5 * time.Second
	speakByte  = 100 * time.Millisecond
	speakMost  = time.Minute
	// answerTime bounds the service's answer.
	answerTime = time.Second
)

// A Notifier shows notifications on one session bus. It is safe for concurrent
// use. Its Run must run for answers to arrive.
type Notifier struct {
	conn *dbus.Conn

	mu      sync.Mutex
	waiting map[uint32]*question
}

// A question is a notification that waits for an answer.
type question struct {
	server   string // the unique name of its owner
	answered func(action string)
}

// New returns a Notifier on conn.
func New(conn *dbus.Conn) *Notifier {
	return &Notifier{conn: conn, waiting: map[uint32]*question{}}
}

// A Button is a button of a notification.
type Button struct {
	Key   string
	Label string
}

// Show shows text and, where there are buttons, calls answered with the key of
// the one that the user chooses; it is never called where none is. ms is how
// long the notification stays.
func (n *Notifier) Show(ctx context.Context, summary, text string, buttons []Button, ms int32,
	answered func(key string)) error {
	actions := []string{}
	for _, b := range buttons {
		actions = append(actions, b.Key, b.Label)
	}
	hints := map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant(icon)}
	if len(buttons) > 0 {
		hints["urgency"] = dbus.MakeVariant(urgent)
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	n.mu.Lock() // an answer must find its place taken
	defer n.mu.Unlock()
	object := n.conn.Object(service, path)
	var can []string
	if err := object.CallWithContext(ctx, service+".GetCapabilities", 0).Store(&can); err != nil {
		return failure(err)
	}
	if slices.Contains(can, "body-markup") {
		text = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
	}
	var id uint32
	if err := object.CallWithContext(ctx, service+".Notify", 0,
		appName, uint32(0), icon, summary, text, actions, hints, ms).Store(&id); err != nil {
		return failure(err)
	}
	if answered == nil {
		return nil
	}
	var server string
	asked := n.conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetNameOwner", 0, service)
	if err := asked.Store(&server); err != nil {
		return failure(err)
	}
	q := &question{server, answered}
	n.waiting[id] = q
	if ms > 0 { // else it stays until it is answered or closed
		time.AfterFunc(time.Duration(ms)*time.Millisecond, func() { n.forget(id, q) })
	}
	return nil
}

// forget drops a question whose time is over: a server that was restarted never
// says that it is gone.
func (n *Notifier) forget(id uint32, q *question) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.waiting[id] == q { // not another of the same number
		delete(n.waiting, id)
	}
}

func failure(err error) error {
	var dbusErr dbus.Error
	if errors.As(err, &dbusErr) && (dbusErr.Name == "org.freedesktop.DBus.Error.ServiceUnknown" ||
		dbusErr.Name == "org.freedesktop.DBus.Error.NameHasNoOwner" ||
		strings.HasPrefix(dbusErr.Name, "org.freedesktop.DBus.Error.Spawn.")) {
		return ErrNone
	}
	return fmt.Errorf("notification: %w", err)
}

// Run hands the users' answers on until ctx ends.
func (n *Notifier) Run(ctx context.Context) error {
	signals := make(chan *dbus.Signal, 16)
	n.conn.Signal(signals)
	defer n.conn.RemoveSignal(signals)
	match := []dbus.MatchOption{dbus.WithMatchInterface(service), dbus.WithMatchObjectPath(path)}
	if err := n.conn.AddMatchSignalContext(ctx, match...); err != nil {
		return fmt.Errorf("notifications: %w", err)
	}
	for {
		select {
		case s, ok := <-signals:
			if !ok {
				return errors.New("the session bus is gone")
			}
			n.signal(s)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// signal takes an answer, or that there will be none, from the server that shows
// the question and from nobody else.
func (n *Notifier) signal(s *dbus.Signal) {
	if len(s.Body) < 2 || s.Name != service+".ActionInvoked" && s.Name != service+".NotificationClosed" {
		return
	}
	id, ok := s.Body[0].(uint32)
	if !ok {
		return
	}
	n.mu.Lock()
	q := n.waiting[id]
	mine := q != nil && q.server == s.Sender
	if mine {
		delete(n.waiting, id)
	}
	n.mu.Unlock()
	if key, ok := s.Body[1].(string); ok && mine && s.Name == service+".ActionInvoked" {
		go q.answered(key) // it may take as long as a plan
	}
}

// Speak says text by speech-dispatcher where that is installed, else shows it.
// It returns how.
func (n *Notifier) Speak(ctx context.Context, text string) (how string, err error) {
	if path, err := exec.LookPath("spd-say"); err == nil {
		limit := min(speakLeast+time.Duration(len(text))*speakByte, speakMost)
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		if err := exec.CommandContext(ctx, path, "--wait", "--", text).Run(); err == nil {
			return "speech", nil
		}
	}
	return "notification", n.Show(ctx, appName, text, nil, shortTime, nil)
}
