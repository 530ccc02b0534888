package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

const (
	folder   = "data/po"
	template = folder + "/utter.pot"
	domain   = "utter"
)

// places are the folders with sources, and written the files with texts beside.
var (
	places  = []string{"app", "shared", "ui"}
	written = []string{"data/org.utter.Settings.desktop.in", "data/org.utter.Settings.metainfo.xml.in"}
)

// A project is a clone of the repository.
type project struct{ root string }

func (p project) path(name string) string { return filepath.Join(p.root, filepath.FromSlash(name)) }

// extract returns every text in the sources.
func (p project) extract() (catalogue, error) {
	goFiles, others, err := p.sources()
	if err != nil {
		return nil, err
	}
	all, err := p.xgettext(others)
	if err != nil {
		return nil, err
	}
	var wrong []error
	for _, name := range goFiles {
		source, err := os.ReadFile(p.path(name))
		if err != nil {
			return nil, err
		}
		found, err := goMessages(name, source)
		wrong = append(wrong, err)
		for _, m := range found {
			wrong = append(wrong, all.add(m))
		}
	}
	return all, errors.Join(wrong...)
}

// sources returns the files that may hold texts, by slashed paths from the root.
func (p project) sources() (goFiles, others []string, err error) {
	tree := os.DirFS(p.root)
	for _, place := range places {
		err := fs.WalkDir(tree, place, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case path.Ext(name) == ".ui":
				others = append(others, name)
			case path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go"):
				goFiles = append(goFiles, name)
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return goFiles, append(others, written...), nil
}

// xgettext returns the texts of files that GNU gettext can read.
func (p project) xgettext(names []string) (catalogue, error) {
	out, err := p.tool("xgettext", append([]string{
		"--from-code=UTF-8", "--add-comments=Translators:", "--add-location=file", "--no-wrap", "--output=-", "--"},
		names...)...)
	if err != nil {
		return nil, err
	}
	all, err := parse(strings.NewReader(out))
	delete(all, key{})
	return all, err
}

// tool runs a program of GNU gettext in the root and returns what it prints.
func (p project) tool(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = p.root
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	var out, complaint strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, strings.TrimSpace(complaint.String()))
	}
	return out.String(), nil
}

// languages returns what LINGUAS lists.
func (p project) languages() ([]string, error) {
	list, err := os.ReadFile(p.path(folder + "/LINGUAS"))
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(list)), nil
}

// update writes the template and merges it into every language.
func (p project) update() error {
	all, err := p.extract()
	if err != nil {
		return err
	}
	if err := os.WriteFile(p.path(template), []byte(all.template()), 0o644); err != nil {
		return err
	}
	languages, err := p.languages()
	for _, language := range languages {
		if _, err := p.tool("msgmerge", "--quiet", "--update", "--backup=none", "--previous", "--no-wrap",
			folder+"/"+language+".po", template); err != nil {
			return err
		}
	}
	return err
}

// compile writes the catalogue of every language below dir.
func (p project) compile(dir string) error {
	languages, err := p.languages()
	if err != nil {
		return err
	}
	for _, language := range languages {
		if err := p.msgfmt(p.path(folder+"/"+language+".po"), dir, language); err != nil {
			return err
		}
	}
	return nil
}

// msgfmt compiles a .po into the place below dir where gettext looks for it.
func (p project) msgfmt(po, dir, language string) error {
	place := filepath.Join(dir, language, "LC_MESSAGES")
	if err := os.MkdirAll(place, 0o755); err != nil {
		return err
	}
	po, err := filepath.Abs(po)
	if err != nil {
		return err
	}
	mo, err := filepath.Abs(filepath.Join(place, domain+".mo"))
	if err != nil {
		return err
	}
	_, err = p.tool("msgfmt", "--check", "--output-file="+mo, po)
	return err
}
