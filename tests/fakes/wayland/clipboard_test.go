package fakewayland_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"utter/shared/wayland"
	fakewayland "utter/tests/fakes/wayland"
)

// A desk is a client of a data control.
type desk struct {
	conn    *wayland.Conn
	manager wayland.ID
	device  wayland.ID

	mu        sync.Mutex
	offers    map[wayland.ID][]string
	selection wayland.ID
	cancelled int
}

func newDesk(t *testing.T, c *fakewayland.Compositor, i *wayland.Interface) *desk {
	t.Helper()
	d := &desk{conn: dial(t, c), offers: map[wayland.ID][]string{}}
	seat := bind(t, d.conn, wayland.Seat, nil)
	d.manager = bind(t, d.conn, i, nil)
	var err error
	d.device, err = d.conn.Create(wayland.DataControlDevice, func(opcode uint16, args *wayland.Args) {
		id := args.ID()
		d.mu.Lock()
		defer d.mu.Unlock()
		switch opcode {
		case wayland.DataDeviceOnOffer:
			d.offers[id] = nil
			d.conn.Adopt(id, wayland.DataControlOffer, func(_ uint16, args *wayland.Args) {
				d.mu.Lock()
				defer d.mu.Unlock()
				d.offers[id] = append(d.offers[id], args.String())
			})
		case wayland.DataDeviceOnSelection:
			d.selection = id
		}
	}, d.manager, wayland.DataManagerGetDevice, wayland.NewID, seat)
	if err != nil {
		t.Fatal(err)
	}
	roundtrip(t, d.conn)
	return d
}

// selected returns the offer that is the selection, its types, and how often
// a source was cancelled.
func (d *desk) selected() (offer wayland.ID, types []string, cancelled int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.selection, d.offers[d.selection], d.cancelled
}

// own puts content on the clipboard.
func (d *desk) own(t *testing.T, content fakewayland.Clipboard) wayland.ID {
	t.Helper()
	source := create(t, d.conn, wayland.DataControlSource, func(opcode uint16, args *wayland.Args) {
		if opcode == wayland.DataSourceOnCancelled {
			d.mu.Lock()
			d.cancelled++
			d.mu.Unlock()
			return
		}
		mime, f := args.String(), args.File()
		if f == nil {
			return
		}
		go func() {
			defer f.Close()
			f.Write(content[mime])
		}()
	}, d.manager, wayland.DataManagerCreateSource)
	for _, mime := range slices.Sorted(maps.Keys(content)) {
		send(t, d.conn, source, wayland.DataSourceOffer, mime)
	}
	send(t, d.conn, d.device, wayland.DataDeviceSetSelection, source)
	roundtrip(t, d.conn)
	return source
}

func TestClipboard(t *testing.T) {
	for _, i := range []*wayland.Interface{wayland.ExtDataControlManager, wayland.WlrDataControlManager} {
		t.Run(i.Name, func(t *testing.T) {
			old := fakewayland.Clipboard{"text/plain": []byte("old"), "image/png": bytes.Repeat([]byte{0, 1, 2, 255}, 1<<18)}
			c := fakewayland.Start(t, fakewayland.Options{Clipboard: old})
			d := newDesk(t, c, i)
			if _, got, _ := d.selected(); !slices.Equal(got, []string{"image/png", "text/plain"}) {
				t.Fatalf("offered %q", got)
			}
			if got := receive(t, d, "image/png"); !bytes.Equal(got, old["image/png"]) {
				t.Errorf("received %d bytes, want %d", len(got), len(old["image/png"]))
			}

			mine := fakewayland.Clipboard{"text/plain": []byte("mine"), "x-kde-passwordManagerHint": []byte("secret")}
			d.own(t, mine)
			got, err := c.Clipboard()
			if err != nil || !maps.EqualFunc(got, mine, bytes.Equal) {
				t.Errorf("Clipboard() = %q, %v", got, err)
			}
			if _, err := c.Paste("image/png"); !errors.Is(err, fakewayland.ErrNotOffered) {
				t.Errorf("Paste of another type = %v, want ErrNotOffered", err)
			}
			if want := []string{"text/plain", "x-kde-passwordManagerHint"}; len(c.Offered()) != 1 ||
				!slices.Equal(c.Offered()[0], want) {
				t.Errorf("Offered() = %q, want [%q]", c.Offered(), want)
			}

			c.Copy(fakewayland.Clipboard{"text/plain": []byte("newer")})
			roundtrip(t, d.conn)
			if _, _, cancelled := d.selected(); cancelled != 1 || string(receive(t, d, "text/plain")) != "newer" {
				t.Errorf("cancelled %d times, want 1 and the newer text", cancelled)
			}
		})
	}
}

// receive reads the selection as a client does.
func receive(t *testing.T, d *desk, mime string) []byte {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	offer, _, _ := d.selected()
	err = d.conn.Send(offer, wayland.DataOfferReceive, mime, w)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	r.SetReadDeadline(time.Now().Add(5 * time.Second))
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestClientsClipboardGoesWithIt(t *testing.T) {
	c := fakewayland.Start(t, fakewayland.Options{})
	d, other := newDesk(t, c, wayland.ExtDataControlManager), newDesk(t, c, wayland.WlrDataControlManager)
	source := d.own(t, fakewayland.Clipboard{"text/plain": []byte("a")})
	roundtrip(t, other.conn)
	if got := receive(t, other, "text/plain"); string(got) != "a" {
		t.Errorf("the other client received %q", got)
	}
	send(t, d.conn, source, wayland.DataSourceDestroy)
	roundtrip(t, d.conn)
	roundtrip(t, other.conn)
	if offer, _, _ := other.selected(); offer != 0 {
		t.Error("a selection after its source was destroyed")
	}
	d.own(t, fakewayland.Clipboard{"text/plain": []byte("b")})
	d.conn.Close()
	c.WaitFor(t, "the owner to go", func() bool { return c.Clients() == 1 })
	if got, err := c.Clipboard(); err != nil || len(got) != 0 {
		t.Errorf("Clipboard() = %q, %v after its owner went", got, err)
	}
}

func TestUsedSourceIsFatal(t *testing.T) {
	d := newDesk(t, fakewayland.Start(t, fakewayland.Options{}), wayland.WlrDataControlManager)
	source := d.own(t, fakewayland.Clipboard{"text/plain": nil})
	send(t, d.conn, d.device, wayland.DataDeviceSetSelection, source)
	wantFatal(t, d.conn, "data_control_device", 1)
}

func TestPasting(t *testing.T) {
	tests := []struct {
		name    string
		pasting fakewayland.Pasting
		want    []string
	}{
		{"on chord", fakewayland.PastesOnChord, []string{"text"}},
		{"at once", fakewayland.PastesAtOnce, []string{"text"}},
		{"never", fakewayland.NeverPastes, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := fakewayland.Start(t, fakewayland.Options{Pasting: tt.pasting})
			d := newDesk(t, c, wayland.ExtDataControlManager)
			d.own(t, fakewayland.Clipboard{"text/plain": []byte("text")})
			id := upload(t, d.conn, fakewayland.Keymap)
			send(t, d.conn, id, wayland.VirtualKeyboardModifiers, uint32(4), uint32(0), uint32(0), uint32(0))
			send(t, d.conn, id, wayland.VirtualKeyboardKey, uint32(1), uint32(47), uint32(wayland.KeyStatePressed))
			roundtrip(t, d.conn)
			c.WaitFor(t, "the paste", func() bool { return len(c.Pasted()) == len(tt.want) })
			before, _ := c.FieldText()
			if !slices.Equal(c.Pasted(), tt.want) || len(tt.want) == 1 && before != "text" {
				t.Errorf("Pasted() = %q, the field has %q", c.Pasted(), before)
			}
			if errs := c.Errors(); errs != nil {
				t.Errorf("Errors() = %q", errs)
			}
		})
	}
}
