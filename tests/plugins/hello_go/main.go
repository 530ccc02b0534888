// Hello_go keeps notes: "note buy milk" adds a line to a file. It is the example
// of a plugin in Go, and the tests' plugin that behaves.
package main

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"utter/shared/plugin"
)

func main() { plugin.Main(hello()) }

// settings are what the user may set.
type settings struct {
	File string `json:"file" doc:"where the notes go; ~/ is your home"`
}

// A notebook is a file with a note a line.
type notebook struct {
	settings settings
	path     string
}

func hello() plugin.Plugin {
	n := &notebook{settings: settings{File: "~/.local/share/hello_go/notes.txt"}}
	return plugin.Plugin{
		ID: "hello_go", Version: "1.0.0",
		Permissions: []string{"filesystem.write"},
		Settings:    &n.settings,
		Start:       n.open,
		Route:       route,
		Ops: []plugin.Op{
			{Name: "note", Doc: "adds a line to your notes", SideEffect: "append_file", Do: plugin.Do(n.add)},
		},
		Streams: []plugin.Stream{
			{Name: "hello_go.ticks", Feed: plugin.Feed(tick)},
			{Name: "hello_go.notes", Feed: plugin.Feed(n.read)},
		},
	}
}

type note struct {
	Text string `json:"text" doc:"what to remember, one line"`
}

// route understands "note …" and "take a note …".
func route(_ context.Context, said plugin.Utterance) ([]plugin.Step, error) {
	for _, words := range []string{"note", "take a note"} {
		if text, ok := said.After(words); ok && text != "" {
			return []plugin.Step{{Op: "note", Args: note{text}}}, nil
		}
	}
	return nil, nil
}

func (n *notebook) open(context.Context) error {
	n.path = n.settings.File
	if rest, ok := strings.CutPrefix(n.path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return err
		}
		n.path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(n.path) {
		return plugin.Invalid("file is %q; write a path that begins with / or ~/", n.settings.File)
	}
	return nil
}

func (n *notebook) add(_ context.Context, a note) (string, error) {
	text := strings.TrimSpace(a.Text)
	if text == "" || strings.ContainsAny(text, "\r\n") {
		return "", plugin.Invalid("a note is one line of text")
	}
	if err := os.MkdirAll(filepath.Dir(n.path), 0o700); err != nil {
		return "", err
	}
	f, err := os.OpenFile(n.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text + "\n")
	return "noted " + text, errors.Join(err, f.Close())
}

type every struct {
	MS uint `json:"every_ms,omitzero" doc:"milliseconds between two ticks; 1000 if absent"`
}

// tick tells the time. A subscriber that is too slow misses ticks, which does no harm.
func tick(ctx context.Context, a every, to *plugin.Subscriber) error {
	if a.MS == 0 {
		a.MS = 1000
	}
	ticker := time.NewTicker(time.Duration(min(a.MS, 3_600_000)) * time.Millisecond)
	defer ticker.Stop()
	for {
		if err := to.Send(ctx, map[string]string{"time": time.Now().Format(time.RFC3339Nano)}); err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// read tells all notes in order. They are worth a reliable subscription: it
// reads no faster than they are taken.
func (n *notebook) read(ctx context.Context, _ plugin.None, to *plugin.Subscriber) error {
	f, err := os.Open(n.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if err := to.Send(ctx, note{lines.Text()}); err != nil {
			return err
		}
	}
	return lines.Err()
}
