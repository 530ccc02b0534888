package input

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"utter/agent/internal/input/xkb"
	"utter/shared/plan"
	"utter/shared/typing"
	"utter/shared/wayland"
)

const (
	// pasteTime is how long an application may take to fetch what is pasted.
	pasteTime = 2 * time.Second
	// settleTime is how long the pasted text stays once it was fetched: some
	// applications ask twice.
	settleTime = 250 * time.Millisecond
	// keepTime bounds the reading of one form of the old content.
	keepTime = 500 * time.Millisecond
	// keepAllTime bounds the reading of all of them.
	keepAllTime = 2 * time.Second
	// maxKept is the largest form of the old content that is put back, in bytes.
	maxKept = 8 << 20
	// maxKeptAll is the most that is put back of all forms together, in bytes.
	maxKeptAll = 32 << 20
	// maxForms bounds the forms of one content.
	maxForms = 64
)

func init() {
	ways[typing.Clipboard] = way{
		globals: []global{{wayland.ExtDataControlManager, 1}, {wayland.WlrDataControlManager, 1}},
		try:     (*session).typeByClipboard,
	}
}

// textForms are the names under which text is offered.
var textForms = []string{"text/plain;charset=utf-8", "UTF8_STRING", "TEXT", "STRING", "text/plain"}

// secretForm asks clipboard managers to keep nothing of this.
const secretForm = "x-kde-passwordManagerHint"

// typeByClipboard pastes the text and puts back what was there.
func (s *session) typeByClipboard(ctx context.Context, t Text, d Display) (Typed, error) {
	if s.managers[typing.Clipboard] == 0 {
		return Typed{}, &notBegunError{"the compositor does not support clipboard access"}
	}
	if t.Paste.IsZero() {
		return Typed{}, &notBegunError{"the application has no shortcut for pasting"}
	}
	keymap, err := s.prepare(ctx, d)
	if err != nil {
		return Typed{}, notBegun(err)
	}
	stroke, err := keymap.Press(t.Paste, d.Layout)
	if err != nil {
		return Typed{}, notBegun(err)
	}
	b, err := s.openBoard(ctx)
	if err != nil {
		return Typed{}, notBegun(err)
	}
	defer s.closeBoard(ctx, b)
	old, note := s.keep(ctx, b)
	source, err := s.offer(b, pasteForms(t.Text))
	if err != nil {
		return Typed{}, notBegun(err)
	}
	typed, err := s.paste(ctx, t, d, source, stroke)
	typed.Note = note
	if backErr := s.putBack(b, source, old); backErr != nil {
		typed.Note = fmt.Sprintf("the clipboard could not be restored: %v", backErr)
	}
	return typed, err
}

// A form is content in one of the types that it is offered in.
type form struct {
	name    string
	content []byte
}

func pasteForms(text string) []form {
	var forms []form
	for _, name := range textForms {
		forms = append(forms, form{name, []byte(text)})
	}
	return append(forms, form{secretForm, []byte("secret")})
}

// paste presses the chord and waits until the text was fetched.
func (s *session) paste(ctx context.Context, t Text, d Display, source *source, stroke xkb.Stroke) (Typed, error) {
	if err := s.roundtrip(ctx); err != nil {
		return Typed{}, notBegun(err)
	}
	before := s.afterWatchers(ctx, source)
	if n, err := s.strokes(ctx, []xkb.Stroke{stroke}, d, t.Alive); err != nil {
		if n == 0 && isRefusal(err) {
			return Typed{}, err
		}
		return Typed{}, interrupted(err, "the paste may not have happened")
	}
	fetched := s.await(ctx, pasteTime, func() bool { return source.fetched > before || source.cancelled })
	s.mu.Lock()
	replaced := source.fetched == before
	s.mu.Unlock()
	switch {
	case !fetched && ctx.Err() != nil:
		return Typed{}, interrupted(ctx.Err(), "the paste may not have happened")
	case !fetched && s.conn.Err() != nil:
		return Typed{}, interrupted(s.conn.Err(), "the paste may not have happened")
	case !fetched:
		return Typed{}, plan.Unsure(plan.Timeout, "the application did not fetch the pasted text")
	case replaced:
		return Typed{}, plan.Unsure(plan.NotFound, "something else was copied in the meantime")
	}
	s.await(ctx, settleTime, func() bool { return source.cancelled })
	return Typed{}, nil
}

// afterWatchers waits until those who look at every new content of the clipboard
// have looked, so that they are not taken for the application. It returns how
// often the text was fetched by then.
func (s *session) afterWatchers(ctx context.Context, src *source) int {
	const rest, limit = 25 * time.Millisecond, 200 * time.Millisecond
	deadline := time.Now().Add(limit)
	for {
		s.mu.Lock()
		seen := src.fetched
		s.mu.Unlock()
		if !s.await(ctx, rest, func() bool { return src.fetched > seen }) || time.Now().After(deadline) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return src.fetched
		}
	}
}

// keep reads what the clipboard holds, every form of it, in the order of its
// owner. note says what could not be read.
func (s *session) keep(ctx context.Context, b *board) (forms []form, note string) {
	s.mu.Lock()
	current := b.current
	var names []string
	if current != nil {
		names = slices.Clone(current.forms)
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, keepAllTime)
	defer cancel()
	total := 0
	for _, name := range names {
		content, err := s.receive(ctx, current.id, name)
		if total += len(content); err != nil || total > maxKeptAll {
			note = "part of the previous clipboard contents is lost"
			continue
		}
		forms = append(forms, form{name, content})
	}
	return forms, note
}

// A source is content that we offer. It lives until something else is copied.
// Its fields are guarded by the session's mu.
type source struct {
	id        wayland.ID
	forms     []form
	fetched   int // times that somebody has read a text form to its end
	cancelled bool
}

// offer puts forms on the clipboard.
func (s *session) offer(b *board, forms []form) (*source, error) {
	src := &source{forms: forms}
	var err error
	src.id, err = s.conn.Create(wayland.DataControlSource, s.onSource(src), s.managers[typing.Clipboard],
		wayland.DataManagerCreateSource, wayland.NewID)
	if err != nil {
		return nil, err
	}
	for _, f := range forms {
		if err := s.conn.Send(src.id, wayland.DataSourceOffer, f.name); err != nil {
			return nil, err
		}
	}
	return src, s.conn.Send(b.device, wayland.DataDeviceSetSelection, src.id)
}

func (s *session) onSource(src *source) wayland.Handler {
	return func(opcode uint16, args *wayland.Args) {
		switch opcode {
		case wayland.DataSourceOnSend:
			name, f := args.String(), args.File()
			if f == nil {
				return
			}
			var content []byte
			if i := slices.IndexFunc(src.forms, func(f form) bool { return f.name == name }); i >= 0 {
				content = src.forms[i].content
			}
			go func() { // a slow reader must not stop the connection
				ok := give(f, content)
				if ok && name != secretForm {
					s.set(func() { src.fetched++ })
				}
			}()
		case wayland.DataSourceOnCancelled:
			s.set(func() { src.cancelled = true })
			if s.conn.Send(src.id, wayland.DataSourceDestroy) == nil {
				s.conn.Drop(src.id)
			}
		}
	}
}

// give writes content into a descriptor that somebody reads, and closes it.
func give(f *os.File, content []byte) bool {
	file, err := pollable(f)
	if err != nil {
		return false
	}
	defer file.Close()
	if err := file.SetWriteDeadline(time.Now().Add(pasteTime)); err != nil {
		return false
	}
	_, err = file.Write(content)
	return err == nil
}

// pollable makes f a file whose writes can be given a deadline.
func pollable(f *os.File) (*os.File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "clipboard"), nil
}

// putBack restores the old content unless something newer was copied.
func (s *session) putBack(b *board, pasted *source, old []form) error {
	if err := s.conn.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	replaced := pasted.cancelled
	s.mu.Unlock()
	if replaced {
		return nil
	}
	if len(old) == 0 {
		return s.conn.Send(b.device, wayland.DataDeviceSetSelection, wayland.ID(0))
	}
	_, err := s.offer(b, old)
	return err
}
