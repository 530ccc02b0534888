package phrases

import (
	"bytes"
	"encoding/json"
)

// Verbs are what commands begin with, by the family of rules that each opens. Of
// several that fit, the longest is meant; of each list the first is the usual one.
type Verbs struct {
	Agent  []string // start a program that lives in a terminal
	Target struct { // single words, behind the name of an application
		Type, Press []string
	}
	Terminal []string // run a command
	Open     struct {
		Any     []string // applications, sites and addresses
		Page    []string // addresses and sites, and applications by their exact name
		App     []string // applications only
		Program []string // applications by their exact name
	}
	Switch []string
	Close  []string
	Search struct {
		Any  []string
		Site []string // the names of sites: each searches its own
	}
	Key    []string
	Type   []string
	Scroll []string
	Click  []string
}

// Words are the words with a part in commands that are not verbs.
type Words struct {
	And, Then    []string          // join commands; single words
	On, In, For  []string          // lead to where a search goes, and to what it is for
	About        []string          // leads to what a search is for
	Dot, Slash   []string          // in an address as it is said; single words
	New          []string          // ask for a further window of an application
	Same         map[string]string // word -> the word that phrases have for it
	Me           []string          // asks to be told something: no window is meant
	Pointers     []string          // point at what has the focus; single words
	Directions   map[string]string // word -> left, right, up or down
	Neighbours   map[string]string // word -> next or previous
	NotNames     []string          `json:"not_names"` // name no workspace, like directions
	NotApps      []string          `json:"not_apps"`  // are parts of the desktop, and name no application
	Repeated     map[string]int    // "twice" -> 2
	Times, Steps []string          // behind a number
	Amounts      map[string]int    // how far to scroll -> steps of the wheel
	Key          []string          // before or behind the name of a key
	Plus         []string          // between the keys of a combination; single words
	FunctionKey  []string          `json:"function_key"` // before the number of a function key
	Letters      map[string]string // what a letter behind a modifier sounds like -> the letter
	BareKeys     []string          `json:"bare_keys"` // can be said without a verb
	Number, One  []string          // before and behind the number of a choice
	Tab          []string
	App, Site    []string // may be behind the name of an application or a site
	NewTab       []string `json:"new_tab"`    // end what is to open in a new tab
	NewWindow    []string `json:"new_window"` // end what is to open in a new window
	Web          []string // lead a search that goes to no site
	ThisApp      []string `json:"this_app"` // end a search in the focused application
	Here         []string // end one if an application has the focus
}

// strict reads an object that may have no names but those of to.
func strict(raw json.RawMessage, to any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(to)
}
