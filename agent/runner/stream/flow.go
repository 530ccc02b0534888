package stream

import (
	"encoding/json"
	"math"
	"strconv"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

const (
	// maxFrame is what still fits when the client's stream_id is longer than
	// the plugin's.
	maxFrame = rpc.MaxFromPlugin - 4096
	// frameCost is what a waiting frame takes besides its data, in bytes.
	frameCost = 64
)

// A frame waits for its subscriber.
type frame struct {
	seq  int64
	data json.RawMessage
}

func (f frame) size() int { return len(f.data) + frameCost }

// A flow is the state of one stream between a plugin and its subscriber. It is
// pure: it neither writes nor waits.
type flow struct {
	reliable bool
	window   int // of a reliable flow: frames above the acknowledged one
	lossy    int // of a lossy flow: frames that wait

	queue   []frame // accepted, not yet taken
	bytes   int     // in queue
	sent    []int64 // of a reliable flow: taken, above the acknowledged one
	last    int64   // seq of the newest accepted frame
	begun   bool    // there was a frame
	dropped int64   // frames of a lossy flow

	ended  bool
	why    *protocol.Error // what its end says
	failed bool            // the plugin must be stopped
	over   bool            // because it ignores its credit
}

// push takes the next frame of the plugin. seq is what it wrote, or nil; room is
// how many bytes may be added. An error is why the plugin must be stopped: the
// flow has ended, the frame was not taken, those before it were.
func (f *flow) push(seq, data json.RawMessage, room int) *protocol.Error {
	if f.ended {
		return nil
	}
	next := frame{f.last + 1, data}
	if n, err := strconv.ParseInt(string(seq), 10, 64); err == nil {
		next.seq = n
	}
	switch {
	case next.seq < 0 || f.begun && next.seq <= f.last || f.last == math.MaxInt64:
		return f.fail(protocol.Errorf(protocol.CodePlugin,
			"the plugin's seq does not increase: %d after %d", next.seq, f.last))
	case len(data) > maxFrame:
		return f.fail(protocol.Errorf(protocol.CodePlugin, "a frame of %d bytes is too large", len(data)))
	}
	if !f.reliable {
		f.last, f.begun = next.seq, true
		f.shift(next, room)
		return nil
	}
	uncredited := len(f.queue) + 1 - (f.window - len(f.sent))
	switch {
	case uncredited > protocol.MaxHeldFrames, uncredited > 0 && f.bytes+next.size() > protocol.MaxHeldBytes:
		f.over = true
		return f.fail(protocol.Errorf(protocol.CodePlugin, "the plugin ignores its credit of %d frames", f.window))
	case next.size() > room:
		return f.fail(busy("too much data is queued in streams"))
	}
	f.last, f.begun = next.seq, true
	f.add(next)
	return nil
}

// shift adds a frame to a lossy flow and drops the oldest ones for it.
func (f *flow) shift(next frame, room int) {
	for len(f.queue) > 0 &&
		(len(f.queue) >= f.lossy || f.bytes+next.size() > protocol.MaxHeldBytes || next.size() > room) {
		room += f.queue[0].size()
		f.pop()
		f.dropped++
	}
	if next.size() > room {
		f.dropped++
		return
	}
	f.add(next)
}

func (f *flow) add(next frame) {
	f.queue = append(f.queue, next)
	f.bytes += next.size()
}

func (f *flow) pop() frame {
	first := f.queue[0]
	f.queue[0] = frame{} // else what is gone stays in memory
	f.queue = f.queue[1:]
	if len(f.queue) == 0 {
		f.queue = nil
	}
	f.bytes -= first.size()
	return first
}

// ready reports whether there is something to take.
func (f *flow) ready() bool {
	if len(f.queue) == 0 {
		return f.ended
	}
	return !f.reliable || len(f.sent) < f.window
}

// take returns the next frame for the subscriber. Where there is none although
// the flow is ready, its end is due.
func (f *flow) take() (next frame, ok bool) {
	if len(f.queue) == 0 || !f.ready() {
		return frame{}, false
	}
	next = f.pop()
	if f.reliable {
		f.sent = append(f.sent, next.seq)
	}
	return next, true
}

// ack acknowledges what was taken up to seq. It returns the seq of the newest
// such frame, and false where this changes nothing.
func (f *flow) ack(seq int64) (through int64, moved bool) {
	n := 0
	for n < len(f.sent) && f.sent[n] <= seq {
		n++
	}
	if n == 0 {
		return 0, false
	}
	through = f.sent[n-1]
	f.sent = append(f.sent[:0], f.sent[n:]...)
	return through, true
}

// end says that no frame follows. What waits is still delivered. Only the first
// end counts.
func (f *flow) end(why *protocol.Error) {
	if !f.ended {
		f.ended, f.why = true, why
	}
}

func (f *flow) fail(why *protocol.Error) *protocol.Error {
	f.end(why)
	f.failed = true
	return why
}

// clear drops what waits.
func (f *flow) clear() { f.queue, f.bytes, f.sent = nil, 0, nil }

// become gives a flow, held while its subscribe was pending, the mode that it
// turns out to have. What a reliable flow lost in that time ends it.
func (f *flow) become(reliable bool, window int) {
	switch {
	case reliable == f.reliable:
	case !reliable:
		f.reliable = false
		if f.over { // of a credit that it never had
			f.ended, f.why, f.failed, f.over = false, nil, false, false
		}
		for len(f.queue) > f.lossy {
			f.pop()
			f.dropped++
		}
	case f.dropped > 0:
		f.clear()
		f.last = 0
		f.fail(protocol.Errorf(protocol.CodePlugin, "the plugin sent more than it may before it answered"))
		fallthrough
	default:
		f.reliable = true
	}
	f.window = window
}

func busy(format string, args ...any) *protocol.Error {
	return protocol.Errorf(protocol.CodeUnavailable, format, args...).With(protocol.Data{Reason: protocol.ReasonBusy})
}
