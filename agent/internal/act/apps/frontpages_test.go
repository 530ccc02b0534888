package apps

import (
	"testing"

	"utter/shared/phrases"
)

// TestFrontPagesAreFoundByTheirTitles as the sites have them, and pages about a site are
// not.
func TestFrontPagesAreFoundByTheirTitles(t *testing.T) {
	words, err := phrases.English()
	if err != nil {
		t.Fatal(err)
	}
	is := func(title, host string) bool {
		for _, w := range words.SiteTitles(host) {
			if isSegment(title, w) {
				return true
			}
		}
		return false
	}
	for title, host := range map[string]string{
		"Wikipedia, the free encyclopedia":                                     "en.wikipedia.org",
		"Wikipedia – Die freie Enzyklopädie":                                   "de.wikipedia.org",
		"Amazon.com. Spend less. Smile more.":                                  "amazon.com",
		"LinkedIn: Log In or Sign Up":                                          "linkedin.com",
		"Feed | LinkedIn":                                                      "linkedin.com",
		"(3) WhatsApp Web":                                                     "web.whatsapp.com",
		"Gmail: Private and secure email at no cost | Google Workspace":        "mail.google.com",
		"(2) Home / X":                                                         "x.com",
		"Stack Overflow - Where Developers Learn, Share, & Build Careers":      "stackoverflow.com",
		"GitHub · Build and ship software on a single, collaborative platform": "github.com",
		"Netflix - Watch TV Shows Online, Watch Movies Online":                 "netflix.com",
		"Reddit - The heart of the internet":                                   "reddit.com",
		"Spotify - Web Player: Music for everyone":                             "open.spotify.com",
	} {
		if !is(title, host) {
			t.Errorf("%q is not a page of %s", title, host)
		}
	}
	for title, host := range map[string]string{
		"Amazon: the river - YouTube":        "amazon.com",
		"Wikipedia, explained - YouTube":     "en.wikipedia.org",
		"Why LinkedIn is slow - Hacker News": "linkedin.com",
	} {
		if is(title, host) {
			t.Errorf("%q is taken for a page of %s", title, host)
		}
	}
}
