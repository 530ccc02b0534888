// Package fakempris is a media player for tests: it speaks MPRIS over a bus, and
// can also be silent, deaf, late or wrong, or crash halfway.
package fakempris

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	prefix   = "org.mpris.MediaPlayer2."
	path     = dbus.ObjectPath("/org/mpris/MediaPlayer2")
	playerIf = "org.mpris.MediaPlayer2.Player"
	rootIf   = "org.mpris.MediaPlayer2"
	propsIf  = "org.freedesktop.DBus.Properties"
)

// The statuses of a player.
const (
	Playing = "Playing"
	Paused  = "Paused"
	Stopped = "Stopped"
)

// Options say what a player is like. The zero Options are an honest one that has
// no tracks.
type Options struct {
	Identity string
	Desktop  string        // the id of its desktop file
	Status   string        // at the start; "" is Stopped
	Tracks   []string      // titles
	Position time.Duration // in the first track
	NoCan    bool          // it does not tell whether there is another track

	NoReply bool          // it does what it is told and never replies
	Deaf    bool          // it replies and does nothing
	Silent  bool          // it answers nothing at all, not even its status
	Dies    string        // the method upon which it leaves the bus
	Late    time.Duration // it does what it is told only after a while
	Says    string        // the status that it tells, whatever it does
	Ghost   bool          // its position stands still, also while it is "Playing"
	// Extra are properties of the player that it tells instead of its own.
	Extra map[string]dbus.Variant
}

// A Player is a running player. Its methods may be called from any goroutine.
type Player struct {
	Name    string // without the prefix
	conn    *dbus.Conn
	options Options
	closed  chan struct{}
	once    sync.Once

	mu       sync.Mutex
	status   string
	track    int
	position time.Duration // when it began to play, or where it is
	since    time.Time
	calls    []string
}

// Start lets a player appear on the bus at address under a name such as
// "mpv.instance123". It leaves with the test.
func Start(t testing.TB, address, name string, o Options) *Player {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	p := &Player{Name: name, conn: conn, options: o, closed: make(chan struct{}), status: o.Status,
		position: o.Position, since: time.Now()}
	if p.status == "" {
		p.status = Stopped
	}
	t.Cleanup(p.Close)
	err = errors.Join(conn.ExportMethodTable(p.methods(), path, playerIf),
		conn.ExportMethodTable(map[string]any{"Get": p.get, "GetAll": p.getAll}, path, propsIf))
	if err != nil {
		t.Fatal(err)
	}
	if reply, err := conn.RequestName(prefix+name, dbus.NameFlagDoNotQueue); err != nil ||
		reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("RequestName(%s) = %v, %v", name, reply, err)
	}
	return p
}

// Close takes the player off the bus.
func (p *Player) Close() {
	p.once.Do(func() {
		close(p.closed)
		p.conn.Close()
	})
}

// Status returns what the player does, whatever it says.
func (p *Player) Status() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

// Track returns the title that it is at.
func (p *Player) Track() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.title()
}

// Calls returns the methods that it was told, and forgets them.
func (p *Player) Calls() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	calls := p.calls
	p.calls = nil
	return calls
}

// Press does what a method does, as a person at the player would.
func (p *Player) Press(method string) {
	p.mu.Lock()
	p.do(method)
	changed := p.properties()
	p.mu.Unlock()
	delete(changed, "Position") // the specification: it is never told
	// A player whose bus has gone tells nobody.
	_ = p.conn.Emit(path, propsIf+".PropertiesChanged", playerIf, changed, []string{})
}

func (p *Player) methods() map[string]any {
	all := map[string]any{}
	for _, name := range []string{"Play", "Pause", "PlayPause", "Stop", "Next", "Previous"} {
		all[name] = func() *dbus.Error { return p.told(name) }
	}
	return all
}

// told is a method call of another program.
func (p *Player) told(name string) *dbus.Error {
	o := p.options
	p.mu.Lock()
	p.calls = append(p.calls, name)
	p.mu.Unlock()
	switch {
	case o.Silent:
		<-p.closed
	case o.Dies == name:
		p.Close()
	case o.Deaf && o.NoReply:
		<-p.closed
	case o.Deaf:
	case o.Late > 0:
		time.AfterFunc(o.Late, func() { p.Press(name) })
	default:
		p.Press(name)
	}
	if o.NoReply {
		<-p.closed
	}
	return nil
}

// do changes the state; it must be locked.
func (p *Player) do(method string) {
	position := p.at()
	switch method {
	case "Play":
		p.status = Playing
	case "Pause":
		if p.status == Playing {
			p.status = Paused
		}
	case "PlayPause":
		if p.status == Playing {
			p.status = Paused
		} else {
			p.status = Playing
		}
	case "Stop":
		p.status, position = Stopped, 0
	case "Next":
		if p.track+1 < len(p.options.Tracks) {
			p.track, position = p.track+1, 0
		}
	case "Previous":
		// As most players do: first to the beginning of the track.
		if position < time.Second && p.track > 0 {
			p.track--
		}
		position = 0
	}
	p.position, p.since = position, time.Now()
}

// at is where in the track it is; it must be locked.
func (p *Player) at() time.Duration {
	if p.status == Playing && !p.options.Ghost {
		return p.position + time.Since(p.since)
	}
	return p.position
}

func (p *Player) title() string {
	if p.track < len(p.options.Tracks) {
		return p.options.Tracks[p.track]
	}
	return ""
}

// properties are those of the player; it must be locked.
func (p *Player) properties() map[string]dbus.Variant {
	o := p.options
	status, id := p.status, "/org/mpris/MediaPlayer2/TrackList/NoTrack"
	if o.Says != "" {
		status = o.Says
	}
	meta := map[string]dbus.Variant{}
	if title := p.title(); title != "" {
		id = fmt.Sprintf("/track/%d", p.track)
		meta["xesam:title"] = dbus.MakeVariant(title)
	}
	meta["mpris:trackid"] = dbus.MakeVariant(dbus.ObjectPath(id))
	all := map[string]dbus.Variant{
		"PlaybackStatus": dbus.MakeVariant(status), "Metadata": dbus.MakeVariant(meta),
		"Position": dbus.MakeVariant(p.at().Microseconds()),
	}
	if !o.NoCan {
		all["CanGoNext"] = dbus.MakeVariant(p.track+1 < len(o.Tracks))
		all["CanGoPrevious"] = dbus.MakeVariant(p.track > 0)
	}
	maps.Copy(all, o.Extra)
	return all
}

func (p *Player) getAll(iface string) (map[string]dbus.Variant, *dbus.Error) {
	if p.options.Silent {
		<-p.closed
	}
	switch iface {
	case rootIf:
		all := map[string]dbus.Variant{}
		if p.options.Identity != "" {
			all["Identity"] = dbus.MakeVariant(p.options.Identity)
		}
		if p.options.Desktop != "" {
			all["DesktopEntry"] = dbus.MakeVariant(p.options.Desktop)
		}
		return all, nil
	case playerIf:
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.properties(), nil
	}
	return nil, dbus.MakeFailedError(fmt.Errorf("there is no interface %s", iface))
}

func (p *Player) get(iface, name string) (dbus.Variant, *dbus.Error) {
	all, err := p.getAll(iface)
	if err != nil {
		return dbus.Variant{}, err
	}
	v, ok := all[name]
	if !ok {
		return dbus.Variant{}, dbus.MakeFailedError(fmt.Errorf("there is no property %s", name))
	}
	return v, nil
}
