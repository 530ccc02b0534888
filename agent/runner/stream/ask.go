package stream

import (
	"context"
	"errors"
	"slices"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// An ask waits to be sent to the plugin.
type ask struct {
	id   string
	seq  int64 // of stream.ack
	stop bool
}

// ack passes credit on. An ack that still waits is joined: seq only rises.
// Under mu.
func (s *Source) ack(id string, seq int64) {
	if s.closed != nil {
		return
	}
	if a := s.acks[id]; a != nil {
		a.seq = seq
		return
	}
	a := &ask{id: id, seq: seq}
	s.acks[id] = a
	s.ask(a)
}

// stop tells the plugin to stop a stream, and remembers it. Under mu.
func (s *Source) stop(id string) {
	if s.closed != nil {
		return
	}
	if a := s.acks[id]; a != nil {
		s.asks = slices.DeleteFunc(s.asks, func(b *ask) bool { return a == b })
		delete(s.acks, id)
	}
	if len(s.stopped) >= maxStopped {
		s.stopped = slices.Delete(s.stopped, 0, 1)
	}
	s.stopped = append(s.stopped, id)
	if s.stopping == 0 {
		s.quiet = make(chan struct{})
	}
	s.stopping++
	s.ask(&ask{id: id, stop: true})
}

func (s *Source) ask(a *ask) {
	s.asks = append(s.asks, a)
	if !s.asking {
		s.asking = true
		s.running.Go(s.tell)
	}
	select {
	case s.work <- struct{}{}:
	default:
	}
}

// next returns what to ask next, or nil.
func (s *Source) next() *ask {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	if len(s.asks) == 0 {
		return nil
	}
	a := s.asks[0]
	s.asks = s.asks[1:]
	if !a.stop {
		delete(s.acks, a.id)
	}
	return a
}

// tell asks the plugin, in order, until Close or the end of the connection. It
// does not wait for answers: only so many may be missing, the oldest is given up
// for another.
func (s *Source) tell() {
	var missing []context.CancelFunc
	for {
		a := s.next()
		if a == nil {
			select {
			case <-s.work:
				continue
			case <-s.ctx.Done():
				return
			}
		}
		call, err := s.start(a)
		if err != nil {
			return // the connection ended
		}
		if len(missing) == maxAsked {
			missing[0]()
			missing = slices.Delete(missing, 0, 1)
		}
		ctx, cancel := context.WithTimeout(s.ctx, askPatience)
		missing = append(missing, cancel)
		s.running.Go(func() {
			defer cancel()
			_, _ = call.Wait(ctx) // any answer will do, an error too
			if a.stop {
				s.answeredStop()
			}
		})
	}
}

// start sends a, later if too many calls wait for the plugin.
func (s *Source) start(a *ask) (*rpc.Call, error) {
	method, params := protocol.MethodStreamAck, any(protocol.AckParams{StreamID: a.id, Seq: a.seq})
	if a.stop {
		method, params = protocol.MethodStreamStop, protocol.StopParams{StreamID: a.id}
	}
	for {
		call, err := s.peer.Start(s.ctx, method, params)
		if !errors.Is(err, rpc.ErrBusy) {
			return call, err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-s.ctx.Done():
			return nil, s.ctx.Err()
		}
	}
}

func (s *Source) answeredStop() {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	s.stopping--
	if s.stopping == 0 {
		close(s.quiet)
	}
}
