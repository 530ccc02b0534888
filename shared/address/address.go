// Package address reads web addresses as people say or type them, and fills in
// search addresses.
package address

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// An Address is a place that a browser or another program opens.
type Address struct {
	URL  string
	Site string // a short name of the host
	Web  bool   // a page, which may be open already
}

// fileEndings are endings of file names that are top-level domains as well. A
// bare name with one of them is taken for a file.
var fileEndings = map[string]bool{
	"py": true, "md": true, "sh": true, "ps": true, "zip": true, "mov": true, "cc": true, "rs": true, "so": true, "pm": true,
	"ml": true, "mk": true, "sc": true, "cab": true, "map": true, "pub": true, "dot": true, "properties": true,
}

// Parse reads what a person calls an address: one with a scheme or beginning with
// www., a host and path, localhost, or an IP address with a port. A file name
// ("notes.txt") is not an address; sure says that a page must be meant.
func Parse(s string, sure bool) (Address, bool) {
	s = strings.Trim(s, `"'<>,;“”‘’„«»`)
	lower := strings.ToLower(s)
	for _, scheme := range []string{"http://", "https://"} {
		if strings.HasPrefix(lower, scheme) {
			return webAddress(scheme + s[len(scheme):])
		}
	}
	for _, scheme := range []string{"mailto:", "tel:"} {
		if rest, ok := strings.CutPrefix(lower, scheme); ok && rest != "" {
			_, err := url.Parse(lower)
			return Address{URL: scheme + s[len(scheme):]}, err == nil
		}
	}
	if strings.Contains(s, "://") || strings.Contains(strings.SplitN(s, "/", 2)[0], "@") {
		return Address{}, false
	}
	hostport, _, hasPath := cutPath(s)
	if !hasPath {
		s = strings.TrimRight(s, ".!?")
		hostport = strings.TrimRight(hostport, ".!?")
	}
	host, port := splitPort(strings.ToLower(hostport))
	switch {
	case host == "localhost", isIP(host):
		return webAddress("http://" + s)
	case port && strings.HasSuffix(host, ".local"):
		return webAddress("http://" + s)
	case looksLikeHost(host, sure || hasPath || port):
		return webAddress("https://" + s)
	}
	return Address{}, false
}

// cutPath splits a host from what follows it.
func cutPath(s string) (host, rest string, found bool) {
	i := strings.IndexAny(s, "/?#")
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i:], strings.TrimRight(s[i:], "?!.") != ""
}

func splitPort(hostport string) (host string, hasPort bool) {
	h, p, err := net.SplitHostPort(hostport)
	if err != nil {
		return strings.Trim(hostport, "[]"), false
	}
	if _, err := strconv.ParseUint(p, 10, 16); err != nil {
		return hostport, false
	}
	return h, true
}

func isIP(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// looksLikeHost reports whether host has labels and ends in a known top-level
// domain. sure says that something else already shows that an address is meant.
func looksLikeHost(host string, sure bool) bool {
	labels := strings.Split(host, ".")
	if len(labels) < 2 || len(host) > 253 {
		return false
	}
	if slices.ContainsFunc(labels, notLabel) {
		return false
	}
	last := labels[len(labels)-1]
	if len(labels) == 2 && fileEndings[last] && !sure {
		return false
	}
	suffix, icann := publicsuffix.PublicSuffix(host)
	return suffix != host && (icann || strings.Contains(suffix, "."))
}

// notLabel reports whether s cannot be a label of a host. Letters of other scripts
// may be in one.
func notLabel(s string) bool {
	const plain = "abcdefghijklmnopqrstuvwxyz0123456789-"
	return s == "" || len(s) > 63 || s[0] == '-' || s[len(s)-1] == '-' ||
		strings.ContainsAny(s, "_:@ ") || isASCII(s) && strings.Trim(s, plain) != ""
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// webAddress checks an address with its scheme and names its site.
func webAddress(s string) (Address, bool) {
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsAny(s, " \t\n\"<>\\") {
		return Address{}, false
	}
	return Address{URL: s, Site: siteName(strings.ToLower(u.Hostname())), Web: true}, true
}

// siteName is the label of host that names whose it is: "example" of
// www.example.co.uk, "localhost", "127.0.0.1".
func siteName(host string) string {
	if isIP(host) || !strings.Contains(host, ".") {
		return host
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return strings.TrimPrefix(host, "www.")
	}
	name, _, _ := strings.Cut(domain, ".")
	return name
}

// FillQuery replaces each {q} of a search address with words, escaped for where it
// stands.
func FillQuery(template, words string) string {
	var b strings.Builder
	for {
		before, behind, ok := strings.Cut(template, "{q}")
		b.WriteString(before)
		switch {
		case !ok:
			return b.String()
		case strings.ContainsAny(b.String(), "?#"):
			b.WriteString(url.QueryEscape(words))
		default:
			b.WriteString(url.PathEscape(words))
		}
		template = behind
	}
}
