package rpc

import (
	"context"
	"os"
	"slices"
	"sync"
)

// A frame waits in the outbox with its descriptors.
type frame struct {
	bytes  []byte
	files  []*os.File    // sent with the first byte and then closed
	urgent bool          // somebody waits for it; many others are better written together
	gone   chan struct{} // closed when settled; nil if nobody waits for that
}

func newFrame(bytes []byte, files ...*os.File) *frame {
	return &frame{bytes: bytes, files: files}
}

// settle says that the frame was written or never will be.
func (f *frame) settle() {
	for _, file := range f.files {
		file.Close()
	}
	if f.gone != nil {
		close(f.gone)
	}
}

// An outbox holds the frames that wait for the writer: at most maxFrames of
// them and maxBytes, though one frame always fits. A caller that puts more waits.
type outbox struct {
	maxFrames, maxBytes int
	nowait              *nowait // writes without waiting; nil if nothing can

	mu     sync.Mutex
	queue  []*frame
	bytes  int
	busy   bool          // the writer has frames
	err    error         // set when closed
	work   chan struct{} // holds one token while there may be frames
	room   chan struct{} // closed, and renewed, when frames leave
	closed chan struct{}
}

func newOutbox(maxFrames, maxBytes int, nowait *nowait) *outbox {
	return &outbox{
		maxFrames: maxFrames, maxBytes: maxBytes, nowait: nowait,
		work: make(chan struct{}, 1), room: make(chan struct{}), closed: make(chan struct{}),
	}
}

// put queues f, waiting for room until ctx ends. After an error f is settled.
func (o *outbox) put(ctx context.Context, f *frame) error {
	for {
		room, err := o.try(f, false)
		if err == nil && room == nil {
			return nil
		}
		if err == nil {
			select {
			case <-room:
				continue
			case <-o.closed:
				continue
			case <-ctx.Done():
				err = context.Cause(ctx)
			}
		}
		f.settle()
		return err
	}
}

// try queues f if there is room, or else returns what is closed when there may
// be. force ignores the bounds.
func (o *outbox) try(f *frame, force bool) (room <-chan struct{}, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return nil, o.err
	}
	full := len(o.queue) >= o.maxFrames || o.bytes+len(f.bytes) > o.maxBytes
	if full && len(o.queue) > 0 && !force {
		return o.room, nil
	}
	if f.urgent && !o.busy && len(o.queue) == 0 && o.nowait != nil {
		if f = o.write(f); f == nil {
			return nil, nil
		}
	}
	o.queue = append(o.queue, f)
	o.bytes += len(f.bytes)
	select {
	case o.work <- struct{}{}:
	default:
	}
	return nil, nil
}

// write writes f at once, without the writer, which would have to be woken for
// it. It returns what did not fit, or nil. A failure is left to the writer.
func (o *outbox) write(f *frame) *frame {
	n := o.nowait.write(f.bytes)
	switch {
	case n == 0:
		return f
	case n < len(f.bytes):
		return &frame{bytes: f.bytes[n:], gone: f.gone} // f itself cannot be withdrawn any more
	}
	f.settle()
	return nil
}

// withdraw takes f back. It reports false if the writer has it already.
func (o *outbox) withdraw(f *frame) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.Index(o.queue, f)
	if i < 0 {
		return false
	}
	o.queue = slices.Delete(o.queue, i, i+1)
	o.left(len(f.bytes))
	if o.err == nil { // else close has settled it
		f.settle()
	}
	return true
}

func (o *outbox) left(bytes int) {
	o.bytes -= bytes
	close(o.room)
	o.room = make(chan struct{})
}

// take returns the next frames: several small ones, or one. Nil means closed.
func (o *outbox) take() []*frame {
	for {
		if batch, closed := o.next(); batch != nil || closed {
			return batch
		}
		select {
		case <-o.work:
		case <-o.closed:
		}
	}
}

func (o *outbox) next() (batch []*frame, closed bool) {
	const together = 64 << 10
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return nil, true
	}
	n, bytes := 0, 0
	for _, f := range o.queue {
		if n > 0 && (bytes+len(f.bytes) > together || f.files != nil) {
			break
		}
		n, bytes = n+1, bytes+len(f.bytes)
		if f.files != nil {
			break
		}
	}
	o.busy = n > 0
	if n > 0 {
		batch = slices.Clone(o.queue[:n])
		o.queue = slices.Delete(o.queue, 0, n)
		o.left(bytes)
	}
	return batch, false
}

// close settles what waits, which is never sent, and refuses more with err.
// What waited can still be withdrawn: so a call knows that it was not sent.
func (o *outbox) close(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	o.err = err
	close(o.closed)
	for _, f := range o.queue {
		f.settle()
	}
}
