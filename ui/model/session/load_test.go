package session_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"utter/shared/catalog"
	"utter/ui/model/session"
	"utter/ui/model/session/sessiontest"
)

// TestAChangeWaitsForWhatIsBeingRead: it may say which file is the right one.
func TestAChangeWaitsForWhatIsBeingRead(t *testing.T) {
	d := sessiontest.New(t, note)
	d.Profile("x.yaml", "id: note\nkind: game\n")
	d.Work.ByHand = true
	d.Session.Reload()
	d.Session.Save(edit("note", set([]string{"a"}, nil, "aliases")), nil)
	d.Work.Finish()
	check(t, d, "saved", "x.yaml", "id: note\nkind: game\naliases: [a]\n")
}

func TestReloadCoalesces(t *testing.T) {
	d := sessiontest.New(t, note)
	d.Work.ByHand = true
	loads := d.Loads
	for range 5 {
		d.Session.Reload()
	}
	if d.Work.Waiting() != 1 {
		t.Errorf("%d loads at once", d.Work.Waiting())
	}
	d.Work.Finish()
	if got := d.Loads - loads; got != 2 {
		t.Errorf("5 calls of Reload loaded %d times, want 2", got)
	}
}

// TestReloadSeesWhatIsInstalled and tells the listeners.
// TestASaveIsLoadedOnce though the files are watched, too.
func TestASaveIsLoadedOnce(t *testing.T) {
	d := sessiontest.New(t, note)
	loads := d.Loads
	if err := save(t, d, edit("note", set([]string{"a"}, nil, "aliases"))); err != nil {
		t.Fatal(err)
	}
	file := d.InForce("note").Origin.File
	d.Session.Noticed([]string{file})
	if d.Loads != loads+1 {
		t.Errorf("%d loads of a save, want 1", d.Loads-loads)
	}
	d.Put(file, "id: note\naliases: [b]\n")
	d.Session.Noticed([]string{file})
	if d.Loads != loads+2 || !slices.Equal(d.InForce("note").Aliases, []string{"b"}) {
		t.Errorf("an outside edit is not seen: %q", d.InForce("note").Aliases)
	}
	d.Session.Noticed(nil)
	if d.Loads != loads+3 {
		t.Errorf("%d loads, want one more where anything may have changed", d.Loads-loads)
	}
}

// TestWhatIsNoticedDuringALoad is looked at after it.
func TestWhatIsNoticedDuringALoad(t *testing.T) {
	d := sessiontest.New(t, note)
	d.Profile("x.yaml", "id: note\n")
	d.Work.ByHand = true
	loads := d.Loads
	d.Session.Reload()
	d.Session.Noticed([]string{d.Path("x.yaml")})
	d.Work.Finish()
	if d.Loads != loads+1 {
		t.Errorf("%d loads, want 1: it saw the file", d.Loads-loads)
	}
	d.Session.Reload()
	d.Session.Noticed([]string{d.Dirs.ConfigFile()})
	d.Work.Finish()
	if d.Loads != loads+3 {
		t.Errorf("%d loads, want 3: the second began before the change", d.Loads-loads)
	}
}

func TestReloadSeesWhatIsInstalled(t *testing.T) {
	d := sessiontest.New(t, note)
	told := 0
	leave := d.Session.Subscribe(func() { told++ })
	d.Install("pad", "Pad")
	d.Session.Reload()
	if d.InForce("pad").Name != "Pad" || told != 1 {
		t.Errorf("pad is %q, told %d times", d.InForce("pad").Name, told)
	}
	leave()
	d.Session.Reload()
	if told != 1 {
		t.Error("told after the end")
	}
}

func TestAFailedLoadKeepsWhatIsKnown(t *testing.T) {
	var fault error
	lib := &catalog.Library{}
	s := session.New(session.Parts{
		Async: func(work func() error, done func(error)) { done(work()) },
		Load:  func() (*catalog.Library, error) { return lib, fault },
	})
	s.Restore("x", restored) // before anything is known
	s.Reload()
	fault = errors.New("built-in profiles")
	s.Reload()
	if s.Library() != lib || s.Failure() == nil || s.Failure().Text() != "" ||
		s.Banner().Title != "The applications could not be read" {
		t.Errorf("failure %+v, banner %+v", s.Failure(), s.Banner())
	}
	s.TryAgain(s.Failure())
	if s.Failure() == nil {
		t.Error("the failure was forgotten")
	}
	fault = nil
	s.TryAgain(s.Failure())
	if s.Failure() != nil {
		t.Errorf("failure %+v after a load", s.Failure())
	}
}

// TestAFollowedFile is read with a load, where it has changed.
func TestAFollowedFile(t *testing.T) {
	d := sessiontest.New(t, note)
	file := d.Dirs.ConfigFile()
	var order []string
	d.Session.Follow(file, func() func() {
		order = append(order, "read")
		return func() { order = append(order, "take") }
	})
	d.Session.Subscribe(func() { order = append(order, "changed") })
	for _, do := range []struct {
		f    func()
		want string
	}{
		{func() {}, "read take changed"},
		{func() {}, "changed"},
		{func() { d.Config("# one\n") }, "read take changed"},
		{func() { d.Config("# two\n") }, "read take changed"},
		{func() {}, "changed"},
		{func() { d.Put(file, "-") }, "read take changed"},
		{func() {}, "changed"},
	} {
		order = nil
		do.f()
		d.Session.Reload()
		if got := strings.Join(order, " "); got != do.want {
			t.Errorf("%q, want %q", got, do.want)
		}
	}
}
