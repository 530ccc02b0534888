package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A State is how much of a claim is known to hold. The zero State promises nothing.
type State int

// The states.
const (
	Advisory   State = iota // not enforced
	Unverified              // refused inside, but so is it outside, or it could not be tried
	Enforced                // refused inside, and the same succeeds outside
)

func (s State) String() string {
	switch s {
	case Enforced:
		return "enforced"
	case Unverified:
		return "unverified"
	}
	return "advisory"
}

// MarshalText writes the state as String does.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name of a state. One that is not known promises nothing.
func (s *State) UnmarshalText(text []byte) error {
	*s = Advisory
	for _, known := range []State{Unverified, Enforced} {
		if known.String() == string(text) {
			*s = known
		}
	}
	return nil
}

// The claims. The first four are permissions of that name too.
const (
	Network         = "network"
	FilesystemRead  = "filesystem.read"
	FilesystemWrite = "filesystem.write"
	Microphone      = "microphone"

	Processes       = "processes"        // the host's are neither seen nor signalled
	SessionBus      = "session-bus"      // not reached
	RunnerSocket    = "runner-socket"    // not reached
	Display         = "display"          // Wayland and X11: not reached
	AbstractSockets = "abstract-sockets" // the host's: not reached, even with the network granted
	Capabilities    = "capabilities"     // none, and no way to get any
)

var claims = []string{Network, FilesystemRead, FilesystemWrite, Microphone,
	Processes, SessionBus, RunnerSocket, Display, AbstractSockets, Capabilities}

// A Claim is one thing that the sandbox is to keep a plugin from.
type Claim struct {
	Name   string `json:"name"`
	State  State  `json:"state"`
	Reason string `json:"reason"` // what was tried, or what is missing
}

// A Report is what Probe found.
type Report struct {
	Bwrap   string  `json:"bwrap,omitempty"` // its path
	Version string  `json:"version,omitempty"`
	Works   bool    `json:"works"`
	Reason  string  `json:"reason,omitempty"` // why it does not work
	Claims  []Claim `json:"claims,omitempty"`
}

// Claim returns the claim of that name; one that was not tried is advisory.
func (r Report) Claim(name string) Claim {
	for _, c := range r.Claims {
		if c.Name == name {
			return c
		}
	}
	return Claim{Name: name, Reason: cmp.Or(r.Reason, "not tried")}
}

// probeEnv is the probe's environment. Only tests need one.
var probeEnv []string

// probePatience is how long one run of the probe may take.
const probePatience = 10 * time.Second

func (b *Box) probe(ctx context.Context) Report {
	t, err := b.bwrap()
	if err != nil {
		return Report{Reason: err.Error()}
	}
	r := Report{Bwrap: t.path, Version: t.version}
	s, err := b.setStage()
	if err != nil {
		r.Reason = "set up the probe: " + err.Error()
		return r
	}
	defer s.strike()

	// Two sandboxes, so that each thing is refused although much else is granted.
	net, err := s.inside(ctx, Spec{Granted: []string{Microphone}}, s.network)
	if err != nil && t.closed {
		b.reopen()
		net, err = s.inside(ctx, Spec{Granted: []string{Microphone}}, s.network)
	}
	if err != nil {
		r.Reason = "bubblewrap does not work here: " + err.Error()
		return r
	}
	rest, err := s.inside(ctx, Spec{Granted: []string{Network}}, s.rest)
	if err != nil {
		r.Reason = "bubblewrap does not work here with the network granted: " + err.Error()
		return r
	}
	r.Works = true

	outside, err := s.outside(ctx, slices.Concat(s.network, s.rest))
	if err != nil {
		outside.Errors = slices.Repeat([]string{err.Error()}, len(s.network)+len(s.rest))
	}
	found := append(pair(s.network, net.Errors, outside.Errors[:len(s.network)]),
		pair(s.rest, rest.Errors, outside.Errors[len(s.network):])...)
	for _, name := range claims {
		r.Claims = append(r.Claims, judge(name, found, s.missing[name], holds(name, net, rest)))
	}
	return r
}

// A finding is one attempt, tried on both sides.
type finding struct {
	attempt
	inside, outside string // errors
}

func pair(attempts []attempt, inside, outside []string) (all []finding) {
	for i, a := range attempts {
		all = append(all, finding{a, inside[i], outside[i]})
	}
	return all
}

// judge makes one claim of its findings. missing says what could not be tried,
// fault what else was seen that speaks against it.
func judge(name string, found []finding, missing, fault string) Claim {
	c := Claim{Name: name, State: Enforced}
	worse := func(s State, reason string) {
		if s < c.State {
			c.State, c.Reason = s, reason
		}
	}
	if fault != "" {
		worse(Advisory, fault)
	}
	if missing != "" {
		worse(Unverified, missing)
	}
	var tried []string
	for _, f := range found {
		if f.Claim != name {
			continue
		}
		if !slices.Contains(tried, f.attempt.String()) { // one may be made in both sandboxes
			tried = append(tried, f.attempt.String())
		}
		switch {
		case f.inside == "":
			worse(Advisory, fmt.Sprintf("a plugin could %v", f.attempt))
		case f.outside != "":
			worse(Unverified, fmt.Sprintf("%v is refused inside, but outside too: %s", f.attempt, f.outside))
		}
	}
	if len(tried) == 0 {
		worse(Unverified, "not tried")
	}
	if c.State == Enforced {
		c.Reason = "refused inside, done outside: " + strings.Join(tried, ", ")
	}
	return c
}

// holds returns what the probes saw of themselves that speaks against a claim.
func holds(name string, answers ...answer) string {
	for _, a := range answers {
		if name != Capabilities {
			break
		}
		if a.NoNewPrivs != "1" {
			return "no_new_privs is not set inside"
		}
		for _, set := range a.Capabilities {
			if strings.Trim(set, "0") != "" {
				return "a plugin has capabilities: " + set
			}
		}
	}
	return ""
}

func (s *stage) spec(spec Spec) Spec {
	spec.Argv = []string{s.exe, probeArgument}
	spec.Env = probeEnv
	spec.Program, spec.Folder, spec.Temp, spec.Dir = s.exe, s.folder, s.temp, s.folder
	return spec
}

// inside makes the attempts in a sandbox. It fails if the sandbox does not come
// up, or if something that is granted does not succeed there.
func (s *stage) inside(ctx context.Context, spec Spec, attempts []attempt) (answer, error) {
	cmd, err := s.box.Command(s.spec(spec))
	if err != nil {
		return answer{}, err
	}
	controls := slices.DeleteFunc(slices.Clone(s.controls), func(a attempt) bool {
		return a.Claim == Network && !spec.granted(Network)
	})
	a, err := run(ctx, cmd, slices.Concat(attempts, controls))
	if err != nil {
		return answer{}, err
	}
	for i, c := range controls {
		if text := a.Errors[len(attempts)+i]; text != "" {
			return answer{}, fmt.Errorf("%v is granted and refused: %s", c, text)
		}
	}
	if got := fmt.Sprint(a.Descriptors); got != "[0 1 2]" {
		return answer{}, fmt.Errorf("a plugin has the descriptors %s", got)
	}
	a.Errors = a.Errors[:len(attempts)]
	// Whether a write arrived is told by the file, not by the writer.
	for i, at := range attempts {
		if at.Kind == tryWrite && a.Errors[i] == "" && !s.arrived(at) {
			a.Errors[i] = "it went elsewhere"
		}
	}
	return a, nil
}

func (s *stage) arrived(a attempt) bool {
	return a.Want != "" && attempt{Kind: tryRead, Path: a.Path, Want: a.Want}.try() == nil
}

func (s *stage) outside(ctx context.Context, attempts []attempt) (answer, error) {
	return run(ctx, Plain(s.spec(Spec{})), attempts)
}

// run starts the probe and waits for its answer.
func run(ctx context.Context, cmd *Cmd, attempts []attempt) (a answer, err error) {
	question, err := json.Marshal(attempts)
	if err != nil {
		cmd.Discard()
		return a, err
	}
	var out, told bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(question), &out, &told
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return a, err
	}
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { cmd.Kill() })
	err = cmd.Wait()
	stop()
	if ctx.Err() != nil {
		return a, fmt.Errorf("the probe did not answer: %w", ctx.Err())
	}
	if err != nil {
		if text := firstLine(told.String()); text != "" {
			err = errors.New(text)
		}
		return a, err
	}
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		return a, fmt.Errorf("read the probe's answer: %w", err)
	}
	if len(a.Errors) != len(attempts) {
		return a, fmt.Errorf("the probe answered %d of %d attempts", len(a.Errors), len(attempts))
	}
	return a, nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line[:min(len(line), 200)]
}
