package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"utter/shared/protocol"
)

// Mistakes takes apart what Load, Decode and Faults return: every mistake alone,
// in the order of the file. What has no place in the file has a Reason alone.
func Mistakes(err error) (all []*FieldError) {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			all = append(all, Mistakes(e)...)
		}
		slices.SortStableFunc(all, func(a, b *FieldError) int { return a.Line - b.Line })
		return all
	}
	var field *FieldError
	if !errors.As(err, &field) {
		field = &FieldError{Reason: err.Error()}
	}
	return []*FieldError{field}
}

// A Warning is something that a valid configuration may not be meant to say.
type Warning struct {
	Line int // of the [[plugin]] that it is about; 0 where it is about none
	Text string
}

// Warnings looks for what may not be meant. It looks at folders that the
// configuration names.
func (c Config) Warnings() (list []Warning) {
	warn := func(line int, format string, args ...any) {
		list = append(list, Warning{line, fmt.Sprintf(format, args...)})
	}
	if len(c.Plugin) == 0 {
		warn(0, "there are no plugins")
	}
	for _, p := range c.Plugin {
		if p.Runtime != protocol.RuntimeSubprocess {
			warn(p.Line, "plugin %s: runtime %s is not supported; it will not run", p.ID, p.Runtime)
		}
		if p.Dir != "" {
			if info, err := os.Stat(p.Dir); err != nil || !info.IsDir() {
				warn(p.Line, "plugin %s: cwd %s is no folder", p.ID, p.Dir)
			}
		}
		for _, s := range slices.Concat(p.Provides, p.Requires) {
			if !protocol.KnownCapability(s) {
				warn(p.Line, "plugin %s: nobody knows the capability %s", p.ID, s)
			}
		}
	}
	if c.Socket == nil {
		return list
	}
	if c.Socket.AdmitsNobody() {
		warn(0, "[socket] admits nobody: default-deny will reject all clients")
	}
	for _, name := range c.Socket.AllowBinaries {
		if !filepath.IsAbs(name) {
			warn(0, "[socket] allow_binaries: %s admits every program of that name; write its path", name)
		}
	}
	return list
}
