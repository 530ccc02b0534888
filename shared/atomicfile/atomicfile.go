// Package atomicfile replaces files so that a reader sees either the old or the new
// content, even after a crash.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Write makes data the content of the file at path. It writes beside the target
// of a symbolic link, which stays a link; it keeps mode and owner of a file
// that is there and gives a new one mode. Missing folders are made. On an error
// the old content stays and no temporary file is left.
func Write(path string, data []byte, mode fs.FileMode) error {
	target, err := resolve(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := replace(target, data, mode); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

const maxLinks = 40

// resolve follows the links at path, also one whose target is not there yet.
func resolve(path string) (string, error) {
	for range maxLinks {
		to, err := os.Readlink(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EINVAL) {
			return path, nil // nothing there, or no link
		}
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", syscall.ELOOP
}

func replace(target string, data []byte, mode fs.FileMode) (err error) {
	old, statErr := os.Stat(target)
	if statErr == nil {
		mode = old.Mode().Perm()
		if err := writable(target); err != nil {
			return err
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	if _, err := tmp.Write(data); err != nil {
		return err
	}
	if err := tmp.Chmod(mode); err != nil {
		return err
	}
	if statErr == nil {
		if st, ok := old.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
			if err := tmp.Chown(int(st.Uid), int(st.Gid)); err != nil {
				return err
			}
		}
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), target); err != nil {
		return err
	}
	return syncDir(filepath.Dir(target))
}

// writable refuses a file that its owner has made read-only: a rename would
// replace it all the same.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
