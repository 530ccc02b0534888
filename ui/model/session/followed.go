package session

import (
	"errors"
	"io/fs"
	"os"
)

// A followed is a file that is read along with the applications, for the
// goroutine that loads.
type followed struct {
	file string
	read func() (take func())
	last fs.FileInfo // nil where there was no file
	seen bool
}

// changed reports whether the file is not as it was the last time.
func (f *followed) changed() bool {
	info, err := os.Stat(f.file)
	if err != nil {
		info = nil // what is wrong with it, read finds out
	}
	last, seen := f.last, f.seen
	f.last, f.seen = info, err == nil || errors.Is(err, fs.ErrNotExist)
	if !seen || last == nil || info == nil {
		return !seen || last != info
	}
	return !os.SameFile(last, info) || last.Size() != info.Size() || !last.ModTime().Equal(info.ModTime())
}
