package wayland

import (
	"io"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// FuzzReceive plays a compositor that sends anything, in pieces, with
// descriptors: the connection ends without a panic, in time, and with every
// descriptor closed.
func FuzzReceive(f *testing.F) {
	f.Add(words(3, 12<<16, 0, 1, 12<<16|DisplayOnDeleteID, 3), uint8(1), uint8(0), uint16(5))
	f.Add(append(words(5, 16<<16|KeyboardOnKeymap, 1, 10), words(1, 12<<16|DisplayOnDeleteID, 5)...),
		uint8(3), uint8(1), uint16(0))
	f.Add(append(words(6, 20<<16|DataSourceOnSend, 5), "text\x00\x00\x00\x00"...), uint8(28), uint8(2), uint16(0))
	f.Add(append(words(6, 20<<16|DataSourceOnSend, 5), "else\x00\x00\x00\x00"...), uint8(1),
		uint8(0), uint16(7)) // not taken
	f.Add(words(7, 12<<16|DataDeviceOnOffer, firstServerID, firstServerID, 16<<16, 2, 0x61), uint8(0), uint8(0), uint16(1))
	f.Add(append(words(1, 24<<16|DisplayOnError, 5, 7, 4), "bad\x00"...), uint8(0), uint8(0), uint16(3))
	f.Add(append(words(2, 28<<16, 9, 8), "wl_seat\x00\x01\x00\x00\x00"...), uint8(0), uint8(0), uint16(0))
	f.Add(words(1, 4<<16), uint8(0), uint8(0), uint16(0))
	f.Fuzz(func(t *testing.T, data []byte, fds, extra uint8, piece uint16) {
		a, b := pair(t)
		l := newLeakCheck(t)
		go welcome(a)
		conn, err := NewConn(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		listen(t, conn)
		feed(a, data, l.w, int(fds)%(maxFDs+1), int(extra), int(piece))
		a.Close()
		select {
		case <-conn.Done():
		case <-time.After(10 * time.Second):
			t.Fatal("the connection does not end")
		}
		if conn.Err() == nil {
			t.Error("Err = nil after the end")
		}
		conn.Close()
		l.finish(t)
	})
}

// welcome answers the first requests of a client: get_registry and sync, whose
// callback is object 3.
func welcome(c *net.UnixConn) {
	if _, err := io.ReadFull(c, make([]byte, 24)); err == nil {
		c.Write(words(3, 12<<16, 0))
	}
}

// listen makes objects that take arguments in earnest: a seat, a keyboard, a
// source and a device, with the IDs 4 to 7.
func listen(t *testing.T, conn *Conn) {
	handlers := []struct {
		i *Interface
		h Handler
	}{
		{Seat, func(_ uint16, args *Args) { args.Uint() }},
		{Keyboard, func(_ uint16, args *Args) {
			args.Uint()
			if f := args.File(); f != nil {
				f.Close()
			}
			args.Uint()
		}},
		{DataControlSource, func(opcode uint16, args *Args) {
			if opcode == DataSourceOnSend && args.String() == "text" {
				if f := args.File(); f != nil {
					f.Close()
				}
			}
		}},
		{DataControlDevice, func(opcode uint16, args *Args) {
			id := args.ID()
			if opcode != DataDeviceOnOffer {
				conn.Drop(id)
				return
			}
			conn.Adopt(id, DataControlOffer, func(_ uint16, args *Args) { _ = args.String() })
		}},
	}
	for _, h := range handlers {
		if _, err := conn.reserve(h.i, h.h); err != nil {
			t.Fatal(err)
		}
	}
}

// feed writes data in pieces, the first of which carry descriptors.
func feed(c *net.UnixConn, data []byte, f *os.File, fds, pieces, size int) {
	c.SetWriteDeadline(time.Now().Add(5 * time.Second))
	if size == 0 {
		size = len(data)
	}
	for i := 0; len(data) > 0; i++ {
		n := min(size, len(data))
		var oob []byte
		if fds > 0 && i <= pieces {
			oob = unix.UnixRights(fdsOf(repeat(f, fds))...)
		}
		if _, _, err := c.WriteMsgUnix(data[:n], oob, nil); err != nil {
			return // the client has had enough
		}
		data = data[n:]
	}
}
