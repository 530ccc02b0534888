package router

import (
	"maps"
	"slices"

	"utter/shared/op"
	"utter/shared/plan"
)

// media: the player.
func (r *Router) media(q *request) answer {
	command, ok := r.words.Media[q.t]
	if !ok {
		return answer{}
	}
	return mine(plan.Step{Args: op.Media{Command: command}, Description: q.t})
}

// mediaOf reads "spotify pause" and "pause spotify". It tries every way to cut
// the words: "steam play pause" is "play pause" for Steam.
func (r *Router) mediaOf(q *request) answer {
	if n := countWords(q.t); n > 2*mostNameWords {
		return answer{}
	}
	for i := len(q.t) - 1; i > 0; i-- {
		if q.t[i] != ' ' {
			continue
		}
		front, back := q.t[:i], q.t[i+1:]
		for _, cut := range [...][2]string{{back, front}, {front, back}} {
			command, ok := r.words.Media[cut[0]]
			if !ok {
				continue
			}
			a := r.inApp(q, cut[1], func(t target) []plan.Step {
				return []plan.Step{{Args: op.Media{Command: command, App: t.id}, Description: q.t}}
			})
			if a.given() {
				return a
			}
		}
	}
	return answer{}
}

// sayMedia lists what the player can be told.
func (r *Router) sayMedia() []phrase { return fixedAll(r.words.Media) }

// shortMedia returns the shortest phrase of each command.
func (r *Router) shortMedia() []string {
	shortest := map[string]string{}
	for said, command := range r.words.Media {
		old, ok := shortest[command]
		if !ok || len(said) < len(old) || len(said) == len(old) && said < old {
			shortest[command] = said
		}
	}
	return slices.Collect(maps.Values(shortest))
}
