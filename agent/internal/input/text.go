package input

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"utter/agent/internal/input/xkb"
	"utter/shared/chord"
	"utter/shared/plan"
)

// A Way is how text gets into a window.
type Way string

// The ways, in the order of the ladder.
const (
	Auto        Way = "auto" // the first that works
	InputMethod Way = "input-method"
	Keyboard    Way = "keyboard"
	Clipboard   Way = "clipboard"
)

// Ways are the values of a Way.
var Ways = []Way{Auto, InputMethod, Keyboard, Clipboard}

// MaxText is the longest text that Type takes, in bytes.
const MaxText = 1 << 20

// A Text is something to be typed.
type Text struct {
	Text string
	Way  Way
	// Paste is the chord that pastes in the application.
	Paste chord.Chord
	// Alive is asked between parts and may stop the typing: the window has
	// lost the focus, or its program has stopped.
	Alive func() error
}

// A Typed says what became of a text.
type Typed struct {
	Way      Way
	Evidence plan.Evidence
	// Secret says that it went into a field for passwords: it must not be kept.
	Secret bool
	Note   string // what else the user should know, or ""
}

// errNoField means that the focused window told no text field to the
// compositor, or another input method has it.
var errNoField = errors.New("no text field answered")

// Type types t into the window that has the focus, by the first way that works.
// Errors say what is known: refused if nothing was typed, unknown if a part was.
func (in *Input) Type(ctx context.Context, t Text) (Typed, error) {
	switch {
	case !utf8.ValidString(t.Text):
		return Typed{}, plan.Refuse(plan.NotSupported, "the text is not UTF-8")
	case strings.ContainsRune(t.Text, 0):
		return Typed{}, plan.Refuse(plan.NotSupported, "the text has a NUL character in it")
	case len(t.Text) > MaxText:
		return Typed{}, plan.Refuse(plan.NotSupported, "the text is longer than 1 MiB")
	case t.Text == "":
		return Typed{Way: t.Way, Evidence: plan.Delivered}, nil
	}
	var typed Typed
	err := in.use(ctx, func(s *session, d Display) error {
		var err error
		typed, err = s.ladder(ctx, t, d)
		return err
	})
	return typed, err
}

// ladder tries the ways in turn. A way that did not begin leaves the next one
// its turn; one that began does not.
func (s *session) ladder(ctx context.Context, t Text, d Display) (Typed, error) {
	if err := t.Alive(); err != nil {
		return Typed{}, err
	}
	var why []string
	for _, way := range []struct {
		name Way
		try  func(context.Context, Text, Display) (Typed, error)
	}{
		{InputMethod, s.typeByMethod}, {Keyboard, s.typeByKeys}, {Clipboard, s.typeByClipboard},
	} {
		if t.Way != Auto && t.Way != "" && t.Way != way.name {
			continue
		}
		typed, err := way.try(ctx, t, d)
		typed.Way = way.name
		var notBegun *notBegunError
		if errors.As(err, &notBegun) {
			if ctxErr := ctx.Err(); ctxErr != nil {
				return Typed{}, notDone(ctxErr)
			}
			why = append(why, string(way.name)+": "+notBegun.why)
			continue
		}
		return typed, err
	}
	return Typed{}, plan.Refuse(plan.Missing, "the text cannot be typed here (%s)", strings.Join(why, "; "))
}

// A notBegunError says that a way could not be used and typed nothing.
type notBegunError struct{ why string }

func (e *notBegunError) Error() string { return e.why }

func notBegun(err error) error { return &notBegunError{err.Error()} }

// typeByKeys types by the virtual keyboard what the layout in force has.
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
		return Typed{Evidence: plan.Delivered}, nil
	case sent == 0 && isRefusal(err):
		return Typed{}, err
	}
	return Typed{}, interrupted(err, "%d of %d characters went out", sent, len(all))
}

func asPlanError(err error) (*plan.Error, bool) {
	var e *plan.Error
	ok := errors.As(err, &e)
	return e, ok
}

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
