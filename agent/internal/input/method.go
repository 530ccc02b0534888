package input

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"utter/shared/plan"
	"utter/shared/typing"
	"utter/shared/wayland"
)

const (
	// activateTime is how long a text field may take to answer: on some
	// compositors another input method in place shows as silence only.
	activateTime = 60 * time.Millisecond
	// reportTime is how long a field may take to show the text it got.
	reportTime = 400 * time.Millisecond
	// drawTime is how long a terminal may take to draw a piece and tell the new
	// place of its cursor. It may need further frames, at most mostFrames of them,
	// each frameTime after the other.
	drawTime   = time.Second
	frameTime  = 60 * time.Millisecond
	mostFrames = 10
	// restTime is how long a terminal is left alone after we have acted on it, if
	// it does not tell that it has drawn sooner.
	restTime = 150 * time.Millisecond
	// firstReportTime is the same for a field that has told nothing yet.
	firstReportTime = 60 * time.Millisecond
	// maxPiece is the longest text of one commit, in bytes.
	maxPiece = 3900
)

func init() {
	ways[typing.InputMethod] = way{globals: []global{{wayland.InputManager, 1}}, try: (*session).typeByMethod}
}

// A method is one use of the input method: it keeps other input methods out
// while it lives, so it lives for one text only. Its fields are guarded by the
// session's mu.
type method struct {
	id          wayland.ID
	active      bool
	wasActive   bool
	unavailable bool
	done        uint32 // done events so far: the serial of a commit
	purpose     uint32
	hint        uint32
	reports     bool   // the field tells its text
	silent      bool   // it had the chance and told nothing
	told        uint32 // done events when the last piece went out
	mute        bool   // it told nothing at all after a piece
	before      string
	pending     *string // text before the cursor, until done
	lost        bool    // it was active and no longer is
}

func (s *session) onMethod(m *method) wayland.Handler {
	return func(opcode uint16, args *wayland.Args) {
		switch opcode {
		case wayland.InputMethodOnActivate:
			// A second field is another one: what was meant for the first is lost.
			s.set(func() {
				m.lost = m.lost || m.active || m.wasActive
				m.active, m.wasActive, m.purpose, m.hint, m.reports, m.pending = true, true, 0, 0, false, nil
			})
		case wayland.InputMethodOnDeactivate:
			s.set(func() { m.lost = m.lost || m.active; m.active = false })
		case wayland.InputMethodOnSurroundingText:
			text, cursor := args.String(), int(args.Uint())
			if cursor <= len(text) {
				text = text[:cursor]
			}
			s.set(func() { m.pending, m.reports = &text, true })
		case wayland.InputMethodOnContentType:
			hint, purpose := args.Uint(), args.Uint()
			s.set(func() { m.hint, m.purpose = hint, purpose })
		case wayland.InputMethodOnDone:
			s.set(func() {
				m.done++
				if m.pending != nil {
					m.before, m.pending = *m.pending, nil
				}
			})
		case wayland.InputMethodOnUnavailable:
			s.set(func() { m.unavailable = true })
		}
	}
}

// errLost means that a text may have gone nowhere.
var errLost = plan.Unsure(plan.NotFound, "the text field lost the focus")

// secret reports whether the field is for a password.
func (m *method) secret() bool {
	return m.purpose == wayland.PurposePassword || m.purpose == wayland.PurposePIN ||
		m.hint&(wayland.HintHiddenText|wayland.HintSensitive) != 0
}

// typeByMethod commits the text to the focused text field.
func (s *session) typeByMethod(ctx context.Context, t Text, _ Display) (Typed, error) {
	if s.managers[typing.InputMethod] == 0 {
		return Typed{}, notBegun(errNone)
	}
	m := &method{}
	var err error
	m.id, err = s.conn.Create(wayland.InputMethod, s.onMethod(m), s.managers[typing.InputMethod],
		wayland.InputManagerGetInputMethod, s.seat, wayland.NewID)
	if err != nil {
		return Typed{}, notBegun(err)
	}
	typed, err := s.commit(ctx, t, m)
	if s.conn.Err() == nil {
		if sendErr := s.conn.Send(m.id, wayland.InputMethodDestroy); sendErr == nil {
			s.conn.Drop(m.id)
			_ = s.roundtrip(ctx) // it must be gone before keys are pressed; an error shows at the next use
		}
	}
	return typed, err
}

func (s *session) commit(ctx context.Context, t Text, m *method) (Typed, error) {
	s.await(ctx, activateTime, func() bool { return m.unavailable || m.active && m.done > 0 })
	s.mu.Lock()
	ready, secret, unavailable := m.active && m.done > 0, m.secret(), m.unavailable
	s.mu.Unlock()
	if unavailable {
		return Typed{}, &notBegunError{"another input method is in use"}
	}
	if !ready {
		return Typed{}, notBegun(errNoField)
	}
	s.rest(ctx, m)
	evidence := plan.NoEvidence // the method's own, until a piece is not shown
	sent := 0
	for _, piece := range pieces(t.Text) {
		if sent > 0 && evidence == plan.Delivered {
			s.settle(ctx, m)
		}
		shown, err := s.commitPiece(ctx, t, m, piece, secret)
		if err != nil {
			if sent == 0 && isRefusal(err) {
				return Typed{}, err
			}
			return Typed{Secret: secret}, interrupted(err, "%d of %d characters were sent", sent, utf8.RuneCountInString(t.Text))
		}
		sent += utf8.RuneCountInString(piece)
		if !shown {
			evidence = plan.Delivered
		}
	}
	return Typed{Evidence: evidence, Secret: secret}, nil
}

// rest waits until a terminal has drawn what we did a moment ago: what crosses its
// report of that is dropped, as between pieces.
func (s *session) rest(ctx context.Context, m *method) {
	s.mu.Lock()
	told, wait := m.done, restTime-time.Since(s.acted)
	terminal := m.purpose == wayland.PurposeTerminal
	s.mu.Unlock()
	for range mostFrames {
		if !terminal || wait <= 0 || !s.await(ctx, wait, func() bool { return m.done > told }) {
			return
		}
		s.mu.Lock()
		told = m.done
		s.mu.Unlock()
		wait = frameTime
	}
}

// settle waits until a field that does not tell its text has told all else since
// the last piece went out: foot drops a piece that crosses its report of a new
// cursor place, one for each frame that it draws.
func (s *session) settle(ctx context.Context, m *method) {
	s.mu.Lock()
	told, wait := m.told, drawTime
	if m.mute {
		wait = frameTime
	}
	s.mu.Unlock()
	for range mostFrames {
		if !s.await(ctx, wait, func() bool { return m.done > told }) {
			s.set(func() { m.mute = m.mute || wait == drawTime })
			return
		}
		s.mu.Lock()
		told = m.done
		s.mu.Unlock()
		wait = frameTime
	}
}

// commitPiece sends one piece and waits until the field shows it, if it is one
// that tells its text.
func (s *session) commitPiece(ctx context.Context, t Text, m *method, piece string,
	secret bool) (shown bool, err error) {
	if err := t.Alive(); err != nil {
		return false, err
	}
	if err := ctx.Err(); err != nil {
		return false, notDone(err)
	}
	s.mu.Lock()
	serial, lost, old := m.done, m.lost, m.before
	m.told = serial
	wait := m.reportWait(secret)
	s.mu.Unlock()
	if lost {
		return false, errLost
	}
	text, err := wayland.NewMessage(m.id, wayland.InputMethodCommitString, piece)
	if err != nil {
		return false, err
	}
	commit, err := wayland.NewMessage(m.id, wayland.InputMethodCommit, serial)
	if err != nil {
		return false, err
	}
	if err := s.conn.SendAll(text, commit); err != nil {
		return false, err
	}
	s.acted = time.Now()
	if err := s.roundtrip(ctx); err != nil {
		return false, err
	}
	s.mu.Lock()
	lost = m.lost
	s.mu.Unlock()
	if lost {
		return false, errLost // before the text came, or just after
	}
	if wait == 0 {
		return false, nil
	}
	shown = s.await(ctx, wait, func() bool { return m.before != old && endsWith(m.before, piece) })
	s.set(func() { m.silent = !shown && !m.reports })
	return shown, nil
}

// reportWait is how long to wait until the field shows what it got. GTK says
// nothing when it gets the focus and tells its text after a change, so a field
// is given the chance once; terminals never tell theirs.
func (m *method) reportWait(secret bool) time.Duration {
	switch {
	case secret || m.purpose == wayland.PurposeTerminal || m.silent:
		return 0
	case m.reports:
		return reportTime
	}
	return firstReportTime
}

// endsWith reports whether what a field shows before its cursor ends with
// piece. Fields tell at most 4,000 bytes, so the end of a long piece is enough.
func endsWith(before, piece string) bool {
	const enough = 200
	if len(piece) > enough && len(before) < len(piece) {
		cut := len(piece) - enough
		for !utf8.RuneStart(piece[cut]) {
			cut++
		}
		piece = piece[cut:]
	}
	return strings.HasSuffix(before, piece)
}

// pieces cuts text into parts that fit one commit, between characters and, where
// it can, just behind the start of a line.
func pieces(text string) []string {
	var all []string
	for len(text) > maxPiece {
		cut := maxPiece
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		if line := strings.LastIndexByte(text[:cut], '\n'); line > cut/2 {
			cut = line + 1 + ahead(text[line+1:cut], 1+len(all)%2)
		}
		all = append(all, text[:cut])
		text = text[cut:]
	}
	return append(all, text)
}

// ahead returns the length of the first n characters of text, in bytes. Pieces end
// so far behind a line break in turn, so that each leaves the cursor elsewhere.
func ahead(text string, n int) int {
	length := 0
	for range n {
		_, size := utf8.DecodeRuneInString(text[length:])
		length += size
	}
	return length
}
