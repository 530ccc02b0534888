package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// check says everything that is wrong with the translations.
func (p project) check() error {
	all, err := p.extract()
	if err != nil {
		return err
	}
	have, err := os.ReadFile(p.path(template))
	if err != nil {
		return err
	}
	var wrong []error
	if string(have) != all.template() {
		wrong = append(wrong,
			fmt.Errorf(`%s is not what the sources say: run "go run ./scripts/po update" and translate what is new`, template))
	}
	languages, err := p.languages()
	if err != nil {
		return err
	}
	for _, language := range languages {
		file := folder + "/" + language + ".po"
		if err := p.checkLanguage(file, all); err != nil {
			wrong = append(wrong, fmt.Errorf("%s:\n%w", file, err))
		}
	}
	return errors.Join(wrong...)
}

// checkLanguage compares a language with what there is to translate.
func (p project) checkLanguage(file string, all catalogue) error {
	_, err := p.tool("msgfmt", "--check", "--output-file=/dev/null", file)
	wrong := []error{err}
	f, err := os.Open(p.path(file))
	if err != nil {
		return err
	}
	defer f.Close()
	translated, err := parse(f)
	if err != nil {
		return err
	}
	for _, m := range all.sorted() {
		wrong = append(wrong, checkMessage(m, translated[m.key]))
	}
	return errors.Join(wrong...)
}

// checkMessage compares a message with its translation, which may be nil.
func checkMessage(m, translated *message) error {
	switch {
	case translated == nil || slices.Contains(translated.texts, "") || len(translated.texts) == 0:
		return fmt.Errorf("%q is not translated", m.id)
	case translated.fuzzy:
		return fmt.Errorf("%q is fuzzy: see whether the translation is still right", m.id)
	}
	for _, text := range translated.texts {
		has := fixed(text)
		if !slices.Equal(has, fixed(m.id)) && (m.plural == "" || !slices.Equal(has, fixed(m.plural))) {
			return fmt.Errorf("%q and %q do not have the same verbs, tags and placeholders", m.id, text)
		}
	}
	return nil
}

// fixedPart matches what no translation may change: verbs of fmt, tags and
// entities of Pango, placeholders as {q}.
var fixedPart = regexp.MustCompile(`%(\[\d+\])?[-+#0]*\d*(\.\d+)?[a-zA-Z%]|</?\w[^>]*>|&\w+;|\{\w+\}`)

// fixed returns the fixed parts of a text in an order of their own. Verbs that
// have a number may change places; those without one are numbered here, so that
// they may not.
func fixed(text string) []string {
	parts := fixedPart.FindAllString(text, -1)
	next := 1
	for i, part := range parts {
		if strings.HasPrefix(part, "%") && part != "%%" && !strings.Contains(part, "[") {
			parts[i] = fmt.Sprintf("%%[%d]%s", next, part[1:])
			next++
		}
	}
	slices.Sort(parts)
	return parts
}
