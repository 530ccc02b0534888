package chord

import (
	"fmt"

	"utter/shared/i18n"
	"utter/shared/spell"
)

// A Code says why a combination cannot be read. It is stable: messages in other
// languages are found by it.
type Code string

// The codes, each with what Args returns.
const (
	NotText          Code = "not_text"          // too long, or not UTF-8
	Empty            Code = "empty"             //
	UnknownModifier  Code = "unknown_modifier"  // the word, and the nearest modifier if there is one
	RepeatedModifier Code = "repeated_modifier" // the modifier
	NoKey            Code = "no_key"            // only modifiers
	UnprintableKey   Code = "unprintable_key"   // the character
	UnknownKey       Code = "unknown_key"       // the word, and the nearest key if there is one
)

// Codes are all codes.
var Codes = []Code{NotText, Empty, UnknownModifier, RepeatedModifier, NoKey, UnprintableKey, UnknownKey}

// messages are formats of the Word, that of NoKey of the Input.
var messages = map[Code]string{
	NotText:          i18n.Mark("This is too long for a key combination"),
	Empty:            i18n.Mark("Write a key combination, such as ctrl+t"),
	UnknownModifier:  i18n.Mark("“%s” is not a modifier"),
	RepeatedModifier: i18n.Mark("“%s” appears twice"),
	NoKey:            i18n.Mark("“%s” contains only modifiers"),
	UnprintableKey:   i18n.Mark("Invisible characters cannot be used as keys"),
	UnknownKey:       i18n.Mark("“%s” is not a key"),
}

// A SyntaxError describes a combination that Parse cannot read.
type SyntaxError struct {
	Input string
	Code  Code
	Word  string // the part of Input that is at fault, or ""
}

// Error writes the reason in English.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("key combination %q: %s", e.Input, e.Text().Plain())
}

// Text says what is wrong.
func (e *SyntaxError) Text() i18n.Message {
	english, known := messages[e.Code]
	switch {
	case !known:
		return i18n.Message{English: i18n.Mark("“%s” is not a key combination"), Args: []any{e.Input}}
	case e.Code == NoKey:
		return i18n.Message{English: english, Args: []any{e.Input}}
	}
	return i18n.Message{English: english, Args: []any{e.Word}, Near: e.nearest()}
}

// Args returns what a message of e's Code names besides Input.
func (e *SyntaxError) Args() []string {
	var args []string
	for _, a := range []string{e.Word, e.nearest()} {
		if a != "" {
			args = append(args, a)
		}
	}
	return args
}

// nearest looks for what was probably meant. It is not done by Parse, for it
// takes longer than all of that and most errors are never read.
func (e *SyntaxError) nearest() string {
	switch e.Code {
	case UnknownModifier:
		return spell.Nearest(e.Word, modNames)
	case UnknownKey:
		return spell.Nearest(joinWords(e.Word), keyWords)
	}
	return ""
}
