package fakewayland

import (
	"slices"
	"strings"

	"utter/shared/wayland"
)

// dataControlRequest carries out a request of either data control.
func (c *client) dataControlRequest(k call) {
	switch k.Name {
	case "create_data_source":
		k.made.data = &source{client: c, object: k.made}
	case "get_data_device":
		c.sendSelection(k.made)
		if k.made.version >= 2 || strings.HasPrefix(k.Interface, "ext_") {
			c.event(k.made, wayland.DataDeviceOnPrimary, wayland.ID(0))
		}
	case "offer":
		s := k.on.data.(*source)
		if s.used {
			c.fatal(k.on, sourceInvalidOffer, "cannot mutate offer after set_selection")
			return
		}
		s.types = append(s.types, k.string(0))
	case "set_selection":
		c.setSelection(k)
	case "receive":
		s := k.on.data.(*selection)
		if s == c.comp.selection && slices.Contains(s.types, k.string(0)) {
			c.comp.deliver(s, k.string(0), k.file)
		}
	}
}

func (c *client) setSelection(k call) {
	o, ok := c.objects[k.Args[0].(wayland.ID)]
	if !ok {
		c.comp.offered = append(c.comp.offered, nil)
		c.comp.selectNew(&selection{})
		return
	}
	s := o.data.(*source)
	if s.used {
		c.fatal(k.on, deviceUsedSource, "cannot use a data source in set_selection more than once")
		return
	}
	s.used = true
	c.comp.offered = append(c.comp.offered, slices.Clone(s.types))
	c.comp.selectNew(&selection{source: s, types: s.types})
	if c.comp.options.Pasting == PastesAtOnce && len(s.types) > 0 {
		c.comp.readAway(s.types[0])
	}
}

// readAway reads the clipboard as a clipboard manager does: to keep it.
func (c *Compositor) readAway(mime string) {
	r, err := c.ask(mime)
	if err != nil {
		c.errors = append(c.errors, err.Error())
		return
	}
	c.work.Go(func() { drain(r) })
}

// sendSelection tells a device what is on the clipboard: a new offer and its
// types, and then that it is the selection.
func (c *client) sendSelection(device *object) {
	s := c.comp.selection
	if len(s.types) == 0 {
		c.event(device, wayland.DataDeviceOnSelection, wayland.ID(0))
		return
	}
	prefix, _, _ := strings.Cut(device.iface, "_")
	offer := c.announce(prefix+"_data_control_offer_v1", device.version)
	offer.data = s
	c.event(device, wayland.DataDeviceOnOffer, offer.id)
	for _, mime := range s.types {
		c.event(offer, wayland.DataOfferOnOffer, mime)
	}
	c.event(device, wayland.DataDeviceOnSelection, offer.id)
}
