package sandbox

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Spec says what is started and what it may use.
type Spec struct {
	Argv    []string // as configured
	Program string   // the absolute path of what Argv[0] names: the plugin's own binary or its interpreter
	Env     []string // all of the environment
	Dir     string   // working directory; "" is the caller's

	Folder     string   // the plugin's own, read-only; "" if it has none
	ReadPaths  []string // absolute
	WritePaths []string // absolute
	Temp       string   // the plugin's private folder on the host, its TMPDIR; "" for none
	Granted    []string // permissions
}

// granted tells whether the plugin has a permission.
func (s Spec) granted(name string) bool { return slices.Contains(s.Granted, name) }

// Places of the sandbox that are not the host's.
const (
	tempInside  = "/tmp/utter"
	audioInside = "/tmp/audio"
)

// mark names the variable by which the processes of one start are known again.
const mark = "UTTER_PLUGIN_START"

// systemLinks lead into /usr on most systems, and are folders on some.
var systemLinks = []string{"/bin", "/sbin", "/lib", "/lib32", "/libx32", "/lib64"}

// What a sandbox has of /etc; the second list only with the network.
var (
	etc        = []string{"alternatives", "ld.so.cache", "localtime", "nsswitch.conf"}
	etcNetwork = []string{
		"gai.conf", "host.conf", "hosts", "protocols", "resolv.conf", "services",
		"ca-certificates", "crypto-policies", "pki/ca-trust/extracted", "pki/tls/certs", "ssl/cert.pem",
		"ssl/certs", "ssl/openssl.cnf",
	}
)

// Plain returns the command that starts spec outside any sandbox, in a process
// group of its own.
func Plain(spec Spec) *Cmd {
	c := newCmd(exec.Command(spec.Program), spec)
	c.Args = slices.Clone(spec.Argv)
	c.Env = slices.Clone(spec.Env)
	if spec.Temp != "" {
		c.Env = append(c.Env, "TMPDIR="+spec.Temp)
	}
	c.Env = append(c.Env, c.mark)
	c.Dir = spec.Dir
	return c
}

func newCmd(cmd *exec.Cmd, spec Spec) *Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return &Cmd{Cmd: cmd, mark: mark + "=" + rand.Text()}
}

// Command returns the command that starts spec in a sandbox. It fails with a
// *PathError on a path that no plugin may have. The caller sets the standard
// streams, calls Start and Wait, and Discard if it does not start it.
func (b *Box) Command(spec Spec) (*Cmd, error) {
	t, err := b.bwrap()
	if err != nil {
		return nil, err
	}
	if len(spec.Argv) == 0 || !filepath.IsAbs(spec.Program) {
		return nil, fmt.Errorf("sandbox: the program %q of %q is not an absolute path", spec.Program, spec.Argv)
	}
	mounts, err := b.mounts(spec)
	if err != nil {
		return nil, err
	}
	defer closeMounts(mounts)

	c := newCmd(exec.Command(t.path), spec)
	c.boxed = true
	c.scoped = spec.granted(Network) && canScope()
	a := arguments{cmd: c}
	a.namespaces(t, spec)
	a.system(spec)
	if err := a.people(b.host.Home); err != nil {
		c.Discard()
		return nil, err
	}
	if spec.granted(Microphone) {
		a.audio(b.host.Runtime)
	}
	for _, m := range mounts {
		if err := a.mount(t, m, mounts); err != nil {
			c.Discard()
			return nil, err
		}
	}
	program := b.programInside(spec, mounts)
	dir, err := b.dirInside(spec.Dir)
	if err != nil {
		c.Discard()
		return nil, err
	}
	if dir != "/" {
		a.add("--dir", dir)
	}
	a.add("--chdir", dir)
	// All of /proc, for to root its /proc/sys belongs even without capabilities.
	a.add("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/")
	a.environment(spec)

	// The options go by a descriptor: they hold the environment, which ps shows.
	file, err := sealed("arguments", a.bytes())
	if err != nil {
		c.Discard()
		return nil, err
	}
	c.Args = append([]string{"bwrap", "--args", strconv.Itoa(c.pass(file)), "--", program}, spec.Argv[1:]...)
	c.Env = []string{"PATH=/usr/bin:/bin", c.mark} // of bwrap: a variable of the plugin must not reach its linker
	c.Dir = "/"
	return c, nil
}

// programInside is the name that the program has in the sandbox.
func (b *Box) programInside(spec Spec, mounts []mount) string {
	if b.hidden(filepath.Clean(spec.Program)) {
		if canonical, _, err := walk(spec.Program); err == nil {
			return canonical
		}
	}
	return spec.Program
}

// dirInside is the working directory in the sandbox. It is empty where nothing
// of it was given, so that relative paths of what was given still work.
func (b *Box) dirInside(dir string) (string, error) {
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return "", fmt.Errorf("working directory: %w", err)
		}
	}
	canonical, _, err := walk(dir)
	if err != nil || !filepath.IsAbs(dir) {
		return "", &PathError{"working directory", dir, "does not exist or is not absolute"}
	}
	if b.hidden(canonical) {
		return "/", nil
	}
	return canonical, nil
}

// arguments collects the options of bwrap.
type arguments struct {
	cmd  *Cmd
	list []string
}

func (a *arguments) add(args ...string) { a.list = append(a.list, args...) }

// bytes is the form that bwrap reads from a descriptor.
func (a *arguments) bytes() []byte {
	var buf bytes.Buffer
	for _, s := range a.list {
		buf.WriteString(s)
		buf.WriteByte(0)
	}
	return buf.Bytes()
}

func (a *arguments) namespaces(t *tool, spec Spec) {
	a.add("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL")
	if t.closed {
		a.add("--disable-userns")
	}
	if !spec.granted(Network) {
		a.add("--unshare-net")
	}
}

// system adds what every sandbox has.
func (a *arguments) system(spec Spec) {
	a.add("--ro-bind", "/usr", "/usr")
	for _, path := range systemLinks {
		if target, err := os.Readlink(path); err == nil {
			a.add("--symlink", target, path)
		} else {
			a.add("--ro-bind-try", path, path)
		}
	}
	files := etc
	if spec.granted(Network) {
		files = slices.Concat(etc, etcNetwork)
	}
	for _, name := range files {
		path := filepath.Join("/etc", name)
		if _, err := os.Stat(path); err == nil {
			a.add("--ro-bind-try", path, path)
		}
	}
	a.add("--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/dev/shm",
		"--perms", "1777", "--tmpfs", "/tmp")
}

// people adds a passwd and a group that know the user, root and nobody.
func (a *arguments) people(home string) error {
	uid, gid := os.Getuid(), os.Getgid()
	name := "user"
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil && !strings.ContainsAny(u.Username, ":\n") {
		name = u.Username
	}
	passwd := "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/sh\n"
	group := "root:x:0:\nnogroup:x:65534:\n"
	if uid != 0 {
		if strings.ContainsAny(home, ":\n") {
			home = "/"
		}
		passwd += fmt.Sprintf("%s:x:%d:%d::%s:/bin/sh\n", name, uid, gid, cmp.Or(home, "/"))
	}
	if gid != 0 {
		group += fmt.Sprintf("%s:x:%d:\n", name, gid)
	}
	for _, f := range []struct{ path, text string }{{"/etc/passwd", passwd}, {"/etc/group", group}} {
		file, err := sealed(f.path, []byte(f.text))
		if err != nil {
			return err
		}
		a.add("--perms", "0444", "--ro-bind-data", strconv.Itoa(a.cmd.pass(file)), f.path)
	}
	return nil
}

// audio adds the sockets of the sound servers and the sound devices.
func (a *arguments) audio(runtime string) {
	a.add("--dev-bind-try", "/dev/snd", "/dev/snd")
	if !filepath.IsAbs(runtime) {
		return
	}
	a.add("--ro-bind-try", filepath.Join(runtime, "pipewire-0"), audioInside+"/pipewire-0")
	a.add("--ro-bind-try", filepath.Join(runtime, "pulse/native"), audioInside+"/pulse")
}

// mount adds one mount, and its other name unless that is there already.
func (a *arguments) mount(t *tool, m mount, all []mount) error {
	if !m.write && inSystem(m.path) && m.alias == "" {
		return nil
	}
	option := "--ro-bind"
	if m.write {
		option = "--bind"
	}
	at := []string{m.path}
	if m.alias != "" && !inSystem(m.alias) &&
		!slices.ContainsFunc(all, func(o mount) bool { return within(m.alias, o.path) }) {
		at = append(at, m.alias)
	}
	for _, path := range at {
		if inSystem(path) && !m.write {
			continue
		}
		if !t.byFD {
			a.add(option, m.file.Name(), path)
			continue
		}
		fd, err := unix.FcntlInt(m.file.Fd(), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return fmt.Errorf("%s %s: %w", m.what, m.path, err)
		}
		a.add(option+"-fd", strconv.Itoa(a.cmd.pass(os.NewFile(uintptr(fd), m.file.Name()))), path)
	}
	return nil
}

func (a *arguments) environment(spec Spec) {
	a.add("--clearenv")
	set := func(entry string) {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			a.add("--setenv", name, value)
		}
	}
	for _, entry := range spec.Env {
		set(entry)
	}
	if spec.Temp != "" {
		set("TMPDIR=" + tempInside)
	}
	if spec.granted(Microphone) {
		set("PIPEWIRE_RUNTIME_DIR=" + audioInside)
		set("PULSE_SERVER=unix:" + audioInside + "/pulse")
	}
	set(a.cmd.mark)
}

// sealed returns a file without a name that holds data, at its beginning.
func sealed(name string, data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("utter "+filepath.Base(name), unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("sandbox: make a memory file: %w", err)
	}
	file := os.NewFile(uintptr(fd), name)
	_, err = file.Write(data)
	if err == nil {
		_, err = file.Seek(0, 0)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("sandbox: write a memory file: %w", err)
	}
	return file, nil
}
