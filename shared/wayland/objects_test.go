package wayland_test

import (
	"errors"
	"sync"
	"testing"

	"utter/shared/wayland"
	fakewayland "utter/tests/fakes/wayland"
)

func TestGlobalsComeAndGo(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{Without: []string{"ext_data_control_manager_v1"}})
	conn := dial(t, c)
	if conn.Has(wayland.ExtDataControlManager) || !conn.Has(wayland.WlrDataControlManager) || !conn.Has(wayland.Seat) {
		t.Error("Has disagrees with what is offered")
	}
	if _, err := conn.Bind(wayland.ExtDataControlManager, 1, nil); !errors.Is(err, wayland.ErrNoGlobal) {
		t.Errorf("Bind of a missing global = %v, want ErrNoGlobal", err)
	}
	c.Withdraw("wl_seat")
	if err := conn.Roundtrip(t.Context()); err != nil || conn.Has(wayland.Seat) {
		t.Errorf("Has = %v, %v after the global went", conn.Has(wayland.Seat), err)
	}
}

func TestBindTakesTheLowerVersion(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{})
	conn := dial(t, c)
	for _, version := range []uint32{3, 99} {
		if _, err := conn.Bind(wayland.Seat, version, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Roundtrip(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []uint32
	for _, r := range c.Requests() {
		if r.Name == "bind" {
			got = append(got, r.Args[2].(uint32))
		}
	}
	if len(got) != 2 || got[0] != 3 || got[1] != 9 {
		t.Errorf("bound versions %v, want 3 and the compositor's 9", got)
	}
}

// Compositors insist that new IDs come without gaps, whoever sends them.
func TestGoroutinesMayMakeObjects(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{})
	for range 100 {
		conn := dial(t, c)
		var work sync.WaitGroup
		for range 32 {
			work.Go(func() { conn.Bind(wayland.Seat, 1, nil) })
		}
		work.Wait()
		if err := conn.Roundtrip(t.Context()); err != nil {
			t.Fatalf("Roundtrip = %v", err)
		}
		conn.Close()
	}
}

// A request that cannot be sent leaves no gap between the IDs, and the others
// may go on.
func TestCreateOfWhatCannotBeSent(t *testing.T) {
	conn := dial(t, fakewayland.Start(t, fakewayland.Options{}))
	for range 3 { // more than there are IDs to be used again
		if _, err := conn.Create(wayland.Seat, nil, 1, wayland.DisplaySync, wayland.NewID, "a\x00b"); err == nil {
			t.Error("Create with a string that has a NUL = nil, want an error")
		}
	}
	if err := conn.Roundtrip(t.Context()); err != nil {
		t.Errorf("Roundtrip = %v afterwards", err)
	}
}

func TestIDsAreUsedAgain(t *testing.T) {
	conn := dial(t, fakewayland.Start(t, fakewayland.Options{}))
	for range 100 {
		if err := conn.Roundtrip(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if id, err := conn.Bind(wayland.Seat, 1, nil); err != nil || id > 10 {
		t.Errorf("Bind = %d, %v after 100 roundtrips", id, err)
	}
}

// The compositor may say that an object is gone before its owner comes to Drop
// it: the reader is another goroutine.
func TestDropAfterTheLastWord(t *testing.T) {
	conn := dial(t, fakewayland.Start(t, fakewayland.Options{}))
	seat, err := conn.Bind(wayland.Seat, 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Send(seat, 3); err != nil { // release
		t.Fatal(err)
	}
	if err := conn.Roundtrip(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn.Drop(seat)
	for range 10 {
		id, err := conn.Bind(wayland.Seat, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if id == seat {
			return
		}
	}
	t.Errorf("the ID %d is never used again", seat)
}

func TestAdoptRefusesTheClientsIDs(t *testing.T) {
	conn := dial(t, fakewayland.Start(t, fakewayland.Options{}))
	for _, id := range []wayland.ID{0, 1, 2, 0xfeffffff} {
		if err := conn.Adopt(id, wayland.DataControlOffer, nil); !errors.Is(err, wayland.ErrMalformed) {
			t.Errorf("Adopt(%d) = %v, want ErrMalformed", id, err)
		}
	}
}
