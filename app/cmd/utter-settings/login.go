package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// login starts the agent with the session, by its systemd user unit.
type login struct{}

const unit = "utter-agent.service"

// Enabled reports whether the unit is enabled; ok is false where there is no
// systemd user session or no such unit.
func (login) Enabled() (on, ok bool) {
	out, _ := systemctl("is-enabled", unit) // its exit status says the same as its word
	switch strings.TrimSpace(out) {
	case "enabled":
		return true, true
	case "disabled":
		return false, true
	}
	return false, false
}

// Enable makes the agent start with the session, or no longer.
func (login) Enable(on bool) error {
	verb := "disable"
	if on {
		verb = "enable"
	}
	if out, err := systemctl(verb, unit); err != nil {
		return fmt.Errorf("%s %s: %w: %s", verb, unit, err, strings.TrimSpace(out))
	}
	return nil
}

func systemctl(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "systemctl", append([]string{"--user"}, args...)...).CombinedOutput()
	return string(out), err
}
