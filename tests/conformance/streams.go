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

func firstFrames(c *C) {
	for _, mode := range []string{"lossy", "reliable"} {
		p := c.puppet("source-"+mode, "tts").streams("tts.audio")
		p.on["stream.subscribe"] = func(i *instance, m *message) any {
			var burst []byte // frames before and behind the reply, in one write
			for n := 1; n <= 3; n++ {
				burst = append(burst,
					frame(toJSON(obj{"jsonrpc": "2.0", "method": "tts.audio",
						"params": obj{"stream_id": "own-1", "seq": n, "data": obj{"n": n}}}))...)
			}
			burst = append(burst, frame(toJSON(obj{"jsonrpc": "2.0", "id": m.at("id"), "result": obj{"stream_id": "own-1"}}))...)
			for n := 4; n <= 6; n++ {
				burst = append(burst,
					frame(toJSON(obj{"jsonrpc": "2.0", "method": "tts.audio",
						"params": obj{"stream_id": "own-1", "seq": n, "data": obj{"n": n}}}))...)
			}
			i.raw(burst)
			return held{}
		}
		r := c.launch(launch{config: config{plugins: []entry{p.entry}}, otherHome: true})
		r.becomes("source-"+mode, "ok")
		a := r.client()
		id := a.ask("stream.subscribe", obj{"method": "tts.audio", "mode": mode})
		first := a.await("the reply", func(m *message) bool { return m.isReply() || m.method() == "tts.audio" })
		c.want(first.isReply() && first.id() == id, "the first thing to come in mode %s is a frame: %s", mode, first.body)
		s := &subscribed{c: c, a: a, id: text(first.at("result", "stream_id"))}
		s.expect(1, 6)
	}
}

func frameNumbers(c *C) {
	s := streaming(c, "", "lossy")
	want := []int{1, 2, 5, 6, 100, 101}
	for _, seq := range []int{0, 0, 5, 0, 100, 0} { // 0 is left out
		c.must(s.p.emit("tts.audio", s.own, seq, obj{}))
	}
	for _, n := range want {
		c.equal("seq", s.a.next("tts.audio").at("params", "seq"), n)
	}
}

func creditExact(c *C) {
	s := streaming(c, "credit_window = 8", "reliable")
	s.send(20) // more than the credit: the runner holds them
	s.expect(1, 8)
	s.pause("the window is 8 and nothing is acknowledged")
	s.ack(3)
	s.expect(9, 11)
	s.pause("3 frames are acknowledged")
	s.ack(4)
	s.expect(12, 12)
	s.pause("4 frames are acknowledged")
	s.ack(12)
	s.expect(13, 20)
	s.send(5)
	s.pause("12 frames are acknowledged, 20 sent")
	s.ack(20)
	s.expect(21, 25)
	s.send(3) // credit is left: 28 - 20 = 8
	s.expect(26, 28)
	s.send(1)
	s.pause("20 frames are acknowledged, 28 sent")
	s.ack(28)
	s.expect(29, 29)

	plain := streaming(c, "", "reliable")
	plain.send(65) // the default window is 64
	plain.expect(1, 64)
	plain.pause("the window is 64 and nothing is acknowledged")
	plain.ack(1)
	plain.expect(65, 65)
}

func creditClamped(c *C) {
	s := streaming(c, "credit_window = 4", "reliable")
	s.send(30)
	s.expect(1, 4)
	s.ack(2)
	s.expect(5, 6)
	for _, back := range []int{2, 1, 0, -5} { // said already, or less
		s.ack(back)
	}
	s.pause("no further frame is acknowledged")
	s.ack(1_000_000) // 6 were sent: that is as far as it can go
	s.expect(7, 10)
	s.pause("only what was sent can be acknowledged")
	s.ack(10)
	s.expect(11, 14)
	s.pause("10 frames are acknowledged")
	for _, bad := range []any{"11", nil, 11.5, obj{}} {
		m := s.a.call("stream.ack", obj{"stream_id": s.id, "seq": bad})
		c.want(has(m.value, "error") || same(m.at("result"), obj{}), "stream.ack with seq %v: %s", bad, m.body)
	}
	s.pause("no valid ack was sent")
}

func reliableAll(c *C) {
	const total = 3000
	s := streaming(c, "", "reliable")
	window := 64
	go func() { // a plugin that keeps to its credit
		sent, acked := 0, 0
		for sent < total {
			for sent < total && sent-acked < window {
				sent++
				if s.p.emit("tts.audio", s.own, sent, obj{"n": sent, "padding": strings.Repeat("p", 500)}) != nil {
					return
				}
			}
			m := s.p.wait(c.patience, func(m *message) bool { return m.method() == "stream.ack" })
			if m == nil {
				return
			}
			acked = max(acked, int(whole(m.at("params", "seq"))))
		}
	}()
	for n := 1; n <= total; n++ {
		m := s.a.next("tts.audio")
		c.equal("seq", m.at("params", "seq"), n)
		c.equal("data", m.at("params", "data", "n"), n)
		if n%16 == 0 || n == total {
			s.ack(n)
		}
	}
	s.a.none(100*time.Millisecond, "tts.audio", "all frames have come")
}

func acksReachPlugin(c *C) {
	s := streaming(c, "credit_window = 4", "reliable")
	s.send(4)
	s.expect(1, 4)
	s.ack(3)
	m := s.p.next("stream.ack")
	c.want(m.id() != "", "stream.ack comes to the plugin as a notification: %s", m.body)
	c.equal("stream_id", m.at("params", "stream_id"), s.own)
	c.equal("seq", m.at("params", "seq"), 3)
	s.ack(99)
	c.equal("a clamped seq", s.p.next("stream.ack").at("params", "seq"), 4)
}

func ackErrorsIgnored(c *C) {
	p := c.puppet("source", "tts").streams("tts.audio")
	p.on["stream.ack"] = func(*instance, *message) any { return failure{-32000, "method not found: stream.ack", nil} }
	_, a := c.up(config{runner: "credit_window = 2", plugins: []entry{p.entry}})
	s := subscribe(c, p.only(), a, "reliable")
	for n := 1; n <= 6; n++ {
		s.send(1)
		s.expect(n, n)
		s.ack(n)
		s.p.next("stream.ack")
	}
	a.none(100*time.Millisecond, "stream.end", "the answer to an ack is ignored")
	c.want(p.count() == 1, "the plugin was restarted for an error")
}

func ignoresCredit(c *C) {
	const window, most = 64, 1024
	s := streaming(c, "", "reliable")
	for range most + window + 100 {
		s.sent++
		_ = s.p.emit("tts.audio", s.own, s.sent, obj{"n": s.sent})
	}
	stop := s.p.next("stream.stop")
	c.equal("the stream that is stopped", stop.at("params", "stream_id"), s.own)
	s.expect(1, window)
	s.a.none(200*time.Millisecond, "stream.end", "frames are still held")
	last := window
	for {
		s.ack(last)
		m := s.a.await("a frame or the end",
			func(m *message) bool { return m.method() == "tts.audio" || m.method() == "stream.end" })
		if m.method() == "stream.end" {
			c.equal("last_seq", m.at("params", "last_seq"), last)
			c.want(m.at("params", "error", "message") != nil,
				"stream.end of a plugin that ignored its credit has no error: %s", m.body)
			break
		}
		last++
		c.equal("seq", m.at("params", "seq"), last)
	}
	c.want(last >= most && last <= window+most,
		"the last frame is %d: with a window of %d and %d held it must be within %d and %d", last,
		window, most, most, window+most)
	s.a.none(100*time.Millisecond, "tts.audio", "the stream has ended")
}

func ignoresCreditBytes(c *C) {
	const most = 8 << 20
	const size = 512 << 10
	s := streaming(c, "credit_window = 2", "reliable")
	for range 24 {
		s.sent++
		_ = s.p.emit("tts.audio", s.own, s.sent, obj{"n": s.sent, "padding": strings.Repeat("x", size)})
	}
	s.p.next("stream.stop")
	last := 0
	for {
		m := s.a.await("a frame or the end",
			func(m *message) bool { return m.method() == "tts.audio" || m.method() == "stream.end" })
		if m.method() == "stream.end" {
			c.equal("last_seq", m.at("params", "last_seq"), last)
			break
		}
		last++
		c.equal("seq", m.at("params", "seq"), last)
		s.ack(last)
	}
	c.want(last >= most/size-1 && last <= most/size+3,
		"the last frame is %d: 8 MiB are %d frames of this size", last, most/size)
}

func seqMustRise(c *C) {
	for _, second := range []int{5, 4, 1} {
		s := streaming(c, "", "reliable")
		c.must(s.p.emit("tts.audio", s.own, 5, obj{"n": 5}))
		c.equal("seq", s.a.next("tts.audio").at("params", "seq"), 5)
		c.must(s.p.emit("tts.audio", s.own, second, obj{"n": second}))
		end := s.end()
		c.equal("last_seq", at(end, "last_seq"), 5)
		c.want(at(end, "error") != nil, "seq %d behind 5 ends the stream without an error: %s", second, toJSON(end))
		s.a.none(0, "tts.audio", "the stream has ended")
		s.p.next("stream.stop")
	}
}

func lossyDrops(c *C) {
	const total, queue = 4000, 256
	s := streaming(c, "", "lossy")
	s.a.pause()
	started := time.Now()
	padding := strings.Repeat("p", 4<<10)
	for range total {
		s.sent++
		if err := s.p.emit("tts.audio", s.own, s.sent, obj{"n": s.sent, "padding": padding}); err != nil {
			c.fail("the plugin is held up at frame %d by a client that does not read: %v", s.sent, err)
		}
	}
	c.want(time.Since(started) < 20*time.Second, "the plugin was slowed down: %d frames took %v",
		total, time.Since(started))
	time.Sleep(300 * time.Millisecond) // for what is in the pipes
	s.a.resume()
	last, gaps, run := 0, 0, 0
	for last < total {
		m := s.a.nextWithin(c.patience, "tts.audio")
		s.a.checkForm()
		if m == nil {
			c.fail("the newest frame did not come, the last one is %d of %d", last, total)
		}
		seq := int(whole(m.at("params", "seq")))
		c.want(seq > last, "seq %d behind %d", seq, last)
		c.equal("data", m.at("params", "data", "n"), seq)
		if run++; seq != last+1 {
			gaps, run = gaps+1, 1
		}
		last = seq
	}
	c.want(gaps > 0, "%d frames of 4 KiB were kept for a client that did not read", total)
	c.want(run >= queue, "only the newest %d frames came without a gap, must be at least %d", run, queue)
}

func lossySiblings(c *C) {
	s := streaming(c, "", "lossy")
	b := s.r.client()
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for n := 1; ; n++ {
			select {
			case <-done:
				return
			default:
			}
			if s.p.emit("tts.audio", s.own, n, obj{"padding": strings.Repeat("p", 1000)}) != nil {
				return
			}
		}
	}()
	var worst time.Duration
	for range 50 {
		for _, l := range []*link{s.a, b} {
			started := time.Now()
			l.served()
			worst = max(worst, time.Since(started))
		}
	}
	close(done)
	<-stopped
	c.want(len(s.a.all("tts.audio")) > 0, "no frame came")
	c.want(worst < 2*time.Second, "a request beside a flooding stream took %v", worst)
	c.want(s.p.puppet.count() == 1, "a flood of lossy frames is no crash")
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

func ackUnknown(c *C) {
	s := streaming(c, "", "lossy")
	for _, id := range []string{"stream-999999", "nonsense", ""} {
		c.equal("the answer to stream.ack of "+id, s.a.ok("stream.ack", obj{"stream_id": id, "seq": 1}), obj{})
		c.equal("the answer to stream.stop of "+id, s.a.ok("stream.stop", obj{"stream_id": id}), obj{})
	}
	s.send(1)
	s.expect(1, 1)
	s.ack(1)
	s.p.none(100*time.Millisecond, "stream.ack", "a lossy stream has no credit")
	s.send(1)
	s.expect(2, 2)
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
