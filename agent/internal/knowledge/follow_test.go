package knowledge

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"utter/agent/internal/router"
)

// follow reads the user's files again whenever they change.
func (h *home) follow() {
	h.t.Helper()
	reload := func() error { _, err := h.Load(); return err }
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- h.Follow(ctx, reload, func(err error) { h.t.Log(err) }, slog.New(slog.DiscardHandler))
	}()
	h.t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			h.t.Errorf("watch: %v", err)
		}
	})
}

// becomes waits until what is said means something else. save makes it so; it is
// called again, for the watcher may not have begun yet.
func (h *home) becomes(what, utterance, want string, save func()) {
	h.t.Helper()
	app := router.Window{ID: 1, AppID: "t-app"}
	got := ""
	for i := range 2000 {
		if i%200 == 0 {
			save()
		}
		got = "nothing"
		if d := h.Now().Router.Route(utterance, router.Context{Focused: &app, Windows: []router.Window{app}}); d.Plan != nil {
			got = d.Plan.Steps[0].String()
		}
		if strings.Contains(got, want) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	h.t.Errorf("%s: %q is %s, want %s", what, utterance, got, want)
}

// TestWhatAPersonSavesIsInForceAtOnce in a home that has none of the folders yet.
func TestWhatAPersonSavesIsInForceAtOnce(t *testing.T) {
	h := newHome(t)
	h.read()
	h.follow()
	save := func(path, text string) func() {
		return func() {
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path+".tmp", []byte(text), 0o600),
				os.Rename(path+".tmp", path)); err != nil {
				t.Fatal(err)
			}
		}
	}
	profile := filepath.Join(h.dirs.Profiles(), "app.yaml")
	first := "id: t-app\nname: Tee App\nshortcuts: {new_tab: ctrl+alt+t}\n"
	h.becomes("a first profile", "new tab", "ctrl+alt+t", save(profile, first))
	h.becomes("an edit", "new tab", "ctrl+alt+n", save(profile, strings.Replace(first, "alt+t", "alt+n", 1)))
	h.becomes("an edit in place, in two pieces", "new tab", "ctrl+shift+alt+n", func() {
		f, err := os.Create(profile)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, piece := range []string{"id: t-app\nname: Tee App\n", "shortcuts: {new_tab: ctrl+alt+shift+n}\n"} {
			if _, err := f.WriteString(piece); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	h.becomes("a data file", "shut up", "pause", save(filepath.Join(h.dirs.Phrases(), "media.yaml"), "shut up: pause\n"))
	engine := save(h.configFile, "[search]\nengine = \"wikipedia\"\n")
	h.becomes("the configuration", "search for cats", "wikipedia", engine)
	h.becomes("removing the profile", "new tab", "nothing", func() { os.Remove(profile) })
	h.becomes("removing the folder", "shut up", "nothing", func() { os.RemoveAll(h.dirs.Phrases()) })
}

// TestABrokenSaveChangesNothing: the last good version stays until it is fixed.
func TestABrokenSaveChangesNothing(t *testing.T) {
	h := newHome(t)
	h.read()
	h.follow()
	profile := filepath.Join(h.dirs.Profiles(), "app.yaml")
	write := func(text string) func() {
		return func() {
			err := errors.Join(os.MkdirAll(filepath.Dir(profile), 0o700), os.WriteFile(profile, []byte(text), 0o600))
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	h.becomes("a profile", "new tab", "ctrl+alt+t", write("id: t-app\nname: Tee App\nshortcuts: {new_tab: ctrl+alt+t}\n"))
	write("id: t-app\nname: Tee App\nshortcuts: {new_tab: ctrl+alt+\n")()
	for i := 0; ; i++ {
		_, problems := h.read()
		if len(problems) == 1 && strings.Contains(problems[0].Message, "last good version") {
			break
		}
		if i == 1000 {
			t.Fatalf("problems %v", problems)
		}
		time.Sleep(5 * time.Millisecond)
	}
	h.becomes("the broken one", "new tab", "ctrl+alt+t", func() {})
	h.becomes("mended", "new tab", "ctrl+alt+m", write("id: t-app\nname: Tee App\nshortcuts: {new_tab: ctrl+alt+m}\n"))
	if _, problems := h.read(); len(problems) > 0 {
		t.Errorf("problems %v", problems)
	}
}
