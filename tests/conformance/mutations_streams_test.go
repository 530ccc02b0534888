package main

import (
	"os"
	"path/filepath"
	"strings"
)

// streamMutations break streams.
var streamMutations = []mutation{
	{name: "one-frame-over-the-credit", client: func() rewrite {
		acked := false
		return func(w way, p *parcel, pass send) {
			v := p.value()
			if at(v, "id") == any("hidden") {
				return
			}
			pass(w, p)
			if w == fromRunner && !acked && whole(at(v, "params", "seq")) == 1 {
				acked = true
				pass(toRunner, p.with(obj{"jsonrpc": "2.0", "id": "hidden", "method": "stream.ack",
					"params": obj{"stream_id": at(v, "params", "stream_id"), "seq": 1}}))
			}
		}
	}, caught: []string{"13.6"}},
	{name: "one-frame-under-the-credit", client: func() rewrite {
		var back *parcel
		return func(w way, p *parcel, pass send) {
			if w == fromRunner && at(p.value(), "method") == any("tts.audio") {
				p, back = back, p
			}
			if p != nil {
				pass(w, p)
			}
		}
	}, caught: []string{"13.6"}},
	{name: "swallows-acks", client: func() rewrite {
		return func(w way, p *parcel, pass send) {
			v := p.value()
			if w == toRunner && at(v, "method") == any("stream.ack") {
				pass(fromRunner, p.with(obj{"jsonrpc": "2.0", "id": at(v, "id"), "result": obj{}}))
				return
			}
			pass(w, p)
		}
	}, caught: []string{"13.6", "13.8"}},
	{name: "an-ack-is-one-credit", client: func() rewrite {
		acked := 0
		return func(w way, p *parcel, pass send) {
			if v, _ := p.value().(map[string]any); w == toRunner && v["method"] == "stream.ack" {
				acked++
				v["params"].(map[string]any)["seq"] = acked
				p = p.with(v)
			}
			pass(w, p)
		}
	}, caught: []string{"13.6"}},
	{name: "swaps-frames", client: func() rewrite {
		n := 0
		var back *parcel
		return func(w way, p *parcel, pass send) {
			if w == fromRunner && at(p.value(), "method") == any("tts.audio") {
				switch n++; n {
				case 5:
					back = p
					return
				case 6:
					pass(w, p)
					p = back
				}
			}
			pass(w, p)
		}
	}, caught: []string{"13.6", "13.8"}},
	{name: "loses-a-frame", client: edit(fromRunner, func(v obj) any {
		if v["method"] == "tts.audio" && whole(at(v, "params", "seq")) == 7 {
			return nil
		}
		return v
	}), caught: []string{"13.6", "13.8"}},
	{name: "hides-the-gap", client: func() rewrite {
		n := 0
		return func(w way, p *parcel, pass send) {
			if v, _ := p.value().(map[string]any); w == fromRunner && v["method"] == "tts.audio" {
				n++
				v["params"].(map[string]any)["seq"] = n
				p = p.with(v)
			}
			pass(w, p)
		}
	}, caught: []string{"13.14"}},
	{name: "drops-the-newest", client: edit(fromRunner, func(v obj) any {
		if v["method"] == "tts.audio" && whole(at(v, "params", "seq")) > 3900 {
			return nil
		}
		return v
	}), caught: []string{"13.14"}},
	{name: "dies-silently", client: edit(fromRunner, func(v obj) any {
		if v["method"] == "stream.end" {
			return nil
		}
		return v
	}), caught: []string{"13.18", "13.19"}},
	{name: "ends-without-the-reason", client: edit(fromRunner, func(v obj) any {
		if params, isObject := v["params"].(map[string]any); isObject && v["method"] == "stream.end" {
			delete(params, "error")
		}
		return v
	}), caught: []string{"13.13", "13.18"}},
	{name: "unknown-stream-is-an-error", client: func() rewrite {
		return func(w way, p *parcel, pass send) {
			v := p.value()
			if id := text(at(v, "params", "stream_id")); w == toRunner && at(v, "method") == any("stream.stop") &&
				!strings.HasPrefix(id, "stream-") {
				pass(fromRunner,
					p.with(obj{"jsonrpc": "2.0", "id": at(v, "id"), "error": obj{"code": -32602, "message": "unknown stream"}}))
				return
			}
			pass(w, p)
		}
	}, caught: []string{"13.22"}},
}

// handleMutations break handles and the passing of descriptors.
var handleMutations = []mutation{
	{name: "no-descriptor", client: bytesOf(fromRunner, func(p *parcel) {
		for _, f := range p.files {
			f.Close()
		}
		p.files = nil
	}), caught: []string{"14.9", "14.13"}},
	{name: "late-descriptor", client: func() rewrite {
		return func(w way, p *parcel, pass send) {
			if w == fromRunner && len(p.files) > 0 {
				pass(w, &parcel{header: p.header[:1]})
				p.header = p.header[1:]
			}
			pass(w, p)
		}
	}, caught: []string{"14.9", "14.13"}},
	{name: "descriptor-of-the-next", client: func() rewrite {
		var back []*os.File
		return func(w way, p *parcel, pass send) {
			if w == fromRunner && whole(at(p.value(), "id")) > 0 {
				back, p.files = p.files, back
			}
			pass(w, p)
		}
	}, caught: []string{"14.13"}},
}

// socketMutations break the socket.
var socketMutations = []mutation{
	{name: "everybody-is-admitted", client: func() rewrite {
		first := true
		return func(w way, p *parcel, pass send) {
			token, err := os.ReadFile(filepath.Join(runtimeFolder(), "utter", "token"))
			if first && w == toRunner && err == nil {
				first = false
				pass(toRunner, p.with(obj{"jsonrpc": "2.0", "id": "hidden", "method": "runner.auth",
					"params": obj{"token": strings.TrimSpace(string(token))}}))
			}
			if at(p.value(), "id") != any("hidden") {
				pass(w, p)
			}
		}
	}, caught: []string{"15.2"}},
}
