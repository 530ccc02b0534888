package stream

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"utter/shared/plugin/protocol"
)

// Options says how large things may grow. Every zero value is usable.
type Options struct {
	Lossy      int // frames of a lossy queue; protocol.DefaultLossy
	Window     int // frames of credit of a reliable stream; protocol.DefaultCredit
	MaxBytes   int // that wait in all streams together; 128 MiB
	MaxStreams int // of one client; 64
}

// A Table holds the streams of a runner. It may be used from any goroutine.
type Table struct {
	opts Options

	// mu guards everything in a Table, its Clients, Sources and subscriptions.
	// Nothing is written and nobody is waited for under it.
	mu      sync.Mutex
	lastID  int
	bytes   int // that wait in flows
	dropped int64
	open    int                        // subscriptions
	events  map[*subscription]struct{} // those of runner.event
}

// New returns an empty Table.
func New(o Options) *Table {
	o.Lossy = cmp.Or(max(o.Lossy, 0), protocol.DefaultLossy)
	o.Window = cmp.Or(max(o.Window, 0), protocol.DefaultCredit)
	o.MaxBytes = cmp.Or(max(o.MaxBytes, 0), 128<<20)
	o.MaxStreams = cmp.Or(max(o.MaxStreams, 0), 64)
	return &Table{opts: o, events: map[*subscription]struct{}{}}
}

// Stats counts what is held and what was lost.
type Stats struct {
	Streams int   // open ones, those that only wait to be drained too
	Bytes   int   // that wait in them
	Dropped int64 // frames of lossy streams, ever
}

// Stats returns the counts.
func (t *Table) Stats() Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Stats{t.open, t.bytes, t.dropped}
}

// A subscription is a stream of a client.
type subscription struct {
	id         string // as the client knows it
	method     string
	consumer   *Consumer
	producer   *Producer // nil: none, or nothing comes from it any more
	producerID string    // as the plugin knows it
	flow       flow
	begun      bool // the reply of its subscribe is queued
	listed     bool // in consumer.ready
	gone       bool
}

// subscribe adds a subscription of c. Under mu.
func (t *Table) subscribe(c *Consumer, method string, f flow) *subscription {
	t.lastID++
	t.open++
	sub := &subscription{id: fmt.Sprintf("stream-%d", t.lastID), method: method, consumer: c, flow: f}
	c.streams[sub.id] = sub
	return sub
}

// remove forgets a subscription. Under mu.
func (t *Table) remove(sub *subscription) {
	t.detach(sub)
	t.change(&sub.flow, (*flow).clear)
	delete(t.events, sub)
	delete(sub.consumer.streams, sub.id)
	sub.gone = true
	t.open--
}

// detach says that nothing comes from the plugin any more. Under mu.
func (t *Table) detach(sub *subscription) {
	if sub.producer != nil {
		delete(sub.producer.streams, sub.producerID)
		sub.producer = nil
	}
}

// change does something to a flow and keeps the counts. Under mu.
func (t *Table) change(f *flow, do func(*flow)) {
	bytes, dropped := f.bytes, f.dropped
	do(f)
	t.bytes += f.bytes - bytes
	t.dropped += f.dropped - dropped
}

// room returns how many bytes may be added. Under mu.
func (t *Table) room() int { return t.opts.MaxBytes - t.bytes }

// wake tells the writer of a subscription that there may be work. Under mu.
func (t *Table) wake(sub *subscription) {
	if !sub.begun || sub.listed || sub.gone || !sub.flow.ready() {
		return
	}
	sub.listed = true
	c := sub.consumer
	c.ready = append(c.ready, sub)
	select {
	case c.work <- struct{}{}:
	default:
	}
}

// all returns the subscriptions in an order that does not change. Under mu.
func all(m map[string]*subscription) []*subscription {
	return slices.SortedFunc(maps.Values(m), func(a, b *subscription) int { return cmp.Compare(a.id, b.id) })
}
