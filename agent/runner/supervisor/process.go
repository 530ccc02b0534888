package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"utter/agent/runner/sandbox"
	"utter/agent/runner/stdio"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

// How long a plugin may take to end, by each means.
const (
	shutdownPatience = 2 * time.Second // to answer "shutdown"
	endPatience      = 2 * time.Second // after the end of its input
	socketPatience   = time.Second     // the same of one that has a socket
	termPatience     = time.Second     // after SIGTERM
)

// tempInside is the plugin's private folder as it is called in a sandbox.
const tempInside = "/tmp/utter"

// A process is one process of a plugin with all that came of it.
type process struct {
	cmd    *sandbox.Cmd
	temp   string        // its folder for temporary files
	stdin  *os.File      // what the runner writes to, nil with a socket
	stdout *stdio.Output // what its frames come by, nil with a socket
	stderr *os.File
	socket bool
	exited chan struct{} // closed when the first process has ended
	waited error         // of cmd.Wait; read after exited
	silent chan struct{} // closed at the end of stderr
	last   string        // its last line that is not blank; read after silent
}

// spawn starts the process of a plugin and connects to it.
func (p *Plugin) spawn(ctx context.Context) (proc *process, s rpc.Stream, err error) {
	if p.Entry.Runtime != protocol.RuntimeSubprocess {
		return nil, nil, protocol.Errorf(protocol.CodeInvalidParams, "runtime %s is not supported", p.Entry.Runtime)
	}
	boxed, err := p.boxed(ctx)
	if err != nil {
		return nil, nil, err
	}
	temp, err := p.tempFolder()
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(temp)
		}
	}()
	proc = &process{temp: temp, exited: make(chan struct{}), silent: make(chan struct{}),
		socket: p.Entry.Transport != protocol.TransportStdio}
	way, err := p.newTransport(proc, boxed)
	if err != nil {
		return nil, nil, err
	}
	defer way.close()
	if proc.cmd, err = p.command(boxed, way.inside, temp); err != nil {
		return nil, nil, err
	}
	if s, err = proc.start(); err != nil {
		return nil, nil, fmt.Errorf("start %s: %w", p.Entry.Entrypoint[0], err)
	}
	go proc.listen(p)
	if !proc.socket {
		return proc, s, nil
	}
	if s, err = way.connect(ctx, proc); err != nil {
		p.log.Debug("not connected", "error", err)
		proc.stop(p)
		return nil, nil, proc.lastWords(err)
	}
	return proc, s, nil
}

// listen takes the lines of the standard error.
func (proc *process) listen(p *Plugin) {
	defer close(proc.silent)
	readLines(proc.stderr, func(line string) {
		if strings.TrimSpace(line) != "" {
			proc.last = strings.TrimSpace(line)
		}
		p.say("stderr", line)
	})
}

// lastWords adds to a crash what the plugin said last, after stop or kill.
func (proc *process) lastWords(err error) error {
	<-proc.silent
	if _, crashed := errors.AsType[*crashError](err); crashed && proc.last != "" {
		return fmt.Errorf("%w: %s", err, bounded(proc.last))
	}
	return err
}

// stray says what the plugin wrote that is not a frame, or "".
func (proc *process) stray() string {
	if proc.stdout == nil {
		return ""
	}
	return proc.stdout.Stray()
}

// boxed tells whether this plugin is started in a sandbox.
func (p *Plugin) boxed(ctx context.Context) (bool, error) {
	if p.shared.Box == nil || p.shared.Mode == sandbox.Never {
		return sandbox.Applies(sandbox.Never, sandbox.Report{})
	}
	return sandbox.Applies(p.shared.Mode, p.shared.Box.Probe(ctx))
}

func (p *Plugin) tempFolder() (string, error) {
	parent := filepath.Join(p.shared.Folder, "tmp")
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", fmt.Errorf("folder for temporary files: %w", err)
	}
	dir, err := os.MkdirTemp(parent, p.ID()+"-")
	if err != nil {
		return "", fmt.Errorf("folder for temporary files: %w", err)
	}
	return dir, nil
}

func (p *Plugin) command(boxed bool, socket, temp string) (*sandbox.Cmd, error) {
	spec, err := p.spec(socket, temp)
	if err != nil {
		return nil, err
	}
	if !boxed {
		return sandbox.Plain(spec), nil
	}
	return p.shared.Box.Command(spec)
}

// start starts the process with its standard streams and, where these carry the
// frames, returns them.
func (proc *process) start() (s rpc.Stream, err error) {
	var theirs, ours []*os.File
	pipe := func(theyRead bool) (mine, its *os.File) {
		r, w, e := os.Pipe()
		if e != nil {
			err = e
			return nil, nil
		}
		mine, its = r, w
		if theyRead {
			mine, its = w, r
		}
		ours, theirs = append(ours, mine), append(theirs, its)
		return mine, its
	}
	var stdout *os.File
	if !proc.socket {
		var in, out *os.File
		proc.stdin, in = pipe(true)
		stdout, out = pipe(false)
		if err == nil {
			proc.cmd.Stdin, proc.cmd.Stdout = in, out
		}
	}
	stderr, its := pipe(false)
	if err == nil {
		proc.cmd.Stderr, proc.stderr = its, stderr
		err = proc.cmd.Start()
	} else {
		proc.cmd.Discard()
	}
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		for _, f := range ours {
			f.Close()
		}
		return nil, err
	}
	go func() {
		proc.waited = proc.cmd.Wait()
		close(proc.exited)
	}()
	if proc.socket {
		return nil, nil
	}
	proc.stdout = stdio.NewOutput(stdout)
	return rpc.Pipe(proc.stdout, proc.stdin), nil
}

// how says how the process ended, after it has.
func (proc *process) how() string {
	if proc.waited == nil {
		return "it exited on its own"
	}
	exit, ok := proc.waited.(*exec.ExitError)
	if !ok {
		return proc.waited.Error()
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return fmt.Sprintf("killed by signal %d (%s)", status.Signal(), status.Signal())
	}
	return exit.String()
}

// gone waits until the process has ended, at most so long.
func (proc *process) gone(patience time.Duration) bool {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-proc.exited:
		return true
	case <-timer.C:
		return false
	}
}

// stop ends the process, gently at first, with all that came of it, and removes
// its folder. Whoever reads its standard error comes to the end of it.
func (proc *process) stop(p *Plugin) {
	patience := socketPatience
	if !proc.socket {
		proc.stdin.Close()
		patience = endPatience
	}
	if !proc.gone(patience) {
		p.log.Debug("the plugin ignores the end of its input")
		if err := proc.cmd.Terminate(); err != nil {
			p.log.Warn("terminate", "error", err)
		}
		proc.gone(termPatience)
	}
	proc.kill(p)
}

// kill ends what is left.
func (proc *process) kill(p *Plugin) {
	if strays := proc.cmd.Strays(); len(strays) > 0 {
		p.log.Warn("processes of the plugin left its group; killing them", "count", len(strays))
	}
	if left := proc.cmd.Kill(); len(left) > 0 {
		p.log.Error("processes of the plugin cannot be killed", "pids", left)
	}
	<-proc.exited
	select { // nobody is left who writes to it, unless one could not be ended
	case <-proc.silent:
	case <-time.After(endPatience):
	}
	proc.stderr.Close()
	if err := os.RemoveAll(proc.temp); err != nil {
		p.log.Warn("remove temporary files", "error", err)
	}
}
