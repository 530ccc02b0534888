package runner

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"utter/shared/atomicfile"
)

// A socket is where clients connect, with the files beside it.
type socket struct {
	listener *net.UnixListener
	path     string
	folder   string // the runner's own
	own      bool   // the folder is this socket's alone and goes with it
	locks    []*os.File
	tokens   []string // files
}

// open makes the socket, or finds that another runner has it. What a runner
// that was killed left behind is removed.
func (r *Runner) open() (s *socket, err error) {
	s = &socket{path: r.opts.Socket}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if err := ownFolders(r.opts.Folder, filepath.Dir(s.path)); err != nil {
		return s, err
	}
	if err := s.lock(s.path + ".lock"); err != nil {
		return s, err
	}
	if answers(s.path) {
		return s, fmt.Errorf("%w: %s", ErrTaken, s.path)
	}
	s.folder = r.opts.Folder
	if err := s.lock(filepath.Join(s.folder, "runner.lock")); errors.Is(err, ErrTaken) {
		s.folder, s.own = s.path+".d", true // another socket's runner has the usual one
		if err := ourFolder(s.folder, 0o077); err != nil {
			return s, err
		}
	} else if err != nil {
		return s, err
	}
	for _, left := range []string{"tmp", "plugins"} {
		if err := os.RemoveAll(filepath.Join(s.folder, left)); err != nil {
			return s, fmt.Errorf("remove what an earlier runner left: %w", err)
		}
	}
	if err := r.makeTokens(s); err != nil {
		return s, err
	}
	return s, s.listen()
}

// ownFolders makes the folder of the runner and that of its socket. The first,
// and one for us alone in a folder of everybody's, nobody else may look into;
// into the second nobody else may write.
func ownFolders(own, socket string) error {
	if above := filepath.Dir(own); strings.HasPrefix(filepath.Base(above), "utter-") {
		if err := ourFolder(above, 0o077); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(own, 0o700); err != nil {
		return fmt.Errorf("folder of the runner: %w", err)
	}
	if err := ourFolder(own, 0o022); err != nil {
		return err
	}
	if err := os.Chmod(own, 0o700); err != nil {
		return fmt.Errorf("folder of the runner: %w", err)
	}
	return ourFolder(socket, 0o022)
}

// ourFolder makes a folder. One that is there must be no link, ours, and closed
// to others as far as the mode says.
func ourFolder(dir string, closed fs.FileMode) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("folder of the runner: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("folder of the runner: %w", err)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || ok && int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("%s is not a folder of this user", dir)
	}
	if open := info.Mode().Perm() & closed; open != 0 {
		return fmt.Errorf("%s is open to others (mode %04o); chmod 700 closes it", dir, info.Mode().Perm())
	}
	return nil
}

// lock takes the lock in a file. ErrTaken means that another process has it.
func (s *socket) lock(path string) error {
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
		if err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil && isAt(f, path) {
			s.locks = append(s.locks, f)
			return nil
		}
		f.Close()
		switch {
		case errors.Is(err, unix.EWOULDBLOCK):
			return fmt.Errorf("%w: %s", ErrTaken, s.path)
		case err != nil:
			return fmt.Errorf("lock %s: %w", path, err)
		}
	}
}

// isAt reports whether f is still what path names: whoever had the lock before
// may have removed it.
func isAt(f *os.File, path string) bool {
	mine, err := f.Stat()
	there, statErr := os.Lstat(path)
	return err == nil && statErr == nil && os.SameFile(mine, there)
}

// answers reports whether somebody listens at path, of whatever version.
func answers(path string) bool {
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// makeTokens writes the tokens of this run.
func (r *Runner) makeTokens(s *socket) error {
	r.clients.tokens = map[string]string{}
	for name, file := range map[string]string{"client": "token", "confirm": "confirm-token"} {
		random := make([]byte, 32)
		rand.Read(random)
		token, path := hex.EncodeToString(random), filepath.Join(s.folder, file)
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("token: %w", err)
		}
		if err := atomicfile.Write(path, []byte(token+"\n"), 0o600); err != nil {
			return fmt.Errorf("token: %w", err)
		}
		r.clients.tokens[name] = token
		s.tokens = append(s.tokens, path)
	}
	return nil
}

// token returns one of the tokens of this run.
func (s *clients) token(name string) string { return s.tokens[name] }

// listen opens the socket with mode 0600 from the beginning.
func (s *socket) listen() error {
	if err := os.Remove(s.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("socket: %w", err)
	}
	mode := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error { // before it has a name
		var err error
		return errors.Join(raw.Control(func(fd uintptr) { err = unix.Fchmod(int(fd), 0o600) }), err)
	}}
	l, err := mode.Listen(context.Background(), "unix", s.path)
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	s.listener = l.(*net.UnixListener)
	s.listener.SetUnlinkOnClose(false)
	return nil
}

// close removes what open made.
func (s *socket) close() {
	if s.listener != nil {
		s.listener.Close()
		os.Remove(s.path)
	}
	for _, path := range s.tokens {
		os.Remove(path)
	}
	for _, name := range []string{"tmp", "plugins"} {
		if s.listener != nil {
			os.RemoveAll(filepath.Join(s.folder, name))
		}
	}
	for _, lock := range s.locks {
		os.Remove(lock.Name())
		lock.Close()
	}
	if s.own {
		os.RemoveAll(s.folder)
	}
}

// serve accepts clients until ctx ends, and waits for theirs to be over.
func (r *Runner) serve(ctx context.Context, s *socket) error {
	defer context.AfterFunc(ctx, func() { s.listener.Close() })()
	var all sync.WaitGroup
	defer all.Wait()
	r.log.Info("ready for clients", "socket", s.path)
	for {
		conn, err := s.listener.AcceptUnix()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			r.log.Error("accept", "error", err)
			select {
			case <-time.After(100 * time.Millisecond): // out of descriptors
				continue
			case <-ctx.Done():
				return nil
			}
		}
		if !r.clients.take() {
			conn.Close()
			continue
		}
		all.Go(func() {
			defer r.clients.leave()
			a, err := r.admission(conn)
			if err != nil {
				r.log.Warn("a client is refused", "error", err)
				conn.Close()
				return
			}
			r.serveClient(ctx, conn, a)
		})
	}
}
