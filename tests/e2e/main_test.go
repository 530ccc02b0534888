// Package e2e tests the real programs from outside: a fresh home, a private
// bus, a real headless compositor and real applications. What is believed comes
// from oracles outside Utter: files, the compositor's tree, a web server, a log
// of what a browser was given. It imports nothing of the product but the
// Wayland wire.
//
//	UTTER_E2E_COMPOSITOR  sway (default) or niri
//	UTTER_E2E_NIRI        the niri binary, for the latter
//	UTTER_E2E_SHOTS       1 saves a picture of every test's end in shots/
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// built holds the programs under test: bin is their folder, err says why there
// are none.
var built struct {
	bin string
	err error
}

func TestMain(m *testing.M) {
	os.Exit(runMain(m))
}

func runMain(m *testing.M) int {
	if missing := missingPrograms("sway", "swaymsg", "dbus-daemon", "foot", "xkbcli"); len(missing) > 0 {
		fmt.Printf("SKIP: the end-to-end tests need %v; run them with scripts/dev test ./tests/e2e\n", missing)
		return 0
	}
	// What an ended process leaves behind becomes ours, so that nothing that a
	// session started can get out of sight.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "e2e: become the subreaper:", err)
		return 1
	}
	dir, err := os.MkdirTemp("", "ub")
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	built.bin = dir
	built.err = build(dir)
	return m.Run()
}

// build compiles the agent, the command line and the settings app into dir.
func build(dir string) error {
	cmd := exec.Command("go", "build", "-o", dir+"/", "./agent/cmd/...", "./app/cmd/...")
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

func missingPrograms(names ...string) (missing []string) {
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, name)
		}
	}
	return missing
}

// needPrograms skips t where one of the programs is not installed.
func needPrograms(t *testing.T, names ...string) {
	t.Helper()
	if missing := missingPrograms(names...); len(missing) > 0 {
		t.Skipf("not installed: %v", missing)
	}
}
