package capture

import "utter/ui/model/tr"

// Cap is what stands on a key cap: a key's name as short as people know it.
func Cap(part string) string {
	switch part {
	case "ctrl":
		// Translators: the Control key, as short as it is written on key caps.
		return tr.T("Ctrl")
	case "escape":
		// Translators: the Escape key, as short as it is written on key caps.
		return tr.T("Esc")
	case "page_up":
		return tr.T("PgUp")
	case "page_down":
		return tr.T("PgDn")
	case "left":
		return "←"
	case "right":
		return "→"
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "plus":
		return "+"
	case "minus":
		return "−"
	case "comma":
		return ","
	case "period":
		return "."
	case "slash":
		return "/"
	case "question":
		return "?"
	case "grave":
		return "`"
	}
	return KeyName(part)
}
