package sway

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"utter/agent/internal/compositor"
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
	type setup struct {
		dir  string
		live func(name string) *fake // one more sway
	}
	tests := []struct {
		what string
		make func(t *testing.T, s setup) []string // environment
		want string                               // the socket connected to, or a part of the error
		err  error                                // that the error is, if any
	}{
		{"nothing", func(*testing.T, setup) []string { return nil }, "sway: none is running", compositor.ErrNone},
		{"one", func(_ *testing.T, s setup) []string { s.live("sway-ipc.0.1.sock"); return nil }, "sway-ipc.0.1.sock", nil},
		{"i3", func(t *testing.T, s setup) []string {
			if err := os.Mkdir(filepath.Join(s.dir, "i3"), 0o700); err != nil {
				t.Fatal(err)
			}
			s.live("i3/ipc-socket.77")
			return nil
		}, "i3/ipc-socket.77", nil},
		{"stale ones", func(t *testing.T, s setup) []string {
			leave(t, filepath.Join(s.dir, "sway-ipc.0.1.sock"))
			s.live("sway-ipc.0.2.sock")
			leave(t, filepath.Join(s.dir, "sway-ipc.0.3.sock"))
			os.WriteFile(filepath.Join(s.dir, "sway-ipc.0.4.sock"), nil, 0o600)
			os.Mkdir(filepath.Join(s.dir, "sway-ipc.0.5.sock"), 0o700)
			return []string{"SWAYSOCK", filepath.Join(s.dir, "sway-ipc.0.3.sock")}
		}, "sway-ipc.0.2.sock", nil},
		{"only a stale one", func(t *testing.T, s setup) []string {
			leave(t, filepath.Join(s.dir, "sway-ipc.0.1.sock"))
			return []string{"SWAYSOCK", filepath.Join(s.dir, "sway-ipc.0.1.sock")}
		}, "sway: none is running", compositor.ErrNone},
		{"one that is not sway", func(_ *testing.T, s setup) []string {
			s.live("sway-ipc.0.1.sock").on(getVersion, sends(false, []byte("HTTP/1.1 400 Bad Request\r\n\r\n")))
			s.live("sway-ipc.0.2.sock")
			return []string{"SWAYSOCK", filepath.Join(s.dir, "sway-ipc.0.1.sock")}
		}, "sway-ipc.0.2.sock", nil},
		{"several", func(_ *testing.T, s setup) []string {
			s.live("sway-ipc.0.1.sock")
			s.live("sway-ipc.0.2.sock")
			return nil
		}, "SWAYSOCK", nil},
		{"several and SWAYSOCK", func(_ *testing.T, s setup) []string {
			s.live("sway-ipc.0.1.sock")
			s.live("sway-ipc.0.2.sock")
			return []string{"SWAYSOCK", filepath.Join(s.dir, "sway-ipc.0.2.sock")}
		}, "sway-ipc.0.2.sock", nil},
		{"several and I3SOCK", func(_ *testing.T, s setup) []string {
			s.live("sway-ipc.0.1.sock")
			s.live("sway-ipc.0.2.sock")
			return []string{"I3SOCK", filepath.Join(s.dir, "sway-ipc.0.1.sock")}
		}, "sway-ipc.0.1.sock", nil},
		{"several and a stale SWAYSOCK", func(_ *testing.T, s setup) []string {
			s.live("sway-ipc.0.1.sock")
			s.live("sway-ipc.0.2.sock")
			return []string{"SWAYSOCK", filepath.Join(s.dir, "sway-ipc.0.9.sock")}
		}, "SWAYSOCK", nil},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			dir := shortDir(t)
			var fakes []*fake
			env := tt.make(t, setup{dir, func(name string) *fake {
				f := newFake(t, dir, name)
				fakes = append(fakes, f)
				return f
			}})
			b, err := Connect(t.Context(), getenv(env...), dir)
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) || tt.err != nil && !errors.Is(err, tt.err) {
					t.Errorf("Connect = %v, want %s", err, tt.want)
				}
			} else {
				want := filepath.Join(dir, tt.want)
				if info := b.Info(); info.Env["SWAYSOCK"] != want || info.Env["I3SOCK"] != want {
					t.Errorf("Connect chose %+v, want %s", info, want)
				}
				b.Close()
			}
			for _, f := range fakes {
				if !eventually(func() bool { return f.connections() == 0 }) {
					t.Errorf("%d connections to %s are left open", f.connections(), f.path)
				}
			}
		})
	}
}

// A sway that hangs must not keep the agent from one that answers.
func TestConnectPassesOverSilence(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	newFake(t, dir, "sway-ipc.0.1.sock").on(getVersion, sends(false, nil))
	want := newFake(t, dir, "sway-ipc.0.2.sock").path
	start := time.Now()
	b, err := Connect(t.Context(), getenv(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if took := time.Since(start); b.Info().Env["SWAYSOCK"] != want || took > replyTime+3*time.Second {
		t.Errorf("Connect chose %+v after %v", b.Info(), took)
	}
}

func TestDialNamesTheCompositor(t *testing.T) {
	for _, tt := range []struct{ recording, name, version string }{{"sway", "sway", "1.10.1"}, {"i3", "i3", "4.24 (2024-11-06)"}} {
		f := newFake(t, shortDir(t), "s")
		f.r = record(t, tt.recording)
		b := dialFake(t, f)
		if info := b.Info(); info.Name != tt.name || info.Version != tt.version {
			t.Errorf("Info = %+v, want %s %s", info, tt.name, tt.version)
		}
		if _, err := b.Read(t.Context()); err != nil || (f.count(getInputs) > 0) != (tt.name == "sway") {
			t.Errorf("%s: Read = %v after %d questions about inputs, which i3 never answers", tt.name, err, f.count(getInputs))
		}
		states, err := b.Watch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		nextState(t, states)
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
