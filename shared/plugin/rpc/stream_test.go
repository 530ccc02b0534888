package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// sockets returns the two ends of a Unix connection.
func sockets(t *testing.T) (a, b *net.UnixConn) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	one, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	two, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { one.Close(); two.Close() })
	two.SetDeadline(time.Now().Add(20 * time.Second))
	return one.(*net.UnixConn), two.(*net.UnixConn)
}

func temporary(t *testing.T, text string) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFilesTravelWithTheirFrame sends a reply much larger than the socket's
// buffer: its descriptor comes with its first byte, once, and no byte is lost.
func TestFilesTravelWithTheirFrame(t *testing.T) {
	noLeaks(t)
	a, b := sockets(t)
	f := temporary(t, "the file")
	big := strings.Repeat("x", 3<<20)
	p := NewPeer(a, Options{Handle: func(_ context.Context, method string, _ json.RawMessage) (any, error) {
		if method == "fd" {
			return Reply{Result: map[string]string{"big": big}, Files: []*os.File{f}}, nil
		}
		return struct{}{}, nil
	}})
	run(t, p)
	for _, s := range []string{`{"id":1,"method":"plain"}`, `{"id":2,"method":"fd"}`} {
		if err := WriteFrame(b, []byte(s)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond) // so that the replies come in this order
	}
	want := `{"jsonrpc":"2.0","id":1,"result":{}}`
	first := make([]byte, len("Content-Length: 36\r\n\r\n")+len(want))
	if _, err := io.ReadFull(b, first); err != nil || !strings.HasSuffix(string(first), want) {
		t.Fatalf("%s, %v", first, err)
	}
	var text bytes.Buffer
	var files []int
	for text.Len() < len(big) {
		buf, oob := make([]byte, 64<<10), make([]byte, 64)
		n, oobn, _, _, err := b.ReadMsgUnix(buf, oob)
		if err != nil {
			t.Fatal(err)
		}
		if oobn > 0 {
			if text.Len() > 0 {
				t.Errorf("a descriptor after %d bytes", text.Len())
			}
			control, _ := unix.ParseSocketControlMessage(oob[:oobn])
			fds, err := unix.ParseUnixRights(&control[0])
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, fds...)
		}
		text.Write(buf[:n])
	}
	if len(files) != 1 {
		t.Fatalf("%d descriptors", len(files))
	}
	got, err := io.ReadAll(os.NewFile(uintptr(files[0]), "got"))
	if err != nil || string(got) != "the file" {
		t.Errorf("%q, %v", got, err)
	}
	closed(t, f)
}

// closed waits until f is closed: the peer does it after the last byte of the
// frame, which the other end may have read by then.
func closed(t *testing.T, f *os.File) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := f.Stat(); errors.Is(err, os.ErrClosed) {
			return
		}
		if time.Now().After(end) {
			t.Fatal("our file is still open")
		}
	}
}

func TestFilesNeedASocket(t *testing.T) {
	noLeaks(t)
	f := temporary(t, "")
	p, r, _ := rawPeer(t, Options{Handle: func(context.Context, string, json.RawMessage) (any, error) {
		return Reply{Files: []*os.File{f}}, nil
	}})
	if p.CanSendFiles() {
		t.Error("CanSendFiles over a pipe")
	}
	r.send(`{"id":1,"method":"m"}`)
	if got := r.read(); !strings.Contains(got, "-32005") {
		t.Errorf("got %s", got)
	}
	closed(t, f)
	if err := SendFiles(io.Discard, []byte("x"), f); !errors.Is(err, ErrNoFiles) {
		t.Error(err)
	}
}
