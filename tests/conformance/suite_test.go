package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// built holds what the tests run: the suite, and the runner.
var built struct {
	suite *suite
	bin   string // a folder with runner and the names of the mutants
	err   error
}

func TestMain(m *testing.M) {
	name := filepath.Base(os.Args[0])
	for _, broken := range mutations {
		switch name {
		case "mutant-" + broken.name:
			os.Exit(playMutant(broken))
		case "plugin-" + broken.name:
			os.Exit(playPlugin(broken))
		}
	}
	if kind, isFake := strings.CutPrefix(name, "fake-"); isFake {
		os.Exit(playFake(kind))
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "uc-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	built.bin = dir
	built.err = build(dir)
	if built.err == nil {
		s, clean, err := prepare(filepath.Join(dir, "runner"))
		if err != nil {
			fmt.Fprintln(os.Stderr, "conformance:", err)
			return 1
		}
		defer clean()
		built.suite = s
	}
	return m.Run()
}

// build compiles the runner, and gives this test binary its other names.
func build(dir string) error {
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "runner"), "./agent/cmd/utter-runner")
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the runner: %w\n%s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	names := []string{"fake-yes", "fake-mute", "fake-polite"}
	for _, m := range mutations {
		names = append(names, "mutant-"+m.name, "plugin-"+m.name)
	}
	for _, name := range names {
		if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// brokenPatience is how long what a broken runner does not do is waited for.
const brokenPatience = 5 * time.Second

// slots bounds how many broken runners are at work at a time.
var slots = make(chan struct{}, 4)

// against is the suite with another runner.
func against(t *testing.T, program string, patience time.Duration) *suite {
	if built.err != nil {
		t.Fatal(built.err)
	}
	s := *built.suite
	s.runner, s.patience = program, patience
	return &s
}

// pick returns the checks with these ids.
func pick(t *testing.T, ids ...string) []check {
	var found []check
	for _, id := range ids {
		n := slices.IndexFunc(checks(), func(k check) bool { return k.ID == id })
		if n < 0 {
			t.Fatalf("there is no check %s", id)
		}
		found = append(found, checks()[n])
	}
	return found
}

// TestRunner is the suite against our runner.
func TestRunner(t *testing.T) {
	if testing.Short() {
		t.Skip("takes over a minute")
	}
	s := against(t, filepath.Join(built.bin, "runner"), 30*time.Second)
	for o := range s.runAll(context.Background(), checks(), 6) {
		switch o.verdict {
		case failed, blocked:
			t.Errorf("%s %s %s: %s\n%s", o.verdict, o.check.ID, o.check.Title, o.reason, o.talk)
		case skipped:
			t.Logf("skip %s %s: %s", o.check.ID, o.check.Title, o.reason)
		}
	}
}

// TestMutantsAreCaught proves for each broken runner that the checks named for
// it fail, and that they pass with the same proxy that changes nothing.
func TestMutantsAreCaught(t *testing.T) {
	t.Parallel()
	var viaSocket, viaPlugin []string
	for _, m := range mutations {
		if m.plugin != nil {
			viaPlugin = append(viaPlugin, m.caught...)
		} else {
			viaSocket = append(viaSocket, m.caught...)
		}
	}
	for _, m := range mutations {
		want, ids := failed, m.caught
		switch m.name {
		case "none":
			want, ids = passed, viaSocket
		case "none-plugin":
			want, ids = passed, viaPlugin
		}
		slices.Sort(ids)
		ids = slices.Compact(ids)
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			patience := brokenPatience
			if want == passed {
				patience = 20 * time.Second
			}
			s := against(t, filepath.Join(built.bin, "mutant-"+m.name), patience)
			for _, k := range pick(t, ids...) {
				o := s.run(k)
				if o.verdict == skipped {
					t.Skipf("%s: %s", k.ID, o.reason)
				}
				if o.verdict != want {
					t.Errorf("check %s (%s) is %s, must be %s: %s\n%s", k.ID, k.Title, o.verdict, want, o.reason, o.talk)
				} else if want == failed {
					t.Logf("%s: %s", k.ID, o.reason)
				}
			}
		})
	}
	if len(mutations) < 22 {
		t.Errorf("%d broken runners", len(mutations)-2)
	}
}

// TestNoCheckIsVacuous runs every check against runners that do nothing right:
// one answers {} to everything, one nothing, one refuses everything politely.
func TestNoCheckIsVacuous(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	t.Parallel()
	for _, kind := range []string{"yes", "mute", "polite"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			all := checks()
			for n := range all {
				all[n].Alone = false // nothing is measured here
			}
			s := against(t, filepath.Join(built.bin, "fake-"+kind), 500*time.Millisecond)
			for o := range s.runAll(context.Background(), all, 24) {
				// What the fakes send is well-formed: that 2.1 can fail is shown by mutants.
				if o.verdict == passed && o.check.ID != "2.1" {
					t.Errorf("%s passes: %s", o.check.ID, o.check.Title)
				}
			}
		})
	}
}

// TestHelloRust builds the plugin in Rust and runs it.
func TestHelloRust(t *testing.T) {
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		t.Skip("there is no cargo")
	}
	if testing.Short() {
		t.Skip("builds with cargo")
	}
	s := against(t, filepath.Join(built.bin, "runner"), 20*time.Second)
	manifest := filepath.Join(s.repo, "tests/plugins/hello_rs/Cargo.toml")
	if out, err := exec.Command(cargo, "fetch", "--manifest-path", manifest).CombinedOutput(); err != nil {
		t.Skipf("what it depends on is not to be had: %v\n%s", err, out)
	}
	if out, err := exec.Command(cargo, "build", "--release", "--offline", "--manifest-path",
		manifest).CombinedOutput(); err != nil {
		t.Fatalf("cargo build: %v\n%s", err, out)
	}
	if o := s.run(pick(t, "A.4")[0]); o.verdict != passed {
		t.Errorf("%s: %s\n%s", o.verdict, o.reason, o.talk)
	}
}

func TestChecksAreNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range checks() {
		if k.ID == "" || seen[k.ID] || k.Title == "" || k.Catches == "" || k.Run == nil {
			t.Errorf("check %q: its id must be its own, title, catches and run must be there", k.ID)
		}
		seen[k.ID] = true
	}
}
