package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"utter/agent/internal/act/apps"
	"utter/agent/internal/act/keys"
	"utter/shared/bus"
	"utter/shared/op"
	"utter/tests/fakes/privatebus"
)

// TestTheAgentTellsThatWhatCanBeNamedChanged: an application comes and goes, a
// profile is saved, edited and deleted.
func TestTheAgentTellsThatWhatCanBeNamedChanged(t *testing.T) {
	root := isolate(t)
	address := privatebus.Start(t, nil)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	start(t, address)
	client, err := bus.Dial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	changed := make(chan bool, 100)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- client.Watch(ctx, func(e bus.Event) {
			if _, ok := e.(bus.ProfilesChanged); ok {
				changed <- true
			}
		})
	}()
	defer func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Watch = %v", err)
		}
	}()
	named := func() (names []string) {
		apps, err := client.Passive().ListApps(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, app := range apps {
			if app.ID == "t-app" {
				names = append(append(names, app.Name), app.Aliases...)
			}
		}
		return names
	}
	// expect does something until the signal has come and the names are those.
	expect := func(what, want string, do func()) {
		t.Helper()
		limit := time.After(patience)
		for {
			do()
			select {
			case <-changed:
				if got := strings.Join(named(), ","); got == want {
					return
				}
			case <-time.After(time.Second): // the watcher may not have begun yet
			case <-limit:
				t.Fatalf("%s: no ProfilesChanged; the names are %q, want %s", what, named(), want)
			}
		}
	}
	desktopFile := filepath.Join(root, "data/applications/t-app.desktop")
	profile := filepath.Join(root, "config/utter/profiles/app.yaml")
	expect("an application is installed", "Tee App,true", func() {
		writeFile(t, desktopFile, "[Desktop Entry]\nType=Application\nName=Tee App\nExec=true\n")
	})
	expect("a profile is saved", "Tee App,first", func() { writeFile(t, profile, "id: t-app\naliases: [first]\n") })
	expect("it is edited", "Tee App,second", func() { writeFile(t, profile, "id: t-app\naliases: [second]\n") })
	expect("it is deleted", "Tee App,true", func() { os.Remove(profile) })
	expect("the application is removed", "", func() { os.Remove(desktopFile) })
}

// TestEveryOperationHasAHandler, but for those that are declared as missing.
func TestEveryOperationHasAHandler(t *testing.T) {
	b := &body{resolver: apps.New(apps.Options{}), keys: &keys.Keys{}}
	all := handlers(b, nil)
	for _, spec := range op.Specs() {
		_, there := all[spec.Name]
		if there != (!spec.Foreign() && !spec.Missing) {
			t.Errorf("%s has a handler: %v", spec.Name, there)
		}
	}
}
