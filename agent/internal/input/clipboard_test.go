package input_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"utter/agent/internal/input"
	"utter/shared/plan"
	"utter/shared/typing"
	fakewayland "utter/tests/fakes/wayland"
)

// forms are what a pasted text is offered as.
var forms = []string{"text/plain;charset=utf-8", "UTF8_STRING", "TEXT", "STRING", "text/plain",
	"x-kde-passwordManagerHint"}

// rich is content of an ordinary application, in an order of its own.
func rich() fakewayland.Clipboard {
	return fakewayland.Clipboard{
		"text/plain;charset=utf-8": []byte("old ünïcode\r\n\x00\xff"),
		"text/html":                []byte("<b>old</b>"),
		"image/png":                bytes.Repeat([]byte{0x89, 'P', 'N', 'G', 0, 0xff}, 200_000),
		"application/x-empty":      {},
		"UTF8_STRING":              []byte("old"),
	}
}

// wantClipboard waits until the clipboard has the content again.
func wantClipboard(t *testing.T, c *fakewayland.Compositor, want fakewayland.Clipboard) {
	t.Helper()
	got, err := c.Clipboard()
	if err != nil || !maps.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("the clipboard has %q, %v; want %q", slices.Sorted(maps.Keys(got)), err, slices.Sorted(maps.Keys(want)))
	}
}

func TestPaste(t *testing.T) {
	tests := []struct {
		name    string
		options fakewayland.Options
	}{
		{"ext", fakewayland.Options{}},
		{"zwlr", without("ext_data_control_manager_v1")},
		{"byte by byte", fakewayland.Options{ByteByByte: true}},
		{"a clipboard manager reads, too", fakewayland.Options{Pasting: fakewayland.PastesAtOnce}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.options.Clipboard = rich()
			c, in := begin(t, tt.options)
			for n, s := range []string{"hé 👍\n€", strings.Repeat("й", 200_000)} {
				mustType(t, in, text(s, typing.Clipboard), input.Typed{Way: typing.Clipboard, Evidence: plan.Delivered})
				if got := c.Pasted(); len(got) != n+1 || got[n] != s {
					t.Errorf("%d texts were pasted, want %d", len(got), n+1)
				}
				wantClipboard(t, c, rich())
			}
			for i, offered := range c.Offered() {
				if want := forms; i%2 == 0 && !slices.Equal(offered, want) {
					t.Errorf("offered %q, want %q", offered, want)
				}
			}
			if got := events(c.Keys()[:4]); got != "+29 +47/4@0 -47/4@0 -29/4@0" {
				t.Errorf("pressed %s", got)
			}
			if errs := c.Errors(); errs != nil {
				t.Errorf("the compositor complains: %q", errs)
			}
		})
	}
}

// Every name gives the text, and the hint asks clipboard managers to forget it.
func TestPastedForms(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	what := text("hé", typing.Clipboard)
	got := map[string]string{}
	what.Alive = at(2, func() error {
		for _, f := range forms {
			data, err := c.Paste(f)
			if err != nil {
				return err
			}
			got[f] = string(data)
		}
		return nil
	})
	mustType(t, in, what, input.Typed{Way: typing.Clipboard, Evidence: plan.Delivered})
	for _, f := range forms {
		want := "hé"
		if f == "x-kde-passwordManagerHint" {
			want = "secret"
		}
		if got[f] != want {
			t.Errorf("%s gives %q, want %q", f, got[f], want)
		}
	}
	wantClipboard(t, c, fakewayland.Clipboard{}) // as it was
}

func TestPasteChordIsTheApplications(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	what := text("hi", typing.Clipboard)
	what.Paste = chords("ctrl+shift+v")[0]
	mustType(t, in, what, input.Typed{Way: typing.Clipboard, Evidence: plan.Delivered})
	if got := events(c.Keys()); got != "+42 +29 +47/5@0 -47/5@0 -29/5@0 -42/5@0" {
		t.Errorf("pressed %s", got)
	}
}

// The forms of an application come back in its order: the first is its best.
func TestOrderOfFormsIsKept(t *testing.T) {
	old := fakewayland.Clipboard{}
	var want []string
	for _, f := range []string{"a/1", "a/2", "a/3", "a/4", "a/5", "a/6", "text/html", "text/plain"} {
		old[f], want = []byte(f), append(want, f)
	}
	c, in := begin(t, fakewayland.Options{Clipboard: old})
	mustType(t, in, text("hi", typing.Clipboard), input.Typed{Way: typing.Clipboard, Evidence: plan.Delivered})
	if got := c.Offered()[1]; !slices.Equal(got, want) {
		t.Errorf("put back in the order %q, want %q", got, want)
	}
}

func TestLargeContent(t *testing.T) {
	old := fakewayland.Clipboard{"image/png": bytes.Repeat([]byte{1}, 4<<20), "text/plain": []byte("old")}
	c, in := begin(t, fakewayland.Options{Clipboard: old})
	mustType(t, in, text("hi", typing.Clipboard), input.Typed{Way: typing.Clipboard, Evidence: plan.Delivered})
	wantClipboard(t, c, old)

	c.Copy(fakewayland.Clipboard{"image/png": bytes.Repeat([]byte{1}, 8<<20+1), "text/plain": []byte("old")})
	mustType(t, in, text("hi", typing.Clipboard), input.Typed{Way: typing.Clipboard, Evidence: plan.Delivered,
		Note: "part of the previous clipboard contents is lost"})
	wantClipboard(t, c, fakewayland.Clipboard{"text/plain": []byte("old")})
}

func TestNewerCopyStays(t *testing.T) {
	newer := fakewayland.Clipboard{"text/plain": []byte("newer")}
	t.Run("before the paste", func(t *testing.T) {
		c, in := begin(t, fakewayland.Options{Clipboard: rich()})
		what := text("hi", typing.Clipboard)
		what.Alive = at(2, func() error { c.Copy(newer); return nil })
		_, err := in.Type(t.Context(), what)
		wantError(t, err, plan.Unknown, plan.NotFound, "something else was copied in the meantime")
		wantClipboard(t, c, newer)
	})
	t.Run("after the paste", func(t *testing.T) {
		c, in := begin(t, fakewayland.Options{Clipboard: rich()})
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.WaitFor(t, "the paste", func() bool { return len(c.Pasted()) == 1 })
			c.Copy(newer)
		}()
		mustType(t, in, text("hi", typing.Clipboard), input.Typed{Way: typing.Clipboard, Evidence: plan.Delivered})
		<-done
		wantClipboard(t, c, newer)
	})
}

func TestNobodyPastes(t *testing.T) {
	t.Parallel()
	c, in := begin(t, fakewayland.Options{Clipboard: rich(), Pasting: fakewayland.NeverPastes})
	within(t, 4*time.Second, func() {
		what := text("hi", typing.Clipboard)
		what.Alive = at(2, func() error {
			_, err := c.Paste("x-kde-passwordManagerHint") // only whether to keep it
			return err
		})
		_, err := in.Type(t.Context(), what)
		wantError(t, err, plan.Unknown, plan.Timeout, "did not fetch")
	})
	wantClipboard(t, c, rich())
}

// A reader that never reads is not evidence, and the connection goes on.
func TestReaderThatNeverReads(t *testing.T) {
	t.Parallel()
	const long = 1 << 20 // more than a pipe holds
	c, in := begin(t, fakewayland.Options{Clipboard: rich(), Pasting: fakewayland.NeverPastes})
	if _, err := in.Parts(t.Context()); err != nil {
		t.Fatal(err)
	}
	what := text(strings.Repeat("x", long), typing.Clipboard)
	var reader *os.File
	what.Alive = at(2, func() (err error) { reader, err = c.Ask("text/plain"); return err })
	within(t, 4*time.Second, func() {
		_, err := in.Type(t.Context(), what)
		wantError(t, err, plan.Unknown, plan.Timeout, "did not fetch")
	})
	wantClipboard(t, c, rich())
	defer reader.Close()
	time.Sleep(100 * time.Millisecond)
	if data, err := io.ReadAll(reader); err != nil || len(data) == long {
		t.Errorf("%d bytes, %v for a reader that comes too late", len(data), err)
	}
	within(t, 1500*time.Millisecond, func() {
		mustType(t, in, text("on", typing.InputMethod), input.Typed{Way: typing.InputMethod, Evidence: plan.Delivered})
	})
}

// Nor does it stand in the way of one that reads.
func TestReadersAreIndependent(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	what := text(strings.Repeat("x", 1<<20), typing.Clipboard)
	what.Alive = at(2, func() error {
		r, err := c.Ask("text/plain")
		if err == nil {
			t.Cleanup(func() { r.Close() })
		}
		return err
	})
	within(t, 1500*time.Millisecond, func() {
		mustType(t, in, what, input.Typed{Way: typing.Clipboard, Evidence: plan.Delivered})
	})
	if got := c.Pasted(); len(got) != 1 || got[0] != what.Text {
		t.Errorf("%d texts were pasted", len(got))
	}
}

func TestPasteCancelled(t *testing.T) {
	c, in := begin(t, fakewayland.Options{Clipboard: rich(), Pasting: fakewayland.NeverPastes})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		c.WaitFor(t, "the chord", func() bool { return len(c.Keys()) == 4 })
		time.Sleep(50 * time.Millisecond) // it is awaited now that somebody pastes
		cancel()
	}()
	within(t, 1500*time.Millisecond, func() {
		_, err := in.Type(ctx, text("hi", typing.Clipboard))
		wantError(t, err, plan.Unknown, plan.Cancelled, "the paste may not have happened")
	})
	wantClipboard(t, c, rich())
}

// What the compositor makes for us goes again, however often we paste.
func TestPastesLeaveNothingBehind(t *testing.T) {
	c, in := begin(t, fakewayland.Options{Clipboard: rich()})
	paste := func() {
		mustType(t, in, text("hi", typing.Clipboard), input.Typed{Way: typing.Clipboard, Evidence: plan.Delivered})
	}
	paste()
	noCollector(t)
	files := openFiles(t)
	const more = 5
	for range more {
		paste()
	}
	wantOpenFiles(t, files)
	if _, err := in.Parts(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Each paste sees three contents: the old, its own, and the old again.
	wantAtLeast(t, c, "ext_data_control_offer_v1.destroy", 3*(more+1))
	wantAtLeast(t, c, "ext_data_control_source_v1.destroy", 2*more+1)
	wantAtLeast(t, c, "ext_data_control_device_v1.destroy", more+1)
}

// wantAtLeast waits until a request has come n times.
func wantAtLeast(t *testing.T, c *fakewayland.Compositor, name string, n int) {
	t.Helper()
	for range 100 {
		if c.Count(name) >= n {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s came %d times, want %d", name, c.Count(name), n)
}
