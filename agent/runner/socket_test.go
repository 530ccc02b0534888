package runner

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

func TestModesOfFiles(t *testing.T) {
	b := start(t, "")
	b.user()
	for name, want := range map[string]os.FileMode{"": 0o700, "runner.sock": 0o600, "token": 0o600, "confirm-token": 0o600, "handles": 0o700} {
		info, err := os.Lstat(filepath.Join(b.dir, "utter", name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %o", name, info.Mode(), err, want)
		}
	}
	if token := b.token("token"); len(token) != 64 || token == b.token("confirm-token") {
		t.Errorf("token %q", token)
	}
}

func TestATokenIsAskedFor(t *testing.T) {
	b := start(t, "")
	u := b.connect(nil)
	if d := u.fails(protocol.CodeDenied, "runner.status", nil); d.Reason != protocol.ReasonUnauthenticated {
		t.Errorf("reason %v", d.Reason)
	}
	u.fails(protocol.CodeDenied, "runner.auth", protocol.AuthParams{Token: ""})
	u.fails(protocol.CodeDenied, "no.such", nil)
	u.fails(protocol.CodeInvalidParams, "runner.auth", map[string]any{"token": 7})
	u.fails(protocol.CodeDenied, "runner.status", nil) // it does not wait for that
	u.ok("runner.auth", protocol.AuthParams{Token: b.token("token")})
	u.fails(protocol.CodeMethodNotFound, "runner.auth", protocol.AuthParams{Token: b.token("token")})
	u.fails(protocol.CodeMethodNotFound, "no.such", nil)

	// What follows a runner.auth at once counts as behind it.
	u = b.connect(nil)
	auth, err := u.peer.Start(t.Context(), "runner.auth", protocol.AuthParams{Token: b.token("token")})
	if err != nil {
		t.Fatal(err)
	}
	u.ok("runner.status", nil)
	if _, err := auth.Wait(t.Context()); err != nil {
		t.Error(err)
	}

	u = b.connect(nil)
	for range maxWrong {
		_, _ = u.call("runner.auth", protocol.AuthParams{Token: "guess"})
	}
	select {
	case <-u.peer.Done():
	case <-time.After(10 * time.Second):
		t.Error("guessing goes on")
	}
}

func TestSocketTable(t *testing.T) {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		table string
		token string // for runner.auth; "" is not asked
		in    bool
	}{
		{"allow_same_uid = true", "", true},
		{`allow_binaries = ["` + exe + `"]`, "", true},
		{`allow_binaries = ["/somewhere/` + filepath.Base(exe) + `"]`, "", false},
		{`allow_binaries = ["` + filepath.Base(exe) + `"]`, "", true},
		{`allow_binaries = ["python"]` + "\n" + `token = "t"`, "t", false},
		{`allow_binaries = ["` + exe + `"]` + "\n" + `token = "t"`, "t", true},
		{`token = "t"`, "t", true},
		{"", "", false},
	}
	for _, tt := range tests {
		b := start(t, "[socket]\n"+tt.table+"\n")
		u := b.connect(nil)
		if tt.token != "" && tt.in {
			u.fails(protocol.CodeDenied, "runner.status", nil)
			u.ok("runner.auth", protocol.AuthParams{Token: tt.token})
		}
		if _, err := u.call("runner.status", nil); (err == nil) != tt.in {
			t.Errorf("%s: %v, want in %v", tt.table, err, tt.in)
		}
	}
}

func TestRateLimit(t *testing.T) {
	b := start(t, "")
	u := b.user()
	for range rateLimit - 1 {
		u.ok("runner.status", nil)
	}
	if d := u.fails(protocol.CodeDenied, "runner.status", nil); d.Reason != protocol.ReasonRateLimited {
		t.Errorf("reason %v", d.Reason)
	}
	u.ok("stream.ack", protocol.AckParams{StreamID: "none"})
	b.user().ok("runner.status", nil)
}

func TestRate(t *testing.T) {
	r := rate{limit: 3, window: time.Second}
	now := time.Now()
	for i, tt := range []struct {
		after time.Duration
		want  bool
	}{{0, true}, {100, true}, {200, true}, {300, false}, {1000, true}, {1050, false}, {1100, true}} {
		if got := r.admit(now.Add(tt.after * time.Millisecond)); got != tt.want {
			t.Errorf("%d: admit = %v", i, got)
		}
	}
}

func TestLargeBodiesShareABudget(t *testing.T) {
	var c clients
	var release []func()
	for range maxBodies / rpc.MaxFromClient {
		f, ok := c.reserve(rpc.MaxFromClient)
		if !ok {
			t.Fatal("the budget is smaller than it says")
		}
		release = append(release, f)
	}
	if _, ok := c.reserve(1); ok {
		t.Error("there is no bound")
	}
	release[0]()
	release[0]()
	if _, ok := c.reserve(rpc.MaxFromClient); !ok {
		t.Error("what was released is lost")
	}
	if _, ok := c.reserve(1); ok {
		t.Error("one release counted twice")
	}
}

func TestFoldersOfOthersAreRefused(t *testing.T) {
	dir := shortTemp(t)
	real := filepath.Join(dir, "real")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(dir, "utter-0")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ own, socket string }{{link, real}, {real, link}, {filepath.Join(open, "utter"), real}} {
		if err := ownFolders(tt.own, tt.socket); err == nil {
			t.Errorf("%v was taken", tt)
		}
	}
	if err := ownFolders(real, real); err != nil {
		t.Error(err)
	}
}

func TestSilentClientIsSentAway(t *testing.T) {
	b := start(t, "")
	u := b.connect(nil)
	var c *client
	b.until("it is connected", func() bool {
		b.runner.clients.mu.Lock()
		defer b.runner.clients.mu.Unlock()
		for c = range b.runner.clients.all {
		}
		return c != nil
	})
	c.hurry() // what the clock would call
	<-u.peer.Done()
}

func TestAThousandClients(t *testing.T) {
	b := start(t, entry("note", "note"))
	b.reaches("note", "ok")
	token := b.token("token")
	const n = 1000
	errs := make(chan error, n)
	for range n {
		go func() { errs <- oneCall(b.socket, token) }()
	}
	for range n {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
}

func oneCall(socket, token string) error {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	peer := rpc.NewPeer(conn, rpc.Options{})
	done := make(chan struct{})
	go func() { defer close(done); _ = peer.Run(context.Background()) }()
	defer func() { peer.Close(); <-done }()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := peer.Call(ctx, "runner.auth", protocol.AuthParams{Token: token}); err != nil {
		return err
	}
	_, err = peer.Call(ctx, "runner.invoke", through("note", "plugin.health", `{}`))
	return err
}

func TestCutContext(t *testing.T) {
	whole := `{"focused":{"app_id":"foot","title":"t","window_id":7,"extra":{"a":1}},"windows":[{"app_id":"x","title":"t"},3],"monitors":[{"name":"DP-1","width":1,"serial":"s"}],"clipboard":"c","timestamp":1.5,"tree":{}}`
	tests := []struct {
		in      string
		granted []string
		want    string
	}{
		{whole, nil, `{"focused":{"app_id":"foot","window_id":7},"windows":[{"app_id":"x"},null],"monitors":[{"name":"DP-1","width":1}],"timestamp":1.5}`},
		{`{"focused":null,"timestamp":{"x":"secret"}}`, nil, `{"focused":null}`},
		{whole, []string{"accessibility", "clipboard"}, whole},
		{`{"clipboard":"c","a":1}`, []string{"accessibility"}, `{"a":1}`},
		{`7`, nil, ``}, {``, nil, ``},
	}
	for _, tt := range tests {
		if got := string(cutContext(json.RawMessage(tt.in), tt.granted)); got != tt.want {
			t.Errorf("cutContext(%s, %v)\n got %s\nwant %s", tt.in, tt.granted, got, tt.want)
		}
	}
}

func FuzzCutContext(f *testing.F) {
	f.Add(`{"focused":{"title":"secret"},"windows":[{"title":"secret"}],"clipboard":"secret","x":["secret"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if got := string(cutContext(json.RawMessage(text), nil)); strings.Contains(got, "secret") && !strings.Contains(text, "_id") && !strings.Contains(text, "name") {
			t.Errorf("%s became %s", text, got)
		}
	})
}
