package input

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"utter/shared/typing"
	"utter/shared/wayland"
)

// An offer is what the clipboard holds, by form.
type offer struct {
	id    wayland.ID
	forms []string
}

// A board is the clipboard during one paste. Its fields are guarded by the
// session's mu.
type board struct {
	device   wayland.ID
	offers   map[wayland.ID]*offer
	current  *offer
	finished bool
}

// openBoard asks for the clipboard and what it holds.
func (s *session) openBoard(ctx context.Context) (*board, error) {
	b := &board{offers: map[wayland.ID]*offer{}}
	var err error
	b.device, err = s.conn.Create(wayland.DataControlDevice, s.onBoard(b), s.managers[typing.Clipboard],
		wayland.DataManagerGetDevice, wayland.NewID, s.seat)
	if err != nil {
		return nil, err
	}
	return b, s.roundtrip(ctx)
}

// closeBoard waits for the offer that our own last content made, so that it can
// be taken away with the others.
func (s *session) closeBoard(ctx context.Context, b *board) {
	_ = s.roundtrip(context.WithoutCancel(ctx)) // an error shows at the next use
	s.mu.Lock()
	offers := b.offers
	b.offers = map[wayland.ID]*offer{}
	s.mu.Unlock()
	for id := range offers {
		s.dropOffer(id)
	}
	if s.conn.Send(b.device, wayland.DataDeviceDestroy) == nil {
		s.conn.Drop(b.device)
	}
}

func (s *session) dropOffer(id wayland.ID) {
	if s.conn.Send(id, wayland.DataOfferDestroy) == nil {
		s.conn.Drop(id)
	}
}

func (s *session) onBoard(b *board) wayland.Handler {
	return func(opcode uint16, args *wayland.Args) {
		if opcode == wayland.DataDeviceOnFinished {
			s.set(func() { b.finished = true })
			return
		}
		id := args.ID()
		switch opcode {
		case wayland.DataDeviceOnOffer:
			o := &offer{id: id}
			if s.conn.Adopt(id, wayland.DataControlOffer, s.onOffer(o)) == nil {
				s.set(func() { b.offers[id] = o })
			}
		case wayland.DataDeviceOnSelection:
			s.set(func() { b.current = b.offers[id] })
		}
	}
}

func (s *session) onOffer(o *offer) wayland.Handler {
	return func(opcode uint16, args *wayland.Args) {
		if opcode != wayland.DataOfferOnOffer {
			return
		}
		form := args.String()
		s.set(func() {
			if len(o.forms) < maxForms && !slices.Contains(o.forms, form) {
				o.forms = append(o.forms, form)
			}
		})
	}
}

// receive reads one form of an offer.
func (s *session) receive(ctx context.Context, id wayland.ID, form string) ([]byte, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	err = s.conn.Send(id, wayland.DataOfferReceive, form, w)
	w.Close()
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(keepTime)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	if err := r.SetReadDeadline(deadline); err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(r, maxKept+1))
	if err == nil && len(content) > maxKept {
		err = errors.New("it is larger than 8 MiB")
	}
	return content, err
}
