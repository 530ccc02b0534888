package bus

import (
	"context"

	"github.com/godbus/dbus/v5"
)

// A Status holds the agent's properties.
type Status struct {
	Version    string
	State      string // "ready", "running" or "waiting"
	Compositor string // with its version where it tells one; "" where there is none
	Head       string
	Problems   []Problem
}

// A Problem is something that is wrong with a file.
type Problem struct {
	File         string
	Line, Column int    // from 1; 0 where it is about the whole file
	Severity     string // "error" or "warning"
	Message      string // in English
	// Code and Args say the same in no language; Code may be "".
	Code string
	Args []string
}

// Status asks for all properties at once.
func (c *Client) Status(ctx context.Context) (Status, error) {
	var d map[string]dbus.Variant
	err := c.agent.CallWithContext(ctx, "org.freedesktop.DBus.Properties.GetAll", c.flags, Interface).Store(&d)
	if err != nil {
		return Status{}, c.translate(ctx, "read the properties", err)
	}
	var s Status
	PropertiesChanged{plainDict(d)}.Apply(&s)
	return s, nil
}

// Apply sets in s what has changed.
func (p PropertiesChanged) Apply(s *Status) {
	for name, to := range map[string]*string{"Version": &s.Version, "State": &s.State, "Compositor": &s.Compositor, "Head": &s.Head} {
		if text, ok := p.changed[name].(string); ok {
			*to = text
		}
	}
	if list, ok := p.changed["Problems"].([]Dict); ok {
		s.Problems = make([]Problem, len(list))
		for i, d := range list {
			s.Problems[i] = problem(d)
		}
	}
}

func problem(d Dict) Problem {
	line, _ := d["line"].(uint32)
	column, _ := d["column"].(uint32)
	args, _ := d["args"].([]string)
	return Problem{d.text("file"), int(line), int(column), d.text("severity"), d.text("message"), d.text("code"), args}
}
