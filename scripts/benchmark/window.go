package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A program is one with a window, whose frames are seen from outside: GTK
// commits a buffer to the compositor in its frame clock's after-paint, and
// WAYLAND_DEBUG makes libwayland say when.
type program struct {
	cmd   *exec.Cmd
	began time.Time // before the process was there

	mu     sync.Mutex
	frames []time.Time
}

// open starts a program with a window.
func open(argv ...string) (*program, error) {
	p := &program{cmd: exec.Command(argv[0], argv[1:]...)}
	p.cmd.Env = append(os.Environ(), "WAYLAND_DEBUG=client")
	log, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	p.began = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go p.follow(log)
	return p, nil
}

// close ends the program.
func (p *program) close() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// follow notes the frames that libwayland tells of:
//
//	[3759156.943] {Default Queue}  -> wl_surface#28.commit()
func (p *program) follow(log io.Reader) {
	drawn := map[string]bool{} // surfaces with a new buffer
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		stamp, request, ok := strings.Cut(lines.Text(), " -> wl_surface#")
		if !ok {
			continue
		}
		surface, request, _ := strings.Cut(request, ".")
		switch {
		case strings.HasPrefix(request, "attach(wl_buffer"):
			drawn[surface] = true
		case request == "commit()" && drawn[surface]:
			delete(drawn, surface)
			if at, err := moment(stamp, time.Now()); err == nil {
				p.mu.Lock()
				p.frames = append(p.frames, at)
				p.mu.Unlock()
			}
		}
	}
}

// moment reads libwayland's time stamp: the clock's microseconds, the last 32
// bits of them, as milliseconds.
func moment(line string, now time.Time) (time.Time, error) {
	stamp, _, _ := strings.Cut(strings.TrimLeft(line, "[ "), "]")
	whole, part, _ := strings.Cut(stamp, ".")
	ms, err := strconv.ParseUint(whole, 10, 32)
	if err != nil {
		return time.Time{}, err
	}
	us, err := strconv.ParseUint(part, 10, 32)
	if err != nil {
		return time.Time{}, err
	}
	ago := uint32(now.UnixMicro()) - uint32(ms*1000+us)
	return now.Add(-time.Duration(ago) * time.Microsecond), nil
}

// after returns the frames since a moment.
func (p *program) after(t time.Time) (frames []time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.frames {
		if f.After(t) {
			frames = append(frames, f)
		}
	}
	return frames
}

// next waits for the first frame since a moment, and returns how long after it
// came.
func (p *program) next(t time.Time) (time.Duration, error) {
	var frames []time.Time
	if err := await(func() bool { frames = p.after(t); return len(frames) > 0 }); err != nil {
		return 0, fmt.Errorf("%s: a frame: %w", p.cmd.Path, err)
	}
	return frames[0].Sub(t), nil
}

// rest waits until the program has drawn nothing for a while.
func (p *program) rest() error {
	const still = 700 * time.Millisecond
	for range 20 {
		began := time.Now()
		time.Sleep(still)
		if len(p.after(began)) == 0 {
			return nil
		}
	}
	return errors.New("the window does not come to rest")
}
