package e2e

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"
)

// songPage plays song.wav; its title tells whether it does.
const songPage = `<!doctype html><title>a page</title><audio id="a" src="song.wav" autoplay loop></audio>
<script>
a.onplaying = () => document.title = "The song plays"; a.onpause = () => document.title = "The song rests"
</script>`

// squareWave is a WAV file of a minute, 8 kHz, 8 bits, mono: browsers leave
// silence and short sounds out of MPRIS.
func squareWave() []byte {
	const rate, seconds = 8000, 60
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			binary.Write(&b, binary.LittleEndian, v)
		}
	}
	put([]byte("RIFF"), uint32(36+rate*seconds), []byte("WAVEfmt "), uint32(16), uint16(1), uint16(1),
		uint32(rate), uint32(rate), uint16(1), uint16(8), []byte("data"), uint32(rate*seconds))
	put(bytes.Repeat([]byte("\x40\x40\x40\x40\x40\x40\x40\x40\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0"), rate*seconds/16))
	return b.Bytes()
}

// TestATabsPlayerObeys: the page itself tells whether it plays.
func TestATabsPlayerObeys(t *testing.T) {
	s := NewSession(t, Options{})
	s.write("song.wav", string(squareWave()))
	s.write("song.html", songPage)
	w := s.chromium("file://"+s.file("song.html"), "The song plays")
	is := func(title string) func() bool {
		return func() bool { return strings.HasPrefix(s.window(w.ID).Title, title) }
	}
	for _, step := range []struct{ said, title string }{
		{"pause", "The song rests"}, {"play", "The song plays"}, {"pause the music", "The song rests"},
	} {
		a := s.MustRun(step.said)
		s.await(step.title, 2*time.Second, is(step.title))
		if !strings.Contains(string(a.Stdout), "Chromium") {
			t.Errorf("%q does not name the player: %s", step.said, a.Stdout)
		}
	}
}
