package apps

import (
	"errors"
	"net/url"
	"strings"
	"unicode"

	"utter/agent/internal/compositor"
	"utter/shared/profile"
)

// matcher returns a test for windows that show an address: the window that it
// was opened in, with the title that it had then, or one whose title has the
// words of the site in it.
func (r *Resolver) matcher(address, site string) (func(compositor.Window) bool, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("the address " + address + " has no host")
	}
	// The name of a site tells its front page, not every page.
	var words []string
	if strings.Trim(u.Path, "/") == "" && u.RawQuery == "" {
		words = r.sites(strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."))
		if words == nil && len(site) >= 3 && site != "localhost" {
			words = []string{site}
		}
	}
	r.mu.Lock()
	known, remembered := r.pages[address]
	r.mu.Unlock()
	return func(w compositor.Window) bool {
		if remembered && w.ID == known.window && w.Title == known.title {
			return true
		}
		title := withoutBrowser(w.Title, r.AppOf(w))
		for _, word := range words {
			if isSegment(title, word) {
				return true
			}
		}
		return false
	}, nil
}

// isSegment reports whether words are the first or the last part of a page's
// title, where sites put their names: "Cats - YouTube", "GitHub · Where software
// is built". Within a part they may be anything: "Amazon rainforest - Wikipedia".
func isSegment(title, words string) bool {
	title, words = strings.ToLower(title), strings.ToLower(words)
	if strings.HasPrefix(words, "/") { // "Home / X"
		return strings.HasSuffix(title, words)
	}
	for _, dash := range []string{" — ", " – ", " | ", " · ", " • "} {
		title = strings.ReplaceAll(title, dash, " - ")
	}
	parts := strings.Split(title, " - ")
	for _, part := range []string{parts[0], parts[len(parts)-1]} {
		part = strings.TrimSpace(part)
		if count, rest, ok := strings.Cut(part, ") "); ok && strings.Trim(count, "(0123456789+") == "" {
			part = rest // "(3) YouTube"
		}
		if words != "" && (part == words || strings.TrimSuffix(part, ".com") == words) {
			return true
		}
	}
	return false
}

// withoutBrowser removes the browser's own name behind a page's title. A title
// that is all the browser's, or of no browser, tells no page.
func withoutBrowser(title string, browser *profile.Profile) string {
	page, name := "", title
	for _, dash := range []string{" — ", " – ", " - "} {
		if i := strings.LastIndex(title, dash); i >= len(page) && i >= 0 {
			page, name = title[:i], title[i+len(dash):]
		}
	}
	if browser == nil {
		return ""
	}
	for word := range strings.FieldsFuncSeq(browser.ID+" "+browser.Name, func(c rune) bool { return !isLetter(c) }) {
		if len(word) >= 3 && !strings.EqualFold(word, "web") && !strings.EqualFold(word, "browser") && hasWords(name, word) {
			return page
		}
	}
	return title
}

// hasWords reports whether words are in title as whole words, in any case.
func hasWords(title, words string) bool {
	title, words = strings.ToLower(title), strings.ToLower(words)
	if words == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(title[from:], words)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(words)
		if !letterBefore(title, i) && !letterAt(title, end) {
			return true
		}
		from = i + 1
	}
}

func letterBefore(s string, i int) bool {
	runes := []rune(s[:i])
	return len(runes) > 0 && isLetter(runes[len(runes)-1])
}

func letterAt(s string, i int) bool {
	for _, r := range s[i:] {
		return isLetter(r)
	}
	return false
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
