package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// A check asserts one promise of the protocol. Its id begins with the section
// of the specification; Catches says what broken runner it is there for.
type check struct {
	ID, Title, Catches string
	Run                func(c *C)
	Alone              bool // it loads or measures the machine: nothing runs beside it
}

// A verdict is what became of a check.
type verdict int

const (
	passed verdict = iota
	failed
	skipped
	blocked // the suite could not run it
)

func (v verdict) String() string { return [...]string{"ok", "FAIL", "skip", "BLOCKED"}[v] }

// An outcome is a check that was run.
type outcome struct {
	check   check
	verdict verdict
	reason  string
	talk    string // the conversation
	dir     string // what --keep left
	took    time.Duration
}

// A suite is what the checks of one run share.
type suite struct {
	runner   string        // the program under test
	unruly   string        // the plugin that misbehaves, built
	repo     string        // the root of the repository: where plugins are found
	patience time.Duration // for anything that must happen
	keep     bool
}

// C is one check at work: its folder, its conversation, what is to be ended.
type C struct {
	*suite
	dir      string
	patience time.Duration
	started  time.Time
	worlds   int // that a check has numbered

	mu      sync.Mutex
	talk    []string
	size    int
	links   []*link
	cleanup []func()
}

// stop is what fail, skip and block throw.
type stop struct {
	verdict verdict
	reason  string
}

func (c *C) fail(format string, args ...any) { panic(stop{failed, fmt.Sprintf(format, args...)}) }

// skip is for what this machine cannot show, never for what a runner lacks.
func (c *C) skip(format string, args ...any) { panic(stop{skipped, fmt.Sprintf(format, args...)}) }

// block ends a check that says nothing about the runner.
func (c *C) block(format string, args ...any) { panic(stop{blocked, fmt.Sprintf(format, args...)}) }

// must blocks the check if the suite's own doing failed.
func (c *C) must(err error) {
	if err != nil {
		c.block("%v", err)
	}
}

// want fails the check unless ok.
func (c *C) want(ok bool, format string, args ...any) {
	if !ok {
		c.fail(format, args...)
	}
}

// equal fails the check unless got is want, as JSON.
func (c *C) equal(what string, got, want any) {
	if !same(got, want) {
		c.fail("%s is %s, must be %s", what, clip(toJSON(got), 300), clip(toJSON(want), 300))
	}
}

// within polls until ok.
func (c *C) within(patience time.Duration, what string, ok func() bool) {
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.fail("%s: not within %v", what, patience)
		}
	}
}

// later runs f when the check is over, in reverse order.
func (c *C) later(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cleanup = append(c.cleanup, f)
}

func (c *C) adopt(l *link) {
	c.mu.Lock()
	c.links = append(c.links, l)
	c.mu.Unlock()
	c.later(l.close)
}

// maxTalk bounds the transcript, in lines; the middle of a long one is left out.
const maxTalk = 400

// note adds to the transcript.
func (c *C) note(who, arrow, what string) {
	line := fmt.Sprintf("%8.3f %-14s %s %s", time.Since(c.started).Seconds(), who, arrow,
		fmt.Sprintf("%q", clip(what, 400)))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size++
	if len(c.talk) == maxTalk {
		c.talk = append(c.talk[:maxTalk/2], c.talk[maxTalk/2+1:]...)
	}
	c.talk = append(c.talk, line)
}

func (c *C) transcript() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := c.talk
	if left := c.size - len(lines); left > 0 {
		lines = append(append(lines[:maxTalk/2:maxTalk/2], fmt.Sprintf("         … %d lines left out", left)),
			lines[maxTalk/2:]...)
	}
	return strings.Join(lines, "\n")
}

// run runs one check in a folder of its own.
func (s *suite) run(k check) (o outcome) {
	o.check = k
	c := &C{suite: s, patience: s.patience, started: time.Now()}
	dir, err := os.MkdirTemp("", "uc")
	if err != nil {
		o.verdict, o.reason = blocked, err.Error()
		return o
	}
	c.dir = dir
	defer func() {
		o.took = time.Since(c.started)
		if s.keep {
			o.dir = dir
		} else if err := removeAll(dir); err != nil && o.verdict == passed {
			o.verdict, o.reason = blocked, err.Error()
		}
	}()
	o.verdict, o.reason = c.attempt(func() {
		k.Run(c)
		for _, l := range c.links {
			l.checkForm()
		}
	})
	// Cleaning up is part of no verdict, but must not hide one.
	for i := len(c.cleanup) - 1; i >= 0; i-- {
		if v, reason := c.attempt(c.cleanup[i]); v != passed && o.verdict == passed {
			o.verdict, o.reason = v, reason
		}
	}
	o.talk = c.transcript()
	return o
}

// attempt turns what fail, skip and block throw into a verdict.
func (c *C) attempt(f func()) (v verdict, reason string) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stop:
			v, reason = r.verdict, r.reason
		default:
			v, reason = blocked, fmt.Sprintf("the suite itself failed: %v\n%s", r, debug.Stack())
		}
	}()
	f()
	return passed, ""
}

// removeAll removes a folder whose owner may have been denied parts of it.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	walk := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if info != nil && info.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return nil
	})
	return errors.Join(walk, os.RemoveAll(dir))
}
