// Package docs tests the documentation: every code block in the README and the
// guides is run on a private desktop, or read by the program it is for.
package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const root = "../.."

// A block is the text between two fences. One with a name is a file, or with
// language sh is run in the folder of that name: see plugin_test.go.
type block struct {
	file     string
	line     int
	language string
	name     string
	text     string
}

// blocks reads the fenced blocks of a Markdown file.
func blocks(t *testing.T, file string) []block {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []block
	var open *block
	for i, line := range strings.Split(string(data), "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			language, name, _ := strings.Cut(info, " ")
			open = &block{file: filepath.Base(file), line: i + 1, language: language, name: name}
		case fence:
			all = append(all, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: a block without its end", file, open.line)
	}
	return all
}

// documents are the files whose blocks are run.
func documents(t *testing.T) []string {
	t.Helper()
	guides, err := filepath.Glob(filepath.Join(root, "data/guides/*.md"))
	if err != nil || len(guides) < 4 {
		t.Fatalf("guides %v, %v", guides, err)
	}
	return append(guides, filepath.Join(root, "README.md"))
}

// build makes the programs once.
func build(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("sway"); err != nil {
		t.Skip("sway is not installed here; run this by ./scripts/dev test")
	}
	bin, err := os.MkdirTemp("", "utter-docs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(bin) })
	cmd := exec.Command("go", "build", "-o", bin+"/", "./agent/cmd/...")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// TestShellBlocksRun runs the shell blocks of each document in a session of its
// own, in their order. The README's command that runs all tests is what .ci/run
// calls, so it is compared with that instead.
func TestShellBlocksRun(t *testing.T) {
	bin := build(t)
	source, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range documents(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var script strings.Builder
			script.WriteString("set -euo pipefail\n")
			if dir := named(t, file); dir != "" {
				if _, err := os.Stat(filepath.Join(bin, "utter-runner")); err != nil {
					t.Skip("there is no utter-runner in this tree")
				}
				fmt.Fprintf(&script, "cd %s\n", dir)
			}
			for _, b := range blocks(t, file) {
				if b.language != "sh" || b.name != "" {
					continue
				}
				if strings.TrimSpace(b.text) == "./scripts/dev test" {
					checkCI(t)
					continue
				}
				fmt.Fprintf(&script, "echo '## %s:%d'\n%s", b.file, b.line, b.text)
			}
			prefix := t.TempDir()
			cmd := exec.Command(filepath.Join(source, "scripts/bed/session"), bin, "bash", "-c", script.String())
			cmd.Dir = source
			if strings.Contains(script.String(), "meson setup build") {
				cmd.Dir = copyOf(t, source) // the source stays clean
			}
			cmd.Env = append(os.Environ(), "UTTER_BED=native", "PREFIX="+prefix)
			cmd.WaitDelay = 10 * time.Second
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// copyOf makes a copy of what git tracks.
func copyOf(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("bash", "-c",
		`git -C "$1" -c safe.directory='*' ls-files -z |
			tar -C "$1" --null --ignore-failed-read -cf - -T - | tar -xf - -C "$2"`, "copy", source, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("copy: %v\n%s", err, out)
	}
	return dir
}

func checkCI(t *testing.T) {
	t.Helper()
	ci, err := os.ReadFile(filepath.Join(root, ".ci/run"))
	if err != nil || !strings.Contains(string(ci), "exec ./scripts/dev test\n") {
		t.Errorf(".ci/run does not call what the README says (%v)", err)
	}
}

// TestFileBlocksAreValid has every profile and configuration in the guides read
// by the programs.
func TestFileBlocksAreValid(t *testing.T) {
	bin := build(t)
	seen := map[string]int{}
	for _, file := range documents(t) {
		for _, b := range blocks(t, file) {
			if b.name != "" {
				continue
			}
			seen[b.language]++
			config := t.TempDir()
			var cmd *exec.Cmd
			switch b.language {
			case "sh", "":
				continue
			case "yaml":
				write(t, filepath.Join(config, "utter/profiles/other_example.yaml"), b.text)
				cmd = exec.Command(filepath.Join(bin, "utter"), "apps", "validate")
			case "toml":
				write(t, filepath.Join(config, "utter/config.toml"), b.text)
				cmd = exec.Command(filepath.Join(bin, "utter-agent"), "-check-config")
			default:
				t.Errorf("%s:%d: nothing runs %q blocks", b.file, b.line, b.language)
				continue
			}
			cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+config)
			if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "warning") {
				t.Errorf("%s:%d: %v\n%s", b.file, b.line, err, out)
			}
		}
	}
	if seen["yaml"] == 0 || seen["toml"] == 0 {
		t.Errorf("blocks seen: %v", seen)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
