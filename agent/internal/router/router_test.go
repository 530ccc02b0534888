package router

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"utter/profiles"
	"utter/shared/catalog"
	"utter/shared/desktopentry"
	"utter/shared/op"
	"utter/shared/phrases"
	"utter/shared/plan"
	"utter/shared/profile"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden routes the utterances of the golden files. A line "> " is said; the
// lines under it are what becomes of it. Before that, "installed:" lists the
// programs that are here and "in:" the open windows, the focused one first. What
// the user taught is in the YAML file of the same name. To add a case, write
// its "> " line, run go test -update, and read the diff.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(files) == 0 {
		t.Fatalf("golden files: %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := replay(t, file, string(want))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			wantLines, gotLines := strings.Split(string(want), "\n"), strings.Split(got, "\n")
			for i := range max(len(wantLines), len(gotLines)) {
				w, g := lineAt(wantLines, i), lineAt(gotLines, i)
				if w != g {
					t.Fatalf("line %d after %q:\n got %s\nwant %s", i+1, lastSaid(gotLines[:i]), g, w)
				}
			}
		})
	}
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(the end)"
}

func lastSaid(lines []string) string {
	for _, line := range slices.Backward(lines) {
		if strings.HasPrefix(line, ">") {
			return line
		}
	}
	return ""
}

// replay writes a golden file anew.
func replay(t *testing.T, file, text string) string {
	t.Helper()
	var out strings.Builder
	for c := range goldenCases(t, file, text) {
		if c.said == nil {
			out.WriteString(c.line)
			continue
		}
		out.WriteString(c.line)
		describe(&out, c.router.Route(*c.said, c.ctx))
	}
	return out.String()
}

// A goldenCase is a line of a golden file that is kept: something said, or not.
type goldenCase struct {
	line   string
	said   *string
	router *Router
	ctx    Context
}

func goldenCases(t *testing.T, file, text string) func(yield func(goldenCase) bool) {
	user := strings.TrimSuffix(file, ".golden") + ".yaml"
	return func(yield func(goldenCase) bool) {
		c := goldenCase{router: newRouter(t, user, nil)}
		for line := range strings.Lines(text) {
			c.line, c.said = line, nil
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
			if said, ok := strings.CutPrefix(line, ">"); ok {
				said = strings.TrimPrefix(strings.TrimSuffix(said, "\n"), " ")
				c.said = &said
			} else if name == "installed" {
				c.router = newRouter(t, user, strings.Fields(value))
			} else if name == "in" {
				c.ctx = parseWindows(t, value)
			} else if !strings.HasPrefix(line, "#") && line != "\n" {
				continue // an answer: it is written anew
			}
			if !yield(c) {
				return
			}
		}
	}
}

// parseWindows reads `firefox "GitHub"; foot`. Where nothing has the focus, the
// first is "nothing".
func parseWindows(t *testing.T, s string) Context {
	t.Helper()
	var c Context
	for i, part := range strings.Split(s, ";") {
		appID, title, _ := strings.Cut(strings.TrimSpace(part), " ")
		w := Window{ID: uint64(i + 1), AppID: appID, Title: strings.Trim(title, `"`)}
		switch {
		case appID == "nothing" && i == 0:
			continue
		case appID == "":
			t.Fatalf("no window in %q", s)
		case i == 0:
			c.Focused = &w
		}
		c.Windows = append(c.Windows, w)
	}
	return c
}

// describe writes a decision as the golden files have it.
func describe(out *strings.Builder, d Decision) {
	if d.Plan == nil {
		fmt.Fprintf(out, "%s: %s\n", d.Reason, d.Message)
		for i, c := range d.Choices {
			fmt.Fprintf(out, "  %d. %s, %s\n", i+1, c.Label, c.Origin)
			describeSteps(out, "     ", c.Steps)
		}
		return
	}
	describeSteps(out, "", d.Plan.Steps)
}

func describeSteps(out *strings.Builder, indent string, steps []plan.Step) {
	for _, s := range steps {
		fmt.Fprintf(out, "%s%s %s", indent, s.Op(), argsJSON(s))
		if s.Confirm {
			out.WriteString(" (to be confirmed)")
		}
		out.WriteString("\n")
	}
}

// arg returns the text argument of a step called name, or "".
func arg(s plan.Step, name string) string {
	text, _ := op.Map(s.Args)[name].(string)
	return text
}

func argsJSON(s plan.Step) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(op.Map(s.Args)); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

// newRouter knows the built-in profiles, the applications of testdata in a
// German session, and what the file user teaches. Only the programs installed
// can be started.
func newRouter(t testing.TB, user string, installed []string) *Router {
	t.Helper()
	words, err := phrases.English()
	if err != nil {
		t.Fatal(err)
	}
	entries, problems := desktopentry.Scan([]string{"testdata/applications"}, german())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	patches := catalog.Patches(entries, words.IsAgent)
	curated, bad := profile.LoadFS(profiles.FS, "built-in", profile.Curated)
	patches = append(patches, curated...)
	if text, err := os.ReadFile(user); err == nil {
		taught, wrong := profile.Decode(filepath.Base(user), profile.User, text)
		patches, bad = append(patches, taught...), append(bad, wrong...)
	}
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	defaults, err := profile.LoadDefaults(profiles.FS)
	if err != nil {
		t.Fatal(err)
	}
	found := func(program string) bool { return slices.Contains(installed, filepath.Base(program)) }
	lib := catalog.New(profile.Merge(patches, defaults), found,
		func(p *profile.Profile) bool { return p.Startable(found) })
	r, err := New(words, lib, "google")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func german() desktopentry.Locale {
	return desktopentry.NewLocale(func(name string) string {
		return map[string]string{"LANG": "de_DE.UTF-8"}[name]
	})
}
