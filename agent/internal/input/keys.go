package input

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"utter/agent/internal/input/xkb"
	"utter/shared/chord"
	"utter/shared/plan"
	"utter/shared/typing"
	"utter/shared/wayland"
)

const (
	// maxStrokes is how many keystrokes may be on their way: an application
	// that has stopped reading is killed by its compositor at some more.
	maxStrokes = 200
	// batch is how many keystrokes go out between two signs of life.
	batch = 20
	// keyPause lets programs see the chords of a sequence apart.
	keyPause = 20 * time.Millisecond
)

func init() {
	ways[typing.Keyboard] = way{
		globals: []global{{wayland.VirtualKeyboardManager, 1}}, try: (*session).typeByKeys, probe: (*session).probeKeys,
	}
}

// standardKeymap is for a seat that tells no keymap of use: that of
// "xkbcli compile-keymap --layout us".
//
//go:embed standard.xkb
var standardKeymap string

// A keymap is what keys are found in and the text that it was read from.
type keymap struct {
	keys *xkb.Keymap
	text string
}

// prepare makes the virtual keyboard have the keymap to press keys by, and
// returns it.
func (s *session) prepare(ctx context.Context, d Display) (*xkb.Keymap, error) {
	if s.managers[typing.Keyboard] == 0 {
		return nil, fmt.Errorf("virtual keyboard: %w", errNone)
	}
	if !s.hasKeyboard() {
		// Ours becomes the seat's first.
		if err := s.upload(ctx, xkb.Repair(standardKeymap)); err != nil {
			return nil, err
		}
	}
	text, err := s.seatKeymap(ctx)
	if err != nil {
		return nil, err
	}
	k, _, err := s.choose(text, d)
	if err != nil {
		return nil, err
	}
	return k.keys, s.upload(ctx, k.text)
}

// choose returns the seat's own keymap, completed. A seat may tell none that is
// of use: on sway it has none from the end of a tool such as wtype until a key is
// pressed, and while the tool runs it has the tool's, of a few keys. Then choose
// returns the last good one, else the standard one, and says why.
func (s *session) choose(text string, d Display) (k keymap, why string, err error) {
	if !s.hasKeyboard() {
		return keymap{}, "", errors.New("the seat's keymap: there is no keyboard")
	}
	k, err = parseKeymap(text)
	switch {
	case err == nil && (d.SeatLayout || k.keys.IsWhole()):
		s.good = k
		return k, "", nil
	case text == "":
		why = "the seat's keymap: there is none at the moment"
	case err != nil:
		why = fmt.Sprintf("the seat's keymap: %v", err)
	default:
		why = "the seat's keymap: it has no keys for shift and control"
	}
	if d.SeatLayout { // another would press other keys than it says
		return keymap{}, "", errors.New(why)
	}
	if s.good.keys != nil {
		return s.good, why + "; using the last good one", nil
	}
	k, err = parseKeymap(standardKeymap)
	return k, why + "; using the default, English (US)", err
}

// upload gives the virtual keyboard a keymap unless it has just that.
func (s *session) upload(ctx context.Context, text string) error {
	if s.keyboard == 0 {
		id, err := s.conn.Create(wayland.VirtualKeyboard, nil, s.managers[typing.Keyboard],
			wayland.VirtualKeyboardManagerCreate, s.seat, wayland.NewID)
		if err != nil {
			return err
		}
		s.keyboard = id
	}
	text = strings.TrimRight(text, "\x00") + "\x00"
	if s.uploaded == text {
		return nil
	}
	f, err := wayland.TempFile("keymap", []byte(text))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := s.conn.Send(s.keyboard, wayland.VirtualKeyboardKeymap, uint32(wayland.KeymapFormatXKB),
		f, uint32(len(text))); err != nil {
		return err
	}
	s.uploaded = text
	return s.roundtrip(ctx)
}

// strokes sends keystrokes in batches, with a sign of life after each. alive may
// stop it between two. It returns how many went out whole.
func (s *session) strokes(ctx context.Context, all []xkb.Stroke, d Display, alive func() error) (int, error) {
	for sent := 0; sent < len(all); {
		if err := alive(); err != nil {
			return sent, err
		}
		if err := ctx.Err(); err != nil {
			return sent, notDone(err)
		}
		part := all[sent:min(sent+batch, len(all))]
		var messages []wayland.Message
		for _, stroke := range part {
			m, err := s.stroke(stroke, d)
			if err != nil {
				return sent, err
			}
			messages = append(messages, m...)
		}
		if err := s.conn.SendAll(messages...); err != nil {
			return sent, err
		}
		s.acted = time.Now()
		if err := s.roundtrip(ctx); err != nil {
			return sent, err
		}
		sent += len(part)
	}
	return len(all), nil
}

// stroke writes one keystroke: the modifiers' keys and the modifiers request
// both, since each alone is ignored by some compositor.
func (s *session) stroke(k xkb.Stroke, d Display) ([]wayland.Message, error) {
	group := uint32(k.Group)
	if d.SeatLayout {
		group = uint32(d.Layout)
	}
	var out []wayland.Message
	var firstErr error
	add := func(opcode uint16, args ...any) {
		m, err := wayland.NewMessage(s.keyboard, opcode, args...)
		if err != nil && firstErr == nil {
			firstErr = err
		}
		out = append(out, m)
	}
	for _, code := range k.Held {
		add(wayland.VirtualKeyboardKey, s.now(), code, uint32(wayland.KeyStatePressed))
	}
	add(wayland.VirtualKeyboardModifiers, uint32(k.Mods), uint32(0), uint32(0), group)
	add(wayland.VirtualKeyboardKey, s.now(), k.Code, uint32(wayland.KeyStatePressed))
	add(wayland.VirtualKeyboardKey, s.now(), k.Code, uint32(wayland.KeyStateReleased))
	for i := len(k.Held) - 1; i >= 0; i-- {
		add(wayland.VirtualKeyboardKey, s.now(), k.Held[i], uint32(wayland.KeyStateReleased))
	}
	add(wayland.VirtualKeyboardModifiers, uint32(0), uint32(0), uint32(0), group)
	return out, firstErr
}

// Press presses chords one after the other. alive is asked before each and may
// stop it.
func (in *Input) Press(ctx context.Context, chords chord.Sequence, alive func() error) error {
	return in.use(ctx, func(s *session, d Display) error {
		keymap, err := s.prepare(ctx, d)
		if err != nil {
			return plan.Refuse(plan.Missing, "keys cannot be pressed here: %v", err)
		}
		var all []xkb.Stroke
		for _, c := range chords {
			if c.IsZero() {
				return plan.Refuse(plan.NotSupported, "a key combination without a key cannot be pressed")
			}
			stroke, err := keymap.Press(c, d.Layout)
			if err != nil {
				return plan.Refuse(plan.NotSupported, "%s: %v", c, err)
			}
			all = append(all, stroke)
		}
		for i := range all {
			if i > 0 {
				time.Sleep(keyPause)
			}
			if n, err := s.strokes(ctx, all[i:i+1], d, alive); err != nil {
				if i == 0 && n == 0 && isRefusal(err) {
					return err
				}
				return interrupted(err, "%d of %d key combinations were pressed", i, len(all))
			}
		}
		return nil
	})
}

// typeByKeys types by the virtual keyboard what the active layout has.
func (s *session) typeByKeys(ctx context.Context, t Text, d Display) (Typed, error) {
	if n := utf8.RuneCountInString(t.Text); n > maxStrokes {
		return Typed{}, &notBegunError{"the text has more than 200 characters"}
	}
	keymap, err := s.prepare(ctx, d)
	if err != nil {
		return Typed{}, notBegun(err)
	}
	var all []xkb.Stroke
	for _, r := range t.Text {
		stroke, ok := keymap.Type(r, d.Layout)
		if !ok {
			return Typed{}, &notBegunError{"the keyboard layout lacks some of the characters"}
		}
		all = append(all, stroke)
	}
	sent, err := s.strokes(ctx, all, d, t.Alive)
	switch {
	case err == nil:
		return Typed{}, nil
	case sent == 0 && isRefusal(err):
		return Typed{}, err
	}
	return Typed{}, interrupted(err, "%d of %d characters were sent", sent, len(all))
}

// probeKeys says why keys cannot be pressed, or that they are by another keymap
// than the seat's.
func (s *session) probeKeys(ctx context.Context, d Display) (Part, error) {
	if !s.hasKeyboard() {
		return Part{There: true}, nil
	}
	text, err := s.seatKeymap(ctx)
	if err != nil {
		return Part{}, err
	}
	_, note, err := s.choose(text, d)
	if err != nil {
		return Part{Note: err.Error()}, nil
	}
	return Part{There: true, Note: note}, nil
}

// isRefusal reports whether err says that nothing was done.
func isRefusal(err error) bool {
	e, ok := asPlanError(err)
	return ok && e.Outcome == plan.Refused
}

// interrupted makes err an unknown outcome that says how far it went.
func interrupted(err error, format string, args ...any) error {
	reason := plan.Missing
	if e, ok := asPlanError(err); ok {
		reason = e.Reason
	} else if isContext(err) {
		reason = contextReason(err)
	}
	return plan.Unsure(reason, "%s; %v", fmt.Sprintf(format, args...), err)
}

// unsure makes err an unknown outcome, unless it says that nothing was done.
func unsure(err error, what string) error {
	if err == nil || isRefusal(err) {
		return err
	}
	return interrupted(err, "%s", what)
}

// notDone says that a context ended before anything was done.
func notDone(err error) error {
	return plan.Refuse(contextReason(err), "%v", err)
}

func contextReason(err error) plan.Reason {
	if errors.Is(err, context.DeadlineExceeded) {
		return plan.Timeout
	}
	return plan.Cancelled
}
