package input

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"utter/shared/chord"
	"utter/shared/plan"
	"utter/shared/typing"
)

// MaxText is the longest text that Type takes, in bytes.
const MaxText = 1 << 20

// A Text is something to be typed.
type Text struct {
	Text string
	Way  typing.Way // Auto, or a method that is forced
	// Paste is the chord that pastes in the application.
	Paste chord.Chord
	// Alive is asked between parts and may stop the typing: the window has
	// lost the focus, or its program has stopped.
	Alive func() error
}

// A Typed says what became of a text.
type Typed struct {
	Way      typing.Way // the method that was used
	Evidence plan.Evidence
	// Secret says that it went into a field for passwords: it must not be kept.
	Secret bool
	Note   string // what else the user should know, or ""
}

// errNoField means that the focused window told no text field to the
// compositor, or another input method has it.
var errNoField = errors.New("no text field responded")

// Type types t into the window that has the focus, by the first way that works.
// Errors say what is known: refused if nothing was typed, unknown if a part was.
func (in *Input) Type(ctx context.Context, t Text) (Typed, error) {
	switch {
	case !utf8.ValidString(t.Text):
		return Typed{}, plan.Refuse(plan.NotSupported, "the text is not UTF-8")
	case strings.ContainsRune(t.Text, 0):
		return Typed{}, plan.Refuse(plan.NotSupported, "the text contains a NUL character")
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
	for _, m := range typing.Methods {
		if t.Way != typing.Auto && t.Way != "" && t.Way != m.Way {
			continue
		}
		typed, err := ways[m.Way].try(s, ctx, t, d)
		typed.Way = m.Way
		if err == nil {
			typed.Evidence = cmp.Or(typed.Evidence, m.Proof)
		}
		var notBegun *notBegunError
		if errors.As(err, &notBegun) {
			if ctxErr := ctx.Err(); ctxErr != nil {
				return Typed{}, notDone(ctxErr)
			}
			why = append(why, string(m.Way)+": "+notBegun.why)
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

func asPlanError(err error) (*plan.Error, bool) {
	var e *plan.Error
	ok := errors.As(err, &e)
	return e, ok
}

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
