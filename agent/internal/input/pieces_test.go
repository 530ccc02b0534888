package input

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPieces(t *testing.T) {
	line := strings.Repeat("x", 2500) + "\n"
	tests := []struct {
		name string
		text string
		want []int // lengths in bytes
	}{
		{"short", "hi", []int{2}},
		{"just one", strings.Repeat("x", maxPiece), []int{maxPiece}},
		{"one more", strings.Repeat("x", maxPiece+1), []int{maxPiece, 1}},
		{"two bytes a character", strings.Repeat("й", 1951), []int{3900, 2}},
		{"a character across the end", "x" + strings.Repeat("й", 1950), []int{3899, 2}},
		{"three bytes a character", strings.Repeat("€", 1301), []int{3900, 3}},
		{"four bytes a character", strings.Repeat("👍", 976), []int{3900, 4}},
		{"four bytes, shifted", "xx" + strings.Repeat("👍", 975), []int{3898, 4}},
		{"behind a line", line + line, []int{2502, 2500}},
		{"not behind an early line", "x\n" + strings.Repeat("x", maxPiece), []int{maxPiece, 2}},
		{"a line ends where the piece does", strings.Repeat("x", maxPiece-1) + "\ny", []int{maxPiece, 1}},
	}
	for _, tt := range tests {
		got := pieces(tt.text)
		var lengths []int
		for _, p := range got {
			lengths = append(lengths, len(p))
		}
		if len(lengths) != len(tt.want) || strings.Join(got, "") != tt.text {
			t.Errorf("%s: pieces of %d bytes, want %d", tt.name, lengths, tt.want)
			continue
		}
		for i := range lengths {
			if lengths[i] != tt.want[i] || !utf8.ValidString(got[i]) {
				t.Errorf("%s: pieces of %d bytes, want %d", tt.name, lengths, tt.want)
			}
		}
	}
}

func TestEndsWith(t *testing.T) {
	long := strings.Repeat("Привет, мир 👍 ", 200)
	tests := []struct {
		name          string
		before, piece string
		want          bool
	}{
		{"alone", "hi", "hi", true},
		{"after other text", "oh hi", "hi", true},
		{"empty field", "", "hi", false},
		{"not yet", "oh h", "hi", false},
		{"typed over", "hi there", "hi", false},
		{"part of a short text", "ello", "hello", false},
		{"long", "a" + long, long, true},
		{"long, told from the middle", long[len(long)-2000:], long, true},
		{"long, cut within a character", "\x80" + long[len(long)-2000:], long, true},
		{"long, told too little", long[len(long)-20:], long, false},
		{"long, told nothing", "", long, false},
		{"long, something else", strings.Repeat("x", 2000), long, false},
		{"long, last character missing", long[:len(long)-1], long, false},
		{"long, end of another text", strings.Repeat("x", 1900) + " ", long, false},
	}
	for _, tt := range tests {
		if got := endsWith(tt.before, tt.piece); got != tt.want {
			t.Errorf("%s: endsWith = %v, want %v", tt.name, got, tt.want)
		}
	}
}

// FuzzPieces checks that nothing is lost or cut apart, and that a field which
// shows what it got is believed.
func FuzzPieces(f *testing.F) {
	f.Add("hi", "", 1, 0)
	f.Add("Привет, мир\n", "до ", 400, 2000)
	f.Add("👩‍💻", "x", 900, 100)
	f.Fuzz(func(t *testing.T, unit, before string, times, told int) {
		text := strings.Repeat(unit, min(max(times, 1), 1000))
		if !utf8.ValidString(text) || len(text) > 1<<20 {
			return
		}
		all := pieces(text)
		if strings.Join(all, "") != text {
			t.Fatal("the pieces are not the text")
		}
		for _, p := range all {
			if len(p) > maxPiece || !utf8.ValidString(p) || p == "" && text != "" {
				t.Fatalf("a piece of %d bytes, valid %v", len(p), utf8.ValidString(p))
			}
			shown := before + p
			if told = min(max(told, 1000), 4000); len(shown) > told {
				shown = shown[len(shown)-told:]
			}
			if !endsWith(shown, p) {
				t.Errorf("endsWith(%d bytes, %d bytes) = false", len(shown), len(p))
			}
		}
	})
}

// FuzzEndsWith checks that what a field shows is the end of the text, or of
// enough of it.
func FuzzEndsWith(f *testing.F) {
	f.Add("oh hi", "hi")
	f.Add(strings.Repeat("й", 150), strings.Repeat("й", 300))
	f.Add("\x80", strings.Repeat("й", 300))
	f.Fuzz(func(t *testing.T, before, piece string) {
		if !utf8.ValidString(piece) || piece == "" || !endsWith(before, piece) {
			return
		}
		same := 0
		for same < len(before) && same < len(piece) && before[len(before)-1-same] == piece[len(piece)-1-same] {
			same++
		}
		if same < len(piece) && same < 196 { // 200 bytes, less a part of a character
			t.Errorf("endsWith is true by %d bytes of %d", same, len(piece))
		}
	})
}
