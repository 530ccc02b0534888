package main

import (
	"encoding/json"
	"strings"
)

// pluginMutations are between the runner and a plugin.
var pluginMutations = []mutation{
	{name: "plugin-lower-case-header", plugin: bytesOf(fromRunner,
		func(p *parcel) { p.header = strings.ToLower(p.header) }), caught: []string{"2.2", "A.2"}},
	{name: "plugin-raises-trust", plugin: edit(fromRunner, func(v obj) any {
		if params, isObject := v["params"].(map[string]any); isObject && v["method"] == "action.invoke" {
			params["provenance"] = "user"
		}
		return v
	}), caught: []string{"11.23", "9.9"}},
	{name: "plugin-no-cancel", plugin: edit(fromRunner, func(v obj) any {
		if v["method"] == "$/cancel" {
			return nil
		}
		return v
	}), caught: []string{"3.18", "3.20"}},
	{name: "plugin-epoch-stays", plugin: edit(fromRunner, func(v obj) any {
		if params, isObject := v["params"].(map[string]any); isObject && v["method"] == "protocol.hello" {
			params["epoch"] = 0
		}
		return v
	}), caught: []string{"4.8"}},
	{name: "plugin-does-it-twice", plugin: edit(fromRunner, func(v obj) any {
		if v["method"] == "action.invoke" {
			return arr{v, v}
		}
		return v
	}), caught: []string{"6.1"}},
	{name: "plugin-no-shutdown", plugin: answering("shutdown"), caught: []string{"16.5"}},
	{name: "plugin-never-asked-for-health", plugin: answering("plugin.health"), caught: []string{"4.1"}},
	{name: "plugin-acks-without-id", plugin: func() rewrite {
		return func(w way, p *parcel, pass send) {
			if v, _ := p.value().(map[string]any); w == fromRunner && v["method"] == "stream.ack" {
				pass(toRunner, p.with(obj{"jsonrpc": "2.0", "id": v["id"], "result": obj{}}))
				delete(v, "id")
				p = p.with(v)
			}
			pass(w, p)
		}
	}, caught: []string{"13.9"}},
	{name: "plugin-acks-for-another-stream", plugin: edit(fromRunner, func(v obj) any {
		if params, isObject := v["params"].(map[string]any); isObject && v["method"] == "stream.ack" {
			params["stream_id"] = "stream-1"
		}
		return v
	}), caught: []string{"13.9"}},
	{name: "plugin-not-told-the-mode", plugin: edit(fromRunner, func(v obj) any {
		if params, isObject := v["params"].(map[string]any); isObject && v["method"] == "stream.subscribe" {
			delete(params, "mode")
			delete(params, "window")
		}
		return v
	}), caught: []string{"13.3"}},
	{name: "plugin-answered-for-by-its-predecessor", plugin: edit(toRunner, func(v obj) any {
		if id, isText := v["id"].(string); isText {
			if _, n, cut := strings.Cut(id, ":"); cut {
				v["id"] = "1:" + n
			}
		}
		return v
	}), caught: []string{"3.13"}},
	{name: "plugin-numbers-float", plugin: edit(fromRunner, func(v obj) any {
		var loose any
		if json.Unmarshal([]byte(toJSON(v)), &loose) != nil {
			return v
		}
		return loose
	}), caught: []string{"3.17"}},
	{name: "plugin-errors-wrapped", plugin: edit(toRunner, func(v obj) any {
		if e, failed := v["error"].(map[string]any); failed {
			v["error"] = obj{"code": -32000, "message": "plugin: " + text(e["message"])}
		}
		return v
	}), caught: []string{"3.15"}},
	{name: "plugin-first-frames-lost", plugin: func() rewrite {
		subscribed := false
		return func(w way, p *parcel, pass send) {
			v := p.value()
			if w == toRunner && has(at(v, "result"), "stream_id") {
				subscribed = true
			}
			if w == toRunner && at(v, "method") == any("tts.audio") && !subscribed {
				return
			}
			pass(w, p)
		}
	}, caught: []string{"13.4"}},
	{name: "plugin-settings-lost", plugin: edit(fromRunner, func(v obj) any {
		if params, isObject := v["params"].(map[string]any); isObject && v["method"] == "protocol.hello" {
			delete(params, "settings")
		}
		return v
	}), caught: []string{"4.9"}},
	{name: "plugin-garbage-overlooked", plugin: func() rewrite {
		return func(w way, p *parcel, pass send) {
			if w == toRunner && p.value() == nil {
				return
			}
			pass(w, p)
		}
	}, caught: []string{"16.8"}},
	{name: "plugin-reads-titles", plugin: edit(fromRunner, func(v obj) any {
		if focused, isObject := at(v, "params", "context", "focused").(map[string]any); isObject {
			focused["title"] = "SECRET title"
		}
		return v
	}), caught: []string{"9.8"}},
	{name: "plugin-input-stays-open", plugin: func() rewrite {
		return func(w way, p *parcel, pass send) {
			if w == fromRunner {
				pass(w, &parcel{header: keepOpen})
			}
			pass(w, p)
		}
	}, caught: []string{"A.1", "A.3"}},
}
