// Package input types text, presses keys and moves the pointer on Wayland with its
// own virtual devices. It does not choose a window: its input goes to the focused
// one, and its caller checks which one that is, before and after. It never logs what
// it types.
package input

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"utter/agent/internal/input/xkb"
	"utter/shared/plan"
	"utter/shared/typing"
	"utter/shared/wayland"
)

// A Display is the compositor to be used now.
type Display struct {
	Socket string // the path of its Wayland socket
	Layout int    // the active keyboard layout, from 0
	// SeatLayout says that key codes are read in the active layout, whatever the
	// virtual keyboard asks for.
	SeatLayout bool
}

// An Input has the virtual devices. They are made at need and kept: taking them
// away is reported to leave windows deaf to the real keyboard. Its methods may
// be called from several goroutines and run one at a time.
type Input struct {
	display func() (Display, error)

	turn    chan struct{} // holds one token
	session *session
	socket  string
}

// New returns an Input for whatever display says when something is to be done.
func New(display func() (Display, error)) *Input {
	in := &Input{display: display, turn: make(chan struct{}, 1)}
	in.turn <- struct{}{}
	return in
}

// Close ends the connection.
func (in *Input) Close() {
	<-in.turn
	if in.session != nil {
		in.session.conn.Close()
		in.session = nil
	}
	in.turn <- struct{}{}
}

// use runs f with the active devices of the display.
func (in *Input) use(ctx context.Context, f func(*session, Display) error) error {
	select {
	case <-in.turn:
		defer func() { in.turn <- struct{}{} }()
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return notDone(err)
	}
	d, err := in.display()
	if err != nil {
		return err
	}
	if err := in.connect(ctx, d); err != nil {
		return plan.Refuse(plan.Missing, "cannot reach the Wayland display: %v", err)
	}
	d.Layout = max(d.Layout, 0) // one that is not known is the first
	err = f(in.session, d)
	if in.session.conn.Err() != nil {
		in.session.conn.Close()
		in.session = nil
	}
	return err
}

func (in *Input) connect(ctx context.Context, d Display) error {
	if in.session != nil && (in.session.conn.Err() != nil || in.socket != d.Socket) {
		in.session.conn.Close()
		in.session = nil
	}
	if in.session != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	s, err := open(ctx, d.Socket)
	if err != nil {
		return err
	}
	in.session, in.socket = s, d.Socket
	return nil
}

const (
	connectTime = 2 * time.Second
	// answerTime bounds the compositor's answer to a round trip.
	answerTime = 2 * time.Second
	// maxKeymap bounds what a compositor sends as keymap, in bytes.
	maxKeymap = 4 << 20
)

// A session is the devices on one connection.
type session struct {
	conn *wayland.Conn
	seat wayland.ID

	managers                   map[typing.Way]wayland.ID // the global of each method; 0 if not offered
	pointerManager, activation wayland.ID

	keyboard wayland.ID // the virtual one; 0 until it is needed
	uploaded string     // its keymap
	good     keymap     // the seat's last one of use, if any
	pointer  wayland.ID
	started  time.Time
	acted    time.Time // when we typed or pressed something last

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when an event came
	caps    uint32
	keymap  string // the seat's, as received last
}

// errNone is what a way says that the compositor does not offer.
var errNone = errors.New("the compositor does not support it")

func open(ctx context.Context, socket string) (*session, error) {
	conn, err := wayland.Dial(ctx, socket)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn, managers: map[typing.Way]wayland.ID{}, changed: make(chan struct{}), started: time.Now()}
	if err := s.bind(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return s, nil
}

// bind takes the globals that are there; only the seat must be.
func (s *session) bind(ctx context.Context) error {
	var err error
	if s.seat, err = s.conn.Bind(wayland.Seat, 5, s.onSeat); err != nil {
		return err
	}
	for _, m := range typing.Methods {
		if s.managers[m.Way], err = s.bindFirst(ways[m.Way].globals...); err != nil {
			return err
		}
	}
	if s.pointerManager, err = s.bindFirst(global{wayland.VirtualPointerManager, 2}); err != nil {
		return err
	}
	if s.activation, err = s.bindFirst(global{wayland.ActivationManager, 1}); err != nil {
		return err
	}
	return s.conn.Roundtrip(ctx)
}

func (s *session) onSeat(opcode uint16, args *wayland.Args) {
	if opcode == wayland.SeatOnCapabilities {
		caps := args.Uint()
		s.set(func() { s.caps = caps })
	}
}

// set changes what is guarded by mu and wakes those who wait.
func (s *session) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	close(s.changed)
	s.changed = make(chan struct{})
}

// await waits until ok, which it calls with mu held, or limit is over.
func (s *session) await(ctx context.Context, limit time.Duration, ok func() bool) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		s.mu.Lock()
		done, changed := ok(), s.changed
		s.mu.Unlock()
		if done {
			return true
		}
		select {
		case <-changed:
		case <-timer.C:
			return false
		case <-s.conn.Done():
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// roundtrip waits until the compositor has dealt with everything so far.
// One that does not answer in time ends the connection, so that nobody waits for
// it twice.
func (s *session) roundtrip(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	err := s.conn.Roundtrip(limited)
	if err != nil && ctx.Err() == nil {
		s.conn.Close()
	}
	return err
}

func (s *session) hasKeyboard() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.caps&wayland.SeatHasKeyboard != 0
}

// seatKeymap asks for the seat's keymap. It is "" where the seat has none, or no
// keyboard: asking such a seat for one is a fatal error.
func (s *session) seatKeymap(ctx context.Context) (string, error) {
	if !s.hasKeyboard() {
		return "", nil
	}
	s.set(func() { s.keymap = "" })
	id, err := s.conn.Create(wayland.Keyboard, s.onKeyboard, s.seat, wayland.SeatGetKeyboard, wayland.NewID)
	if err != nil {
		return "", err
	}
	err = s.roundtrip(ctx)
	// Released at once: what comes later is closed unread, and nothing piles up.
	if sendErr := s.conn.Send(id, wayland.KeyboardRelease); sendErr != nil {
		err = errors.Join(err, sendErr)
	}
	s.conn.Drop(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keymap, err
}

func (s *session) onKeyboard(opcode uint16, args *wayland.Args) {
	if opcode != wayland.KeyboardOnKeymap {
		return
	}
	format, f, size := args.Uint(), args.File(), args.Uint()
	if f == nil {
		return
	}
	defer f.Close()
	if format != wayland.KeymapFormatXKB || size == 0 || size > maxKeymap {
		return
	}
	text, err := readAll(f, int64(size))
	if err != nil {
		return // a keymap that cannot be read is none
	}
	s.set(func() { s.keymap = text })
}

// readAll reads size bytes of a shared file without moving its offset, which
// other clients share.
func readAll(f *os.File, size int64) (string, error) {
	b := make([]byte, size)
	_, err := f.ReadAt(b, 0)
	return string(b), err
}

// now is the time of an event in milliseconds.
func (s *session) now() uint32 { return uint32(time.Since(s.started).Milliseconds()) }

// ActivationToken asks for a token that lets the program appID take the focus.
// It is "" where the compositor has no such thing.
func (in *Input) ActivationToken(ctx context.Context, appID string) (string, error) {
	token := ""
	err := in.use(ctx, func(s *session, _ Display) error {
		if s.activation == 0 {
			return nil
		}
		answer := ""
		onToken := func(opcode uint16, args *wayland.Args) {
			if opcode == wayland.ActivationTokenOnDone {
				t := args.String()
				s.set(func() { answer = t })
			}
		}
		id, err := s.conn.Create(wayland.ActivationToken, onToken, s.activation, wayland.ActivationGetToken, wayland.NewID)
		if err != nil {
			return err
		}
		for _, m := range []struct {
			opcode uint16
			args   []any
		}{{wayland.ActivationTokenAppID, []any{appID}}, {wayland.ActivationTokenCommit, nil}} {
			if err := s.conn.Send(id, m.opcode, m.args...); err != nil {
				return err
			}
		}
		s.await(ctx, answerTime/10, func() bool { token = answer; return token != "" })
		defer s.conn.Drop(id)
		return s.conn.Send(id, wayland.ActivationTokenDestroy)
	})
	if err != nil {
		return "", fmt.Errorf("activation token: %w", err)
	}
	return token, nil
}

// parseKeymap reads a keymap, completed.
func parseKeymap(text string) (keymap, error) {
	text = xkb.Repair(text)
	k, err := xkb.Parse(text)
	return keymap{k, text}, err
}
