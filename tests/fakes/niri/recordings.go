package fakeniri

import (
	"embed"
	"encoding/json"
	"io"
	"testing"
)

//go:embed testdata/*.jsonl
var recordings embed.FS

// Scenes are the recordings of a real niri 25.11 in testdata, in the order in
// which they were made, in one session.
var Scenes = []string{
	"queries-empty", "windows-open-focus-close", "workspaces", "outputs", "states",
	"spawn-screenshot-config", "client-errors", "every-action-without-arguments", "quit",
}

// A Line is one of a recording; testdata/README.md says what it holds.
type Line struct {
	T    int // milliseconds
	Conn string
	Dir  string
	Line string
}

// Recording reads a scene.
func Recording(t testing.TB, scene string) (lines []Line) {
	t.Helper()
	f, err := recordings.Open("testdata/" + scene + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d := json.NewDecoder(f); ; {
		var l Line
		if err := d.Decode(&l); err == io.EOF {
			return lines
		} else if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
}
