package plugins

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"utter/shared/config"
	"utter/shared/plugin/protocol"
	"utter/ui/model/session/sessiontest"
)

// A runner is one that a test plays.
type runner struct {
	rows      []protocol.PluginRow
	err       error // of Rows
	startable bool
	startErr  error
	lines     []string
	reading   func() // is called while a log is read

	asked, looked, started int
	restarted              []string
}

func (r *runner) Rows() ([]protocol.PluginRow, error) {
	r.asked++
	return slices.Clone(r.rows), r.err
}

func (r *runner) Restart(id string) error {
	r.restarted = append(r.restarted, id)
	return r.err
}

func (r *runner) Log(string) ([]string, error) {
	if r.reading != nil {
		r.reading()
	}
	return r.lines, r.err
}

func (r *runner) CanStart() bool { r.looked++; return r.startable }

func (r *runner) Start() error { r.started++; return r.startErr }

type page struct {
	*sessiontest.Desk
	*Model
	t      *testing.T
	runner *runner
	shown  State
	shows  int
}

// open opens the page over a configuration, "-" for none, and looks at it.
func open(t *testing.T, text string, r *runner) *page {
	t.Helper()
	p := &page{t: t, runner: r}
	p.Desk = sessiontest.New(t, func(d *sessiontest.Desk) {
		if text != "-" {
			d.Config(text)
		}
	})
	file := p.Dirs.ConfigFile()
	p.Model = New(p.Session, r, file, func() (config.Config, error) { return config.Load(file) }, p.Work.Async,
		p.Clock.Later, func(s State) { p.shown = s; p.shows++ })
	p.SetActive(true)
	p.Show()
	return p
}

func (p *page) file() string { return p.Read(p.Dirs.ConfigFile()) }

// checkItems compares title, subtitle, and what is on and what can be done.
func (p *page) checkItems(want ...string) {
	p.t.Helper()
	var got []string
	for _, i := range p.shown.Items {
		got = append(got, fmt.Sprintf("%s: %s; on %v, switch %v, there %v", i.Title, i.Subtitle,
			i.Enabled, i.CanSwitch, i.There))
	}
	if !slices.Equal(got, want) {
		p.t.Errorf("plugins\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const two = "# mine\n[[plugin]]\nid = \"note\"\nentrypoint = [\"x\"]\n\n[[plugin]]\nid = \"dice\" # fun\n" +
	"kind = \"router\"\nenabled = false\nentrypoint = [\"y\"]\n"

var note = protocol.PluginRow{ID: "note", Kind: "action", Version: "1.2", Status: protocol.StatusOK,
	Ops: []string{"note", "forget"},
	Permissions: []protocol.PermissionState{{Name: "network", Granted: true, Enforced: true},
		{Name: "keyring", Advisory: true}}}
