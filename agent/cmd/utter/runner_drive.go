package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"utter/agent/runner/stdio"
	"utter/shared/plugin/protocol"
	"utter/shared/plugin/rpc"
)

func (r *runnerCLI) driveCommand() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "drive -- PROGRAM [ARGUMENT...]",
		Short: "Start a plugin and send it requests by hand",
		Long: "Drive starts a plugin as the runner would, on its standard input and output but without a sandbox\n" +
			"and without a policy. After the handshake it sends what it reads: each line is a method and, after a\n" +
			"space, its params as JSON. The end of its input stops the plugin.",
		Example: "  utter runner drive -- python3 plugin.py",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.drive(cmd.Context(), args, timeout)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 10*time.Second, "for each answer")
	return cmd
}

// A drive is a plugin that is talked to by hand.
type drive struct {
	*runnerCLI
	peer    *rpc.Peer
	timeout time.Duration
	mu      sync.Mutex // one line at a time
}

func (r *runnerCLI) drive(ctx context.Context, argv []string, timeout time.Duration) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), protocol.EnvPluginID+"=drive", protocol.EnvPluginCookie+"=drive")
	cmd.Stderr = r.stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = 2 * time.Second
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return &exitError{exitFailed, "failed", err.Error()}
	}
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return &exitError{exitFailed, "failed", err.Error()}
	}
	d := &drive{runnerCLI: r, timeout: timeout}
	frames := stdio.NewOutput(stdout)
	d.peer = rpc.NewPeer(rpc.Pipe(frames, stdin), rpc.Options{MaxBody: rpc.MaxFromPlugin, Notified: d.notified})
	var running sync.WaitGroup
	var ended error
	running.Go(func() { ended = d.peer.Run(context.WithoutCancel(ctx)) })
	asked := d.talk(ctx)
	stdin.Close()
	stop := time.AfterFunc(3*time.Second, func() { d.peer.Close(); _ = cmd.Process.Kill() })
	running.Wait()
	left := cmd.Wait()
	stop.Stop()
	if stray := frames.Stray(); stray != "" {
		asked = strayed(asked, stray)
	}
	for _, err := range []error{asked, ended, left} {
		if err != nil {
			return &exitError{exitFailed, "failed", err.Error()}
		}
	}
	return nil
}

// strayed is the error of a plugin that writes something else than frames; asked
// is what came of it.
func strayed(asked error, said string) error {
	if _, late := errors.AsType[*stdio.LateError](asked); late {
		return fmt.Errorf("%w; it %s", asked, said)
	}
	return errors.New("the plugin " + said)
}

// talk shakes hands and then sends what it reads.
func (d *drive) talk(ctx context.Context) error {
	hello, err := d.ask(ctx, protocol.MethodHello,
		protocol.HelloParams{Protocol: protocol.Version, ABI: protocol.ABI, Runner: "utter runner drive " + version})
	if err != nil {
		return err
	}
	if _, err := protocol.CheckHello(hello); err != nil {
		return err
	}
	for _, method := range []string{protocol.MethodDescribe, protocol.MethodHealth} {
		if _, err := d.ask(ctx, method, nil); err != nil {
			return err
		}
	}
	lines := bufio.NewScanner(d.stdin)
	lines.Buffer(nil, rpc.MaxFromClient)
	for lines.Scan() {
		method, params, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		if method == "" {
			continue
		}
		var object json.RawMessage
		if params = strings.TrimSpace(params); params != "" {
			object = json.RawMessage(params)
			if !json.Valid(object) {
				d.print("error", method, []byte(`"params are not JSON"`))
				continue
			}
		}
		var failed *protocol.Error
		if _, err := d.ask(ctx, method, object); err != nil && !errors.As(err, &failed) {
			return err
		}
	}
	if _, err := d.ask(ctx, protocol.MethodShutdown, nil); protocol.CodeOf(err) == protocol.CodeInternal {
		return err // no answer at all
	}
	return lines.Err()
}

// ask calls a method and prints what comes back.
func (d *drive) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	if p, ok := params.(json.RawMessage); ok && p == nil {
		params = nil
	}
	result, err := d.peer.Call(ctx, method, params)
	if failed, ok := errors.AsType[*protocol.Error](err); ok {
		text, _ := rpc.Marshal(failed) // of what came as JSON
		d.print("error", method, text)
		return nil, err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, &stdio.LateError{Method: method, Within: d.timeout}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	d.print("result", method, result)
	return result, nil
}

func (d *drive) notified(_ context.Context, method string, params json.RawMessage) {
	d.print("notification", method, params)
}

// print prints one message, as a line of JSON or for people.
func (d *drive) print(kind, method string, text json.RawMessage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.json {
		line, _ := rpc.Marshal(map[string]any{"method": method, kind: text}) // of what is JSON
		fmt.Fprintf(d.stdout, "%s\n", line)
		return
	}
	fmt.Fprintf(d.stdout, "%s %s: %s\n", kind, printable(method), printable(string(text)))
}
