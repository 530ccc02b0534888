package apps_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/launch"
	"utter/shared/op"
	"utter/shared/plan"
)

func notActivatable(context.Context) error {
	return fmt.Errorf("activate: ServiceUnknown: %w", launch.ErrNotActivatable)
}

// Field bug 7: an application that the bus starts.
func TestDBusActivation(t *testing.T) {
	const entry = "Name=Notes\nExec=notes --new %U\nDBusActivatable=true"
	for _, tt := range []struct {
		what     string
		id       string
		shelf    shelf
		activate func(context.Context) error
		want     string // what is done, in order
	}{
		{what: "a valid name", id: "org.example.Notes", shelf: shelf{entries: map[string]string{"org.example.Notes": entry}},
			want: "activate org.example.Notes by token-for-org.example.Notes"},
		{what: "no service file: started otherwise, once", id: "org.example.Notes",
			shelf:    shelf{entries: map[string]string{"org.example.Notes": entry}},
			activate: notActivatable,
			want:     "activate org.example.Notes by token-for-org.example.Notes; start notes --new"},
		{what: "a name that is not a bus name", id: "notes", shelf: shelf{entries: map[string]string{"notes": entry}},
			want: "start notes --new"},
		{what: "a name with an empty part", id: "org..Notes", shelf: shelf{entries: map[string]string{"org..Notes": entry}},
			want: "start notes --new"},
		{what: "a name whose part begins with a digit", id: "org.7zip.Notes",
			shelf: shelf{entries: map[string]string{"org.7zip.Notes": entry}},
			want:  "start notes --new"},
		{what: "no command, only the name", id: "org.example.Notes",
			shelf: shelf{entries: map[string]string{"org.example.Notes": "Name=Notes\nDBusActivatable=true"}},
			want:  "activate org.example.Notes by token-for-org.example.Notes"},
		{what: "not activatable", id: "org.example.Notes",
			shelf: shelf{entries: map[string]string{"org.example.Notes": "Name=Notes\nExec=notes --new"}},
			want:  "start notes --new"},
		{what: "the user's own command goes before it", id: "org.example.Notes",
			shelf: shelf{
				entries: map[string]string{"org.example.Notes": entry},
				user:    map[string]string{"n.yaml": "id: org.example.Notes\nlaunch: [bubblejail, run, notes]\n"}},
			want: "start bubblejail run notes"},
		{what: "a curated command that is not here is longer than the desktop file's", id: "org.example.Notes",
			shelf: shelf{
				entries: map[string]string{"org.example.Notes": "Name=Notes\nExec=notes\nDBusActivatable=true"},
				curated: map[string]string{"n.yaml": "id: org.example.Notes\nlaunch: [notes-bin, --with, --many, --words]\n"},
				missing: []string{"notes-bin"}},
			want: "activate org.example.Notes by token-for-org.example.Notes"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, tt.shelf)
				b.launcher.onActivate = tt.activate
				time.AfterFunc(time.Second, func() { b.screen.Open(window(5, tt.id)) })
				b.do(op.EnsureApp{App: tt.id}, plan.Completed, "")
				if calls := b.launcher.calls(); calls != tt.want {
					t.Errorf("it did: %s\nwant:   %s", calls, tt.want)
				}
			})
		})
	}
}

var notes = shelf{entries: map[string]string{"org.example.Notes": "Name=Notes\nExec=notes\nDBusActivatable=true"}}

// What got the call may be running: it is not started a second time.
func TestAFailedActivationIsNotStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, notes)
		b.launcher.onActivate = func(context.Context) error { return errors.New("not now") }
		_, message := b.do(op.EnsureApp{App: "org.example.Notes"}, plan.Failed, "")
		contains(t, message, "Notes", "not now")
		if calls := b.launcher.calls(); calls != "activate org.example.Notes by token-for-org.example.Notes" {
			t.Errorf("it did: %s", calls)
		}
	})
}

func TestWithoutACommandAFailedActivationIsToldAsSuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, shelf{entries: map[string]string{"org.example.Notes": "Name=Notes\nDBusActivatable=true"}})
		b.launcher.onActivate = notActivatable
		_, message := b.do(op.EnsureApp{App: "org.example.Notes"}, plan.Failed, "")
		contains(t, message, "Notes", "cannot be activated")
	})
}

// The window of an activated application is found by who owns the bus name.
func TestAnActivatedApplicationIsFoundByItsOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, notes)
		b.launcher.owner = me
		time.AfterFunc(2*time.Second, func() { b.screen.Open(compositor.Window{ID: 5, AppID: "Notes-Main", PID: me}) })
		done, message := b.do(op.EnsureApp{App: "org.example.Notes"}, plan.Completed, "")
		if done.Window != 5 {
			t.Errorf("window %d", done.Window)
		}
		contains(t, message, "Notes-Main", "app_ids")
	})
}

// An application that does not answer its activation holds nobody up for ever;
// what counts is its window.
func TestAnActivationWithoutAnAnswer(t *testing.T) {
	never := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, notes)
		b.launcher.onActivate = never
		start := time.Now()
		time.AfterFunc(time.Second, func() { b.screen.Open(window(5, "org.example.Notes")) })
		b.do(op.EnsureApp{App: "org.example.Notes"}, plan.Completed, "")
		if took := time.Since(start); took > startTime {
			t.Errorf("with a window it took %v", took)
		}
		b.screen.Remove(5)
		synctest.Wait()
		start = time.Now()
		b.do(op.EnsureApp{App: "org.example.Notes"}, plan.Unknown, plan.Timeout)
		if took := time.Since(start); took > 2*startTime {
			t.Errorf("without a window it took %v", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := b.act(ctx, plan.Step{Args: op.EnsureApp{App: "org.example.Notes"}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}
