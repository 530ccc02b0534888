// Package terminal knows terminal programs by name. It does not read profiles, which can
// override this for a window, and it starts nothing.
package terminal

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"utter/data"
)

// table is data/terminals.json.
var table = sync.OnceValue(func() (t struct {
	AppIDs []string            `json:"app_ids"`
	Exec   map[string][]string // by program
	ids    map[string]bool     // in lower case
}) {
	text, err := data.FS.ReadFile("terminals.json")
	if err == nil {
		err = json.Unmarshal(text, &t)
	}
	if err != nil {
		panic(fmt.Sprintf("terminals.json: %v", err)) // it is built in
	}
	t.ids = map[string]bool{}
	for _, id := range t.AppIDs {
		t.ids[strings.ToLower(id)] = true
	}
	return t
})

// Is reports whether app, the app id of windows or the id of an application, is that of
// a terminal: it is a known one, or ends in the name of a terminal's program, as in
// "org.kde.konsole", or in "terminal".
func Is(app string) bool {
	app = strings.TrimSuffix(strings.ToLower(app), ".desktop")
	last := app[strings.LastIndexByte(app, '.')+1:]
	_, isProgram := table().Exec[last]
	return table().ids[app] || isProgram || strings.HasSuffix(last, "terminal")
}

// IsProgram reports whether a process of this name is a terminal. Packages call it
// .foot-wrapped or gnome-terminal-server, and the kernel cuts a name at 15 bytes.
func IsProgram(name string) bool {
	name = strings.TrimPrefix(strings.ToLower(name), ".")
	for _, end := range []string{"-wrapped", "-server", "-gui", "-bin", ".real", ".bin", "-"} {
		name = strings.TrimSuffix(name, end)
	}
	_, isProgram := table().Exec[name]
	return isProgram || table().ids[name] || strings.HasSuffix(name, "terminal")
}

// Exec returns what is between a terminal's program and the command that it is to
// run.
func Exec(program string) []string {
	if words, ok := table().Exec[program]; ok {
		return words
	}
	return []string{"-e"}
}
