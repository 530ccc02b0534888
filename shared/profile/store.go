package profile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// DefaultsFile holds the defaults of the kinds. The name is reserved.
const DefaultsFile = "_defaults.yaml"

var reserved = []string{DefaultsFile, "generated.yaml"}

// LoadFS reads the profiles of a layer from the top folder of fsys, whose files
// are called label/name in origins, in the order of their names.
func LoadFS(fsys fs.FS, label string, layer Layer) ([]Patch, []Problem) {
	items, err := fs.ReadDir(fsys, ".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // nothing taught yet
	}
	if err != nil {
		return nil, []Problem{{Origin{Layer: layer, File: label}, Broken, err.Error()}}
	}
	var patches []Patch
	var problems []Problem
	for _, item := range items {
		name := item.Name()
		if !strings.HasSuffix(name, ".yaml") || strings.HasPrefix(name, ".") {
			continue
		}
		file := filepath.Join(label, name)
		if slices.Contains(reserved, name) {
			if layer == User {
				problems = append(problems, Problem{Origin{Layer: layer, File: file}, Warning,
					"the name " + name + " is reserved and the file is ignored; call it <kind>_<id>.yaml"})
			}
			continue
		}
		data, err := readFile(fsys, name)
		if err != nil {
			problems = append(problems, Problem{Origin{Layer: layer, File: file}, Broken, err.Error()})
			continue
		}
		p, bad := Decode(file, layer, data)
		patches, problems = append(patches, p...), append(problems, bad...)
	}
	return patches, problems
}

// LoadDir is LoadFS of a folder on disk.
func LoadDir(dir string, layer Layer) ([]Patch, []Problem) {
	return LoadFS(os.DirFS(dir), dir, layer)
}

// readFile refuses what is no plain file: opening a pipe would wait for ever.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is no plain file")
	}
	if info.Size() > maxFile {
		return nil, errors.New("the file is larger than 1 MiB")
	}
	return fs.ReadFile(fsys, name)
}

// LoadDefaults reads the built-in defaults, whose ids are kinds.
func LoadDefaults(fsys fs.FS) (Defaults, error) {
	data, err := fs.ReadFile(fsys, DefaultsFile)
	if err != nil {
		return nil, fmt.Errorf("profile defaults: %w", err)
	}
	patches, problems := Decode(DefaultsFile, Curated, data)
	if len(problems) > 0 {
		return nil, fmt.Errorf("profile defaults: %w", problems[0])
	}
	defaults := Defaults{}
	for _, p := range patches {
		defaults[Kind(p.ID)] = p
	}
	return defaults, nil
}
