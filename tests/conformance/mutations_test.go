package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// mutations are the broken runners that are made by a proxy, after two that are
// not broken.
var mutations = slices.Concat([]mutation{
	{name: "none", client: func() rewrite { return straight }},
	{name: "none-plugin", plugin: func() rewrite { return straight }},
}, frameMutations, rpcMutations, policyMutations, streamMutations, handleMutations, socketMutations, pluginMutations)

// frameMutations break frames.
var frameMutations = []mutation{
	{name: "lower-case-header", client: bytesOf(fromRunner, func(p *parcel) { p.header = strings.ToLower(p.header) }),
		caught: []string{"2.1", "3.1"}},
	{name: "counts-characters", client: bytesOf(fromRunner, func(p *parcel) {
		p.header = fmt.Sprintf("Content-Length: %d\r\n\r\n", len([]rune(string(p.body))))
	}), caught: []string{"2.1"}},
	{name: "escapes-utf8", client: bytesOf(fromRunner, func(p *parcel) {
		var b strings.Builder
		for _, r := range string(p.body) {
			if r > 127 && r < 0x10000 {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				b.WriteRune(r)
			}
		}
		p.body = []byte(b.String())
		p.header = fmt.Sprintf("Content-Length: %d\r\n\r\n", len(p.body))
	}), caught: []string{"2.1"}},
	{name: "spaces-out", client: bytesOf(fromRunner, func(p *parcel) {
		p.body = append(p.body[:len(p.body)-1:len(p.body)-1], " }"...)
		p.header = fmt.Sprintf("Content-Length: %d\r\n\r\n", len(p.body))
	}), caught: []string{"2.1"}},
	{name: "tears-frames", client: func() rewrite {
		n := 0
		return func(w way, p *parcel, pass send) {
			if n++; w == fromRunner && n > 6 && len(p.body) > 10 {
				p.body = p.body[:len(p.body)-1] // a short write whose rest is forgotten
			}
			pass(w, p)
		}
	}, caught: []string{"3.1", "14.13"}},
	{name: "silent-on-garbage", client: edit(fromRunner, func(v obj) any {
		if whole(at(v, "error", "code")) == -32700 {
			return nil
		}
		return v
	}), caught: []string{"2.5", "2.7"}},
	{name: "goes-on-after-garbage", client: func() rewrite {
		return func(w way, p *parcel, pass send) {
			if w == fromRunner && whole(at(p.value(), "error", "code")) == -32700 {
				pass(w, &parcel{header: keepOpen})
			}
			pass(w, p)
		}
	}, caught: []string{"2.5"}},
}

// rpcMutations break JSON-RPC.
var rpcMutations = []mutation{
	{name: "lower-case-ids", client: edit(fromRunner, func(v obj) any {
		if id, isText := v["id"].(string); isText {
			v["id"] = strings.ToLower(id)
		}
		return v
	}), caught: []string{"3.1"}},
	{name: "ids-as-text", client: edit(fromRunner, func(v obj) any {
		if id, isNumber := v["id"].(json.Number); isNumber {
			v["id"] = string(id)
		}
		return v
	}), caught: []string{"3.1"}},
	{name: "duplicates-replies", client: edit(fromRunner, func(v obj) any {
		if has(v, "result") {
			return arr{v, v}
		}
		return v
	}), caught: []string{"3.2", "8.1"}},
	{name: "serves-batches", client: func() rewrite {
		return func(w way, p *parcel, pass send) {
			batch, isBatch := p.value().([]any)
			if w == fromRunner || !isBatch {
				pass(w, p)
				return
			}
			for _, each := range batch {
				pass(w, p.with(each))
			}
		}
	}, caught: []string{"3.2"}},
	{name: "answers-notifications", client: func() rewrite {
		return func(w way, p *parcel, pass send) {
			v, isObject := p.value().(map[string]any)
			if w == toRunner && isObject && has(v, "method") && v["id"] == nil {
				pass(fromRunner, p.with(obj{"jsonrpc": "2.0", "id": nil, "result": obj{}}))
			}
			pass(w, p)
		}
	}, caught: []string{"3.6", "3.22"}},
	{name: "positional-arguments-lost", client: edit(toRunner, func(v obj) any {
		if _, isObject := v["params"].(map[string]any); has(v, "params") && !isObject {
			v["params"] = obj{}
		}
		return v
	}), caught: []string{"3.5"}},
	{name: "any-case-will-do", client: edit(toRunner, func(v obj) any { return lowered(v) }), caught: []string{"3.8"}},
	{name: "internal-error-for-all", client: edit(fromRunner, func(v obj) any {
		if e, failed := v["error"].(map[string]any); failed && whole(e["code"]) == -32601 {
			e["code"] = -32603
		}
		return v
	}), caught: []string{"3.7"}},
	{name: "one-request-at-a-time", client: oneAtATime, caught: []string{"3.11"}},
	{name: "swallows-cancel", client: edit(toRunner, func(v obj) any {
		if strings.HasPrefix(text(v["method"]), "$/cancel") {
			return nil
		}
		return v
	}), caught: []string{"3.20", "3.21"}},
	{name: "no-timeouts", client: edit(toRunner, func(v obj) any {
		if params, isObject := at(v, "params", "params").(map[string]any); isObject {
			delete(params, "timeout_ms")
		}
		return v
	}), caught: []string{"3.18"}},
	{name: "no-outcome", client: data(func(d obj) { delete(d, "outcome") }), caught: []string{"16.6", "3.20"}},
	{name: "no-reason", client: data(func(d obj) { delete(d, "reason") }), caught: []string{"11.3", "15.2"}},
}

// policyMutations break the policy.
var policyMutations = []mutation{
	{name: "screen-is-fine", client: edit(fromRunner, func(v obj) any {
		if whole(at(v, "error", "code")) == -32006 {
			return obj{"jsonrpc": "2.0", "id": v["id"], "result": obj{"ok": true}}
		}
		return v
	}), caught: []string{"11.8", "11.17"}},
	{name: "fields-unsorted", client: data(func(d obj) {
		if fields := list(d["fields"]); len(fields) > 1 {
			fields[0], fields[1] = fields[1], fields[0]
		}
	}), caught: []string{"11.4"}},
	{name: "trusts-by-default", client: edit(toRunner, func(v obj) any {
		if params, isObject := at(v, "params", "params").(map[string]any); isObject && params["provenance"] == nil {
			params["provenance"] = "user"
		}
		return v
	}), caught: []string{"11.24"}},
	{name: "null-is-absent", client: edit(toRunner, func(v obj) any {
		for _, where := range []any{v["params"], at(v, "params", "params")} {
			if params, isObject := where.(map[string]any); isObject && params["provenance"] == nil {
				delete(params, "provenance")
			}
		}
		return v
	}), caught: []string{"11.22"}},
	{name: "truthy-approval", client: edit(toRunner, func(v obj) any {
		if r, isObject := v["result"].(map[string]any); isObject && r["approved"] != nil && r["approved"] != false {
			r["approved"] = true
		}
		return v
	}), caught: []string{"12.2"}},
	{name: "approves-for-the-user", client: func() rewrite {
		return func(w way, p *parcel, pass send) {
			v := p.value()
			if w == fromRunner && at(v, "method") == any("host.confirm") {
				pass(toRunner, p.with(obj{"jsonrpc": "2.0", "id": at(v, "id"),
					"result": obj{"approved": true, "nonce": at(v, "params", "nonce"), "digest": at(v, "params", "digest")}}))
				return
			}
			pass(w, p)
		}
	}, caught: []string{"12.1", "12.2"}},
	{name: "cuts-the-summary", client: edit(fromRunner, func(v obj) any {
		if params, isObject := v["params"].(map[string]any); isObject && v["method"] == "host.confirm" {
			params["summary"] = clip(text(params["summary"]), 500)
		}
		return v
	}), caught: []string{"12.9"}},
	{name: "any-nonce", client: func() rewrite {
		asked := map[string]any{}
		return func(w way, p *parcel, pass send) {
			v, _ := p.value().(map[string]any)
			if v["method"] == "host.confirm" {
				asked[toJSON(v["id"])] = v["params"]
			} else if q := asked[toJSON(v["id"])]; w == toRunner && q != nil && at(v, "result", "approved") == true {
				r := v["result"].(map[string]any)
				r["nonce"], r["digest"] = at(q, "nonce"), at(q, "digest")
				p = p.with(v)
			}
			pass(w, p)
		}
	}, caught: []string{"12.6", "12.13"}},
}

// bytesOf changes a frame that goes one way, not its value.
func bytesOf(only way, change func(p *parcel)) func() rewrite {
	return func() rewrite {
		return func(w way, p *parcel, pass send) {
			if w == only && len(p.body) > 0 {
				change(p)
			}
			pass(w, p)
		}
	}
}

// data changes the data of errors.
func data(change func(d obj)) func() rewrite {
	return edit(fromRunner, func(v obj) any {
		if d, isObject := at(v, "error", "data").(map[string]any); isObject {
			change(d)
		}
		return v
	})
}

// answering answers a request of the runner in the plugin's place.
func answering(method string) func() rewrite {
	return func() rewrite {
		return func(w way, p *parcel, pass send) {
			v := p.value()
			if w == fromRunner && at(v, "method") == any(method) {
				pass(toRunner, p.with(obj{"jsonrpc": "2.0", "id": at(v, "id"), "result": obj{"status": "ok"}}))
				return
			}
			pass(w, p)
		}
	}
}

// oneAtATime holds a request back until the one before is answered.
func oneAtATime() rewrite {
	var waiting []*parcel
	busy := ""
	return func(w way, p *parcel, pass send) {
		v := p.value()
		id := ""
		if at(v, "id") != nil {
			id = toJSON(at(v, "id"))
		}
		switch {
		case w == toRunner && has(v, "method") && id != "" && busy != "":
			waiting = append(waiting, p)
			return
		case w == toRunner && has(v, "method") && id != "":
			busy = id
		case w == fromRunner && !has(v, "method") && id == busy:
			busy = ""
		}
		pass(w, p)
		if busy == "" && len(waiting) > 0 {
			next := waiting[0]
			waiting = waiting[1:]
			busy = toJSON(at(next.value(), "id"))
			pass(toRunner, next)
		}
	}
}

// lowered writes every name of an object in lower case.
func lowered(v any) any {
	switch v := v.(type) {
	case map[string]any:
		lower := obj{}
		for name, value := range v {
			lower[strings.ToLower(name)] = lowered(value)
		}
		return lower
	case []any:
		for n := range v {
			v[n] = lowered(v[n])
		}
	}
	return v
}
