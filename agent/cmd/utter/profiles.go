package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"utter/shared/bus"
	"utter/shared/chord"
	"utter/shared/plan"
	"utter/shared/profile"
	"utter/shared/utterance"
	"utter/shared/xdg"
)

func (c *cli) profilesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "profiles",
		Short:   "Manage your own profile files",
		Example: "  utter profiles list\n  utter profiles validate",
		Args:    onlyCommands,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.profilesList(), c.profilesShow(), c.validate("profiles"), c.diff("profiles"), c.restore("profiles"))
	return cmd
}

// own reads the user's files.
func own() (dir string, patches []profile.Patch, problems []profile.Problem) {
	dir = xdg.New(os.Getenv, os.Getuid()).Profiles()
	patches, problems = profile.LoadDir(dir, profile.User)
	return dir, patches, problems
}

func (c *cli) profilesList() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the profiles in your folder",
		Example: "  utter profiles list",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, patches, problems := own()
			list := ownProfiles{problemsOf(problems), []ownProfile{}}
			for _, p := range patches {
				list.Profiles = append(list.Profiles, ownProfile{p.Origin.File, p.ID, p.Origin.Line})
			}
			c.show("profiles list", list, func() {
				for _, p := range patches {
					fmt.Fprintf(c.stdout, "%s\t%s\n", p.ID, p.Origin.File)
				}
				c.printProblems(problems)
			})
			return nil
		},
	}
}

// ownProfiles is the data of profiles list.
type ownProfiles struct {
	Problems []bus.Problem `json:"problems"`
	Profiles []ownProfile  `json:"profiles"`
}

type ownProfile struct {
	File string `json:"file"`
	ID   string `json:"id"`
	Line int    `json:"line"`
}

// find returns the application that has an id, else a name, else an alias, also
// one that is switched off. Of several it chooses none.
func find(name string) (*profile.Profile, error) {
	lib, _, err := library()
	if err != nil {
		return nil, &exitError{exitFailed, "failed", err.Error()}
	}
	key := utterance.Key(name)
	if p := lib.Index.Everywhere(); p != nil && key == profile.Everywhere {
		return p, nil
	}
	for _, names := range []func(*profile.Profile) []string{
		func(p *profile.Profile) []string { return []string{p.ID} },
		func(p *profile.Profile) []string { return []string{p.Name} },
		func(p *profile.Profile) []string { return p.Aliases },
	} {
		var found []*profile.Profile
		for _, p := range lib.Index.All() {
			if slices.ContainsFunc(names(p), func(n string) bool { return utterance.Key(n) == key }) {
				found = append(found, p)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			text := fmt.Sprintf("%q is several applications:", name)
			for _, p := range found {
				text += fmt.Sprintf("\n  %s, of %v", p.ID, p.Origin)
			}
			return nil, &exitError{exitRefused, string(plan.Ambiguous), text}
		}
	}
	return nil, &exitError{exitUnknown, "not_found", fmt.Sprintf("no application has the id, name or alias %q", name)}
}

func (c *cli) profilesShow() *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME",
		Short:   "Print the effective profile in the form of a file",
		Example: "  utter profiles show firefox",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := find(strings.Join(args, " "))
			if err != nil {
				return err
			}
			text, err := profileYAML(p)
			if err != nil {
				return &exitError{exitFailed, "failed", err.Error()}
			}
			data := map[string]string{"id": p.ID, "origin": p.Origin.String(), "yaml": text}
			c.show("profiles show", data, func() { fmt.Fprint(c.stdout, text) })
			return nil
		},
	}
}

// profileYAML writes all of a profile.
func profileYAML(p *profile.Profile) (string, error) {
	file := struct {
		ID        string         `yaml:"id"`
		Name      string         `yaml:"name"`
		Aliases   []string       `yaml:"aliases,flow,omitempty"`
		Kind      string         `yaml:"kind"`
		Launch    []string       `yaml:"launch,flow,omitempty"`
		Terminal  bool           `yaml:"terminal,omitempty"`
		NewWindow []string       `yaml:"new_window,flow,omitempty"`
		SearchURL string         `yaml:"search_url,omitempty"`
		AppIDs    []string       `yaml:"app_ids,flow,omitempty"`
		MimeTypes []string       `yaml:"mime_types,flow,omitempty"`
		Shortcuts map[string]any `yaml:"shortcuts,omitempty"`
		Commands  map[string]any `yaml:"commands,omitempty"`
	}{
		p.ID, p.Name, p.Aliases, string(p.Kind), p.Launch, p.Terminal, p.NewWindow, p.SearchURL, p.AppIDs, p.MimeTypes,
		chords(p.Shortcuts), commands(p),
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := enc.Encode(file)
	return b.String(), err
}

// chords writes each sequence in one line: a chord, or a list of them.
func chords(m map[string]chord.Sequence) map[string]any {
	all := map[string]any{}
	for name, seq := range m {
		if len(seq) == 1 {
			all[name] = seq[0].String()
			continue
		}
		list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, ch := range seq {
			list.Content = append(list.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: ch.String()})
		}
		all[name] = list
	}
	return all
}

// commands writes what phrases stand for: keys, or the name of an action.
func commands(p *profile.Profile) map[string]any {
	all := chords(p.Commands)
	for phrase, action := range p.Says {
		all[phrase] = action
		if _, err := chord.Parse(action); err == nil {
			all[phrase] = map[string]string{"action": action} // which is the name of a key as well
		}
	}
	return all
}

// restore puts the built-in profile back by moving what the user has aside.
func (c *cli) restore(parent string) *cobra.Command {
	return &cobra.Command{
		Use:   "restore NAME",
		Short: "Restore the built-in profile",
		Long: "Restore keeps your file about an application as a backup with ~ appended to its name, and no longer\n" +
			"uses it. A file that contains other profiles is copied and keeps those.",
		Example: "  utter " + parent + " restore firefox",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := find(strings.Join(args, " "))
			if err != nil {
				return err
			}
			ids := []string{p.ID}
			if p.Entry != nil {
				ids = append(ids, p.Entry.ID)
			}
			dir := xdg.New(os.Getenv, os.Getuid()).Profiles()
			restored, err := profile.Restore(profile.OpenDir(dir), ids...)
			if err != nil {
				return &exitError{exitFailed, "failed", err.Error()}
			}
			if len(restored) == 0 {
				return &exitError{exitUnknown, "not_found", fmt.Sprintf("you have no file about %s", p.Name)}
			}
			aside := []string{}
			for _, r := range restored {
				aside = append(aside, r.Aside)
			}
			data := struct {
				ID    string   `json:"id"`
				Moved []string `json:"moved"`
			}{p.ID, aside}
			c.show(parent+" restore", data, func() {
				for _, a := range aside {
					fmt.Fprintf(c.stdout, "the backup is %s\n", a)
				}
			})
			return nil
		},
	}
}
