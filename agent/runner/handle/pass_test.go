package handle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// TestMain lets the test binary play a client: another process, to which nothing
// but a socket leads.
func TestMain(m *testing.M) {
	if part := os.Getenv("HANDLE_TEST_CLIENT"); part != "" {
		playClient(part)
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// pass serves fd.pass for one client in another process and returns what that
// saw. From the part "hostile" it hangs up when the ring has ended.
func pass(t *testing.T, o *Owner, part, params string, env ...string) sight {
	t.Helper()
	path := fmt.Sprintf("%s/s", t.TempDir())
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, "HANDLE_TEST_CLIENT="+part, "HANDLE_TEST_SOCKET="+path)...)
	cmd.Stdin = strings.NewReader(params)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Bool
	peer := rpc.NewPeer(conn, rpc.Options{Handle: func(_ context.Context, _ string, params json.RawMessage) (any, error) {
		var p protocol.FDPassParams
		if err := protocol.DecodeParams(params, &p); err != nil {
			return nil, err
		}
		defer asked.Store(true)
		return o.Pass(p)
	}})
	done := make(chan error, 1)
	go func() { done <- peer.Run(context.Background()) }()
	if part == "hostile" {
		for end := time.Now().Add(20 * time.Second); !o.store.feed.idle() || !asked.Load(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("the feed goes on")
			}
		}
		peer.Close()
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the client: %v\n%s", err, complaints.String())
	}
	if err := <-done; err != nil {
		t.Errorf("the connection: %v", err)
	}
	var s sight
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatalf("the client said %q: %v", out.String(), err)
	}
	return s
}

const refused = "operation not permitted"

func TestPassHandle(t *testing.T) {
	o := open(t, Options{}).NewOwner()
	text := strings.Repeat("read only. ", 10000)
	p := create(t, o, text, "")
	s := pass(t, o, "look", `{"kind":"handle","meta":{"handle":"`+p.Handle+`"}}`)
	if len(s.Result) != 0 || s.Files != 1 || s.Content != text || s.Position != 0 || !s.ReadOnly {
		t.Errorf("result %v, %d files, %d bytes, read only %v: %s", s.Result, s.Files, len(s.Content), s.ReadOnly, s.Failure)
	}
	if s.Seals&sealAll != sealAll {
		t.Errorf("seals %#x", s.Seals)
	}
	if s.Write != "bad file descriptor" || s.Reopen == "" || s.Map == "" || s.Shrink == "" ||
		s.Grow == "" || s.Exec == "" {
		t.Errorf("it can be changed: write %q, reopen %q, map %q, shrink %q, grow %q, exec %q", s.Write, s.Reopen,
			s.Map, s.Shrink, s.Grow, s.Exec)
	}
	if os.Geteuid() == 0 && (s.Reopen != refused || s.Map != refused || s.Shrink != refused || s.Grow != refused) {
		t.Errorf("what root may open is kept by something else than seals: %q, %q, %q, %q", s.Reopen, s.Map, s.Shrink, s.Grow)
	}
	if _, err := o.Fetch(protocol.HandleParams{Handle: p.Handle}); protocol.CodeOf(err) != protocol.CodeTooLargeInline {
		t.Errorf("the stored bytes: %v", err)
	}
}

func TestPassMemfd(t *testing.T) {
	o := open(t, Options{}).NewOwner()
	tests := []struct {
		name, meta string
		size       int
		begins     string
		writable   bool
	}{
		{"nothing said", `{}`, 4096, "!", true},
		{"size", `{"size":10000}`, 10000, "!", true},
		{"data", `{"data":"once"}`, 4096, "once\x00", false},
		{"data and size", `{"data":"once","size":5000}`, 5000, "once\x00", false},
		{"more data than size", `{"data":"` + strings.Repeat("x", 5000) + `","size":1}`, 5000, "xxxx", false},
	}
	for _, tt := range tests {
		s := pass(t, o, "look", `{"kind":"memfd","meta":`+tt.meta+`}`)
		if s.Result["kind"] != "memfd" || s.Result["size"] != float64(tt.size) || s.Files != 1 ||
			len(s.Content) != tt.size || s.Position != 0 {
			t.Errorf("%s: result %v, %d files, %d bytes: %s", tt.name, s.Result, s.Files, len(s.Content), s.Failure)
		}
		if s.Seals&sealSize != sealSize || (s.Seals&unix.F_SEAL_WRITE == 0) != tt.writable {
			t.Errorf("%s: seals %#x", tt.name, s.Seals)
		}
		// Without the right to open it for writing nothing gets as far as the seals.
		fixed := func(said string) bool { return said == refused || !tt.writable && said == "permission denied" }
		if !fixed(s.Shrink) || !fixed(s.Grow) || s.Exec == "" {
			t.Errorf("%s: shrink %q, grow %q, exec %q", tt.name, s.Shrink, s.Grow, s.Exec)
		}
		if tt.writable != (s.Write == "" && s.Reopen == "" && s.Map == "") {
			t.Errorf("%s: writable %v: %q, %q, %q", tt.name, tt.writable, s.Write, s.Reopen, s.Map)
		}
		if !tt.writable && !strings.HasPrefix(s.Content, tt.begins) {
			t.Errorf("%s: it holds %.20q", tt.name, s.Content)
		}
	}
}

// TestPassRing feeds much through a small ring to another process.
func TestPassRing(t *testing.T) {
	s := open(t, Options{})
	o := s.NewOwner()
	text := strings.Repeat("0123456789abcde", 70000) // 1 MB, 256 times around
	p := create(t, o, text, "")
	want := t.TempDir() + "/want"
	os.WriteFile(want, []byte(text), 0o600)
	saw := pass(t, o, "ring", `{"kind":"memfd.ring","meta":{"handle":"`+p.Handle+`","size":4096}}`,
		"HANDLE_TEST_WANT="+want)
	if saw.Files != 2 || saw.Result["kind"] != "memfd.ring" || saw.Result["capacity"] != 4096.0 ||
		saw.Result["size"] != 8192.0 {
		t.Errorf("result %v, %d files: %s", saw.Result, saw.Files, saw.Failure)
	}
	if saw.Content != fmt.Sprintf("all %d", len(text)) {
		t.Errorf("the reader got %s", saw.Content)
	}
	os.WriteFile(want, []byte("at once"), 0o600)
	if saw := pass(t, o, "ring", `{"kind":"memfd.ring","meta":{"data":"at once"}}`,
		"HANDLE_TEST_WANT="+want); saw.Content != "all 7" {
		t.Errorf("data: the reader got %s", saw.Content)
	}
	o.Close()
	s.feed.close()
}

func TestRingOfAHostileReaderEnds(t *testing.T) {
	o := open(t, Options{}).NewOwner()
	p := create(t, o, strings.Repeat("x", 10000), "")
	pass(t, o, "hostile", `{"kind":"memfd.ring","meta":{"handle":"`+p.Handle+`"}}`)
}

func TestFeedsEndWithTheirOwner(t *testing.T) {
	s := open(t, Options{})
	o := s.NewOwner()
	p := create(t, o, strings.Repeat("x", 10000), "")
	ask := protocol.FDPassParams{Kind: "memfd.ring", Meta: protocol.FDMeta{Handle: p.Handle}}
	var rings []*ringReader
	for range maxFeeds {
		reply, err := o.Pass(ask)
		if err != nil {
			t.Fatal(err)
		}
		r := openRing(t, reply.Files)
		defer r.Close()
		rings = append(rings, r)
	}
	if _, err := o.Pass(ask); protocol.ErrorData(err).Reason != protocol.ReasonBusy {
		t.Errorf("one too many: %v", err)
	}
	o.Close()
	s.feed.close()
	for _, r := range rings {
		if _, err := r.Read(make([]byte, 1)); !errors.Is(err, ErrCursor) {
			t.Fatalf("the reader was not told: %v", err)
		}
	}
}

func TestNoFilesOverPipes(t *testing.T) {
	o := open(t, Options{}).NewOwner()
	here, there := net.Pipe()
	runner := rpc.NewPeer(here, rpc.Options{Handle: func(context.Context, string, json.RawMessage) (any, error) {
		return o.Pass(protocol.FDPassParams{Kind: "memfd"})
	}})
	client := rpc.NewPeer(there, rpc.Options{})
	go runner.Run(t.Context())
	go client.Run(t.Context())
	if _, err := client.Call(t.Context(), "fd.pass", nil); protocol.CodeOf(err) != protocol.CodeUnavailable {
		t.Errorf("fd.pass = %v", err)
	}
}

func (s *feeds) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n == 0
}
