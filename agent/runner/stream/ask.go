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
func (p *Producer) ack(id string, seq int64) {
	if p.closed != nil {
		return
	}
	if a := p.acks[id]; a != nil {
		a.seq = seq
		return
	}
	a := &ask{id: id, seq: seq}
	p.acks[id] = a
	p.ask(a)
}

// stop tells the plugin to stop a stream, and remembers it. Under mu.
func (p *Producer) stop(id string) {
	if p.closed != nil {
		return
	}
	if a := p.acks[id]; a != nil {
		p.asks = slices.DeleteFunc(p.asks, func(b *ask) bool { return a == b })
		delete(p.acks, id)
	}
	if len(p.stopped) >= maxStopped {
		p.stopped = slices.Delete(p.stopped, 0, 1)
	}
	p.stopped = append(p.stopped, id)
	if p.stopping == 0 {
		p.quiet = make(chan struct{})
	}
	p.stopping++
	p.ask(&ask{id: id, stop: true})
}

func (p *Producer) ask(a *ask) {
	p.asks = append(p.asks, a)
	if !p.asking {
		p.asking = true
		p.running.Go(p.tell)
	}
	select {
	case p.work <- struct{}{}:
	default:
	}
}

// next returns what to ask next, or nil.
func (p *Producer) next() *ask {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	if len(p.asks) == 0 {
		return nil
	}
	a := p.asks[0]
	p.asks = p.asks[1:]
	if !a.stop {
		delete(p.acks, a.id)
	}
	return a
}

// tell asks the plugin, in order, until Close or the end of the connection. It
// does not wait for answers: only so many may be missing, the oldest is given up
// for another.
func (p *Producer) tell() {
	var missing []context.CancelFunc
	for {
		a := p.next()
		if a == nil {
			select {
			case <-p.work:
				continue
			case <-p.ctx.Done():
				return
			}
		}
		call, err := p.start(a)
		if err != nil {
			return // the connection ended
		}
		if len(missing) == maxAsked {
			missing[0]()
			missing = slices.Delete(missing, 0, 1)
		}
		ctx, cancel := context.WithTimeout(p.ctx, askPatience)
		missing = append(missing, cancel)
		p.running.Go(func() {
			defer cancel()
			_, _ = call.Wait(ctx) // any answer will do, an error too
			if a.stop {
				p.answeredStop()
			}
		})
	}
}

// start sends a, later if too many calls wait for the plugin.
func (p *Producer) start(a *ask) (*rpc.Call, error) {
	method, params := protocol.MethodStreamAck, any(protocol.AckParams{StreamID: a.id, Seq: a.seq})
	if a.stop {
		method, params = protocol.MethodStreamStop, protocol.StopParams{StreamID: a.id}
	}
	for {
		call, err := p.peer.Start(p.ctx, method, params)
		if !errors.Is(err, rpc.ErrBusy) {
			return call, err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-p.ctx.Done():
			return nil, p.ctx.Err()
		}
	}
}

func (p *Producer) answeredStop() {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	p.stopping--
	if p.stopping == 0 {
		close(p.quiet)
	}
}
