// Package cases keeps phrases and the plans that they should have in a file that
// "utter eval" reads.
package cases

import (
	"encoding/json"
	"fmt"
	"strings"

	"utter/shared/profile"
)

// format is the format of the file.
const format = "utter-router-corpus/1"

// A Step is a step of a plan.
type Step struct {
	Action string         `json:"action"`
	Args   map[string]any `json:"args"`
}

// A Case is a phrase, the application that had the focus, and the plan.
type Case struct {
	Utterance string
	AppID     string // of the window with the focus, or ""
	Title     string
	Steps     []Step
}

type file struct {
	Format   string             `json:"format"`
	Profiles map[string]set     `json:"profiles"`
	Contexts map[string]context `json:"contexts"`
	Cases    []entry            `json:"cases"`
}

type set struct {
	Order []string       `json:"order"`
	ByID  map[string]any `json:"by_id"`
}

type context struct {
	Profiles string   `json:"profiles"`
	Focused  *window  `json:"focused"`
	Windows  []window `json:"windows"`
}

type window struct {
	AppID string `json:"app_id"`
	Title string `json:"title"`
}

type entry struct {
	ID        string `json:"id"`
	Utterance string `json:"utterance"`
	Context   string `json:"context"`
	Expect    []Step `json:"expect"`
}

// Append returns data, the content of such a file or nothing, with one more
// case. The case brings the profiles that it needs: those of apps, as they are
// now. A file that is something else is an error and stays.
func Append(data []byte, c Case, apps []*profile.Profile) ([]byte, error) {
	f := file{Format: format, Profiles: map[string]set{}, Contexts: map[string]context{}}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &f); err != nil {
			return nil, fmt.Errorf("read the tests: %w", err)
		}
		if f.Format != format {
			return nil, fmt.Errorf("read the tests: the format is %q, not %q", f.Format, format)
		}
	}
	id := fmt.Sprintf("mine-%03d", len(f.Cases)+1)
	s := set{ByID: map[string]any{}}
	for _, p := range apps {
		s.Order = append(s.Order, p.ID)
		s.ByID[p.ID] = facts(p)
	}
	f.Profiles[id] = s
	ctx := context{Profiles: id, Windows: []window{}}
	if c.AppID != "" {
		ctx.Focused = &window{c.AppID, c.Title}
	}
	f.Contexts[id] = ctx
	f.Cases = append(f.Cases, entry{id, c.Utterance, id, c.Steps})
	out, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write the tests: %w", err)
	}
	return append(out, '\n'), nil
}

// facts are what a profile in the file says.
func facts(p *profile.Profile) map[string]any {
	keys := map[string]any{}
	for name, seq := range p.Shortcuts {
		keys[name] = chords(seq.String())
	}
	commands := map[string]any{}
	for phrase, seq := range p.Commands {
		commands[phrase] = chords(seq.String())
	}
	return map[string]any{
		"id": p.ID, "name": p.Name, "kind": string(p.Kind), "aliases": p.Aliases, "search_url": p.SearchURL,
		"shortcuts": keys, "commands": commands, "app_ids": p.AppIDs, "launch": p.Launch,
	}
}

// chords is one chord as a text, more as a list.
func chords(seq string) any {
	if list := strings.Fields(seq); len(list) != 1 {
		return list
	}
	return seq
}
