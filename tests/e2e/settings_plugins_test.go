package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// runnerTime bounds what the runner takes its time for: plugins start and end.
const runnerTime = 20 * time.Second

// plugin builds a plugin of the tests and returns its program.
func (s *Session) plugin(name string) string {
	s.t.Helper()
	dir := s.folder("plugins")
	cmd := exec.Command("go", "build", "-o", dir+"/", "./tests/plugins/"+name)
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("go build %s: %v\n%s", name, err, out)
	}
	return filepath.Join(dir, name)
}

// startRunner starts the plugin runner. It ends before the session.
func (s *Session) startRunner() *process {
	s.t.Helper()
	p := s.start("runner", "utter-runner")
	s.t.Cleanup(func() { p.stop(runnerTime) })
	return p
}

// A pluginState is what the runner says of a plugin, through the CLI.
type pluginState struct {
	ID, Status string
	Epoch      int
}

// pluginState asks the runner. ok is false where it has no such plugin.
func (s *Session) pluginState(id string) (found pluginState, ok bool) {
	out, err := s.command("utter", "runner", "status", "--json").Output()
	var answer struct {
		Data struct{ Plugins []pluginState }
	}
	if err != nil || json.Unmarshal(out, &answer) != nil {
		return found, false
	}
	for _, p := range answer.Data.Plugins {
		if p.ID == id {
			return p, true
		}
	}
	return found, false
}

// pidOf returns the process of a program, 0 where there is none.
func pidOf(program string) (pid int) {
	all, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range all {
		if target, err := os.Readlink(link); err == nil && target == program {
			fmt.Sscanf(link, "/proc/%d/exe", &pid)
		}
	}
	return pid
}

// says waits until something in front has all parts in its name or description.
func (a *app) says(parts ...string) {
	a.s.t.Helper()
	a.awaitLong(fmt.Sprintf("something with %q", parts), func(front *widget) (found bool) {
		front.walk(func(w *widget) {
			all := w.name + "\n" + w.description
			for _, part := range parts {
				if !strings.Contains(all, part) {
					return
				}
			}
			found = true
		})
		return found
	})
}

// awaitLong is await for what the runner takes its time for.
func (a *app) awaitLong(what string, ok func(front *widget) bool) {
	a.s.t.Helper()
	if !eventually(runnerTime, func() bool { return ok(a.front()) }) {
		a.s.t.Fatalf("%s: not within %v. The window:\n%s", what, runnerTime, a.tree())
	}
}

// TestSettingsPlugins: what the runner has is shown, and looked after.
func TestSettingsPlugins(t *testing.T) {
	s := look{still: true}.newSession(t, Options{})
	program := s.plugin("hello_go")
	const file = "c/utter/config.toml"
	config := fmt.Sprintf(`# mine
[security]
enforce = false # no sandbox in this test

[[plugin]]
id = "hello_go" # notes
kind = "bundle"
entrypoint = ["sh", "-c", "printf 'up <b>&amp; \\033[31m\\n' >&2; exec %s"]
permissions = ["filesystem.write"]

[[plugin]]
id = "broken"
entrypoint = ["/no/such/program"]
`, program)
	s.write(file, config)
	// A systemd that knows the unit and notes that it is to be started.
	s.writeMode("bin/systemctl",
		"#!/bin/sh\ncase \"$2\" in show) echo loaded;; start) echo \"$*\" >"+s.file("asked")+";; esac\n", 0o700)

	a := s.wideSettings("--page", "plugins")
	a.find(roleLabel, "Plugin Runner Not Running")
	a.says("systemctl --user start utter-runner")
	a.activate("Start")
	s.checkFile(s.file("asked"), "--user start utter-runner.service\n", shown)
	s.startRunner()

	a.checkPluginRows()
	a.restartPlugin(program)
	a.checkPluginLog()
	a.switchPlugin(file, config, program)

	a.checkConfiguration("Configuration Is Valid")
	s.write(file, strings.Replace(config, "permissions", "permisions", 1))
	a.checkConfiguration("config.toml, line 9, column 1: plugin.permisions", "did you mean")
	s.write(file, config+"[[plugin]\n")
	a.find(roleButton, "Open File")
	a.awaitState("Enable hello_go", stateSensitive, false)
	a.says("hello_go", "Running") // as before
	a.checkConfiguration("config.toml, line 14, column")
	s.write(file, config)
	a.awaitState("Enable hello_go", stateSensitive, true)
}

// checkPluginRows checks what the page says of a plugin that runs and of one that
// cannot.
func (a *app) checkPluginRows() {
	a.s.t.Helper()
	a.says("hello_go", "1.0.0 · Bundle · Running")
	a.says("broken", "Not running: ", "/no/such/program")
	a.activate("hello_go") // unfolds
	a.says("Operations", "note")
	a.says("Write the configured files", "Granted, not enforced")
	a.activate("broken")
	a.says("Shown when it is running")
	a.checkReach("the plugins")
	a.size(360, 800)
	a.shot("settings/plugins/list-360")
	a.checkInside("the plugins", 360)
	a.size(1280, 800)
	a.shot("settings/plugins/list-1280")
}

// restartPlugin has hello_go started anew.
func (a *app) restartPlugin(program string) {
	s := a.s
	s.t.Helper()
	pid := pidOf(program)
	before, ok := s.pluginState("hello_go")
	if pid == 0 || !ok || before.Status != "ok" {
		s.t.Fatalf("hello_go is process %d, %+v", pid, before)
	}
	a.activate("Restart hello_go")
	s.await("another process", runnerTime, func() bool {
		now, ok := s.pluginState("hello_go")
		p := pidOf(program)
		return ok && now.Epoch > before.Epoch && now.Status == "ok" && p != 0 && p != pid
	})
}

// checkPluginLog looks at what hello_go wrote to standard error.
func (a *app) checkPluginLog() {
	a.s.t.Helper()
	a.activate("Show Log of hello_go")
	a.find(roleDialog, "Log of hello_go")
	if got := a.text("Log of hello_go"); !strings.Contains(got, `up <b>&amp; \x1b[31m`) {
		a.s.t.Errorf("the log is %q", got)
	}
	a.shot("settings/plugins/log-1280")
	a.checkReach("the log")
	a.s.sway().keyboard.press(0, codeEscape)
	a.gone(roleDialog, "Log of hello_go")
}

// switchPlugin turns hello_go off and on again, and takes both back.
func (a *app) switchPlugin(file, config, program string) {
	s := a.s
	s.t.Helper()
	a.activate("Enable hello_go")
	off := strings.Replace(config, "id = \"hello_go\" # notes\n", "id = \"hello_go\" # notes\nenabled = false\n", 1)
	s.awaitFile(file, off)
	s.await("the end of the plugin", runnerTime, func() bool {
		_, ok := s.pluginState("hello_go")
		return !ok && pidOf(program) == 0
	})
	a.says("hello_go", "Bundle · Off")
	a.gone(roleListItem, "Restart hello_go")
	a.activate("Enable hello_go")
	s.awaitFile(file, strings.Replace(off, "enabled = false", "enabled = true", 1))
	s.await("the plugin", runnerTime, func() bool { p, ok := s.pluginState("hello_go"); return ok && p.Status == "ok" })
	a.says("hello_go", "Running")
	a.undo()
	s.awaitFile(file, off)
	s.await("the end of the plugin once more", runnerTime, func() bool { _, ok := s.pluginState("hello_go"); return !ok })
	a.awaitState("Enable hello_go", stateChecked, false)
	a.undo()
	s.awaitFile(file, config)
	s.await("the plugin once more", runnerTime,
		func() bool { p, ok := s.pluginState("hello_go"); return ok && p.Status == "ok" })
}

// checkConfiguration looks at the configuration and wants something to be said of
// it.
func (a *app) checkConfiguration(parts ...string) {
	a.s.t.Helper()
	a.activate("Check Configuration")
	a.find(roleDialog, "Configuration")
	a.says(parts...)
	settle(a.pid)
	a.checkInside("the dialog", int(a.window().extents().Width))
	a.s.sway().keyboard.press(0, codeEscape)
	a.gone(roleDialog, "Configuration")
}

// TestSettingsPluginsWithoutAny: the page says how to get a runner, and plugins,
// and follows while it is looked at.
func TestSettingsPluginsWithoutAny(t *testing.T) {
	s := look{still: true}.newSession(t, Options{})
	a := s.wideSettings("--page", "plugins")
	a.find(roleLabel, "Plugin Runner Not Running")
	a.says("systemctl --user start utter-runner")
	a.gone(roleButton, "Start") // there is nobody here who could
	a.size(360, 800)
	a.shot("settings/plugins/no-runner-360")
	a.checkInside("without a runner", 360)
	runner := s.startRunner()
	a.says("No Plugins")
	a.says("utter runner install FOLDER")
	a.shot("settings/plugins/none-360")
	a.checkInside("without plugins", 360)
	a.checkConfiguration("there are no plugins")
	runner.stop(runnerTime)
	a.says("Plugin Runner Not Running")

	asked := s.mute()
	a.says("The plugin runner does not respond")
	a.find(roleListItem, "Details")
	for _, leave := range []func(){
		func() { a.act("page", "safety") },
		func() { s.sway().do("workspace other") },
	} {
		before := asked.Load()
		s.await("another question while it is looked at", shown, func() bool { return asked.Load() > before })
		leave()
		s.await("no questions while it is not", runnerTime, func() bool {
			before := asked.Load()
			return !eventually(2*time.Second, func() bool { return asked.Load() != before })
		})
		s.sway().do("workspace settings")
		a.act("page", "plugins")
	}
}

// mute plays a runner that answers nothing, and counts how often it is asked.
func (s *Session) mute() *atomic.Int64 {
	s.t.Helper()
	listener, err := net.Listen("unix", s.file("r/utter/runner.sock"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { listener.Close() })
	var asked atomic.Int64
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			conn.Close()
		}
	}()
	return &asked
}
