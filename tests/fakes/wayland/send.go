package fakewayland

import (
	"encoding/binary"
	"net"
	"syscall"
	"time"

	"utter/shared/wayland"
)

// sendTimeout is how long a client may leave its events unread.
const sendTimeout = 2 * time.Second

// event sends one event. A client that cannot take it is cut off.
func (c *client) event(o *object, opcode uint16, args ...any) {
	if c.gone {
		return
	}
	m, err := wayland.NewMessage(o.id, opcode, args...)
	if err == nil {
		err = c.send(m)
	}
	if err != nil {
		c.hangUp()
	}
}

func (c *client) send(m wayland.Message) error {
	if c.comp.options.ByteByByte {
		return trickle(c.conn, m)
	}
	return c.socket.Send(m)
}

// trickle writes m in pieces of one byte. The descriptors go with the first.
func trickle(conn *net.UnixConn, m wayland.Message) error {
	data := binary.NativeEndian.AppendUint32(nil, uint32(m.Object))
	data = binary.NativeEndian.AppendUint32(data, uint32(8+len(m.Body))<<16|uint32(m.Opcode))
	data = append(data, m.Body...)
	var rights []byte
	if len(m.FDs) > 0 {
		var fds []int
		for _, f := range m.FDs {
			fds = append(fds, int(f.Fd()))
		}
		rights = syscall.UnixRights(fds...)
	}
	if err := conn.SetWriteDeadline(time.Now().Add(sendTimeout)); err != nil {
		return err
	}
	if _, _, err := conn.WriteMsgUnix(data[:1], rights, nil); err != nil {
		return err
	}
	for i := 1; i < len(data); i++ {
		if _, err := conn.Write(data[i : i+1]); err != nil {
			return err
		}
	}
	return nil
}

// fatal sends a protocol error and ends the connection.
func (c *client) fatal(o *object, code uint32, message string) {
	c.comp.errors = append(c.comp.errors, message)
	c.event(c.objects[1], wayland.DisplayOnError, o.id, code, message)
	c.hangUp()
}
