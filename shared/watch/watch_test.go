package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// TestFieldBug17 saves in the ways of the editors, each twice: a watch that an
// atomic save kills would miss the second.
func TestFieldBug17(t *testing.T) {
	for name, save := range map[string]func(t *testing.T, path string, i int){
		"in place": func(t *testing.T, path string, _ int) { write(t, path, "id: a\n") },
		"temp and rename": func(t *testing.T, path string, _ int) {
			write(t, path+".tmp", "id: a\n")
			rename(t, path+".tmp", path)
		},
		"rename away and create": func(t *testing.T, path string, _ int) {
			if err := os.Rename(path, path+"~"); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			write(t, path, "id: a\n")
		},
		"delete and create": func(t *testing.T, path string, _ int) {
			remove(t, path)
			write(t, path, "id: a\n")
		},
		"in two pieces": func(t *testing.T, path string, _ int) {
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			for _, piece := range []string{"id: a\n", "name: b\n"} {
				if _, err := f.WriteString(piece); err != nil {
					t.Fatal(err)
				}
			}
		},
		"its mode": func(t *testing.T, path string, i int) {
			if i == 0 {
				write(t, path, "id: a\n")
			}
			if err := os.Chmod(path, 0o600|os.FileMode(i)<<3); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := watch(t, nil)
			for i := range 2 {
				save(t, w.path("d/a.yaml"), i)
				w.tells("a file in the folder")
				save(t, w.path("f/config.yaml"), i)
				w.tells("a file that is watched by itself")
			}
			remove(t, w.path("d/a.yaml"))
			w.tells("removing it")
		})
	}
}

func TestFieldBug17FiftySavesInASecond(t *testing.T) {
	t.Parallel()
	w := watch(t, nil)
	before := w.calls.Load()
	began := time.Now()
	for i := range 50 {
		write(t, w.path("d/a.yaml.tmp"), "id: a\n")
		rename(t, w.path("d/a.yaml.tmp"), w.path("d/a.yaml"))
		time.Sleep(time.Until(began.Add(time.Duration(i+1) * 20 * time.Millisecond)))
	}
	took := time.Since(began)
	w.quiet()
	calls := w.calls.Load() - before
	// They are told while it goes on, and at most once in a patience.
	if most := int64(took/patience) + 3; calls < 2 || calls > most {
		t.Errorf("50 saves in %v are told %d times, want 2 to %d", took, calls, most)
	}
}

func TestWhatDoesNotMatterIsNotTold(t *testing.T) {
	t.Parallel()
	w := watch(t, nil)
	for _, name := range []string{"d/a.yaml.tmp", "d/.a.yaml.swp", "d/4913", "d/notes.txt", "f/other.conf"} {
		write(t, w.path(name), "x")
	}
	w.silent("a file of another ending")
	write(t, w.path("x.yaml"), "x")
	w.silent("a file beside the folder")
	if _, err := os.ReadFile(w.path("f/config.yaml")); err != nil {
		t.Fatal(err)
	}
	w.silent("reading")
}

// TestThePathsAreTold so that nobody needs to look at what he wrote himself.
func TestThePathsAreTold(t *testing.T) {
	t.Parallel()
	w := watch(t, nil)
	told := func() []string {
		var all []string
		for {
			select {
			case paths := <-w.paths:
				all = append(all, paths...)
				continue
			default:
			}
			slices.Sort(all)
			return slices.Compact(all)
		}
	}
	told()
	write(t, w.path("d/a.yaml.tmp"), "id: a\n")
	rename(t, w.path("d/a.yaml.tmp"), w.path("d/a.yaml"))
	write(t, w.path("d/b.yaml"), "id: b\n")
	w.tells("two files")
	if got, want := told(), []string{w.path("d/a.yaml"), w.path("d/b.yaml")}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	for i := range maxPaths + 10 {
		write(t, w.path(fmt.Sprintf("d/%d.yaml", i)), "id: a\n")
	}
	w.tells("many files")
	if got := told(); len(got) > maxPaths {
		t.Errorf("told %d paths", len(got))
	}
}

func TestFoldersThatAreMadeLater(t *testing.T) {
	t.Parallel()
	w := watch(t, func(string) {})
	mkdir(t, w.path("d"))
	w.tells("the folder")
	write(t, w.path("d/a.yaml"), "id: a\n")
	w.tells("a file in it")
	mkdir(t, w.path("d/sub"))
	w.tells("a sub-folder")
	write(t, w.path("d/sub/b.yaml"), "id: b\n")
	w.tells("a file in the sub-folder")
	mkdir(t, w.path("d/sub/sub/deep"))
	w.tells("the last sub-folder that is watched")
	write(t, w.path("d/sub/sub/c.yaml"), "id: b\n")
	w.tells("a file in it")
	write(t, w.path("d/sub/sub/deep/c.yaml"), "id: b\n")
	w.silent("a file too deep")
	remove(t, w.dir)
	w.tells("removing it all")
	mkdir(t, w.dir)
	w.tells("making it again")
	write(t, w.path("d/a.yaml"), "id: a\n")
	w.tells("a file in the new one")
	rename(t, w.dir, w.path("away"))
	w.tells("moving it away")
	write(t, w.path("away/a.yaml"), "id: b\n")
	w.silent("a file where it has gone")
}

// TestAFolderFarBelowWhatIsThere: ~/.config does not exist in a new home.
func TestAFolderFarBelowWhatIsThere(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	told := make(chan struct{}, 1000)
	w := New(Set{Folders: []string{filepath.Join(root, "a/b/c")},
		Files: []string{filepath.Join(root, "a/b/config.toml")}, Ends: []string{".yaml"}},
		func([]string) bool { told <- struct{}{}; return false }, nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go w.Run(ctx)
	for _, step := range []func(){
		func() { mkdir(t, filepath.Join(root, "a/b/c")) },
		func() { write(t, filepath.Join(root, "a/b/c/x.yaml"), "id: x\n") },
		func() { write(t, filepath.Join(root, "a/b/config.toml"), "x = 1\n") },
	} {
		for tries := 0; ; tries++ {
			step()
			select {
			case <-told:
			case <-time.After(time.Second):
				if tries == 20 {
					t.Fatal("it is not told")
				}
				remove(t, filepath.Join(root, "a")) // it may not have been watching yet
				mkdir(t, filepath.Join(root, "a/b/c"))
				continue
			}
			break
		}
		for range 3 {
			select {
			case <-told:
			case <-time.After(2 * patience):
			}
		}
	}
}

func TestWhoAsksIsCalledAgain(t *testing.T) {
	t.Parallel()
	w := watch(t, nil)
	w.again.Store(3)
	before := w.calls.Load()
	write(t, w.path("d/a.yaml"), "")
	w.tells("an empty file")
	if got := w.calls.Load() - before; got < 4 {
		t.Errorf("called %d times, though it asked three times for more", got)
	}
}

// TestFieldBug22 has no watches: what there is is looked at every two seconds.
func TestFieldBug22(t *testing.T) {
	t.Parallel()
	calls, trouble := make(chan struct{}, 100), make(chan error, 1)
	w := New(Set{}, func([]string) bool { calls <- struct{}{}; return false }, func(err error) { trouble <- err },
		slog.New(slog.NewTextHandler(io.Discard, nil)))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	began := time.Now()
	go func() { ended <- w.poll(ctx, syscall.ENOSPC) }()
	if err := <-trouble; !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the trouble is %v", err)
	}
	<-calls
	<-calls
	if took := time.Since(began); took < pollPause-100*time.Millisecond {
		t.Errorf("two looks in %v", took)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
