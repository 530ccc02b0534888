package handle

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"utter/shared/plugin/protocol"
)

// temporary begins the names of files that are being written.
const temporary = ".tmp-"

// An Owner holds the handles of one connection. Its errors have codes.
type Owner struct {
	store *Store
	gone  chan struct{} // closed by Close

	// Under store.mu.
	closed  bool
	used    int64 // cost of what it pays for
	entries map[key]*entry
}

// NewOwner returns the handles of a connection.
func (s *Store) NewOwner() *Owner {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := &Owner{store: s, gone: make(chan struct{}), entries: map[key]*entry{}}
	s.owners[o] = struct{}{}
	return o
}

// Close forgets the handles of o, except shared ones, and ends its feeds.
func (o *Owner) Close() {
	o.store.mu.Lock()
	defer o.store.mu.Unlock()
	o.store.forget(o)
}

// forget is Close. Under mu.
func (s *Store) forget(o *Owner) {
	if o.closed {
		return
	}
	o.closed = true
	close(o.gone)
	for k := range o.entries {
		s.drop(o.entries, k)
	}
	for _, e := range s.shared {
		if e.owner == o {
			e.owner = nil
		}
	}
	delete(s.owners, o)
}

// Create keeps bytes and returns their handle. The same bytes again count once,
// and their time begins anew.
func (o *Owner) Create(p protocol.HandleCreateParams) (protocol.HandleResult, error) {
	var data []byte
	var err error
	switch {
	case p.DataB64 != nil:
		if data, err = decode(*p.DataB64); err != nil {
			return protocol.HandleResult{}, err
		}
	case p.Data != nil:
		data = []byte(*p.Data)
	case p.Size == nil:
		return protocol.HandleResult{}, protocol.Errorf(protocol.CodeInvalidParams, "data_b64, data or size is missing")
	case *p.Size < 0:
		return protocol.HandleResult{}, protocol.Errorf(protocol.CodeInvalidParams, "size is negative")
	case *p.Size > o.store.opts.MaxOwner:
		return protocol.HandleResult{}, o.store.tooLarge()
	default:
		data = make([]byte, *p.Size)
	}
	h := protocol.HandleOf(data)
	if err := o.keep(key{folder(p.Scope), h}, data); err != nil {
		return protocol.HandleResult{}, err
	}
	return protocol.HandleResult{Handle: h.String(), SHA256: h.Hex(), Size: int64(len(data))}, nil
}

// Adopt keeps the bytes that a plugin says are those of h, in scope "adopted".
// If they are not, nothing is kept.
func (o *Owner) Adopt(h protocol.Handle, dataB64 string) error {
	data, err := decode(dataB64)
	if err != nil {
		return err
	}
	if protocol.HandleOf(data) != h {
		return protocol.Errorf(protocol.CodePlugin, "what the plugin sent is not %s", h)
	}
	return o.keep(key{"adopted", h}, data)
}

func decode(text string) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "data_b64: %v", err)
	}
	return data, nil
}

func (s *Store) tooLarge() error {
	return protocol.Errorf(protocol.CodeInvalidParams, "handles have at most %d bytes", s.opts.MaxOwner)
}

func busy(format string, args ...any) error {
	return protocol.Errorf(protocol.CodeUnavailable, format, args...).With(protocol.Data{Reason: protocol.ReasonBusy})
}

// keep stores data as k, for o.
func (o *Owner) keep(k key, data []byte) error {
	s := o.store
	e := &entry{size: int64(len(data)), owner: o}
	if e.size > s.opts.MaxOwner {
		return s.tooLarge()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.closed || s.closed {
		return protocol.Errorf(protocol.CodeCancelled, "the connection ended")
	}
	entries := o.entries
	if k.scope == shared {
		entries = s.shared
	}
	now := time.Now()
	if old := entries[k]; old != nil && old.lives(now) {
		old.refs++
		old.expires = now.Add(s.opts.TTL)
		return nil
	} else if old != nil || o.used+e.cost() > s.opts.MaxOwner || s.total+e.cost() > s.opts.MaxAll {
		s.collect()
	}
	switch {
	case o.used+e.cost() > s.opts.MaxOwner:
		return busy("a connection has at most %d bytes of handles", s.opts.MaxOwner)
	case s.files[k] == 0 && s.total+e.cost() > s.opts.MaxAll:
		return busy("there are at most %d bytes of handles", s.opts.MaxAll)
	}
	if s.files[k] == 0 {
		if err := s.write(k, data); err != nil {
			return fmt.Errorf("keep %s: %w", k.handle, err)
		}
		s.total += e.cost()
	}
	s.files[k]++
	o.used += e.cost()
	e.refs, e.created, e.expires = 1, now, now.Add(s.opts.TTL)
	entries[k] = e
	return nil
}

// write makes the file of k, whole or not at all. Under mu.
func (s *Store) write(k key, data []byte) (err error) {
	if err := s.root.Mkdir(k.scope, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	s.lastID++
	name := filepath.Join(k.scope, fmt.Sprintf("%s%d", temporary, s.lastID))
	tmp, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Sync()
	}
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = s.root.Rename(name, k.path())
	}
	if err != nil {
		_ = s.root.Remove(name)
	}
	return err
}

// find returns what o may read as h. No scope means all: its own first, the one
// that lives longest. Under mu.
func (o *Owner) find(h protocol.Handle, scope string) (k key, e *entry, err error) {
	now := time.Now()
	look := func(entries map[key]*entry, scope string) {
		found := entries[key{scope, h}]
		if found != nil && found.lives(now) && (e == nil || found.expires.After(e.expires)) {
			k, e = key{scope, h}, found
		}
	}
	if scope != "" {
		look(o.entries, folder(scope))
	} else {
		for own := range o.entries {
			if own.handle == h {
				look(o.entries, own.scope)
			}
		}
	}
	if e == nil && (scope == "" || folder(scope) == shared) {
		look(o.store.shared, shared)
	}
	if e == nil {
		return k, nil, unknown(h)
	}
	return k, e, nil
}

func unknown(h protocol.Handle) error {
	return protocol.Errorf(protocol.CodePlugin, "%s does not exist, or no longer does", h)
}

// open opens the file of what p names, and returns its size.
func (o *Owner) open(text, scope string) (f *os.File, h protocol.Handle, size int64, err error) {
	if h, err = protocol.ParseHandle(text); err != nil {
		return nil, h, 0, err
	}
	o.store.mu.Lock()
	defer o.store.mu.Unlock()
	k, e, err := o.find(h, scope)
	if err != nil {
		return nil, h, 0, err
	}
	// Somebody may have put anything there: nothing that makes Open or Read wait.
	f, err = o.store.root.OpenFile(k.path(), os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, h, 0, unknown(h)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, h, 0, unknown(h)
	}
	return f, h, e.size, nil
}

// Fetch returns the bytes of a handle, up to protocol.MaxInline of them.
func (o *Owner) Fetch(p protocol.HandleParams) (protocol.HandleFetchResult, error) {
	f, h, size, err := o.open(p.Handle, p.Scope)
	if err != nil {
		return protocol.HandleFetchResult{}, err
	}
	defer f.Close()
	if size > protocol.MaxInline {
		return protocol.HandleFetchResult{}, protocol.Errorf(protocol.CodeTooLargeInline, "%d bytes need fd.pass", size).
			With(protocol.Data{Size: int(size), MaxInline: protocol.MaxInline, Handle: h.String()})
	}
	data, err := read(f, h, size)
	if err != nil {
		return protocol.HandleFetchResult{}, err
	}
	return protocol.HandleFetchResult{Size: size, SHA256: h.Hex(), DataB64: base64.StdEncoding.EncodeToString(data)}, nil
}

// read returns the content of f, which must still be what h names: the files can
// be written by every program of the user.
func read(f *os.File, h protocol.Handle, size int64) ([]byte, error) {
	var data bytes.Buffer
	data.Grow(int(size) + bytes.MinRead)
	if _, err := io.Copy(&data, io.LimitReader(f, size+1)); err != nil {
		return nil, fmt.Errorf("read %s: %w", h, err)
	}
	if protocol.HandleOf(data.Bytes()) != h {
		return nil, protocol.Errorf(protocol.CodePlugin, "the bytes of %s were changed", h)
	}
	return data.Bytes(), nil
}

// Stat describes a handle.
func (o *Owner) Stat(p protocol.HandleParams) (protocol.HandleStatResult, error) {
	h, err := protocol.ParseHandle(p.Handle)
	if err != nil {
		return protocol.HandleStatResult{}, err
	}
	o.store.mu.Lock()
	defer o.store.mu.Unlock()
	_, e, err := o.find(h, p.Scope)
	if err != nil {
		return protocol.HandleStatResult{}, err
	}
	return protocol.HandleStatResult{
		Handle: h.String(), SHA256: h.Hex(), Size: e.size, RefCount: e.refs,
		Created: seconds(e.created), Expires: seconds(e.expires), TTL: o.store.opts.TTL.Seconds(),
	}, nil
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
