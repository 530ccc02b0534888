package apps_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"utter/agent/internal/compositor"
	"utter/agent/internal/launch"
	"utter/shared/op"
	"utter/shared/plan"
)

var browsers = shelf{
	entries: map[string]string{
		"firefox":            "Name=Firefox\nExec=firefox %u\nCategories=WebBrowser;",
		"google-chrome":      "Name=Google Chrome\nExec=google-chrome --x=100%% %U\nCategories=WebBrowser;",
		"org.gnome.Epiphany": "Name=Web\nExec=epiphany %U\nCategories=WebBrowser;",
		"foot":               "Name=Foot\nExec=foot\nCategories=TerminalEmulator;",
	},
}

// Which titles show which addresses: whole words in front of the browser's own
// name.
func TestWhatShowsAnAddress(t *testing.T) {
	const youtube, x, google, example = "https://www.youtube.com", "https://x.com",
		"https://www.google.com", "https://example.org/"
	for _, tt := range []struct {
		url, site, app, title string
		want                  bool
	}{
		{youtube, "youtube", "firefox", "YouTube — Mozilla Firefox", true},
		{youtube, "yt", "firefox", "(3) Cats - YouTube — Mozilla Firefox", true},
		{youtube, "youtube", "google-chrome", "Cats - YouTube - Google Chrome", true},
		{youtube, "youtube", "google-chrome", "Cats — and dogs - YouTube - Google Chrome", true},
		{youtube, "youtube", "org.gnome.Epiphany", "Cats - YouTube", true}, // adds no name of its own
		{youtube, "youtube", "org.gnome.Epiphany", "Best of the web - YouTube", true},
		{youtube, "youtube", "firefox", "YOUTUBE – Mozilla Firefox Private Browsing", true},
		{youtube, "youtube", "firefox", "Youtubers — Mozilla Firefox", false},
		{youtube, "youtube", "firefox", "Notyoutube — Mozilla Firefox", false},
		{youtube, "youtube", "firefox", "youtube2 — Mozilla Firefox", false},
		{youtube, "youtube", "firefox", "ÄYouTube — Mozilla Firefox", false},
		{youtube, "youtube", "firefox", "", false},
		{youtube, "youtube", "foot", "YouTube — Mozilla Firefox", false}, // no browser
		{youtube, "youtube", "unheard-of", "YouTube", false},
		{x, "x", "firefox", "Home / X — Mozilla Firefox", true},
		{x, "x", "firefox", "Mozilla Firefox", false},
		{x, "x", "firefox", "Inbox (4) - a@x.org — Mozilla Firefox", false},
		{x, "x", "firefox", "X11 and X - the window system — Mozilla Firefox", false},
		{google, "google", "google-chrome", "cats - Google Search - Google Chrome", true},
		{google, "google", "google-chrome", "New Tab - Google Chrome", false},
		{google, "google", "firefox", "Google — Mozilla Firefox", true},
		{example, "example", "firefox", "Welcome - Example — Mozilla Firefox", true}, // a site without titles of its own
		{example, "example", "firefox", "Example Domain — Mozilla Firefox", false},   // it may be anything
		{youtube, "youtube", "firefox", "How to delete your YouTube history - Google Search — Mozilla Firefox", false},
		{youtube, "youtube", "firefox", "YouTube: a history - Wikipedia — Mozilla Firefox", false},
		{example, "example", "firefox", "Counterexample — Mozilla Firefox", false},
		{"https://firefox.com", "firefox", "firefox", "Mozilla Firefox", false}, // an empty tab
		{"https://firefox.com", "firefox", "firefox", "Firefox - free — Mozilla Firefox", true},
		{"https://ab.org", "ab", "firefox", "ab — Mozilla Firefox", false}, // too short to say anything
		{"http://localhost:8080", "localhost", "firefox", "localhost — Mozilla Firefox", false},
		{"https://empty.example", "empty", "firefox", "abc — Mozilla Firefox", false}, // its table says ""
		// A title with the site's name shows some page of it, not this one.
		{"https://example.org/path", "example", "firefox", "Example Domain — Mozilla Firefox", false},
		{"https://example.org/?q=1", "example", "firefox", "Example Domain — Mozilla Firefox", false},
		{"https://www.youtube.com/watch?v=1", "youtube", "firefox", "Cats - YouTube — Mozilla Firefox", false},
	} {
		t.Run(tt.url+" "+tt.title, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, browsers, titled(1, tt.app, tt.title), titled(2, "foot", "sh"))
				outcome, reason, focused := plan.Completed, plan.Reason(""), compositor.WindowID(1)
				if !tt.want {
					outcome, reason, focused = plan.Refused, plan.NotFound, 2
				}
				b.do(op.EnsureURL{URL: tt.url, Site: tt.site, MustExist: true}, outcome, reason)
				if calls := b.launcher.calls(); b.focused() != focused || calls != "" || b.open() != "1 2" {
					t.Errorf("the focus is on %d, it did %q", b.focused(), calls)
				}
			})
		})
	}
}

// The window that one looks at goes before one that was used earlier.
func TestTheLatestWindowThatShowsAnAddressIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const title = "YouTube — Mozilla Firefox"
		b := newBench(t, browsers, titled(1, "firefox", title), titled(2, "firefox", title),
			titled(3, "firefox", title), titled(4, "foot", ""))
		args := op.EnsureURL{URL: "https://www.youtube.com", Site: "youtube"}
		for _, focus := range []compositor.WindowID{3, 1, 2} {
			done, message := b.do(args, plan.Completed, "")
			if b.launcher.calls() != "" || message != "it was already open" {
				t.Errorf("window %d: %s", done.Window, message)
			}
			if focus == 3 && done.Window != 3 {
				t.Errorf("window %d, want the latest, 3", done.Window)
			}
			if err := b.desktop.Focus(t.Context(), focus); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if done, _ := b.do(args, plan.Completed, ""); done.Window != uint64(focus) {
				t.Errorf("window %d, want the focused one, %d", done.Window, focus)
			}
		}
	})
}

func TestAnAddressWithoutAHostIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, browsers)
		for _, address := range []string{"", "youtube", "https://", "https:///x", "http://[::1",
			"mailto:a@b", "https://a b/"} {
			b.do(op.EnsureURL{URL: address, Site: "youtube"}, plan.Refused, plan.NotSupported)
		}
		if calls := b.launcher.calls(); calls != "" {
			t.Errorf("it did: %s", calls)
		}
	})
}

// page is an address that no title of a site shows.
const page = "http://localhost:8080/video"

// shows opens a page: a window that shows it with these titles, one a second.
func (b *bench) shows(id compositor.WindowID, titles ...string) {
	b.launcher.onStart = func(launch.Command) (*launch.Process, error) {
		if s := b.desktop.State(); len(titles) > 0 {
			if _, there := s.Window(id); !there {
				b.screen.Open(titled(id, "firefox", "Mozilla Firefox"))
			}
		}
		for i, title := range titles {
			time.AfterFunc(time.Duration(i+1)*time.Second, func() {
				b.screen.Update(id, func(w *compositor.Window) { w.Title = title })
			})
		}
		return lives(1 << 30)
	}
}

// What we opened is known by the window and by the title that its page got.
func TestAnOpenedPageIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, browsers, titled(1, "foot", "sh"))
		b.shows(5, "localhost:8080/video", "Video — Mozilla Firefox")
		args := op.EnsureURL{URL: page, Site: "localhost"}
		b.do(args, plan.Completed, "")
		if calls := b.launcher.calls(); calls != "start firefox "+page {
			t.Errorf("it did: %s", calls)
		}
		time.Sleep(time.Minute)
		// The same title in another window is another page.
		b.screen.Open(titled(6, "firefox", "Video — Mozilla Firefox"))
		b.screen.Do(context.Background(), nil, compositor.Action{Name: "focus-window", Window: 1})
		synctest.Wait()
		done, _ := b.do(args, plan.Completed, "")
		if calls := b.launcher.calls(); calls != "" || done.Window != 5 || b.focused() != 5 {
			t.Errorf("window %d, the focus is on %d, it did %q", done.Window, b.focused(), calls)
		}
		// Later the window shows something else.
		b.screen.Update(5, func(w *compositor.Window) { w.Title = "News — Mozilla Firefox" })
		synctest.Wait()
		b.do(op.EnsureURL{URL: page, MustExist: true}, plan.Refused, plan.NotFound)
		b.do(args, plan.Completed, "")
		if calls := b.launcher.calls(); calls != "start firefox "+page {
			t.Errorf("it did: %s", calls)
		}
	})
}

// Two pages that are opened one after the other, in tabs of one window, are not
// taken for each other.
func TestTwoPagesInOneWindowAreKeptApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, browsers)
		const second = "http://localhost:8080/second"
		b.shows(5, "First — Mozilla Firefox")
		b.do(op.EnsureURL{URL: page}, plan.Completed, "")
		time.Sleep(2 * time.Second)
		b.shows(5, "Second — Mozilla Firefox")
		b.do(op.EnsureURL{URL: second}, plan.Completed, "")
		time.Sleep(time.Minute)
		b.launcher.calls()
		b.do(op.EnsureURL{URL: page, MustExist: true}, plan.Refused, plan.NotFound)
		b.do(op.EnsureURL{URL: second, MustExist: true}, plan.Completed, "")
		b.screen.Update(5, func(w *compositor.Window) { w.Title = "First — Mozilla Firefox" })
		synctest.Wait()
		b.do(op.EnsureURL{URL: page, MustExist: true}, plan.Completed, "")
	})
}

// A plain address or a search that is opened meanwhile is another page too.
func TestWhatIsOpenedMeanwhileIsAnotherPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, browsers)
		b.shows(5, "First — Mozilla Firefox")
		b.do(op.EnsureURL{URL: page}, plan.Completed, "")
		time.Sleep(2 * time.Second)
		b.shows(5, "results — Mozilla Firefox")
		b.do(op.Search{Query: "x"}, plan.Completed, "")
		time.Sleep(time.Minute)
		b.do(op.EnsureURL{URL: page, MustExist: true}, plan.Refused, plan.NotFound)
	})
}
