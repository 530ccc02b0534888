package plugin

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// callTime bounds a call to the runner whose ctx has no end of its own.
const callTime = 10 * time.Second

// ErrNoRunner means that the ctx is none that a plugin's function was given.
var ErrNoRunner = errors.New("this context has no runner")

func sessionOf(ctx context.Context) *session {
	s, _ := ctx.Value(sessionKey{}).(*session)
	return s
}

type fromKey struct{}

// FromScreen reports whether an op was requested by text on the screen and not
// by the user. The op then has no arguments: text from the screen may only
// select.
func FromScreen(ctx context.Context) bool {
	from, _ := ctx.Value(fromKey{}).(protocol.Provenance)
	return from == protocol.FromScreen
}

// Progress reports the progress of an op or a route to its caller: percent from 0
// to 100, or less than 0 if unknown. Elsewhere it does nothing.
func Progress(ctx context.Context, percent float64, format string, args ...any) {
	s, id := sessionOf(ctx), rpc.RequestID(ctx)
	if s == nil || id == nil {
		return
	}
	p := protocol.Progress{ID: id, Message: fmt.Sprintf(format, args...)}
	if percent >= 0 {
		percent = min(percent, 100)
		p.Percent = &percent
	}
	_ = s.peer.Notify(ctx, protocol.NotifyProgress, p) // else nobody waits any more
}

// Windows asks the runner for the state of the desktop, limited to what the user has
// granted: titles need the permission accessibility, and the clipboard needs the
// permission clipboard. All of it is text from the screen. No sources means all.
func Windows(ctx context.Context, sources ...string) (Snapshot, error) {
	var all Snapshot
	result, err := callHost(ctx, protocol.MethodHostContext, protocol.SnapshotParams{Sources: sources})
	if err == nil {
		err = rpc.Unmarshal(result, &all)
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("ask for the desktop: %w", err)
	}
	return all, nil
}

// Emit sends an event to the subscribers of runner.event. The name and the JSON
// of data together are at most 64 KiB, and there may be at most 100 events per
// second.
func Emit(ctx context.Context, event string, data any) error {
	text, err := rpc.Marshal(data)
	if n := len(event) + len(text); err == nil && n > protocol.MaxEmit {
		err = fmt.Errorf("%d bytes; the maximum is %d", n, protocol.MaxEmit)
	}
	if err == nil {
		_, err = callHost(ctx, protocol.MethodHostEmit, protocol.EmitParams{Event: event, Data: text})
	}
	if err != nil {
		return fmt.Errorf("emit %s: %w", event, err)
	}
	return nil
}

func callHost(ctx context.Context, method string, params any) (json.RawMessage, error) {
	s := sessionOf(ctx)
	if s == nil {
		return nil, ErrNoRunner
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return s.peer.Call(ctx, method, params)
}

// maxKept bounds the bytes that wait to be fetched.
const maxKept = 8 << 20

// handles holds what NewHandle was given, oldest first.
type handles struct {
	kept  []keptBytes
	bytes int
}

type keptBytes struct {
	handle protocol.Handle
	data   []byte
}

// NewHandle returns a handle for data, at most 8 MiB. An op returns it as the
// member "handle" of its result; the runner fetches the data and keeps it for the
// caller. If all handles together exceed 8 MiB, the oldest are dropped.
func NewHandle(ctx context.Context, data []byte) (string, error) {
	s := sessionOf(ctx)
	switch {
	case s == nil:
		return "", ErrNoRunner
	case len(data) > maxKept:
		return "", fmt.Errorf("a handle for %d bytes; the maximum is %d", len(data), maxKept)
	}
	h := protocol.HandleOf(data)
	s.mu.Lock()
	defer s.mu.Unlock()
	k := &s.handles
	k.kept = append(k.kept, keptBytes{h, append([]byte{}, data...)})
	for k.bytes += len(data); k.bytes > maxKept; k.kept = k.kept[1:] {
		k.bytes -= len(k.kept[0].data)
	}
	return h.String(), nil
}

// fetch answers handle.fetch.
func (s *session) fetch(_ context.Context, params json.RawMessage) (any, error) {
	var in protocol.HandleParams
	if err := protocol.DecodeParams(params, &in); err != nil {
		return nil, err
	}
	h, err := protocol.ParseHandle(in.Handle)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.handles.kept {
		if k.handle == h {
			return protocol.HandleFetchResult{
				Size: int64(len(k.data)), SHA256: h.Hex(), DataB64: base64.StdEncoding.EncodeToString(k.data),
			}, nil
		}
	}
	return nil, protocol.Errorf(protocol.CodePlugin, "unknown handle %s", h)
}
