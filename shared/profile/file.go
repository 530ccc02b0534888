package profile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// What keeps a file from being edited. Where an error is the reason, errors.As
// finds its Problem; with ErrRefused its line is one of the file as it would be.
var (
	ErrBroken    = errors.New("the file has an error")
	ErrRefused   = errors.New("the change would make the file invalid")
	ErrNoProfile = errors.New("the file has no such profile")
	ErrForm      = errors.New("the file is written in a form that cannot be edited")
)

// A File is one profile file: its bytes and what they say. It is parsed once and
// never changes: Edit and Without return another, which is checked already.
type File struct {
	Path     string
	Patches  []Patch // nil where a Problem is Broken
	Problems []Problem

	layer Layer
	fault error // why it could not be read
	source
}

// Parse reads the content of the file at path.
func Parse(path string, layer Layer, data []byte) *File {
	d := &decoder{origin: Origin{Layer: layer, File: path}, most: maxFile}
	doc, patches := d.file(data)
	return &File{Path: path, Patches: patches, Problems: d.problems, layer: layer, source: newSource(data, doc)}
}

// Err returns why the file does not count, or nil: it cannot be read, or it has
// an error and the error is ErrBroken.
func (f *File) Err() error {
	if f.fault != nil {
		return f.fault
	}
	_, err := f.sound(ErrBroken)
	return err
}

// sound returns f unless it is broken; the error is reason then.
func (f *File) sound(reason error) (*File, error) {
	for _, p := range f.Problems {
		if p.Severity == Broken {
			return nil, fmt.Errorf("%w: %w", reason, p)
		}
	}
	return f, nil
}

// Patch returns what the file says about an application, or nil. The case of the
// id matters only where two ids differ in nothing else.
func (f *File) Patch(id string) *Patch {
	if i := f.index(id); i >= 0 {
		return &f.Patches[i]
	}
	return nil
}

func (f *File) index(id string) int {
	if i := slices.IndexFunc(f.Patches, func(p Patch) bool { return p.ID == id }); i >= 0 {
		return i
	}
	return slices.IndexFunc(f.Patches, func(p Patch) bool { return strings.EqualFold(p.ID, id) })
}

// path leads to the profile of id. It is not ok where the file has none.
func (f *File) path(id string) (path []string, ok bool) {
	i := f.index(id)
	if i < 0 {
		return nil, false
	}
	all := valueOf(f.root, "profiles")
	if all == nil {
		return nil, true
	}
	return []string{"profiles", all.Content[2*i].Value}, true
}

// SaysNothing reports whether the file is about one application, says nothing
// about it and has no comment worth keeping.
func (f *File) SaysNothing() bool {
	return len(f.Patches) == 1 && len(Paths(&f.Patches[0])) == 0 && !strings.Contains(string(f.data), "#")
}

// Edit returns the file with the changes made to the profile of id, and every
// other byte as it was: comments, blank lines, order and quoting. An empty file
// gets the profile. All changes are made or none: the new file says what the old
// one did with these fields changed, or there is an error.
func (f *File) Edit(id string, changes ...Change) (*File, error) {
	if err := f.Err(); err != nil {
		return nil, fmt.Errorf("edit the profile of %s: %w", id, err)
	}
	for _, c := range changes {
		next, err := f.make(c, id)
		if err != nil {
			return nil, fmt.Errorf("edit %s of %s: %w", strings.Join(c.Path, "."), id, err)
		}
		f = next
	}
	return f, nil
}

// make makes one change.
func (f *File) make(c Change, id string) (*File, error) {
	value, err := c.node()
	if err != nil {
		return nil, err
	}
	if f.root == nil {
		if value == nil {
			return f, nil
		}
		if f, err = f.begun(id); err != nil {
			return nil, err
		}
	}
	profile, ok := f.path(id)
	if !ok {
		return nil, ErrNoProfile
	}
	if value == nil {
		return f.takeOut(profile, c.Path)
	}
	if len(c.Path) == 2 {
		parent := slices.Concat(profile, c.Path[:1])
		if n := at(f.root, parent); n == nil || isNull(n) {
			return f.change(parent, mapping(text(c.Path[1]), value))
		}
	}
	return f.change(slices.Concat(profile, c.Path), value)
}

// begun returns an empty file with the first line of a profile.
func (f *File) begun(id string) (*File, error) {
	data := slices.Clip(f.whole)
	if len(f.data) > 0 && f.lines[len(f.lines)-1] < len(f.data) {
		data = append(data, f.eol...)
	}
	data = append(data, "id: "+scalar(id, 0)+f.eol...)
	return Parse(f.Path, f.layer, data).sound(ErrRefused)
}

// takeOut takes a field out, and what holds nothing but it.
func (f *File) takeOut(profile, path []string) (*File, error) {
	whole := slices.Concat(profile, path)
	if at(f.root, whole) == nil {
		return f, nil
	}
	if len(path) == 2 && len(at(f.root, whole[:len(whole)-1]).Content) == 2 {
		whole = whole[:len(whole)-1]
	}
	if holder := whole[:len(whole)-1]; len(at(f.root, holder).Content) == 2 {
		return f.change(holder, mapping()) // a profile of its id alone
	}
	return f.change(whole, nil)
}

// Without returns the file without the whole profiles of ids; nil where nothing
// else is left.
func (f *File) Without(ids ...string) (*File, error) {
	err := f.Err()
	for _, id := range ids {
		path, ok := f.path(id)
		switch {
		case err != nil:
		case !ok:
			err = ErrNoProfile
		case len(f.Patches) == 1:
			return nil, nil
		default:
			f, err = f.change(path, nil)
		}
		if err != nil {
			return nil, fmt.Errorf("remove the profile of %s: %w", id, err)
		}
	}
	return f, nil
}

// change returns the file with the node at path set, or taken out where value is
// nil. The mapping above it is there. It first changes those bytes alone; where
// that does not read as wanted, it writes the file anew.
func (f *File) change(path []string, value *yaml.Node) (*File, error) {
	wanted := *f.doc
	wanted.Content = []*yaml.Node{with(f.root, path, value)}
	if same(f.root, wanted.Content[0]) {
		return f, nil
	}
	for _, write := range []func() ([]byte, bool){
		func() ([]byte, bool) { return f.splice(path, value) },
		func() ([]byte, bool) { return f.encode(&wanted) },
	} {
		data, ok := write()
		if !ok {
			continue
		}
		if next := Parse(f.Path, f.layer, data); same(next.root, wanted.Content[0]) || len(data) > maxFile {
			return next.sound(ErrRefused)
		}
	}
	return nil, ErrForm
}

// FileName returns the name of a new file, "<kind>_<id>.yaml". What cannot
// be in a file name is replaced, so two odd ids may share a name.
func FileName(kind Kind, id string) string {
	const most = 200 // bytes, of the 255 that a name may have
	if kind == "" {
		kind = Other
	}
	name := strings.Map(func(r rune) rune {
		if r == '/' || unicode.IsControl(r) {
			return '-'
		}
		return r
	}, string(kind)+"_"+id)
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "")
	}
	return name + ".yaml"
}
