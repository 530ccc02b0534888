package runner

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

func ticks(mode, params string) map[string]any {
	return map[string]any{"method": "ticks", "mode": mode, "params": json.RawMessage(params)}
}

func TestReliableStreamsLoseNothing(t *testing.T) {
	b := start(t, "[runner]\ncredit_window = 8\n"+entry("note", "note"))
	b.reaches("note", "ok")
	u := b.user()
	var sub protocol.SubscribeResult
	if err := rpc.Unmarshal(u.ok("stream.subscribe", ticks("reliable", `{"n":500}`)), &sub); err != nil || sub.Mode != "reliable" {
		t.Fatalf("%+v, %v", sub, err)
	}
	other := b.user()
	other.ok("stream.stop", protocol.StopParams{StreamID: sub.StreamID}) // it is not its own
	var last int64
	for n := range u.notes {
		if n.method == "stream.end" {
			var end protocol.StreamEnd
			if err := rpc.Unmarshal(n.params, &end); err != nil || end.LastSeq != 500 || end.Error != nil {
				t.Errorf("end %s, %v", n.params, err)
			}
			break
		}
		var f protocol.StreamFrame
		if err := rpc.Unmarshal(n.params, &f); err != nil || f.Seq == nil || *f.Seq != last+1 || f.StreamID != sub.StreamID {
			t.Fatalf("after %d came %s, %v", last, n.params, err)
		}
		if last = *f.Seq; last%4 == 0 {
			u.ok("stream.ack", protocol.AckParams{StreamID: sub.StreamID, Seq: last})
		}
	}
	if last != 500 {
		t.Errorf("the last was %d", last)
	}
}

func TestAStreamEndsWithItsPlugin(t *testing.T) {
	b := start(t, entry("note", "note"))
	b.reaches("note", "ok")
	u := b.user()
	u.ok("stream.subscribe", ticks("lossy", `{"n":3,"crash":true}`))
	for n := range u.notes {
		if n.method == "stream.end" {
			if !strings.Contains(string(n.params), `"error"`) || !strings.Contains(string(n.params), `"last_seq":3`) {
				t.Errorf("end %s", n.params)
			}
			break
		}
	}
	u.fails(protocol.CodeUnavailable, "stream.subscribe", map[string]any{"method": "no.such"})
	u.fails(protocol.CodeInvalidParams, "stream.subscribe", map[string]any{"method": "no.such", "mode": "fast"})
	u.fails(protocol.CodeInvalidParams, "stream.subscribe", map[string]any{})
}

func TestEventsReachWhoSubscribed(t *testing.T) {
	b := start(t, entry("note", "note"))
	b.reaches("note", "ok")
	u := b.user()
	u.ok("stream.subscribe", map[string]any{"method": "runner.event"})
	u.ok("runner.invoke", invoke("note", "emit", `{}`))
	if n := <-u.notes; n.method != "runner.event" || !strings.Contains(string(n.params), `{"plugin":"note","event":"noted","data":{"n":1}}`) {
		t.Errorf("%s %s", n.method, n.params)
	}
}

func TestHandles(t *testing.T) {
	b := start(t, entry("note", "note"))
	b.reaches("note", "ok")
	u := b.user()
	var made protocol.HandleResult
	if err := rpc.Unmarshal(u.ok("handle.create", map[string]any{"data": "hello"}), &made); err != nil || made.Size != 5 {
		t.Fatal(err, made)
	}
	u.ok("handle.stat", protocol.HandleParams{Handle: made.Handle})
	b.user().fails(protocol.CodePlugin, "handle.fetch", protocol.HandleParams{Handle: made.Handle})
	u.fails(protocol.CodeInvalidParams, "handle.fetch", protocol.HandleParams{Handle: "handle://../../etc/passwd"})
	u.ok("runner.invoke", through("anything", "handle.create", `{"data":"more"}`))

	// What a plugin names in its result is fetched and kept.
	v := b.user()
	v.ok("runner.invoke", invoke("note", "handle", `{}`))
	var got protocol.HandleFetchResult
	if err := rpc.Unmarshal(v.ok("handle.fetch", protocol.HandleParams{Handle: made.Handle}), &got); err != nil {
		t.Fatal(err)
	}
	if data, err := base64.StdEncoding.DecodeString(got.DataB64); err != nil || string(data) != "hello" {
		t.Errorf("%q, %v", data, err)
	}
}

// TestDescriptors: the descriptor comes with the first byte of the reply.
func TestDescriptors(t *testing.T) {
	b := start(t, "")
	b.user()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: b.socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	send := func(id int, method, params string) {
		t.Helper()
		if err := rpc.WriteFrame(conn, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)); err != nil {
			t.Fatal(err)
		}
	}
	in := bufio.NewReader(conn)
	send(1, "runner.auth", `{"token":"`+b.token("token")+`"}`)
	if body, err := rpc.ReadFrame(in, 1<<20); err != nil || strings.Contains(string(body), "error") {
		t.Fatalf("%s, %v", body, err)
	}
	send(2, "fd.pass", `{"kind":"memfd","meta":{"data":"hello"}}`)
	text, oob := make([]byte, 4096), make([]byte, 256)
	n, oobn, _, _, err := conn.ReadMsgUnix(text, oob)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil || len(messages) != 1 {
		t.Fatalf("%s: %d messages, %v", text[:n], len(messages), err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		t.Fatalf("%v, %v", fds, err)
	}
	file := os.NewFile(uintptr(fds[0]), "memfd")
	defer file.Close()
	data := make([]byte, 5)
	if _, err := file.ReadAt(data, 0); err != nil || string(data) != "hello" {
		t.Errorf("%q, %v", data, err)
	}
}
