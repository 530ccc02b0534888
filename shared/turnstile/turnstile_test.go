package turnstile

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestALineLetsOneInAtATime: each script joins, leaves and cancels by name; then come
// those who are inside, those who wait and those whose context has ended.
func TestALineLetsOneInAtATime(t *testing.T) {
	for script, want := range map[string]string{
		"":                              "in [] waiting [] ended []",
		"+a":                            "in [a] waiting [] ended []",
		"+a +b +c":                      "in [a] waiting [b c] ended []",
		"+a +b +c -a":                   "in [b] waiting [c] ended [a]",
		"+a +b +c -b":                   "in [a] waiting [c] ended [b]",
		"+a +b -b -a +c":                "in [c] waiting [] ended [a b]",
		"+a +b !":                       "in [a] waiting [b] ended [a b]",
		"+a +b ! -a -b +c":              "in [c] waiting [] ended [a b]",
		"+a -a -a +b":                   "in [b] waiting [] ended [a]",
		"+a +b +c +d +e +f +g +h +i +j": "in [a] waiting [b c d e f g h i] ended []", // j is refused
	} {
		var l Line
		var all []*Place
		names := map[*Place]string{}
		for _, word := range strings.Fields(script) {
			name := word[1:]
			switch word[0] {
			case '+':
				if p := l.Join(t.Context()); p != nil {
					all, names[p] = append(all, p), name
				} else if l.Len() != MaxWaiting+1 {
					t.Errorf("%s: %s is refused", script, name)
				}
			case '-':
				for _, p := range all {
					if names[p] == name {
						l.Leave(p)
					}
				}
			case '!':
				if n := l.Cancel(errors.New("over")); n != l.Len() {
					t.Errorf("%s: cancelled %d", script, n)
				}
			}
		}
		in, waiting, ended := []string{}, []string{}, []string{}
		for _, p := range l.places {
			if p.admitted {
				in = append(in, names[p])
			} else {
				waiting = append(waiting, names[p])
			}
		}
		for _, p := range all {
			if p.ctx.Err() != nil {
				ended = append(ended, names[p])
			}
		}
		if got := fmt.Sprintf("in %v waiting %v ended %v", in, waiting, ended); got != want {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
}

func TestWaitEndsWithTheTurnOrTheContext(t *testing.T) {
	var l Line
	ctx, cancel := context.WithCancelCause(t.Context())
	first, second, third := l.Join(t.Context()), l.Join(ctx), l.Join(t.Context())
	if inside, err := first.Wait(); err != nil || inside.Err() != nil {
		t.Errorf("the first: %v", err)
	}
	gone := errors.New("gone")
	cancel(gone)
	if _, err := second.Wait(); !errors.Is(err, gone) {
		t.Errorf("a caller that went: %v", err)
	}
	l.Leave(second)
	l.Leave(first)
	if _, err := third.Wait(); err != nil {
		t.Errorf("the next: %v", err)
	}
}
