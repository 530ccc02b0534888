package main

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

func rateLimit(c *C) {
	p := c.puppet("source", "tts").streams("tts.audio")
	r, _ := c.up(config{plugins: []entry{p.entry}})
	a := r.client() // runner.auth counts too
	started := time.Now()
	sub := subscribe(c, p.only(), a, "reliable")
	for range 1200 { // none of these count
		a.notify("$/cancel", obj{"id": "nobody"})
		a.ask("stream.ack", obj{"stream_id": sub.id, "seq": 0})
	}
	served, limited := 2, 0 // runner.auth, stream.subscribe
	for range 1100 {
		m := a.call("runner.status", obj{})
		if !has(m.value, "error") {
			served++
			c.want(limited == 0, "a request is served behind one that was refused")
			continue
		}
		limited++
		e := a.failure(-32003, m, "a request over the limit")
		c.equal("reason", at(e, "data", "reason"), "rate_limited")
	}
	if took := time.Since(started); took > 8*time.Second {
		c.block("%d requests took %v, too long to see a bound in 10 s", 1100, took)
	}
	c.want(served >= 999 && served <= 1001, "%d requests were served in less than 10 s, must be 1000", served)
	sub.send(1)
	sub.expect(1, 1)
	m := a.call("stream.ack", obj{"stream_id": sub.id, "seq": 1})
	c.want(has(m.value, "result"), "stream.ack is refused over the limit: %s", m.body)
	r.client().served() // the limit is one connection's
}

func silentClosed(c *C) {
	r := c.start(config{})
	a, b := r.client(), r.dial()
	started := time.Now()
	b.closes(20 * time.Second)
	took := time.Since(started)
	c.want(took > 9*time.Second, "silence was closed after %v, must be 10 s", took)
	time.Sleep(time.Second)
	a.open("it has authenticated")
	a.served()
}

func slowFrame(c *C) {
	r := c.start(config{})
	a := r.client()
	started := time.Now()
	done := make(chan struct{})
	defer close(done)
	go func() { // a byte every two seconds
		a.raw([]byte("Content-Length: 60\r\n\r\n{"))
		for {
			select {
			case <-done:
				return
			case <-time.After(2 * time.Second):
				_ = a.write([]byte(" "))
			}
		}
	}()
	a.wait(45*time.Second, func(*message) bool { return false })
	a.mu.Lock()
	ended := a.ended
	a.mu.Unlock()
	took := time.Since(started)
	c.want(ended != nil, "a frame that is not ended holds the connection for %v", took)
	c.want(took > 28*time.Second, "a slow frame was closed after %v, must be 30 s", took)
}

// room raises the limit of descriptors, which those we start inherit.
func room(c *C, n uint64) {
	var limit unix.Rlimit
	c.must(unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	if limit.Max < n {
		c.skip("this process may open %d files, %d are needed", limit.Max, n)
	}
}

func thousandClients(c *C) {
	room(c, 4096)
	r := c.start(config{})
	r.connect().Close()
	token := r.token("token")
	var group sync.WaitGroup
	conns := make([]*net.UnixConn, 1000)
	wrong := make(chan string, len(conns))
	for n := range conns {
		group.Go(func() {
			conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: r.socket})
			if err != nil {
				wrong <- err.Error()
				return
			}
			conns[n] = conn
			c.later(func() { conn.Close() })
			_ = conn.SetDeadline(time.Now().Add(c.patience))
			for _, body := range []string{toJSON(obj{"jsonrpc": "2.0", "id": n, "method": "runner.auth",
				"params": obj{"token": token}}), status(n)} {
				if _, err := conn.Write(frame(body)); err != nil {
					wrong <- err.Error()
					return
				}
				m, err := readFrame(conn)
				if err != nil {
					wrong <- err.Error()
					return
				}
				v, err := decode(m.body)
				if err != nil || !has(v, "result") || whole(at(v, "id")) != int64(n) ||
					strings.Contains(body, "status") && !has(at(v, "result"), "plugins") {
					wrong <- string(m.body)
					return
				}
			}
		})
	}
	group.Wait()
	close(wrong)
	for w := range wrong {
		c.fail("%d of 1,000 clients were not served, one of them: %s", len(wrong)+1, w)
	}
}

func manyConnections(c *C) {
	room(c, 4096)
	r := c.start(config{})
	first := r.client()
	const most = 2048
	var open []*net.UnixConn
	for range most + 50 {
		conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: r.socket})
		if err != nil {
			break
		}
		c.later(func() { conn.Close() })
		open = append(open, conn)
	}
	// The ones over the limit are closed, or never accepted and answered.
	time.Sleep(300 * time.Millisecond)
	answered := 0
	var group sync.WaitGroup
	var mu sync.Mutex
	for _, conn := range open {
		group.Go(func() {
			_ = conn.SetDeadline(time.Now().Add(3 * time.Second))
			if _, err := conn.Write(frame(status(1))); err != nil {
				return
			}
			if _, err := readFrame(conn); err == nil {
				mu.Lock()
				answered++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	c.want(answered <= most, "%d connections at a time are served, must be at most %d", answered+1, most)
	c.want(answered >= most-10, "only %d of %d connections are served", answered+1, most)
	first.served()
	for _, conn := range open {
		conn.Close()
	}
	c.within(c.patience, "there is room again", func() bool {
		conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: r.socket})
		if err != nil {
			return false
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(time.Second))
		_, err = conn.Write(frame(status(1)))
		if err != nil {
			return false
		}
		_, err = readFrame(conn)
		return err == nil
	})
}

func bodiesBounded(c *C) {
	r := c.start(config{})
	before := c.memory(r.cmd.Process.Pid)
	body := make([]byte, 4<<20)
	for n := range body {
		body[n] = ' '
	}
	for range 64 { // 256 MiB, each a byte short of its end
		l := r.client()
		go l.write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body[:len(body)-1]...))
	}
	peak := 0
	for range 40 {
		time.Sleep(50 * time.Millisecond)
		peak = max(peak, c.memory(r.cmd.Process.Pid))
	}
	const most = 128<<20 + 80<<20 // bodies, and what a runtime needs around them
	c.want(peak-before < most, "64 clients made the runner grow by %d MiB", (peak-before)>>20)
}

func deafClient(c *C) {
	p := c.puppet("one", "llm").methods("llm.complete")
	p.on["llm.complete"] = func(*instance, *message) any { return obj{"text": strings.Repeat("x", 1<<20)} }
	r, a := c.up(config{plugins: []entry{p.entry}})
	deaf := r.client()
	deaf.pause()
	for range 20 {
		deaf.ask("runner.invoke", complete(obj{}))
	}
	worst := time.Duration(0)
	for range 20 {
		started := time.Now()
		a.served()
		a.ok("runner.invoke", obj{"plugin": "one", "method": "plugin.health"})
		worst = max(worst, time.Since(started))
		time.Sleep(10 * time.Millisecond)
	}
	c.want(worst < 2*time.Second, "beside a client that does not read a request took %v", worst)
}
