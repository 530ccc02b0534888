package runner

import (
	"context"
	"encoding/json"

	"utter/shared/plugin/protocol"
)

// authenticate is runner.auth. It exists only before the client is known.
func (c *client) authenticate(a admission, params json.RawMessage) error {
	defer c.decide()
	c.auth.Lock()
	defer c.auth.Unlock()
	if c.known.Load() {
		return protocol.Errorf(protocol.CodeMethodNotFound, "the connection is authenticated")
	}
	var p protocol.AuthParams
	err := protocol.DecodeParams(params, &p)
	switch {
	case err != nil:
		return err
	case same(p.Token, a.token):
		c.known.Store(true)
		return nil
	}
	if c.wrong.Add(1) >= maxWrong {
		c.peer.Close()
	}
	return protocol.Denied(protocol.ReasonUnauthenticated, "wrong token")
}

// decide wakes requests that came after a runner.auth.
func (c *client) decide() {
	c.authing.Add(-1)
	select {
	case c.decided <- struct{}{}:
	default:
	}
}

// isKnown reports whether the client may ask for anything. What it asked right
// after a runner.auth waits for the answer to that.
func (c *client) isKnown(ctx context.Context) bool {
	for !c.known.Load() && c.authing.Load() > 0 {
		select {
		case <-c.decided:
			c.pass()
		case <-ctx.Done():
			return false
		}
	}
	c.pass()
	return c.known.Load()
}

// pass lets the next one that waits see that something was decided.
func (c *client) pass() {
	select {
	case c.decided <- struct{}{}:
	default:
	}
}
