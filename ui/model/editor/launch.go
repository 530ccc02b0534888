package editor

import (
	"time"

	shellquote "github.com/kballard/go-shellquote"

	"utter/ui/model/tr"
)

// A LaunchState is the state of a command.
type LaunchState string

// The states; the empty one is not known.
const (
	Found         LaunchState = "found"
	NotFound      LaunchState = "not_found"
	NotExecutable LaunchState = "not_executable"
)

type launchCheck struct {
	line  string
	state LaunchState
}

// checkAfter is how long after the last letter a command is checked.
const checkAfter = 300 * time.Millisecond

// checkLaunches checks the commands, where somebody looks.
func (m *Model) checkLaunches() {
	if m.shown == nil {
		return
	}
	for _, field := range []string{"launch", "new_window"} {
		m.checkLaunch(field)
	}
}

// checkLaunchSoon checks the command in a field that is being written.
func (m *Model) checkLaunchSoon(field string) {
	if cancel := m.look[field]; cancel != nil {
		cancel()
	}
	m.look[field] = m.later(checkAfter, func() { m.checkLaunch(field) })
}

// checkLaunch asks whether the command in a field can be started. What was
// answered of the same command stays until then.
func (m *Model) checkLaunch(field string) {
	line := m.field(field).Text
	argv, err := shellquote.Split(line)
	if err != nil || len(argv) == 0 || argv[0] == "" {
		return
	}
	if m.launch[field].line != line {
		m.launch[field] = launchCheck{line: line}
	}
	m.agent.CheckLaunch(argv, func(state LaunchState) {
		if m.launch[field].line == line {
			m.launch[field] = launchCheck{line, state}
			m.show()
		}
	})
}

func (m *Model) launchNotes(field string, f Field) []string {
	c := m.launch[field]
	if f.Error != "" || f.Text == "" || c.line != f.Text {
		return nil
	}
	switch c.state {
	case Found:
		return []string{tr.T("Found")}
	case NotFound:
		return []string{tr.T("There is no such program")}
	case NotExecutable:
		return []string{tr.T("This file is not an executable program")}
	}
	return nil
}
