package e2e

import (
	"fmt"
	"html"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A web is a server on the loopback with titled pages. It counts what is asked
// of it.
type web struct {
	server *httptest.Server

	mu       sync.Mutex
	requests map[string]int
	typed    map[string]string // field to what it holds, as the page told
	last     int               // number of the page's latest report
	focused  string            // the field that has the page's focus, as it told
	orders   chan string
}

// titles are the pages.
var titles = map[string]string{
	"/video": "Cats at the piano",
	"/other": "A quiet place",
}

// newWeb starts a server that ends with the test.
func newWeb(s *Session) *web {
	w := &web{requests: map[string]int{}, typed: map[string]string{}, orders: make(chan string, 1)}
	w.server = httptest.NewServer(http.HandlerFunc(w.serve))
	s.t.Cleanup(func() { w.server.CloseClientConnections(); w.server.Close() })
	return w
}

// host returns the server as a person says it: localhost:PORT.
func (w *web) host() string {
	_, port, _ := net.SplitHostPort(w.server.Listener.Addr().String())
	return "localhost:" + port
}

func (w *web) url(path string) string { return "http://" + w.host() + path }

// count returns how often path was asked for.
func (w *web) count(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests[path]
}

// counts returns all requests but those that browsers make by themselves.
func (w *web) counts() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	counts := maps.Clone(w.requests)
	delete(counts, "/favicon.ico")
	return counts
}

func (w *web) serve(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.requests[r.URL.Path]++
	w.mu.Unlock()
	switch r.URL.Path {
	case "/form":
		fmt.Fprint(rw, form)
	case "/orders":
		w.serveOrders(rw, r)
	case "/report":
		w.report(r)
	default:
		title, ok := titles[r.URL.Path]
		if !ok {
			http.NotFound(rw, r)
			return
		}
		fmt.Fprintf(rw, "<!doctype html><meta charset=utf-8><title>%s</title><p>%[1]s", html.EscapeString(title))
	}
}

// form is a page that tells what its fields hold and which has the focus, and
// moves the focus when told.
const form = `<!doctype html><meta charset=utf-8><title>A form</title>
<p><input id=text><p><textarea id=area></textarea><p><input id=password type=password autocomplete=off>
<script>
let reports = 0;
const tell = (id, what, value) =>
	fetch('/report?field=' + id + '&what=' + what + '&n=' + ++reports, {method: 'POST', body: value});
for (const f of document.querySelectorAll('input, textarea')) {
	f.oninput = () => tell(f.id, 'value', f.value);
	f.onfocus = () => { if (document.hasFocus()) tell(f.id, 'focus', '') };
}
window.onfocus = () => { const f = document.activeElement; if (f.id) tell(f.id, 'focus', '') };
new EventSource('/orders').onmessage = e => {
	const f = document.getElementById(e.data);
	f.value = '';
	document.activeElement.blur();
	f.focus();
};
</script>`

// serveOrders streams the names of the fields to focus.
func (w *web) serveOrders(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Content-Type", "text/event-stream")
	rw.WriteHeader(http.StatusOK)
	flusher := http.NewResponseController(rw)
	flusher.Flush()
	for {
		select {
		case field := <-w.orders:
			fmt.Fprintf(rw, "data: %s\n\n", field)
			flusher.Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// report takes what the page tells. Reports may overtake each other.
func (w *web) report(r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	query := r.URL.Query()
	n, _ := strconv.Atoi(query.Get("n"))
	w.mu.Lock()
	defer w.mu.Unlock()
	if query.Get("what") == "focus" {
		w.focused = query.Get("field")
	} else if n > w.last {
		w.last = n
		w.typed[query.Get("field")] = string(body)
	}
}

// focusField empties a field of the open form and puts the focus into it.
func (s *Session) focusField(w *web, field string) {
	s.t.Helper()
	w.mu.Lock()
	w.focused = ""
	delete(w.typed, field)
	w.mu.Unlock()
	select {
	case w.orders <- field:
	case <-time.After(5 * time.Second):
		s.t.Fatal("the form does not take orders")
	}
	s.await("focus in the field "+field, 10*time.Second, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.focused == field
	})
	time.Sleep(200 * time.Millisecond) // the browser tells the compositor
}

// checkField waits until a field of the form holds exactly want.
func (s *Session) checkField(w *web, field, want string, within time.Duration) {
	s.t.Helper()
	holds := func() string {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.typed[field]
	}
	if !eventually(within, func() bool { return holds() == want }) {
		s.t.Errorf("field %s: %s", field, difference(holds(), want))
	}
}

// checkCounts fails the test if anything was asked of the server since before.
func (s *Session) checkCounts(w *web, before map[string]int) {
	s.t.Helper()
	after := w.counts()
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if n := after[path] - before[path]; n != 0 {
			s.t.Errorf("%d more requests for %s", n, strings.TrimSpace(path))
		}
	}
}
