// Package filestamp tells whether a file is still the one that was read. It reads no
// content.
package filestamp

import (
	"io/fs"
	"syscall"
	"time"
)

// A Stamp is the identity of a file and of its content: the size and time alone do not
// tell, because package stores give every file one time.
type Stamp struct {
	Device, Inode    uint64
	Size             int64
	Modified, Change int64 // nanoseconds since 1970
}

// Of returns the stamp of a file. A file that is not on a disk has no inode.
func Of(info fs.FileInfo) Stamp {
	s := Stamp{Size: info.Size(), Modified: info.ModTime().UnixNano()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.Device, s.Inode, s.Change = uint64(sys.Dev), sys.Ino, sys.Ctim.Nano()
	}
	return s
}

// unsettled is how long a file may change once more without another stamp.
const unsettled = 2 * time.Second

// Settled reports whether the file was last changed so long before now that a later
// change must show in its stamp.
func (s Stamp) Settled(now time.Time) bool {
	return now.UnixNano()-max(s.Modified, s.Change) > int64(unsettled)
}
