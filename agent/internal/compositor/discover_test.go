package compositor

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

// The display is the one that the same process serves. An old WAYLAND_DISPLAY
// outlives its compositor.
func TestDisplay(t *testing.T) {
	dir, err := os.MkdirTemp("", "display") // socket paths must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	listen := func(name string) {
		l, err := net.Listen("unix", filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "wayland-0"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close() // left behind
	os.WriteFile(filepath.Join(dir, "wayland-0.lock"), nil, 0o600)
	listen("wayland-1")
	os.WriteFile(filepath.Join(dir, "wayland-1.lock"), nil, 0o600)
	listen("other")
	for _, tt := range []struct {
		likely string
		pid    int
		want   string
	}{
		{"", os.Getpid(), "wayland-1"},
		{"wayland-0", os.Getpid(), "wayland-1"},
		{"wayland-1", os.Getpid(), "wayland-1"},
		{"wayland-9", os.Getpid(), "wayland-1"},
		{"other", os.Getpid(), "other"},
		{filepath.Join(dir, "other"), os.Getpid(), filepath.Join(dir, "other")},
		{"wayland-1", os.Getpid() + 1, ""},
		{"wayland-1.lock", os.Getpid(), "wayland-1"},
	} {
		if got := displayOf(t.Context(), tt.pid, tt.likely, dir); got != tt.want {
			t.Errorf("displayOf(%d, %q) = %q, want %q", tt.pid, tt.likely, got, tt.want)
		}
	}
}
