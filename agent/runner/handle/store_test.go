package handle

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"utter/shared/plugin/protocol"
)

func open(t testing.TB, o Options) *Store {
	t.Helper()
	if o.Root == "" {
		o.Root = filepath.Join(t.TempDir(), "handles")
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func create(t testing.TB, o *Owner, text, scope string) protocol.HandleParams {
	t.Helper()
	r, err := o.Create(protocol.HandleCreateParams{Data: &text, Scope: scope})
	if err != nil {
		t.Fatal(err)
	}
	return protocol.HandleParams{Handle: r.Handle}
}

// files lists what is in a folder, for oracles beside our own answers.
func files(t testing.TB, root string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimPrefix(path, root+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestWhoMayRead(t *testing.T) {
	s := open(t, Options{})
	maker, other := s.NewOwner(), s.NewOwner()
	private, public := create(t, maker, "private", "mine"), create(t, maker, "public", "shared")
	in := func(p protocol.HandleParams, scope string) protocol.HandleParams { p.Scope = scope; return p }
	tests := []struct {
		name string
		o    *Owner
		p    protocol.HandleParams
		ok   bool
	}{
		{"own, any scope", maker, private, true},
		{"own, by scope", maker, in(private, "mine"), true},
		{"own, another scope", maker, in(private, "runner"), false},
		{"foreign", other, private, false},
		{"foreign, by scope", other, in(private, "mine"), false},
		{"foreign, as shared", other, in(private, "shared"), false},
		{"shared, any scope", other, public, true},
		{"shared, by scope", other, in(public, "shared"), true},
		{"shared, another scope", other, in(public, "mine"), false},
	}
	for _, tt := range tests {
		_, fetchErr := tt.o.Fetch(tt.p)
		_, statErr := tt.o.Stat(tt.p)
		_, passErr := tt.o.Pass(protocol.FDPassParams{Kind: "handle",
			Meta: protocol.FDMeta{Handle: tt.p.Handle, Scope: tt.p.Scope}})
		for _, err := range []error{fetchErr, statErr, passErr} {
			if (err == nil) != tt.ok || err != nil && protocol.CodeOf(err) != protocol.CodePlugin {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
	}

	create(t, other, "private", "mine") // the same bytes, the same scope
	maker.Close()
	if _, err := other.Fetch(private); err != nil {
		t.Errorf("the bytes went with somebody else: %v", err)
	}
	if _, err := other.Fetch(public); err != nil {
		t.Errorf("shared ones went with their maker: %v", err)
	}
	other.Close()
	if left := files(t, s.root.Name()); len(left) != 1 || !strings.HasPrefix(left[0], "shared/") {
		t.Errorf("left behind: %q", left)
	}
	if _, err := maker.Create(protocol.HandleCreateParams{Data: new(string)}); protocol.CodeOf(err) != protocol.CodeCancelled {
		t.Errorf("Create after Close = %v", err)
	}
}

func TestScopesAreNoPaths(t *testing.T) {
	tests := map[string]string{
		"": "runner", "adopted": "adopted", "..": "_.", ".": "_", ".hidden": "_hidden",
		"a/../b": "a_.._b", "../../x": "_._.._x",
		"ümlaut": "__mlaut", "a.b-c_D9": "a.b-c_D9",
		strings.Repeat("x", 200): strings.Repeat("x", 128), "shared/": "shared_",
	}
	for scope, want := range tests {
		if got := folder(scope); got != want {
			t.Errorf("folder(%q) = %q, want %q", scope, got, want)
		}
	}
	s := open(t, Options{})
	for scope := range tests {
		create(t, s.NewOwner(), "x", scope)
	}
	for _, name := range files(t, s.root.Name()) {
		if strings.Count(name, "/") != 1 {
			t.Errorf("a file at %q", name)
		}
	}
}

func TestLimits(t *testing.T) {
	s := open(t, Options{MaxOwner: 16 << 10, MaxAll: 24 << 10})
	fill := func(o *Owner, n int, c string) error {
		text := strings.Repeat(c, n)
		_, err := o.Create(protocol.HandleCreateParams{Data: &text})
		return err
	}
	a, b := s.NewOwner(), s.NewOwner()
	if err := fill(a, 12<<10, "a"); err != nil {
		t.Fatal(err)
	}
	if err := fill(a, 12<<10, "a"); err != nil {
		t.Errorf("the same bytes again: %v", err)
	}
	if err := fill(a, 8<<10, "b"); protocol.ErrorData(err).Reason != protocol.ReasonBusy {
		t.Errorf("over the owner's: %v", err)
	}
	if err := fill(a, 1, "c"); err != nil {
		t.Errorf("what fits: %v", err)
	}
	if err := fill(a, 1, "d"); err == nil {
		t.Error("a byte does not count a page")
	}
	if err := fill(b, 12<<10, "a"); err != nil {
		t.Errorf("bytes that are there already: %v", err)
	}
	if err := fill(s.NewOwner(), 12<<10, "e"); protocol.ErrorData(err).Reason != protocol.ReasonBusy {
		t.Errorf("over that of all: %v", err)
	}
	a.Close()
	if err := fill(s.NewOwner(), 12<<10, "e"); err != nil {
		t.Errorf("after somebody went: %v", err)
	}
	b.Close()
	if s.total != 12<<10 || len(s.files) != 1 {
		t.Errorf("counts %d bytes, %d files", s.total, len(s.files))
	}
}

func TestTime(t *testing.T) {
	root := filepath.Join(t.TempDir(), "handles")
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(Options{Root: root, TTL: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		go s.Run(t.Context())
		o := s.NewOwner()
		p := create(t, o, "x", "")
		shared := create(t, s.NewOwner(), "y", "shared")
		time.Sleep(50 * time.Second)
		create(t, o, "x", "")
		st, err := o.Stat(p)
		if err != nil || st.RefCount != 2 || st.TTL != 60 || st.Expires-st.Created != 110 || st.Size != 1 {
			t.Errorf("Stat = %+v, %v", st, err)
		}
		time.Sleep(50 * time.Second)
		if _, err := o.Fetch(p); err != nil {
			t.Errorf("making it again did not begin its time anew: %v", err)
		}
		if _, err := o.Fetch(shared); err == nil {
			t.Error("a shared one outlived its time")
		}
		time.Sleep(10 * time.Second)
		if _, err := o.Fetch(p); protocol.CodeOf(err) != protocol.CodePlugin {
			t.Errorf("too old: %v", err)
		}
		time.Sleep(10 * time.Second)
		if left := files(t, root); left != nil {
			t.Errorf("nobody looked, and so %q stay", left)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if o.used != 0 || s.total != 0 {
			t.Errorf("counts %d and %d bytes", o.used, s.total)
		}
	})
}

func TestChangedFilesAreNotServed(t *testing.T) {
	s := open(t, Options{})
	o := s.NewOwner()
	outside := filepath.Join(t.TempDir(), "secret")
	os.WriteFile(outside, []byte("secret"), 0o600)
	spoil := map[string]func(path string) error{
		"other bytes":  func(path string) error { return os.WriteFile(path, []byte("other"), 0o600) },
		"longer":       func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("x"), 1<<20), 0o600) },
		"a link":       func(path string) error { os.Remove(path); return os.Symlink(outside, path) },
		"a named pipe": func(path string) error { os.Remove(path); return syscall.Mkfifo(path, 0o600) },
		"a folder":     func(path string) error { os.Remove(path); return os.Mkdir(path, 0o700) },
		"nothing":      os.Remove,
	}
	for name, do := range spoil {
		p := create(t, o, name, "")
		h, _ := protocol.ParseHandle(p.Handle)
		if err := do(filepath.Join(s.root.Name(), "runner", h.Hex())); err != nil {
			t.Fatal(err)
		}
		if got, err := o.Fetch(p); protocol.CodeOf(err) != protocol.CodePlugin {
			t.Errorf("%s: Fetch = %+v, %v", name, got, err)
		}
		if got, err := o.Pass(protocol.FDPassParams{Kind: "handle",
			Meta: protocol.FDMeta{Handle: p.Handle}}); protocol.CodeOf(err) != protocol.CodePlugin {
			t.Errorf("%s: Pass = %+v, %v", name, got, err)
		}
	}
}

func TestAdopt(t *testing.T) {
	o := open(t, Options{}).NewOwner()
	h := protocol.HandleOf([]byte("song"))
	if err := o.Adopt(h, base64.StdEncoding.EncodeToString([]byte("other"))); err == nil {
		t.Error("other bytes were adopted")
	}
	if _, err := o.Stat(protocol.HandleParams{Handle: h.String()}); err == nil {
		t.Error("something was kept")
	}
	if err := o.Adopt(h, "?"); err == nil {
		t.Error("no base64 was adopted")
	}
	if err := o.Adopt(h, base64.StdEncoding.EncodeToString([]byte("song"))); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Fetch(protocol.HandleParams{Handle: h.String(), Scope: "adopted"}); err != nil {
		t.Error(err)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "utter/handles")
	s := open(t, Options{Root: root})
	create(t, s.NewOwner(), "x", "a")
	for _, name := range []string{"", "a", "a/" + protocol.HandleOf([]byte("x")).Hex()} {
		info, err := os.Stat(filepath.Join(root, name))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%q: %v, %v", name, info.Mode(), err)
		}
	}

	// What a killed runner left goes, what is not ours stays.
	os.WriteFile(filepath.Join(root, "a/.tmp-7"), nil, 0o600)
	os.WriteFile(filepath.Join(root, "a/photo.jpg"), nil, 0o600)
	os.WriteFile(filepath.Join(root, "letter"), nil, 0o600)
	os.Chmod(root, 0o755)
	open(t, Options{Root: root})
	if left := strings.Join(files(t, root), " "); left != "a/photo.jpg letter" {
		t.Errorf("left: %s", left)
	}
	if info, _ := os.Stat(root); info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v", info.Mode())
	}

	link, file := filepath.Join(dir, "link"), filepath.Join(dir, "file")
	os.Symlink(root, link)
	os.WriteFile(file, nil, 0o600)
	for _, bad := range []string{"", link, file} {
		if _, err := Open(Options{Root: bad}); err == nil {
			t.Errorf("Open(%q) took it", bad)
		}
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	s := open(t, Options{})
	o := s.NewOwner()
	create(t, o, "x", "")
	create(t, o, "y", "shared")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(s.root.Name()); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
