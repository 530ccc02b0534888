package config

import (
	"fmt"
	"slices"
)

// EnablePlugin returns a configuration, whose file is called name, in which the
// [[plugin]] of that id is switched on or off: its key enabled says so, and
// plugins.disabled no longer names one that is on. All else stays as it is. Where
// it is so already, data is returned. The errors are those of Edit, and
// ErrNoPlugin.
func EnablePlugin(name string, data []byte, id string, on bool) ([]byte, error) {
	before, err := Decode(name, data)
	if err != nil {
		return nil, fmt.Errorf("edit the configuration: %w: %w", ErrBroken, err)
	}
	at := slices.IndexFunc(before.Plugin, func(p Plugin) bool { return p.ID == id })
	if at < 0 {
		return nil, fmt.Errorf("%s: %w: %s", name, ErrNoPlugin, id)
	}
	if before.Plugin[at].Enabled == on {
		return data, nil
	}
	if disabled := before.Plugins.Disabled; on && slices.Contains(disabled, id) {
		rest := slices.DeleteFunc(slices.Clone(disabled), func(other string) bool { return other == id })
		if data, err = Edit(name, data, Change{Table: "plugins", Key: "disabled", Value: rest}); err != nil {
			return nil, err
		}
	}
	after, err := setEnabled(data, at, on)
	if err != nil {
		return nil, fmt.Errorf("edit the configuration: plugin.enabled: %w", err)
	}
	if c, err := Decode(name, after); err != nil || c.Plugin[at].Enabled != on {
		return nil, fmt.Errorf("edit the configuration: plugin.enabled: %w", ErrForm)
	}
	return after, nil
}

// setEnabled writes the key enabled of the [[plugin]] at an index: in its place,
// else below the id. Without the key a plugin is on.
func setEnabled(data []byte, at int, on bool) ([]byte, error) {
	wanted, err := tree(data)
	if err != nil {
		return nil, err
	}
	list, _ := wanted["plugin"].([]any)
	if at >= len(list) {
		return nil, ErrForm
	}
	table, ok := list[at].(map[string]any)
	if !ok {
		return nil, ErrForm
	}
	if is, written := table["enabled"].(bool); is == on && written || on && table["enabled"] == nil {
		return data, nil
	}
	table["enabled"] = on
	d, err := parse(data)
	if err != nil {
		return nil, err
	}
	after := d.spliceEnabled(d.pluginBlocks()[at], fmt.Sprint(on))
	if got, err := tree(after); err != nil || !same(got, wanted) {
		return nil, ErrForm
	}
	return after, nil
}

// spliceEnabled changes the bytes of the key enabled of a block.
func (d *document) spliceEnabled(b block, value string) []byte {
	if e := d.findIn(b, "enabled"); e != nil {
		return d.cut(e.value, e.end, value)
	}
	pair := "enabled = " + value
	if e := d.findIn(b, "id"); e != nil {
		return d.addLine(e.begin, e.end, pair)
	}
	return d.addLine(b.parts[0][0], b.parts[0][0], pair)
}

// findIn returns the entry of a key that stands right in a block, or nil.
func (d *document) findIn(b block, key string) *entry {
	for _, e := range d.entries {
		if e.begin >= b.parts[0][0] && e.begin < b.parts[0][1] && slices.Equal(e.path, []string{"plugin", key}) {
			return e
		}
	}
	return nil
}
