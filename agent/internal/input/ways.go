package input

import (
	"context"

	"utter/shared/typing"
	"utter/shared/wayland"
)

// A way carries out one method of typing.
type way struct {
	// globals are what the compositor must offer one of, the best first.
	globals []global
	// try types a text. A *notBegunError leaves the next method its turn.
	try func(*session, context.Context, Text, Display) (Typed, error)
	// probe looks closer where the global is there; nil if that is enough.
	probe func(*session, context.Context, Display) (Part, error)
}

// ways are the methods of package typing. The file of each adds its own.
var ways = map[typing.Way]way{}

// A global is a Wayland global of at most a version.
type global struct {
	iface   *wayland.Interface
	version uint32
}

// bindFirst binds the first of globals that the compositor offers; the ID is 0 if
// it offers none.
func (s *session) bindFirst(globals ...global) (wayland.ID, error) {
	for _, g := range globals {
		if s.conn.Has(g.iface) {
			return s.conn.Bind(g.iface, g.version, nil)
		}
	}
	return 0, nil
}

// A Part is how something that the compositor may offer stands.
type Part struct {
	There bool
	Note  string // why it is not there or does not work as expected, or ""
}

// Parts says what the compositor offers, for the doctor.
type Parts struct {
	Ways    map[typing.Way]Part // of every method
	Pointer Part
}

// Parts connects if need be and returns what is there.
func (in *Input) Parts(ctx context.Context) (Parts, error) {
	p := Parts{Ways: map[typing.Way]Part{}}
	err := in.use(ctx, func(s *session, d Display) error {
		p.Pointer.There = s.pointerManager != 0
		for _, m := range typing.Methods {
			part, probe := Part{There: s.managers[m.Way] != 0}, ways[m.Way].probe
			if part.There && probe != nil {
				var err error
				if part, err = probe(s, ctx, d); err != nil {
					return err
				}
			}
			p.Ways[m.Way] = part
		}
		return nil
	})
	return p, err
}
