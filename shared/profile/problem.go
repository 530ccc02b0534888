package profile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"utter/shared/chord"
	"utter/shared/i18n"
)

// A Severity says whether a file still counts.
type Severity string

// The severities.
const (
	Broken  Severity = "error"   // the file does not count
	Warning Severity = "warning" // it does, without the part that is wrong
)

// A Problem describes an error in a file, for the person who wrote it.
type Problem struct {
	Origin   Origin
	Severity Severity
	Message  string // what is wrong and what to write, in English
	// Code is one of Codes, with Args as described there: messages in other
	// languages are made of them.
	Code string
	Args []string
}

// Equal reports whether p and q say the same of the same place.
func (p Problem) Equal(q Problem) bool {
	return p.Origin == q.Origin && p.Severity == q.Severity && p.Message == q.Message &&
		p.Code == q.Code && slices.Equal(p.Args, q.Args)
}

func (p Problem) Error() string {
	if p.Origin.Line == 0 {
		return fmt.Sprintf("%s: %s", p.Origin.File, p.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.Origin.File, p.Origin.Line, p.Origin.Column, p.Message)
}

// Codes of Problems, each with its Args. They are stable.
const (
	CodeTooLarge       = "too_large"       //
	CodeEncoding       = "encoding"        //
	CodeSyntax         = "syntax"          // what the YAML reader says, in English
	CodeTab            = "tab"             //
	CodeSecondDocument = "second_document" //
	CodeNoMapping      = "no_mapping"      // nothing, or the id whose profile it is
	CodeNoID           = "no_id"           //
	CodeEmptyID        = "empty_id"        //
	CodeTwoIDs         = "two_ids"         // the id in the profile, the one above it
	CodeProfiles       = "profiles"        // "profiles" is not a map
	CodeBesideProfiles = "beside_profiles" // the key
	CodeKey            = "key"             // a key that is a list or map
	CodeAnchor         = "anchor"          // the key
	CodeTwice          = "twice"           // the key, the line where it appears first
	CodeUnknownKey     = "unknown_key"     // the key, and the nearest known one if there is one
	CodeNotEverywhere  = "not_everywhere"  // the key
	CodeText           = "text"            // the key
	CodeTexts          = "texts"           // the key
	CodeQuotes         = "quotes"          // the key
	CodeNoProgram      = "no_program"      // the key
	CodeBoolean        = "boolean"         // the key, what it is
	CodeKind           = "kind"            // the key, what it is, the kinds
	CodeSearchURL      = "search_url"      // the key, the Code of a SearchURLError, the address
	CodeMapping        = "mapping"         // the key, which must map names to keys
	CodeKeys           = "keys"            // the name, then the Code of a chord.SyntaxError, its Input and Args
	CodeCommand        = "command"         // the phrase, whose map is not just an action
	CodeAction         = "action"          // the phrase, what is not the name of an action
	// The phrase, the action, whose it is not (an application, a kind or any), and
	// the nearest action if there is one.
	CodeUnknownAction = "unknown_action"
	CodeUnreadable    = "unreadable"   // what the system says
	CodeReserved      = "reserved"     // the name of the file
	CodeDesktopFile   = "desktop_file" // what is wrong with it, in English
	CodeData          = "data"         // what is wrong with a file of words, in English
)

// messages are the sentences of the codes, each a format of the Problem's Args.
var messages = map[string]string{
	CodeTooLarge:       i18n.Mark("The file is larger than 1 MiB"),
	CodeEncoding:       i18n.Mark("The file is not UTF-8; save it in that encoding"),
	CodeSyntax:         i18n.Mark("This is not valid YAML: %s"),
	CodeTab:            i18n.Mark("The line starts with a tab; indent with spaces"),
	CodeSecondDocument: i18n.Mark("There is a second document; write one profile per file"),
	CodeNoMapping:      i18n.Mark("A profile is a list of “key: value” lines, such as “id: firefox”"),
	CodeNoID:           i18n.Mark("The id is missing; write the application’s id, such as “id: firefox”"),
	CodeEmptyID:        i18n.Mark("The id is empty; write the application’s id, such as “id: firefox”"),
	CodeTwoIDs:         i18n.Mark("The id is “%[1]s” here but “%[2]s” above; keep one"),
	CodeProfiles:       i18n.Mark("“profiles” maps ids to profiles"),
	CodeBesideProfiles: i18n.Mark("“%s” next to “profiles” is ignored"),
	CodeKey:            i18n.Mark("A key must be a single word or a string"),
	CodeAnchor:         i18n.Mark("“%s” uses a YAML alias; write the value out"),
	CodeTwice:          i18n.Mark("“%[1]s” appears twice, first in line %[2]s; keep one"),
	CodeUnknownKey:     i18n.Mark("“%s” is unknown and ignored"),
	CodeNotEverywhere:  i18n.Mark("“%s” cannot be set for all applications"),
	CodeText:           i18n.Mark("“%s” must be a string, not a list or map"),
	CodeTexts:          i18n.Mark("“%s” must be a list of strings, such as [one, two]"),
	CodeQuotes:         i18n.Mark("“%s” contains quotes; write a list, such as [program, \"an argument\"]"),
	CodeNoProgram:      i18n.Mark("“%s” does not name a program"),
	CodeBoolean:        i18n.Mark("“%[1]s” is “%[2]s”; write true or false"),
	CodeKind:           i18n.Mark("“%[1]s” is “%[2]s”; write one of %[3]s"),
	CodeSearchURL:      i18n.Mark("%[1]s: %[2]s"),
	CodeMapping:        i18n.Mark("“%s” maps names to key combinations, such as “new_tab: ctrl+t”"),
	CodeKeys:           i18n.Mark("%[1]s: %[2]s"),
	CodeCommand:        i18n.Mark("“%s” needs keys or the name of an action"),
	CodeAction: i18n.Mark("“%[1]s” means “%[2]s”, which is not the name of an action; " +
		"use letters, digits and underscores"),
	CodeUnknownAction: i18n.Mark("“%[1]s” means “%[2]s”, which is not an action of %[3]s"),
	CodeUnreadable:    i18n.Mark("The file cannot be read: %s"),
	CodeReserved:      i18n.Mark("The name %s is reserved and the file is ignored"),
	CodeDesktopFile:   i18n.Mark("An application’s desktop file has an error: %s"),
	CodeData:          i18n.Mark("A word file has an error: %s"),
}

// Codes are all codes, sorted.
var Codes = slices.Sorted(maps.Keys(messages))

// Text says what is wrong and what to write. It is not ok where the Code is
// unknown: then there is the Message only.
func (p Problem) Text() (text i18n.Message, ok bool) {
	text.English, ok = messages[p.Code]
	arg := func(i int) string {
		if i < len(p.Args) {
			return p.Args[i]
		}
		return ""
	}
	switch p.Code {
	case CodeSearchURL:
		text.Args = []any{arg(0), (&SearchURLError{Code: arg(1), URL: arg(2)}).Text()}
		return text, true
	case CodeKeys:
		e := chord.SyntaxError{Code: chord.Code(arg(1)), Input: arg(2), Word: arg(3)}
		text.Args = []any{arg(0), e.Text()}
		return text, true
	}
	named := strings.Count(text.English, "%")
	for i := range named {
		text.Args = append(text.Args, arg(i))
	}
	if p.Code == CodeUnknownKey || p.Code == CodeUnknownAction {
		text.Near = arg(named)
	}
	return text, ok
}

func newProblem(o Origin, s Severity, code string, args ...string) Problem {
	p := Problem{Origin: o, Severity: s, Code: code, Args: args}
	text, _ := p.Text()
	p.Message = text.Plain()
	return p
}
