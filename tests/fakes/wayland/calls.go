package fakewayland

import (
	"bytes"
	"fmt"
	"os"

	"utter/shared/wayland"
)

// maxRequest is the longest request that libwayland reads, in bytes. A client
// that sends a longer one is cut off without a word.
const maxRequest = 4096

// Error codes of wl_display.
const (
	invalidObject = 0
	invalidMethod = 1
	noMemory      = 2
)

// A call is a request on its way to the code that carries it out.
type call struct {
	Request
	on   *object
	made *object  // by the argument that names a new object
	file *os.File // closed after the call
}

// handle checks, keeps and carries out one request. It reports whether the
// client is still there.
func (c *client) handle(m wayland.Message) bool {
	c.comp.mu.Lock()
	defer c.comp.mu.Unlock()
	defer c.comp.wake()
	args := m.Args()
	defer args.Close()
	if size := 8 + len(m.Body); size > maxRequest {
		c.comp.errors = append(c.comp.errors, fmt.Sprintf("request of %d bytes", size))
		c.hangUp()
	}
	if c.gone {
		return false
	}
	on, ok := c.objects[m.Object]
	if !ok {
		c.fatal(c.objects[1], invalidObject, fmt.Sprintf("invalid object %d", m.Object))
		return false
	}
	requests := protocol[on.iface]
	if int(m.Opcode) >= len(requests) || requests[m.Opcode].since > on.version {
		c.fatal(c.objects[1], invalidMethod, fmt.Sprintf("invalid method %d, object %s#%d", m.Opcode, on.iface, on.id))
		return false
	}
	r := requests[m.Opcode]
	k, err := c.decode(on, r, args, len(m.Body))
	if k.file != nil {
		defer k.file.Close()
	}
	if err != nil {
		c.fatal(c.objects[1], invalidMethod, fmt.Sprintf("invalid arguments for %s#%d.%s: %v", on.iface, on.id, r.name, err))
		return false
	}
	c.comp.requests = append(c.comp.requests, k.Request)
	fault := c.comp.due(k.name())
	if fault == nil || !fault.Do.instead {
		c.carryOut(k, r.destroys())
	}
	if fault != nil {
		fault.Do.do(c, on)
	}
	return !c.gone
}

// decode reads the arguments of r, which fill size bytes, and makes the object
// that they name.
func (c *client) decode(on *object, r signature, args *wayland.Args, size int) (call, error) {
	k := call{Request: Request{Client: c.number, Interface: on.iface, Name: r.name}, on: on}
	for _, a := range r.args {
		value, err := c.argument(&k, a, args)
		if err == nil {
			err = args.Err()
		}
		if err != nil {
			return k, err
		}
		switch value := value.(type) {
		case nil: // a descriptor
			continue
		case string:
			size -= 4 + (len(value)+4)&^3
		default:
			size -= 4
		}
		k.Args = append(k.Args, value)
	}
	if size > 0 {
		return k, fmt.Errorf("%d bytes too many", size)
	}
	return k, nil
}

func (c *client) argument(k *call, a arg, args *wayland.Args) (any, error) {
	switch a.kind {
	case "uint":
		return args.Uint(), nil
	case "int":
		return args.Int(), nil
	case "fixed":
		return args.Fixed(), nil
	case "fd":
		k.file = args.File()
		return nil, nil
	case "string":
		data := args.Array()
		if end := bytes.IndexByte(data, 0); len(data) == 0 || end != len(data)-1 {
			return "", fmt.Errorf("string %q has no NUL, or not at its end", data)
		}
		return string(data[:len(data)-1]), nil
	case "object":
		id := args.ID()
		o, ok := c.objects[id]
		if id == 0 && a.null || args.Err() != nil {
			return id, nil
		}
		if !ok || o.iface != a.iface {
			return id, fmt.Errorf("object %d is no %s", id, a.iface)
		}
		return id, nil
	default: // new
		id := args.ID()
		if a.iface == "" || args.Err() != nil {
			return id, nil // bind says later what it is
		}
		var err error
		k.made, err = c.create(id, a.iface, k.on.version)
		return id, err
	}
}

// carryOut hands a request to the file of its interface.
func (c *client) carryOut(k call, last bool) {
	switch k.Interface {
	case "wl_display":
		c.displayRequest(k)
	case "wl_registry":
		c.bind(k)
	case "wl_seat":
		c.seatRequest(k)
	case "zwp_input_method_manager_v2", "zwp_input_method_v2":
		c.inputMethodRequest(k)
	case "zwp_virtual_keyboard_v1":
		c.virtualKeyboardRequest(k)
	case "zwlr_virtual_pointer_v1":
		c.virtualPointerRequest(k)
	case "xdg_activation_v1", "xdg_activation_token_v1":
		c.activationRequest(k)
	default: // the managers and keyboards have nothing to carry out
		c.dataControlRequest(k)
	}
	if last {
		c.remove(k.on)
	}
}
