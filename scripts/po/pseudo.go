package main

import (
	"os"
	"path/filepath"
	"strings"
)

const pseudoLanguage = "en_XA"

// pseudo writes the catalogue of the pseudo-language below dir.
func (p project) pseudo(dir string) error {
	all, err := p.extract()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "utter-po")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	po := filepath.Join(work, pseudoLanguage+".po")
	if err := os.WriteFile(po, []byte(pseudoCatalogue(all)), 0o644); err != nil {
		return err
	}
	return p.msgfmt(po, dir, pseudoLanguage)
}

func pseudoCatalogue(all catalogue) string {
	var b strings.Builder
	b.WriteString(`msgid ""
msgstr ""
"Project-Id-Version: utter\n"
"Language: en_XA\n"
"Language-Team: none\n"
"Last-Translator: none\n"
"PO-Revision-Date: 2026-01-01 00:00+0000\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"
`)
	for _, m := range all.sorted() {
		m.texts = []string{stretch(m.id)}
		if m.plural != "" {
			m.texts = append(m.texts, stretch(m.plural))
		}
		m.write(&b)
	}
	return b.String()
}

// stretch makes a text of the pseudo-language: it can still be read, every
// letter has an accent, brackets show where it is cut off, and vowels are
// doubled, which makes it as long as a long language. Its fixed parts stay.
func stretch(text string) string {
	var b strings.Builder
	at := 0
	for _, span := range fixedPart.FindAllStringIndex(text, -1) {
		b.WriteString(accents.Replace(text[at:span[0]]) + text[span[0]:span[1]])
		at = span[1]
	}
	b.WriteString(accents.Replace(text[at:]))
	body := b.String()
	end := len(strings.TrimRight(body, "\n")) // msgfmt wants both texts to end alike
	return "[" + body[:end] + "]" + body[end:]
}

var accents = strings.NewReplacer(
	"a", "åå", "b", "ƀ", "c", "ç", "d", "ð", "e", "éé", "f", "ƒ", "g", "ĝ", "h", "ĥ", "i", "îî", "j", "ĵ",
	"k", "ķ", "l", "ļ", "m", "ɱ",
	"n", "ñ", "o", "öö", "p", "þ", "q", "ɋ", "r", "ŕ", "s", "š", "t", "ţ", "u", "ûû", "v", "ṽ", "w", "ŵ",
	"x", "ẋ", "y", "ýý", "z", "ž",
	"A", "ÅÅ", "B", "Ɓ", "C", "Ç", "D", "Ð", "E", "ÉÉ", "F", "Ƒ", "G", "Ĝ", "H", "Ĥ", "I", "ÎÎ", "J", "Ĵ",
	"K", "Ķ", "L", "Ļ", "M", "Ṁ",
	"N", "Ñ", "O", "ÖÖ", "P", "Þ", "Q", "Ɋ", "R", "Ŕ", "S", "Š", "T", "Ţ", "U", "ÛÛ", "V", "Ṽ", "W", "Ŵ",
	"X", "Ẋ", "Y", "ÝÝ", "Z", "Ž",
)
