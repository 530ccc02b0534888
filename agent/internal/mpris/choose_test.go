package mpris

import (
	"strings"
	"testing"
	"time"

	"utter/shared/plan"
)

// parsePlayers reads "a:Playing b:Paused:song:5": bus, status, title, and how
// long after the beginning of time it was used.
func parsePlayers(t *testing.T, s string) []Player {
	t.Helper()
	var all []Player
	for _, f := range strings.Fields(s) {
		parts := append(strings.Split(f, ":"), "", "")
		p := Player{Bus: prefix + parts[0], owner: ":1." + parts[0], Status: PlaybackStatus(parts[1]), Title: parts[2],
			canNext: true, canPrev: true}
		if p.Status == "-" {
			p.Status = NoAnswer
		}
		if parts[3] != "" {
			d, err := time.ParseDuration(parts[3] + "s")
			if err != nil {
				t.Fatal(err)
			}
			p.lastUsed = time.Unix(0, 0).Add(d)
		}
		if strings.HasSuffix(parts[0], "!") {
			p.canNext, p.canPrev = false, false
		}
		all = append(all, p)
	}
	return all
}

func buses(players []Player) string {
	var all []string
	for _, p := range players {
		all = append(all, strings.TrimPrefix(p.Bus, prefix))
	}
	return strings.Join(all, " ")
}

func TestRanked(t *testing.T) {
	for in, want := range map[string]string{
		"a:Paused b:Playing":                           "b a",
		"a:Stopped b:Paused c:- d:Playing":             "d b a c",
		"a:Stopped b:Stopped:song":                     "b a",
		"a:Playing b:Playing::5 c:Playing::9":          "c b a",
		"a:Stopped::9 b:Paused::1":                     "b a", // used last counts among equals only
		"b:Playing a:Playing":                          "a b", // always the same
		"a:Stopped::9 b:Stopped:song:1 c:Stopped:it:2": "c b a",
		"a:- b:-::3":                                   "b a",
		"":                                             "",
	} {
		if got := buses(ranked(parsePlayers(t, in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	p := parsePlayers(t, "a:Stopped b:Stopped")
	p[0].track, p[1].track = "/org/mpris/MediaPlayer2/TrackList/NoTrack", "/7"
	if got := buses(ranked(p)); got != "b a" {
		t.Errorf("NoTrack is a track: %s", got)
	}
}

func TestChoose(t *testing.T) {
	tests := []struct {
		command, players, paused string
		want                     string // the method and whom it goes to, or the reason of the refusal
	}{
		{"pause", "a:Paused b:Playing", "", "Pause b"},
		{"pause", "a:Playing::1 b:Playing::2 c:Paused", "", "Pause b a"},
		{"pause", "a:Paused b:Stopped", "", "not_found"},
		{"pause", "a:-", "", "timeout"},
		{"pause", "a:- b:Paused", "", "timeout"},
		{"pause", "a:- b:Playing", "", "Pause b"},
		{"play", "a:Paused::2 b:Paused::1", "b", "Play b a"},
		{"play", "a:Paused::2 b:Paused::1", "", "Play a b"},
		{"play", "a:Paused b:Stopped:song", "b", "Play a b"}, // what we paused has been stopped since
		{"play", "a:Playing b:Paused", "", "Play b"},
		{"play", "a:Playing", "", "Play a"}, // which it does already
		{"play", "a:Stopped b:Stopped:song", "", "Play b a"},
		{"play", "a:-", "", "timeout"},
		{"play", "a:- b:Playing", "", "Play b"},
		{"play-pause", "a:Playing b:Paused", "b", "Pause a"},
		{"play-pause", "a:Paused::1 b:Paused::2", "a", "Play a b"},
		{"play-pause", "a:-", "", "timeout"},
		{"stop", "a:Paused b:Playing c:Stopped", "", "Stop b a"},
		{"stop", "a:Stopped", "", "not_found"},
		{"next", "a:Paused b:Playing", "", "Next b"},
		{"next", "a:Paused b!:Playing", "", "edge"},
		{"previous", "a!:Paused", "", "edge"},
		{"previous", "a:Paused b:Paused::1", "", "Previous b"},
		{"next", "a!:-", "", "Next a!"}, // it may obey all the same
		{"dance", "a:Playing", "", "not_supported"},
	}
	for _, tt := range tests {
		paused := ""
		if tt.paused != "" {
			paused = ":1." + tt.paused
		}
		m, found, err := choose(tt.command, parsePlayers(t, tt.players), paused)
		got := m.name + " " + buses(found)
		if e, ok := err.(*plan.Error); ok {
			got = string(e.Reason)
			if e.Outcome != plan.Refused {
				t.Errorf("%s, %s: %v is not a refusal", tt.command, tt.players, err)
			}
		}
		if got != tt.want {
			t.Errorf("%s, %s (we paused %q): %s, want %s", tt.command, tt.players, tt.paused, got, tt.want)
		}
	}
}

func TestNamed(t *testing.T) {
	players := parsePlayers(t,
		"spotify:Playing mpv.instance7:Playing mpv:Paused org.gnome.Music:Paused firefox.instance_1_9:Playing")
	players[3].Desktop = "org.gnome.Rhythmbox"
	for in, want := range map[string]string{
		"spotify":             "spotify",
		"Spotify":             "spotify",
		"mpv":                 "mpv",
		"mpv.instance7":       "mpv.instance7",
		"firefox":             "firefox.instance_1_9",
		"org.gnome.rhythmbox": "org.gnome.Music",
		"org":                 "org.gnome.Music", // the same cut; no application has the id "org"
		"pot":                 "",
		"media":               "",
		"":                    "",
	} {
		if got := buses(named(players, []string{in})); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	if got := buses(named(players, []string{"x", "firefox", "spotify"})); got != "spotify" {
		t.Errorf("of several names the exact one: %s", got)
	}
}

func TestMoved(t *testing.T) {
	at := func(track, title string, position int64) Player {
		return Player{track: track, Title: title, position: position}
	}
	for _, tt := range []struct {
		before, now Player
		ago         time.Duration
		want        bool
	}{
		{at("/1", "a", 5), at("/2", "a", 5), 0, true},
		{at("/1", "a", 5), at("/1", "b", 5), 0, true},
		{at("/1", "a", 5), at("/2", "", 0), 0, false}, // loading
		{at("/1", "a", 5), at("/2", "", 0), time.Second, true},
		{at("/1", "", 5), at("/2", "", 0), 0, true},
		{at("/1", "a", 5), at("/1", "a", 9), time.Second, false},
		{at("/1", "a", 5), at("/1", "a", 0), 0, false}, // the track may come yet
		{at("/1", "a", 5), at("/1", "a", 0), time.Second, true},
	} {
		if got := moved(tt.before, tt.now, tt.ago); got != tt.want {
			t.Errorf("%+v, %+v after %v: %v", tt.before, tt.now, tt.ago, got)
		}
	}
}

// TestStopMayBeAPause: some players have no other way to stop.
func TestStopMayBeAPause(t *testing.T) {
	for _, tt := range []struct {
		before, now PlaybackStatus
		want        bool
	}{{Playing, Stopped, true}, {Playing, Paused, true}, {Paused, Stopped, true}, {Paused, Paused, false},
		{Playing, Playing, false}, {Playing, NoAnswer, false}} {
		if got := stop.shown(Player{Status: tt.before}, Player{Status: tt.now}, 0); got != tt.want {
			t.Errorf("%q, then %q: %v", tt.before, tt.now, got)
		}
	}
}

func TestNameIsWhatAPersonWouldCallIt(t *testing.T) {
	for want, p := range map[string]Player{
		"mpv.instance7":         {Bus: prefix + "mpv.instance7"},
		"Music Player":          {Bus: prefix + "mpv", Identity: "Music Player"},
		"Music Player (a song)": {Bus: prefix + "mpv", Identity: "Music Player", Title: "a song"},
	} {
		if got := p.Name(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
