package sway

import (
	"context"
	"path/filepath"
	"testing"

	"utter/agent/internal/compositor/compositortest"
)

func TestDiscovery(t *testing.T) {
	compositortest.Discovery{
		Connect: Connect,
		Dial:    func(ctx context.Context, path string) error { _, err := Dial(ctx, path, nil); return err },
		Kind:    "sway", Variables: []string{"SWAYSOCK", "I3SOCK"}, ReplyTime: replyTime,
		Sockets: []string{"sway-ipc.0.1.sock", "sway-ipc.0.2.sock", "sway-ipc.0.3.sock",
			"sway-ipc.0.4.sock", "sway-ipc.0.5.sock"},
		Others: []string{"i3/ipc-socket.77"},
		Start: func(t *testing.T, path string, silent bool) func() int {
			f := newFake(t, path)
			if silent {
				f.on(getVersion, sends(false, nil))
			}
			return f.connections
		},
		Wrong: map[string]func(*testing.T, string) func() int{
			"a web server": func(t *testing.T, path string) func() int {
				f := newFake(t, path)
				f.on(getVersion, sends(false, []byte("HTTP/1.1 400 Bad Request\r\n\r\n")))
				return f.connections
			},
		},
	}.Test(t)
}

func TestDialNamesTheCompositor(t *testing.T) {
	for _, tt := range []struct{ recording, name, version string }{{"sway", "sway", "1.10.1"},
		{"i3", "i3", "4.24 (2024-11-06)"}} {
		f := newFake(t, filepath.Join(compositortest.ShortDir(t), "s"))
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
		compositortest.Next(t, states)
	}
}
