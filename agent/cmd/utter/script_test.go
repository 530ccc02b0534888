package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"utter/tests/fakes/privatebus"
)

var update = flag.Bool("update", false, "write what the commands print into testdata")

// TestScripts runs the commands of each testdata/*.script and compares what they
// print. To add a case, write its "$ " line, run go test -update, and read the
// diff. The lines of a script are:
//
//	@ agent    there is an agent (a stub); "bus": a bus without one; "none": no
//	           bus; "broken": an agent without a compositor
//	> FILE     a file with the following "+ " lines; ~ is a fresh home
//	# ...      a comment
//	< TEXT     a line of standard input for the next command
//	$ utter …  a command; an argument in double quotes is a Go string
//	| ...      a line of its standard output; "! " of its standard error
//	= N        its exit status
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.script")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".script"), func(t *testing.T) {
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := newScript(t).play(string(want))
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			compareLines(t, got, string(want))
		})
	}
}

func compareLines(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	command := ""
	for i := range max(len(g), len(w)) {
		a, b := "(nothing)", "(nothing)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			t.Fatalf("line %d, of %s\n got %s\nwant %s", i+1, command, a, b)
		}
		if strings.HasPrefix(a, "$ ") {
			command = a
		}
	}
}

// A script is one that is running.
type script struct {
	t     *testing.T
	home  string
	out   strings.Builder
	stdin []string
	file  string // that "+ " lines go to
}

func newScript(t *testing.T) *script {
	t.Helper()
	s := &script{t: t, home: t.TempDir()}
	for name, dir := range map[string]string{
		"HOME": "", "XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data", "XDG_STATE_HOME": "state",
		"XDG_RUNTIME_DIR": "run", "PATH": "bin",
	} {
		t.Setenv(name, filepath.Join(s.home, dir))
	}
	t.Setenv("XDG_DATA_DIRS", filepath.Join(s.home, "share"))
	t.Setenv("XDG_CURRENT_DESKTOP", "")
	t.Setenv("LANG", "C.UTF-8")
	return s
}

// play runs a script and returns it with what was printed.
func (s *script) play(text string) string {
	s.t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		mark, rest, _ := strings.Cut(line, " ")
		switch mark {
		case "|", "!", "=":
			continue // made anew
		case "@":
			s.desktop(rest)
		case ">":
			s.file = filepath.Join(s.home, strings.TrimPrefix(rest, "~/"))
			s.write("", os.O_TRUNC)
		case "+":
			s.write(rest+"\n", os.O_APPEND)
		case "<":
			s.stdin = append(s.stdin, rest+"\n")
		}
		fmt.Fprintln(&s.out, line)
		if mark == "$" {
			s.command(rest)
		}
	}
	return s.out.String()
}

func (s *script) write(text string, how int) {
	s.t.Helper()
	err := os.MkdirAll(filepath.Dir(s.file), 0o700)
	if err != nil {
		s.t.Fatal(err)
	}
	f, err := os.OpenFile(s.file, os.O_WRONLY|os.O_CREATE|how, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// desktop makes what a script wants to be there.
func (s *script) desktop(what string) {
	s.t.Helper()
	address := "unix:path=" + filepath.Join(s.home, "nowhere")
	if what != "none" {
		address = privatebus.Start(s.t, nil)
	}
	s.t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	switch what {
	case "agent":
		stub{}.serve(s.t, address, "ok")
	case "broken":
		stub{}.serve(s.t, address, "absent")
	case "bus", "none":
	default:
		s.t.Fatalf("there is no %q", what)
	}
}

// command runs one command and writes down what it does.
func (s *script) command(line string) {
	s.t.Helper()
	args := split(s.t, line)
	if len(args) == 0 || args[0] != "utter" {
		s.t.Fatalf("%s: write utter", line)
	}
	for i, a := range args {
		if rest, ok := strings.CutPrefix(a, "~/"); ok {
			args[i] = filepath.Join(s.home, rest)
		}
	}
	stdin := strings.NewReader(strings.Join(s.stdin, ""))
	s.stdin = nil
	var stdout, stderr bytes.Buffer
	status := run(s.t.Context(), args[1:], stdin, &stdout, &stderr)
	flags, _, _ := strings.Cut(line, " -- ")
	if strings.Contains(flags, "--json") {
		checkEnvelope(s.t, line, status, stdout.Bytes(), stderr.String())
	}
	s.print("| ", stdout.String())
	s.print("! ", stderr.String())
	fmt.Fprintf(&s.out, "= %d\n", status)
}

func (s *script) print(mark, text string) {
	text = strings.ReplaceAll(text, s.home, "~")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "(no line end)\n"
	}
	for line := range strings.Lines(text) {
		s.out.WriteString(strings.TrimRight(mark+line, " \n") + "\n")
	}
}

// split reads a command line: words, of which those in double quotes are Go
// strings.
func split(t *testing.T, line string) []string {
	t.Helper()
	var args []string
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		word, rest, _ := strings.Cut(line, " ")
		if line[0] == '"' {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			rest = line[len(quoted):]
			if word, err = strconv.Unquote(quoted); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		args, line = append(args, word), rest
	}
	return args
}

// checkEnvelope checks what every command prints with --json: one object of the
// known form on standard output, and nothing else anywhere.
func checkEnvelope(t *testing.T, command string, status int, stdout []byte, stderr string) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(stdout))
	dec.DisallowUnknownFields()
	var e struct {
		Schema, Command string
		OK              *bool
		Data            json.RawMessage
		Error           *struct{ Reason, Message string }
	}
	if err := dec.Decode(&e); err != nil {
		t.Errorf("%s: %v: %s", command, err, stdout)
		return
	}
	if rest, _ := io.ReadAll(io.MultiReader(dec.Buffered())); strings.TrimSpace(string(rest)) != "" || stderr != "" {
		t.Errorf("%s: prints %q besides, and the error %q", command, rest, stderr)
	}
	ok := e.OK != nil && *e.OK
	if e.Schema != "utter.cli/v1" || e.Command == "" || e.OK == nil || ok != (status == 0) || ok != (e.Error == nil) {
		t.Errorf("%s: exit status %d, envelope %s", command, status, stdout)
	}
	if e.Error != nil && (e.Error.Reason == "" || e.Error.Message == "") {
		t.Errorf("%s: the error says nothing: %s", command, stdout)
	}
}
