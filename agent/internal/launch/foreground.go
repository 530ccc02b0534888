package launch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ErrSeveral means that a process has several terminals, so that nobody can tell
// which of them a window shows.
var ErrSeveral = errors.New("it has several terminals")

// ErrNoTerminal means that a process has no terminal.
var ErrNoTerminal = errors.New("it has no terminal")

// shells are programs that wait for a command to be typed.
var shells = []string{"sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "ash", "nu", "elvish", "xonsh", "tcsh",
	"csh", "pwsh", "oil", "osh"}

// A procStat is what /proc/PID/stat tells.
type procStat struct {
	pid, parent, group, tty, foreground int
	name                                string
}

// parseStat reads /proc/PID/stat. The name is in parentheses and may have any
// character in it.
func parseStat(text string) (procStat, bool) {
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return procStat{}, false
	}
	p := procStat{name: text[open+1 : end]}
	fields := strings.Fields(text[end+1:])
	if len(fields) < 6 {
		return procStat{}, false
	}
	var errs [5]error
	p.pid, errs[0] = strconv.Atoi(strings.TrimSpace(text[:open]))
	p.parent, errs[1] = strconv.Atoi(fields[1])
	p.group, errs[2] = strconv.Atoi(fields[2])
	p.tty, errs[3] = strconv.Atoi(fields[4])
	p.foreground, errs[4] = strconv.Atoi(fields[5])
	return p, errors.Join(errs[:]...) == nil
}

// Foreground returns the name of the program that reads what is typed into the
// terminal of the terminal emulator pid, and whether it is a shell.
func Foreground(pid int) (name string, isShell bool, err error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return "", false, err
	}
	all := map[int]procStat{}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		if p, ok := parseStat(string(text)); ok {
			all[p.pid] = p
		}
	}
	return foreground(all, pid)
}

func foreground(all map[int]procStat, pid int) (name string, isShell bool, err error) {
	own := all[pid].tty
	tty, group := 0, 0
	for _, p := range all {
		if p.tty == 0 || p.tty == own || p.pid == pid || !descends(all, p.pid, pid) {
			continue
		}
		if tty != 0 && p.tty != tty {
			return "", false, ErrSeveral
		}
		tty, group = p.tty, p.foreground
	}
	leader, ok := all[group]
	if tty == 0 || !ok {
		return "", false, ErrNoTerminal
	}
	return leader.name, slices.Contains(shells, leader.name), nil
}

func descends(all map[int]procStat, pid, ancestor int) bool {
	const deepest = 64
	for range deepest {
		if pid == ancestor {
			return true
		}
		p, ok := all[pid]
		if !ok || p.parent <= 1 {
			return false
		}
		pid = p.parent
	}
	return false
}
