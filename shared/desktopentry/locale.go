package desktopentry

import "strings"

// A Locale is the forms of a language that may be behind a key, the most
// fitting first. The zero Locale fits nothing.
type Locale struct{ forms []string }

// NewLocale reads LC_ALL, LC_MESSAGES and LANG, of which the first that is set counts,
// and LANGUAGE, which says the languages instead, unless that locale has none.
func NewLocale(getenv func(string) string) Locale {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		v := getenv(name)
		if v == "" {
			continue
		}
		l := parseLocale(v)
		if languages := getenv("LANGUAGE"); len(l.forms) > 0 && languages != "" {
			l = Locale{}
			for language := range strings.SplitSeq(languages, ":") {
				l.forms = append(l.forms, parseLocale(language).forms...)
			}
		}
		return l
	}
	return Locale{}
}

// parseLocale splits lang_COUNTRY.ENCODING@MODIFIER. The encoding is ignored.
func parseLocale(s string) Locale {
	base, modifier, hasModifier := strings.Cut(s, "@")
	base, _, _ = strings.Cut(base, ".")
	lang, _, hasCountry := strings.Cut(base, "_")
	if lang == "" || lang == "C" || lang == "POSIX" {
		return Locale{}
	}
	var l Locale
	if hasCountry && hasModifier {
		l.forms = append(l.forms, base+"@"+modifier)
	}
	if hasCountry {
		l.forms = append(l.forms, base)
	}
	if hasModifier {
		l.forms = append(l.forms, lang+"@"+modifier)
	}
	l.forms = append(l.forms, lang)
	return l
}

// rank says how well form fits: 0 is best, -1 not at all.
func (l Locale) rank(form string) int {
	for i, f := range l.forms {
		if f == form {
			return i
		}
	}
	return -1
}
