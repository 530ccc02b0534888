package desktopentry

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Argv returns the command line of e with its field codes expanded for the
// given files or addresses. It is a list for exec, never for a shell.
func (e Entry) Argv(targets ...string) ([]string, error) { return e.expand(e.Exec, targets) }

// ActionArgv is Argv for one of e's actions.
func (e Entry) ActionArgv(a Action, targets ...string) ([]string, error) {
	return e.expand(a.Exec, targets)
}

func (e Entry) expand(exec string, targets []string) ([]string, error) {
	words, err := splitExec(exec)
	if err != nil {
		return nil, err
	}
	var argv []string
	for _, w := range words {
		args, err := e.expandWord(w, targets)
		if err != nil {
			return nil, err
		}
		argv = append(argv, args...)
	}
	if len(argv) == 0 || argv[0] == "" {
		return nil, errors.New("does not name a program")
	}
	return e.meant(argv), nil
}

// meant reads what desktop files write as for a shell where only one thing can be
// meant: settings before the program, and the home folder in its path. A program
// with a relative path is looked up in the working folder first.
func (e Entry) meant(argv []string) []string {
	if len(argv) > 1 && isSetting(argv[0]) {
		return append([]string{"env"}, argv...)
	}
	for _, home := range []string{"$HOME/", "${HOME}/", "~/"} {
		if rest, ok := strings.CutPrefix(argv[0], home); ok {
			argv[0] = filepath.Join(os.Getenv("HOME"), rest)
		}
	}
	if e.WorkDir != "" && strings.Contains(argv[0], "/") && !filepath.IsAbs(argv[0]) {
		argv[0] = filepath.Join(e.WorkDir, argv[0])
	}
	return argv
}

// expandWord expands the field codes of one word, once and from left to right.
func (e Entry) expandWord(w string, targets []string) ([]string, error) {
	switch w {
	case "%F", "%U":
		return targets, nil
	case "%f", "%u":
		return targets[:min(1, len(targets))], nil
	case "%i":
		if e.Icon == "" {
			return nil, nil
		}
		return []string{"--icon", e.Icon}, nil
	case "%d", "%D", "%n", "%N", "%v", "%m": // deprecated: removed
		return nil, nil
	case "@@", "@@u", "@@f": // flatpak's marks round forwarded files
		if len(targets) == 0 {
			return nil, nil
		}
	}
	var b strings.Builder
	for {
		before, code, ok := strings.Cut(w, "%")
		b.WriteString(before)
		if !ok {
			return []string{b.String()}, nil
		}
		if code == "" {
			return nil, errors.New(`ends in a single "%"; write "%%"`)
		}
		switch code[0] {
		case '%':
			b.WriteByte('%')
		case 'f', 'F', 'u', 'U':
			if len(targets) > 0 {
				b.WriteString(targets[0])
			}
		case 'c':
			b.WriteString(e.LocalName)
		case 'k':
			b.WriteString(e.Path)
		case 'i':
			b.WriteString(e.Icon)
		case 'd', 'D', 'n', 'N', 'v', 'm':
		default:
			return nil, fmt.Errorf("has the unknown field code %q", "%"+code[:1])
		}
		w = code[1:]
	}
}

// TakesURLs reports whether e's command line has a place for addresses.
func (e Entry) TakesURLs() bool {
	return strings.Contains(e.Exec, "%u") || strings.Contains(e.Exec, "%U")
}

// splitExec splits at white space. Double quotes quote; inside them a backslash
// protects ", `, $ and itself, outside any character, as GLib reads it. Single
// quotes are characters, except in a line that begins with one: its program can
// only be meant to be quoted.
func splitExec(s string) ([]string, error) {
	var words []string
	var b strings.Builder
	inWord, quoted := false, false
	single := strings.HasPrefix(strings.TrimSpace(s), "'")
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case single && !quoted && c == '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				return nil, errors.New("has an unmatched single quote")
			}
			b.WriteString(s[i+1 : i+1+end])
			i += end + 1
			inWord = true
		case !quoted && c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
			inWord = true
		case quoted && c == '\\' && i+1 < len(s) && strings.IndexByte("\"`$\\", s[i+1]) >= 0:
			i++
			b.WriteByte(s[i])
		case c == '"':
			quoted, inWord = !quoted, true
		case !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			if inWord {
				words = append(words, b.String())
				b.Reset()
				inWord = false
			}
		default:
			b.WriteByte(c)
			inWord = true
		}
	}
	if quoted {
		return nil, errors.New("has an unmatched double quote")
	}
	if inWord {
		words = append(words, b.String())
	}
	return words, nil
}

// Hints says what about e's command line works here but not everywhere.
func (e Entry) Hints() []string {
	var hints []string
	if strings.Contains(e.Exec, "'") {
		hints = append(hints, "Exec: single quotes do not quote in a desktop file; it is not portable")
	}
	if strings.ContainsAny(e.Exec, "&;|<>`") {
		hints = append(hints, "Exec: no shell reads this line; & ; | < > ` are passed on as they are")
	}
	return hints
}

// unescape resolves the escapes of string values.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if r, ok := escapes[s[i+1]]; ok {
				b.WriteByte(r)
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

var escapes = map[byte]byte{'s': ' ', 'n': '\n', 't': '\t', 'r': '\r', '\\': '\\'}

// splitList splits a list value at its semicolons, of which `\;` is none.
func splitList(s string) []string {
	if s == "" {
		return nil
	}
	var items []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			items = append(items, unescape(b.String()))
		}
		b.Reset()
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == ';':
			b.WriteByte(';')
			i++
		case s[i] == '\\' && i+1 < len(s):
			b.WriteByte(s[i])
			i++
			b.WriteByte(s[i])
		case s[i] == ';':
			flush()
		default:
			b.WriteByte(s[i])
		}
	}
	flush()
	return items
}

// unquoteWhole removes one pair of double quotes round s.
func unquoteWhole(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}
