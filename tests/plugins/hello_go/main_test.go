package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"utter/shared/plugin"
	"utter/shared/plugin/plugintest"
	"utter/shared/plugin/protocol"
)

// TestMain lets the test binary be the plugin, the bare echo that it is measured
// against, and the plugins of host_test.go.
func TestMain(m *testing.M) {
	switch os.Getenv("HELLO_TEST") {
	case "plugin":
		main()
	case "echo":
		bareEcho()
	case "eyes":
		plugin.Main(eyes)
	case "looker":
		plugin.Main(looker)
	}
	os.Exit(m.Run())
}

func start(t *testing.T) (s *plugintest.Session, file string) {
	file = filepath.Join(t.TempDir(), "sub", "notes.txt")
	return plugintest.Runner{Settings: map[string]string{"file": file}}.Start(t, hello()), file
}

func TestNote(t *testing.T) {
	s, file := start(t)
	for _, said := range []string{"note buy milk", "Take a note: call mum"} {
		r, err := s.Say(t.Context(), said)
		if err != nil || len(r) != 1 || !r[0].OK || !strings.HasPrefix(r[0].Detail, "noted ") {
			t.Errorf("%s: %+v, %v", said, r, err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "buy milk\ncall mum\n" {
		t.Errorf("%q, %v", got, err)
	}
	for _, said := range []string{"note", "notes please", "open youtube"} {
		if steps, err := s.Route(t.Context(), said); err != nil || len(steps) != 0 {
			t.Errorf("%s: %+v, %v", said, steps, err)
		}
	}
	for _, text := range []string{"", " ", "a\nb"} {
		if _, err := s.Invoke(t.Context(), "note", note{text}); protocol.CodeOf(err) != protocol.CodeInvalidParams {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAFileThatCannotBeWritten(t *testing.T) {
	s := plugintest.Runner{Settings: map[string]string{"file": "/proc/no/notes.txt"}}.Start(t, hello())
	if _, err := s.Invoke(t.Context(), "note", note{"x"}); protocol.CodeOf(err) != protocol.CodePlugin ||
		!strings.Contains(err.Error(), "/proc/no") {
		t.Errorf("%v", err)
	}
	if _, err := (plugintest.Runner{Settings: map[string]string{"file": "notes.txt"}}).Try(t, hello()); err == nil ||
		!strings.Contains(err.Error(), `file is "notes.txt"`) {
		t.Errorf("%v", err)
	}
}

func TestTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := plugintest.Start(t, hello())
		st, err := s.Subscribe(t.Context(), "hello_go.ticks", map[string]int{"every_ms": 100})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		for i := range int64(3) {
			if f, err := st.Next(t.Context()); err != nil || *f.Seq != i+1 {
				t.Errorf("%+v, %v", f, err)
			}
		}
		if took := time.Since(begin); took != 200*time.Millisecond {
			t.Errorf("three ticks took %v", took)
		}
		if err := st.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestNotesComeWholeAndInOrder(t *testing.T) {
	s, file := start(t)
	st, err := s.SubscribeReliable(t.Context(), "hello_go.notes", nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := st.Next(t.Context()); err != io.EOF {
		t.Errorf("no file yet: %+v, %v", f, err)
	}
	var want, got []string
	for i := range 20 {
		want = append(want, fmt.Sprintf(`{"text":"note %d"}`, i))
		if _, err := s.Invoke(t.Context(), "note", note{fmt.Sprintf("note %d", i)}); err != nil {
			t.Fatal(file, err)
		}
	}
	if st, err = s.SubscribeReliable(t.Context(), "hello_go.notes", nil, 2); err != nil {
		t.Fatal(err)
	}
	for {
		f, err := st.Next(t.Context())
		if err == io.EOF {
			break
		}
		if err == nil {
			got = append(got, string(f.Data))
			err = st.Ack(t.Context(), *f.Seq)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

// TestManifest: what the manifest says is what the plugin is.
func TestManifest(t *testing.T) {
	m, err := protocol.LoadManifest(protocol.ManifestName)
	if err != nil {
		t.Fatal(err)
	}
	s := plugintest.Runner{Settings: m.Settings}.Start(t, hello())
	if who := s.Hello.Plugin; who != (protocol.PluginInfo{Name: m.Name, Version: m.Version, Kind: m.Kind}) {
		t.Errorf("the manifest says %s %s %s, hello %+v", m.Name, m.Version, m.Kind, who)
	}
	if !slices.Equal(s.Hello.Permissions, m.Permissions) {
		t.Errorf("the manifest asks for %v, hello for %v", m.Permissions, s.Hello.Permissions)
	}
}
