package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

var confirmChecks = []check{
	{ID: "12.1", Title: "the client that asked is asked, with op, arguments, provenance and a summary that holds them",
		Catches: "a question that does not say what is going to happen", Run: confirmAsks},
	{ID: "12.2", Title: "only a true that is true approves",
		Catches: "\"no\", 1 or {ok: true} taken for a yes", Run: confirmStrict},
	{ID: "12.3", Title: "no answer within confirm_timeout_ms is -32003 confirm_timeout",
		Catches: "silence taken for a yes, or waited for without end", Run: confirmTimesOut},
	{ID: "12.4", Title: "a client that leaves while it is asked has not approved",
		Catches: "a yes by hanging up", Run: confirmDisconnect},
	{ID: "12.5", Title: "a registered confirmer is asked instead of the client",
		Catches: "a client that approves itself", Run: confirmerAsked},
	{ID: "12.6", Title: "the confirmer's yes counts only with nonce and digest",
		Catches: "an approval bound to nothing", Run: confirmerBound},
	{ID: "12.7", Title: "the digest is the SHA-256 of the RFC 8785 form of {op, args, provenance}",
		Catches: "a digest that only the runner can compute", Run: confirmDigest},
	{ID: "12.8", Title: "the confirmer needs a token of its own, and there is one",
		Catches: "any client that makes itself the confirmer", Run: confirmerToken},
	{ID: "12.9", Title: "control and bidi characters in the summary are escaped, and arguments never cut",
		Catches: "a summary that shows something else than what is done", Run: confirmSummary},
	{ID: "12.10", Title: "one question at a time", Catches: "a yes meant for another question", Run: confirmOneAtATime},
	{ID: "12.11", Title: "time spent in the confirmation is not the plugin's",
		Catches: "a slow user who makes a call time out", Run: confirmTimeNotCounted},
	{ID: "12.12", Title: "a confirmer that leaves has not approved, and the place is free",
		Catches: "a question lost with its confirmer; a holder for ever", Run: confirmerLeaves},
	{ID: "12.13", Title: "an approval counts once", Catches: "a nonce that is used again", Run: confirmNonces},
}

// closing is the params of an op that is always confirmed.
func closing(args obj) obj { return invoke("one", "close_app", args) }

func confirming(c *C) (*puppet, *runner, *link) {
	p := c.puppet("one", "action", "close_app", "focus_app")
	r, a := c.up(config{plugins: []entry{p.entry}})
	return p, r, a
}

func (r *runner) confirmer() *link {
	l := r.client()
	c := r.c
	c.equal("the answer to runner.confirmer.register",
		l.ok("runner.confirmer.register", obj{"token": r.token("confirm-token")}), obj{})
	return l
}

func confirmAsks(c *C) {
	p, _, a := confirming(c)
	args := obj{"app": "org.example.Mail", "deep": obj{"list": arr{"first é", 42}}}
	id := a.ask("runner.invoke", closing(args))
	ask := a.next("host.confirm")
	c.equal("op", ask.at("params", "op"), "close_app")
	c.equal("args", ask.at("params", "args"), args)
	c.equal("provenance", ask.at("params", "provenance"), "user")
	for _, part := range []string{"close_app", "org.example.Mail", "first é", "42"} {
		c.want(strings.Contains(text(ask.at("params", "summary")), part), "the summary does not hold %q: %s", part,
			toJSON(ask.at("params", "summary")))
	}
	p.only().none(100*time.Millisecond, "action.invoke", "nobody has approved it")
	a.approve(ask)
	a.result(a.answer(id), "an approved call")
	c.equal("what is done", p.only().next("action.invoke").at("params", "args"), args)
}

func confirmStrict(c *C) {
	p, _, a := confirming(c)
	for _, no := range []any{
		obj{"approved": false}, obj{}, nil, true, "yes", 1, arr{true}, obj{"approved": "true"}, obj{"approved": "no"},
		obj{"approved": 1}, obj{"approved": nil}, obj{"approved": arr{true}}, obj{"ok": true}, obj{"Approved": true},
	} {
		id := a.ask("runner.invoke", closing(obj{"app": "x"}))
		ask := a.next("host.confirm")
		said := toJSON(no)
		members, isObject := no.(obj)
		if isObject { // with everything else right
			for _, name := range []string{"nonce", "digest"} {
				members[name] = ask.at("params", name)
			}
		}
		a.give(ask, no)
		e := a.failure(-32003, a.answer(id), "a call whose confirmation is "+said)
		if isObject {
			c.equal("reason after the answer "+said, at(e, "data", "reason"), "denied")
		}
	}
	id := a.ask("runner.invoke", closing(obj{"app": "x"}))
	c.must(a.refuse(a.next("host.confirm"), -32000, "no"))
	a.failure(-32003, a.answer(id), "a call whose confirmation is an error")
	p.only().none(0, "action.invoke", "nothing was approved")
}

func confirmTimesOut(c *C) {
	p := c.puppet("one", "action", "close_app")
	_, a := c.up(config{runner: "confirm_timeout_ms = 400", plugins: []entry{p.entry}})
	started := time.Now()
	id := a.ask("runner.invoke", closing(obj{"app": "x"}))
	ask := a.next("host.confirm")
	e := a.failure(-32003, a.answer(id), "a call that was not approved")
	c.equal("reason", at(e, "data", "reason"), "confirm_timeout")
	took := time.Since(started)
	c.want(took >= 390*time.Millisecond && took < 5*time.Second, "confirm_timeout_ms 400 took %v", took)
	_ = a.reply(ask, obj{"approved": true, "nonce": ask.at("params", "nonce"),
		"digest": ask.at("params", "digest")}) // too late
	a.served()
	p.only().none(200*time.Millisecond, "action.invoke", "the yes came too late")
}

func confirmDisconnect(c *C) {
	p, r, a := confirming(c)
	a.ask("runner.invoke", closing(obj{"app": "x"}))
	a.next("host.confirm")
	a.close()
	p.only().none(300*time.Millisecond, "action.invoke", "nobody has approved it")
	b := r.client() // and the next question is asked
	id := b.ask("runner.invoke", closing(obj{"app": "y"}))
	b.approve(b.next("host.confirm"))
	b.result(b.answer(id), "the next call")
}

func confirmerAsked(c *C) {
	p, r, a := confirming(c)
	boss := r.confirmer()
	id := a.ask("runner.invoke", closing(obj{"app": "x"}))
	ask := boss.next("host.confirm")
	for _, name := range []string{"op", "args", "provenance", "summary", "nonce", "digest", "expires_ms"} {
		c.want(has(ask.at("params"), name), "host.confirm has no %s: %s", name, ask.body)
	}
	a.none(100*time.Millisecond, "host.confirm", "a confirmer is registered")
	boss.approve(ask)
	a.result(a.answer(id), "an approved call")
	p.only().next("action.invoke")
	id = a.ask("runner.invoke", closing(obj{"app": "x"}))
	boss.give(boss.next("host.confirm"), obj{"approved": false})
	e := a.failure(-32003, a.answer(id), "a refused call")
	c.equal("reason", at(e, "data", "reason"), "denied")
	p.only().none(0, "action.invoke", "it was refused")
}

func confirmerBound(c *C) {
	p, r, a := confirming(c)
	boss := r.confirmer()
	for _, change := range []obj{{"nonce": nil}, {"digest": nil}, {"nonce": "x"}, {"digest": strings.Repeat("0", 64)},
		{"nonce": "", "digest": ""}, {"nonce": nil, "digest": nil}} {
		id := a.ask("runner.invoke", closing(obj{"app": "x"}))
		ask := boss.next("host.confirm")
		yes := obj{"approved": true, "nonce": ask.at("params", "nonce"), "digest": ask.at("params", "digest")}
		for name, value := range change {
			if yes[name] = value; value == nil {
				delete(yes, name)
			}
		}
		boss.give(ask, yes)
		e := a.failure(-32003, a.answer(id), "a yes with "+toJSON(change))
		c.equal("reason", at(e, "data", "reason"), "denied")
	}
	p.only().none(0, "action.invoke", "no yes was bound to its question")
}

func confirmDigest(c *C) {
	_, r, a := confirming(c)
	boss := r.confirmer()
	// As it is sent, and its RFC 8785 form: names by UTF-16 units, numbers as
	// ECMAScript writes them, no escape that need not be.
	sent := `{"app":"a\u00e9\/\u0001","z":[1.0,1e3,0.000001,1e-7,-0],"\ufb33":1,"\ud83d\ude00":2,"b":{"y":null,"x":true}}`
	canonical := `{"args":{"app":"aé/\u0001","b":{"x":true,"y":null},"z":[1,1000,0.000001,1e-7,0],"😀":2,"` +
		"\ufb33" + `":1},"op":"close_app","provenance":"user"}`
	a.sayOrFail(invokeAsItIs(`"d"`, `{"op":"close_app","args":`+sent+`,"provenance":"user"}`))
	ask := boss.next("host.confirm")
	sum := sha256.Sum256([]byte(canonical))
	c.equal("the digest of "+canonical, ask.at("params", "digest"), hex.EncodeToString(sum[:]))
	boss.approve(ask)
	a.result(a.answer(`"d"`), "the approved call")
}

func confirmerToken(c *C) {
	_, r, a := confirming(c)
	path := filepath.Join(r.runtime, "utter", "confirm-token")
	info, err := os.Stat(path)
	c.want(err == nil && info.Mode().Perm() == 0o600, "confirm-token must be there with mode 0600: %v, %v", info, err)
	c.want(r.token("confirm-token") != r.token("token"), "both tokens are the same")
	for _, wrong := range []any{r.token("token"), "", nil, "x", 7} {
		m := a.call("runner.confirmer.register", obj{"token": wrong})
		c.want(has(m.value, "error"), "the token %v makes a confirmer: %s", wrong, m.body)
	}
	b := r.client()
	b.ok("runner.confirmer.register", obj{"token": r.token("confirm-token")})
	m := r.client().call("runner.confirmer.register", obj{"token": r.token("confirm-token")})
	c.want(has(m.value, "error"), "there are two confirmers: %s", m.body)
	id := a.ask("runner.invoke", closing(obj{}))
	b.approve(b.next("host.confirm")) // still the first
	a.result(a.answer(id), "an approved call")
}

func confirmSummary(c *C) {
	_, r, a := confirming(c)
	boss := r.confirmer()
	long := strings.Repeat("0123456789", 2000) + "THE END"
	evil := "a\x1b[31mb\nc\u202ed\u2066e\u200ff\x00g\u2028h\ri\u0085j\u061ck"
	id := a.ask("runner.invoke", closing(obj{"app": evil, "long": long}))
	ask := boss.next("host.confirm")
	summary := text(ask.at("params", "summary"))
	c.want(strings.Contains(summary, long), "a long argument is cut in the summary: %d bytes", len(summary))
	for _, r := range "\x1b\u202e\u2066\u200f\x00\r\u0085\u061c\u2028" {
		c.want(!strings.ContainsRune(summary, r), "the summary holds U+%04X as it is", r)
	}
	boss.approve(ask)
	a.result(a.answer(id), "the approved call")
}

func confirmOneAtATime(c *C) {
	_, r, a := confirming(c)
	boss := r.confirmer()
	b := r.client()
	first := a.ask("runner.invoke", closing(obj{"n": 1}))
	one := boss.next("host.confirm")
	second := b.ask("runner.invoke", closing(obj{"n": 2}))
	boss.none(300*time.Millisecond, "host.confirm", "another question is open")
	boss.approve(one)
	a.result(a.answer(first), "the first call")
	two := boss.next("host.confirm")
	c.equal("the second question", two.at("params", "args", "n"), 2)
	boss.approve(two)
	b.result(b.answer(second), "the second call")
}

func confirmTimeNotCounted(c *C) {
	p, _, a := confirming(c)
	params := closing(obj{"app": "x"})
	params["params"].(obj)["timeout_ms"] = 400
	id := a.ask("runner.invoke", params)
	ask := a.next("host.confirm")
	time.Sleep(700 * time.Millisecond)
	a.approve(ask)
	a.result(a.answer(id), "a call that was approved after its timeout_ms")
	p.only().next("action.invoke")
}

func confirmerLeaves(c *C) {
	p, r, a := confirming(c)
	boss := r.confirmer()
	id := a.ask("runner.invoke", closing(obj{"n": 1}))
	boss.next("host.confirm")
	boss.close()
	a.failure(-32003, a.answer(id), "a call whose confirmer left")
	p.only().none(0, "action.invoke", "nobody has approved it")
	var again *link
	c.within(c.patience, "the place of the confirmer is free", func() bool {
		again = r.client()
		return has(again.call("runner.confirmer.register", obj{"token": r.token("confirm-token")}).value, "result")
	})
	id = a.ask("runner.invoke", closing(obj{"n": 2}))
	again.approve(again.next("host.confirm"))
	a.result(a.answer(id), "a call approved by the next confirmer")
}

func confirmNonces(c *C) {
	p, r, a := confirming(c)
	boss := r.confirmer()
	seen := map[string]bool{}
	var first *message
	for n := range 4 {
		id := a.ask("runner.invoke", closing(obj{"app": "x"}))
		ask := boss.next("host.confirm")
		nonce := text(ask.at("params", "nonce"))
		c.want(len(nonce) >= 16 && !seen[nonce], "nonce %d, %q, is short or was there before", n, nonce)
		seen[nonce] = true
		if first == nil {
			first = ask
			boss.approve(ask)
			a.result(a.answer(id), "an approved call")
			continue
		}
		boss.give(ask, obj{"approved": true, "nonce": first.at("params", "nonce"), "digest": first.at("params", "digest")})
		a.failure(-32003, a.answer(id), fmt.Sprintf("call %d with the first one's nonce", n))
	}
	c.want(len(p.only().all("action.invoke")) == 1, "an approval counted more than once")
}
