// Package catalog makes a minimal profile for every installed application from
// its desktop file. It writes nothing and starts nothing.
package catalog

import (
	"slices"
	"strings"

	"utter/shared/desktopentry"
	"utter/shared/profile"
	"utter/shared/utterance"
)

// kindByCategory gives an application the kind of the first row of which it has
// a category.
var kindByCategory = []struct {
	kind       profile.Kind
	categories []string
}{
	{profile.Browser, []string{"WebBrowser"}},
	{profile.Terminal, []string{"TerminalEmulator"}},
	{profile.FileManager, []string{"FileManager"}},
	{profile.Editor, []string{"TextEditor", "IDE"}},
	{profile.Game, []string{"Game"}},
	{profile.MediaPlayer, []string{"AudioVideo", "Audio", "Video", "Player", "AudioVideoEditing", "Recorder"}},
	{profile.Office, []string{"Office"}},
	{profile.Utility, []string{"Utility"}},
}

// Patches returns a patch for every entry. An alias that three applications or
// more would have says nothing and is left out, as are the agents' names that
// taken holds.
func Patches(entries []desktopentry.Entry, taken func(alias string) bool) []profile.Patch {
	count := map[string]int{}
	aliases := make([][]string, len(entries))
	for i, e := range entries {
		aliases[i] = aliasesOf(e)
		for _, a := range aliases[i] {
			count[a]++
		}
	}
	guesses := programGuesses(entries)
	patches := make([]profile.Patch, len(entries))
	for i, e := range entries {
		kept := slices.DeleteFunc(aliases[i], func(a string) bool { return count[a] >= 3 || taken(a) })
		patches[i] = patch(&entries[i], kept, guesses[i])
		patches[i].Origin = profile.Origin{Layer: profile.Catalogue, File: e.Path}
	}
	return patches
}

// programGuesses returns for each entry the program whose name its windows may
// have as their app id, or "": the one entry that starts the program, without an
// argument that selects content and not in a terminal.
func programGuesses(entries []desktopentry.Entry) []string {
	starts := make([]desktopentry.Start, len(entries))
	count := map[string]int{}
	for i, e := range entries {
		starts[i] = e.Start()
		count[starts[i].Program]++
	}
	guesses := make([]string, len(entries))
	for i, s := range starts {
		if count[s.Program] == 1 && !s.Content && !entries[i].Terminal {
			guesses[i] = s.Program
		}
	}
	return guesses
}

func patch(e *desktopentry.Entry, aliases []string, guess string) profile.Patch {
	kind := KindOf(e.Categories)
	appIDs := appIDsOf(*e, guess)
	return profile.Patch{
		ID: e.ID, Name: &e.LocalName, Aliases: &aliases, Kind: &kind, Terminal: &e.Terminal,
		AppIDs: &appIDs, MimeTypes: &e.MimeTypes, NewWindow: newWindow(*e), Entry: e,
	}
}

// KindOf returns the kind that desktop categories mean.
func KindOf(categories []string) profile.Kind {
	for _, row := range kindByCategory {
		for _, c := range row.categories {
			if slices.Contains(categories, c) {
				return row.kind
			}
		}
	}
	return profile.Other
}

// aliasesOf returns further names of an application: what its program and the
// last part of its id are called ("nautilus").
func aliasesOf(e desktopentry.Entry) []string {
	var all []string
	add := func(s string) {
		if key := utterance.Key(s); len(key) >= 2 && !slices.Contains(all, key) {
			all = append(all, key)
		}
	}
	if parts := strings.Split(e.ID, "."); len(parts) >= 3 { // org.gnome.Nautilus
		add(parts[len(parts)-1])
	}
	if start := e.Start(); start.Program != "" && !start.Content {
		add(start.Program)
	}
	return all
}

// appIDsOf guesses under which ids the windows come, the best guess first. guess
// is the program, where that may be one.
func appIDsOf(e desktopentry.Entry, guess string) []string {
	var ids []string
	settled := append([]string{e.ID, e.StartupWMClass, e.FlatpakID}, e.WindowIDs()...)
	for _, id := range append(settled, e.Start().AppID, e.SnapName, guess) {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// newWindow takes the command line of an action called new-window.
func newWindow(e desktopentry.Entry) *[]string {
	for _, a := range e.Actions {
		if strings.ReplaceAll(strings.ToLower(a.ID), "-", "") != "newwindow" {
			continue
		}
		if argv, err := e.ActionArgv(a); err == nil {
			return &argv
		}
	}
	return nil
}
