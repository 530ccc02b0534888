package utterance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"utter/data"
)

// A Language holds the words of one language that carry no command of their
// own. It is safe for concurrent use.
type Language struct {
	openers  [][]string // what may be before a command, longest first
	closers  []string   // what may be behind it, longest first, with a space before each
	articles map[string]bool
	yes, no  map[string]bool // answers to a question
	stop     map[string]bool // what ends what is going on
	numbers  map[string]int
	ordinals map[string]int
	ends     []string // of ordinals in digits
}

// Read returns the language of a built-in file.
func Read(name string) (*Language, error) {
	raw, err := data.FS.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("language: %w", err)
	}
	return parseLanguage(raw)
}

func parseLanguage(raw []byte) (*Language, error) {
	var file struct {
		Wake, Fillers, Openers, Closers, Articles []string
		Yes, No, Stop                             []string
		Numbers, Ordinals                         map[string]int
		OrdinalEnds                               []string `json:"ordinal_ends"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("language: %w", err)
	}
	l := &Language{numbers: file.Numbers, ordinals: file.Ordinals, ends: file.OrdinalEnds, articles: map[string]bool{}}
	l.openers = phrases(file.Wake, file.Fillers, file.Openers)
	for _, words := range phrases(file.Closers) {
		l.closers = append(l.closers, " "+strings.Join(words, " "))
	}
	for _, a := range file.Articles {
		l.articles[a] = true
	}
	l.yes, l.no, l.stop = set(file.Yes), set(file.No), set(file.Stop)
	return l, nil
}

func set(words []string) map[string]bool {
	s := map[string]bool{}
	for _, w := range words {
		s[w] = true
	}
	return s
}

// IsYes reports whether t, in normal form, says yes to a question.
func (l *Language) IsYes(t string) bool { return l.yes[t] }

// IsNo reports whether t, in normal form, says no to a question.
func (l *Language) IsNo(t string) bool { return l.no[t] }

// IsStop reports whether t, in normal form, asks to end what is going on.
func (l *Language) IsStop(t string) bool { return l.stop[t] }

func phrases(lists ...[]string) [][]string {
	var all [][]string
	for _, list := range lists {
		for _, p := range list {
			all = append(all, strings.Fields(p))
		}
	}
	slices.SortStableFunc(all, func(a, b []string) int { return len(b) - len(a) })
	return all
}

// leading counts the words at the front that are not a command. It is 0 where
// nothing else would be left.
func (l *Language) leading(words []Word) int {
	n := 0
again:
	for _, p := range l.openers {
		if hasPrefix(words[n:], p) {
			n += len(p)
			if n == len(words) {
				return 0
			}
			goto again
		}
	}
	return n
}

func hasPrefix(words []Word, phrase []string) bool {
	if len(words) < len(phrase) {
		return false
	}
	for i, p := range phrase {
		if words[i].Text != p {
			return false
		}
	}
	return true
}

// trimClosers cuts closing words off a text in normal form, unless they are all
// of it.
func (l *Language) trimClosers(t string) string {
again:
	for _, p := range l.closers {
		if rest, ok := strings.CutSuffix(t, p); ok && rest != "" {
			t = rest
			goto again
		}
	}
	return t
}

// IsArticle reports whether t is an article and nothing else.
func (l *Language) IsArticle(t string) bool { return l.articles[t] }

// TrimArticles removes articles from the front of t, unless they are all of it.
func (l *Language) TrimArticles(t string) string {
	for {
		first, rest, ok := strings.Cut(t, " ")
		if !ok || !l.articles[first] {
			return t
		}
		t = rest
	}
}

// Number reads a number in digits or words ("3", "three", "twenty one"), all of
// t. Use it only where a number is expected: "for" is 4 here.
func (l *Language) Number(t string) (int, bool) {
	if n, err := strconv.Atoi(t); err == nil {
		return n, n >= 0
	}
	total := 0
	words := strings.Fields(t)
	if len(words) == 0 || len(words) > 4 {
		return 0, false
	}
	for i, w := range words {
		n, ok := l.numbers[w]
		switch {
		case !ok:
			return 0, false
		case n == 100 && total > 0:
			total *= 100
		case i > 0 && (total%10 != 0 || n > 9 && total%100 != 0):
			return 0, false // "three four"
		default:
			total += n
		}
	}
	return total, true
}

// NumberWord returns the number that a single word stands for.
func (l *Language) NumberWord(word string) (int, bool) {
	n, ok := l.numbers[word]
	return n, ok
}

// OrdinalWord returns the word for the n-th, or "" where there is none.
func (l *Language) OrdinalWord(n int) string {
	for word, i := range l.ordinals {
		if i == n {
			return word
		}
	}
	return ""
}

// Ordinal reads "3rd" or "third", all of t.
func (l *Language) Ordinal(t string) (int, bool) {
	if n, ok := l.ordinals[t]; ok {
		return n, true
	}
	for _, end := range l.ends {
		if digits, ok := strings.CutSuffix(t, end); ok {
			n, err := strconv.Atoi(digits)
			return n, err == nil && n > 0
		}
	}
	return 0, false
}
