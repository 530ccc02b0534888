package chord

import (
	"fmt"

	"utter/shared/spell"
)

// A Code says why a combination cannot be read. It is stable: messages in other
// languages are found by it.
type Code string

// The codes, each with what Args returns.
const (
	NotText          Code = "not_text"          // too long, or no UTF-8
	Empty            Code = "empty"             //
	UnknownModifier  Code = "unknown_modifier"  // the word, and the nearest modifier if there is one
	RepeatedModifier Code = "repeated_modifier" // the modifier
	NoKey            Code = "no_key"            // only modifiers
	UnprintableKey   Code = "unprintable_key"   // the character
	UnknownKey       Code = "unknown_key"       // the word, and the nearest key if there is one
)

// Codes are all codes.
var Codes = []Code{NotText, Empty, UnknownModifier, RepeatedModifier, NoKey, UnprintableKey, UnknownKey}

// A SyntaxError describes a combination that Parse cannot read.
type SyntaxError struct {
	Input string
	Code  Code
	Word  string // the part of Input that is at fault, or ""
}

// Error writes the reason in English.
func (e *SyntaxError) Error() string {
	near := ""
	if n := e.nearest(); n != "" {
		near = fmt.Sprintf("; did you mean %q?", n)
	}
	return fmt.Sprintf("key combination %q %s%s", e.Input, e.reason(), near)
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

func (e *SyntaxError) reason() string {
	switch e.Code {
	case NotText:
		return fmt.Sprintf("is no text of at most %d bytes", maxLength)
	case Empty:
		return "is empty"
	case UnknownModifier:
		return fmt.Sprintf("has the unknown modifier %q", e.Word)
	case RepeatedModifier:
		return fmt.Sprintf("repeats %q", e.Word)
	case NoKey:
		return "has no key"
	case UnprintableKey:
		return fmt.Sprintf("has the unprintable key %q", e.Word)
	}
	return fmt.Sprintf("has the unknown key %q", e.Word)
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
