package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func needGettext(t *testing.T) {
	t.Helper()
	for _, program := range []string{"xgettext", "msgmerge", "msgfmt", "gettext"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed here; run this by ./scripts/dev test", program)
		}
	}
}

// TestTranslationsAreComplete checks the real ones.
func TestTranslationsAreComplete(t *testing.T) {
	needGettext(t)
	p := project{root: "../.."}
	_, others, err := p.sources()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range others { // so that go test sees when they change: xgettext reads them
		if _, err := os.Stat(p.path(name)); err != nil {
			t.Error(err)
		}
	}
	if err := p.check(); err != nil {
		t.Error(err)
	}
}

func fixture(t *testing.T) project {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/project")); err != nil {
		t.Fatal(err)
	}
	return project{root: dir}
}

// TestExtract reads every form of a text out of the fixture.
func TestExtract(t *testing.T) {
	needGettext(t)
	all, err := fixture(t).extract()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/want.pot")
	if err != nil {
		t.Fatal(err)
	}
	if got := all.template(); got != string(want) {
		t.Errorf("the template is\n%s", got)
	}
	again, err := parse(strings.NewReader(all.template()))
	delete(again, key{})
	if err != nil || again.template() != all.template() {
		t.Errorf("%v, read again it is\n%s", err, again.template())
	}
}

func TestTextsThatCannotBeExtracted(t *testing.T) {
	tests := []struct{ call, want string }{
		{`tr.T("fine")`, ""},
		{`tr.T(variable)`, ""},
		{`tr.T()`, ""}, // the compiler says it
		{`tr.T("")`, "x.go:3: tr.T: the text"},
		{`i18n.Mark(variable)`, "x.go:3: i18n.Mark: the text"},
		{`tr.C(variable, "text")`, "x.go:3: tr.C: the context"},
		{`tr.N("one", many+"s", n)`, "x.go:3: tr.N: the plural"},
	}
	for _, tt := range tests {
		_, err := goMessages("x.go",
			[]byte("package x\nimport (\"utter/ui/model/tr\"; \"utter/shared/i18n\")\nvar _ = "+tt.call))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.call, err, tt.want)
		}
	}
}

func TestTwoPluralsOfOneText(t *testing.T) {
	all := catalogue{}
	if err := all.add(message{key: key{id: "%d app"}}); err != nil {
		t.Error(err)
	}
	if err := all.add(message{key: key{id: "%d app"}, plural: "%d apps"}); err != nil {
		t.Error(err)
	}
	if err := all.add(message{key: key{id: "%d app"}, plural: "%d applications"}); err == nil {
		t.Error("two plurals of one text are taken")
	}
}

// TestUpdateCheckAndCompile goes the way of a translator.
func TestUpdateCheckAndCompile(t *testing.T) {
	needGettext(t)
	p := fixture(t)
	write(t, p.path("data/po/LINGUAS"), "de\n")
	german := p.path("data/po/de.po")
	write(t, german, header)
	if err := p.update(); err != nil {
		t.Fatal(err)
	}
	if err := p.check(); err == nil || !strings.Contains(err.Error(), `"Try it" is not translated`) {
		t.Fatalf("check of nothing translated: %v", err)
	}

	write(t, german, header+translations(t, p))
	if err := p.update(); err != nil {
		t.Fatal(err)
	}
	if err := p.check(); err != nil {
		t.Fatalf("check of everything translated: %v", err)
	}
	dir := t.TempDir()
	if err := p.compile(dir); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gettext", "-c", "verb", "utter", "Open")
	if _, err := os.Stat("/usr/lib/locale/de_DE.utf8"); err == nil {
		cmd.Env = append(os.Environ(), "TEXTDOMAINDIR="+dir, "LC_ALL=de_DE.UTF-8", "LANGUAGE=de")
		if out, err := cmd.Output(); err != nil || string(out) != "ÜOpen" {
			t.Errorf("gettext says %q, %v", out, err)
		}
	}

	write(t, p.path("ui/page/more.go"),
		"package page\nimport (\"utter/ui/model/tr\"; \"utter/shared/i18n\")\nvar _ = tr.T(\"Try it now\")\n")
	if err := p.check(); err == nil || !strings.Contains(err.Error(), "is not what the sources say") {
		t.Errorf("check after a new text: %v", err)
	}
	if err := p.update(); err != nil {
		t.Fatal(err)
	}
	if err := p.check(); err == nil || !strings.Contains(err.Error(), `"Try it now"`) ||
		strings.Contains(err.Error(), "sources say") {
		t.Errorf("check of a new text without its translation: %v", err)
	}
}

const header = `msgid ""
msgstr ""
"Project-Id-Version: utter\n"
"PO-Revision-Date: 2026-01-01 00:00+0000\n"
"Last-Translator: none\n"
"Language-Team: none\n"
"Language: de\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"
`

// translations puts "Ü" before every text of p.
func translations(t *testing.T, p project) string {
	t.Helper()
	all, err := p.extract()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range all.sorted() {
		m.texts = []string{"Ü" + m.id}
		if m.plural != "" {
			m.texts = append(m.texts, "Ü"+m.plural)
		}
		m.write(&b)
	}
	return b.String()
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCheckMessage(t *testing.T) {
	tests := []struct {
		id, text string
		ok       bool
	}{
		{"Saved %s", "%s gespeichert", true},
		{"%s in %d files", "In %[2]d Dateien %[1]s", true},
		{"%s in %d files", "In %d Dateien %s", false},
		{"Saved %s", "Gespeichert", false},
		{"Saved %s", "%d gespeichert", false},
		{"Say <b>go</b>", "Sagen Sie <b>los</b>", true},
		{"Say <b>go</b>", "Sagen Sie los", false},
		{"It must contain {q}", "Es muss {q} enthalten", true},
		{"It must contain {q}", "Es muss {f} enthalten", false},
		{"50 % of it", "Die Hälfte", true},
		{"Try it", "", false},
	}
	for _, tt := range tests {
		k := key{id: tt.id}
		err := checkMessage(&message{key: k}, &message{key: k, texts: []string{tt.text}})
		if (err == nil) != tt.ok {
			t.Errorf("%q for %q: %v", tt.text, tt.id, err)
		}
	}
	counted := &message{key: key{id: "One app"}, plural: "%d apps"}
	if err := checkMessage(counted, &message{texts: []string{"Eine App", "%d Apps"}}); err != nil {
		t.Error(err)
	}
	if err := checkMessage(counted, &message{texts: []string{"Eine App", "%d Apps"}, fuzzy: true}); err == nil {
		t.Error("a fuzzy translation is taken")
	}
	if err := checkMessage(counted, nil); err == nil {
		t.Error("no translation is taken")
	}
}

func TestPseudoLanguage(t *testing.T) {
	const text = "Saved %[1]s in <b>%d</b> files of {q} &amp; more\n"
	got := stretch(text)
	if !slices.Equal(fixed(got), fixed(text)) || !strings.HasPrefix(got, "[Šååṽééð") ||
		!strings.HasSuffix(got, "]\n") {
		t.Errorf("stretch(%q) = %q", text, got)
	}
	const sentence = "Everything that works now, for the focused application or for any other one"
	if ratio := float64(utf8.RuneCountInString(stretch(sentence))) / float64(len(sentence)); ratio < 1.35 || ratio > 1.5 {
		t.Errorf("a sentence becomes %.2f times as long", ratio)
	}
	needGettext(t)
	dir := t.TempDir()
	if err := fixture(t).pseudo(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "en_XA/LC_MESSAGES/utter.mo")); err != nil {
		t.Error(err)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"compile"}, {"update", "now"}, {"no"}} {
		var complaint strings.Builder
		if status := run(args, &complaint); status != exitUsage || !strings.Contains(complaint.String(), "usage: ") {
			t.Errorf("%v: status %d, %s", args, status, &complaint)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(header +
		"\n#. A comment\n#: a.go\nmsgctxt \"c\"\nmsgid \"one\\n\"\nmsgid_plural \"many\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parse(strings.NewReader(text))
		if err != nil {
			return
		}
		if _, err := parse(strings.NewReader(all.template())); err != nil {
			t.Errorf("%q cannot be read again: %v", text, err)
		}
	})
}
