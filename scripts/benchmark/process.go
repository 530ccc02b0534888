package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// status sums /proc/PID/task/*/status up; memory is the process's own.
func status(pid int) (map[string]int, error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no process %d: %v", pid, err)
	}
	sum := map[string]int{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // a thread that has ended
		}
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(line, ":")
			fields := strings.Fields(value)
			if len(fields) == 0 {
				continue
			}
			n, err := strconv.Atoi(fields[0])
			switch {
			case err != nil:
			case name == "voluntary_ctxt_switches":
				sum[name] += n
			case name == "VmRSS":
				sum[name] = n
			}
		}
	}
	return sum, nil
}

var pss = regexp.MustCompile(`(?m)^Pss: +(\d+) kB`)

// proportional returns the bytes that a process has in memory, of shared ones
// its share.
func proportional(pid int) (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	m := pss.FindSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("no Pss in %s", text)
	}
	kB, err := strconv.Atoi(string(m[1]))
	return kB << 10, err
}

func megabytes(pid int) (float64, error) {
	n, err := proportional(pid)
	return float64(n) / (1 << 20), err
}

// ofEachChild returns what each of the n children of a process has in memory.
func ofEachChild(pid, n int) (float64, error) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return 0, err
	}
	sum, count := 0.0, 0
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // a thread that has ended
		}
		for _, child := range strings.Fields(string(text)) {
			id, err := strconv.Atoi(child)
			if err != nil {
				return 0, err
			}
			mb, err := megabytes(id)
			if err != nil {
				return 0, err
			}
			sum, count = sum+mb, count+1
		}
	}
	if count != n {
		return 0, fmt.Errorf("the runner has %d children, not %d", count, n)
	}
	return sum / float64(n), nil
}
