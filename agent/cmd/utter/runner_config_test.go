package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/runnerclient"
)

// write writes the configuration.
func (d *runnerDesk) write(text string) {
	d.t.Helper()
	err := os.MkdirAll(filepath.Dir(d.config), 0o700)
	if err == nil {
		err = os.WriteFile(d.config, []byte(text), 0o600)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// entry is a [[plugin]] of the test plugin.
func (d *runnerDesk) entry(id, more string) string {
	if more != "" {
		more += "\n"
	}
	return fmt.Sprintf("[[plugin]]\nid = %q\nentrypoint = [%q]\nenv = { %s = \"1\", GORACE = \"atexit_sleep_ms=0\" }\n%s",
		id, os.Args[0], playsPlugin, more)
}

// change changes what is in the manifest of the plugin.
func (d *runnerDesk) change(old, with string) {
	d.t.Helper()
	file := filepath.Join(d.folder, "utter-plugin.toml")
	text, err := os.ReadFile(file)
	if err == nil && !strings.Contains(string(text), old) {
		d.t.Fatalf("%q is not in\n%s", old, text)
	}
	if err == nil {
		err = os.WriteFile(file, []byte(strings.Replace(string(text), old, with, 1)), 0o600)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

func TestReload(t *testing.T) {
	d := newRunnerDesk(t)
	d.wants(d.call(exitMissing, "", "reload"), "no plugin runner is running")
	d.run()
	d.wants(d.call(exitDone, "", "reload"), "no plugin has changed")
	d.write(d.entry("one", ""))
	d.wants(d.call(exitDone, "", "status"), "one  action  unread", "the runner has not read it yet: utter runner reload")
	for _, verb := range []string{"restart", "validate", "log"} {
		d.wants(d.call(exitFailed, "", verb, "one"), "one: the runner has not read it yet: utter runner reload")
	}
	d.wants(d.call(exitUnknown, "", "restart", "oen"), "there is no plugin", `did you mean "one"?`)
	d.wants(d.call(exitDone, "", "reload"), "one is added (ok)")
	d.write(d.entry("one", "permissions = [\"network\"]") + d.entry("two", ""))
	d.wants(d.call(exitDone, "", "reload", "--json"), `{"id":"one","change":"restarted","status":"ok"}`,
		`{"id":"two","change":"added","status":"ok"}`)
	d.write(d.entry("two", ""))
	d.wants(d.call(exitDone, "", "reload"), "one is removed")
	d.write(d.entry("two", "enabled = false"))
	d.wants(d.call(exitDone, "", "reload"), "two is switched off")
	d.write(d.entry("two", ""))
	d.wants(d.call(exitDone, "", "reload"), "two is added (ok)")

	d.write(d.entry("two", "") + "[search]\nengine = google\n")
	d.wants(d.call(exitFailed, "", "reload"), "nothing has changed: ", "config.toml:6:10")
}

func TestAPluginThatIsOff(t *testing.T) {
	d := newRunnerDesk(t)
	d.write(d.entry("one", "enabled = false"))
	d.run()
	d.wants(d.call(exitDone, "", "status"), "one  action  off  utter runner enable one")
	d.wants(d.call(exitDone, "", "status", "--json"), `"plugins":[]`,
		`"absent":[{"id":"one","kind":"action","status":"off",`)
	d.wants(d.call(exitFailed, "", "validate", "one"), "one is off: utter runner enable one")
	d.wants(d.call(exitFailed, "", "restart", "one"), "one is off: utter runner enable one")
	d.wants(d.call(exitDone, "", "doctor"), "one: off: utter runner enable one")
	d.wants(d.call(exitDone, "", "enable", "one"), "one is switched on in "+d.config+", line 1 (ok)")
	d.has("[[plugin]]\nid = \"one\"\n", "enabled = true\n")
	d.wants(d.call(exitDone, "", "enable", "one"), "one is already on in "+d.config+", line 1 (ok)")
	d.wants(d.call(exitDone, "", "disable", "one"), "one is switched off in "+d.config+", line 1\n")
	d.has("enabled = false\n")
	d.wants(d.call(exitDone, "", "status"), "one  action  off")
	d.wants(d.call(exitDone, "", "disable", "--json", "one"),
		`"changed":false,"enabled":false,"file":"`+d.config+
			`","line":1,"plugin":"one","reason":"","running":true,"status":"off"`)
	d.wants(d.call(exitUnknown, "", "enable", "oen"),
		"there is no such plugin in the configuration: oen", `did you mean "one"?`)

	d.write(d.entry("one", "") + "[plugins]\ndisabled = [\"one\"]\n")
	d.wants(d.call(exitDone, "", "reload"), "no plugin has changed")
	d.wants(d.call(exitDone, "", "enable", "one"), "one is switched on in "+d.config)
	d.has("disabled = []\n")
}

// has wants parts in the configuration file.
func (d *runnerDesk) has(parts ...string) {
	d.t.Helper()
	text, err := os.ReadFile(d.config)
	if err != nil {
		d.t.Fatal(err)
	}
	d.wants(string(text), parts...)
}

func TestSwitchesWithoutARunner(t *testing.T) {
	d := newRunnerDesk(t)
	d.write(d.entry("one", ""))
	d.wants(d.call(exitDone, "", "disable", "one"),
		"one is switched off in "+d.config+", line 1 (the runner is not running)")
	d.has("enabled = false\n")
	d.wants(d.call(exitDone, "", "enable", "one"),
		"one is switched on in "+d.config+", line 1 (the runner is not running)")
}

func TestEnableOfOneThatDoesNotRun(t *testing.T) {
	d := newRunnerDesk(t)
	d.write("[[plugin]]\nid = \"gone\"\nentrypoint = [\"no-such-program\"]\nenabled = false\n")
	d.run()
	d.wants(d.call(exitFailed, "", "enable", "gone"), "gone is switched on in ",
		`there is no program "no-such-program" in PATH; write its path`)
	d.wants(d.call(exitDone, "", "enable", "gone"), "gone is already on in ", "; it is being restarted")
}

// TestTheFileOfTheRunner is the one that is read and changed, unless another is
// named.
func TestTheFileOfTheRunner(t *testing.T) {
	d := newRunnerDesk(t)
	mine := d.config
	d.config = filepath.Join(filepath.Dir(d.folder), "other.toml")
	d.write(d.entry("one", "enabled = false"))
	d.run()
	d.wants(d.call(exitDone, "", "status"), "one  action  off")
	d.wants(d.call(exitFailed, "", "restart", "one"), "one is off: utter runner enable one")
	d.wants(d.call(exitDone, "", "doctor"), "one: off: utter runner enable one")
	d.wants(d.call(exitDone, "", "enable", "one"), "one is switched on in "+d.config+", line 1 (ok)")
	d.wants(d.call(exitDone, "", "install", "--yes", d.folder), "notes is installed (ok)")
	d.wants(d.call(exitDone, "", "remove", "notes"), "notes is removed")
	d.wants(d.call(exitDone, "", "reload"), "no plugin has changed")
	if _, err := os.Stat(mine); err == nil {
		t.Error("a file is written that the runner does not read")
	}
	other := "the runner reads " + d.config + ", not this file"
	d.wants(d.call(exitFailed, "", "reload", "--config", mine), "nothing has changed: "+other)
	d.wants(d.call(exitFailed, "", "doctor", "--config", mine), other)
	d.wants(d.call(exitDone, "", "install", "--yes", "--config", mine, d.folder), "notes is installed ("+other+")")
	d.wants(d.call(exitDone, "", "disable", "--config", mine, "notes"),
		"notes is switched off in "+mine+", line 1 ("+other+")")
	d.wants(d.call(exitDone, "", "remove", "--config", mine, "notes"), "notes is removed ("+other+")")
}

func TestABrokenConfigurationIsNoReasonToAskNothing(t *testing.T) {
	d := newRunnerDesk(t)
	d.write(d.entry("one", ""))
	d.run()
	d.wants(d.call(exitDone, "", "reload"), "no plugin has changed") // it runs by now
	d.write(d.entry("one", "") + "[policy]\nenable_ops = 7\n")
	const where = "config.toml:6:"
	for _, args := range [][]string{{"status"}, {"validate", "one"}, {"log", "one"}, {"restart", "one"},
		{"call", "runner.plugins"}} {
		got := d.call(exitDone, "", args...)
		d.wants(got, "utter: warning: ", where)
		if strings.Count(got, "warning") != 1 {
			t.Errorf("%q says it more than once:\n%s", args, got)
		}
	}
	d.wants(d.call(exitFailed, "", "install", "--yes", d.folder), where)
	for _, args := range [][]string{{"reload"}, {"enable", "one"}, {"disable", "one"}} {
		got := d.call(exitFailed, "", args...)
		if d.wants(got, where); strings.Contains(got, "warning") {
			t.Errorf("%q says it twice:\n%s", args, got)
		}
	}
	d.wants(d.call(exitFailed, "", "remove", "one"),
		"the configuration was changed, but the runner reads it only when this is fixed: ", "config.toml:2:")
	d.write(d.entry("one", "") + "[policy\n")
	d.wants(d.call(exitFailed, "", "remove", "one"), "config.toml:5:")
}

func TestTwoOfOneID(t *testing.T) {
	d := newRunnerDesk(t)
	d.write(d.entry("one", "") + d.entry("one", ""))
	d.run()
	d.wants(d.call(exitDone, "", "reload"), "no plugin has changed")
	d.wants(d.call(exitDone, "", "status"), "one  action  ok", "one  action  error",
		`config.toml:6:1: plugin.id is "one", as that of an earlier plugin`)
	got := d.call(exitFailed, "", "doctor")
	d.wants(got, "one: ok\n", "one: error\n", "as that of an earlier plugin")
}

func TestValidateSaysWhy(t *testing.T) {
	d := newRunnerDesk(t)
	d.write("[[plugin]]\nid = \"gone\"\nentrypoint = \"no-such python.py\"\npermissions = [\"filesystem.write\"]\n" +
		d.entry("needy", "requires = [\"tts.speak@1\"]") + d.entry("free",
		"permissions = [\"filesystem.read\"]\nread_paths = [\"/usr\", \"/etc\"]"))
	d.run()
	d.call(exitDone, "", "reload") // until each is decided about
	d.wants(d.call(exitDone, "", "validate", "free"), "free is running and has what it needs",
		"filesystem.read: granted for /usr /etc, advisory")
	d.wants(d.call(exitFailed, "", "validate", "gone"), "gone does not run (error: ", "no program",
		`write a list: ["no-such", "python.py"]`,
		"filesystem.write: granted for no path",
		"WARNING: it may write files, but no path is set: use --write-path FOLDER, or write_paths in config.toml")
	d.wants(d.call(exitFailed, "", "validate", "needy"), "needy lacks what it needs", "no plugin provides: tts.speak@1")
	d.wants(d.call(exitFailed, "", "doctor"), "WARNING: it may write files, but no path is set",
		"filesystem.read: granted for /usr /etc")
	d.wants(d.call(exitFailed, "", "validate", "--json", "gone"), `"status":"error","reason":"`,
		`"warnings":["entrypoint is one program`)
}

func TestInstallAsksForWhatItIsFor(t *testing.T) {
	d := newRunnerDesk(t)
	d.change(`permissions = ["network"]`, `permissions = ["filesystem.write"]`)
	const warning = "WARNING: it may write files, but no path is set: use --write-path FOLDER, or write_paths in " +
		"config.toml"
	d.wants(d.call(exitRefused, "n\n", "install", d.folder),
		"write the configured files (filesystem.write) for no path", warning)

	t.Chdir(d.t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	written := filepath.Join(here, "a/b")
	args := []string{"install", "--write-path", "a/b", "--write-path", "~/c", d.folder}
	got := d.call(exitRefused, "n\n", args...)
	d.wants(got, "(filesystem.write) for "+written+" ~/c")
	if _, err := os.Stat(written); err == nil || strings.Contains(got, "WARNING") {
		t.Errorf("there is a folder before a yes, or a warning: %v\n%s", err, got)
	}
	d.wants(d.call(exitDone, "y\n", args...), "Created the folder "+written, "notes is installed")
	for _, folder := range []string{written, filepath.Join(os.Getenv("HOME"), "c")} {
		if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", folder, info, err)
		}
	}
	text, err := os.ReadFile(d.config)
	if err != nil || !strings.Contains(string(text), fmt.Sprintf("write_paths = [%q, \"~/c\"]", written)) {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestInstallOfWhatIsNotBuilt(t *testing.T) {
	d := newRunnerDesk(t)
	program := fmt.Sprintf("entrypoint = [%q]", os.Args[0])
	for _, tt := range []struct{ entrypoint, want string }{
		{`["./notes"]`, "the program " + d.folder + "/notes does not exist yet; build it first"},
		{`["no-such-program", "x"]`, "the program no-such-program does not exist yet"},
		{`["./utter-plugin.toml"]`, "is not executable"},
		{`"python3 plugin.py"`, `write a list, such as ["python3", "plugin.py"]`},
	} {
		d.change(program, "entrypoint = "+tt.entrypoint)
		d.wants(d.call(exitMissing, "", "install", "--yes", d.folder), tt.want)
		d.change("entrypoint = "+tt.entrypoint, program)
	}
	if _, err := os.Stat(d.config); err == nil {
		t.Error("what cannot run is configured")
	}
}

func TestDoctorDuringCrashes(t *testing.T) {
	d := newRunnerDesk(t)
	d.run()
	d.call(exitDone, "", "install", "--yes", d.folder)
	d.write(strings.Replace(d.entry("notes", ""), fmt.Sprintf("[%q]", os.Args[0]), `["false"]`, 1))
	d.call(exitDone, "", "reload")
	if got := d.call(exitFailed, "", "doctor"); strings.Contains(got, "changed since it was installed") {
		t.Errorf("a version that nobody told has changed:\n%s", got)
	}
}

// TestRunnerErrorsAsExitStatuses: what the manual says of each.
func TestRunnerErrorsAsExitStatuses(t *testing.T) {
	coded := func(c protocol.Code, d protocol.Data) error { return protocol.Errorf(c, "because").With(d) }
	for _, tt := range []struct {
		err    error
		status int
		reason string
	}{
		{fmt.Errorf("%w at a socket", runnerclient.ErrNoRunner), exitMissing, "missing"},
		{fmt.Errorf("call: %w", context.DeadlineExceeded), exitFailed, "timeout"},
		{coded(protocol.CodeUnavailable, protocol.Data{}), exitUnknown, "not_found"},
		{coded(protocol.CodeUnavailable, protocol.Data{Reason: protocol.ReasonBusy}), exitFailed, "busy"},
		{coded(protocol.CodeDenied, protocol.Data{Reason: protocol.ReasonDisabled}), exitRefused, "policy"},
		{coded(protocol.CodeDenied, protocol.Data{Reason: protocol.ReasonNoConfirmer}), exitRefused, "needs_confirmation"},
		{coded(protocol.CodePlugin, protocol.Data{}), exitFailed, "failed"},
		{errors.New("broken pipe"), exitFailed, "failed"},
	} {
		e, ok := errors.AsType[*exitError](runnerError(tt.err))
		if !ok || e.status != tt.status || e.reason != tt.reason {
			t.Errorf("%v: %+v, want %d, %s", tt.err, e, tt.status, tt.reason)
		}
	}
}
