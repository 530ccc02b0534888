package fakewayland

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"utter/shared/wayland"
)

// pasteTimeout is how long a paste waits for the owner of the clipboard.
const pasteTimeout = 2 * time.Second

// Error codes.
const (
	sourceInvalidOffer = 1
	deviceUsedSource   = 1
)

// A Clipboard maps MIME types to their data.
type Clipboard map[string][]byte

func (c Clipboard) types() []string { return slices.Sorted(maps.Keys(c)) }

// A Pasting says when somebody asks for what a client has put on the clipboard.
type Pasting int

// The ways.
const (
	PastesOnChord Pasting = iota // the application, when control and V are pressed
	NeverPastes                  // nobody
	PastesAtOnce                 // a clipboard manager, and the application too
)

// ErrNotOffered means that the clipboard has no data of the type asked for.
var ErrNotOffered = errors.New("fakewayland: the clipboard does not offer this type")

// A selection is what is on the clipboard: a client's source, or content.
type selection struct {
	source  *source // nil if no client owns it
	content Clipboard
	types   []string
}

// A source is what one client's data control source has offered.
type source struct {
	client *client
	object *object
	types  []string
	used   bool
}

// Copy makes another application put content on the clipboard.
func (c *Compositor) Copy(content Clipboard) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.selectNew(&selection{content: content, types: content.types()})
}

// Clipboard returns everything that is on the clipboard. It asks the owner for
// each type, as an application would.
func (c *Compositor) Clipboard() (Clipboard, error) {
	c.mu.Lock()
	types := c.selection.types
	c.mu.Unlock()
	content := Clipboard{}
	for _, mime := range types {
		data, err := c.Paste(mime)
		if err != nil {
			return content, err
		}
		content[mime] = data
	}
	return content, nil
}

// Paste asks the owner of the clipboard for one type and returns what came.
func (c *Compositor) Paste(mime string) ([]byte, error) {
	c.mu.Lock()
	r, err := c.ask(mime)
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return drain(r)
}

// Ask is Paste by an application that may be slow, or never read: the data
// comes out of the pipe that it returns. The caller closes it.
func (c *Compositor) Ask(mime string) (*os.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ask(mime)
}

func (c *Compositor) ask(mime string) (*os.File, error) {
	if !slices.Contains(c.selection.types, mime) {
		return nil, fmt.Errorf("%w: %s", ErrNotOffered, mime)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	c.deliver(c.selection, mime, w)
	return r, nil
}

func drain(r *os.File) ([]byte, error) {
	defer r.Close()
	if err := r.SetReadDeadline(time.Now().Add(pasteTimeout)); err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// deliver makes the owner of s write its data into w. The caller keeps w.
func (c *Compositor) deliver(s *selection, mime string, w *os.File) {
	if s.source != nil {
		s.source.client.event(s.source.object, wayland.DataSourceOnSend, mime, w)
		return
	}
	own, err := pollable(w)
	if err != nil {
		c.errors = append(c.errors, err.Error())
		return
	}
	c.work.Go(func() {
		defer own.Close()
		own.SetWriteDeadline(time.Now().Add(pasteTimeout))
		own.Write(s.content[mime]) // a reader that has gone is not an error
	})
}

// pollable returns a duplicate of f that knows deadlines.
func pollable(f *os.File) (*os.File, error) {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		syscall.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// paste makes the focused application paste the text on the clipboard.
func (c *Compositor) paste() {
	i := slices.IndexFunc(c.selection.types, isText)
	if i < 0 {
		return
	}
	r, err := c.ask(c.selection.types[i])
	if err != nil {
		c.errors = append(c.errors, err.Error())
		return
	}
	c.work.Go(func() {
		data, err := drain(r)
		c.mu.Lock()
		defer c.mu.Unlock()
		if err != nil {
			c.errors = append(c.errors, "paste: "+err.Error())
			return
		}
		c.pasted = append(c.pasted, string(data))
		c.field.edit(string(data), 0, 0)
		c.wake()
	})
}

func isText(mime string) bool {
	return strings.HasPrefix(mime, "text/plain") || mime == "UTF8_STRING"
}

// selectNew replaces the selection and tells everybody.
func (c *Compositor) selectNew(s *selection) {
	old := c.selection
	c.selection = s
	if old.source != nil && old.source != s.source {
		old.source.client.event(old.source.object, wayland.DataSourceOnCancelled)
	}
	for _, prefix := range []string{"ext", "zwlr"} {
		c.each(prefix+"_data_control_device_v1", func(client *client, o *object) { client.sendSelection(o) })
	}
}

// die takes a source, and with it the selection that it may be, away.
func (s *source) die() {
	if s.client.comp.selection.source == s {
		s.client.comp.selection.source = nil // it is not to be told
		s.client.comp.selectNew(&selection{})
	}
}
