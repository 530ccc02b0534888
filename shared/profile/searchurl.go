package profile

import (
	"fmt"
	"strings"

	"utter/shared/i18n"
)

// Codes of a SearchURLError.
const (
	NoScheme = "no_scheme" // it does not begin with https:// or http://
	NoQ      = "no_q"      // it has no {q}
)

// A SearchURLError says why an address is not a search address.
type SearchURLError struct {
	Code string // NoScheme or NoQ
	URL  string
}

func (e *SearchURLError) Error() string { return fmt.Sprintf("is %q; %s", e.URL, e.Text().Plain()) }

// Text says what is wrong.
func (e *SearchURLError) Text() i18n.Message {
	if e.Code == NoScheme {
		return i18n.Message{English: i18n.Mark("An address must begin with https:// or http://")}
	}
	return i18n.Message{English: i18n.Mark("Write {q} where the search words belong")}
}

// CheckSearchURL returns a *SearchURLError where u is not a search address.
func CheckSearchURL(u string) error {
	if !strings.HasPrefix(u, "https://") && !strings.HasPrefix(u, "http://") {
		return &SearchURLError{NoScheme, u}
	}
	if !strings.Contains(u, "{q}") {
		return &SearchURLError{NoQ, u}
	}
	return nil
}
