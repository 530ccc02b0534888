package wording

import (
	"strings"

	"utter/ui/model/tr"
)

// Spoken is a chord in words, as a screen reader says it: "Control Shift K".
func Spoken(chord string) string {
	var words []string
	for part := range strings.SplitSeq(chord, "+") {
		words = append(words, KeyName(part))
	}
	return strings.Join(words, " ")
}

// KeyName is a key or modifier, by its canonical name, as people write it.
func KeyName(part string) string {
	switch part {
	case "ctrl":
		return tr.T("Control")
	case "shift":
		return tr.T("Shift")
	case "alt":
		return tr.T("Alt")
	case "super":
		return tr.T("Super")
	case "altgr":
		return tr.T("AltGr")
	case "return":
		return tr.T("Enter")
	case "space":
		return tr.T("Space")
	case "escape":
		return tr.T("Escape")
	case "tab":
		return tr.C("key", "Tab")
	case "backspace":
		return tr.C("key", "Backspace")
	case "delete":
		return tr.C("key", "Delete")
	case "insert":
		return tr.C("key", "Insert")
	case "home":
		return tr.C("key", "Home")
	case "end":
		return tr.C("key", "End")
	case "page_up":
		return tr.C("key", "Page Up")
	case "page_down":
		return tr.C("key", "Page Down")
	case "left":
		return tr.C("key", "Left")
	case "right":
		return tr.C("key", "Right")
	case "up":
		return tr.C("key", "Up")
	case "down":
		return tr.C("key", "Down")
	case "plus":
		return tr.C("key", "Plus")
	case "minus":
		return tr.C("key", "Minus")
	case "comma":
		return tr.C("key", "Comma")
	case "period":
		return tr.C("key", "Period")
	}
	return capitals(part)
}

// capitals writes each word of a name with a capital letter.
func capitals(name string) string {
	if len([]rune(name)) == 1 {
		return strings.ToUpper(name)
	}
	words := strings.Split(name, "_")
	for i, w := range words {
		if w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}

// Cap is what stands on a key cap: a key's name as short as people know it.
func Cap(part string) string {
	switch part {
	case "shift":
		// Translators: the Shift key, as short as it is written on key caps.
		return tr.C("key cap", "Shift")
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
