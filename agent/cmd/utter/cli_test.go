package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/spf13/cobra"

	"utter/shared/bus"
	"utter/tests/fakes/privatebus"
)

// call runs a command with this on standard input.
func call(ctx context.Context, stdin io.Reader, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(ctx, args, stdin, &out, &err)
	return status, out.String(), err.String()
}

// Every command explains itself, with an example that is one.
func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	root := (&cli{}).root()
	commands := 0
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		commands++
		args := strings.Fields(cmd.CommandPath())[1:]
		status, out, errs := call(t.Context(), strings.NewReader(""), append(args, "--help")...)
		if status != exitDone || errs != "" || cmd.Short == "" || cmd.Example == "" || !strings.Contains(out, cmd.Example) {
			t.Errorf("%s --help: exit status %d, error %q, example %q", cmd.CommandPath(), status, errs, cmd.Example)
		}
		for line := range strings.Lines(cmd.Example) {
			words := strings.Fields(line)
			if len(words) == 0 || words[0] != "utter" {
				t.Errorf("%s: the example %q is not a command", cmd.CommandPath(), line)
				continue
			}
			if found, _, err := root.Find(words[1:]); err != nil || !strings.HasPrefix(found.CommandPath(), cmd.CommandPath()) {
				t.Errorf("%s: the example %q is of %s, %v", cmd.CommandPath(), line, found.CommandPath(), err)
			}
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	if commands < 15 {
		t.Errorf("only %d commands", commands)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if status, out, _ := call(t.Context(), strings.NewReader(""), "completion", shell); status != exitDone ||
			!strings.Contains(out, "utter") {
			t.Errorf("completion %s: exit status %d, %d bytes", shell, status, len(out))
		}
	}
}

// What is too long, or cannot be read, is not sent.
func TestStandardInput(t *testing.T) {
	address := privatebus.Start(t, nil)
	stub{}.serve(t, address, "ok")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	status, out, _ := call(t.Context(), strings.NewReader(strings.Repeat("x", maxInput+1)), "run", "--json", "-")
	if status != exitUsage || !strings.Contains(out, "longer than 1 MiB") {
		t.Errorf("too much: exit status %d: %s", status, out)
	}
	// As much as may be is read whole: the agent judges it.
	status, out, _ = call(t.Context(), strings.NewReader(strings.Repeat("x", maxInput)), "run", "--json", "-")
	if status != exitUsage || !strings.Contains(out, "does not know") {
		t.Errorf("as much as may be: exit status %d: %.200s", status, out)
	}
	status, out, _ = call(t.Context(), strings.NewReader("\xff\n"), "run", "--json", "-")
	if status != exitUsage || !strings.Contains(out, "not valid UTF-8") {
		t.Errorf("binary: exit status %d: %s", status, out)
	}
	status, out, _ = call(t.Context(), broken{}, "run", "--json", "-")
	if status != exitFailed || !strings.Contains(out, "the disk is on fire") {
		t.Errorf("unreadable: exit status %d: %s", status, out)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the disk is on fire") }

// An agent that goes away in the middle leaves an answer that claims nothing; an
// interrupted call says that the plan goes on.
func TestCallsThatEndInTheMiddle(t *testing.T) {
	address := privatebus.Start(t, nil)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	agent := privatebus.Connect(t, address)
	asked, hold := make(chan bool), make(chan bool)
	defer close(hold)
	methods := map[string]any{
		"RunWithOptions": func(string, bus.Dict) (string, string, []bus.Dict, *dbus.Error) {
			agent.Close()
			return "", "", nil, nil
		},
		"PlanWithOptions": func(string, bus.Dict) (bus.Dict, *dbus.Error) { asked <- true; <-hold; return nil, nil },
	}
	if err := agent.ExportMethodTable(methods, bus.Path, bus.Interface); err != nil {
		t.Fatal(err)
	}
	privatebus.Own(t, agent, bus.Agent)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if status, out, errs := call(ctx, strings.NewReader(""), "plan", "--json", "x"); status != exitFailed ||
		!strings.Contains(out, `"reason":"cancelled"`) || errs != "" {
		t.Errorf("interrupted: exit status %d: %s%s", status, out, errs)
	}
	status, out, errs := call(t.Context(), strings.NewReader(""), "run", "--json", "x")
	if status != exitFailed || !strings.Contains(out, `"reason":"unknown"`) ||
		!strings.Contains(out, "may have taken effect") || errs != "" {
		t.Errorf("the agent goes: exit status %d: %s%s", status, out, errs)
	}
}
