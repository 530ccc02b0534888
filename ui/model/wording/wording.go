// Package wording puts what other parts say by codes into the user's language.
package wording

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"utter/shared/chord"
	"utter/shared/config"
	"utter/shared/profile"
	"utter/ui/model/cases"
	"utter/ui/model/tr"
)

// ErrUnread means that something cannot be done before the applications can be
// read.
var ErrUnread = errors.New("the applications could not be read")

// arg returns argument i of a code, "" where it has none.
func arg(args []string, i int) string {
	if i < len(args) {
		return args[i]
	}
	return ""
}

// with adds a hint where there is a nearest known word.
func with(text, near string) string {
	if near == "" {
		return text
	}
	// Translators: %[1]s says what is wrong, %[2]s is a word that may have been meant.
	return tr.T("%[1]s. Did you mean “%[2]s”?", text, near)
}

// Chord says why a text is no key combination; "" for no error.
func Chord(err error) string {
	var e *chord.SyntaxError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &e):
		return err.Error()
	}
	return combination(string(e.Code), e.Input, e.Args())
}

func combination(code, input string, args []string) string {
	word, near := arg(args, 0), arg(args, 1)
	switch chord.Code(code) {
	case chord.Empty:
		return tr.T("Write a key combination, such as ctrl+t")
	case chord.NoKey:
		return tr.T("“%s” contains only modifiers", input)
	case chord.UnknownModifier:
		return with(tr.T("“%s” is not a modifier", word), near)
	case chord.RepeatedModifier:
		return tr.T("“%s” appears twice", word)
	case chord.UnknownKey:
		return with(tr.T("“%s” is not a key", word), near)
	case chord.UnprintableKey:
		return tr.T("Invisible characters cannot be used as keys")
	case chord.NotText:
		return tr.T("This is too long for a key combination")
	}
	return tr.T("“%s” is not a key combination", input)
}

// SearchURL says what is wrong with a search address; "" for no error.
func SearchURL(err error) string {
	var e *profile.SearchURLError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return address(e.Code)
	}
	return err.Error()
}

func address(code string) string {
	if code == profile.NoScheme {
		return tr.T("An address must begin with https:// or http://")
	}
	return tr.T("Write {q} where the search words belong")
}

// Outcome is an outcome in words.
func Outcome(outcome string) string {
	switch outcome {
	case "completed":
		return tr.T("Done")
	case "refused":
		return tr.T("Not done")
	case "failed":
		return tr.T("It did not work")
	}
	return tr.T("It is unknown whether it worked")
}

// Place is where something stands: "file.yaml, line 3, column 7".
func Place(o profile.Origin) string {
	name := filepath.Base(o.File)
	switch {
	case o.Line == 0:
		return name
	case o.Column == 0:
		return tr.T("%[1]s, line %[2]d", name, o.Line)
	}
	return tr.T("%[1]s, line %[2]d, column %[3]d", name, o.Line, o.Column)
}

// Problem says what is wrong in a file and what to write.
func Problem(p profile.Problem) string {
	a := func(i int) string { return arg(p.Args, i) }
	switch p.Code {
	case profile.CodeTooLarge:
		return tr.T("The file is larger than 1 MiB")
	case profile.CodeEncoding:
		return tr.T("The file is not UTF-8; save it in that encoding")
	case profile.CodeSyntax:
		return tr.T("This is not valid YAML: %s", a(0))
	case profile.CodeTab:
		return tr.T("The line starts with a tab; indent with spaces")
	case profile.CodeSecondDocument:
		return tr.T("There is a second document; write one profile per file")
	case profile.CodeNoMapping:
		return tr.T("A profile is a list of “key: value” lines, such as “id: firefox”")
	case profile.CodeNoID:
		return tr.T("The id is missing; write the application’s id, such as “id: firefox”")
	case profile.CodeEmptyID:
		return tr.T("The id is empty; write the application’s id, such as “id: firefox”")
	case profile.CodeTwoIDs:
		return tr.T("The id is “%[1]s” here but “%[2]s” above; keep one", a(0), a(1))
	case profile.CodeProfiles:
		return tr.T("“profiles” maps ids to profiles")
	case profile.CodeBesideProfiles:
		return tr.T("“%s” next to “profiles” is ignored", a(0))
	case profile.CodeKey:
		return tr.T("A key must be a single word or a string")
	case profile.CodeAnchor:
		return tr.T("“%s” uses a YAML alias; write the value out", a(0))
	case profile.CodeTwice:
		return tr.T("“%[1]s” appears twice, first in line %[2]s; keep one", a(0), a(1))
	case profile.CodeUnknownKey:
		return with(tr.T("“%s” is unknown and ignored", a(0)), a(1))
	case profile.CodeNotEverywhere:
		return tr.T("“%s” cannot be set for all applications", a(0))
	case profile.CodeText:
		return tr.T("“%s” must be a string, not a list or map", a(0))
	case profile.CodeTexts:
		return tr.T("“%s” must be a list of strings, such as [one, two]", a(0))
	case profile.CodeQuotes:
		return tr.T("“%s” contains quotes; write a list, such as [program, \"an argument\"]", a(0))
	case profile.CodeNoProgram:
		return tr.T("“%s” does not name a program", a(0))
	case profile.CodeBoolean:
		return tr.T("“%[1]s” is “%[2]s”; write true or false", a(0), a(1))
	case profile.CodeKind:
		return tr.T("“%[1]s” is “%[2]s”; write one of %[3]s", a(0), a(1), a(2))
	case profile.CodeSearchURL:
		return tr.T("%[1]s: %[2]s", a(0), address(a(1)))
	case profile.CodeMapping:
		return tr.T("“%s” maps names to key combinations, such as “new_tab: ctrl+t”", a(0))
	case profile.CodeKeys:
		return tr.T("%[1]s: %[2]s", a(0), combination(a(1), a(2), p.Args[min(3, len(p.Args)):]))
	case profile.CodeCommand:
		return tr.T("“%s” needs keys or the name of an action", a(0))
	case profile.CodeAction:
		return tr.T("“%[1]s” means “%[2]s”, which is not the name of an action; use letters, digits and underscores", a(0), a(1))
	case profile.CodeUnknownAction:
		return with(tr.T("“%[1]s” means “%[2]s”, which %[3]s does not have", a(0), a(1), a(2)), a(3))
	case profile.CodeUnreadable:
		return tr.T("The file cannot be read: %s", a(0))
	case profile.CodeReserved:
		return tr.T("The name %s is reserved and the file is ignored", a(0))
	case profile.CodeDesktopFile:
		return tr.T("An application’s desktop file has an error: %s", a(0))
	case profile.CodeData:
		return tr.T("A word file has an error: %s", a(0))
	}
	return p.Message
}

// Kind is what a kind of application is called.
func Kind(k profile.Kind) string {
	switch k {
	case profile.Browser:
		return tr.T("Browser")
	case profile.Terminal:
		return tr.T("Terminal")
	case profile.FileManager:
		return tr.T("File manager")
	case profile.Editor:
		return tr.T("Editor")
	case profile.MediaPlayer:
		return tr.T("Media player")
	case profile.Game:
		return tr.T("Game")
	case profile.Office:
		return tr.T("Office")
	case profile.Utility:
		return tr.T("Utility")
	}
	return tr.T("Other")
}

// Error is why something went wrong, as far as it has words of its own.
func Error(err error) string {
	switch {
	case errors.Is(err, ErrUnread):
		return tr.T("The applications could not be read, so nothing can be changed yet.")
	case errors.Is(err, profile.ErrBroken), errors.Is(err, config.ErrBroken):
		return tr.T("The file has an error. Fix it first, or move it away.")
	case errors.Is(err, profile.ErrRefused), errors.Is(err, config.ErrRefused):
		return tr.T("This change would make the file invalid.")
	case errors.Is(err, profile.ErrForm), errors.Is(err, config.ErrForm):
		return tr.T("The file is written in a form that cannot be changed here. Change it in a text editor.")
	case errors.Is(err, config.ErrNoPlugin):
		return tr.T("The file no longer contains this plugin.")
	case errors.Is(err, cases.ErrOther):
		return tr.T("The file is not a test file. It was not changed.")
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return tr.T("The disk is full.")
	case errors.Is(err, syscall.ENOTDIR):
		return tr.T("There is a file where a folder should be.")
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return tr.T("The file or its folder is not writable.")
	}
	return tr.T("The file could not be written.")
}

// Unreadable says why a configuration file does not count.
func Unreadable(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return tr.T("The file cannot be read: permission denied.")
	}
	return Error(config.ErrBroken)
}

// Choice is one of several things that a name can mean. origin tells where it
// comes from: "FILE:LINE (layer)".
func Choice(label, origin string) string {
	from := origin
	if i := strings.LastIndex(origin, " ("); i >= 0 {
		switch from = filepath.Base(withoutLine(origin[:i])); strings.Trim(origin[i:], " ()") {
		case profile.Curated.String():
			from = tr.T("Built-in")
		case profile.Catalogue.String():
			from = tr.T("Found on this computer")
		}
	}
	if from == "" {
		return label
	}
	// Translators: %[1]s is an application, %[2]s where its entry comes from: a file, or "Built-in".
	return tr.T("%[1]s (%[2]s)", label, from)
}

// withoutLine takes the number of a line from behind a file's name.
func withoutLine(place string) string {
	if i := strings.LastIndex(place, ":"); i >= 0 {
		if _, err := strconv.Atoi(place[i+1:]); err == nil {
			return place[:i]
		}
	}
	return place
}

// Aliases says what is unwise about names.
func Aliases(findings []profile.Finding) []string {
	var all []string
	for _, f := range findings {
		switch f.Code {
		case profile.NameTaken:
			all = append(all, tr.T("“%[1]s” is also a name of %[2]s", f.Subject, f.Other))
		case profile.GenericWord:
			all = append(all, tr.T("“%s” is too general to identify one application", f.Subject))
		case profile.BuiltInPhrase:
			all = append(all, tr.T("“%s” already means something else", f.Subject))
		}
	}
	return all
}
