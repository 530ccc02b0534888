package editor

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	shellquote "github.com/kballard/go-shellquote"

	"utter/shared/profile"
	"utter/shared/utterance"
	"utter/ui/model/tr"
	"utter/ui/model/wording"
)

// textOf writes a value of p as the page shows it: lists with commas, command
// lines in the quoting of a shell.
func textOf(p *profile.Profile, field string) string {
	switch field {
	case "name":
		return p.Name
	case "aliases":
		return commaText(p.Aliases)
	case "launch":
		return shellquote.Join(launchOf(p)...)
	case "new_window":
		return shellquote.Join(p.NewWindow...)
	case "search_url":
		return p.SearchURL
	case "app_ids":
		return commaText(p.AppIDs)
	case "mime_types":
		return commaText(p.MimeTypes)
	case "kind":
		return string(p.Kind)
	}
	return ""
}

// launchOf is what starts p: its own command, else its desktop file's.
func launchOf(p *profile.Profile) []string {
	if len(p.Launch) > 0 || p.Entry == nil {
		return p.Launch
	}
	argv, err := p.Entry.Argv()
	if err != nil {
		return nil // then the desktop file is at fault, which is told as a problem
	}
	return argv
}

// valueOf reads what the user wrote, in the form of profile.Change.
func valueOf(field, text string) any {
	text = strings.TrimSpace(text)
	switch field {
	case "aliases", "app_ids", "mime_types":
		return commaList(text)
	case "launch", "new_window":
		argv, _ := shellquote.Split(text) // check has refused what it cannot read
		return slices.Concat([]string{}, argv)
	}
	return text
}

// commaText writes a list with commas. An item that has one itself is in
// quotation marks, and those in it twice.
func commaText(list []string) string {
	items := slices.Clone(list)
	for i, item := range items {
		if strings.Contains(item, ",") || strings.HasPrefix(item, `"`) {
			items[i] = `"` + strings.ReplaceAll(item, `"`, `""`) + `"`
		}
	}
	return strings.Join(items, ", ")
}

// commaList reads a list as commaText writes it.
func commaList(text string) []string {
	list := []string{}
	for text != "" {
		item, rest, ok := quotedItem(text)
		if !ok {
			item, rest, _ = strings.Cut(text, ",")
			item = strings.TrimSpace(item)
		}
		if text = rest; item != "" && !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// quotedItem returns the first item of a list, ok false where it does not stand
// in quotation marks.
func quotedItem(text string) (item, rest string, ok bool) {
	text, ok = strings.CutPrefix(strings.TrimSpace(text), `"`)
	for ok {
		part, after, closed := strings.Cut(text, `"`)
		if item += part; !closed {
			break
		}
		if again, twice := strings.CutPrefix(after, `"`); twice {
			item, text = item+`"`, again
			continue
		}
		after = strings.TrimSpace(after)
		rest, ok = strings.CutPrefix(after, ",")
		return item, rest, ok || after == ""
	}
	return "", "", false
}

// check says why a text cannot be saved, or "".
func check(field, text string) string {
	text = strings.TrimSpace(text)
	switch field {
	case "search_url":
		if text != "" {
			return wording.Mistake(profile.CheckSearchURL(text))
		}
	case "launch", "new_window":
		return checkCommand(text)
	case "name":
		if text == "" {
			return tr.T("Enter a name")
		}
	}
	return ""
}

func checkCommand(text string) string {
	argv, err := shellquote.Split(text)
	switch {
	case errors.Is(err, shellquote.UnterminatedSingleQuoteError), errors.Is(err, shellquote.UnterminatedDoubleQuoteError):
		return tr.T("A quotation mark is not closed")
	case err != nil:
		return tr.T("There is a backslash at the end")
	case len(argv) > 0 && argv[0] == "":
		return tr.T("The name of the program is empty")
	}
	return ""
}

// preview shows what a search would open.
func preview(f Field) string {
	if f.Text == "" || f.Error != "" {
		return ""
	}
	// Translators: the words of an example search.
	words := tr.T("cats")
	address := strings.ReplaceAll(f.Text, "{q}", url.QueryEscape(words))
	// Translators: “search cats” is what is said, the second %s the address that opens.
	return tr.T("“search %s” → %s", words, address)
}

// field returns a field as the page shows it.
func (m *Model) field(name string) Field {
	f := Field{Text: textOf(m.profile(), name), Source: m.source(name), CanReset: m.own(name) != nil}
	if d := m.drafts[name]; d != nil {
		f.Text, f.Error = d.text, check(name, d.text)
	}
	switch name {
	case "aliases":
		f.Notes = append(m.aliasNotes(f.Text), m.newInBuiltIn()...)
	case "launch", "new_window":
		f.Notes = m.launchNotes(name, f)
	}
	return f
}

// aliasNotes says what is unwise about names, as they are written.
func (m *Model) aliasNotes(text string) []string {
	if m.lib == nil || m.drafts["aliases"] == nil && m.own("aliases") == nil {
		return nil // the built-in ones are not the user's to fix
	}
	return wording.Findings(profile.LintAliases(
		m.lib.Index, m.profile(), commaList(text), m.words.IsGeneric, m.words.IsPhrase))
}

// newInBuiltIn names what the built-in names have and the user's list lacks.
func (m *Model) newInBuiltIn() []string {
	own, ok := m.own("aliases").([]string)
	if !ok {
		return nil
	}
	var fresh []string
	for _, a := range m.below.Aliases {
		if !slices.ContainsFunc(own, func(o string) bool { return utterance.Key(o) == utterance.Key(a) }) {
			fresh = append(fresh, a)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return []string{tr.T("Built-in names you replaced: %s", wording.List(fresh))}
}
