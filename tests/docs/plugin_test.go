package docs

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var pluginGuide = filepath.Join(root, "data/guides/writing-a-plugin.md")

// named writes the blocks of a guide that are files into a folder, with the
// source beside them as a reader would have it. It returns "" if there are none.
func named(t *testing.T, file string) (dir string) {
	t.Helper()
	for _, b := range blocks(t, file) {
		if b.name == "" || b.language == "sh" {
			continue
		}
		if dir == "" {
			dir = besideSource(t)
		}
		place(t, dir, b)
	}
	return dir
}

// besideSource makes a folder with the source in it.
func besideSource(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	source, err := filepath.Abs(root)
	if err == nil {
		err = os.Symlink(source, filepath.Join(dir, "utter"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// place does what a reader does with a block that has a name: the file gets its
// text, or with language diff the lines that are new.
func place(t *testing.T, dir string, b block) {
	t.Helper()
	path := filepath.Join(dir, b.name)
	if b.language != "diff" {
		write(t, path, b.text)
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var before, after strings.Builder
	for line := range strings.Lines(b.text) {
		if line[0] != '+' {
			before.WriteString(line[1:])
		}
		if line[0] != '-' {
			after.WriteString(line[1:])
		}
	}
	if n := strings.Count(string(text), before.String()); n != 1 {
		t.Fatalf("%s:%d: %s has what it changes %d times:\n%s", b.file, b.line, b.name, n, text)
	}
	write(t, path, strings.Replace(string(text), before.String(), after.String(), 1))
}

// goRun runs a shell line in dir, without the network.
func goRun(t *testing.T, dir, line string) {
	t.Helper()
	cmd := exec.Command("sh", "-euc", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOSUMDB=off", "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// A wire speaks with a plugin, with frames of its own making.
type wire struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	n   int
}

func startPlugin(t *testing.T, dir string, argv ...string) *wire {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "UTTER_PLUGIN_COOKIE=test", "UTTER_PLUGIN_ID=dice")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	t.Cleanup(func() { kill.Stop(); cmd.Process.Kill(); cmd.Wait() })
	return &wire{t: t, cmd: cmd, in: in, out: bufio.NewReader(out)}
}

// ask sends a request, its header as format says, and returns the reply.
func (w *wire) ask(format, method, params string) (reply struct {
	ID     int
	Result map[string]any
	Error  *struct{ Code int }
}) {
	w.t.Helper()
	w.n++
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, w.n, method, params)
	fmt.Fprintf(w.in, format, len(body), body)
	header, err := textproto.NewReader(w.out).ReadMIMEHeader()
	if err != nil {
		w.t.Fatalf("%s: %v", method, err)
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || len(header) != 1 {
		w.t.Fatalf("%s: header %v", method, header)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(w.out, text); err != nil {
		w.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &reply); err != nil || reply.ID != w.n {
		w.t.Fatalf("%s: %s, %v", method, text, err)
	}
	return reply
}

// driveDice does with a dice what the guide says of it.
func driveDice(t *testing.T, w *wire) {
	t.Helper()
	const usual = "Content-Length: %d\r\n\r\n%s"
	hello := w.ask(usual, "protocol.hello", `{"protocol":"1.0","abi":1,"runner":"test","epoch":0,"settings":{}}`)
	if hello.Result["protocol"] != "1.0" || hello.Result["abi"] != 1.0 {
		t.Errorf("hello %v", hello)
	}
	for _, header := range []string{usual, "content-length:%d\r\nX-Other: 1\r\n\r\n%s", "CONTENT-LENGTH: %d\r\n\r\n%s"} {
		if health := w.ask(header, "plugin.health", "{}"); health.Result["status"] != "ok" {
			t.Errorf("health %v", health)
		}
	}
	methods := fmt.Sprint(w.ask(usual, "plugin.describe", "{}").Result["methods"])
	ops := fmt.Sprint(w.ask(usual, "action.capabilities", "{}").Result["ops"])
	if !strings.Contains(methods, "router.plan") || !strings.Contains(ops, "dice.roll") ||
		!strings.Contains(ops, "additionalProperties:false") {
		t.Errorf("methods %s, ops %s", methods, ops)
	}
	if steps := w.ask(usual, "router.plan",
		`{"utterance":"open youtube","provenance":"user"}`).Result["steps"]; fmt.Sprint(steps) != "[]" {
		t.Errorf("steps %v", steps)
	}
	steps, _ := w.ask(usual, "router.plan", `{"utterance":" Roll a die","provenance":"user"}`).Result["steps"].([]any)
	if len(steps) != 1 || steps[0].(map[string]any)["op"] != "dice.roll" {
		t.Fatalf("steps %v", steps)
	}
	args, err := json.Marshal(steps[0].(map[string]any)["args"])
	if err != nil {
		t.Fatal(err)
	}
	seen := map[any]bool{}
	for range 200 {
		reply := w.ask(usual, "action.invoke", `{"op":"dice.roll","provenance":"user","args":`+string(args)+`}`)
		if reply.Result["ok"] != true {
			t.Fatalf("%v", reply)
		}
		seen[reply.Result["detail"]] = true
	}
	for i := range 6 {
		if !seen[fmt.Sprintf("you rolled %d", i+1)] || len(seen) != 6 {
			t.Fatalf("rolled %v", seen)
		}
	}
	for _, unknown := range []string{"no.such", "action.invoke"} {
		if reply := w.ask(usual, unknown, `{"op":"no.such","args":{},"provenance":"user"}`); reply.Error == nil ||
			reply.Error.Code != -32601 {
			t.Errorf("%s: %v", unknown, reply)
		}
	}
	w.ask(usual, "shutdown", "{}")
	w.in.Close()
	if _, err := w.out.ReadByte(); err != io.EOF {
		t.Errorf("after the end of its input: %v", err)
	}
	if err := w.cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
}

// TestTheMessageInTheGuide sends the message that the guide shows.
func TestTheMessageInTheGuide(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed here; run this by ./scripts/dev test")
	}
	dir := filepath.Join(named(t, pluginGuide), "dice_py")
	shown := 0
	for _, b := range blocks(t, pluginGuide) {
		if b.language != "" {
			continue
		}
		shown++
		header, body, _ := strings.Cut(strings.TrimSuffix(b.text, "\n"), "\n\n")
		w := startPlugin(t, dir, "python3", "plugin.py")
		io.WriteString(w.in, header+"\r\n\r\n"+body)
		w.in.Close()
		answer, err := io.ReadAll(w.out)
		if _, result, _ := strings.Cut(string(answer), "\r\n\r\n"); err != nil ||
			!strings.Contains(result, `"id": "0:1", "result": {"status": "ok"`) {
			t.Errorf("%s:%d: the answer is %q, %v", b.file, b.line, answer, err)
		}
	}
	if shown == 0 {
		t.Error("the guide shows no message")
	}
}

func TestPluginInPython(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed here; run this by ./scripts/dev test")
	}
	dir := filepath.Join(named(t, pluginGuide), "dice_py")
	driveDice(t, startPlugin(t, dir, "python3", "plugin.py"))
}

// TestPluginInGo makes the plugin in Go block by block, as a reader does: each of
// the guide's own commands has to work where it is. Then it is driven, and the
// manifests are read by what the runner reads them with.
func TestPluginInGo(t *testing.T) {
	top := besideSource(t)
	dir := filepath.Join(top, "dice_go")
	ran := 0
	for _, b := range blocks(t, pluginGuide) {
		switch {
		case b.name == "":
		case b.language == "sh":
			goRun(t, filepath.Join(top, b.name), b.text)
			ran++
		default:
			place(t, top, b)
		}
	}
	if ran < 3 {
		t.Fatalf("the guide says %d times how to build it", ran)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "main.go")); err != nil || strings.Count(string(text), "\n") >= 50 {
		t.Errorf("main.go is not a plugin of under 50 lines: %v", err)
	}
	goRun(t, dir, `go vet . && test -z "$(gofmt -l .)"`)
	driveDice(t, startPlugin(t, dir, "./dice"))
	write(t, filepath.Join(dir, "manifest/main.go"), `package main

import (
	"log"
	"os"

	"utter/shared/plugin/protocol"
)

func main() {
	for _, file := range os.Args[1:] {
		if _, err := protocol.LoadManifest(file); err != nil {
			log.Fatal(err)
		}
	}
}
`)
	goRun(t, dir, "go run ./manifest ../dice_py/utter-plugin.toml utter-plugin.toml")
}
