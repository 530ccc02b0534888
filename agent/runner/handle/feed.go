package handle

import (
	"errors"
	"sync"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// A feed goes on while its reader reads.
const (
	maxFeeds     = 64               // of all owners
	feedPatience = 30 * time.Second // for a reader that does not read
	feedPause    = time.Millisecond // at first
	feedMaxPause = 20 * time.Millisecond
)

// feeds are the goroutines that write what does not fit into a ring at once.
type feeds struct {
	mu      sync.Mutex
	n       int
	running sync.WaitGroup
}

// start runs f, unless there are too many.
func (s *feeds) start(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n >= maxFeeds {
		return false
	}
	s.n++
	s.running.Go(func() {
		f()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.n--
	})
	return true
}

// close waits for those that run: their owners have gone.
func (s *feeds) close() { s.running.Wait() }

func (o *Owner) passRing(m protocol.FDMeta) (rpc.Reply, error) {
	size, data, err := wanted(m)
	if err == nil && m.Handle != "" {
		data, err = o.bytes(m)
	}
	if err != nil {
		return rpc.Reply{}, err
	}
	w, files, err := NewRing(size)
	if err != nil {
		return rpc.Reply{}, err
	}
	n, err := w.Write(data)
	if err != nil {
		return rpc.Reply{}, errors.Join(err, w.Close(), files[0].Close(), files[1].Close())
	}
	capacity := int64(len(w.data))
	reply := rpc.Reply{
		Result: passed{Kind: protocol.FDMemfdRing, Size: ringHeader + capacity, Capacity: capacity},
		Files:  files,
	}
	if n == len(data) {
		return reply, w.Close()
	}
	if !o.store.feed.start(func() { w.feed(data[n:], o.gone) }) {
		_ = errors.Join(w.Close(), files[0].Close(), files[1].Close())
		return rpc.Reply{}, busy("there are at most %d rings being written", maxFeeds)
	}
	return reply, nil
}

// feed writes data as the reader makes room, and closes w. It ends the ring when
// nothing was read for long, or gone is closed.
func (w *RingWriter) feed(data []byte, gone <-chan struct{}) {
	defer w.Close()
	pause, last := feedPause, time.Now()
	for len(data) > 0 {
		n, err := w.Write(data)
		if err != nil {
			return
		}
		data = data[n:]
		if n > 0 {
			pause, last = feedPause, time.Now()
			continue
		}
		if time.Since(last) > feedPatience {
			w.End()
			return
		}
		select {
		case <-time.After(pause):
			pause = min(2*pause, feedMaxPause)
		case <-gone:
			w.End()
			return
		}
	}
}
