package tr

import (
	"fmt"
	"testing"
)

// german is a catalogue with what a translator may do: change places, leave the
// number out of one form, and use a percent sign.
type german struct{}

func (german) Get(context, id string) string {
	return map[string]string{
		"|%s of %d": "%[2]d hat %[1]s", "|plain": "schlicht", "key|Home": "Pos1", "|Home": "Zuhause",
		"|%d %%": "%d %%", "|100%": "100 %",
	}[context+"|"+id]
}

func (german) Plural(one, many string, n int) string {
	if n == 1 {
		return "Eine Datei in %[2]s"
	}
	return "%[1]d Dateien in %[2]s"
}

func TestTranslate(t *testing.T) {
	files := func(n int) string { return N("One file in %[2]s", "%[1]d files in %[2]s", n, n, "x") }
	use := func(c Catalogue) []string {
		Use(c)
		return []string{T("%s of %d", "a", 2), T("plain"), C("key", "Home"), T("Home"), T("%d %%", 5), T("100%"),
			files(0), files(1), files(2)}
	}
	defer Use(nil)
	tests := []struct {
		catalogue Catalogue
		want      []string
	}{
		{german{}, []string{"2 hat a", "schlicht", "Pos1", "Zuhause", "5 %", "100 %", "0 Dateien in x",
			"Eine Datei in x", "2 Dateien in x"}},
		{nil, []string{"a of 2", "plain", "Home", "Home", "5 %", "100%", "0 files in x", "One file in x", "2 files in x"}},
	}
	for _, tt := range tests {
		if got := use(tt.catalogue); fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%T: %q, want %q", tt.catalogue, got, tt.want)
		}
	}
}

// TestAFormWithoutVerbs may leave all arguments out.
func TestAFormWithoutVerbs(t *testing.T) {
	if got := N("A file has a mistake", "%d files have mistakes", 1, 1); got != "A file has a mistake" {
		t.Errorf("N = %q", got)
	}
	if got := T("nothing to fill in", 1, "x"); got != "nothing to fill in" {
		t.Errorf("T = %q", got)
	}
}
