// Package spell finds the known word nearest to a mistyped one, for error
// messages that suggest what was meant. It never corrects anything itself.
package spell

// Nearest returns the word of known with the fewest edits to word, or "" if
// none is near: more than about a third of the letters (at least one edit is always
// allowed) would have to change. Of equally near words the first wins.
func Nearest(word string, known []string) string {
	const longest = 64 // longer words are not typing errors
	if len(word) > longest {
		return ""
	}
	limit := max(1, (len([]rune(word))+1)/3)
	best, bestDistance := "", limit+1
	for _, k := range known {
		if d := distance([]rune(word), []rune(k)); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// distance counts insertions, deletions, substitutions and swaps of neighbours
// (the restricted Damerau-Levenshtein distance).
func distance(a, b []rune) int {
	older, old, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range old {
		old[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(old[j+1]+1, row[j]+1, old[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
		older, old, row = old, row, older
	}
	return old[len(b)]
}
