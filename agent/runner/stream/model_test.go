package stream

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"utter/shared/plugin/protocol"
)

// A model plays two clients and a plugin against a Table, one step for each byte
// of a script, and knows what must come of it.
type model struct {
	t       testing.TB
	table   *Table
	clients []*Consumer
	source  *Producer
	streams []*modelStream
	nextID  int
}

// A modelStream is what both sides of one stream know.
type modelStream struct {
	client   int
	id       string // the plugin's
	sub      *subscription
	reliable bool
	window   int
	honest   bool // the plugin keeps to its credit

	seq     int64 // the plugin's newest
	credit  int64 // of the plugin: the seq it was acknowledged
	sent    []int64
	got     []int64
	acked   int
	stopped bool // by the client
	ended   bool // the client got stream.end
	told    bool // the plugin was told to stop
}

func newModel(t testing.TB) *model {
	m := &model{t: t, table: New(Options{Lossy: 8, Window: 4, MaxStreams: 6})}
	for range 2 {
		c := m.table.newConsumer(nil)
		c.writing = true // by hand
		m.clients = append(m.clients, c)
	}
	m.source = m.table.newProducer("p", nil)
	m.source.asking = true // by hand
	return m
}

func (m *model) step(op, arg byte) {
	var s *modelStream
	if len(m.streams) > 0 {
		s = m.streams[int(arg)%len(m.streams)]
	}
	switch {
	case op%16 == 0 && m.source.closed == nil && len(m.streams) < 12:
		m.subscribe(int(arg)%2, arg&2 != 0, arg&4 != 0, int(arg>>3)%8)
	case s == nil:
	case op%16 < 7:
		for range 1 + arg>>5 {
			m.frame(s)
		}
	case op%16 < 11:
		m.take(int(arg) % 2)
	case op%16 < 13:
		m.ack(s, int(arg>>4))
	case op%16 == 13:
		m.asks()
	case op%16 == 14 && arg > 200:
		m.stop(s)
	case op%16 == 15 && arg > 250:
		m.source.Close(nil)
	case op%16 == 15 && arg < 5 && m.source.closed == nil:
		m.source.Notified(protocol.NotifyStreamEnd, fmt.Appendf(nil, `{"stream_id":%q}`, s.id))
		s.told = true // sends no more
	}
	m.check()
}

// subscribe opens a stream, of which some frames come before its name is known.
func (m *model) subscribe(client int, reliable, honest bool, early int) {
	c := m.clients[client]
	m.nextID++
	s := &modelStream{client: client, id: fmt.Sprintf("plugin-%d", m.nextID),
		reliable: reliable, honest: honest, window: 4}
	p := protocol.SubscribeParams{Method: "m", Mode: protocol.ModeLossy}
	if reliable {
		p.Mode = protocol.ModeReliable
	}
	want, err := m.table.read(m.source, p)
	if err != nil {
		m.t.Fatal(err)
	}
	if c.reserve() != nil {
		return // it has its six
	}
	if err := m.source.expect(&want); err != nil {
		m.t.Fatal(err)
	}
	for range early {
		m.frame(s)
	}
	m.table.mu.Lock()
	s.sub, err = m.source.adopt(c, want, fmt.Appendf(nil, `{"stream_id":%q}`, s.id))
	m.source.answered(&want)
	c.asking--
	m.table.mu.Unlock()
	if err != nil {
		m.t.Fatal(err)
	}
	m.take(client) // nothing of it may come before its reply
	if len(s.got) > 0 {
		m.t.Fatal("frames before the reply")
	}
	c.begin(s.sub)
	m.streams = append(m.streams, s)
}

// frame sends the plugin's next frame, unless it is honest and has no credit.
func (m *model) frame(s *modelStream) {
	m.asks()
	if s.told || m.source.closed != nil || s.reliable && s.honest && s.seq-s.credit >= int64(s.window) {
		return
	}
	s.seq++
	numbered := ""
	if s.seq%2 == 0 {
		numbered = fmt.Sprintf(`,"seq":%d`, s.seq)
	}
	m.source.Notified("m", fmt.Appendf(nil, `{"stream_id":%q%s,"data":%d}`, s.id, numbered, s.seq))
	s.sent = append(s.sent, s.seq)
}

// asks lets the plugin read what it is asked.
func (m *model) asks() {
	for a := m.source.next(); a != nil; a = m.source.next() {
		for _, s := range m.streams {
			switch {
			case s.id != a.id:
			case a.stop:
				if s.honest && !s.stopped {
					m.t.Fatalf("%s keeps to its credit and is stopped: %v", s.id, s.sub.flow.why)
				}
				s.told = true
			case a.seq <= s.credit || !slices.Contains(s.got[:s.acked], a.seq):
				m.t.Fatalf("%s: the plugin is acknowledged %d after %d; the client acknowledged %v", s.id,
					a.seq, s.credit, s.got[:s.acked])
			default:
				s.credit = a.seq
			}
		}
	}
}

func (m *model) take(client int) {
	c := m.clients[client]
	batch := c.take()
	for _, sent := range batch {
		i := slices.IndexFunc(m.streams, func(s *modelStream) bool { return s.sub == sent.sub })
		if i < 0 {
			m.t.Fatal("a frame of a stream that nobody has")
		}
		s := m.streams[i]
		if s.client != client || s.stopped || s.ended {
			m.t.Fatalf("%s: client %d got %v; stopped %v, ended %v", s.id, client, sent.params, s.stopped, s.ended)
		}
		switch p := sent.params.(type) {
		case protocol.StreamFrame:
			if p.StreamID != s.sub.id || string(p.Data) != fmt.Sprint(*p.Seq) ||
				len(s.got) > 0 && *p.Seq <= s.got[len(s.got)-1] {
				m.t.Fatalf("%s: got %d, %s after %v", s.id, *p.Seq, p.Data, s.got)
			}
			s.got = append(s.got, *p.Seq)
		case protocol.StreamEnd:
			s.ended = true
			newest := int64(0)
			if len(s.got) > 0 {
				newest = s.got[len(s.got)-1]
			}
			if p.LastSeq != newest {
				m.t.Fatalf("%s: ends with %d, got %v", s.id, p.LastSeq, s.got)
			}
		}
	}
	if len(batch) > 0 {
		c.sent()
	}
}

// ack acknowledges up to the frame before the last n, or, for a large n, one that
// was never sent.
func (m *model) ack(s *modelStream, n int) {
	if len(s.got) == 0 || s.stopped {
		return
	}
	through := max(len(s.got)-n, 1)
	seq := s.got[through-1]
	if n == 15 {
		through, seq = len(s.got), 1<<40
	}
	m.clients[1-s.client].Ack(protocol.AckParams{StreamID: s.sub.id, Seq: 1 << 50}) // of a foreign stream
	m.clients[s.client].Ack(protocol.AckParams{StreamID: s.sub.id, Seq: seq})
	s.acked = max(s.acked, through)
}

func (m *model) stop(s *modelStream) {
	m.clients[1-s.client].Stop(m.t.Context(), protocol.StopParams{StreamID: s.sub.id}) // of a foreign stream
	for range 2 {
		m.clients[s.client].Stop(m.t.Context(), protocol.StopParams{StreamID: s.sub.id})
	}
	s.stopped = !s.ended
}

func (m *model) check() {
	bytes, open := 0, 0
	for _, s := range m.streams {
		if !s.sub.gone {
			open++
		}
		bytes += s.sub.flow.bytes
		if !s.reliable {
			if len(s.sub.flow.queue) > 8 {
				m.t.Fatalf("%s: %d frames wait", s.id, len(s.sub.flow.queue))
			}
			continue
		}
		if n := len(s.got) - s.acked; n > s.window {
			m.t.Fatalf("%s: %d frames are out, the window has %d", s.id, n, s.window)
		}
		if !slices.Equal(s.got, s.sent[:len(s.got)]) {
			m.t.Fatalf("%s: sent %v, got %v", s.id, s.sent, s.got)
		}
	}
	if st := m.table.Stats(); st.Bytes != bytes || st.Streams != open {
		m.t.Fatalf("Stats = %+v, want %d streams and %d bytes", st, open, bytes)
	}
}

// drain lets the clients read and acknowledge all, and the plugin end.
func (m *model) drain() {
	for range 2 {
		for range 600 {
			m.take(0)
			m.take(1)
			for _, s := range m.streams {
				m.ack(s, 0)
			}
		}
		m.asks()
		m.check()
		for _, s := range m.streams {
			switch {
			case s.stopped || len(s.sent) == 0:
			case s.reliable && s.honest && len(s.got) != len(s.sent):
				m.t.Fatalf("%s: sent %d, got %d", s.id, len(s.sent), len(s.got))
			case !s.reliable && s.got[len(s.got)-1] != s.seq:
				m.t.Fatalf("%s: sent %d, the newest is %d", s.id, s.seq, s.got[len(s.got)-1])
			case !s.reliable && int(s.sub.flow.dropped) != len(s.sent)-len(s.got):
				m.t.Fatalf("%s: sent %d, got %d, dropped %d", s.id, len(s.sent), len(s.got), s.sub.flow.dropped)
			}
		}
		m.source.Close(nil)
	}
	for _, s := range m.streams {
		if s.ended == s.stopped {
			m.t.Fatalf("%s: stopped %v, ended %v", s.id, s.stopped, s.ended)
		}
	}
	if st := m.table.Stats(); st.Streams != 0 || st.Bytes != 0 {
		m.t.Fatalf("left: %+v", st)
	}
}

func play(t testing.TB, script []byte) {
	m := newModel(t)
	for i := 0; i+1 < len(script); i += 2 {
		m.step(script[i], script[i+1])
	}
	m.drain()
}

func TestModel(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		script := make([]byte, 2*random.IntN(600))
		for i := range script {
			script[i] = byte(random.Uint32())
		}
		play(t, script)
	}
}

func FuzzTable(f *testing.F) {
	f.Add([]byte{0, 6, 1, 255, 7, 0, 11, 0, 7, 0})
	f.Add([]byte{0, 255, 0, 4, 1, 255, 14, 255, 7, 1, 15, 255, 7, 0})
	f.Fuzz(func(t *testing.T, script []byte) { play(t, script[:min(len(script), 1200)]) })
}
