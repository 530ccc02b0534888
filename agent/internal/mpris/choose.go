package mpris

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"utter/shared/plan"
)

// A method is an MPRIS method and the test for its effect.
type method struct {
	name string
	// shown reports whether a player that was before, some time ago, is now as
	// asked.
	shown func(before, now Player, ago time.Duration) bool
}

func becomes(s PlaybackStatus) func(_, now Player, _ time.Duration) bool {
	return func(_, now Player, _ time.Duration) bool { return now.Status == s }
}

func notPlaying(before, now Player, _ time.Duration) bool {
	return now.Status == Stopped || now.Status == Paused && before.Status == Playing
}

// moved is the test for next and previous: another track, or the same one from
// its start. Players tell the new position before the new track, so that a
// position alone counts after a while only.
func moved(before, now Player, ago time.Duration) bool {
	const settled = 400 * time.Millisecond
	if now.Title == "" && before.Title != "" && ago <= settled {
		return false // it is loading the track
	}
	return now.track != before.track || now.Title != before.Title || ago > settled && now.position < before.position
}

var (
	play     = method{"Play", becomes(Playing)}
	pause    = method{"Pause", becomes(Paused)}
	stop     = method{"Stop", notPlaying} // some players only pause
	next     = method{"Next", moved}
	previous = method{"Previous", moved}
)

// choose returns the method of a command and the players to try it on, the one
// most likely meant first. paused is the player that we paused last.
func choose(command string, players []Player, paused string) (method, []Player, error) {
	players = ranked(players)
	with := func(m method, statuses ...PlaybackStatus) (method, []Player, error) {
		var found []Player
		for _, p := range players {
			if slices.Contains(statuses, p.Status) {
				found = append(found, p)
			}
		}
		return m, found, nothing(found, players, command)
	}
	switch command {
	case "pause":
		return with(pause, Playing)
	case "play":
		return choosePlay(players, paused)
	case "play-pause":
		if players[0].Status == Playing {
			return with(pause, Playing)
		}
		return choosePlay(players, paused)
	case "stop":
		return with(stop, Playing, Paused)
	case "next", "previous":
		m := next
		can := func(p Player) bool { return p.canNext }
		if command == "previous" {
			m, can = previous, func(p Player) bool { return p.canPrev }
		}
		first := players[0]
		if first.Status != NoAnswer && !can(first) {
			return m, nil, plan.Refuse(plan.Edge, "%s has no %s track", first.Name(), command)
		}
		// One only: a track that was skipped unseen cannot be taken back.
		m, found, err := with(m, first.Status)
		return m, found[:min(1, len(found))], err
	}
	return method{}, nil, plan.Refuse(plan.NotSupported, "media: unknown command %q", command)
}

// choosePlay prefers what we paused, then what is paused, then what is stopped.
func choosePlay(players []Player, paused string) (method, []Player, error) {
	var found []Player
	for _, p := range players {
		if p.Status == Paused || p.Status == Stopped {
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(a, b Player) int {
		ours := func(p Player) int {
			if p.owner == paused && p.Status == Paused && paused != "" {
				return 0
			}
			return 1
		}
		return ours(a) - ours(b)
	})
	if len(found) == 0 && players[0].Status == Playing {
		return play, players[:1], nil
	}
	return play, found, nothing(found, players, "play")
}

// nothing explains why no player is left.
func nothing(found, players []Player, command string) error {
	if len(found) > 0 {
		return nil
	}
	var silent, others []string
	for _, p := range players {
		if p.Status == NoAnswer {
			silent = append(silent, p.Name())
		} else {
			others = append(others, p.Name()+" is "+strings.ToLower(string(p.Status)))
		}
	}
	if len(silent) > 0 {
		return plan.Refuse(plan.Timeout, "%s: %s does not respond; nothing was done", command, strings.Join(silent, ", "))
	}
	return plan.Refuse(plan.NotFound, "nothing to %s: %s", command, strings.Join(others, ", "))
}

// ranked orders players: playing, paused, stopped with a track, stopped, silent;
// within that the last used first.
func ranked(players []Player) []Player {
	rank := func(p Player) int {
		switch {
		case p.Status == Playing && !p.ghost:
			return 0
		case p.Status == Playing, p.Status == Paused:
			return 1
		case p.Status == Stopped && (p.track != "" && !strings.HasSuffix(p.track, "/NoTrack") || p.Title != ""):
			return 2
		case p.Status == Stopped:
			return 3
		}
		return 4
	}
	players = slices.Clone(players)
	slices.SortStableFunc(players, func(a, b Player) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), b.lastUsed.Compare(a.lastUsed), cmp.Compare(a.Bus, b.Bus))
	})
	return players
}

// try calls the method on one player after the other until one shows the effect.
func (r *Remote) try(ctx context.Context, m method, candidates []Player) (Obeyed, error) {
	var failed []string
	for _, p := range candidates[:min(mostTried, len(candidates))] {
		if m.name == play.name && p.Status == Playing {
			return Obeyed{Player: p.Name(), Note: "it was already playing"}, nil
		}
		now, ok, err := r.call(ctx, m, p)
		if err != nil {
			return Obeyed{}, err
		}
		if ok {
			r.remember(m, p)
			note := ""
			if len(failed) > 0 {
				note = strings.Join(failed, ", ") + " did not obey"
			}
			return Obeyed{Player: now.Name(), Note: note}, nil
		}
		failed = append(failed, p.Name())
	}
	return Obeyed{}, plan.Unsure(plan.Timeout, "%s was told to %s, but its status does not show it",
		strings.Join(failed, ", "), strings.ToLower(m.name))
}

func (r *Remote) remember(m method, p Player) {
	r.note(p.owner)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case m.name == pause.name:
		r.paused = p.owner
	case r.paused == p.owner:
		r.paused = ""
	}
}

// call sends the command and looks at the status until it shows the effect; it
// returns the player as it is then. A player that never replies may still obey,
// so its reply does not count.
func (r *Remote) call(ctx context.Context, m method, p Player) (now Player, ok bool, err error) {
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, effectTime)
	defer cancel()
	r.conn.Object(p.Bus, objectPath).GoWithContext(limited, playerIf+"."+m.name, 0, nil)
	for {
		now = r.ask(limited, p.Bus)
		ended := m.name == stop.name && now.gone // some players quit
		if ended {
			now = p
		}
		if ended || now.Status != NoAnswer && m.shown(p, now, time.Since(began)) {
			return now, true, nil
		}
		select {
		case <-time.After(pollPause):
		case <-limited.Done():
			if ctx.Err() != nil {
				return now, false, plan.Unsure(plan.Cancelled, "%s was interrupted while %s was being told",
					strings.ToLower(m.name), p.Name())
			}
			return now, false, nil
		}
	}
}
