package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"utter/agent/internal/executor"
	"utter/shared/plan"
	"utter/shared/plugin/protocol"
	fakeniri "utter/tests/fakes/niri"
	"utter/tests/fakes/privatebus"
)

func TestThePluginCarriesOut(t *testing.T) {
	dirs := pluginHome(t, "")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", privatebus.Start(t, nil))
	n := fakeniri.Start(t, fakeniri.Options{})
	n.Open(fakeniri.Toplevel{AppID: "t-app", Title: "Tee", PID: 1})
	n.Open(fakeniri.Toplevel{AppID: "foot", Title: "foot", PID: 1})
	t.Setenv("NIRI_SOCKET", n.Path())
	s := asPlugin(t, dirs, false)
	if _, err := plans(t, s, "tile right", "", protocol.FromUser); err != nil { // it waits for the compositor
		t.Fatal(err)
	}
	// Who wrote what is to be typed is not told: it may be a plugin.
	for op, args := range map[string]string{"type_text": `{"text":"date\n"}`, "key": `{"chord":"enter"}`} {
		_, err := s.Invoke(t.Context(), op, json.RawMessage(args))
		failed(t, op, err, protocol.CodeDenied, `{"reason":"disabled","outcome":"not_started"}`, "into the terminal foot")
	}
	r, err := s.Invoke(t.Context(), "niri", map[string]string{"command": "focus-column-left"})
	if err != nil || !r.OK || !strings.Contains(string(r.All), `"evidence":"state"`) {
		t.Errorf("%s, %v", r.All, err)
	}
	_, err = s.Invoke(t.Context(), "niri", map[string]string{"command": "focus-column-left"})
	failed(t, "at the edge", err, protocol.CodePlugin, `{"outcome":"not_started"}`)
	_, err = s.Invoke(t.Context(), "launch_app", map[string]any{"argv": []string{"no-such-program"}})
	failed(t, "a program that is not there", err, protocol.CodeUnavailable, `{"outcome":"not_started"}`, "no-such-program")
	_, err = s.Invoke(t.Context(), "key", map[string]string{"chord": "enter"})
	failed(t, "without a display to type on", err, protocol.CodeUnavailable, `{"outcome":"not_started"}`)
}

func TestFailuresAreToldTruthfully(t *testing.T) {
	for _, tt := range []struct {
		outcome plan.Outcome
		reason  plan.Reason
		code    protocol.Code
		data    string
	}{
		{plan.Failed, "", protocol.CodePlugin, `{}`},
		{plan.Unknown, "", protocol.CodePlugin, `{"outcome":"unknown"}`},
		{plan.Unknown, plan.Timeout, protocol.CodeTimeout, `{"outcome":"unknown"}`},
		{plan.Unknown, plan.Cancelled, protocol.CodeCancelled, `{"outcome":"unknown"}`},
		{plan.Refused, plan.Timeout, protocol.CodeTimeout, `{"outcome":"not_started"}`},
		{plan.Refused, plan.NotFound, protocol.CodePlugin, `{"outcome":"not_started"}`},
		{plan.Refused, plan.NotSupported, protocol.CodeUnavailable, `{"outcome":"not_started"}`},
		{plan.Refused, plan.Missing, protocol.CodeUnavailable, `{"outcome":"not_started"}`},
	} {
		e, ok := failure(executor.Report{Outcome: tt.outcome, Reason: tt.reason, Message: "100% wrong"}).(*protocol.Error)
		if !ok || e.Code != tt.code || string(e.Data) != tt.data || e.Message != "100% wrong" {
			t.Errorf("%v %s: %v %s, want %d %s", tt.outcome, tt.reason, e, e.Data, tt.code, tt.data)
		}
	}
}

// The plugin ends where the bus goes away; the runner starts it again.
func TestThePluginEndsWithTheBus(t *testing.T) {
	dirs := pluginHome(t, "")
	address, end := privatebus.StartEnding(t, nil)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	p := newPlugin(dirs.ConfigFile(), dirs, false)
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { ended <- p.Run(ctx) }()
	end()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("it ends as if all were well")
		}
	case <-time.After(patience):
		t.Error("it goes on")
	}
}
