package fakewayland

import (
	"io"
	"os"
	"strings"

	"utter/shared/wayland"
)

// virtualKeyboardNoKeymap is an error code.
const virtualKeyboardNoKeymap = 0

// maxKeymap bounds an uploaded keymap, in bytes.
const maxKeymap = 1 << 20

// Modifiers is a modifiers request.
type Modifiers struct{ Depressed, Latched, Locked, Group uint32 }

// A Key is one event of a virtual keyboard's key.
type Key struct {
	Time      uint32 // milliseconds
	Code      uint32 // evdev
	Pressed   bool
	Modifiers Modifiers // the last that this keyboard told
}

// The paste chord: control and the key that is V on most layouts.
const (
	controlBit = 1 << 2
	keyV       = 47
)

// A virtualKeyboard is what one client's zwp_virtual_keyboard_v1 has said.
type virtualKeyboard struct {
	keymap    string
	modifiers Modifiers
}

func (c *client) virtualKeyboardRequest(k call) {
	v, ok := k.on.data.(*virtualKeyboard)
	if !ok {
		v = &virtualKeyboard{}
		k.on.data = v
	}
	if v.keymap == "" && (k.Name == "key" || k.Name == "modifiers") {
		c.fatal(k.on, virtualKeyboardNoKeymap, "Cannot send a "+k.Name+" request before defining a keymap")
		return
	}
	switch k.Name {
	case "keymap":
		text, err := readKeymap(k.file, k.uint(1))
		if err != nil {
			c.fatal(c.objects[1], noMemory, "keymap: "+err.Error())
			return
		}
		v.keymap = text
		c.comp.keymaps = append(c.comp.keymaps, text)
	case "modifiers":
		v.modifiers = Modifiers{k.uint(0), k.uint(1), k.uint(2), k.uint(3)}
		c.comp.modifiers = append(c.comp.modifiers, v.modifiers)
	case "key":
		key := Key{k.uint(0), k.uint(1), k.uint(2) == wayland.KeyStatePressed, v.modifiers}
		c.comp.keys = append(c.comp.keys, key)
		c.comp.afterKey(v, key)
	}
}

// afterKey does what a key makes the compositor and the application do.
func (c *Compositor) afterKey(v *virtualKeyboard, key Key) {
	same := c.options.SameKeymap
	if same == nil {
		same = func(a, b string) bool { return a == b }
	}
	if c.options.EchoKeymaps && !same(c.options.Keymap, v.keymap) {
		c.each("wl_keyboard", func(client *client, o *object) {
			client.sendKeymap(o)
			client.sendKeymap(o)
		})
	}
	if key.Pressed && key.Code == keyV && key.Modifiers.Depressed&controlBit != 0 && c.options.Pasting != NeverPastes {
		c.paste()
	}
}

// readKeymap reads the size bytes that a keymap request promised. The file's
// offset does not matter, as it does not to a compositor that maps it.
func readKeymap(f *os.File, size uint32) (string, error) {
	data := make([]byte, min(size, maxKeymap))
	if _, err := f.ReadAt(data, 0); err != nil && err != io.EOF {
		return "", err
	}
	text, _, _ := strings.Cut(string(data), "\x00")
	return text, nil
}

func (c *client) virtualPointerRequest(k call) {
	group, _ := k.on.data.([]Request)
	switch k.Name {
	case "frame":
		c.comp.frames = append(c.comp.frames, group)
		k.on.data = []Request(nil)
	case "destroy":
	default:
		k.on.data = append(group, k.Request)
	}
}
