package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"utter/agent/runner"
	"utter/shared/config"
	"utter/shared/plugin"
)

// playsPlugin makes the test binary a plugin.
const playsPlugin = "UTTER_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(playsPlugin) != "" {
		plugin.Main(plugin.Plugin{
			ID: "notes", Version: "0.1.0",
			Ops: []plugin.Op{{Name: "note", Do: plugin.Do(func(context.Context, struct {
				Text string `json:"text"`
			}) (string, error) {
				return "noted", nil
			})}, {Name: "burn", Confirm: true, Do: plugin.Do(func(context.Context, plugin.None) (string, error) {
				return "burnt", nil
			})}},
			Route: func(_ context.Context, said plugin.Utterance) ([]plugin.Step, error) {
				return []plugin.Step{{Op: said.Text, Args: map[string]string{}}}, nil
			},
		})
		return
	}
	os.Exit(m.Run())
}

// A desk is a home with a plugin in a folder, and perhaps a runner.
type runnerDesk struct {
	t      *testing.T
	folder string
	config string
}

func newRunnerDesk(t *testing.T) *runnerDesk {
	t.Helper()
	dir, err := os.MkdirTemp("", "uc") // short: it holds a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for name, value := range map[string]string{
		"HOME": dir, "XDG_RUNTIME_DIR": dir + "/run", "XDG_CONFIG_HOME": dir + "/config",
		"XDG_STATE_HOME": dir + "/state", "UTTER_RUNNER_SOCK": "",
	} {
		t.Setenv(name, value)
	}
	d := &runnerDesk{t: t, folder: filepath.Join(dir, "notes"), config: filepath.Join(dir, "config/utter/config.toml")}
	manifest := fmt.Sprintf("name = \"notes\"\nversion = \"0.1.0\"\nkind = \"action\"\nprotocol = \"1.0\"\nabi = 1\n"+
		"runtime = \"subprocess\"\ntransport = \"stdio\"\n"+
		"entrypoint = [%q]\ndescription = \"remembers\"\npermissions = [\"network\"]\n"+
		"env = { %s = \"1\", GORACE = \"atexit_sleep_ms=0\" }\n", os.Args[0], playsPlugin)
	for _, path := range []string{d.folder, filepath.Join(dir, "run")} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(d.folder, "utter-plugin.toml"), []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	return d
}

// run runs a runner until the test ends.
func (d *runnerDesk) run() {
	d.t.Helper()
	load := func() (config.Config, error) { return config.Load(d.config) }
	cfg, err := load()
	if err != nil {
		d.t.Fatal(err)
	}
	folder := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "utter")
	r := runner.New(runner.Options{
		Config: cfg, File: d.config, Load: load, Socket: filepath.Join(folder, "runner.sock"),
		Folder: folder, Dir: d.t.TempDir(),
		Environ: os.Environ(), Version: version, Log: slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	d.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			d.t.Error(err)
		}
	})
	for {
		conn, err := net.Dial("unix", filepath.Join(folder, "runner.sock"))
		if err == nil {
			conn.Close()
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// call runs utter runner and returns what it printed.
func (d *runnerDesk) call(status int, stdin string, args ...string) string {
	d.t.Helper()
	var out, errs bytes.Buffer
	if got := run(d.t.Context(), append([]string{"runner"}, args...), strings.NewReader(stdin),
		&out, &errs); got != status {
		d.t.Errorf("utter runner %q: status %d, want %d\n%s%s", args, got, status, &out, &errs)
	}
	return out.String() + errs.String()
}

func (d *runnerDesk) wants(got string, parts ...string) {
	d.t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			d.t.Errorf("%s\nwant %q in it", got, part)
		}
	}
}

func TestRunnerWithoutARunner(t *testing.T) {
	d := newRunnerDesk(t)
	d.wants(d.call(exitMissing, "", "status"), "no plugin runner is running", "systemctl --user start utter-runner")
	d.wants(d.call(exitMissing, "", "doctor", "--json"), `"connected":false`, `"ok":false`)
	d.wants(d.call(exitRefused, "n\n", "install", d.folder), "use the whole network", "not installed")
	d.wants(d.call(exitRefused, "", "install", "--json", d.folder), "needs_confirmation")
	if _, err := os.Stat(d.config); err == nil {
		t.Error("what was refused is configured")
	}
	d.wants(d.call(exitDone, "y\n", "install", d.folder), "notes is installed", "not running")
	d.wants(d.call(exitFailed, "n\n", "install", d.folder), "notes is installed already", ", line 1)",
		"utter runner remove notes first, or --id NAME")
	d.wants(d.call(exitDone, "", "install", "--yes", "--id", "more", d.folder), "more is installed")
	d.wants(d.call(exitUnknown, "", "remove", "nobody"), "no such plugin")
	d.wants(d.call(exitUnknown, "", "install", "--yes", t.TempDir()), "there is no utter-plugin.toml")
}

func TestRunnerLooksAfterPlugins(t *testing.T) {
	d := newRunnerDesk(t)
	d.run()
	d.wants(d.call(exitDone, "", "status"), "There are no plugins")
	d.wants(d.call(exitDone, "", "install", "--yes", d.folder), "notes is installed (ok)")
	if got := d.call(exitDone, "", "log", "notes"); got != "(nothing)\n" {
		t.Errorf("a log of nothing: %q", got)
	}
	d.wants(d.call(exitDone, "", "status"), "notes", "action", "ok")
	d.wants(d.call(exitDone, "", "validate", "notes"), "is running and has what it needs", "network: granted, advisory")
	d.wants(d.call(exitDone, "", "doctor", "--json"), `"ok":true`, `"connected":true`, `"drift":[]`, `"deprecations":[]`)
	d.wants(d.call(exitDone, "", "restart", "notes"), "is being started")
	for begun := time.Now(); !strings.Contains(d.call(exitDone, "", "log", "notes"), "[runner] restarted on request"); {
		if time.Since(begun) > time.Minute {
			t.Fatal("it is not started anew, or nothing is said of it")
		}
	}
	d.wants(d.call(exitDone, "", "enable", "notes"), "notes is already on in "+d.config+", line 1 (ok)")
	d.wants(d.call(exitUnknown, "", "log", "nobody"), "there is no plugin")

	record := filepath.Join(os.Getenv("XDG_STATE_HOME"), "utter/install.json")
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(record, bytes.Replace(text, []byte(`"protocol": "1.0"`), []byte(`"protocol": "0.9"`), 1),
		0o600); err != nil {
		t.Fatal(err)
	}
	d.wants(d.call(exitFailed, "", "doctor"), "changed since it was installed: protocol  was 0.9, is 1.0")

	d.wants(d.call(exitDone, "", "remove", "notes"), "notes is removed")
	d.wants(d.call(exitDone, "", "status"), "There are no plugins")
}

func TestRunnerCall(t *testing.T) {
	d := newRunnerDesk(t)
	d.wants(d.call(exitMissing, "", "call", "runner.status"), "no plugin runner is running")
	d.run()
	d.call(exitDone, "", "install", "--yes", d.folder)
	invoke := func(op, from string) string {
		return `{"plugin":"notes","method":"action.invoke","params":{"op":"` + op +
			`","args":{"text":"x"},"provenance":"` + from + `"}}`
	}
	d.wants(d.call(exitDone, "", "call", "runner.plugins"), `{"plugins":[{"id":"notes",`)
	d.wants(d.call(exitDone, "", "call", "runner.invoke", invoke("note", "user")), `"detail":"noted"`)
	d.wants(d.call(exitDone, "", "call", "--json", "runner.invoke", invoke("note", "user")),
		`"command":"runner call","ok":true,"data":{`, `"detail":"noted"`)
	d.wants(d.call(exitFailed, "", "call", "runner.invoke", invoke("note", "screen")),
		"utter: note: text from the screen", "(-32006)")
	d.wants(d.call(exitRefused, "", "call", "runner.invoke", invoke("terminal", "user")), "(-32003)")
	d.wants(d.call(exitRefused, "", "call", "--json", "runner.invoke", invoke("terminal", "user")),
		`"ok":false`, `"data":{"code":-32003,`, `"data":{"reason":"disabled"`, `"error":{"reason":"policy"`)
	d.wants(d.call(exitUsage, "", "call", "runner.command", `{"utterance":" "}`), "(-32602)")
	d.wants(d.call(exitUnknown, "", "call", "no.such"), "(-32601)", "utter runner call --help lists the methods")
	d.wants(d.call(exitUnknown, "", "call", "runner.pluginss"), "(-32601)", `did you mean "runner.plugins"?`)
	d.wants(d.call(exitDone, "", "call", "--help"), "runner.plugin.log ", "runner.invoke ")
	const cryptic = "it needs your confirmation, and nothing is running that could ask you. The agent asks"
	burn := strings.Replace(invoke("burn", "user"), `"text":"x"`, "", 1)
	d.wants(d.call(exitRefused, "", "call", "runner.invoke", burn), cryptic, "utter doctor starts it", "(-32003)")
	d.wants(d.call(exitRefused, "", "call", "--json", "runner.invoke", burn), cryptic, `"reason":"no_confirmer"`,
		`"reason":"needs_confirmation"`)
	command := func(said string) string { return `{"utterance":"` + said + `"}` }
	d.wants(d.call(exitRefused, "", "call", "runner.command", command("burn")), `{"results":[{"op":"burn","ok":false`,
		"utter: step 1, burn: ", cryptic)
	d.wants(d.call(exitUnknown, "", "call", "--json", "runner.command", command("note")),
		`"ok":false,"data":{"results":[`, `"error":{"reason":"not_found","message":"step 1, note: `)
	d.wants(d.call(exitUsage, "", "call", "runner.command", "{"), "not a JSON object")
	d.wants(d.call(exitUsage, "", "call", "runner.status", `[]`), "not a JSON object")
	d.wants(d.call(exitUsage, "", "call", "runner.status", `{"a":1,"a":2}`), "occurs twice")
	d.wants(d.call(exitUsage, "", "call"), "between 1 and 2")
}

func TestDrive(t *testing.T) {
	d := newRunnerDesk(t)
	t.Setenv(playsPlugin, "1")
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	got := d.call(exitDone,
		"action.invoke {\"op\":\"note\",\"args\":{\"text\":\"x\"},\"provenance\":\"user\"}\nno.such\nbad {\n", "drive",
		"--", os.Args[0])
	d.wants(got, `result protocol.hello: {"protocol":"1.0"`, `result action.invoke: {`, `"detail":"noted"`,
		"error no.such: ", "error bad: ")
	d.wants(d.call(exitFailed, "", "drive", "--", "/no/such/program"), "no such file")
	d.wants(d.call(exitFailed, "", "drive", "--", "/bin/true"), "protocol.hello")
	const printed = "utter: the plugin wrote \"hello there\" to standard output, where only messages may go; print " +
		"to standard error\n"
	for _, script := range []string{"echo hello there",
		"echo hello there; printf 'Content-Length: 2\\r\\n\\r\\n{}'; cat"} {
		if got := d.call(exitFailed, "", "drive", "--", "sh", "-c", "read x; "+script); got != printed {
			t.Errorf("%s: %q, want %q", script, got, printed)
		}
	}
	const late = "utter: it did not answer protocol.hello within 0.2 s"
	for script, want := range map[string]string{"": late + "\n",
		"echo hello; ": late +
			"; it wrote \"hello\" to standard output, where only messages may go; print to standard error\n"} {
		if got := d.call(exitFailed, "", "drive", "--timeout", "200ms", "--", "sh", "-c",
			script+"cat >/dev/null"); got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
}
