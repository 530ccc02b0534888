package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A broken runner is the right one with something in between that breaks one
// rule: a proxy before its socket, or before each of its plugins. The test
// binary plays both, under a name that says which rule.

// A way is the direction of a frame.
type way int

const (
	toRunner way = iota
	fromRunner
)

// A parcel is one frame on its way, or bytes that are none.
type parcel struct {
	header string
	body   []byte
	files  []*os.File
}

func (p *parcel) value() any {
	v, err := decode(p.body)
	if err != nil {
		return nil
	}
	return v
}

// with returns the parcel with another body.
func (p *parcel) with(v any) *parcel {
	body := toJSON(v)
	return &parcel{header: fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)), body: []byte(body), files: p.files}
}

// A send passes a parcel on.
type send func(w way, p *parcel)

// A rewrite is a mutation at work on one connection. It passes on what it
// likes, in either direction.
type rewrite func(w way, p *parcel, pass send)

// A mutation is a rule that is broken. Each check in caught must fail with it,
// and pass with the rewrite that changes nothing.
type mutation struct {
	name   string
	client func() rewrite // before the socket
	plugin func() rewrite // before each plugin
	caught []string
}

func straight(w way, p *parcel, pass send) { pass(w, p) }

// edit changes the value of what goes one way.
func edit(only way, change func(v obj) any) func() rewrite {
	return func() rewrite {
		return func(w way, p *parcel, pass send) {
			v, isObject := p.value().(map[string]any)
			if w != only || !isObject {
				pass(w, p)
				return
			}
			switch after := change(v).(type) {
			case nil: // swallowed
			case arr: // several
				for _, each := range after {
					pass(w, p.with(each))
				}
			default:
				if same(p.value(), after) {
					pass(w, p)
				} else {
					pass(w, p.with(after))
				}
			}
		}
	}
}

// playMutant is main for the test binary under the name of a broken runner.
func playMutant(m mutation) int {
	here := filepath.Dir(os.Args[0])
	args := os.Args[1:]
	real := filepath.Join(here, "runner")
	if m.plugin != nil {
		for n, arg := range args {
			if strings.HasSuffix(arg, ".toml") {
				file, err := wrapPlugins(arg, filepath.Join(here, "plugin-"+m.name))
				if err != nil {
					fmt.Fprintln(os.Stderr, "mutant:", err)
					return 70
				}
				args[n] = file
			}
		}
		cmd := exec.Command(real, args...)
		return supervise(cmd)
	}
	front := filepath.Join(runtimeFolder(), "utter", "runner.sock")
	back := filepath.Join(runtimeFolder(), "real.sock")
	cmd := exec.Command(real, append(args, "--socket", back)...)
	go serveProxy(front, back, m.client)
	return supervise(cmd)
}

var entrypointLine = regexp.MustCompile(`(?m)^entrypoint = \[`)

// wrapPlugins copies a configuration, with our program before each entrypoint.
func wrapPlugins(file, program string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	text = entrypointLine.ReplaceAll(text, fmt.Appendf(nil, "entrypoint = [%q, ", program))
	wrapped := file + ".wrapped"
	return wrapped, os.WriteFile(wrapped, text, 0o600)
}

// supervise runs cmd as if it were us.
func supervise(cmd *exec.Cmd) int {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "mutant:", err)
		return 70
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s)
		}
	}()
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

func serveProxy(front, back string, mutate func() rewrite) {
	for {
		if _, err := os.Stat(back); err == nil {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	_ = os.MkdirAll(filepath.Dir(front), 0o700)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: front})
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutant:", err)
		return
	}
	for {
		conn, err := listener.AcceptUnix()
		if err != nil {
			return
		}
		runner, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: back})
		if err != nil {
			conn.Close()
			continue
		}
		go relay(socketEnd{conn}, socketEnd{runner}, mutate())
	}
}

// playPlugin is main for the test binary before a plugin.
func playPlugin(m mutation) int {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	in, err := cmd.StdinPipe()
	if err == nil {
		var out io.ReadCloser
		if out, err = cmd.StdoutPipe(); err == nil {
			cmd.Stderr = os.Stderr
			if err = cmd.Start(); err == nil {
				relay(pipeEnd{out, in}, pipeEnd{os.Stdin, os.Stdout}, m.plugin())
				_ = cmd.Wait()
				return cmd.ProcessState.ExitCode()
			}
		}
	}
	fmt.Fprintln(os.Stderr, "mutant:", err)
	return 70
}

// An end is one side of a relay.
type end interface {
	read([]byte) (int, []*os.File, error)
	write(bytes []byte, files []*os.File) error
	finish() // no more is written
}

type socketEnd struct{ *net.UnixConn }

func (s socketEnd) read(into []byte) (int, []*os.File, error) { return receive(s.UnixConn, into) }

func (s socketEnd) write(bytes []byte, files []*os.File) error {
	var rights []byte
	if len(files) > 0 {
		var fds []int
		for _, f := range files {
			fds = append(fds, int(f.Fd()))
		}
		rights = unix.UnixRights(fds...)
	}
	n, _, err := s.WriteMsgUnix(bytes, rights, nil)
	if err == nil && n < len(bytes) {
		_, err = s.Write(bytes[n:])
	}
	for _, f := range files {
		f.Close()
	}
	return err
}

func (s socketEnd) finish() { _ = s.CloseWrite() }

type pipeEnd struct {
	io.ReadCloser
	io.WriteCloser
}

func (p pipeEnd) read(into []byte) (int, []*os.File, error) {
	n, err := p.ReadCloser.Read(into)
	return n, nil, err
}

func (p pipeEnd) write(bytes []byte, _ []*os.File) error {
	_, err := p.WriteCloser.Write(bytes)
	return err
}

func (p pipeEnd) finish() { p.WriteCloser.Close() }

// keepOpen is what a rewrite sends as a parcel's header to say that the end of a
// stream is not to be passed on.
const keepOpen = "keep open"

// relay passes frames between the outside (a client, or a plugin) and the
// runner until one of them ends.
func relay(outside, runner end, mutate rewrite) {
	var mu sync.Mutex
	kept := map[way]bool{}
	pass := func(w way, p *parcel) {
		if p.header == keepOpen {
			kept[w] = true
			return
		}
		to := runner
		if w == fromRunner {
			to = outside
		}
		_ = to.write(append([]byte(p.header), p.body...), p.files)
	}
	var group sync.WaitGroup
	for w, from := range map[way]end{toRunner: outside, fromRunner: runner} {
		group.Go(func() {
			for {
				p, err := readParcel(from)
				if p != nil {
					mu.Lock()
					mutate(w, p, pass)
					mu.Unlock()
				}
				if err != nil {
					break
				}
			}
			mu.Lock()
			keep := kept[w]
			mu.Unlock()
			switch {
			case keep:
				select {} // for ever: the other side never learns of it
			case w == toRunner:
				runner.finish()
			default:
				outside.finish()
			}
		})
	}
	group.Wait()
	for _, e := range []end{outside, runner} {
		if s, isSocket := e.(socketEnd); isSocket {
			s.Close()
		}
	}
}

var anyLength = regexp.MustCompile(`(?i)^content-length: *([0-9]{1,9})\r\n\r\n$`)

// readParcel reads a frame; what is none comes as it is, in pieces.
func readParcel(from end) (*parcel, error) {
	p := &parcel{}
	one := make([]byte, 1)
	for !strings.HasSuffix(p.header, "\r\n\r\n") {
		n, files, err := from.read(one)
		p.files = append(p.files, files...)
		if n > 0 {
			p.header += string(one[:n])
		}
		if err != nil {
			if p.header == "" {
				return nil, err
			}
			return p, err
		}
		if len(p.header) > 9000 {
			return p, nil
		}
	}
	form := anyLength.FindStringSubmatch(p.header)
	if form == nil {
		return p, nil
	}
	length, err := strconv.Atoi(form[1])
	if err != nil || length > maxFrame {
		return p, nil
	}
	p.body = make([]byte, length)
	for have := 0; have < length; {
		n, files, err := from.read(p.body[have:])
		p.files = append(p.files, files...)
		have += n
		if err != nil && have < length {
			p.body = p.body[:have]
			return p, errors.Join(io.ErrUnexpectedEOF, err)
		}
	}
	return p, nil
}
