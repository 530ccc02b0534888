package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"utter/agent/runner/stdio"
	"utter/shared/plugin/protocol"
)

// handshake asks what every plugin is asked first.
func (l *Live) handshake(ctx context.Context) error {
	p := l.Plugin
	ask := func(method string, params any) (json.RawMessage, error) {
		result, err := l.Call(ctx, method, params, p.shared.Timeout(), nil)
		if err != nil {
			if _, said := errors.AsType[*protocol.Error](err); said {
				return nil, fmt.Errorf("%s: %w", method, err)
			}
			if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
				return nil, &stdio.LateError{Method: method, Within: p.shared.Timeout()}
			}
			return nil, fmt.Errorf("%s: %w", method, protocol.CallFailure(ctx, err))
		}
		return result, nil
	}
	result, err := ask(protocol.MethodHello, protocol.HelloParams{
		Protocol: protocol.Version, ABI: protocol.ABI, Runner: p.shared.Runner, Epoch: l.Epoch, Settings: p.Entry.Settings,
	})
	if err != nil {
		return err
	}
	if l.Hello, err = protocol.CheckHello(result); err != nil {
		return err
	}
	l.Agreement = protocol.Negotiate(l.Hello,
		protocol.Entry{Provides: p.Entry.Provides, Requires: p.Entry.Requires, Permissions: p.Entry.Permissions})
	if len(l.Agreement.Unknown) > 0 {
		p.log.Warn("unknown capabilities", "capabilities", l.Agreement.Unknown)
	}
	if result, err = ask(protocol.MethodDescribe, nil); err != nil {
		return err
	}
	var about protocol.DescribeResult
	if protocol.DecodeParams(result, &about) == nil {
		l.Methods, l.Names = about.Methods, about.Streams
	}
	if result, err = ask(protocol.MethodHealth, nil); err != nil {
		return err
	}
	l.said = healthOf(result)
	return nil
}

// unwell is the health of a plugin that something is wrong with.
func unwell(err error) protocol.HealthResult {
	return protocol.HealthResult{Status: protocol.StatusDegraded, Detail: err.Error()}
}

func healthOf(result json.RawMessage) (h protocol.HealthResult) {
	if protocol.DecodeParams(result, &h) != nil || h.Status == "" {
		return protocol.HealthResult{Status: protocol.StatusDegraded, Detail: "its answer to plugin.health is invalid"}
	}
	return h
}

// beat asks for a sign of life whenever nothing else is asked.
func (l *Live) beat() {
	p := l.Plugin
	ticker := time.NewTicker(p.shared.Pace.orDefault().Beat)
	defer ticker.Stop()
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-l.peer.Done():
			return
		case <-ticker.C:
		}
		if calls, _ := l.peer.Waiting(); calls > 0 || l.isLate() {
			continue
		}
		result, err := l.Call(l.ctx, protocol.MethodHealth, nil, p.shared.Timeout(), nil)
		if err == nil {
			p.health(l, healthOf(result))
		} else if errors.Is(err, context.DeadlineExceeded) {
			l.fail(errors.New("the plugin does not respond to health checks"))
		}
	}
}

func (l *Live) isLate() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.late != nil
}
