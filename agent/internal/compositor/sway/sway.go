package sway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"utter/agent/internal/compositor"
)

// A Backend is one running sway or i3.
type Backend struct {
	info     compositor.Info
	commands *conn // for actions and for what is read after them
	events   *conn
	isI3     bool
}

// Dial connects to the socket at path. env is what programs need to find this
// compositor.
func Dial(ctx context.Context, path string, env map[string]string) (*Backend, error) {
	commands, err := dial(ctx, path)
	if err != nil {
		return nil, err
	}
	events, err := dial(ctx, path)
	if err != nil {
		commands.close()
		return nil, err
	}
	b := &Backend{commands: commands, events: events}
	if err := b.hello(ctx, env); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// hello asks who it is.
func (b *Backend) hello(ctx context.Context, env map[string]string) error {
	answer, err := b.commands.ask(ctx, getVersion, "")
	if err != nil {
		return err
	}
	var v struct {
		Variant string `json:"variant"`
		Human   string `json:"human_readable"`
	}
	if err := json.Unmarshal(answer, &v); err != nil {
		return fmt.Errorf("%w: version: %w", errMalformed, err)
	}
	name := v.Variant
	if name == "" {
		name = "i3"
	}
	b.isI3 = name == "i3"
	b.info = compositor.Info{Name: name, Version: v.Human, Env: env}
	return nil
}

// Info describes the compositor.
func (b *Backend) Info() compositor.Info { return b.info }

// Close ends both connections.
func (b *Backend) Close() error { return errors.Join(b.commands.close(), b.events.close()) }

// ask asks a question. If that breaks the connection the events end as well, so
// that whoever watches connects again.
func (b *Backend) ask(ctx context.Context, t messageType, payload string) ([]byte, error) {
	answer, err := b.commands.ask(ctx, t, payload)
	if errors.Is(err, compositor.ErrGone) {
		b.events.close()
	}
	return answer, err
}

// Read asks for the whole state.
func (b *Backend) Read(ctx context.Context) (*compositor.State, error) {
	var answers [4][]byte
	for i, t := range []messageType{getTree, getWorkspaces, getOutputs, getInputs} {
		if t == getInputs && b.isI3 {
			continue
		}
		answer, err := b.ask(ctx, t, "")
		if err != nil {
			return nil, err
		}
		answers[i] = answer
	}
	return foldState(answers[0], answers[1], answers[2], answers[3])
}

// Watch sends the state now and after every event.
func (b *Backend) Watch(ctx context.Context) (<-chan *compositor.State, error) {
	kinds := `["window","workspace","output","shutdown","input"]`
	if b.isI3 {
		kinds = `["window","workspace","output","shutdown"]`
	}
	answer, err := b.events.ask(ctx, subscribe, kinds)
	if err != nil {
		return nil, err
	}
	var reply struct{ Success bool }
	if err := json.Unmarshal(answer, &reply); err != nil || !reply.Success {
		return nil, fmt.Errorf("sway: subscribe: %s", answer)
	}
	if err := b.events.c.SetDeadline(time.Time{}); err != nil {
		return nil, gone(err)
	}
	dirty := make(chan struct{}, 1)
	dirty <- struct{}{} // the state now
	states := make(chan *compositor.State)
	stop := context.AfterFunc(ctx, func() { b.events.close() })
	go b.readEvents(dirty)
	go func() {
		defer close(states)
		defer stop()
		b.sendStates(ctx, dirty, states)
	}()
	return states, nil
}

// readEvents marks the state as changed for every event, and closes dirty when
// the connection ends.
func (b *Backend) readEvents(dirty chan struct{}) {
	defer close(dirty)
	for {
		t, _, err := readMessage(b.events.c)
		if err != nil || t == eventShutdown {
			return
		}
		select {
		case dirty <- struct{}{}:
		default: // a reading is due already
		}
	}
}

func (b *Backend) sendStates(ctx context.Context, dirty <-chan struct{}, states chan<- *compositor.State) {
	// Between two readings others get their turn: a program may change its title
	// a hundred times a second.
	const pause = 15 * time.Millisecond
	for range dirty {
		s, err := b.Read(ctx)
		if err != nil {
			return
		}
		select {
		case states <- s:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// Supports reports whether sway has an action that does this.
func (b *Backend) Supports(action string) bool { return supports(action) }

// Do runs the commands that a is in sway.
func (b *Backend) Do(ctx context.Context, s *compositor.State, a compositor.Action) error {
	command, err := translate(s, a)
	if err != nil {
		return err
	}
	answer, err := b.ask(ctx, runCommand, command)
	if err != nil {
		if a.Name == "quit" && errors.Is(err, compositor.ErrGone) && !errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
		return err
	}
	return commandError(answer)
}

// commandError reads the answer to a command. sway refuses what it cannot do
// ("no window in that direction") with success false.
func commandError(answer []byte) error {
	var results []struct {
		Success bool
		Error   string
	}
	if err := json.Unmarshal(answer, &results); err != nil {
		return fmt.Errorf("%w: answer to a command: %w", errMalformed, err)
	}
	for _, r := range results {
		switch {
		case r.Success:
		case strings.Contains(r.Error, "No matching node"), strings.Contains(r.Error, "No window matches"),
			strings.Contains(r.Error, "no workspace"):
			return fmt.Errorf("that window: %w", compositor.ErrNotFound)
		case strings.Contains(r.Error, "Can't find output"), strings.Contains(r.Error, "Failed to find"):
			return fmt.Errorf("%s: %w", r.Error, compositor.ErrNotFound)
		case strings.Contains(r.Error, "Unknown/invalid command"), strings.Contains(r.Error, "Expected one of these tokens"):
			return fmt.Errorf("%w: %s", compositor.ErrNotSupported, r.Error)
		default:
			return errors.New(r.Error)
		}
	}
	return nil
}
