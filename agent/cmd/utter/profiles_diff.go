package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"utter/shared/catalog"
	"utter/shared/phrases"
	"utter/shared/profile"
)

// diff compares what is effective with what is without the user's own files.
func (c *cli) diff(parent string) *cobra.Command {
	return &cobra.Command{
		Use:     "diff NAME",
		Short:   "Print what your files change in an application's profile",
		Example: "  utter " + parent + " diff firefox",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			now, err := find(strings.Join(args, " "))
			if err != nil {
				return err
			}
			before, err := builtIn(now.ID)
			if err != nil {
				return &exitError{exitFailed, "failed", err.Error()}
			}
			lines, err := compare(before, now)
			if err != nil {
				return &exitError{exitFailed, "failed", err.Error()}
			}
			data := struct {
				ID    string   `json:"id"`
				Lines []string `json:"lines"`
			}{now.ID, lines}
			c.show(parent+" diff", data, func() {
				for _, l := range lines {
					fmt.Fprintln(c.stdout, l)
				}
			})
			return nil
		},
	}
}

// builtIn returns a profile as it is without the user's files, or nil.
func builtIn(id string) (*profile.Profile, error) {
	words, err := phrases.English()
	if err != nil {
		return nil, err
	}
	s := source(words)
	s.Dirs.Config = "/nonexistent"
	lib, err := catalog.Load(s)
	if err != nil {
		return nil, err
	}
	return lib.Index.ByID(id), nil
}

// compare lists the lines that differ, those of before marked by a minus sign.
func compare(before, now *profile.Profile) ([]string, error) {
	text := func(p *profile.Profile) ([]string, error) {
		if p == nil {
			return nil, nil
		}
		t, err := profileYAML(p)
		return strings.Split(strings.TrimSuffix(t, "\n"), "\n"), err
	}
	old, err := text(before)
	if err != nil {
		return nil, err
	}
	new, err := text(now)
	if err != nil {
		return nil, err
	}
	lines := []string{}
	for _, l := range old {
		if !slices.Contains(new, l) {
			lines = append(lines, "-"+l)
		}
	}
	for _, l := range new {
		if !slices.Contains(old, l) {
			lines = append(lines, "+"+l)
		}
	}
	return lines, nil
}
