package fakewayland

import (
	"fmt"

	"utter/shared/wayland"
)

// Numbers that package wayland has no use for.
const (
	keyboardOnRepeatInfo = 5
	seatMissingKind      = 0 // the error missing_capability
)

func (c *client) displayRequest(k call) {
	switch k.Name {
	case "sync":
		c.event(k.made, wayland.CallbackOnDone, uint32(len(c.comp.requests)))
		c.remove(k.made)
	case "get_registry":
		for i, g := range globals {
			if c.comp.offers(g.iface) {
				c.event(k.made, wayland.RegistryOnGlobal, uint32(i+1), g.iface, g.version)
			}
		}
	}
}

// bind checks what libwayland checks. A global that was withdrawn may still be
// bound: the client may not have heard of it.
func (c *client) bind(k call) {
	name, iface, version := int(k.uint(0)), k.string(1), k.uint(2)
	if name < 1 || name > len(globals) || globals[name-1].iface != iface {
		c.fatal(k.on, invalidObject, fmt.Sprintf("invalid global %s (%d)", iface, name))
		return
	}
	if have := globals[name-1].version; version < 1 || version > have {
		c.fatal(k.on, invalidObject, fmt.Sprintf("invalid version for global %s (%d): have %d, wanted %d",
			iface, name, have, version))
		return
	}
	o, err := c.create(k.Args[3].(wayland.ID), iface, version)
	if err != nil {
		c.fatal(c.objects[1], invalidMethod, err.Error())
		return
	}
	if iface == "wl_seat" {
		c.describeSeat(o)
	}
}

func (c *client) describeSeat(o *object) {
	capabilities := uint32(wayland.SeatHasKeyboard)
	if c.comp.options.NoKeyboard {
		capabilities = 0
	}
	c.event(o, wayland.SeatOnCapabilities, capabilities)
	if o.version >= 2 {
		c.event(o, wayland.SeatOnName, "seat0")
	}
}

func (c *client) seatRequest(k call) {
	switch {
	case k.Name == "release":
	case k.Name == "get_keyboard" && !c.comp.options.NoKeyboard:
		c.sendKeymap(k.made)
		if k.made.version >= 4 {
			c.event(k.made, keyboardOnRepeatInfo, int32(25), int32(600))
		}
	default:
		c.fatal(k.on, seatMissingKind, fmt.Sprintf("wl_seat.%s called when no such capability has existed", k.Name))
	}
}

// sendKeymap tells a wl_keyboard the seat's keymap. Its descriptor is to be
// mapped or read at offset 0: the file offset is at the end.
func (c *client) sendKeymap(o *object) {
	text := c.comp.options.Keymap
	if c.comp.options.CutNames {
		text = cutNames(text)
	}
	f, err := wayland.TempFile("keymap", append([]byte(text), 0))
	if err != nil {
		c.comp.errors = append(c.comp.errors, err.Error())
		c.hangUp()
		return
	}
	defer f.Close()
	c.event(o, wayland.KeyboardOnKeymap, uint32(wayland.KeymapFormatXKB), f, uint32(len(text)+1))
}

// A Token is an activation token and for whom it was made.
type Token struct {
	AppID string
	Name  string
}

// A pendingToken is one in the making.
type pendingToken struct {
	appID string
	used  bool
}

const tokenAlreadyUsed = 0

func (c *client) activationRequest(k call) {
	if k.Name == "get_activation_token" {
		k.made.data = &pendingToken{}
		return
	}
	t, ok := k.on.data.(*pendingToken)
	if !ok || k.Name == "destroy" {
		return
	}
	if t.used {
		c.fatal(k.on, tokenAlreadyUsed, "the activation token has been used already")
		return
	}
	switch k.Name {
	case "set_app_id":
		t.appID = k.string(0)
	case "commit":
		t.used = true
		made := Token{t.appID, fmt.Sprintf("token-%d", len(c.comp.tokens)+1)}
		c.comp.tokens = append(c.comp.tokens, made)
		c.event(k.on, wayland.ActivationTokenOnDone, made.Name)
	}
}
