package niri

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"utter/agent/internal/compositor"
	fakeniri "utter/tests/fakes/niri"
)

func TestReadLine(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, tt := range []struct {
		in   string
		want []string
		err  error
	}{
		{"", nil, io.EOF},
		{"a\n", []string{"a"}, io.EOF},
		{"a\nb\n\n", []string{"a", "b", ""}, io.EOF},
		{"a\nb", []string{"a"}, io.ErrUnexpectedEOF},
		{long + "\n" + long, []string{long}, io.ErrUnexpectedEOF},
		{strings.Repeat("x", maxLine+1), nil, errMalformed},
		{strings.Repeat("x", maxLine-1) + "\n", []string{strings.Repeat("x", maxLine-1)}, io.EOF},
	} {
		r := bufio.NewReader(strings.NewReader(tt.in))
		for i := 0; ; i++ {
			line, err := readLine(r)
			if err != nil {
				if !errors.Is(err, tt.err) || line != nil || i != len(tt.want) {
					t.Errorf("%.20q: line %d is %.20q, %v; want %v", tt.in, i, line, err, tt.err)
				}
				break
			}
			if i >= len(tt.want) || string(line) != tt.want[i] {
				t.Errorf("%.20q: line %d is %.20q", tt.in, i, line)
				break
			}
		}
	}
}

// FuzzReadLine reads arbitrary bytes in arbitrary pieces: the lines are those
// of the bytes.
func FuzzReadLine(f *testing.F) {
	f.Add([]byte("{\"Ok\":\"Handled\"}\n"), 1)
	f.Add([]byte("a\n\nb"), 3)
	f.Add(bytes.Repeat([]byte("x"), 10_000), 4096)
	f.Fuzz(func(t *testing.T, data []byte, piece int) {
		r := bufio.NewReader(&pieces{data, max(piece, 1)})
		rest := data
		for {
			line, err := readLine(r)
			if err != nil {
				if (err == io.EOF) != (len(rest) == 0) || bytes.ContainsRune(rest, '\n') {
					t.Errorf("%v with %q unread", err, rest)
				}
				return
			}
			if want := append(bytes.Clone(line), '\n'); !bytes.HasPrefix(rest, want) {
				t.Fatalf("read %q of %q", line, rest)
			}
			rest = rest[len(line)+1:]
		}
	})
}

// pieces hands data out in pieces of so many bytes.
type pieces struct {
	data []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.size)], p.data)
	p.data = p.data[n:]
	return n, nil
}

// FuzzReply has niri answer a question with arbitrary lines.
func FuzzReply(f *testing.F) {
	for _, l := range fakeniri.Recording(f, "queries-empty") {
		if l.Dir == "recv" {
			f.Add([]byte(l.Line))
		}
	}
	for _, line := range []string{`{"Ok":{"Windows":null}}`, `{"Ok":null}`, `{"Err":null}`,
		`{"Ok":{"Windows":[{}]},"Err":"x"}`, `{"ok":{"windows":[]}}`} {
		f.Add([]byte(line))
	}
	n := fakeniri.Start(f, fakeniri.Options{})
	var mu sync.Mutex
	var say []byte
	n.Misbehave(func(string) fakeniri.Fault {
		mu.Lock()
		defer mu.Unlock()
		return fakeniri.Fault{Say: say, End: true}
	})
	f.Fuzz(func(t *testing.T, data []byte) {
		line, _, _ := bytes.Cut(data, []byte("\n"))
		mu.Lock()
		say = append(bytes.Clone(line), '\n')
		mu.Unlock()
		c, err := dial(t.Context(), n.Path())
		if err != nil {
			t.Fatal(err)
		}
		defer c.close()
		windows, err := query[[]window](t.Context(), c, "Windows")
		var refused *refusedError
		switch {
		case err == nil && !json.Valid(line), err != nil && windows != nil && errors.As(err, &refused):
			t.Errorf("%q: %v, %v", line, windows, err)
		case err != nil && !errors.As(err, &refused) && !errors.Is(err, compositor.ErrGone):
			t.Errorf("%q: %v", line, err)
		}
	})
}
