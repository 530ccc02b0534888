package i18n

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"utter/shared/visible"
)

// A Message is a sentence that stands once: the settings app translates it, and
// terminals, logs and other programs read Plain.
type Message struct {
	English string // marked; a format of Args
	Args    []any  // strings and Messages
	Near    string // a known word that may have been meant, or ""
}

var straight = strings.NewReplacer("“", `"`, "”", `"`, "’", "'")

// Plain writes m as the text of an error: in English, beginning small, with
// straight quotes, and with nothing invisible in what it quotes.
func (m Message) Plain() string {
	text := straight.Replace(m.English)
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToLower(first)) + text[size:]
	if strings.Contains(text, "%") {
		args := make([]any, len(m.Args))
		for i, a := range m.Args {
			if nested, ok := a.(Message); ok {
				args[i] = nested.Plain()
			} else {
				args[i] = visible.Text(fmt.Sprint(a))
			}
		}
		text = fmt.Sprintf(text, args...)
	}
	if m.Near != "" {
		text += fmt.Sprintf("; did you mean %q?", m.Near)
	}
	return text
}
