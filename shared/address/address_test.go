package address

import "testing"

// TestABareFileNameIsNotASite unless something else says that a page is meant.
func TestABareFileNameIsNotASite(t *testing.T) {
	for _, name := range []string{"main.rs", "todo.so", "run.sh", "Strings.properties", "old.cab", "site.map", "rsa.pub"} {
		if at, ok := Parse(name, false); ok {
			t.Errorf("%s is %s", name, at.URL)
		}
		for _, page := range []string{"https://" + name, "www." + name, name + "/path"} {
			if _, ok := Parse(page, false); !ok {
				t.Errorf("%s is not an address", page)
			}
		}
	}
}

func TestParse(t *testing.T) {
	for s, want := range map[string]Address{
		"HTTPS://E.org/A":      {"https://E.org/A", "e", true},
		"www.example.co.uk":    {"https://www.example.co.uk", "example", true},
		"localhost:8188":       {"http://localhost:8188", "localhost", true},
		"127.0.0.1":            {"http://127.0.0.1", "127.0.0.1", true},
		"printer.local:631":    {"http://printer.local:631", "printer", true},
		"mailto:A@b.org":       {URL: "mailto:A@b.org"},
		"notes.txt":            {},
		"main.py":              {}, // a file, though there is such a domain
		"user:pw@example.org":  {},
		"https://u:p@e.org":    {},
		"ftp://example.org":    {},
		"two words":            {},
		"“example.org/x?y=1!”": {"https://example.org/x?y=1!", "example", true},
	} {
		got, ok := Parse(s, false)
		if got != want || ok != (want != Address{}) {
			t.Errorf("%q: %+v, %v; want %+v", s, got, ok, want)
		}
	}
	if got, ok := Parse("main.py", true); !ok || got.URL != "https://main.py" {
		t.Errorf("a page that is called main.py: %+v", got)
	}
}

func TestFillQueryEscapesForThePlace(t *testing.T) {
	for template, want := range map[string]string{
		"https://e.org/?q={q}":         "https://e.org/?q=a+b%2F%26",
		"https://e.org/find/{q}/x":     "https://e.org/find/a%20b%2F&/x",
		"https://e.org/{q}?again={q}#": "https://e.org/a%20b%2F&?again=a+b%2F%26#",
		"https://e.org/":               "https://e.org/",
	} {
		if got := FillQuery(template, "a b/&"); got != want {
			t.Errorf("%s: %s, want %s", template, got, want)
		}
	}
}
