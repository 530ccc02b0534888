package plugins

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"utter/shared/plugin/protocol"
	"utter/shared/plugin/runnerclient"
)

func TestStart(t *testing.T) {
	none := fmt.Errorf("%w at a socket", runnerclient.ErrNoRunner)
	if p := open(t, two, &runner{err: none}); p.shown.CanStart {
		t.Error("it can be started where nobody does that")
	}
	r := &runner{err: none, startable: true}
	p := open(t, two, r)
	p.Clock.Pass(3 * Pause)
	if !p.shown.CanStart || r.looked != 1 {
		t.Errorf("shown %+v; looked %d times whether it can be started", p.shown, r.looked)
	}
	p.Start()
	p.Start() // once is enough
	if !p.shown.Starting || r.started != 1 {
		t.Errorf("shown %+v, started %d times", p.shown, r.started)
	}
	r.err, r.rows = nil, []protocol.PluginRow{note}
	p.Clock.Pass(ShortPause)
	if p.shown.Starting || p.shown.Phase != Listed {
		t.Errorf("shown %+v", p.shown)
	}
	p.Clock.Pass(StartTime)
	if p.shown.Trouble != "" {
		t.Errorf("shown %+v", p.shown)
	}

	// One that ended, and was started again, has as much time as the first.
	r.err = none
	p.Clock.Pass(Pause)
	p.Start()
	p.Clock.Pass(StartTime - Pause)
	r.err = nil
	p.Clock.Pass(Pause / 2)
	r.err = none
	p.Clock.Pass(2 * Pause)
	p.Start()
	p.Clock.Pass(StartTime / 2)
	if !p.shown.Starting {
		t.Errorf("given up for an earlier start: %+v", p.shown)
	}
	p.Clock.Pass(StartTime)
	r.err = nil
	p.Clock.Pass(Pause)

	r.err = none
	p.Clock.Pass(Pause)
	r.startErr = errors.New("exit status 1")
	p.Start()
	p.Clock.Pass(2 * Pause)
	if p.shown.Starting || p.shown.Trouble != "It cannot be started" || p.shown.Detail != "exit status 1" {
		t.Errorf("not started: %+v", p.shown)
	}
	r.startErr = nil
	p.Start()
	p.Clock.Pass(StartTime)
	if p.shown.Starting || p.shown.Trouble != "It was started but does not respond" {
		t.Errorf("started in vain: %+v", p.shown)
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		config string
		want   Findings
	}{
		{two, Findings{}},
		{"-", Findings{Warnings: []Finding{{"config.toml", "there are no plugins"}}}},
		{"[search\n", Findings{Mistakes: []Finding{{"config.toml, line 1, column 8", "expected ']' to close table name"}}}},
		{two + "[[plugin]]\nid = \"bad\"\nkind = \"actoin\"\nentrypoint = \"x\"\n",
			Findings{Mistakes: []Finding{{"config.toml, line 13, column 1: plugin.kind",
				`is "actoin"; did you mean "action"?`}}}},
		{two + "cwd = \"/no/such\"\n",
			Findings{Warnings: []Finding{{"config.toml, line 6", "plugin dice: cwd /no/such is not a folder"}}}},
	} {
		p := open(t, tt.config, &runner{})
		var got Findings
		p.Check(func(f Findings) { got = f })
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: found %+q, want %+q", tt.config, got, tt.want)
		}
	}
}
