package profile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// Restore makes the user's files in dir silent about the ids of one application,
// in any case: a file of nothing else is moved aside, and one that has other
// profiles is copied aside and keeps those. A broken file is left as it is. All
// of it is done or, on an error, nothing.
func Restore(dir string, ids ...string) ([]Restored, error) {
	patches, _ := LoadDir(dir, User)
	about := map[string][]string{} // file to the ids as it writes them
	var files []string
	for _, p := range patches {
		if !slices.ContainsFunc(ids, func(id string) bool { return strings.EqualFold(id, p.ID) }) {
			continue
		}
		file := filepath.Clean(p.Origin.File)
		if about[file] == nil {
			files = append(files, file)
		}
		about[file] = append(about[file], p.ID)
	}
	var done []Restored
	var undo []func() error
	for _, file := range files {
		r, back, err := setAside(file, about[file])
		if err != nil {
			for _, back := range slices.Backward(undo) {
				err = errors.Join(err, back())
			}
			return nil, fmt.Errorf("restore: %w", err)
		}
		done, undo = append(done, r), append(undo, back)
	}
	return done, nil
}

// setAside takes the ids out of one file; back brings them back.
func setAside(file string, ids []string) (r Restored, back func() error, err error) {
	data, err := readFile(os.DirFS(filepath.Dir(file)), filepath.Base(file))
	if err != nil {
		return Restored{}, nil, fmt.Errorf("%s: %w", file, err)
	}
	rest := data
	for _, id := range ids {
		if rest, err = Extract(rest, id); err != nil {
			return Restored{}, nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	r = Restored{File: file, Aside: unused(file + "~")}
	if rest == nil {
		return r, func() error { return os.Rename(r.Aside, file) }, os.Rename(file, r.Aside)
	}
	back, err = copyAside(r, data, rest)
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
