package main

import (
	"strings"
	"time"
)

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
	c.want(s.p.puppet.count() == 1, "a flood of lossy frames is not a crash")
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
