// Package niri drives niri over its socket, which carries one JSON request or event
// per line. It starts no programs and never takes the answer Handled as evidence.
package niri

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"utter/agent/internal/compositor"
)

const (
	// maxLine bounds a message: 1,000 windows have about 500 kB.
	maxLine = 16 << 20
	// replyTime is how long an answer may take.
	replyTime = 2 * time.Second
)

var errMalformed = errors.New("niri: malformed message")

// A refusedError is what niri says to a request that it cannot read.
type refusedError struct{ text string }

func (e *refusedError) Error() string { return "niri: " + e.text }

// readLine reads one line without its end. It grows with what comes.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("%w: a line of over %d bytes", errMalformed, maxLine)
		}
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}

// A conn asks questions, one at a time.
type conn struct {
	c    *net.UnixConn
	r    *bufio.Reader
	turn chan struct{} // holds one token; whoever has it may use c and r
}

func dial(ctx context.Context, path string) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("niri: %w", err)
	}
	conn := &conn{c.(*net.UnixConn), bufio.NewReader(c), make(chan struct{}, 1)}
	conn.turn <- struct{}{}
	return conn, nil
}

func (c *conn) close() error { return c.c.Close() }

func gone(err error) error { return fmt.Errorf("%w: %w", compositor.ErrGone, err) }

// ask sends a request and returns what is behind Ok in its answer. After an
// error that is no *refusedError the connection is of no more use.
func (c *conn) ask(ctx context.Context, request any) (json.RawMessage, error) {
	select {
	case <-c.turn:
		defer func() { c.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	answer, err := c.exchange(ctx, request)
	if err != nil {
		c.c.Close() // a late answer must not be taken for another request's
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, gone(err)
	}
	var reply struct {
		Ok  json.RawMessage
		Err *string
	}
	if err := json.Unmarshal(answer, &reply); err != nil || reply.Ok == nil && reply.Err == nil {
		c.c.Close()
		return nil, gone(fmt.Errorf("%w: %.100q is not a reply", errMalformed, answer))
	}
	if reply.Err != nil {
		return nil, &refusedError{*reply.Err}
	}
	return reply.Ok, nil
}

func (c *conn) exchange(ctx context.Context, request any) ([]byte, error) {
	line, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	if err := c.c.SetDeadline(time.Now().Add(replyTime)); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { c.c.Close() })
	defer stop()
	if _, err := c.c.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	return readLine(c.r)
}

// query asks for what request names and decodes it.
func query[T any](ctx context.Context, c *conn, request string) (T, error) {
	var value T
	answer, err := c.ask(ctx, request)
	if err != nil {
		return value, err
	}
	var named map[string]json.RawMessage
	err = json.Unmarshal(answer, &named)
	if err == nil {
		err = json.Unmarshal(named[request], &value)
	}
	if err != nil {
		c.close()
		return value, gone(fmt.Errorf("%w: answer to %s: %w", errMalformed, request, err))
	}
	return value, nil
}
