package niri

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	"utter/agent/internal/compositor"
	"utter/agent/internal/compositor/compositortest"
	"utter/shared/plan"
	fakeniri "utter/tests/fakes/niri"
)

func TestDiscovery(t *testing.T) {
	// serve serves path and does what fault says when it is asked for its version.
	serve := func(fault fakeniri.Fault) func(*testing.T, string) func() int {
		return func(t *testing.T, path string) func() int {
			n := fakeniri.Start(t, fakeniri.Options{Path: path})
			n.On("Version", fault)
			return n.Clients
		}
	}
	compositortest.Discovery{
		Connect: Connect,
		Dial:    func(ctx context.Context, path string) error { _, err := Dial(ctx, path, nil); return err },
		Kind:    "niri", Variables: []string{"NIRI_SOCKET"}, ReplyTime: replyTime,
		Sockets: []string{"niri.wayland-1.1.sock", "niri.wayland-2.2.sock", "niri.wayland-3.3.sock",
			"niri.wayland-4.4.sock", "niri.wayland-5.5.sock"},
		Start: func(t *testing.T, path string, silent bool) func() int {
			return serve(fakeniri.Fault{Silent: silent})(t, path)
		},
		Wrong: map[string]func(*testing.T, string) func() int{
			"a web server":            serve(fakeniri.Fault{Say: []byte("HTTP/1.1 400 Bad Request\r\n\r\n")}),
			"one that has no version": serve(fakeniri.Fault{Say: []byte(`{"Err":"error parsing request"}` + "\n")}),
		},
	}.Test(t)
}

// Programs need the display of this niri, not one that an old environment names.
func TestConnectFindsTheDisplay(t *testing.T) {
	dir := compositortest.ShortDir(t)
	fakeniri.Start(t, fakeniri.Options{Path: filepath.Join(dir, "niri.wayland-1.1.sock")})
	l, err := net.Listen("unix", filepath.Join(dir, "wayland-7")) // of this process, as the model is
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, likely := range []string{"", "wayland-7", "wayland-0"} {
		b, err := Connect(t.Context(), compositortest.Getenv(map[string]string{"WAYLAND_DISPLAY": likely}), dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Info().Env["WAYLAND_DISPLAY"]; got != "wayland-7" {
			t.Errorf("WAYLAND_DISPLAY %q: the display is %q", likely, got)
		}
		b.Close()
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
	dir := compositortest.ShortDir(t)
	path := filepath.Join(dir, "niri.wayland-1.1.sock")
	n := start(t, fakeniri.Options{Path: path}, "a", "b")
	d := compositortest.FollowAll(t, func(ctx context.Context) (compositor.Backend, error) {
		return Connect(ctx, compositortest.Getenv(map[string]string{"NIRI_SOCKET": path}), dir)
	})
	shows := func(what, want string) {
		t.Helper()
		if !compositortest.Eventually(func() bool { return apps(d) == want }) {
			t.Errorf("%s: the windows are %q, want %q", what, apps(d), want)
		}
	}
	shows("first", "ba")
	n.HangUp()
	n.Open(fakeniri.Toplevel{AppID: "c"})
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
	if !compositortest.Eventually(func() bool { _, there := d.Info(); return !there }) || apps(d) != "" {
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
	for s := compositortest.Next(t, states); s.Windows[0].AppID != "a"; s = compositortest.Next(t, states) {
	}
	s, err := b.Read(t.Context())
	if err != nil || compositortest.Facts(s) != "a on 1 focused; b on 1; workspace 1" {
		t.Errorf("it is %s, %v", compositortest.Facts(s), err)
	}
	d := compositortest.Follow(t, connect(t, n))
	compositortest.CheckError(t, "Focus", d.Focus(t.Context(), 2), plan.Completed, "")
	compositortest.CheckError(t, "CloseWindow", d.CloseWindow(t.Context(), 2), plan.Completed, "")
}
