package main

import (
	"fmt"
	"strings"
	"time"
)

var streamChecks = []check{
	{ID: "13.1", Title: "subscribe gives the runner's stream id and the mode, lossy if none is said",
		Catches: "the plugin's id shown to clients; another default", Run: subscribes},
	{ID: "13.2", Title: "a bad method or mode is -32602, no provider -32005, a plugin without stream_id -32005",
		Catches: "subscriptions to nothing", Run: subscribeRefused},
	{ID: "13.3", Title: "mode and window are forwarded to the plugin",
		Catches: "a plugin that cannot know its credit", Run: modeForwarded},
	{ID: "13.4", Title: "the reply comes before the first frame, and frames sent before the plugin's reply are not lost",
		Catches: "the race at the start of a stream", Run: firstFrames},
	{ID: "13.5", Title: "frames carry the plugin's seq, or the next number",
		Catches: "numbers made up, or from 0", Run: frameNumbers},
	{ID: "13.6", Title: "reliable: exactly the window before the first ack, then exactly what is acknowledged",
		Catches: "one frame too many or too few, an ack that counts as one whatever it says", Run: creditExact},
	{ID: "13.7", Title: "reliable: acks are cumulative, never go back, and are clamped to what was sent",
		Catches: "credit made from nothing", Run: creditClamped},
	{ID: "13.8", Title: "reliable: 3,000 frames arrive once each, in order",
		Catches: "frames lost, doubled or swapped under load", Run: reliableAll},
	{ID: "13.9", Title: "reliable: the plugin gets stream.ack as a request with its own stream id",
		Catches: "acks as notifications, which the seed's loop drops; the runner's id", Run: acksReachPlugin},
	{ID: "13.10", Title: "reliable: an error as the answer to stream.ack changes nothing",
		Catches: "a stream ended by a plugin that knows no acks", Run: ackErrorsIgnored},
	{ID: "13.11", Title: "reliable: who ignores the credit is stopped at 1,024 frames held, which are still delivered",
		Catches: "frames dropped, memory without bound, an end that hides the loss", Run: ignoresCredit},
	{ID: "13.12", Title: "reliable: the same at 8 MiB held", Catches: "a bound in frames alone",
		Run: ignoresCreditBytes, Alone: true},
	{ID: "13.13", Title: "reliable: a seq that does not rise ends the stream with an error",
		Catches: "a frame twice, or out of order", Run: seqMustRise},
	{ID: "13.14", Title: "lossy: a slow client sees gaps and the newest 256 frames; the plugin is not held up",
		Catches: "the newest dropped for the oldest, a blocked plugin, numbers that hide the gap",
		Run:     lossyDrops, Alone: true},
	{ID: "13.15", Title: "lossy: other requests stay quick while a stream floods",
		Catches: "one stream that starves a connection or the runner", Run: lossySiblings, Alone: true},
	{ID: "13.16", Title: "stop is {} always and again, reaches the plugin once, and ends the frames",
		Catches: "a stop that is an error the second time; frames after it", Run: stopIdempotent},
	{ID: "13.17", Title: "a client that leaves stops its streams", Catches: "streams for nobody", Run: leavingStops},
	{ID: "13.18", Title: "stream.end is sent when the plugin dies",
		Catches: "a subscriber that waits for ever", Run: endOnDeath},
	{ID: "13.19", Title: "an end said by the plugin reaches the client behind the last frame",
		Catches: "an end that overtakes frames, or is lost", Run: endByPlugin},
	{ID: "13.20", Title: "a stream can be stopped and acknowledged by its subscriber alone",
		Catches: "any client that stops or speeds up another's stream", Run: streamOwnership},
	{ID: "13.21", Title: "each subscriber has a stream of its own",
		Catches: "one plugin stream shared, whose credit belongs to nobody", Run: ownStreams},
	{ID: "13.22", Title: "ack and stop of what is unknown, and ack of a lossy stream, are {} without effect",
		Catches: "errors for a race that every client has", Run: ackUnknown},
	{ID: "13.23", Title: "frames under another name or for an unknown stream reach nobody",
		Catches: "a plugin that speaks on another's stream", Run: strayFrames},
}

// subscribed is a stream that the suite plays on both ends.
type subscribed struct {
	c    *C
	r    *runner
	p    *instance
	a    *link
	id   string // the client's
	own  string // the plugin's
	sent int
}

// streaming starts a runner with one source and subscribes to it. lines are of
// the table [runner].
func streaming(c *C, lines, mode string) *subscribed {
	c.worlds++
	id := fmt.Sprintf("source%d", c.worlds)
	p := c.puppet(id, "tts").streams("tts.audio")
	r := c.launch(launch{config: config{runner: lines, plugins: []entry{p.entry}}, otherHome: true})
	r.becomes(id, "ok")
	s := subscribe(c, p.only(), r.client(), mode)
	s.r = r
	return s
}

// subscribe opens a stream and returns it when both ends know of it.
func subscribe(c *C, p *instance, a *link, mode string) *subscribed {
	result := a.ok("stream.subscribe", obj{"method": "tts.audio", "params": obj{"voice": "x"}, "mode": mode})
	c.equal("mode", at(result, "mode"), mode)
	asked := p.next("stream.subscribe")
	c.equal("the method the plugin is asked for", asked.at("params", "method"), "tts.audio")
	p.puppet.lastOwn++
	return &subscribed{c: c, p: p, a: a, id: text(at(result, "stream_id")), own: fmt.Sprintf("own-%d", p.puppet.lastOwn)}
}

// send sends n frames.
func (s *subscribed) send(n int) {
	for range n {
		s.sent++
		if err := s.p.emit("tts.audio", s.own, s.sent, obj{"n": s.sent}); err != nil {
			s.c.fail("the plugin cannot write frame %d: %v", s.sent, err)
		}
	}
}

// expect takes the frames from..to off the client's end: these and no other.
func (s *subscribed) expect(from, to int) {
	for n := from; n <= to; n++ {
		m := s.a.next("tts.audio")
		s.c.equal("seq", m.at("params", "seq"), n)
		s.c.equal("stream_id", m.at("params", "stream_id"), s.id)
		s.c.equal("data", m.at("params", "data", "n"), n)
	}
}

// pause fails the check if a frame comes.
func (s *subscribed) pause(why string) { s.a.none(200*time.Millisecond, "tts.audio", why) }

func (s *subscribed) ack(seq int) {
	s.c.equal("the answer to stream.ack", s.a.ok("stream.ack", obj{"stream_id": s.id, "seq": seq}), obj{})
}

// end waits for stream.end and returns its params.
func (s *subscribed) end() any {
	m := s.a.next("stream.end")
	s.c.equal("stream_id of stream.end", m.at("params", "stream_id"), s.id)
	return m.at("params")
}

func subscribes(c *C) {
	p := c.puppet("source", "tts").streams("tts.audio")
	_, a := c.up(config{plugins: []entry{p.entry}})
	result := a.ok("stream.subscribe", obj{"method": "tts.audio"})
	c.equal("mode", at(result, "mode"), "lossy")
	id := text(at(result, "stream_id"))
	c.want(strings.HasPrefix(id, "stream-"), "the stream id is %q, must be stream-<n>", id)
	asked := p.only().next("stream.subscribe")
	c.equal("method", asked.at("params", "method"), "tts.audio")
	second := text(at(a.ok("stream.subscribe",
		obj{"method": "tts.audio", "mode": "reliable", "params": obj{"voice": "é"}}), "stream_id"))
	c.want(second != id && strings.HasPrefix(second, "stream-"), "the second stream id is %q, the first %q", second, id)
	c.equal("params", p.only().next("stream.subscribe").at("params", "params"), obj{"voice": "é"})
}

func subscribeRefused(c *C) {
	p := c.puppet("source", "tts").streams("tts.audio", "tts.nothing", "tts.broken")
	p.on["stream.subscribe"] = func(_ *instance, m *message) any {
		switch text(m.at("params", "method")) {
		case "tts.nothing":
			return obj{"ok": true}
		case "tts.broken":
			return failure{-31000, "no sound", nil}
		}
		return obj{"stream_id": "own-1"}
	}
	quiet := c.puppet("quiet", "llm").methods("stream.subscribe") // lists no stream
	_, a := c.up(config{plugins: []entry{quiet.entry, p.entry}})
	for _, params := range []obj{{}, {"method": ""}, {"method": 7}, {"method": "tts.audio", "mode": ""},
		{"method": "tts.audio", "mode": "fast"}, {"method": "tts.audio", "mode": 1},
		{"method": "tts.audio", "params": arr{}}} {
		a.refused(-32602, "stream.subscribe", params)
	}
	a.refused(-32005, "stream.subscribe", obj{"method": "nobodys.stream"})
	a.refused(-32005, "stream.subscribe", obj{"method": "tts.nothing"})
	a.refused(-31000, "stream.subscribe", obj{"method": "tts.broken"})
	quiet.only().none(0, "stream.subscribe", "it lists no stream")
}

func modeForwarded(c *C) {
	p := c.puppet("source", "tts").streams("tts.audio")
	_, a := c.up(config{runner: "credit_window = 7", plugins: []entry{p.entry}})
	a.ok("stream.subscribe", obj{"method": "tts.audio", "mode": "reliable"})
	asked := p.only().next("stream.subscribe")
	c.equal("mode", asked.at("params", "mode"), "reliable")
	c.equal("window", asked.at("params", "window"), 7)
	a.ok("stream.subscribe", obj{"method": "tts.audio", "mode": "lossy"})
	c.equal("mode", p.only().next("stream.subscribe").at("params", "mode"), "lossy")
}

func stopIdempotent(c *C) {
	s := streaming(c, "", "lossy")
	s.send(2)
	s.expect(1, 2)
	for range 3 {
		c.equal("the answer to stream.stop", s.a.ok("stream.stop", obj{"stream_id": s.id}), obj{})
	}
	stop := s.p.next("stream.stop")
	c.equal("the plugin's stream", stop.at("params", "stream_id"), s.own)
	s.send(3)
	s.pause("the stream is stopped")
	s.p.none(0, "stream.stop", "it was stopped already")
	again := subscribe(c, s.p, s.a, "lossy")
	again.send(1)
	again.expect(1, 1)
}

func leavingStops(c *C) {
	p := c.puppet("source", "tts").streams("tts.audio")
	r, a := c.up(config{plugins: []entry{p.entry}})
	var own []string
	for _, mode := range []string{"lossy", "reliable"} {
		own = append(own, subscribe(c, p.only(), a, mode).own)
	}
	a.close()
	got := map[string]bool{}
	for range own {
		got[text(p.only().next("stream.stop").at("params", "stream_id"))] = true
	}
	c.want(got[own[0]] && got[own[1]], "stream.stop came for %v, must come for %v", got, own)
	r.client().served()
}

func endOnDeath(c *C) {
	p := c.puppet("source", "tts").streams("tts.audio")
	r, a := c.up(config{plugins: []entry{p.entry}})
	lossy, reliable := subscribe(c, p.only(), a, "lossy"), subscribe(c, p.only(), a, "reliable")
	lossy.send(3)
	lossy.expect(1, 3)
	p.only().kill()
	for range 2 {
		m := a.next("stream.end")
		switch m.at("params", "stream_id") {
		case any(lossy.id):
			c.equal("last_seq", m.at("params", "last_seq"), 3)
		case any(reliable.id):
			c.equal("last_seq", m.at("params", "last_seq"), 0)
		default:
			c.fail("stream.end for an unknown stream: %s", m.body)
		}
		c.want(m.at("params", "error") != nil, "the end by a crash has no error: %s", m.body)
	}
	c.within(c.patience, "the plugin is back",
		func() bool { return whole(at(r.row("source"), "epoch")) == 1 && r.status("source") == "ok" })
	again := subscribe(c, p.instance(1), a, "lossy")
	again.send(1)
	again.expect(1, 1)
}

func endByPlugin(c *C) {
	s := streaming(c, "credit_window = 2", "reliable")
	s.send(5)
	s.p.notify("stream.end", obj{"stream_id": s.own, "last_seq": 5})
	s.expect(1, 2)
	s.a.none(200*time.Millisecond, "stream.end", "frames are still held")
	s.ack(2)
	s.expect(3, 4)
	s.ack(4)
	s.expect(5, 5)
	end := s.end()
	c.equal("last_seq", at(end, "last_seq"), 5)
	c.want(at(end, "error") == nil, "a clean end has an error: %s", toJSON(end))
}

func streamOwnership(c *C) {
	s := streaming(c, "credit_window = 2", "reliable")
	b := s.r.client()
	s.send(6)
	s.expect(1, 2)
	b.call("stream.ack", obj{"stream_id": s.id, "seq": 2})
	s.pause("another client's ack must not count")
	b.call("stream.stop", obj{"stream_id": s.id})
	s.p.none(200*time.Millisecond, "stream.stop", "another client's stop must not count")
	s.ack(2)
	s.expect(3, 4)
	if m := b.nextWithin(0, "tts.audio"); m != nil {
		c.fail("a frame came to a client that did not subscribe: %s", m.body)
	}
}

func ownStreams(c *C) {
	p := c.puppet("source", "tts").streams("tts.audio")
	r, a := c.up(config{plugins: []entry{p.entry}})
	b := r.client()
	one, two := subscribe(c, p.only(), a, "reliable"), subscribe(c, p.only(), b, "reliable")
	c.want(one.id != two.id, "two subscribers have the same stream %q", one.id)
	one.send(2)
	two.send(1)
	one.expect(1, 2)
	two.expect(1, 1)
	one.pause("there is no third frame")
	two.pause("there is no second frame")
}

func strayFrames(c *C) {
	p, q := c.puppet("source", "tts").streams("tts.audio"), c.puppet("other", "llm").streams("llm.text")
	_, a := c.up(config{plugins: []entry{p.entry, q.entry}})
	s := subscribe(c, p.only(), a, "lossy")
	c.must(p.only().emit("tts.other", s.own, 1, obj{}))
	c.must(p.only().emit("tts.audio", "own-77", 1, obj{}))
	c.must(q.only().emit("tts.audio", s.own, 1, obj{}))
	c.must(q.only().emit("tts.audio", s.id, 1, obj{}))
	time.Sleep(100 * time.Millisecond)
	for _, method := range []string{"tts.other", "tts.audio"} {
		a.none(0, method, "it belongs to no stream of this client")
	}
	s.send(1)
	s.expect(1, 1)
}
