package runner

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// TestATokenIsAskedFor: what follows a runner.auth at once counts as behind it, and
// guessing ends the connection.
func TestATokenIsAskedFor(t *testing.T) {
	b := start(t, "")
	u := b.connect(nil)
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

func TestCutContext(t *testing.T) {
	whole := `{"focused":{"app_id":"foot","title":"t","window_id":7,"extra":{"a":1}},"windows":[{"app_id":"x","title":"t"},3],"monitors":[{"name":"DP-1","width":1,"serial":"s"}],"clipboard":"c","timestamp":1.5,"tree":{}}`
	tests := []struct {
		in      string
		granted []string
		want    string
	}{
		{whole, nil,
			`{"focused":{"app_id":"foot","window_id":7},"windows":[{"app_id":"x"},null],"monitors":[{"name":"DP-1","width":1}],"timestamp":1.5}`},
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
		if got := string(cutContext(json.RawMessage(text), nil)); strings.Contains(got, "secret") &&
			!strings.Contains(text, "_id") && !strings.Contains(text, "name") {
			t.Errorf("%s became %s", text, got)
		}
	})
}
