// Package rpc carries JSON-RPC 2.0 between two equal peers, in frames with a
// Content-Length, and trusts neither their bytes nor their pace: every buffer
// and queue is bounded, nothing waits for the peer without a time limit, and JSON
// that two parsers might read differently is refused. The only method it knows is
// the cancellation; package protocol defines the others.
//
// A Peer writes each frame whole, one after another, in the order in which they
// were queued: a request or reply at once where the connection takes it without
// waiting, all else by a goroutine of its own. Requests of the peer are served
// at the same time, so replies come in any order; its notifications are handled
// one after another.
package rpc
