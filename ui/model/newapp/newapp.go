// Package newapp makes a profile for something that is not in the list: an open
// window, a running process, or nothing yet.
package newapp

import (
	"io/fs"
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
		if err != nil || len(line) == 0 {
			continue // a thread of the kernel
		}
		program, _, _ := strings.Cut(string(line), "\x00")
		if name := path.Base(program); name != "" && name != "." && name != "/" {
			byName[name] = Source{ID: name, Name: name, Launch: []string{program}, Label: name, Detail: program}
		}
	}
	var all []Source
	for _, s := range byName {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Source) int { return strings.Compare(a.Label, b.Label) })
	return all
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
	return Source{ID: strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), " ", "-"), Name: strings.TrimSpace(name)}
}

// Create writes the profile of a source; made is called with its id when it is
// there.
func Create(s *session.Session, src Source, made func(id string)) {
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
