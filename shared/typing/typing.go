// Package typing declares the methods of typing text, each once. The
// configuration's check, the doctor, the settings app and the tests of the
// documentation read them here; agent/internal/input carries them out.
package typing

import (
	"slices"
	"strings"

	"utter/shared/i18n"
	"utter/shared/plan"
)

// A Way is a value of the setting type_with: Auto, or the name of a method.
type Way string

// The ways.
const (
	Auto        Way = "auto" // the first method that works
	InputMethod Way = "input-method"
	Keyboard    Way = "keyboard"
	Clipboard   Way = "clipboard"
)

// A Method is one way of getting text into the focused window.
type Method struct {
	Way     Way
	Part    string        // its name in the doctor's list
	Title   string        // its name for people, marked for translation
	Without string        // a sentence about a desktop that lacks it, marked for translation
	Proof   plan.Evidence // the evidence of a text that arrived
}

// Methods is the ladder: Auto tries them in this order.
var Methods = []Method{
	{
		Way: InputMethod, Part: "input method", Title: i18n.Mark("Input method"), Proof: plan.ByReadBack,
		Without: i18n.Mark("Text is typed with keys or pasted; another input method may be running."),
	},
	{
		Way: Keyboard, Part: "virtual keyboard", Title: i18n.Mark("Virtual keyboard"), Proof: plan.Delivered,
		Without: i18n.Mark("Utter cannot press keys: this compositor does not allow it."),
	},
	{
		Way: Clipboard, Part: "clipboard", Title: i18n.Mark("Clipboard"), Proof: plan.Delivered,
		Without: i18n.Mark("Utter cannot type characters that the keyboard layout lacks."),
	},
}

// Ways returns Auto and the way of every method, in the order of the ladder.
func Ways() []Way {
	ways := []Way{Auto}
	for _, m := range Methods {
		ways = append(ways, m.Way)
	}
	return ways
}

// Known reports whether way is one of Ways.
func (way Way) Known() bool { return slices.Contains(Ways(), way) }

// Choices lists all ways for a message: "auto, input-method, ...".
func Choices() string {
	var names []string
	for _, way := range Ways() {
		names = append(names, string(way))
	}
	return strings.Join(names, ", ")
}

// MethodOfPart returns the method that the doctor calls part.
func MethodOfPart(part string) (Method, bool) {
	i := slices.IndexFunc(Methods, func(m Method) bool { return m.Part == part })
	if i < 0 {
		return Method{}, false
	}
	return Methods[i], true
}
