package mpris

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"utter/shared/plan"
	"utter/tests/fakes/privatebus"
)

const mpvScript = "/usr/lib/mpv-mpris/mpris.so"

// silence writes a WAV file of a minute.
func silence(t *testing.T, dir, name string) string {
	t.Helper()
	const rate, seconds = 8000, 60
	data := make([]byte, 44+rate*seconds)
	copy(data, "RIFF....WAVEfmt ")
	le := binary.LittleEndian
	le.PutUint32(data[4:], uint32(len(data)-8))
	le.PutUint32(data[16:], 16)
	le.PutUint16(data[20:], 1) // PCM
	le.PutUint16(data[22:], 1) // mono
	le.PutUint32(data[24:], rate)
	le.PutUint32(data[28:], rate)
	le.PutUint16(data[32:], 1)
	le.PutUint16(data[34:], 8)
	copy(data[36:], "data")
	le.PutUint32(data[40:], rate*seconds)
	for i := range data[44:] {
		data[44+i] = 0x80
	}
	path := filepath.Join(dir, name+".wav")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// mpv plays two songs on the bus at address, and returns its process once its
// player is there: the only one that was not among known.
func mpv(t *testing.T, r *Remote, address, name string) *os.Process {
	t.Helper()
	if _, err := exec.LookPath("mpv"); err != nil {
		t.Skip("mpv is not installed; scripts/dev go test has it")
	}
	if _, err := os.Stat(mpvScript); errors.Is(err, fs.ErrNotExist) {
		t.Skip("mpv-mpris is not installed; scripts/dev go test has it")
	}
	dir := t.TempDir()
	cmd := exec.Command("mpv", "--no-terminal", "--no-config", "--script="+mpvScript,
		"--no-video", "--ao=null", "--idle=yes",
		silence(t, dir, name+" one"), silence(t, dir, name+" two"))
	cmd.Env = append(os.Environ(), "DBUS_SESSION_BUS_ADDRESS="+address, "HOME="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for range 1000 {
		players, err := r.Players(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range players {
			if p.Status == Playing && strings.HasPrefix(p.Title, name) {
				return cmd.Process
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("mpv does not play")
	return nil
}

// now returns what two mpv do: status and title of each, by title.
func now(t *testing.T, r *Remote) map[string]PlaybackStatus {
	t.Helper()
	players, err := r.Players(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]PlaybackStatus{}
	for _, p := range players {
		all[strings.TrimSuffix(p.Title, ".wav")] = p.Status
	}
	return all
}

// TestTwoRealPlayers shows "pause", "play" and "next" on two mpv, and what becomes
// of it when one of them is stopped.
func TestTwoRealPlayers(t *testing.T) {
	address := privatebus.Start(t, nil)
	r := remote(t, address)
	mpv(t, r, address, "first")
	second := mpv(t, r, address, "second")
	is := func(after, title string, want PlaybackStatus) {
		t.Helper()
		if got := now(t, r); got[title] != want {
			t.Errorf("after %s: %v, want %s %s", after, got, title, want)
		}
	}
	if _, err := r.Do(t.Context(), "pause", nil); err != nil {
		t.Fatal(err)
	}
	// Which was used last is not certain: mpv tells its status several times as
	// it starts. The other one is paused next, and resumed first.
	before := now(t, r)
	got, err := r.Do(t.Context(), "pause", nil)
	if err != nil || before["first one"] == before["second one"] {
		t.Fatalf("%v, then %+v, %v", before, got, err)
	}
	last := "first one"
	if before["second one"] == Playing {
		last = "second one"
	}
	if !strings.HasPrefix(got.Player, "mpv ("+last) {
		t.Errorf("paused %q, but %s played", got.Player, last)
	}
	is("two pauses", "first one", Paused)
	is("two pauses", "second one", Paused)
	if got, err := r.Do(t.Context(), "play", nil); err != nil || !strings.HasPrefix(got.Player, "mpv ("+last) {
		t.Errorf("play: %+v, %v", got, err)
	}
	is("play", last, Playing)
	next := strings.Replace(last, "one", "two", 1)
	if got, err := r.Do(t.Context(), "next", nil); err != nil || !strings.HasPrefix(got.Player, "mpv ("+next) {
		t.Errorf("next: %+v, %v", got, err)
	}
	is("next", next, Playing)
	if _, err := r.Do(t.Context(), "previous", nil); err != nil {
		t.Errorf("previous: %v", err)
	}

	// The second one hangs: the first obeys as ever, and in time.
	halt(t, second)
	defer second.Signal(syscall.SIGCONT)
	began := time.Now()
	command, want := "play", Playing
	if strings.HasPrefix(last, "first") {
		command, want = "pause", Paused
	}
	if got, err := r.Do(t.Context(), command, nil); err != nil || !strings.HasPrefix(got.Player, "mpv (first one") {
		t.Errorf("%s while the second hangs: %+v, %v", command, got, err)
	}
	is(command+" while the second hangs", "first one", want)
	if took := time.Since(began); took > limit {
		t.Errorf("it took %v", took)
	}
}

func TestARealPlayerThatHangsIsToldTruly(t *testing.T) {
	address := privatebus.Start(t, nil)
	r := remote(t, address)
	p := mpv(t, r, address, "only")
	halt(t, p)
	began := time.Now()
	_, err := r.Do(t.Context(), "pause", nil)
	fails(t, err, plan.Refused, plan.Timeout, "does not respond", "nothing was done")
	if took := time.Since(began); took > limit {
		t.Errorf("it took %v", took)
	}
	if err := p.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	// Nothing was sent to it that it would catch up on.
	if got := now(t, r); got["only one"] != Playing {
		t.Errorf("as it goes on: %v", got)
	}
	if _, err := r.Do(t.Context(), "pause", nil); err != nil {
		t.Error(err)
	}
}

// halt stops a process and returns when all its threads stand still.
func halt(t *testing.T, p *os.Process) {
	t.Helper()
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.Pid))
		running := 0
		for _, thread := range threads {
			if stat, err := os.ReadFile(thread); err == nil && !bytes.Contains(stat, []byte(") T ")) {
				running++
			}
		}
		if running == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it does not stop")
}
