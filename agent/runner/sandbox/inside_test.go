package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What must not succeed in the sandbox is tried outside too, where it must: else
// the try proves nothing.
func TestAPluginCannot(t *testing.T) {
	d := boxed(t)
	tcp := d.listen("tcp", "127.0.0.1:0").Addr().String()
	d.listen("unix", "@desk-"+filepath.Base(d.root))
	d.mkdir("elsewhere")
	d.write("elsewhere/secret", "secret")
	self, err := readProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	pid, began := strconv.Itoa(self.pid), strconv.FormatUint(self.began, 10)
	d.link(d.path("elsewhere/secret"), "plugin/link")

	without := []attempt{
		{Kind: tryConnect, Path: "tcp:" + tcp},
		{Kind: tryConnect, Path: "unix:@desk-" + filepath.Base(d.root)},
	}
	always := []attempt{
		{Kind: tryRead, Path: d.path("home/.profile")},
		{Kind: tryRead, Path: d.path("home/.config/utter/config.toml")},
		{Kind: tryRead, Path: d.path("elsewhere/secret")},
		{Kind: tryRead, Path: d.path("plugin/link")},
		{Kind: tryRead, Path: "/proc/" + pid + "/root" + d.path("elsewhere/secret")},
		{Kind: tryWrite, Path: d.path("elsewhere/written")},
		{Kind: tryWrite, Path: d.path("plugin/written")},
		{Kind: tryWrite, Path: d.path("read/given"), Want: "the text of read/given"},
		{Kind: tryConnect, Path: "unix:" + d.host.Socket},
		{Kind: tryConnect, Path: "unix:" + d.path("run/bus")},
		{Kind: tryConnect, Path: "unix:" + d.host.Wayland},
		{Kind: tryConnect, Path: "unix:" + d.path("run/pipewire-0")},
		{Kind: tryConnect, Path: "unix:" + d.path("run/pulse/native")},
		{Kind: tryProcess, Path: pid, Want: began},
		{Kind: tryUserns, Path: "a user namespace"},
	}
	if os.Getuid() == 0 {
		// Kernel settings belong to root, and to own them needs no capability.
		pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
		if err != nil {
			t.Fatal(err)
		}
		always = append(always, attempt{Kind: tryWrite, Path: "/proc/sys/kernel/core_pattern", Want: string(pattern)})
	}
	for _, tt := range []struct {
		name     string
		spec     Spec
		attempts []attempt
	}{
		{"with nothing granted", d.spec(), slices.Concat(without, always)},
		{"with the network granted", d.spec(Network), always},
		{"with the microphone granted", d.spec(Microphone), without},
	} {
		got := d.probe(tt.spec, tt.attempts...)
		for i, a := range tt.attempts {
			if got.Errors[i] == "" {
				t.Errorf("%s a plugin can %v", tt.name, a)
			}
			if err := a.try(); err != nil {
				t.Errorf("outside: %v: %v", a, err)
			}
			if a.Kind == tryWrite && strings.HasSuffix(a.Path, "/written") {
				os.Remove(a.Path)
			}
		}
		if got.NoNewPrivs != "1" || len(got.Capabilities) != 5 ||
			strings.Trim(strings.Join(got.Capabilities, ""), "0") != "" {
			t.Errorf("%s: NoNewPrivs %s, capabilities %v", tt.name, got.NoNewPrivs, got.Capabilities)
		}
	}
}

// An abstract socket is in the network namespace, and may be the session bus or
// the X server: a plugin with the network must not get those.
func TestTheNetworkGivesNoAbstractSockets(t *testing.T) {
	d := boxed(t)
	if !canScope() {
		t.Skip("this kernel has no Landlock that scopes abstract sockets (Linux 6.12)")
	}
	a := attempt{Kind: tryConnect, Path: "unix:@desk-" + filepath.Base(d.root)}
	d.listen("unix", strings.TrimPrefix(a.Path, "unix:"))
	if got := d.probe(d.spec(Network), a); got.Errors[0] == "" {
		t.Error("it does")
	}
	if err := a.try(); err != nil {
		t.Errorf("this process, which starts plugins, cannot either: %v", err)
	}
}

func TestAPluginCan(t *testing.T) {
	d := boxed(t)
	tcp := d.listen("tcp", "127.0.0.1:0").Addr().String()
	d.mkdir("read/deep/written")
	spec := d.spec(Network, Microphone)
	spec.WritePaths = append(spec.WritePaths, d.path("read/deep/written"))
	attempts := []attempt{
		{Kind: tryConnect, Path: "tcp:" + tcp},
		{Kind: tryRead, Path: d.path("plugin/given"), Want: "the text of plugin/given"},
		{Kind: tryRead, Path: d.path("read/given"), Want: "the text of read/given"},
		{Kind: tryRead, Path: d.path("write/given"), Want: "the text of write/given"},
		{Kind: tryRead, Path: "/etc/passwd", Want: fmt.Sprintf(":%d:%d:", os.Getuid(), os.Getgid())},
		{Kind: tryWrite, Path: d.path("write/new"), Want: "w"},
		{Kind: tryWrite, Path: d.path("read/deep/written/new"), Want: "d"},
		{Kind: tryWrite, Path: "/tmp/utter/new", Want: "t"},
		{Kind: tryWrite, Path: "/dev/shm/new", Want: "s"},
		{Kind: tryConnect, Path: "unix:" + audioInside + "/pipewire-0"},
		{Kind: tryConnect, Path: "unix:" + audioInside + "/pulse"},
	}
	got := d.probe(spec, attempts...)
	for i, a := range attempts {
		if got.Errors[i] != "" {
			t.Errorf("%v: %s", a, got.Errors[i])
		}
	}
	for name, want := range map[string]string{"write/new": "w", "read/deep/written/new": "d", "temp/new": "t"} {
		if data, err := os.ReadFile(d.path(name)); string(data) != want {
			t.Errorf("outside, %s holds %q, %v", name, data, err)
		}
	}
}

// A Python plugin finds its interpreter, its libraries, its folder, itself.
func TestAPluginRunsItsInterpreter(t *testing.T) {
	d := boxed(t)
	spec := d.spec()
	spec.Env = append(spec.Env, "SECRET=whispered", "LD_LIBRARY_PATH="+d.path("plugin"))
	d.write("plugin/libcap.so.2", "no library: bwrap itself must not load it")
	got := d.says(true, spec, `
import json, multiprocessing, os, ssl, tempfile, sqlite3
lock = multiprocessing.Lock()
with tempfile.NamedTemporaryFile() as f:
    temp = f.name
print(json.dumps([os.getcwd(), os.path.dirname(temp), os.environ["SECRET"], sorted(os.listdir("/")), sorted(os.listdir("/home")) if os.path.exists("/home") else "no home",
    sorted(p for p in os.listdir("/proc") if p.isdigit()), len(os.environ["UTTER_PLUGIN_START"]) > 20]))
`)
	for _, want := range []string{d.path("plugin"), tempInside, "whispered", `"no home"`, `["1", "2"]`, "true"} {
		if !strings.Contains(got, want) {
			t.Errorf("it says %s; want %s in it", got, want)
		}
	}
	for _, absent := range []string{`"run"`, `"root"`, `"home"`, `"sys"`, `"var"`} {
		if strings.Contains(got, absent) {
			t.Errorf("it says %s, with %s", got, absent)
		}
	}
}

// A virtual environment lies outside /usr and leads back into it.
func TestAPluginRunsInAVirtualEnvironment(t *testing.T) {
	d := boxed(t)
	d.mkdir("venv/bin")
	d.mkdir("venv/lib/python3/site-packages")
	d.write("venv/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\n")
	d.write("venv/secret", "s")
	d.link("/usr/bin/python3", "venv/bin/python3")
	d.write("plugin/plugin.py", "import sys, os; print(sys.prefix, os.path.exists(sys.prefix + '/secret'))")
	spec := d.spec()
	spec.Program, spec.Argv = d.path("venv/bin/python3"), []string{"python3", d.path("plugin/plugin.py")}
	cmd, err := d.box.Command(spec)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if want := d.path("venv") + " False"; err != nil || strings.TrimSpace(out.String()) != want {
		t.Errorf("it says %s, %v; want %s", out.String(), err, want)
	}
}

// The seed's own example: started from some folder, the plugin named relative to it.
func TestARelativePluginInAFolderThatIsNotGiven(t *testing.T) {
	d := boxed(t)
	spec := d.spec()
	spec.Dir = d.root
	d.write("plugin/plugin.py", "import os; print(os.listdir('.'), os.listdir('plugin'))")
	spec.ReadPaths, spec.WritePaths = nil, nil
	spec.Program, spec.Argv = "/usr/bin/python3", []string{"python3", "plugin/plugin.py"}
	cmd, err := d.box.Command(spec)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if got := strings.TrimSpace(out.String()); err != nil || !strings.HasPrefix(got, "['plugin'] [") ||
		!strings.Contains(got, "given") {
		t.Errorf("it says %s, %v", got, err)
	}
}

// Descriptors that this process was started with, or that a library forgot to
// mark, go no further; nor do those of the sandbox itself.
func TestAPluginHasThreeDescriptors(t *testing.T) {
	d := boxed(t)
	fd, err := unix.Open("/etc/hostname", unix.O_RDONLY, 0) // without O_CLOEXEC
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	program := `
import os
print([int(n) for n in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + n)])
`
	for _, inside := range []bool{true, false} {
		if got := d.says(inside, d.spec(Network, Microphone), program); got != "[0, 1, 2]" {
			t.Errorf("inside %v: %s", inside, got)
		}
	}
}

// What ps shows names the program, and neither the environment nor the paths.
func TestTheCommandLineTellsNoSecret(t *testing.T) {
	d := boxed(t)
	spec := d.spec()
	spec.Env = append(spec.Env, "TOKEN=whispered")
	cmd, _ := d.python(true, spec, "")
	defer cmd.Discard()
	if got := strings.Join(append(cmd.Args, cmd.Env...), " "); strings.Contains(got, "whispered") ||
		!strings.Contains(got, "plugin.py") {
		t.Errorf("the command is %s", got)
	}
}
