package input

import (
	"context"
	"fmt"

	"utter/shared/plan"
	"utter/shared/wayland"
)

// A Direction is where to scroll.
type Direction string

// The directions.
const (
	Up    Direction = "up"
	Down  Direction = "down"
	Left  Direction = "left"
	Right Direction = "right"
)

// A Point is a place in a layout of Width x Height pixels, from its upper left
// corner.
type Point struct{ X, Y, Width, Height int }

const (
	leftButton = 0x110 // BTN_LEFT
	// wheelStep is what wheels report for one step.
	wheelStep = 15
)

// pointerDevice makes the virtual pointer once.
func (s *session) pointerDevice() error {
	if s.pointer != 0 {
		return nil
	}
	if s.pointerManager == 0 {
		return plan.Refuse(plan.Missing, "the pointer cannot be moved here: %v", errNone)
	}
	id, err := s.conn.Create(wayland.VirtualPointer, nil, s.pointerManager,
		wayland.VirtualPointerManagerCreate, s.seat, wayland.NewID)
	if err != nil {
		return plan.Refuse(plan.Missing, "the pointer cannot be moved here: %v", err)
	}
	s.pointer = id
	return nil
}

// moveTo moves the pointer, in a frame of its own.
func (s *session) moveTo(p Point) error {
	if p.X < 0 || p.Y < 0 || p.X >= p.Width || p.Y >= p.Height {
		return plan.Refuse(plan.NotFound, "the point %d,%d is outside the %dx%d layout", p.X, p.Y, p.Width, p.Height)
	}
	err := s.conn.Send(s.pointer, wayland.VirtualPointerMotionTo, s.now(),
		uint32(p.X), uint32(p.Y), uint32(p.Width), uint32(p.Height))
	if err != nil {
		return err
	}
	return s.conn.Send(s.pointer, wayland.VirtualPointerFrame)
}

// Click presses the left button at p.
func (in *Input) Click(ctx context.Context, p Point) error {
	return in.use(ctx, func(s *session, _ Display) error {
		if err := s.pointerDevice(); err != nil {
			return err
		}
		return unsure(s.click(ctx, p), "the click may have happened")
	})
}

func (s *session) click(ctx context.Context, p Point) error {
	if err := s.moveTo(p); err != nil {
		return err
	}
	for _, state := range []uint32{wayland.KeyStatePressed, wayland.KeyStateReleased} {
		if err := s.conn.Send(s.pointer, wayland.VirtualPointerButton, s.now(), uint32(leftButton), state); err != nil {
			return err
		}
		if err := s.conn.Send(s.pointer, wayland.VirtualPointerFrame); err != nil {
			return err
		}
	}
	return s.roundtrip(ctx)
}

// Scroll turns the wheel by steps at p.
func (in *Input) Scroll(ctx context.Context, p Point, d Direction, steps int) error {
	axis, sign := uint32(wayland.PointerAxisVertical), 1
	switch d {
	case Up:
		sign = -1
	case Down:
	case Left:
		axis, sign = wayland.PointerAxisHorizontal, -1
	case Right:
		axis = wayland.PointerAxisHorizontal
	default:
		return fmt.Errorf("scroll: unknown direction %q", d)
	}
	return in.use(ctx, func(s *session, _ Display) error {
		if err := s.pointerDevice(); err != nil {
			return err
		}
		return unsure(s.scroll(ctx, p, axis, sign, steps), "the scrolling may have happened in part")
	})
}

func (s *session) scroll(ctx context.Context, p Point, axis uint32, sign, steps int) error {
	if err := s.moveTo(p); err != nil {
		return err
	}
	for range steps {
		if err := s.wheel(axis, sign); err != nil {
			return err
		}
	}
	return s.roundtrip(ctx)
}

// wheel turns the wheel by one step.
func (s *session) wheel(axis uint32, sign int) error {
	if err := s.conn.Send(s.pointer, wayland.VirtualPointerAxisSource, uint32(wayland.PointerSourceWheel)); err != nil {
		return err
	}
	value := wayland.ToFixed(float64(sign * wheelStep))
	if err := s.conn.Send(s.pointer, wayland.VirtualPointerAxisDiscrete, s.now(), axis, value, int32(sign)); err != nil {
		return err
	}
	return s.conn.Send(s.pointer, wayland.VirtualPointerFrame)
}
