// Package wording turns codes of other packages into sentences in the user's language.
package wording

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"utter/shared/config"
	"utter/shared/i18n"
	"utter/shared/profile"
	"utter/ui/model/cases"
	"utter/ui/model/tr"
)

// ErrUnread means that something cannot be done before the applications can be
// read.
var ErrUnread = errors.New("the applications could not be read")

// Message puts a sentence into the user's language, with a hint where a known
// word may have been meant.
func Message(m i18n.Message) string {
	args := slices.Clone(m.Args)
	for i, a := range args {
		if nested, ok := a.(i18n.Message); ok {
			args[i] = Message(nested)
		}
	}
	text := tr.T(m.English, args...)
	if m.Near == "" {
		return text
	}
	// Translators: %[1]s says what is wrong, %[2]s is a word that may have been meant.
	return tr.T("%[1]s. Did you mean “%[2]s”?", text, m.Near)
}

// Mistake says what is wrong with keys or a search address; "" for no error.
func Mistake(err error) string {
	var e interface{ Text() i18n.Message }
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return Message(e.Text())
	}
	return err.Error()
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

// Place is where something is: "file.yaml, line 3, column 7".
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
	if text, ok := p.Text(); ok {
		return Message(text)
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

// Findings says what is unwise.
func Findings(findings []profile.Finding) []string {
	var all []string
	for _, f := range findings {
		all = append(all, Message(f.Text()))
	}
	return all
}
