package compositortest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"utter/agent/internal/compositor"
	"utter/shared/plan"
)

// Facts writes what tests compare: the windows by name with their workspaces
// and what is special about them, and the workspace in use.
func Facts(s *compositor.State) string {
	var facts []string
	for _, w := range s.Windows {
		ws, _ := s.Workspace(w.Workspace)
		fact := fmt.Sprintf("%s on %s", w.AppID, ws.Name)
		for _, special := range []struct {
			is   bool
			name string
		}{{w.Focused, " focused"}, {w.Floating, " floating"}, {w.Fullscreen, " fullscreen"}, {w.Hidden, " hidden"}} {
			if special.is {
				fact += special.name
			}
		}
		facts = append(facts, fact)
	}
	slices.Sort(facts)
	ws, _ := s.FocusedWorkspace()
	return strings.Join(append(facts, "workspace "+ws.Name), "; ")
}

// Follow returns a Desktop that follows b; it ends with the test.
func Follow(t *testing.T, b compositor.Backend) *compositor.Desktop {
	t.Helper()
	first := make(chan compositor.Backend, 1)
	first <- b
	return FollowAll(t, func(context.Context) (compositor.Backend, error) {
		select {
		case b := <-first:
			return b, nil
		default:
			return nil, errors.New("there is no other")
		}
	})
}

// FollowAll returns a connected Desktop that gets its backends from connect; it
// ends with the test.
func FollowAll(t *testing.T, connect func(context.Context) (compositor.Backend, error)) *compositor.Desktop {
	t.Helper()
	d := compositor.NewDesktop(connect, Vocabulary(t), slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	if err := d.AwaitConnection(t.Context(), patience); err != nil {
		t.Fatal(err)
	}
	return d
}

// Vocabulary returns the built-in one.
func Vocabulary(t testing.TB) *compositor.Vocabulary {
	t.Helper()
	v, err := compositor.NewVocabulary()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Parse reads an action of d as people write it: "focus-window 7".
func Parse(t testing.TB, d *compositor.Desktop, line string) compositor.Action {
	t.Helper()
	words := strings.Fields(line)
	a, err := d.Vocabulary().Parse(words[0], words[1:])
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// CheckError checks the outcome and reason of an error of Perform; Completed
// stands for nil.
func CheckError(t *testing.T, what string, err error, outcome plan.Outcome, reason plan.Reason) {
	t.Helper()
	got, gotReason := plan.Completed, plan.Reason("")
	if err != nil {
		var known *plan.Error
		if !errors.As(err, &known) {
			t.Errorf("%s = %v, which is no *plan.Error", what, err)
			return
		}
		got, gotReason = known.Outcome, known.Reason
	}
	if got != outcome || gotReason != reason {
		t.Errorf("%s = %v (%v %q), want %v %q", what, err, got, gotReason, outcome, reason)
	}
}
