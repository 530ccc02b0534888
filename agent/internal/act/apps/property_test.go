package apps_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"utter/agent/internal/compositor"
	"utter/agent/internal/launch"
	"utter/agent/internal/router"
	"utter/shared/op"
	"utter/shared/phrases"
	"utter/shared/plan"
)

// A desktop is made by chance: what is installed, what the user wrote, which windows
// are open, and whose each of them is. A window of "" is nobody's.
type madeDesktop struct {
	shelf
	windows []compositor.Window
	owner   map[compositor.WindowID]string
	apps    []string // ids; the names are the same
}

var syllables = []string{"zub", "kel", "vor", "mip", "tas", "lun", "gri", "pof", "dax", "wen"}

func makeDesktop(r *rand.Rand) *madeDesktop {
	d := &madeDesktop{
		shelf: shelf{entries: map[string]string{}, user: map[string]string{}}, owner: map[compositor.WindowID]string{},
	}
	open := func(appID, owner string) {
		for range r.IntN(3) {
			id := compositor.WindowID(len(d.windows) + 1)
			d.windows = append(d.windows, compositor.Window{ID: id, AppID: appID, Title: "window"})
			d.owner[id] = owner
		}
	}
	name := func() string { return fmt.Sprint(syllables[r.IntN(10)], syllables[r.IntN(10)], "o", len(d.apps)) }
	add := func(id, exec, more string) {
		d.entries[id] = "Name=" + id + "\nExec=" + exec + "\n" + more
		d.apps = append(d.apps, id)
		if r.IntN(2) == 0 {
			d.user[id+".yaml"] = "id: " + id + "\naliases: [my " + id + "]\n"
		}
	}
	hosts := []string{"foot", "steam", "chromium", "electron", name()}
	for _, h := range hosts {
		if r.IntN(3) == 0 {
			open(h, "") // only what it shows is installed
			continue
		}
		add(h, h, "")
		open(h, h)
	}
	for range 3 + r.IntN(8) {
		id, host := name(), hosts[r.IntN(len(hosts))]
		switch r.IntN(9) {
		case 0:
			add(id, id+"-bin", "")
			open(id, id)
		case 1:
			add(id, id+"-run --plain", "StartupWMClass="+strings.ToUpper(id)+"-class")
			open(id+"-class", id)
		case 2:
			add(id, host+" scheme://"+id, "")
		case 3:
			add(id, "chromium --profile-directory=Default --app-id="+id, "")
			open("chrome-"+id+"-Default", id)
		case 4:
			add(id, fmt.Sprint("steam steam://rungameid/", len(d.apps)), "")
			open(fmt.Sprint("steam_app_", len(d.apps)-1), id)
		case 5:
			add(id, id+"-tui", "Terminal=true")
			open(id+"-tui", "") // by chance it has that name
		case 6: // two behind one program
			add(id, id+"-suite --write", "")
			add(id+"x", id+"-suite --calc", "")
			open(id+"-suite", "")
			open(id+"x", id+"x")
		case 7: // two that claim one class
			add(id, id+"-one", "StartupWMClass="+id+"-both")
			add(id+"x", id+"-two", "StartupWMClass="+id+"-both")
			open(id+"-both", "")
		case 8:
			add(id, "env -u A flatpak run --branch=x org.t."+id, "")
			d.user[id+".yaml"] = "id: " + id + "\napp_ids: [" + id + ".main]\n"
			open("org.t."+id, id)
			open(id+".main", id)
		}
	}
	open("un"+name(), "")
	r.Shuffle(len(d.windows), func(i, j int) { d.windows[i], d.windows[j] = d.windows[j], d.windows[i] })
	return d
}

// moment is the desktop as the dialogue tells the rules.
func (b *bench) moment(s *compositor.State) (c router.Context) {
	for _, w := range s.Windows {
		rw := router.Window{ID: uint64(w.ID), AppID: w.AppID, Title: w.Title, Terminal: b.IsTerminal(w)}
		if p := b.AppOf(w); p != nil {
			rw.App = p.ID
		}
		c.Windows = append(c.Windows, rw)
		if w.Focused {
			c.Focused = &rw
		}
	}
	return c
}

// TestTheRightWindowOrNone says thousands of commands on made desktops: no window of
// another owner is closed, brought up or written to, and a refusal names its reason.
func TestTheRightWindowOrNone(t *testing.T) {
	words, err := phrases.English()
	if err != nil {
		t.Fatal(err)
	}
	said, touched := 0, 0
	for seed := range uint64(150) {
		d := makeDesktop(rand.New(rand.NewPCG(seed, 11)))
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, d.shelf, d.windows...)
			b.launcher.onStart = func(launch.Command) (*launch.Process, error) { return nil, errors.New("nothing is started here") }
			rules, err := router.New(words, b.current(), "google")
			if err != nil {
				t.Fatal(err)
			}
			for _, app := range d.apps {
				for _, text := range []string{"switch to " + app, app + " type hello", "close " + app} {
					said++
					touched += b.mayTouch(rules, d, seed, text, app)
				}
			}
		})
	}
	if said < 3500 || touched < said/20 {
		t.Errorf("%d were said, %d windows touched", said, touched)
	}
}

// mayTouch says text, which is about app, and returns how many windows it touched.
func (b *bench) mayTouch(rules *router.Router, d *madeDesktop, seed uint64, text, app string) int {
	b.t.Helper()
	synctest.Wait()
	before := b.desktop.State()
	decision := rules.Route(text, b.moment(before))
	if decision.Plan == nil {
		if decision.Reason == "" || decision.Message == "" {
			b.t.Errorf("seed %d: %q: no reason: %+v", seed, text, decision)
		}
		return 0
	}
	step := decision.Plan.Steps[0]
	var touched []compositor.WindowID
	if op.Is[op.TypeText](step.Args) {
		open, _ := b.WindowsOf(before, op.AppOf(step.Args))
		for _, w := range open {
			touched = append(touched, w.ID)
		}
	} else if done, err := b.act(b.t.Context(), step); err != nil {
		var known *plan.Error
		if !errors.As(err, &known) || known.Text == "" {
			b.t.Errorf("seed %d: %q: %v", seed, text, err)
		}
	} else {
		touched = append(touched, compositor.WindowID(done.Window))
	}
	synctest.Wait()
	after := b.desktop.State()
	for _, w := range before.Windows {
		if _, left := after.Window(w.ID); !left {
			touched = append(touched, w.ID)
		}
	}
	for _, id := range touched {
		if d.owner[id] != app {
			i := slices.IndexFunc(d.windows, func(w compositor.Window) bool { return w.ID == id })
			b.t.Errorf("seed %d: %q touched the window %q of %q", seed, text, d.windows[i].AppID, d.owner[id])
		}
	}
	return len(touched)
}
