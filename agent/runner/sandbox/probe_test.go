package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// A testContext never ends. (The report of the machine outlives the test that asked.)
type testContext struct{ context.Context }

func (testContext) Deadline() (time.Time, bool) { return time.Time{}, false }
func (testContext) Done() <-chan struct{}       { return nil }
func (testContext) Err() error                  { return nil }
func (testContext) Value(any) any               { return nil }

func TestProbe(t *testing.T) {
	d := boxed(t)
	before := time.Now()
	r := d.box.Probe(t.Context())
	first := time.Since(before)
	if !r.Works || r.Version == "" {
		t.Fatalf("Probe = %+v", r)
	}
	for _, name := range claims {
		c := r.Claim(name)
		t.Logf("%-16s %v: %s", c.Name, c.State, c.Reason)
		if c.State != Enforced && (name != AbstractSockets || canScope()) && (name != Microphone || os.Getuid() == 0) {
			t.Errorf("%s is %v: %s", name, c.State, c.Reason)
		}
	}
	for claim, part := range map[string]string{
		SessionBus:     d.path("run/bus"),
		RunnerSocket:   d.host.Socket,
		Display:        d.host.Wayland,
		Microphone:     d.path("run/pulse/native"),
		FilesystemRead: d.path("home/.profile"),
	} {
		if c := r.Claim(claim); c.State == Enforced && !strings.Contains(c.Reason, part) {
			t.Errorf("%s was not tried on %s: %s", claim, part, c.Reason)
		}
	}
	before = time.Now()
	d.box.Probe(t.Context())
	if again := time.Since(before); again > first/10 {
		t.Errorf("the second Probe takes %v, the first took %v", again, first)
	}
	t.Logf("bubblewrap %s, probed in %v", r.Version, first)
	left, _ := os.ReadDir(d.host.Runtime)
	for _, e := range left {
		if strings.HasPrefix(e.Name(), "utter-probe-") {
			t.Errorf("the probe leaves %s", e.Name())
		}
	}
}

// A sandbox with a hole is not called one that holds: each line takes something
// from the real bubblewrap or adds something to it.
func TestProbeFindsTheHole(t *testing.T) {
	if r := works(); !r.Works {
		t.Skip("no sandbox here: " + r.Reason)
	}
	realBwrap, err := exec.LookPath("bwrap")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		drop, add string // "RUN" and "HOME" stand for the desk's folders
		open      []string
	}{
		{"", "", nil},
		{"--unshare-net", "", []string{Network, AbstractSockets}},
		{"", "--ro-bind HOME HOME", []string{FilesystemRead}},
		{"", "--bind /tmp /tmp", []string{FilesystemRead, FilesystemWrite, SessionBus, RunnerSocket, Display, Microphone}},
		{"", "--ro-bind RUN RUN", []string{FilesystemRead, SessionBus, RunnerSocket, Display, Microphone}},
		{"", "--ro-bind RUN/bus RUN/bus", []string{SessionBus}},
		{"", "--ro-bind RUN/utter/runner.sock RUN/utter/runner.sock", []string{RunnerSocket}},
		{"", "--ro-bind RUN/pipewire-0 RUN/pipewire-0", []string{Microphone}},
		{"--unshare-pid", "", []string{Processes}},
		{"--disable-userns", "", []string{Capabilities}},
	} {
		d := newDesk(t)
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		add := strings.NewReplacer("RUN", d.host.Runtime, "HOME", d.host.Home).Replace(tt.add)
		d.mkdir("bin")
		script := fmt.Sprintf("#!/bin/sh\nexec %q play bwrap %q %q %q \"$@\"\n", self, realBwrap, tt.drop, add)
		if err := os.WriteFile(d.path("bin/bwrap"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", d.path("bin")+":"+os.Getenv("PATH"))
		r := d.box.Probe(t.Context())
		var open []string
		for _, c := range r.Claims {
			if c.State == Advisory {
				open = append(open, c.Name)
			}
		}
		slices.Sort(open)
		slices.Sort(tt.open)
		if !canScope() {
			open = slices.DeleteFunc(open, func(s string) bool { return s == AbstractSockets })
		}
		if !r.Works || !slices.Equal(open, tt.open) {
			t.Errorf("without %q, with %q: works %v (%s), open: %v, want %v", tt.drop, tt.add, r.Works, r.Reason, open, tt.open)
		}
	}
}

func TestJudge(t *testing.T) {
	found := []finding{
		{attempt{Network, tryConnect, "tcp:127.0.0.1:1", ""}, "", ""},
		{attempt{FilesystemRead, tryRead, "/x", ""}, "absent", ""},
		{attempt{Microphone, tryOpen, "/dev/snd/x", ""}, "absent", "busy"},
	}
	for _, tt := range []struct {
		claim, missing, fault string
		want                  State
		reason                string
	}{
		{Network, "", "", Advisory, "a plugin could connect to tcp:127.0.0.1:1"},
		{FilesystemRead, "", "", Enforced, "refused inside, done outside: read /x"},
		{FilesystemRead, "no disk", "", Unverified, "no disk"},
		{FilesystemRead, "no disk", "a hole", Advisory, "a hole"},
		{Microphone, "", "", Unverified, "open /dev/snd/x is refused inside, but outside too: busy"},
		{Processes, "", "", Unverified, "not tried"},
	} {
		c := judge(tt.claim, found, tt.missing, tt.fault)
		if c.State != tt.want || c.Reason != tt.reason {
			t.Errorf("judge(%s) = %v, %s; want %v, %s", tt.claim, c.State, c.Reason, tt.want, tt.reason)
		}
	}
}

func TestProbeWithoutBubblewrap(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	r := New(Host{}).Probe(t.Context())
	if r.Works || !strings.Contains(r.Reason, "bwrap") || r.Claim(Network).State != Advisory {
		t.Errorf("Probe = %+v", r)
	}
	for mode, want := range map[Mode]bool{Auto: true, Never: true, Always: false} {
		applies, err := Applies(mode, r)
		var none *NoSandboxError
		if applies || (err == nil) != want || err != nil && (!errors.Is(err, ErrNoSandbox) || !errors.As(err, &none)) {
			t.Errorf("Applies(%s) = %v, %v", mode, applies, err)
		}
	}
}

// A probe that was broken off says nothing of the machine.
func TestProbeBrokenOff(t *testing.T) {
	d := boxed(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := d.box.Probe(ctx); r.Works {
		t.Error("it works")
	}
	if r := d.box.Probe(t.Context()); !r.Works {
		t.Errorf("afterwards: %s", r.Reason)
	}
}

func TestParseMode(t *testing.T) {
	for in, want := range map[string]Mode{"": Auto, "auto": Auto, "true": Always, "false": Never, "yes": ""} {
		m, err := ParseMode(in)
		if (err == nil) != (want != "") || err == nil && m != want {
			t.Errorf("ParseMode(%q) = %q, %v", in, m, err)
		}
	}
}

func TestPermissions(t *testing.T) {
	good := Report{Works: true}
	for _, name := range claims {
		good.Claims = append(good.Claims, Claim{name, Enforced, "tried"})
	}
	partly := Report{Works: true,
		Claims: []Claim{{Network, Unverified, "no loopback"}, {Microphone, Advisory, "a plugin could"}}}
	for _, tt := range []struct {
		name    string
		granted []string
		report  Report
		mode    Mode
		want    string // the enforced ones
		reason  map[string]string
	}{
		{"all holds", []string{Network}, good, Auto, "microphone network filesystem.read filesystem.write",
			map[string]string{Network: "a browser's remote control", "process-spawn": "always start",
				"keyring": "the session bus is shut (tried)"}},
		{"strict", nil, good, Always, "microphone network filesystem.read filesystem.write", nil},
		{"switched off", nil, good, Never, "", map[string]string{Network: "is disabled by enforce"}},
		{"none here", nil, Report{Reason: "no bwrap"}, Auto, "",
			map[string]string{Network: "no bwrap", "clipboard": "no bwrap"}},
		{"none here, strict", nil, Report{Reason: "no bwrap"}, Always, "", map[string]string{Network: "does not start"}},
		{"some holds not", []string{Network, "teleport"}, partly, Auto, "",
			map[string]string{Network: "unverified: granted", Microphone: "could", FilesystemRead: "not tried",
				"teleport": "no such permission", "keyring": "abstract sockets"}},
	} {
		var enforced []string
		all := Permissions(tt.granted, tt.report, tt.mode)
		for _, p := range all {
			if p.Enforced {
				enforced = append(enforced, p.Name)
			}
			if p.Enforced == p.Advisory || p.Granted != slices.Contains(tt.granted, p.Name) || p.Reason == "" {
				t.Errorf("%s: %+v", tt.name, p)
			}
			if !strings.Contains(p.Reason, tt.reason[p.Name]) {
				t.Errorf("%s: %s: %s, want %q", tt.name, p.Name, p.Reason, tt.reason[p.Name])
			}
		}
		if got := strings.Join(enforced, " "); got != tt.want {
			t.Errorf("%s: enforced: %s; want %s", tt.name, got, tt.want)
		}
		if len(all) < 11 {
			t.Errorf("%s: %d lines", tt.name, len(all))
		}
	}
}

// TestStatesGoThroughJSON: a runner tells them to its clients.
func TestStatesGoThroughJSON(t *testing.T) {
	for _, want := range []State{Advisory, Unverified, Enforced} {
		data, err := json.Marshal(Claim{State: want})
		if err != nil {
			t.Fatal(err)
		}
		var got Claim
		if err := json.Unmarshal(data, &got); err != nil || got.State != want {
			t.Errorf("%s: %v, %v", data, got.State, err)
		}
	}
	var unknown Claim
	if err := json.Unmarshal([]byte(`{"state": "certain"}`), &unknown); err != nil || unknown.State != Advisory {
		t.Errorf("an unknown state: %v, %v", unknown.State, err)
	}
}
