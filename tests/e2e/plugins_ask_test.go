package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// A notifier shows notifications: it keeps their texts, and presses buttons.
type notifier struct {
	conn  *dbus.Conn
	shown chan string
}

// notifications makes the session have a notification service.
func (s *Session) notifications() *notifier {
	s.t.Helper()
	const name, path = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
	n := &notifier{conn: s.conn, shown: make(chan string, 9)}
	methods := map[string]any{
		"GetCapabilities": func() ([]string, *dbus.Error) { return []string{"body", "actions"}, nil },
		"Notify": func(_ string, _ uint32, _, _, body string, _ []string,
			_ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
			n.shown <- body
			return 7, nil
		},
		"CloseNotification": func(uint32) *dbus.Error { return nil },
	}
	if err := s.conn.ExportMethodTable(methods, path, name); err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.conn.RequestName(name, dbus.NameFlagDoNotQueue); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// press presses a button of the notification that is shown next.
func (n *notifier) press(t *testing.T, key string) (text string) {
	t.Helper()
	select {
	case text = <-n.shown:
	case <-time.After(runnerTime):
		t.Fatal("nothing is asked")
	}
	if err := n.conn.Emit("/org/freedesktop/Notifications", "org.freedesktop.Notifications.ActionInvoked",
		uint32(7), key); err != nil {
		t.Fatal(err)
	}
	return text
}

// TestAnotherProgramMustAsk: a program that has the runner's token cannot approve
// what it wants itself, since the agent asks the user.
func TestAnotherProgramMustAsk(t *testing.T) {
	s := NewSession(t, Options{})
	s.startAgent() // before the runner, which it finds
	marks := withOddJobs(s, "")
	s.await("the agent at the runner", runnerTime, func() bool {
		log, err := os.ReadFile(s.file("log/runner.log"))
		return err == nil && strings.Contains(string(log), "asks the user")
	})
	want := `{"plugin":"odd","method":"action.invoke","params":{"op":"odd.burn","args":{},"provenance":"user"}}`
	ask := func() (*exec.Cmd, *bytes.Buffer) {
		var out bytes.Buffer
		other := s.command("utter", "runner", "call", "--json", "runner.invoke", want)
		other.Stdout = &out
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		return other, &out
	}

	// Nothing shows the question: nobody can have agreed to it.
	other, out := ask()
	if err := other.Wait(); err == nil || !strings.Contains(out.String(), "no_confirmer") {
		t.Errorf("without notifications: %v: %s", err, out)
	}
	n := s.notifications()
	for _, key := range []string{"no", "yes"} {
		other, out := ask()
		if text := n.press(t, key); !strings.Contains(text, "another program wants odd.burn {}, by the plugin odd") {
			t.Errorf("the user reads %q", text)
		}
		err := other.Wait()
		if yes := key == "yes"; (err == nil) != yes || !yes && !strings.Contains(out.String(), "-32003") {
			t.Errorf("%s: %v: %s", key, err, out)
		}
		if _, err := os.Stat(marks); (err == nil) != (key == "yes") {
			t.Errorf("after %s: %v", key, err)
		}
	}
	s.checkFile(marks, "burnt\n", 5*time.Second)
}
