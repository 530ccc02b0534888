package apps_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/launch"
	"utter/shared/op"
	"utter/shared/plan"
)

// opens makes what is started show a window.
func (b *bench) opens(w compositor.Window) {
	b.starts(1<<30, time.Second, func() { b.screen.Open(w) })
}

// The browser gets exactly the address that was asked for, as one argument.
func TestTheBrowserGetsTheExactAddress(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"https://example.org/a%20b?q=tom+%26+jerry&x=c%2B%2B#frag", ""},
		{`https://example.org/?q='"$(id)` + "`;&|<>*~", ""},
		{"https://example.org/100%25?q=%u+%%+%f", ""}, // field codes are expanded once
		{"https://example.org/ü/€?😀", ""},
		{"http://127.0.0.1:8080/x", ""},
		{"HTTPS://Example.ORG/Case", ""},
		{"http://[::1]:80/", ""},
		{"example.org", "https://example.org"},
		{"example.org/?q=1", "https://example.org/?q=1"},
	} {
		t.Run(tt.url, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if tt.want == "" {
					tt.want = tt.url
				}
				b := newBench(t, browsers, titled(1, "google-chrome", ""), titled(2, "foot", ""))
				b.opens(window(5, "google-chrome"))
				done, message := b.do(op.OpenURL{URL: tt.url}, plan.Completed, "")
				argv := b.launcher.last.Argv
				if len(argv) != 3 || argv[0] != "google-chrome" || argv[1] != "--x=100%" || argv[2] != tt.want {
					t.Errorf("argv %q, want %q at the end", argv, tt.want)
				}
				if done.Window != 5 || b.focused() != 5 ||
					b.launcher.last.Env["XDG_ACTIVATION_TOKEN"] != "token-for-google-chrome" {
					t.Errorf("window %d, the focus is on %d, environment %v", done.Window, b.focused(), b.launcher.last.Env)
				}
				contains(t, message, "Google Chrome")
			})
		})
	}
}

func TestOtherSchemesAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, browsers, titled(1, "firefox", ""))
		for address, reason := range map[string]plan.Reason{
			"javascript:alert(1)": plan.PolicyReason, "JavaScript:alert(1)": plan.PolicyReason,
			"file:///etc/passwd": plan.PolicyReason,
			"data:text/html,x":   plan.PolicyReason, "about:config": plan.PolicyReason, "ftp://example.org": plan.PolicyReason,
			"chrome://settings": plan.PolicyReason, "view-source:https://x.com": plan.PolicyReason,
			"steam://run/1": plan.PolicyReason,
			"https:":        plan.NotSupported, "https://": plan.NotSupported,
			"http:///path": plan.NotSupported, "": plan.NotSupported,
			"https://a b/": plan.NotSupported, "https://x.com/\x00": plan.NotSupported, "https://x.com/%zz": plan.NotSupported,
		} {
			b.do(op.OpenURL{URL: address}, plan.Refused, reason)
		}
		if calls := b.launcher.calls(); calls != "" {
			t.Errorf("it did: %s", calls)
		}
	})
}

// The browser that was used last, else the default one.
func TestWhichBrowserOpensAnAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const address = "https://example.org"
		b := newBench(t, browsers, titled(1, "org.gnome.Epiphany", ""), titled(2, "google-chrome", ""), titled(3, "foot", ""))
		for id, want := range map[compositor.WindowID]string{1: "epiphany " + address,
			2: "google-chrome --x=100% " + address} {
			if err := b.desktop.Focus(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			b.do(op.OpenURL{URL: address}, plan.Unknown, plan.Timeout)
			if calls := b.launcher.calls(); calls != "start "+want {
				t.Errorf("with window %d it did: %s", id, calls)
			}
		}
		b.screen.Remove(1)
		b.screen.Remove(2)
		synctest.Wait()
		b.do(op.OpenURL{URL: address}, plan.Unknown, plan.Timeout)
		if calls := b.launcher.calls(); calls != "start firefox "+address {
			t.Errorf("without a browser window it did: %s", calls)
		}
	})
}

func TestASearchOpensItsAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, browsers)
		b.opens(window(5, "firefox"))
		b.do(op.Search{Query: "tom & jerry c++"}, plan.Completed, "")
		if argv := b.launcher.last.Argv; len(argv) != 2 || argv[1] != "https://search.example/?q=tom & jerry c++" {
			t.Errorf("argv %q", argv)
		}
	})
}

// What shows that a page came, and what does not.
func TestWhatProvesAPage(t *testing.T) {
	for _, tt := range []struct {
		what    string
		happens func(s *screen)
		want    compositor.WindowID
	}{
		{"a new window of the browser", func(s *screen) { s.Open(window(5, "firefox")) }, 5},
		{"another title", func(s *screen) { s.Update(1, func(w *compositor.Window) { w.Title = "new" }) }, 1},
		{"the focus",
			func(s *screen) { s.Do(context.Background(), nil, compositor.Action{Name: "focus-window", Window: 2}) }, 2},
		{"nothing", func(*screen) {}, 0},
		{"a window of another browser", func(s *screen) { s.Open(window(5, "google-chrome")) }, 0},
		{"another title in another application",
			func(s *screen) { s.Update(3, func(w *compositor.Window) { w.Title = "new" }) }, 0},
		{"a window that closes", func(s *screen) { s.Remove(2) }, 0},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, browsers, titled(1, "firefox", "a"), titled(2, "firefox", "b"), titled(3, "foot", "c"))
				b.starts(1<<30, time.Second, func() { tt.happens(b.screen) })
				start := time.Now()
				if tt.want == 0 {
					_, message := b.do(op.OpenURL{URL: "https://x.com"}, plan.Unknown, plan.Timeout)
					contains(t, message, "Firefox")
					if took := time.Since(start); took != startTime {
						t.Errorf("it took %v", took)
					}
					return
				}
				if done, _ := b.do(op.OpenURL{URL: "https://x.com"}, plan.Completed,
					""); done.Window != uint64(tt.want) || b.focused() != tt.want {
					t.Errorf("window %d, the focus is on %d; want %d", done.Window, b.focused(), tt.want)
				}
			})
		})
	}
}

func TestABrowserThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, browsers)
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		l, err := launch.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		b.launcher.onStart = func(launch.Command) (*launch.Process, error) {
			return l.Start(t.Context(), launch.Command{Argv: []string{self, "exit", "4"}})
		}
		_, message := b.do(op.OpenURL{URL: "https://x.com"}, plan.Failed, "")
		contains(t, message, "Firefox", "exit status 4")
		b.starts(1<<30, time.Second, func() { b.screen.Close() })
		_, message = b.do(op.OpenURL{URL: "https://x.com"}, plan.Unknown, plan.Missing)
		contains(t, message, "Firefox", "compositor")
	})
}

func TestOpeningCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, browsers)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		_, err := b.act(ctx, plan.Step{Args: op.EnsureURL{URL: "https://x.com"}})
		if !errors.Is(err, context.Canceled) || time.Since(start) != time.Second {
			t.Errorf("EnsureURL = %v after %v", err, time.Since(start))
		}
	})
}

// An application of the bus gets the address by Open.
func TestABrowserOnTheBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, shelf{entries: map[string]string{
			"org.example.Web": "Name=Surf\nExec=surf\nDBusActivatable=true\nCategories=WebBrowser;"}})
		time.AfterFunc(time.Second, func() { b.screen.Open(window(5, "org.example.Web")) })
		b.do(op.OpenURL{URL: "https://x.com"}, plan.Completed, "")
		if calls := b.launcher.calls(); calls != "activate org.example.Web by token-for-org.example.Web https://x.com" {
			t.Errorf("it did: %s", calls)
		}
	})
}

// Addresses that no application here takes go to xdg-open; without it they are
// refused. What it opened is not known, so another's title proves nothing.
func TestXDGOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bin := t.TempDir()
		t.Setenv("PATH", bin)
		noBrowser := newBench(t, viewer, titled(1, "viewer", "a"))
		// A browser whose desktop file has no place for an address.
		dumb := newBench(t, shelf{entries: map[string]string{"dumb": "Name=Dumb\nExec=dumb --home\nCategories=WebBrowser;"}},
			titled(1, "dumb", "a"))
		tests := []struct {
			b   *bench
			url string
		}{{noBrowser, "https://x.com"}, {noBrowser, "mailto:a@b.example?subject=x%20y"},
			{noBrowser, "tel:+49123"}, {dumb, "https://x.com"}}
		for _, tt := range tests {
			_, message := tt.b.do(op.OpenURL{URL: tt.url}, plan.Refused, plan.Missing)
			contains(t, message, "xdg-open")
			if calls := tt.b.launcher.calls(); calls != "" {
				t.Errorf("without xdg-open it did: %s", calls)
			}
		}
		if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second) // it is looked for again
		for _, tt := range tests {
			b := tt.b
			b.starts(1<<30, time.Second, func() { b.screen.Update(1, func(w *compositor.Window) { w.Title += "!" }) })
			b.do(op.OpenURL{URL: tt.url}, plan.Unknown, plan.Timeout)
			if calls := b.launcher.calls(); calls != "start xdg-open "+tt.url {
				t.Errorf("it did: %s", calls)
			}
		}
		noBrowser.opens(window(5, "unheard-of"))
		if done, _ := noBrowser.do(op.OpenURL{URL: "mailto:a@b"}, plan.Completed, ""); done.Window != 5 {
			t.Errorf("window %d", done.Window)
		}
	})
}
