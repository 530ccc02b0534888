// Package newapp creates a profile for an application that is not in the list: from
// an open window, a running process, or from scratch.
package newapp

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"utter/shared/profile"
	"utter/ui/model/session"
	"utter/ui/model/tr"
	"utter/ui/model/try"
)

// A Source is something that a profile can be made from.
type Source struct {
	ID     string // of the new application
	Name   string
	AppID  string   // of its windows, or ""
	Launch []string // or nil
	Label  string
	Detail string
}

// Windows are the open windows that belong to no application yet.
func Windows(all []try.Window) []Source {
	var sources []Source
	for _, w := range all {
		w.AppID, w.Title = text(w.AppID), text(w.Title)
		if w.App != "" || w.AppID == "" || slices.ContainsFunc(sources, func(s Source) bool { return s.AppID == w.AppID }) {
			continue
		}
		sources = append(sources, Source{ID: w.AppID, Name: w.AppID, AppID: w.AppID, Label: w.Label(), Detail: w.AppID})
	}
	return sources
}

// Processes are the programs that run for user uid, once each, by name. proc is
// /proc. What cannot be read is passed over: processes end at any time.
func Processes(proc fs.FS, uid int) []Source {
	items, err := fs.ReadDir(proc, ".")
	if err != nil {
		return nil
	}
	byName := map[string]Source{}
	for _, item := range items {
		if _, err := strconv.Atoi(item.Name()); err != nil || !owned(proc, item.Name(), uid) {
			continue
		}
		line, err := fs.ReadFile(proc, path.Join(item.Name(), "cmdline"))
		if err != nil {
			continue
		}
		if argv := command(text(string(line))); len(argv) > 0 {
			name := path.Base(argv[len(argv)-1])
			if background(argv[len(argv)-1]) {
				continue
			}
			byName[name] = Source{ID: name, Name: name, Launch: argv, Label: name, Detail: strings.Join(argv, " ")}
		}
	}
	all := slices.Collect(maps.Values(byName))
	slices.SortFunc(all, func(a, b Source) int { return strings.Compare(a.Label, b.Label) })
	return all
}

// background reports whether a program is none that has windows: a helper of
// other programs, a shell, or a script that has no file.
func background(program string) bool {
	name := path.Base(program)
	return interprets(name) || strings.Contains(program, "/libexec/") || strings.HasPrefix(program, "/dev/") ||
		strings.HasPrefix(name, "dbus-")
}

// text is what others wrote, without what is not a text.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// command is what starts a program again: its name without arguments, which are
// of that one run, or an interpreter and its script. It is nil for a thread of
// the kernel.
func command(line string) []string {
	program, rest, _ := strings.Cut(line, "\x00")
	program, _, _ = strings.Cut(program, " -") // some write all of it as one
	program = strings.TrimPrefix(program, "-") // of a login shell
	switch path.Base(program) {
	case ".", "/":
		return nil
	}
	if script, _, _ := strings.Cut(rest, "\x00"); interprets(path.Base(program)) && path.IsAbs(script) {
		return []string{program, script}
	}
	return []string{program}
}

// interprets reports whether a program runs others that are scripts.
func interprets(program string) bool {
	name := strings.TrimRight(program, "0123456789.")
	return slices.Contains([]string{"python", "perl", "ruby", "node", "bash", "sh", "gjs", "gjs-console", "lua"}, name)
}

// owned reports whether a process is of user uid.
func owned(proc fs.FS, pid string, uid int) bool {
	status, err := fs.ReadFile(proc, path.Join(pid, "status"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "Uid:"); ok {
			fields := strings.Fields(rest)
			return len(fields) > 0 && fields[0] == strconv.Itoa(uid)
		}
	}
	return false
}

// Empty is a source of nothing but a name.
func Empty(name string) Source {
	words := strings.Fields(text(name))
	return Source{ID: strings.ToLower(strings.Join(words, "-")), Name: strings.Join(words, " ")}
}

// Create writes the profile of a source; made is called with its id when it is
// active. An application that there is already stays as it is.
func Create(s *session.Session, src Source, made func(id string)) {
	if src.ID == "" {
		return
	}
	if lib := s.Library(); lib != nil && lib.Explain(src.ID).Profile != nil {
		made(src.ID)
		return
	}
	sets := []session.Set{{Path: []string{"name"}, Value: src.Name}}
	if src.AppID != "" {
		sets = append(sets, session.Set{Path: []string{"app_ids"}, Value: []string{src.AppID}})
	}
	if len(src.Launch) > 0 {
		sets = append(sets, session.Set{Path: []string{"launch"}, Value: src.Launch})
	}
	s.Save(session.Edit{App: src.ID, Kind: profile.Other, Label: tr.T("Added %s", src.Name), Sets: sets}, func(err error) {
		if err == nil {
			made(src.ID)
		}
	})
}
