package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A runner is the program under test, started.
type runner struct {
	c       *C
	cmd     *exec.Cmd
	home    string // HOME; the rest of the world is beside it
	runtime string // XDG_RUNTIME_DIR
	config  string // the file
	socket  string
	stderr  *buffer
	stdout  *buffer
	ended   chan struct{}
	code    int // after ended
	watcher *link
}

// A launch says how a runner is started, where that matters.
type launch struct {
	config    config
	text      string   // the file, instead of config
	args      []string // instead of --config FILE
	env       []string // besides the usual; NAME= removes
	cwd       string
	socket    string // where the socket is expected, instead of the usual place
	otherHome bool   // a second world beside the first
	base      string // the folder of the world, instead of the check's
}

// start starts the runner with a fresh home and waits for nothing.
func (c *C) start(k config) *runner { return c.launch(launch{config: k}) }

func (c *C) launch(how launch) *runner {
	base := c.dir
	if how.base != "" {
		base = how.base
	}
	if how.otherHome {
		var err error
		base, err = os.MkdirTemp(c.dir, "o")
		c.must(err)
	}
	r := &runner{c: c, home: filepath.Join(base, "home"), runtime: filepath.Join(base, "run"),
		config: filepath.Join(base, "config.toml"),
		stderr: &buffer{}, stdout: &buffer{}, ended: make(chan struct{})}
	r.socket = filepath.Join(r.runtime, "utter", "runner.sock")
	if how.socket != "" {
		r.socket = how.socket
	}
	for _, dir := range []string{r.home, r.runtime, filepath.Join(base, "tmp")} {
		c.must(os.MkdirAll(dir, 0o700))
	}
	if how.text == "" {
		how.text = how.config.toml()
	}
	c.must(os.WriteFile(r.config, []byte(how.text), 0o600))
	if how.args == nil {
		how.args = []string{"--config", r.config}
	}
	r.cmd = exec.Command(c.suite.runner, how.args...)
	r.cmd.Dir = c.repo
	if how.cwd != "" {
		r.cmd.Dir = how.cwd
	}
	r.cmd.Env = c.environment(base, how.env)
	r.cmd.Stderr, r.cmd.Stdout = r.stderr, r.stdout
	// Whoever inherits the runner's output must not keep us waiting for it.
	r.cmd.WaitDelay = time.Second
	c.note("runner", "$", strings.Join(r.cmd.Args, " "))
	if err := r.cmd.Start(); err != nil {
		c.block("start the runner: %v", err)
	}
	go func() {
		_ = r.cmd.Wait()
		r.code = r.cmd.ProcessState.ExitCode()
		c.note("runner", "$", fmt.Sprintf("(ended with %d)", r.code))
		close(r.ended)
	}()
	c.later(r.end)
	return r
}

// environment is a fresh one: of ours only PATH is left.
func (c *C) environment(base string, more []string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "USER=" + os.Getenv("USER"),
		"HOME=" + filepath.Join(base, "home"), "XDG_RUNTIME_DIR=" + filepath.Join(base, "run"),
		"TMPDIR=" + filepath.Join(base, "tmp"),
		"XDG_CONFIG_HOME=" + filepath.Join(base, "home/.config"), "XDG_DATA_HOME=" + filepath.Join(base, "home/.local/share"),
		"XDG_STATE_HOME=" + filepath.Join(base, "home/.local/state"), "XDG_CACHE_HOME=" + filepath.Join(base, "home/.cache"),
	}
	for _, e := range more {
		name, value, _ := strings.Cut(e, "=")
		env = slices.DeleteFunc(env, func(old string) bool { return strings.HasPrefix(old, name+"=") })
		if value != "" {
			env = append(env, e)
		}
	}
	return env
}

// end stops the runner for good, and adds what it logged to the transcript.
func (r *runner) end() {
	select {
	case <-r.ended:
	default:
		_ = r.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-r.ended:
		case <-time.After(8 * time.Second):
			_ = r.cmd.Process.Kill()
			<-r.ended
		}
	}
	for line := range strings.Lines(clip(r.stderr.String(), 8000)) {
		r.c.note("runner", "2", strings.TrimSpace(line))
	}
}

func (r *runner) signal(s syscall.Signal) {
	r.c.note("runner", "$", "("+s.String()+")")
	if err := r.cmd.Process.Signal(s); err != nil {
		r.c.fail("send %v to the runner: %v", s, err)
	}
}

// exits waits for the end of the runner and returns its code.
func (r *runner) exits(within time.Duration) int {
	select {
	case <-r.ended:
	case <-time.After(within):
		r.c.fail("the runner has not ended within %v", within)
	}
	return r.code
}

// dial connects without saying anything.
func (r *runner) dial() *link {
	conn := r.connect()
	r.c.mu.Lock()
	n := 1
	for _, l := range r.c.links {
		if strings.HasPrefix(l.name, "client ") {
			n++
		}
	}
	r.c.mu.Unlock()
	l := newLink(r.c, "client "+strconv.Itoa(n), conn)
	go l.run()
	return l
}

// connect waits for the socket.
func (r *runner) connect() *net.UnixConn {
	deadline := time.Now().Add(r.c.patience)
	for {
		conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: r.socket})
		if err == nil {
			return conn
		}
		select {
		case <-r.ended:
			r.c.fail("the runner ended with %d instead of opening its socket: %s", r.code, clip(r.stderr.String(), 1000))
		default:
		}
		if time.Now().After(deadline) {
			r.c.fail("no socket within %v: %v", r.c.patience, err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// client connects and authenticates with the owner's token.
func (r *runner) client() *link {
	l := r.dial()
	l.ok("runner.auth", obj{"token": r.token("token")})
	return l
}

// token reads a token file of the runner.
func (r *runner) token(name string) string {
	path := filepath.Join(r.runtime, "utter", name)
	deadline := time.Now().Add(r.c.patience)
	for {
		text, err := os.ReadFile(path)
		if token := strings.TrimSpace(string(text)); err == nil && token != "" {
			return token
		}
		if time.Now().After(deadline) {
			r.c.fail("no token in %s: %v", path, err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// row returns what runner.plugins says of a plugin; nil if nothing.
func (r *runner) row(id string) any {
	if r.watcher == nil {
		r.watcher = r.client()
		r.watcher.name = "watcher"
	}
	for _, row := range list(at(r.watcher.ok("runner.plugins", obj{}), "plugins")) {
		if at(row, "id") == any(id) {
			return row
		}
	}
	return nil
}

func (r *runner) status(id string) string { return text(at(r.row(id), "status")) }

// becomes waits until a plugin has the status.
func (r *runner) becomes(id, status string) any {
	var row any
	deadline := time.Now().Add(r.c.patience)
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		if row = r.row(id); text(at(row, "status")) == status {
			return row
		}
		if time.Now().After(deadline) {
			r.c.fail("plugin %s does not become %s within %v: %s", id, status, r.c.patience, toJSON(row))
		}
		time.Sleep(wait)
	}
}

// up starts the runner and returns a client when all plugins are ok.
func (c *C) up(k config) (*runner, *link) {
	r := c.start(k)
	for _, e := range k.plugins {
		r.becomes(e.id, "ok")
	}
	return r, r.client()
}

// exec runs the runner to its end, as --check-config does.
func (c *C) exec(how launch) (code int, output string) {
	how.otherHome = true
	r := c.launch(how)
	code = r.exits(c.patience)
	return code, r.stdout.String() + r.stderr.String()
}

// buffer collects what a process writes.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// alive reports whether a process is there and no zombie.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

// gone waits for the end of a process.
func (c *C) gone(what string, pid int, within time.Duration) {
	c.within(within, fmt.Sprintf("%s (process %d) is gone", what, pid), func() bool { return !alive(pid) })
}

// descriptors counts the open files of a process.
func (c *C) descriptors(pid int) int {
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	c.must(err)
	return len(files)
}

// memory returns the resident bytes of a process.
func (c *C) memory(pid int) int {
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	c.must(err)
	fields := strings.Fields(string(statm))
	pages, err := strconv.Atoi(fields[1])
	c.must(err)
	return pages * os.Getpagesize()
}
