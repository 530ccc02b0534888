package fakewayland

import (
	_ "embed"
	"regexp"
	"unicode/utf8"
)

// Keymap is a keymap as a compositor sends it: layouts us and ru, with every
// key name complete.
//
//go:embed us_ru.xkb
var Keymap string

// maxName is how much of a key name libxkbcommon 1.7 writes, in bytes.
const maxName = 26

var (
	symbolList = regexp.MustCompile(`\[[^\]]*\]`)
	longName   = regexp.MustCompile(`\w{27,}`)
)

// cutNames returns keymap with the long names of its keys cut off.
func cutNames(keymap string) string {
	return symbolList.ReplaceAllStringFunc(keymap, func(list string) string {
		return longName.ReplaceAllStringFunc(list, func(name string) string { return name[:maxName] })
	})
}

// nextRune returns the first place from i on where a character of s begins.
func nextRune(s string, i int) int {
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return i
}
