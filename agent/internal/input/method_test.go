package input_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"utter/agent/internal/input"
	"utter/shared/plan"
	"utter/shared/typing"
	"utter/shared/wayland"
	fakewayland "utter/tests/fakes/wayland"
)

func TestEvidence(t *testing.T) {
	password := fakewayland.Field{Purpose: wayland.PurposePassword, Hint: wayland.HintHiddenText | wayland.HintSensitive,
		Reports: fakewayland.ReportsText}
	tests := []struct {
		name   string
		field  fakewayland.Field
		want   plan.Evidence
		secret bool
	}{
		{"reports nothing", fakewayland.Field{}, plan.Delivered, false},
		{"terminal", fakewayland.Field{Purpose: wayland.PurposeTerminal}, plan.Delivered, false},
		{"reports", fakewayland.Field{Before: "before ", After: " after", Reports: fakewayland.ReportsText},
			plan.ByReadBack, false},
		{"reports a stale text first", fakewayland.Field{Reports: fakewayland.ReportsStaleFirst}, plan.ByReadBack, false},
		{"reports, but not this text", fakewayland.Field{Before: "before", Reports: fakewayland.ReportsText, Deaf: true},
			plan.Delivered, false},
		{"reports a stale text, but not this",
			fakewayland.Field{Before: "old", Reports: fakewayland.ReportsStaleFirst, Deaf: true}, plan.Delivered, false},
		{"reports, but had this text before",
			fakewayland.Field{Before: strings.Repeat("Привет, мир. ", 230) + "hé", Reports: fakewayland.ReportsText,
				Deaf: true}, plan.Delivered, false},
		{"long text before and after", fakewayland.Field{Before: strings.Repeat("ж", 5000),
			After: strings.Repeat("ж", 5000), Reports: fakewayland.ReportsText}, plan.ByReadBack, false},
		{"password", password, plan.Delivered, true},
		{"PIN", fakewayland.Field{Purpose: wayland.PurposePIN, Reports: fakewayland.ReportsText}, plan.Delivered, true},
		{"hidden", fakewayland.Field{Hint: wayland.HintHiddenText, Reports: fakewayland.ReportsText}, plan.Delivered, true},
		{"sensitive", fakewayland.Field{Hint: wayland.HintSensitive, Reports: fakewayland.ReportsText}, plan.Delivered, true},
	}
	for _, tt := range tests {
		for _, s := range []string{"hé", strings.Repeat("Привет, мир. ", 230)} {
			t.Run(fmt.Sprintf("%s, %d bytes", tt.name, len(s)), func(t *testing.T) {
				c, in := begin(t, fakewayland.Options{Field: tt.field})
				mustType(t, in, text(s, typing.Auto), input.Typed{Way: typing.InputMethod, Evidence: tt.want, Secret: tt.secret})
				if c.Typed() != s || c.Lost() != nil {
					t.Errorf("typed %d bytes, want %d; lost %q", len(c.Typed()), len(s), c.Lost())
				}
			})
		}
	}
}

// A field that shows something else at the end of its text proves nothing,
// however long the text is that was typed.
func TestShortFieldIsNoEvidence(t *testing.T) {
	field := fakewayland.Field{Before: ".", Reports: fakewayland.ReportsText, Deaf: true}
	_, in := begin(t, fakewayland.Options{Field: field})
	mustType(t, in, text(strings.Repeat("x", 300)+".", typing.Auto),
		input.Typed{Way: typing.InputMethod, Evidence: plan.Delivered})
}

func TestLongTextGoesInPieces(t *testing.T) {
	texts := map[string]string{
		"Cyrillic": strings.Repeat("й", 20000),
		"emoji":    strings.Repeat("👩‍💻", 3000),
		"lines":    strings.Repeat("Zeile mit Umläuten äöüß, € und 👍\n", 500),
		"ASCII":    strings.Repeat("x", 7801),
	}
	for name, s := range texts {
		t.Run(name, func(t *testing.T) {
			c, in := begin(t, fakewayland.Options{})
			mustType(t, in, text(s, typing.Auto), input.Typed{Way: typing.InputMethod, Evidence: plan.Delivered})
			if c.Typed() != s {
				t.Errorf("typed %d bytes, want %d", len(c.Typed()), len(s))
			}
			for _, piece := range c.Commits() {
				if len(piece) > 3900 || !utf8.ValidString(piece) || piece == "" {
					t.Errorf("a piece of %d bytes, valid %v", len(piece), utf8.ValidString(piece))
				}
			}
		})
	}
}

// The input method keeps others out, so it lives for one text only.
func TestInputMethodIsGivenBack(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	for i := range 20 {
		mustType(t, in, text("hi", typing.Auto), input.Typed{Way: typing.InputMethod, Evidence: plan.Delivered})
		if made, gone := c.Count(getInputMethod), c.Count("zwp_input_method_v2.destroy"); made != i+1 || gone != i+1 {
			t.Errorf("%d made, %d destroyed after %d texts", made, gone, i+1)
		}
	}
	if c.Clients() != 1 {
		t.Errorf("%d connections, want 1", c.Clients())
	}
}

// IDs are used again: no object is forgotten after its end.
func TestObjectsAreForgotten(t *testing.T) {
	const most = 20 // at once
	c, in := begin(t, fakewayland.Options{})
	for range 10 {
		for _, way := range typing.Ways()[1:] {
			mustType(t, in, text("hi", way), input.Typed{Way: way, Evidence: plan.Delivered})
		}
		if _, err := in.ActivationToken(t.Context(), "org.example.App"); err != nil {
			t.Error(err)
		}
	}
	var highest wayland.ID
	for _, r := range c.Requests() {
		for _, a := range r.Args {
			if id, ok := a.(wayland.ID); ok {
				highest = max(highest, id)
			}
		}
	}
	if highest > most {
		t.Errorf("the IDs grow to %d, want at most %d", highest, most)
	}
}

// TestDeactivated takes the focus away while a text of three pieces is typed.
func TestDeactivated(t *testing.T) {
	pieces := []string{strings.Repeat("a", 3900), strings.Repeat("б", 1950), "c"}
	tests := []struct {
		name string
		text string
		on   string
		nth  int
		want string
		came string
	}{
		{"at the only piece", "hi", commitString, 1, "0 of 2 characters were sent", ""},
		{"after the only piece", "hi", "zwp_input_method_v2.commit", 1, "0 of 2 characters were sent", "hi"},
		{"at the first", strings.Join(pieces, ""), commitString, 1, "0 of 5851 characters were sent", ""},
		{"at the second", strings.Join(pieces, ""), commitString, 2, "3900 of 5851 characters were sent", pieces[0]},
		{"at the last", strings.Join(pieces, ""), commitString,
			3, "5850 of 5851 characters were sent", pieces[0] + pieces[1]},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, in := begin(t, failing(tt.on, tt.nth, fakewayland.LoseFocus()))
			_, err := in.Type(t.Context(), text(tt.text, typing.Auto))
			wantError(t, err, plan.Unknown, plan.NotFound, tt.want, "lost the focus")
			if c.Typed() != tt.came {
				t.Errorf("%d bytes came, want %d", len(c.Typed()), len(tt.came))
			}
			if len(c.Keys())+len(c.Offered()) != 0 {
				t.Error("another way was tried after that")
			}
		})
	}
}

// Between two pieces the focus may go, too.
func TestDeactivatedBetweenPieces(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	what := text(strings.Repeat("a", 3900)+"b", typing.Auto)
	what.Alive = at(3, func() error { c.Unfocus(); return nil })
	_, err := in.Type(t.Context(), what)
	wantError(t, err, plan.Unknown, plan.NotFound, "3900 of 3901 characters were sent")
	if strings.Contains(c.Typed(), "b") {
		t.Error("the second piece was typed")
	}
}

func TestFocusComesLate(t *testing.T) {
	c, in := begin(t, fakewayland.Options{NoField: true})
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.WaitFor(t, "the input method", func() bool { return c.Count(getInputMethod) == 1 })
		c.Focus(fakewayland.Field{})
	}()
	mustType(t, in, text("hi", typing.Auto), input.Typed{Way: typing.InputMethod, Evidence: plan.Delivered})
	<-done
}

func TestAliveStopsBetweenPieces(t *testing.T) {
	c, in := begin(t, fakewayland.Options{})
	what := text(strings.Repeat("a", 3900)+"b", typing.Auto)
	what.Alive = at(3, func() error { return plan.Refuse(plan.NotFound, "another window has the focus") })
	_, err := in.Type(t.Context(), what)
	wantError(t, err, plan.Unknown, plan.NotFound, "3900 of 3901 characters were sent", "another window has the focus")
	if c.Typed() != strings.Repeat("a", 3900) {
		t.Errorf("%d bytes were typed", len(c.Typed()))
	}
}

// TestATerminalDrawsBeforeItIsTypedIntoAgain: foot drops a text that crosses its
// report of a new cursor place, so after one, or a key, it is left alone.
func TestATerminalDrawsBeforeItIsTypedIntoAgain(t *testing.T) {
	c, in := begin(t, fakewayland.Options{Field: fakewayland.Field{Purpose: wayland.PurposeTerminal}})
	began := time.Now()
	for _, s := range []string{"one", "two", "three"} {
		mustType(t, in, text(s, typing.Auto), input.Typed{Way: typing.InputMethod, Evidence: plan.Delivered})
	}
	if took, least := time.Since(began), 2*150*time.Millisecond; took < least || c.Typed() != "onetwothree" {
		t.Errorf("%q in %v, less than %v", c.Typed(), took, least)
	}
}
