package mpris

import (
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"utter/shared/plan"
	fakempris "utter/tests/fakes/mpris"
	"utter/tests/fakes/privatebus"
)

func TestNextMovesOnAndStopsAtTheEdge(t *testing.T) {
	bus := privatebus.Start(t, nil)
	r := remote(t, bus)
	p := fakempris.Start(t, bus, "aaa", fakempris.Options{Identity: "Alpha", Status: fakempris.Playing, Tracks: songs()})
	if got, err := r.Do(t.Context(), "next", nil); err != nil || got.Player != "Alpha (two)" {
		t.Errorf("next: %+v, %v", got, err)
	}
	_, err := r.Do(t.Context(), "next", nil)
	fails(t, err, plan.Refused, plan.Edge, "Alpha (two)", "no next track")
	if got, err := r.Do(t.Context(), "previous", nil); err != nil || got.Player != "Alpha (one)" || p.Track() != "one" {
		t.Errorf("previous: %+v, %v", got, err)
	}
	_, err = r.Do(t.Context(), "previous", nil)
	fails(t, err, plan.Refused, plan.Edge)
	for command, want := range map[string]string{"play-pause": fakempris.Paused, "stop": fakempris.Stopped,
		"play": fakempris.Playing} {
		p.Press("Play")
		if command == "play" {
			p.Press("Pause")
		}
		if _, err := r.Do(t.Context(), command, nil); err != nil || p.Status() != want {
			t.Errorf("%s: %v, %s", command, err, p.Status())
		}
	}
}

// TestNextWithoutCanGoNext: a player that does not tell whether it can is tried.
func TestNextWithoutCanGoNext(t *testing.T) {
	bus := privatebus.Start(t, nil)
	r := remote(t, bus)
	fakempris.Start(t, bus, "aaa", fakempris.Options{Status: fakempris.Playing, Tracks: songs(), NoCan: true})
	if got, err := r.Do(t.Context(), "next", nil); err != nil || got.Player != "aaa (two)" {
		t.Errorf("next: %+v, %v", got, err)
	}
	_, err := r.Do(t.Context(), "next", nil)
	fails(t, err, plan.Unknown, plan.Timeout, "aaa (two) was told to next")
}

func TestPlayingAlreadyIsSaidSo(t *testing.T) {
	bus := privatebus.Start(t, nil)
	r := remote(t, bus)
	p := fakempris.Start(t, bus, "aaa", fakempris.Options{Status: fakempris.Playing})
	if got, err := r.Do(t.Context(), "play", nil); err != nil || got.Note == "" || len(p.Calls()) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestNobodyPlays(t *testing.T) {
	bus := privatebus.Start(t, nil)
	r := remote(t, bus)
	_, err := r.Do(t.Context(), "pause", nil)
	fails(t, err, plan.Refused, plan.NotFound, "no media player")
	fakempris.Start(t, bus, "playerctld", fakempris.Options{Status: fakempris.Playing}) // speaks for others
	_, err = r.Do(t.Context(), "pause", nil)
	fails(t, err, plan.Refused, plan.NotFound, "no media player")
	fakempris.Start(t, bus, "aaa", fakempris.Options{Status: fakempris.Paused})
	_, err = r.Do(t.Context(), "pause", nil)
	fails(t, err, plan.Refused, plan.NotFound, "aaa is paused")
	_, err = r.Do(t.Context(), "dance", nil)
	fails(t, err, plan.Refused, plan.NotSupported)
}

// TestWrongTypesCountAsUnsaid: some players put numbers where texts belong.
func TestWrongTypesCountAsUnsaid(t *testing.T) {
	bus := privatebus.Start(t, nil)
	r := remote(t, bus)
	v := dbus.MakeVariant
	fakempris.Start(t, bus, "aaa",
		fakempris.Options{Status: fakempris.Playing, Tracks: songs(), Extra: map[string]dbus.Variant{
			"Metadata": v(map[string]dbus.Variant{"xesam:title": v([]string{"x"}), "mpris:trackid": v("/a/text"),
				"mpris:length": v("long")}),
			"CanGoNext": v("yes"), "Position": v(3.5),
		}})
	fakempris.Start(t, bus, "bbb",
		fakempris.Options{Extra: map[string]dbus.Variant{"PlaybackStatus": v(int32(1)), "Metadata": v("none")}})
	fakempris.Start(t, bus, "ccc", fakempris.Options{Extra: map[string]dbus.Variant{"PlaybackStatus": v("Dancing")}})
	players, err := r.Players(t.Context())
	if err != nil || len(players) != 3 {
		t.Fatalf("%+v, %v", players, err)
	}
	a := players[0]
	if a.Status != Playing || a.Title != "" || a.track != "/a/text" || !a.canNext || a.position != 0 {
		t.Errorf("%+v", a)
	}
	if players[1].Status != NoAnswer || players[2].Status != NoAnswer {
		t.Errorf("%+v", players[1:])
	}
	if got, err := r.Do(t.Context(), "pause", nil); err != nil || got.Player != "aaa" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestWhatIsRememberedIsBounded: players come and go all day.
func TestWhatIsRememberedIsBounded(t *testing.T) {
	r := New(nil)
	for i := range 10 * maxUsed {
		r.note(string(rune('a' + i)))
	}
	if len(r.used) > maxUsed {
		t.Errorf("%d players are remembered", len(r.used))
	}
}

func TestOnlyTheStatusCounts(t *testing.T) {
	v := map[string]dbus.Variant{"Volume": dbus.MakeVariant(0.5)}
	for _, body := range [][]any{nil, {playerIf}, {playerIf, v},
		{rootIf, map[string]dbus.Variant{"PlaybackStatus": {}}}, {1, 2}, {playerIf, "x"}} {
		if changesStatus(body) {
			t.Errorf("%v changes the status", body)
		}
	}
	if !changesStatus([]any{playerIf, map[string]dbus.Variant{"PlaybackStatus": dbus.MakeVariant("Paused")}, []string{}}) {
		t.Error("a change is none")
	}
}

// value makes any value out of data, and returns what is left of it.
func value(data []byte, depth int) (dbus.Variant, []byte) {
	if len(data) == 0 || depth > 4 {
		return dbus.MakeVariant(""), nil
	}
	kind, data := data[0]%8, data[1:]
	n := 0
	if len(data) > 0 {
		n, data = min(int(data[0]), len(data)-1), data[1:]
	}
	switch kind {
	case 0:
		return dbus.MakeVariant(string(data[:n])), data[n:]
	case 1:
		return dbus.MakeVariant(dbus.ObjectPath(data[:n])), data[n:]
	case 2:
		return dbus.MakeVariant(int64(n) - 3), data
	case 3:
		return dbus.MakeVariant(n%2 == 0), data
	case 4:
		return dbus.MakeVariant([]string{string(data[:n])}), data[n:]
	case 5:
		v, rest := value(data, depth+1)
		return dbus.MakeVariant(v), rest
	case 6:
		return dbus.Variant{}, data
	}
	names := []string{"xesam:title", "mpris:trackid", "PlaybackStatus", "Metadata", "Position", "CanGoNext", ""}
	m := map[string]dbus.Variant{}
	for i := range n % 8 {
		m[names[(i+len(data))%len(names)]], data = value(data, depth+1)
	}
	return dbus.MakeVariant(m), data
}

// FuzzMetadata: a player may say anything of itself, in any types.
func FuzzMetadata(f *testing.F) {
	f.Add([]byte("\x00\x07Playing"), []byte("\x07\x02\x00\x01a\x01\x02/a"), []byte("\x02\x09"))
	f.Add([]byte("\x00\x06Paused"), []byte("\x07\x03\x04\x01x\x05\x00\x00\x01y\x06"), []byte("\x03\x01"))
	f.Add([]byte("\x05\x00\x00\x07Stopped"), []byte("\x07\x07\x00\x02\xff\xfe\x07\x01"), []byte("\x06"))
	f.Fuzz(func(t *testing.T, status, meta, rest []byte) {
		m := map[string]dbus.Variant{}
		m["PlaybackStatus"], _ = value(status, 0)
		m["Metadata"], _ = value(meta, 0)
		m["Position"], _ = value(rest, 0)
		m["CanGoNext"], _ = value(rest, 0)
		p := Player{Bus: prefix + "x"}
		p.read(m)
		if p.Status != Playing && p.Status != Paused && p.Status != Stopped && p.Status != NoAnswer {
			t.Errorf("%v: status %q", m, p.Status)
		}
		if said, ok := m["PlaybackStatus"].Value().(string); !ok && p.Status != NoAnswer ||
			p.Status != NoAnswer && said != string(p.Status) {
			t.Errorf("%v: status %q", m, p.Status)
		}
		if name := p.Name(); !strings.HasPrefix(name, "x") {
			t.Errorf("%v: name %q", m, name)
		}
		ranked([]Player{p, p})
		moved(p, p, 0)
	})
}
