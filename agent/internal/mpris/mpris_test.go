package mpris

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"utter/shared/plan"
	fakempris "utter/tests/fakes/mpris"
	"utter/tests/fakes/privatebus"
)

// limit is how long a command may take on a loaded machine, whatever the players
// do: a second for the status, a second for each of three players, and a bit.
const limit = 6 * time.Second

// remote returns a running Remote on the bus at address.
func remote(t *testing.T, address string) *Remote {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	r := New(conn)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Run: %v", err)
		}
		conn.Close()
	})
	return r
}

// hears waits until r has heard of a change of p.
func hears(t *testing.T, r *Remote, p *fakempris.Player, method string) {
	t.Helper()
	owner := ""
	if err := r.conn.BusObject().Call("org.freedesktop.DBus.GetNameOwner", 0, prefix+p.Name).Store(&owner); err != nil {
		t.Fatal(err)
	}
	last := func() time.Time {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.used[owner]
	}
	before := last()
	for range 1000 {
		p.Press(method) // again: Run may not have begun to listen yet
		if last().After(before) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("nothing was heard of %s", p.Name)
}

// fails checks how a command failed.
func fails(t *testing.T, err error, outcome plan.Outcome, reason plan.Reason, says ...string) {
	t.Helper()
	var e *plan.Error
	if !errors.As(err, &e) || e.Outcome != outcome || e.Reason != reason {
		t.Errorf("%v, want %s, %s", err, outcome, reason)
		return
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%q does not say %q", err, s)
		}
	}
}

func statuses(players ...*fakempris.Player) string {
	var all []string
	for _, p := range players {
		all = append(all, p.Status())
	}
	return strings.Join(all, " ")
}

func songs() []string { return []string{"one", "two"} }

// TestFieldBug13 is the wrong player: paused first on the bus, another playing.
func TestFieldBug13(t *testing.T) {
	bus := privatebus.Start(t, nil)
	r := remote(t, bus)
	a := fakempris.Start(t, bus, "aaa", fakempris.Options{Identity: "Alpha", Status: fakempris.Paused, Tracks: songs()})
	b := fakempris.Start(t, bus, "bbb", fakempris.Options{Identity: "Beta", Status: fakempris.Playing, Tracks: songs()})

	got, err := r.Do(t.Context(), "pause", nil)
	if err != nil || got.Player != "Beta (one)" || got.Note != "" || statuses(a, b) != "Paused Paused" {
		t.Errorf("pause: %+v, %v; %s", got, err, statuses(a, b))
	}
	if calls := a.Calls(); len(calls) > 0 {
		t.Errorf("the paused one was told %v", calls)
	}
	// Somebody plays with the other one meanwhile; still what we paused goes on.
	hears(t, r, a, "Pause")
	if got, err = r.Do(t.Context(), "play", nil); err != nil || got.Player != "Beta (one)" ||
		statuses(a, b) != "Paused Playing" {
		t.Errorf("play: %+v, %v; %s", got, err, statuses(a, b))
	}
	// Once it has been resumed nothing is left to resume: the last used.
	if _, err = r.Do(t.Context(), "pause", nil); err != nil {
		t.Error(err)
	}
	b.Press("Stop")
	if got, err = r.Do(t.Context(), "play", nil); err != nil || got.Player != "Alpha (one)" {
		t.Errorf("what we paused was stopped: %+v, %v", got, err)
	}
}

func TestFieldBug13TheLastUsedOfTwoThatPlay(t *testing.T) {
	bus := privatebus.Start(t, nil)
	r := remote(t, bus)
	a := fakempris.Start(t, bus, "aaa", fakempris.Options{Status: fakempris.Playing, Tracks: songs()})
	b := fakempris.Start(t, bus, "bbb", fakempris.Options{Status: fakempris.Playing, Tracks: songs()})
	hears(t, r, a, "Play")
	hears(t, r, b, "Play")
	if got, err := r.Do(t.Context(), "pause", nil); err != nil || got.Player != "bbb (one)" ||
		statuses(a, b) != "Playing Paused" {
		t.Errorf("%+v, %v; %s", got, err, statuses(a, b))
	}
	if got, err := r.Do(t.Context(), "pause", nil); err != nil || got.Player != "aaa (one)" ||
		statuses(a, b) != "Paused Paused" {
		t.Errorf("again: %+v, %v; %s", got, err, statuses(a, b))
	}
	// What we paused last is resumed first.
	if got, err := r.Do(t.Context(), "play", nil); err != nil || got.Player != "aaa (one)" {
		t.Errorf("play: %+v, %v", got, err)
	}
	if got, err := r.Do(t.Context(), "play", []string{"bbb"}); err != nil || got.Player != "bbb (one)" {
		t.Errorf("play bbb: %+v, %v", got, err)
	}
}

func TestFieldBug13TheExactNameBeatsAnInstance(t *testing.T) {
	bus := privatebus.Start(t, nil)
	r := remote(t, bus)
	one := fakempris.Start(t, bus, "mpv.instance123", fakempris.Options{Status: fakempris.Playing})
	two := fakempris.Start(t, bus, "mpv", fakempris.Options{Status: fakempris.Playing})
	other := fakempris.Start(t, bus, "mpvx", fakempris.Options{Status: fakempris.Playing})
	hears(t, r, one, "Play")
	if got, err := r.Do(t.Context(), "pause", []string{"mpv"}); err != nil || got.Player != "mpv" ||
		statuses(one, two, other) != "Playing Paused Playing" {
		t.Errorf("%+v, %v; %s", got, err, statuses(one, two, other))
	}
	two.Close()
	// The name of the bus is given back after the answer of Close.
	for range 500 {
		if players, err := r.Players(t.Context()); err != nil || len(players) == 2 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if got, err := r.Do(t.Context(), "pause", []string{"mpv"}); err != nil || got.Player != "mpv.instance123" {
		t.Errorf("an instance alone: %+v, %v", got, err)
	}
	_, err := r.Do(t.Context(), "pause", []string{"spotify"})
	fails(t, err, plan.Refused, plan.NotFound)
	if got, err := r.Do(t.Context(), "pause", []string{"org.x", "MPVX"}); err != nil || got.Player != "mpvx" {
		t.Errorf("by another of its ids: %+v, %v", got, err)
	}
}

// TestFieldBug14 is the ghost of a browser: it says that it plays, and has done so
// for ever.
func TestFieldBug14(t *testing.T) {
	bus := privatebus.Start(t, nil)
	r := remote(t, bus)
	ghost := fakempris.Start(t, bus, "brave",
		fakempris.Options{Status: fakempris.Playing, Ghost: true, Position: time.Minute, Tracks: []string{"old"}})
	real := fakempris.Start(t, bus, "spotify", fakempris.Options{Status: fakempris.Playing, Tracks: songs()})
	if got, err := r.Do(t.Context(), "pause", nil); err != nil || got.Player != "spotify (one)" ||
		statuses(ghost, real) != "Playing Paused" {
		t.Errorf("%+v, %v; %s", got, err, statuses(ghost, real))
	}
}

func TestFieldBug14StoppedWithoutATrackComesLast(t *testing.T) {
	bus := privatebus.Start(t, nil)
	r := remote(t, bus)
	browser := fakempris.Start(t, bus, "brave", fakempris.Options{})
	spotify := fakempris.Start(t, bus, "spotify", fakempris.Options{Status: fakempris.Paused, Tracks: songs()})
	if got, err := r.Do(t.Context(), "play", nil); err != nil || got.Player != "spotify (one)" {
		t.Errorf("%+v, %v", got, err)
	}
	spotify.Press("Stop")
	if got, err := r.Do(t.Context(), "play", nil); err != nil || got.Player != "spotify (one)" ||
		statuses(browser, spotify) != "Stopped Playing" {
		t.Errorf("both stopped: %+v, %v; %s", got, err, statuses(browser, spotify))
	}
}

func TestFieldBug14TheNextOneIsTriedAndSaidSo(t *testing.T) {
	bus := privatebus.Start(t, nil)
	r := remote(t, bus)
	deaf := fakempris.Start(t, bus, "brave", fakempris.Options{Identity: "Brave", Status: fakempris.Playing, Deaf: true})
	spotify := fakempris.Start(t, bus, "spotify", fakempris.Options{Identity: "Spotify", Status: fakempris.Playing})
	hears(t, r, spotify, "Play")
	hears(t, r, deaf, "Play")
	got, err := r.Do(t.Context(), "pause", nil)
	if err != nil || got.Player != "Spotify" || got.Note != "Brave did not obey" ||
		!slices.Equal(deaf.Calls(), []string{"Pause"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestFieldBug16 is the player that never replies: what counts is what it does.
func TestFieldBug16(t *testing.T) {
	for name, tt := range map[string]struct {
		options fakempris.Options
		done    bool
	}{
		"acts and never replies":   {fakempris.Options{NoReply: true}, true},
		"acts late":                {fakempris.Options{Late: 300 * time.Millisecond}, true},
		"replies and does nothing": {fakempris.Options{Deaf: true}, false},
		"neither acts nor replies": {fakempris.Options{Deaf: true, NoReply: true}, false},
		"says that it plays on":    {fakempris.Options{Says: fakempris.Playing}, false},
		"dies of it":               {fakempris.Options{Dies: "Pause"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bus := privatebus.Start(t, nil)
			r := remote(t, bus)
			tt.options.Status, tt.options.Identity = fakempris.Playing, "The Player"
			p := fakempris.Start(t, bus, "player", tt.options)
			began := time.Now()
			got, err := r.Do(t.Context(), "pause", nil)
			if took := time.Since(began); took > limit {
				t.Errorf("it took %v", took)
			}
			if tt.done {
				if err != nil || got.Player != "The Player" || p.Status() != fakempris.Paused {
					t.Errorf("%+v, %v; %s", got, err, p.Status())
				}
				return
			}
			fails(t, err, plan.Unknown, plan.Timeout, "The Player was told to pause")
			if calls := p.Calls(); !slices.Equal(calls, []string{"Pause"}) {
				t.Errorf("it was told %v", calls)
			}
		})
	}
}

// TestAHungPlayerHoldsUpNobody: it does not even tell its status.
func TestAHungPlayerHoldsUpNobody(t *testing.T) {
	bus := privatebus.Start(t, nil)
	r := remote(t, bus)
	hung := fakempris.Start(t, bus, "aaa", fakempris.Options{Silent: true, Status: fakempris.Playing})
	began := time.Now()
	_, err := r.Do(t.Context(), "pause", nil)
	fails(t, err, plan.Refused, plan.Timeout, "aaa does not respond", "nothing was done")
	if calls := hung.Calls(); len(calls) > 0 {
		t.Errorf("it was told %v", calls)
	}
	_, err = r.Do(t.Context(), "next", []string{"aaa"})
	fails(t, err, plan.Unknown, plan.Timeout, "aaa was told to next")
	fine := fakempris.Start(t, bus, "bbb", fakempris.Options{Status: fakempris.Playing, Tracks: songs()})
	if got, err := r.Do(t.Context(), "pause", nil); err != nil || got.Player != "bbb (one)" ||
		fine.Status() != fakempris.Paused {
		t.Errorf("the other one: %+v, %v", got, err)
	}
	if took := time.Since(began); took > 2*limit {
		t.Errorf("three commands took %v", took)
	}
}

func TestACommandCanBeCancelled(t *testing.T) {
	bus := privatebus.Start(t, nil)
	r := remote(t, bus)
	p := fakempris.Start(t, bus, "aaa", fakempris.Options{Deaf: true, Status: fakempris.Playing})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for range 1000 {
			if len(p.Calls()) > 0 {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	_, err := r.Do(ctx, "pause", nil)
	fails(t, err, plan.Unknown, plan.Cancelled, "aaa")
}

func TestAPlayerThatQuitsWhenStoppedHasObeyed(t *testing.T) {
	bus := privatebus.Start(t, nil)
	r := remote(t, bus)
	fakempris.Start(t, bus, "mpv", fakempris.Options{Identity: "mpv", Status: fakempris.Playing, Dies: "Stop"})
	if got, err := r.Do(t.Context(), "stop", nil); err != nil || got.Player != "mpv" {
		t.Errorf("%+v, %v", got, err)
	}
}
