package profile

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"utter/shared/atomicfile"
)

// A Restored is a file that no longer speaks of an application, and what it was.
type Restored struct {
	File string
	// Aside has the whole old content: File with a ~ behind it, and a number
	// where there was such a file.
	Aside string
}

// Restore makes the user's files silent about the ids of one application, in any
// case: a file of nothing else is moved aside, and one that has other profiles is
// copied aside and keeps those. A broken file is left as it is. All of it is done
// or, on an error, nothing.
func Restore(files []*File, ids ...string) ([]Restored, error) {
	var done []Restored
	var undo []func() error
	for _, f := range files {
		var about []string // as the file writes them
		for _, p := range f.Patches {
			if slices.ContainsFunc(ids, func(id string) bool { return strings.EqualFold(id, p.ID) }) {
				about = append(about, p.ID)
			}
		}
		if len(about) == 0 {
			continue
		}
		r, back, err := f.setAside(about)
		if err != nil {
			for _, back := range slices.Backward(undo) {
				err = errors.Join(err, back())
			}
			return nil, fmt.Errorf("restore: %s: %w", f.Path, err)
		}
		done, undo = append(done, r), append(undo, back)
	}
	return done, nil
}

// setAside takes the ids out of the file on disk; back brings them back.
func (f *File) setAside(ids []string) (r Restored, back func() error, err error) {
	rest, err := f.Without(ids...)
	if err != nil {
		return Restored{}, nil, err
	}
	r = Restored{File: f.Path, Aside: unused(f.Path + "~")}
	if rest == nil {
		return r, func() error { return os.Rename(r.Aside, r.File) }, os.Rename(r.File, r.Aside)
	}
	back, err = copyAside(r, f.Bytes(), rest.Bytes())
	return r, back, err
}

// copyAside keeps data beside the file and writes rest into it.
func copyAside(r Restored, data, rest []byte) (back func() error, err error) {
	info, err := os.Stat(r.File)
	if err != nil {
		return nil, err
	}
	if err := atomicfile.Write(r.Aside, data, info.Mode().Perm()); err != nil {
		return nil, err
	}
	if err := atomicfile.Write(r.File, rest, info.Mode().Perm()); err != nil {
		return nil, errors.Join(err, os.Remove(r.Aside))
	}
	return func() error {
		return errors.Join(atomicfile.Write(r.File, data, info.Mode().Perm()), os.Remove(r.Aside))
	}, nil
}

// unused returns path, or path with a number where something has that name.
func unused(path string) string {
	free := path
	for n := 2; ; n++ {
		if _, err := os.Lstat(free); err != nil {
			return free
		}
		free = path + strconv.Itoa(n)
	}
}
