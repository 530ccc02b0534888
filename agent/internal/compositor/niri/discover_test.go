package niri

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	"utter/shared/plan"
	fakeniri "utter/tests/fakes/niri"
)

func getenv(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// leave makes a socket that nobody listens at any more.
func leave(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
}

func TestConnect(t *testing.T) {
	const one, two, three = "niri.wayland-1.1.sock", "niri.wayland-2.2.sock", "niri.wayland-3.3.sock"
	type setup struct {
		at   func(name string) string
		live func(name string) *fakeniri.Niri // one more niri
	}
	for _, tt := range []struct {
		what string
		make func(t *testing.T, s setup) (socket string) // what NIRI_SOCKET says
		want string                                      // the socket connected to, or a part of the error
		err  error                                       // that the error is, if any
	}{
		{"nothing", func(*testing.T, setup) string { return "" }, "niri: none is running", compositor.ErrNone},
		{"one", func(_ *testing.T, s setup) string { s.live(one); return "" }, one, nil},
		{"stale ones", func(t *testing.T, s setup) string {
			leave(t, s.at(one))
			s.live(two)
			leave(t, s.at(three))
			os.WriteFile(s.at("niri.wayland-4.4.sock"), nil, 0o600)
			os.Mkdir(s.at("niri.wayland-5.5.sock"), 0o700)
			return s.at(three)
		}, two, nil},
		{"only a stale one", func(t *testing.T, s setup) string { leave(t, s.at(one)); return s.at(one) }, "niri: none is running", compositor.ErrNone},
		{"one that is not niri", func(_ *testing.T, s setup) string {
			s.live(one).On("Version", fakeniri.Fault{Say: []byte("HTTP/1.1 400 Bad Request\r\n\r\n")})
			s.live(two)
			return s.at(one)
		}, two, nil},
		{"one that has no version", func(_ *testing.T, s setup) string {
			s.live(one).On("Version", fakeniri.Fault{Say: []byte(`{"Err":"error parsing request"}` + "\n")})
			return ""
		}, "niri: none is running", compositor.ErrNone},
		{"several", func(_ *testing.T, s setup) string { s.live(one); s.live(two); return "" }, "NIRI_SOCKET", nil},
		{"several and NIRI_SOCKET", func(_ *testing.T, s setup) string { s.live(one); s.live(two); return s.at(two) }, two, nil},
		{"several and a stale NIRI_SOCKET", func(_ *testing.T, s setup) string { s.live(one); s.live(two); return s.at(three) }, "NIRI_SOCKET", nil},
	} {
		t.Run(tt.what, func(t *testing.T) {
			dir := shortDir(t)
			at := func(name string) string { return filepath.Join(dir, name) }
			var all []*fakeniri.Niri
			socket := tt.make(t, setup{at, func(name string) *fakeniri.Niri {
				n := fakeniri.Start(t, fakeniri.Options{Path: at(name)})
				all = append(all, n)
				return n
			}})
			b, err := Connect(t.Context(), getenv("NIRI_SOCKET", socket), dir)
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) || tt.err != nil && !errors.Is(err, tt.err) {
					t.Errorf("Connect = %v, want %s", err, tt.want)
				}
			} else {
				if info := b.Info(); info.Env["NIRI_SOCKET"] != at(tt.want) || info.Name != "niri" || info.Version != fakeniri.Version {
					t.Errorf("Connect chose %+v, want %s", info, tt.want)
				}
				b.Close()
			}
			for _, n := range all {
				if !eventually(func() bool { return n.Clients() == 0 }) {
					t.Errorf("%d connections to %s are left open", n.Clients(), n.Path())
				}
			}
		})
	}
}

// A niri that hangs must not keep the agent from one that answers.
func TestConnectPassesOverSilence(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	at := func(name string) fakeniri.Options { return fakeniri.Options{Path: filepath.Join(dir, name)} }
	fakeniri.Start(t, at("niri.wayland-1.1.sock")).On("Version", fakeniri.Fault{Silent: true})
	want := fakeniri.Start(t, at("niri.wayland-2.2.sock")).Path()
	begun := time.Now()
	b, err := Connect(t.Context(), getenv(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if took := time.Since(begun); b.Info().Env["NIRI_SOCKET"] != want || took > replyTime+3*time.Second {
		t.Errorf("Connect chose %+v after %v", b.Info(), took)
	}
}

// Programs need the display of this niri, not one that an old environment names.
func TestConnectFindsTheDisplay(t *testing.T) {
	dir := shortDir(t)
	fakeniri.Start(t, fakeniri.Options{Path: filepath.Join(dir, "niri.wayland-1.1.sock")})
	l, err := net.Listen("unix", filepath.Join(dir, "wayland-7")) // of this process, as the model is
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, likely := range []string{"", "wayland-7", "wayland-0"} {
		b, err := Connect(t.Context(), getenv("WAYLAND_DISPLAY", likely), dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Info().Env["WAYLAND_DISPLAY"]; got != "wayland-7" {
			t.Errorf("WAYLAND_DISPLAY %q: the display is %q", likely, got)
		}
		b.Close()
	}
}

func TestDialNobody(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	if _, err := Dial(t.Context(), path, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Dial without a socket = %v", err)
	}
	leave(t, path)
	if _, err := Dial(t.Context(), path, nil); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("Dial of a stale socket = %v", err)
	}
}

// apps returns the names of the windows that d knows, the focused one first.
func apps(d *compositor.Desktop) (names string) {
	for _, w := range d.State().Windows {
		names += w.AppID
	}
	return names
}

// After the end of a connection all is read anew, from the same niri or from
// another at the same place or at a new one.
func TestReconnect(t *testing.T) {
	dir := shortDir(t)
	path := filepath.Join(dir, "niri.wayland-1.1.sock")
	n := start(t, fakeniri.Options{Path: path}, "a", "b")
	d := compositortest.FollowAll(t, func(ctx context.Context) (compositor.Backend, error) {
		return Connect(ctx, getenv("NIRI_SOCKET", path), dir)
	})
	shows := func(what, want string) {
		t.Helper()
		if !eventually(func() bool { return apps(d) == want }) {
			t.Errorf("%s: the windows are %q, want %q", what, apps(d), want)
		}
	}
	shows("first", "ba")
	n.HangUp()
	n.Open(fakeniri.Window{AppID: "c"})
	shows("after the connection ended", "cba")
	n.Send(`{"WindowClosed":{"id":1`) // half a line, and silence
	n.HangUp()
	shows("after half a line", "cba")
	n.Send("garbage\n")
	n.Remove(3)
	shows("after garbage", "ba")

	second := start(t, fakeniri.Options{Path: path}, "x") // in its place
	n.Close()
	shows("the socket was replaced", "x")
	second.Do(`{"Quit":{"skip_confirmation":true}}`)
	if !eventually(func() bool { _, there := d.Info(); return !there }) || apps(d) != "" {
		t.Errorf("after quit there are %q", apps(d))
	}
	third := start(t, fakeniri.Options{Path: filepath.Join(dir, "niri.wayland-2.9.sock")}, "y", "z")
	d.Kick()
	shows("another one, elsewhere", "zy")
	compositortest.CheckError(t, "Focus", d.Focus(t.Context(), 1), plan.Completed, "")
	if info, _ := d.Info(); info.Env["NIRI_SOCKET"] != third.Path() {
		t.Errorf("it is %+v", info)
	}
}

// One that lacks what newer niris tell is of use all the same.
func TestAnOldNiri(t *testing.T) {
	n := start(t, fakeniri.Options{Older: true}, "a", "b")
	b, states := watched(t, n)
	n.Do(`{"FocusWindow":{"id":1}}`)
	for s := nextState(t, states); s.Windows[0].AppID != "a"; s = nextState(t, states) {
	}
	s, err := b.Read(t.Context())
	if err != nil || compositortest.Facts(s) != "a on 1 focused; b on 1; workspace 1" {
		t.Errorf("it is %s, %v", compositortest.Facts(s), err)
	}
	d := compositortest.Follow(t, connect(t, n))
	compositortest.CheckError(t, "Focus", d.Focus(t.Context(), 2), plan.Completed, "")
	compositortest.CheckError(t, "CloseWindow", d.CloseWindow(t.Context(), 2), plan.Completed, "")
}
