package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A key is what tells messages apart.
type key struct{ context, id string }

// A message is one entry of a catalogue.
type message struct {
	key
	plural   string   // "" if it has one form only
	texts    []string // the translation, a form each; none in a template
	comments []string // for translators
	files    []string // where it is
	fuzzy    bool
}

// A catalogue is a set of messages.
type catalogue map[key]*message

// add puts m into c, joined with what is there already of the same text.
func (c catalogue) add(m message) error {
	have, ok := c[m.key]
	if !ok {
		c[m.key] = &m
		return nil
	}
	if have.plural != "" && m.plural != "" && have.plural != m.plural {
		return fmt.Errorf("%q has two plurals: %q and %q", m.id, have.plural, m.plural)
	}
	have.plural = cmp.Or(have.plural, m.plural)
	have.comments = union(have.comments, m.comments)
	have.files = union(have.files, m.files)
	return nil
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// sorted returns the messages in the order of the files they are in, the
// header first.
func (c catalogue) sorted() []*message {
	var all []*message
	for _, m := range c {
		slices.Sort(m.files)
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *message) int {
		return cmp.Or(slices.Compare(a.files, b.files), cmp.Compare(a.id, b.id), cmp.Compare(a.context, b.context))
	})
	return all
}

// template writes c as a .pot.
func (c catalogue) template() string {
	var b strings.Builder
	b.WriteString(`# Texts of Utter's settings app. Made by "go run ./scripts/po update".
#, fuzzy
msgid ""
msgstr ""
"Project-Id-Version: utter\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\n"
`)
	for _, m := range c.sorted() {
		m.write(&b)
	}
	return b.String()
}

func (m *message) write(b *strings.Builder) {
	b.WriteString("\n")
	for _, comment := range m.comments {
		fmt.Fprintf(b, "#. %s\n", comment)
	}
	for _, file := range m.files {
		fmt.Fprintf(b, "#: %s\n", file)
	}
	if m.context != "" {
		fmt.Fprintf(b, "msgctxt %s\n", quote(m.context))
	}
	fmt.Fprintf(b, "msgid %s\n", quote(m.id))
	texts := m.texts
	if m.plural == "" {
		fmt.Fprintf(b, "msgstr %s\n", quote(append(texts, "")[0]))
		return
	}
	if texts == nil {
		texts = []string{"", ""}
	}
	fmt.Fprintf(b, "msgid_plural %s\n", quote(m.plural))
	for i, text := range texts {
		fmt.Fprintf(b, "msgstr[%d] %s\n", i, quote(text))
	}
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)

func quote(s string) string { return `"` + escapes.Replace(s) + `"` }

// parse reads a .po or .pot. The header is the message with the empty id.
func parse(r io.Reader) (catalogue, error) {
	p := reader{all: catalogue{}}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if err := p.line(strings.TrimSpace(lines.Text())); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	p.end()
	return p.all, lines.Err()
}

// A reader holds the message that is being read.
type reader struct {
	all  catalogue
	m    message
	into *string // what a line that is only a string continues
	any  bool    // whether m has its id
}

func (p *reader) end() {
	if p.any {
		m := p.m
		p.all[m.key] = &m
	}
	p.m, p.into, p.any = message{}, nil, false
}

func (p *reader) line(line string) error {
	switch {
	case line == "":
		p.end()
		return nil
	case strings.HasPrefix(line, "#"):
		p.comment(line)
		return nil
	case strings.HasPrefix(line, `"`):
		return p.text(line)
	}
	keyword, rest, _ := strings.Cut(line, " ")
	switch {
	case keyword == "msgctxt":
		p.into = &p.m.context
	case keyword == "msgid":
		p.into, p.any = &p.m.id, true
	case keyword == "msgid_plural":
		p.into = &p.m.plural
	case strings.HasPrefix(keyword, "msgstr"):
		p.m.texts = append(p.m.texts, "")
		p.into = &p.m.texts[len(p.m.texts)-1]
	default:
		return fmt.Errorf("unknown keyword %q", keyword)
	}
	return p.text(rest)
}

func (p *reader) comment(line string) {
	if p.into != nil {
		p.end() // no blank line between two messages
	}
	switch {
	case strings.HasPrefix(line, "#. "):
		p.m.comments = append(p.m.comments, line[3:])
	case strings.HasPrefix(line, "#: "):
		p.m.files = append(p.m.files, strings.Fields(line[3:])...)
	case strings.HasPrefix(line, "#, "):
		p.m.fuzzy = strings.Contains(line, "fuzzy")
	}
}

func (p *reader) text(quoted string) error {
	text, err := strconv.Unquote(quoted)
	if err != nil || p.into == nil {
		return fmt.Errorf("%s is not a text here", quoted)
	}
	*p.into += text
	return nil
}
