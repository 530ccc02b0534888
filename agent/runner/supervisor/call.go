package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// Call asks the plugin and waits at most timeout, and no longer than ctx. progress, if not
// nil, is told of $/progress. The errors are those of rpc.Peer.Call; see
// protocol.CallFailure.
func (l *Live) Call(ctx context.Context, method string, params any, timeout time.Duration,
	progress func(protocol.Progress)) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := l.takePlace(ctx); err != nil {
		return nil, &rpc.CallError{Method: method, Err: err}
	}
	defer l.leavePlace()
	if err := l.waitLate(ctx); err != nil {
		return nil, &rpc.CallError{Method: method, Err: err}
	}
	call, err := l.peer.Start(ctx, method, params)
	if err != nil {
		return nil, err
	}
	l.follows(call.ID(), progress)
	result, err := call.Wait(ctx)
	l.follows(call.ID(), nil)
	if lost, ok := errors.AsType[*rpc.CallError](err); ok && lost.Settled != nil &&
		errors.Is(err, context.DeadlineExceeded) {
		l.overdue(method, lost.Settled)
	}
	return result, err
}

// How many calls a plugin gets at once, and how many may wait to be next.
const (
	maxCalls   = 32
	maxWaiting = 2048
)

// takePlace waits until the plugin is asked less than it may be at once.
func (l *Live) takePlace(ctx context.Context) error {
	if l.waiting.Add(1) > maxWaiting {
		l.waiting.Add(-1)
		return rpc.ErrBusy
	}
	defer l.waiting.Add(-1)
	select {
	case l.places <- struct{}{}:
		return nil
	case <-l.ctx.Done():
		return rpc.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l *Live) leavePlace() { <-l.places }

// waitLate waits for a reply that is overdue: a plugin that serves one request
// after another would not even read the next.
func (l *Live) waitLate(ctx context.Context) error {
	l.mu.Lock()
	late := l.late
	l.mu.Unlock()
	if late == nil {
		return nil
	}
	select {
	case <-late:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// overdue holds further calls until settled is closed. If that takes too long
// the plugin hangs, and ends.
func (l *Live) overdue(method string, settled <-chan struct{}) {
	l.mu.Lock()
	before := l.late
	l.late = settled
	if before != nil && !closed(before) {
		l.late = before // the older one decides
	}
	l.mu.Unlock()
	patience := l.Plugin.shared.Pace.orDefault().LateReply
	l.own.Go(func() {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-settled:
			l.mu.Lock()
			if l.late == settled {
				l.late = nil
			}
			l.mu.Unlock()
		case <-l.ctx.Done():
		case <-timer.C:
			l.fail(fmt.Errorf("the plugin hangs: no reply to %s within %s after the timeout", method, patience))
		}
	})
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// maxEarly bounds the progress kept of calls whose id is not known yet.
const maxEarly = 16

// follows says who is told of the progress of a call; nil ends it.
func (l *Live) follows(id string, progress func(protocol.Progress)) {
	l.mu.Lock()
	var early []protocol.Progress
	if progress == nil {
		delete(l.progress, id)
	} else {
		l.progress[id] = progress
		l.early = slices.DeleteFunc(l.early, func(e protocol.Progress) bool {
			if !isID(e.ID, id) {
				return false
			}
			early = append(early, e)
			return true
		})
	}
	l.mu.Unlock()
	for _, e := range early {
		progress(e)
	}
}

func isID(text json.RawMessage, id string) bool { return string(text) == `"`+id+`"` }

// notified takes the notifications of the plugin, in order. It must not wait.
func (l *Live) notified(_ context.Context, method string, params json.RawMessage) {
	switch method {
	case protocol.NotifyProgress:
		l.progressed(params)
	case protocol.NotifyLog:
		var line protocol.LogLine
		if protocol.DecodeParams(params, &line) == nil {
			l.Plugin.say(escaped(line.Level), escaped(line.Message))
		}
	case protocol.NotifyCapabilitiesChanged:
		select {
		case l.reread <- struct{}{}:
		default:
		}
	default:
		l.Streams.Notified(method, params)
	}
}

func (l *Live) progressed(params json.RawMessage) {
	var p protocol.Progress
	if protocol.DecodeParams(params, &p) != nil {
		return
	}
	l.mu.Lock()
	var tell func(protocol.Progress)
	for id, progress := range l.progress {
		if isID(p.ID, id) {
			tell = progress
		}
	}
	if tell == nil {
		if l.early = append(l.early, p); len(l.early) > maxEarly {
			l.early = l.early[1:]
		}
	}
	l.mu.Unlock()
	if tell != nil {
		tell(p)
	}
}
