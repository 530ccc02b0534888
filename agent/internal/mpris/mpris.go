// Package mpris plays, pauses and skips on MPRIS players over the session bus.
// It chooses the player that a person would mean and judges by the player's
// status, never by the reply alone: players answer late, lie or hang.
package mpris

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"utter/shared/plan"
)

const (
	prefix     = "org.mpris.MediaPlayer2."
	objectPath = "/org/mpris/MediaPlayer2"
	playerIf   = "org.mpris.MediaPlayer2.Player"
	rootIf     = "org.mpris.MediaPlayer2"

	// askTime is how long a player may take to tell its status, and to take a
	// command.
	askTime = time.Second
	// effectTime is how long a command may take to show in the status.
	effectTime = time.Second
	// pollPause lies between two looks at the status.
	pollPause = 40 * time.Millisecond
	// mostTried is how many players a command is tried on.
	mostTried = 3
)

// A PlaybackStatus is a player's PlaybackStatus.
type PlaybackStatus string

// The statuses. NoAnswer is of a player that did not tell one in time.
const (
	Playing  PlaybackStatus = "Playing"
	Paused   PlaybackStatus = "Paused"
	Stopped  PlaybackStatus = "Stopped"
	NoAnswer PlaybackStatus = ""
)

// A Player is one player at one moment.
type Player struct {
	Bus      string // its well-known name
	owner    string // its unique name
	gone     bool   // its name has no owner any more
	Identity string // what it calls itself
	Desktop  string // the id of its desktop file, if it tells one
	Status   PlaybackStatus
	Title    string
	track    string
	position int64 // microseconds
	canNext  bool
	canPrev  bool
	ghost    bool // it says that it plays, and stands still
	lastUsed time.Time
}

// Name returns what to call p: its own name, and the title where it has one.
func (p Player) Name() string {
	name := p.Identity
	if name == "" {
		name = strings.TrimPrefix(p.Bus, prefix)
	}
	if p.Title != "" {
		name += " (" + p.Title + ")"
	}
	return name
}

// A Remote controls the players of one session bus. It is safe for concurrent
// use. Its Run must run for it to know which player was used last.
type Remote struct {
	conn *dbus.Conn

	mu     sync.Mutex
	used   map[string]time.Time // by unique name
	paused string               // the unique name of the player that we paused last
}

// New returns a Remote on conn.
func New(conn *dbus.Conn) *Remote { return &Remote{conn: conn, used: map[string]time.Time{}} }

// Run follows the players' changes until ctx ends.
func (r *Remote) Run(ctx context.Context) error {
	err := r.conn.AddMatchSignalContext(ctx, dbus.WithMatchObjectPath(objectPath),
		dbus.WithMatchInterface("org.freedesktop.DBus.Properties"), dbus.WithMatchMember("PropertiesChanged"))
	if err != nil {
		return err
	}
	signals := make(chan *dbus.Signal, 32)
	r.conn.Signal(signals)
	defer r.conn.RemoveSignal(signals)
	for {
		select {
		case s, ok := <-signals:
			if !ok {
				return errors.New("the session bus is gone")
			}
			if s.Path == objectPath && changesStatus(s.Body) {
				r.note(s.Sender)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func changesStatus(body []any) bool {
	if len(body) < 2 || body[0] != playerIf {
		return false
	}
	changed, ok := body[1].(map[string]dbus.Variant)
	_, has := changed["PlaybackStatus"]
	return ok && has
}

// maxUsed bounds what is remembered of players that have gone.
const maxUsed = 100

func (r *Remote) note(owner string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.used) >= maxUsed {
		clear(r.used)
	}
	r.used[owner] = time.Now()
}

// Players asks all players at once.
func (r *Remote) Players(ctx context.Context) ([]Player, error) {
	var names []string
	if err := r.conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.ListNames", 0).Store(&names); err != nil {
		return nil, err
	}
	var buses []string
	for _, n := range names {
		if strings.HasPrefix(n, prefix) && n != prefix+"playerctld" {
			buses = append(buses, n)
		}
	}
	slices.Sort(buses)
	players := make([]Player, len(buses))
	var work sync.WaitGroup
	for i, bus := range buses {
		work.Go(func() { players[i] = r.ask(ctx, bus) })
	}
	work.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range players {
		players[i].lastUsed = r.used[players[i].owner]
	}
	return players, nil
}

// ask reads all that one player tells. One that does not answer in time has the
// status NoAnswer.
func (r *Remote) ask(ctx context.Context, bus string) Player {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	p := Player{Bus: bus}
	var failed dbus.Error
	err := r.conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetNameOwner", 0, bus).Store(&p.owner)
	p.gone = errors.As(err, &failed) && failed.Name == "org.freedesktop.DBus.Error.NameHasNoOwner"
	var player, root map[string]dbus.Variant
	var work sync.WaitGroup
	work.Go(func() { player = r.all(ctx, bus, playerIf) })
	work.Go(func() { root = r.all(ctx, bus, rootIf) })
	work.Wait()
	p.Identity, p.Desktop = text(root["Identity"]), text(root["DesktopEntry"])
	p.read(player)
	return p
}

func (r *Remote) all(ctx context.Context, bus, iface string) map[string]dbus.Variant {
	var m map[string]dbus.Variant
	object := r.conn.Object(bus, objectPath)
	if object.CallWithContext(ctx, "org.freedesktop.DBus.Properties.GetAll", 0, iface).Store(&m) != nil {
		return nil
	}
	return m
}

// read takes what a player says of itself. Values of wrong types count as unsaid.
func (p *Player) read(m map[string]dbus.Variant) {
	p.Status = PlaybackStatus(text(m["PlaybackStatus"]))
	if p.Status != Playing && p.Status != Paused && p.Status != Stopped {
		p.Status = NoAnswer
	}
	p.position, _ = m["Position"].Value().(int64)
	p.canNext, p.canPrev = unlessFalse(m["CanGoNext"]), unlessFalse(m["CanGoPrevious"])
	meta, _ := m["Metadata"].Value().(map[string]dbus.Variant)
	p.Title = text(meta["xesam:title"])
	switch id := meta["mpris:trackid"].Value().(type) {
	case dbus.ObjectPath:
		p.track = string(id)
	case string:
		p.track = id
	}
}

func text(v dbus.Variant) string {
	s, _ := v.Value().(string)
	return s
}

func unlessFalse(v dbus.Variant) bool {
	b, ok := v.Value().(bool)
	return b || !ok
}

// An Obeyed says which player obeyed.
type Obeyed struct {
	Player string
	Note   string // which other players were tried in vain, or ""
}

// Do carries out a command: play, pause, play-pause, next, previous or stop.
// names narrows the players down to one application, by its ids; nil means
// whichever player a person would mean. A nil error means that the player's
// status shows it.
func (r *Remote) Do(ctx context.Context, command string, names []string) (Obeyed, error) {
	players, err := r.Players(ctx)
	if err != nil {
		return Obeyed{}, plan.Refuse(plan.Missing, "the session bus does not list its players: %v", err)
	}
	players = r.settle(ctx, players)
	if names != nil {
		if players = named(players, names); len(players) == 0 {
			return Obeyed{}, plan.Refuse(plan.NotFound, "%s has no media player running", names[0])
		}
	}
	if len(players) == 0 {
		return Obeyed{}, plan.Refuse(plan.NotFound, "no media player is running")
	}
	r.mu.Lock()
	paused := r.paused
	r.mu.Unlock()
	method, candidates, err := choose(command, players, paused)
	if err != nil {
		return Obeyed{}, err
	}
	return r.try(ctx, method, candidates)
}

// settle finds out which of several playing players really plays: one whose
// position stands still is a ghost and counts as paused.
func (r *Remote) settle(ctx context.Context, players []Player) []Player {
	playing := 0
	for _, p := range players {
		if p.Status == Playing {
			playing++
		}
	}
	if playing < 2 {
		return players
	}
	const look = 150 * time.Millisecond
	select {
	case <-time.After(look):
	case <-ctx.Done():
		return players
	}
	settled := slices.Clone(players)
	for i, p := range players {
		if p.Status != Playing {
			continue
		}
		if again := r.ask(ctx, p.Bus); again.Status == Playing && again.position == p.position && p.position != 0 {
			settled[i].ghost, settled[i].lastUsed = true, time.Time{}
		}
	}
	return settled
}

// named returns the players of one application. Its exact name beats names with
// an instance behind them.
func named(players []Player, names []string) []Player {
	fits := func(p Player, exact bool) bool {
		short := strings.TrimPrefix(p.Bus, prefix)
		base, _, _ := strings.Cut(short, ".")
		for _, n := range names {
			if n != "" &&
				(strings.EqualFold(short, n) || !exact && (strings.EqualFold(base, n) || strings.EqualFold(p.Desktop, n))) {
				return true
			}
		}
		return false
	}
	for _, exact := range []bool{true, false} {
		var found []Player
		for _, p := range players {
			if fits(p, exact) {
				found = append(found, p)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}
