package router

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"utter/shared/chord"
	"utter/shared/profile"
	"utter/shared/spell"
	"utter/shared/utterance"
)

// dataFiles are the files with which a user extends the tables, by name without
// ending: what an entry of each does to the tables.
var dataFiles = map[string]func(*Tables, entry) error{
	"sites":        (*Tables).addSite,
	"site_search":  (*Tables).addSiteSearch,
	"media":        (*Tables).addMedia,
	"keys":         (*Tables).addKey,
	"editing":      (*Tables).addEditing,
	"cli_agents":   (*Tables).addAgent,
	"niri_phrases": (*Tables).addPhrase,
}

// An entry is one line of a data file: a name and what it stands for.
type entry struct {
	name  string // as written
	value *yaml.Node
}

// maxDataFile bounds a data file, in bytes.
const maxDataFile = 1 << 20

// Extended returns t with the user's data files of a folder laid over it, by
// key: an empty value takes a built-in entry away. What is wrong with a file is
// a problem, and only the entry that is wrong does not count.
func (t *Tables) Extended(dir string) (*Tables, []profile.Problem) {
	items, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return t, []profile.Problem{problem(dir, nil, err)}
	}
	x := t.clone()
	var problems []profile.Problem
	for _, item := range items {
		name, isYAML := strings.CutSuffix(item.Name(), ".yaml")
		if !isYAML || strings.HasPrefix(name, ".") {
			continue
		}
		path := filepath.Join(dir, item.Name())
		add, known := dataFiles[name]
		if !known {
			problems = append(problems, unknownDataFile(path, name))
			continue
		}
		problems = append(problems, x.addFile(path, add)...)
	}
	return x, problems
}

func unknownDataFile(path, name string) profile.Problem {
	names := slices.Sorted(maps.Keys(dataFiles))
	text := "is no data file; there are " + strings.Join(names, ", ")
	if near := spell.Nearest(name, names); near != "" {
		text = fmt.Sprintf("is no data file; did you mean %q?", near+".yaml")
	}
	return profile.Problem{Origin: profile.Origin{Layer: profile.User, File: path}, Severity: profile.Warning, Message: text, Code: profile.CodeData, Args: []string{text}}
}

func problem(path string, at *yaml.Node, err error) profile.Problem {
	o := profile.Origin{Layer: profile.User, File: path}
	if at != nil {
		o.Line, o.Column = at.Line, at.Column
	} else {
		// The YAML reader tells the line of a mistake in its text only.
		if _, scanned := fmt.Sscanf(err.Error(), "yaml: line %d:", &o.Line); scanned == nil {
			_, text, _ := strings.Cut(err.Error(), fmt.Sprintf("line %d: ", o.Line))
			err = errors.New("is no YAML: " + text)
		}
	}
	text := err.Error()
	return profile.Problem{Origin: o, Severity: profile.Broken, Message: text, Code: profile.CodeData, Args: []string{text}}
}

// clone copies what an extension changes.
func (t *Tables) clone() *Tables {
	x := *t
	x.sites, x.media, x.agents = maps.Clone(t.sites), maps.Clone(t.media), maps.Clone(t.agents)
	x.keys, x.editing, x.phrases = maps.Clone(t.keys), maps.Clone(t.editing), maps.Clone(t.phrases)
	return &x
}

// addFile lays one file over t.
func (t *Tables) addFile(path string, add func(*Tables, entry) error) []profile.Problem {
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxDataFile) {
		err = errors.New("is no plain file of at most 1 MiB")
	}
	if err != nil {
		return []profile.Problem{problem(path, nil, err)}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return []profile.Problem{problem(path, nil, err)}
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return []profile.Problem{problem(path, nil, err)}
	}
	if len(doc.Content) == 0 {
		return nil // empty
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil // empty, but for a "---"
	}
	if root.Kind != yaml.MappingNode {
		return []profile.Problem{problem(path, root, errors.New("write lines such as \"name: value\""))}
	}
	var problems []profile.Problem
	seen := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		err := error(nil)
		switch {
		case k.Kind != yaml.ScalarNode || utterance.Key(k.Value) == "":
			err = errors.New("the name before the colon must be words")
		case v.Kind == yaml.AliasNode:
			err = fmt.Errorf("%q uses a YAML alias (*name); write the value out", k.Value)
		case seen[utterance.Key(k.Value)] > 0:
			err = fmt.Errorf("%q stands twice, first in line %d; keep one", k.Value, seen[utterance.Key(k.Value)])
		default:
			seen[utterance.Key(k.Value)] = k.Line
			err = add(t, entry{k.Value, v})
		}
		if err != nil {
			problems = append(problems, problem(path, k, err))
		}
	}
	return problems
}

// key is the name in normal form.
func (e entry) key() string { return utterance.Key(e.name) }

// removes reports whether the entry takes a built-in one away.
func (e entry) removes() bool {
	return e.value.Kind == yaml.ScalarNode && (e.value.Value == "" || e.value.Tag == "!!null")
}

func (e entry) text() (string, error) {
	if e.value.Kind != yaml.ScalarNode {
		return "", fmt.Errorf("%q stands for a text, not a list or map", e.name)
	}
	return e.value.Value, nil
}

// addSite reads "name: address" and "name: {url, hosts, titles, search}".
func (t *Tables) addSite(e entry) error {
	if e.removes() {
		delete(t.sites, e.key())
		return nil
	}
	s := &site{Name: e.name}
	if e.value.Kind == yaml.ScalarNode {
		s.URL = e.value.Value
	} else if err := e.value.Decode(s); err != nil {
		return fmt.Errorf("%q: write an address, or url, hosts, titles and search: %w", e.name, err)
	}
	address, ok := parseAddress(s.URL, true)
	if !ok || !address.web {
		return fmt.Errorf("%q: %q is no web address", e.name, s.URL)
	}
	s.URL = address.url
	if old := t.sites[e.key()]; old != nil && s.Search == "" {
		s.Search = old.Search // which site_search.yaml may have said
	}
	if s.Search != "" {
		if err := profile.CheckSearchURL(s.Search); err != nil {
			return fmt.Errorf("%q: search %w", e.name, err)
		}
	}
	t.sites[e.key()] = s
	return nil
}

// addSiteSearch reads "name: address with {q}".
func (t *Tables) addSiteSearch(e entry) error {
	address, err := e.text()
	if err != nil {
		return err
	}
	s := &site{Name: e.name}
	if old := t.sites[e.key()]; old != nil {
		copied := *old
		s = &copied
	} else if e.removes() {
		return nil
	}
	if e.removes() {
		s.Search = ""
	} else {
		if err := profile.CheckSearchURL(address); err != nil {
			return fmt.Errorf("%q %w", e.name, err)
		}
		s.Search = address
		if s.URL == "" {
			s.URL = homeOf(address)
		}
	}
	t.sites[e.key()] = s
	return nil
}

// homeOf returns the address of the site that a search address belongs to.
func homeOf(search string) string {
	u, err := url.Parse(fillQuery(search, ""))
	if err != nil { // CheckSearchURL has passed it
		return search
	}
	return u.Scheme + "://" + u.Host
}

// addMedia reads "phrase: command".
func (t *Tables) addMedia(e entry) error {
	command, err := e.text()
	switch {
	case err != nil:
		return err
	case e.removes():
		delete(t.media, e.key())
	case !slices.Contains([]string{"play", "pause", "play-pause", "next", "previous", "stop"}, command):
		return fmt.Errorf("%q: %q is none of play, pause, play-pause, next, previous, stop", e.name, command)
	default:
		t.media[e.key()] = command
	}
	return nil
}

// addKey reads "spoken name: key".
func (t *Tables) addKey(e entry) error {
	key, err := e.text()
	if err != nil {
		return err
	}
	if e.removes() {
		delete(t.keys, e.key())
		return nil
	}
	c, err := chord.Parse(key)
	if err != nil {
		return fmt.Errorf("%q: %w", e.name, err)
	}
	t.keys[e.key()] = c.String()
	return nil
}

// addEditing reads "phrase: chord".
func (t *Tables) addEditing(e entry) error {
	key, err := e.text()
	if err != nil {
		return err
	}
	if e.removes() {
		delete(t.editing, e.key())
		return nil
	}
	c, err := chord.Parse(key)
	if err != nil {
		return fmt.Errorf("%q: %w", e.name, err)
	}
	t.editing[e.key()] = c
	return nil
}

// addAgent reads "spoken name: [program, argument]".
func (t *Tables) addAgent(e entry) error {
	if e.removes() || len(e.value.Content) == 0 && e.value.Kind == yaml.SequenceNode {
		delete(t.agents, e.key())
		return nil
	}
	argv := []string{e.value.Value}
	if e.value.Kind != yaml.ScalarNode {
		argv = nil
		if err := e.value.Decode(&argv); err != nil {
			argv = nil
		}
	}
	if len(argv) == 0 || argv[0] == "" {
		return fmt.Errorf("%q: write a program, or a list of a program and its arguments", e.name)
	}
	t.agents[e.key()] = argv
	return nil
}

// addPhrase reads "phrase: action" of the compositor.
func (t *Tables) addPhrase(e entry) error {
	command, err := e.text()
	switch {
	case err != nil:
		return err
	case e.removes():
		delete(t.phrases, e.key())
	case !t.IsAction(command):
		return fmt.Errorf("%q: there is no action %q", e.name, command)
	default:
		t.phrases[e.key()] = command
	}
	return nil
}

// IsAction reports whether the compositor's vocabulary has an action that needs
// no argument.
func (t *Tables) IsAction(name string) bool { return t.bareActions[name] }
