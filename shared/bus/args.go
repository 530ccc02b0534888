package bus

import "github.com/godbus/dbus/v5"

// encodeArgs writes arguments as D-Bus has them: whole numbers as x, others as d,
// lists as as or av, objects as a{sv}. D-Bus has nothing for null: it is left out.
func encodeArgs(args map[string]any) Dict {
	d := Dict{}
	for name, v := range args {
		if v != nil {
			d[Text(name)] = dbus.MakeVariant(encodeArg(v))
		}
	}
	return d
}

func encodeArg(v any) any {
	switch v := v.(type) {
	case string:
		return Text(v)
	case []string:
		return cleanTexts(v)
	case int:
		return int64(v)
	case map[string]any:
		return encodeArgs(v)
	case []any:
		items := []dbus.Variant{}
		for _, item := range v {
			if item != nil {
				items = append(items, dbus.MakeVariant(encodeArg(item)))
			}
		}
		return items
	}
	return v
}

// plainDict returns arguments as plain Go values, without variants.
func plainDict(d Dict) map[string]any {
	plain := make(map[string]any, len(d))
	for name, v := range d {
		plain[name] = plainValue(v.Value())
	}
	return plain
}

func plainValue(v any) any {
	switch v := v.(type) {
	case dbus.Variant:
		return plainValue(v.Value())
	case Dict:
		return plainDict(v)
	case []Dict:
		all := make([]any, len(v))
		for i, d := range v {
			all[i] = plainDict(d)
		}
		return all
	case []dbus.Variant:
		all := make([]any, len(v))
		for i, item := range v {
			all[i] = plainValue(item)
		}
		return all
	}
	return v
}
