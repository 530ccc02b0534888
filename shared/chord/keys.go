package chord

import (
	"fmt"
	"slices"
	"strings"
)

// keysyms holds the keys that have a name: canonical name -> X keysym name.
// The canonical name is the keysym's in lower case.
var keysyms = map[string]string{}

// keyAliases holds what else people and programs call them.
var keyAliases = map[string]string{
	"enter": "return", "ret": "return", "cr": "return",
	"esc": "escape", "del": "delete", "ins": "insert", "bksp": "backspace", "back_space": "backspace",
	"pageup": "page_up", "pgup": "page_up", "prior": "page_up",
	"pagedown": "page_down", "pgdn": "page_down", "pgdown": "page_down", "next": "page_down",
	"spacebar": "space", "space_bar": "space",
	"arrow_up": "up", "arrow_down": "down", "arrow_left": "left", "arrow_right": "right",
	"up_arrow": "up", "down_arrow": "down", "left_arrow": "left", "right_arrow": "right",
	"arrowup": "up", "arrowdown": "down", "arrowleft": "left", "arrowright": "right",
	"printscreen": "print", "print_screen": "print", "prtsc": "print", "sysrq": "print",
	"capslock": "caps_lock", "numlock": "num_lock", "scrolllock": "scroll_lock", "break": "pause",
	"context_menu": "menu", "compose": "multi_key",
	"dash": "minus", "hyphen": "minus", "equals": "equal", "dot": "period", "full_stop": "period",
	"point": "period", "apostroph": "apostrophe", "quote": "apostrophe", "double_quote": "quotedbl",
	"backquote": "grave", "backtick": "grave", "tilde": "asciitilde", "caret": "asciicircum",
	"pipe": "bar", "hash": "numbersign", "pound": "numbersign", "star": "asterisk",
	"exclamation_mark": "exclam", "question_mark": "question", "underline": "underscore",
	"forward_slash": "slash", "back_slash": "backslash",
	"left_bracket": "bracketleft", "right_bracket": "bracketright",
	"open_bracket": "bracketleft", "close_bracket": "bracketright",
	"left_brace": "braceleft", "right_brace": "braceright",
	"less_than": "less", "greater_than": "greater", "at_sign": "at", "dollar_sign": "dollar",
	"backtab": "iso_left_tab",
}

// punctuation names the printable ASCII characters that are not a letter or digit.
var punctuation = map[rune]string{
	' ': "space", '!': "exclam", '"': "quotedbl", '#': "numbersign", '$': "dollar", '%': "percent",
	'&': "ampersand", '\'': "apostrophe", '(': "parenleft", ')': "parenright", '*': "asterisk",
	'+': "plus", ',': "comma", '-': "minus", '.': "period", '/': "slash", ':': "colon",
	';': "semicolon", '<': "less", '=': "equal", '>': "greater", '?': "question", '@': "at",
	'[': "bracketleft", '\\': "backslash", ']': "bracketright", '^': "asciicircum",
	'_': "underscore", '`': "grave", '{': "braceleft", '|': "bar", '}': "braceright", '~': "asciitilde",
}

// loneModifiers are modifier names said alone: the key itself is pressed.
var loneModifiers = map[string]string{}

// keyWords and modNames are what a message may suggest.
var keyWords []string

func init() {
	named := []string{
		"Return", "Escape", "Tab", "BackSpace", "Delete", "Insert", "Home", "End", "Page_Up",
		"Page_Down", "Up", "Down", "Left", "Right", "Print", "Pause", "Menu", "Caps_Lock",
		"Num_Lock", "Scroll_Lock", "Help", "Undo", "Redo", "Find", "Cancel", "Clear", "Begin",
		"Multi_key", "ISO_Left_Tab",
		"Control_L", "Control_R", "Shift_L", "Shift_R", "Alt_L", "Alt_R", "Super_L", "Super_R",
		"ISO_Level3_Shift",
		"KP_Enter", "KP_Add", "KP_Subtract", "KP_Multiply", "KP_Divide", "KP_Decimal",
		"KP_Home", "KP_End", "KP_Page_Up", "KP_Page_Down", "KP_Up", "KP_Down", "KP_Left", "KP_Right",
		"XF86AudioPlay", "XF86AudioPause", "XF86AudioStop", "XF86AudioNext", "XF86AudioPrev",
		"XF86AudioMute", "XF86AudioMicMute", "XF86AudioRaiseVolume", "XF86AudioLowerVolume",
		"XF86MonBrightnessUp", "XF86MonBrightnessDown", "XF86Back", "XF86Forward", "XF86Reload",
		"XF86HomePage", "XF86Search", "XF86Calculator", "XF86Mail", "XF86WWW", "XF86Explorer",
	}
	for n := range 24 {
		named = append(named, fmt.Sprintf("F%d", n+1))
	}
	for n := range 10 {
		named = append(named, fmt.Sprintf("KP_%d", n))
	}
	for _, name := range punctuation {
		named = append(named, name)
	}
	for _, name := range named {
		keysyms[strings.ToLower(name)] = name
	}
	for name, m := range modAliases {
		loneModifiers[name] = map[Mods]string{
			Ctrl: "control_l", Shift: "shift_l", Alt: "alt_l", Super: "super_l", AltGr: "iso_level3_shift",
		}[m]
	}
	for name := range keysyms {
		keyWords = append(keyWords, name)
	}
	for name := range keyAliases {
		keyWords = append(keyWords, name)
	}
	slices.Sort(keyWords)
}

// KeyNames returns the canonical names of all named keys, sorted.
func KeyNames() []string {
	names := make([]string, 0, len(keysyms))
	for name := range keysyms {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
