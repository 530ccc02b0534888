package fakeniri

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net"
	"time"
)

const (
	// queueLength is how many events may wait for a subscriber; one more and it
	// is dropped.
	queueLength = 64
	// sendTime is how long a client may leave a reply unread.
	sendTime = 5 * time.Second
)

// A client is one connection.
type client struct {
	niri   *Niri
	conn   *net.UnixConn
	events chan []byte // not nil once it has asked for them; guarded by the niri's mutex
}

// serve answers until the client goes or wants events.
func (c *client) serve() {
	defer c.leave()
	r := bufio.NewReader(c.conn)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil && len(line) == 0 {
			return
		}
		// The end of the stream ends a line too.
		if !c.answer(bytes.TrimSuffix(line, []byte("\n"))) {
			return
		}
		if c.events != nil {
			c.stream(r)
			return
		}
	}
}

func (c *client) leave() {
	c.conn.Close()
	c.niri.mu.Lock()
	defer c.niri.mu.Unlock()
	delete(c.niri.clients, c)
}

// answer carries out a request. It reports whether the connection goes on.
func (c *client) answer(line []byte) bool {
	n := c.niri
	request, err := parse(line, n.options.Older)
	n.mu.Lock()
	n.requests = append(n.requests, string(line))
	misbehave := n.fault
	n.mu.Unlock()
	var f Fault
	if misbehave != nil && err == nil {
		f = misbehave(request.name)
	}
	if f.Wait > 0 && !n.pause(f.Wait) {
		return false
	}
	reply := object{"Err": "error parsing request"}
	if err == nil {
		reply = c.carryOut(request, f)
	}
	switch {
	case reply == nil: // it has quit, or it never answers
		return request.name != "Quit"
	case f.Say != nil:
		c.write(f.Say)
	case !f.Silent && request.name != "EventStream":
		c.write(n.encode(reply))
	}
	return !f.End
}

// carryOut does what a request asks for and returns the reply.
func (c *client) carryOut(r request, f Fault) object {
	n := c.niri
	effect := func() { n.change(r.play) }
	switch {
	case f.Instead != nil:
		effect = f.Instead
	case r.name == "Quit":
		n.end()
		return nil
	case r.play == nil:
		effect = func() {}
	}
	if f.Late > 0 {
		n.work.Go(func() {
			if n.pause(f.Late) {
				effect()
			}
		})
	} else {
		effect()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if r.name == "EventStream" && f.Say == nil && !f.Silent {
		c.subscribe()
	}
	switch {
	case r.reply != nil:
		return r.reply
	case r.changes != "":
		return n.desktop.outputChanged(r.changes)
	}
	return n.desktop.answer(r.name)
}

func (c *client) write(data []byte) {
	c.conn.SetWriteDeadline(time.Now().Add(sendTime))
	c.conn.Write(data)
}

// subscribe has everything that is there told first.
func (c *client) subscribe() {
	n := c.niri
	first := n.encode(object{"Ok": "Handled"})
	for _, event := range n.told.beginning() {
		first = append(first, n.encodeEvent(event)...)
	}
	c.events = make(chan []byte, queueLength)
	c.events <- first
}

// queue has data sent to a subscriber. The niri's mutex is held.
func (c *client) queue(data []byte) {
	if c.events == nil {
		return
	}
	select {
	case c.events <- data:
	default:
		c.conn.Close() // too slow
	}
}

// stream sends events until the connection ends. Nothing is answered any more.
func (c *client) stream(r *bufio.Reader) {
	ended := make(chan struct{})
	c.niri.work.Go(func() {
		defer close(ended)
		for {
			if _, err := r.ReadByte(); err != nil {
				return
			}
		}
	})
	defer func() {
		c.conn.Close()
		<-ended
	}()
	c.conn.SetWriteDeadline(time.Time{})
	for {
		select {
		case data := <-c.events:
			if _, err := c.conn.Write(data); err != nil {
				return
			}
		case <-ended:
			return
		case <-c.niri.closing:
			return
		}
	}
}

// send queues an event for every subscriber. The mutex is held.
func (n *Niri) send(event object) {
	data := n.encodeEvent(event)
	for c := range n.clients {
		c.queue(data)
	}
}

func (n *Niri) encodeEvent(event object) []byte {
	data := n.encode(event)
	if n.options.Older &&
		(event["CastsChanged"] != nil || event["OverviewOpenedOrClosed"] != nil ||
			event["WindowFocusTimestampChanged"] != nil) {
		return nil
	}
	if n.options.Newer {
		data = append(n.encode(object{"SomethingNewHappened": object{"what": []any{1, nil, "x"}}}), data...)
	}
	return data
}

// encode writes o as a line, in the dialect that the options want.
func (n *Niri) encode(o object) []byte {
	var value any = o
	if n.options.Newer || n.options.Older {
		value = n.dialect(o)
	}
	line, err := json.Marshal(value)
	if err != nil {
		panic(err) // the model's own values
	}
	return append(line, '\n')
}

// leftOut are fields that older niris do not have.
var leftOut = []string{"focus_timestamp", "layout", "is_urgent", "is_floating", "active_window_id", "pid"}

func (n *Niri) dialect(value any) any {
	switch v := value.(type) {
	case object:
		other := object{}
		for key, field := range v {
			other[key] = n.dialect(field)
		}
		if n.options.Newer && len(v) > 1 { // it has fields, not a variant
			other["something_new"] = object{"depth": 3}
		}
		if n.options.Older {
			for _, name := range leftOut {
				delete(other, name)
			}
		}
		return other
	case []any:
		other := make([]any, len(v))
		for i := range v {
			other[i] = n.dialect(v[i])
		}
		return other
	}
	return value
}
