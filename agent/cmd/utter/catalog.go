package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"utter/shared/catalog"
	"utter/shared/desktopentry"
	"utter/shared/phrases"
	"utter/shared/xdg"
)

// source is where this user's applications and profiles are read from.
func source(words *phrases.Set) catalog.Source {
	return catalog.Source{
		Dirs: xdg.New(os.Getenv, os.Getuid()), Locale: desktopentry.NewLocale(os.Getenv),
		Taken: words.Taken, Found: catalog.FoundInPath,
		Desktop: strings.FieldsFunc(os.Getenv("XDG_CURRENT_DESKTOP"), func(r rune) bool { return r == ':' }),
	}
}

func (c *cli) catalogCommand() *cobra.Command {
	var dry bool
	var extra []string
	cmd := &cobra.Command{
		Use:   "catalog",
		Short: "Write the catalogue of installed applications",
		Long: "Catalog reads the .desktop files and writes apps.json and generated.yaml to the folder\n" +
			"utter in your data folder. If nothing has changed, it writes nothing. The agent reads the\n" +
			".desktop files itself; these files are for you and for other programs.",
		Example: "  utter catalog --dry-run",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			words, err := phrases.English()
			if err != nil {
				return &exitError{exitFailed, "failed", err.Error()}
			}
			sum, err := catalog.Generate(source(words), extra, dry)
			if err != nil {
				return &exitError{exitFailed, "failed", err.Error()}
			}
			c.show("catalog", sum, func() { c.printSummary(sum, dry) })
			return nil
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only report what would be written")
	cmd.Flags().StringArrayVar(&extra, "dir", nil, "also read this folder, before all others (can be repeated)")
	return cmd
}

func (c *cli) printSummary(sum catalog.Summary, dry bool) {
	for _, p := range sum.Problems {
		fmt.Fprintln(c.stderr, p)
	}
	what := "nothing has changed"
	switch {
	case sum.Changed && dry:
		what = "would write " + strings.Join(sum.Files, " and ")
	case sum.Changed:
		what = "wrote " + strings.Join(sum.Files, " and ")
	}
	fmt.Fprintf(c.stdout, "%d applications, %d of them helpers, %d problems; %s\n", sum.Apps,
		sum.Helpers, len(sum.Problems), what)
}
