// Package sway drives sway and i3 over their socket (the i3 IPC protocol). It
// starts no programs and never passes foreign text on as a command.
package sway

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"utter/agent/internal/compositor"
)

// A messageType is the type of a message of i3's IPC.
type messageType uint32

const (
	runCommand    messageType = 0
	getWorkspaces messageType = 1
	subscribe     messageType = 2
	getOutputs    messageType = 3
	getTree       messageType = 4
	getVersion    messageType = 7
	getInputs     messageType = 100

	eventBit      messageType = 1 << 31
	eventWindow               = eventBit | 3
	eventShutdown             = eventBit | 6
)

const (
	magic = "i3-ipc"
	// maxPayload bounds a message: a tree of 1,000 windows has about 1 MB.
	maxPayload = 32 << 20
	// replyTime is how long a question may take.
	replyTime = 2 * time.Second
)

var errMalformed = errors.New("sway: malformed message")

// writeMessage sends one message.
func writeMessage(w io.Writer, t messageType, payload string) error {
	b := make([]byte, 0, len(magic)+8+len(payload))
	b = append(b, magic...)
	b = binary.NativeEndian.AppendUint32(b, uint32(len(payload)))
	b = binary.NativeEndian.AppendUint32(b, uint32(t))
	b = append(b, payload...)
	_, err := w.Write(b)
	return err
}

// readMessage reads one message.
func readMessage(r io.Reader) (messageType, []byte, error) {
	var head [len(magic) + 8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	if string(head[:len(magic)]) != magic {
		return 0, nil, fmt.Errorf("%w: it begins with %q", errMalformed, head[:len(magic)])
	}
	n := binary.NativeEndian.Uint32(head[len(magic):])
	if n > maxPayload {
		return 0, nil, fmt.Errorf("%w: %d bytes", errMalformed, n)
	}
	var payload bytes.Buffer // grows with what comes, not with what is promised
	if _, err := io.CopyN(&payload, r, int64(n)); err != nil {
		return 0, nil, noEOF(err)
	}
	return messageType(binary.NativeEndian.Uint32(head[len(magic)+4:])), payload.Bytes(), nil
}

// noEOF keeps half a message from looking like a clean end.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A conn asks questions, one at a time.
type conn struct {
	c    *net.UnixConn
	turn chan struct{} // holds one token; whoever has it may use c
}

func dial(ctx context.Context, path string) (*conn, error) {
	var d net.Dialer
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	c, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("sway: %w", err)
	}
	conn := &conn{c.(*net.UnixConn), make(chan struct{}, 1)}
	conn.turn <- struct{}{}
	return conn, nil
}

func (c *conn) close() error { return c.c.Close() }

// ask sends a question and returns the payload of its answer. After an error, or
// an end of ctx while it waits for the answer, the connection is of no more use.
func (c *conn) ask(ctx context.Context, t messageType, payload string) ([]byte, error) {
	select {
	case <-c.turn:
		defer func() { c.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := c.c.SetDeadline(time.Now().Add(replyTime)); err != nil {
		return nil, gone(err)
	}
	stop := context.AfterFunc(ctx, func() { c.c.Close() })
	defer stop()
	if err := writeMessage(c.c, t, payload); err != nil {
		return nil, gone(err)
	}
	got, answer, err := readMessage(c.c)
	if err == nil && got != t {
		err = fmt.Errorf("%w: answer of type %d to question %d", errMalformed, got, t)
	}
	if err != nil {
		c.c.Close() // a late answer must not be taken for another question's
		if ctx.Err() != nil {
			return nil, gone(ctx.Err())
		}
		return nil, gone(err)
	}
	return answer, nil
}

func gone(err error) error { return fmt.Errorf("%w: %w", compositor.ErrGone, err) }
