// Conformance checks a plugin runner from outside. It starts the program with a
// fresh home, a configuration and plugins of its own, talks to its socket as a
// client and to its plugins' pipes as a plugin, and knows nothing of how the
// runner is made: the framing and the reading of JSON are its own.
//
//	go run ./tests/conformance --runner PATH [--keep] [--timeout D] [--jobs N] [--list] [CHECK…]
//
// A CHECK is an id (13.6), a section (13) or a part of a title. The exit code
// is 0 if all passed, 1 if a check failed, 2 if the suite could not run. What
// this machine cannot show is skipped, with the reason.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Exit codes.
const (
	exitPassed  = 0
	exitFailed  = 1
	exitBlocked = 2
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	cancel()
	os.Exit(code)
}

// checks are all there are, in the order of the specification.
func checks() []check {
	return slices.Concat(framingChecks, rpcChecks, handshakeChecks, capabilityChecks, pluginSideChecks, clientChecks,
		routingChecks, policyChecks(),
		confirmChecks, streamChecks, handleChecks, socketChecks, processChecks, configChecks, sandboxChecks, authorChecks)
}

// seconds is a duration that may be written as a number.
type seconds time.Duration

func (s *seconds) String() string { return time.Duration(*s).String() }

func (s *seconds) Set(text string) error {
	d, err := time.ParseDuration(text)
	if n, notNumber := strconv.ParseFloat(text, 64); notNumber == nil {
		d, err = time.Duration(n*float64(time.Second)), nil
	}
	if err == nil && d <= 0 {
		err = errors.New("must be more than nothing")
	}
	*s = seconds(d)
	return err
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	patience := seconds(30 * time.Second)
	fs := flag.NewFlagSet("conformance", flag.ContinueOnError)
	fs.SetOutput(stderr)
	runner := fs.String("runner", "", "check the runner at `PATH`")
	keep := fs.Bool("keep", false, "keep the folder of each check")
	fs.Var(&patience, "timeout", "wait `D` (seconds, or 1m30s) for anything that must happen")
	jobs := fs.Int("jobs", 6, "run `N` checks at a time")
	all := fs.Bool("list", false, "list the checks and what each catches")
	if err := fs.Parse(args); err != nil {
		return exitBlocked
	}
	chosen, err := choose(checks(), fs.Args())
	if err != nil {
		fmt.Fprintln(stderr, "conformance:", err)
		return exitBlocked
	}
	if *all {
		for _, k := range chosen {
			fmt.Fprintf(stdout, "%-6s %s\n       catches: %s\n", k.ID, k.Title, k.Catches)
		}
		return exitPassed
	}
	s, clean, err := prepare(*runner)
	if err != nil {
		fmt.Fprintln(stderr, "conformance:", err)
		return exitBlocked
	}
	defer clean()
	s.keep, s.patience = *keep, time.Duration(patience)
	return report(s.runAll(ctx, chosen, max(1, *jobs)), stdout)
}

// prepare finds what every check needs: the runner, and the plugin to build.
func prepare(runner string) (s *suite, clean func(), err error) {
	if runner == "" {
		return nil, nil, errors.New("say which runner: --runner PATH")
	}
	s = &suite{}
	if s.runner, err = filepath.Abs(runner); err != nil {
		return nil, nil, err
	}
	if info, err := os.Stat(s.runner); err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
		return nil, nil, fmt.Errorf("%s is not a program", s.runner)
	}
	if s.repo, err = repository(); err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "uc-bin")
	if err != nil {
		return nil, nil, err
	}
	clean = func() { os.RemoveAll(dir) }
	s.unruly = filepath.Join(dir, "unruly")
	build := exec.Command("go", "build", "-o", s.unruly, "./tests/plugins/unruly")
	build.Dir = s.repo
	if out, err := build.CombinedOutput(); err != nil {
		clean()
		return nil, nil, fmt.Errorf("build the plugin that misbehaves: %w\n%s", err, out)
	}
	return s, clean, nil
}

// repository is the nearest folder above that holds our plugins.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for start := dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "tests", "plugins", "unruly")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is in no clone of the repository, whose plugins are needed", start)
		}
	}
}

// choose returns the checks that words name; all of them if there are none.
func choose(all []check, words []string) ([]check, error) {
	if len(words) == 0 {
		return all, nil
	}
	wanted := map[string]bool{}
	for _, w := range words {
		named := func(k check) bool { return k.ID == w || strings.HasPrefix(k.ID, w+".") }
		if !slices.ContainsFunc(all, named) {
			named = func(k check) bool { return strings.Contains(strings.ToLower(k.Title), strings.ToLower(w)) }
		}
		if !slices.ContainsFunc(all, named) {
			return nil, fmt.Errorf("there is no check %q; --list says which there are", w)
		}
		for _, k := range all {
			wanted[k.ID] = wanted[k.ID] || named(k)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(k check) bool { return !wanted[k.ID] }), nil
}

// runAll runs the checks, those that need the machine for themselves last, and
// sends the outcomes in the order of the list as soon as they are known.
func (s *suite) runAll(ctx context.Context, list []check, jobs int) <-chan outcome {
	done := make([]chan outcome, len(list))
	for i := range done {
		done[i] = make(chan outcome, 1)
	}
	one := func(i int) {
		if ctx.Err() != nil {
			done[i] <- outcome{check: list[i], verdict: blocked, reason: "interrupted"}
			return
		}
		done[i] <- s.run(list[i])
	}
	go func() {
		var together sync.WaitGroup
		slots := make(chan struct{}, jobs)
		for i, k := range list {
			if k.Alone {
				continue
			}
			slots <- struct{}{}
			together.Go(func() {
				defer func() { <-slots }()
				one(i)
			})
		}
		together.Wait()
		for i, k := range list {
			if k.Alone {
				one(i)
			}
		}
	}()
	out := make(chan outcome)
	go func() {
		for _, d := range done {
			out <- <-d
		}
		close(out)
	}()
	return out
}

// report prints a line a check, what went wrong, and a summary.
func report(outcomes <-chan outcome, w io.Writer) int {
	count := map[verdict]int{}
	var slowest []outcome
	started := time.Now()
	for o := range outcomes {
		count[o.verdict]++
		slowest = append(slowest, o)
		fmt.Fprintf(w, "%-7s %-6s %s", o.verdict, o.check.ID, o.check.Title)
		if o.verdict == skipped {
			fmt.Fprintf(w, ": %s", o.reason)
		}
		fmt.Fprintln(w)
		if o.verdict == failed || o.verdict == blocked {
			fmt.Fprintf(w,
				"  %s\n  this check catches: %s\n"+
					"  the conversation (seconds, who, direction, bytes; $ processes, 2 the runner's log, ! our judgement):\n",
				o.reason, o.check.Catches)
			for line := range strings.Lines(o.talk) {
				fmt.Fprintf(w, "    %s", line)
			}
			fmt.Fprintln(w)
		}
		if o.dir != "" {
			fmt.Fprintf(w, "  kept: %s\n", o.dir)
		}
	}
	fmt.Fprintf(w, "\n%d passed, %d failed, %d skipped, %d blocked, in %.1f s", count[passed], count[failed],
		count[skipped], count[blocked], time.Since(started).Seconds())
	slices.SortFunc(slowest, func(a, b outcome) int { return cmp.Compare(b.took, a.took) })
	for i, o := range slowest[:min(3, len(slowest))] {
		fmt.Fprintf(w, "%s%s %.1f s", [...]string{" (slowest: ", ", ", ", "}[i], o.check.ID, o.took.Seconds())
	}
	if len(slowest) > 0 {
		fmt.Fprint(w, ")")
	}
	fmt.Fprintln(w)
	switch {
	case count[failed] > 0:
		return exitFailed
	case count[blocked] > 0 || count[passed]+count[skipped] == 0:
		return exitBlocked
	}
	return exitPassed
}
