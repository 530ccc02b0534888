package phrases

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"utter/shared/profile"
	"utter/shared/spell"
	"utter/shared/utterance"
)

// dataFiles are the files with which a user extends the tables, by name without
// ending: what an entry of each does to the tables.
var dataFiles = map[string]func(*Set, entry) error{
	"sites":        (*Set).addSite,
	"site_search":  (*Set).addSiteSearch,
	"media":        (*Set).addMedia,
	"keys":         (*Set).addKey,
	"editing":      (*Set).addEditing,
	"cli_agents":   (*Set).addAgent,
	"niri_phrases": (*Set).addPhrase,
}

// maxDataFile bounds a data file, in bytes.
const maxDataFile = 1 << 20

// Extended returns s with the user's data files of a folder laid over it, by key:
// an empty value takes a built-in entry away. An error in a file is a problem;
// only the entry that has it does not count.
func (s *Set) Extended(dir string) (*Set, []profile.Problem) {
	items, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, []profile.Problem{problem(dir, nil, err)}
	}
	x := s.clone()
	var problems []profile.Problem
	for _, item := range items {
		name, isYAML := strings.CutSuffix(item.Name(), ".yaml")
		if !isYAML || strings.HasPrefix(name, ".") {
			continue
		}
		path := filepath.Join(dir, item.Name())
		if add, known := dataFiles[name]; known {
			problems = append(problems, x.addFile(path, add)...)
		} else {
			problems = append(problems, unknownDataFile(path, name))
		}
	}
	return x, problems
}

func unknownDataFile(path, name string) profile.Problem {
	names := slices.Sorted(maps.Keys(dataFiles))
	hint := "there are " + strings.Join(names, ", ")
	if near := spell.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near+".yaml")
	}
	p := problem(path, nil, errors.New("is not a data file; "+hint))
	p.Severity = profile.Warning
	return p
}

func problem(path string, at *yaml.Node, err error) profile.Problem {
	o := profile.Origin{Layer: profile.User, File: path}
	if at != nil {
		o.Line, o.Column = at.Line, at.Column
	} else {
		// The YAML reader tells the line of an error in its text only.
		if _, scanned := fmt.Sscanf(err.Error(), "yaml: line %d:", &o.Line); scanned == nil {
			_, text, _ := strings.Cut(err.Error(), fmt.Sprintf("line %d: ", o.Line))
			err = errors.New("is not YAML: " + text)
		}
	}
	text := err.Error()
	return profile.Problem{
		Origin: o, Severity: profile.Broken, Message: text, Code: profile.CodeData, Args: []string{text},
	}
}

// clone copies what an extension changes.
func (s *Set) clone() *Set {
	x := *s
	x.Sites, x.Media, x.Agents = maps.Clone(s.Sites), maps.Clone(s.Media), maps.Clone(s.Agents)
	x.Keys, x.Editing, x.Desktop = maps.Clone(s.Keys), maps.Clone(s.Editing), maps.Clone(s.Desktop)
	return &x
}

// addFile lays one file over s.
func (s *Set) addFile(path string, add func(*Set, entry) error) []profile.Problem {
	root, err := readFile(path)
	if err != nil {
		return []profile.Problem{problem(path, nil, err)}
	}
	if root == nil {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		return []profile.Problem{problem(path, root, errors.New("write lines such as \"name: value\""))}
	}
	var problems []profile.Problem
	seen := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		key := utterance.Key(k.Value)
		var err error
		switch {
		case k.Kind != yaml.ScalarNode || key == "":
			err = errors.New("the name before the colon must be words")
		case v.Kind == yaml.AliasNode:
			err = fmt.Errorf("%q uses a YAML alias (*name); write the value out", k.Value)
		case seen[key] > 0:
			err = fmt.Errorf("%q appears twice, first in line %d; keep one", k.Value, seen[key])
		default:
			seen[key] = k.Line
			err = add(s, entry{k.Value, v})
		}
		if err != nil {
			problems = append(problems, problem(path, k, err))
		}
	}
	return problems
}

// readFile returns what a data file holds, or nil for an empty one.
func readFile(path string) (*yaml.Node, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxDataFile {
		return nil, errors.New("is not a regular file of at most 1 MiB")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil || len(doc.Content) == 0 {
		return nil, err
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil // there is only a "---"
	}
	return root, nil
}
