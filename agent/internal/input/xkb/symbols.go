package xkb

import (
	"strconv"
	"strings"
)

// keycode reads "<AD01> = 24" and "alias <LatQ> = <AD01>".
func keycode(st []token, codes map[string]uint32) {
	if len(st) == 4 && st[0].text == "alias" && st[1].kind == keyName && st[3].kind == keyName {
		if code, ok := codes[st[3].text]; ok {
			codes[st[1].text] = code
		}
		return
	}
	if len(st) == 3 && st[0].kind == keyName {
		if n, err := strconv.ParseUint(st[2].text, 10, 32); err == nil {
			codes[st[0].text] = uint32(n)
		}
	}
}

func (k *Keymap) symbolsStatement(st []token, codes map[string]uint32) {
	switch {
	case st[0].text == "name" && len(st) >= 6 && st[len(st)-1].kind == quoted:
		k.Groups = append(k.Groups, st[len(st)-1].text)
	case st[0].text == "modifier_map" && len(st) > 2:
		mod := realMods[strings.ToLower(st[1].text)]
		for _, t := range block(st) {
			if t.kind == keyName {
				k.modKeys[t.text] = mod
			}
		}
	case st[0].text == "key" && len(st) > 2 && st[1].kind == keyName:
		if code, ok := codes[st[1].text]; ok {
			k.keys = append(k.keys, key{st[1].text, code, keyGroups(block(st))})
		}
	}
}

// keyGroups reads what is in the braces of a key: lists of keysyms with or
// without "symbols[GroupN]=", and "type".
func keyGroups(tokens []token) []group {
	var groups []group
	all := "" // the type of every group
	types := map[int]string{}
	for len(tokens) > 0 {
		item := tokens
		if i := topLevelComma(tokens); i >= 0 {
			item, tokens = tokens[:i], tokens[i+1:]
		} else {
			tokens = nil
		}
		index, value := -1, item
		if eq := assignment(item); eq >= 0 {
			index, value = groupIndex(item[:eq]), item[eq+1:]
		}
		switch {
		case len(item) > 0 && item[0].text == "type" && len(value) == 1:
			if index < 0 {
				all = value[0].text
			} else {
				types[index] = value[0].text
			}
		case len(value) > 0 && isMark(value[0], "[") && (len(item) == len(value) || item[0].text == "symbols"):
			if index < 0 {
				index = len(groups)
			}
			for len(groups) <= index {
				groups = append(groups, group{})
			}
			groups[index].levels = keysyms(value)
		}
	}
	for i := range groups {
		groups[i].typeName = all
		if t, ok := types[i]; ok {
			groups[i].typeName = t
		}
	}
	return groups
}

func topLevelComma(tokens []token) int {
	depth := 0
	for i, t := range tokens {
		if t.kind != mark {
			continue
		}
		switch t.text {
		case "[", "{", "(":
			depth++
		case "]", "}", ")":
			depth--
		case ",":
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

func assignment(item []token) int {
	for i, t := range item {
		if isMark(t, "=") {
			return i
		}
		if i == 0 && t.kind != word {
			return -1
		}
	}
	return -1
}

const maxGroups = 8

// groupIndex reads "symbols [ Group2 ]" as 1; -1 where there is no group.
func groupIndex(tokens []token) int {
	if len(tokens) != 4 {
		return -1
	}
	n, err := strconv.Atoi(strings.TrimPrefix(strings.ToLower(tokens[2].text), "group"))
	if err != nil || n < 1 || n > maxGroups {
		return -1
	}
	return n - 1
}

// keysyms reads "[ a, A, { x, y } ]". Several at one level count as none.
func keysyms(tokens []token) []Keysym {
	var levels []Keysym
	depth := 0
	for _, t := range tokens[1:] {
		switch {
		case isMark(t, "{"):
			depth++
			levels = append(levels, 0)
		case isMark(t, "}"):
			depth--
		case t.kind == word && depth == 0:
			k, _ := ParseKeysym(t.text)
			levels = append(levels, k)
		}
	}
	return levels
}

func (k key) keysym(group, level int) Keysym {
	if group >= len(k.groups) || level >= len(k.groups[group].levels) {
		return 0
	}
	return k.groups[group].levels[level]
}
