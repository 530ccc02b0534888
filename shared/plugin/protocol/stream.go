package protocol

import "encoding/json"

// Methods of streams. They go both ways: from a client to the runner, from it to
// a plugin.
const (
	MethodStreamSubscribe = "stream.subscribe"
	MethodStreamAck       = "stream.ack"
	MethodStreamStop      = "stream.stop"
)

// The modes of a stream.
const (
	ModeLossy    = "lossy"
	ModeReliable = "reliable"
)

// SubscribeParams opens a stream: stream.subscribe.
type SubscribeParams struct {
	Method string          `json:"method"`           // the stream's name
	Params json.RawMessage `json:"params,omitempty"` // an object
	Mode   string          `json:"mode,omitempty"`   // ModeLossy if absent
	Window int             `json:"window,omitempty"` // frames of credit, to a plugin
}

// SubscribeResult names the stream. To a client the mode is always said.
type SubscribeResult struct {
	StreamID string `json:"stream_id"`
	Mode     string `json:"mode,omitempty"`
}

// StreamFrame is a notification whose method is the stream's name.
type StreamFrame struct {
	StreamID string          `json:"stream_id"`
	Seq      *int64          `json:"seq,omitempty"` // absent: one more than the last, from 1
	Data     json.RawMessage `json:"data,omitempty"`
}

// AckParams acknowledges every frame up to seq: stream.ack.
type AckParams struct {
	StreamID string `json:"stream_id"`
	Seq      int64  `json:"seq"`
}

// StopParams ends a stream: stream.stop.
type StopParams struct {
	StreamID string `json:"stream_id"`
}

// StreamEnd says that no frame follows: stream.end.
type StreamEnd struct {
	StreamID string `json:"stream_id"`
	LastSeq  int64  `json:"last_seq"`
	Error    *Error `json:"error,omitempty"`
}
