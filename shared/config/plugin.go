package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"utter/shared/plugin/protocol"
)

// A Plugin is one [[plugin]].
type Plugin struct {
	ID          string
	Kind        string
	Runtime     string
	Transport   string
	Entrypoint  []string // argv
	Provides    []string
	Requires    []string
	Permissions []string // granted
	Enabled     bool
	Dir         string // working directory, "" is the runner's
	Env         map[string]string
	PassEnv     []string // variables of the runner's own environment
	ReadPaths   []string
	WritePaths  []string
	Settings    map[string]any // what hello carries

	Line  int   // of its header
	Fault error // why it must not be started, or nil
}

// pluginTable is a [[plugin]] as it is written.
type pluginTable struct {
	ID          string            `toml:"id"`
	Kind        *string           `toml:"kind"`
	Runtime     *string           `toml:"runtime"`
	Transport   *string           `toml:"transport"`
	Entrypoint  any               `toml:"entrypoint"`
	Argv        any               `toml:"argv"`
	Provides    []string          `toml:"provides"`
	Requires    []string          `toml:"requires"`
	Permissions []string          `toml:"permissions"`
	Enabled     *bool             `toml:"enabled"`
	Dir         string            `toml:"cwd"`
	Env         map[string]string `toml:"env"`
	PassEnv     []string          `toml:"pass_env"`
	ReadPaths   []string          `toml:"read_paths"`
	WritePaths  []string          `toml:"write_paths"`
	Settings    map[string]any    `toml:"settings"`
}

// Faults are the errors in [[plugin]] tables, joined. Each disables its plugin
// and nothing else.
func (c Config) Faults() error {
	var errs []error
	for _, p := range c.Plugin {
		errs = append(errs, p.Fault)
	}
	return errors.Join(errs...)
}

// decodePlugins reads the [[plugin]] tables, each alone.
func (c *Config) decodePlugins(name string, doc *document) {
	seen := map[string]bool{}
	for _, b := range doc.pluginBlocks() {
		p := doc.plugin(name, b)
		if p.ID != "" && seen[p.ID] {
			twice := &FieldError{File: name, Field: "plugin.id",
				Reason: fmt.Sprintf("is %q, as that of an earlier plugin", p.ID)}
			p.Fault = errors.Join(p.Fault, doc.place(twice, b))
		}
		seen[p.ID] = true
		if slices.Contains(c.Plugins.Disabled, p.ID) {
			p.Enabled = false
		}
		c.Plugin = append(c.Plugin, p)
	}
}

// plugin reads one [[plugin]].
func (d *document) plugin(name string, b block) Plugin {
	var file struct {
		Plugin []pluginTable `toml:"plugin"`
	}
	err := toml.NewDecoder(bytes.NewReader(onlyBytes(d.data, b))).DisallowUnknownFields().Decode(&file)
	if err != nil {
		err = positions(name, err, reflect.TypeOf(file))
	}
	var written pluginTable
	if len(file.Plugin) > 0 {
		written = file.Plugin[0]
	}
	p, reasons := written.plugin()
	p.Line = b.line
	if err == nil {
		for _, r := range reasons {
			r.File = name
			err = errors.Join(err, d.place(r, b))
		}
	}
	p.Fault = err
	return p
}

// place says where in a block an error is: at its key, or else at the header.
func (d *document) place(e *FieldError, b block) *FieldError {
	e.Line, e.Column = b.line, 1
	if key := d.findIn(b, strings.TrimPrefix(e.Field, "plugin.")); key != nil {
		e.Line, e.Column = d.position(key.begin)
	}
	return e
}

// plugin completes what is written and reports what is wrong with it.
func (t pluginTable) plugin() (p Plugin, wrong []*FieldError) {
	bad := func(field, format string, args ...any) {
		wrong = append(wrong, &FieldError{Field: "plugin." + field, Reason: fmt.Sprintf(format, args...)})
	}
	text := func(s *string, otherwise string) string { return *cmp.Or(s, &otherwise) }
	p = Plugin{
		ID: t.ID, Kind: text(t.Kind, protocol.KindAction), Runtime: text(t.Runtime, protocol.RuntimeSubprocess),
		Transport: text(t.Transport, protocol.TransportStdio), Provides: t.Provides, Requires: t.Requires,
		Permissions: t.Permissions,
		Enabled:     t.Enabled == nil || *t.Enabled, Dir: t.Dir, Env: t.Env, PassEnv: t.PassEnv,
		ReadPaths: t.ReadPaths, WritePaths: t.WritePaths, Settings: t.Settings,
	}
	if t.ID == "" {
		bad("id", "is missing")
	} else if err := protocol.CheckID(t.ID); err != nil {
		bad("id", "is wrong: %v", err)
	}
	for _, choice := range []struct {
		field, value string
		known        []string
	}{
		{"kind", p.Kind, protocol.Kinds}, {"runtime", p.Runtime, protocol.Runtimes},
		{"transport", p.Transport, protocol.Transports},
	} {
		if reason := oneOf(choice.value, choice.known); reason != "" {
			bad(choice.field, "%s", reason)
		}
	}
	for _, permission := range p.Permissions {
		if reason := oneOf(permission, protocol.Permissions); reason != "" {
			bad("permissions", "has one that %s", reason)
		}
	}
	p.Entrypoint = t.argv(bad)
	p.checkValues(bad)
	return p, wrong
}

// argv reads entrypoint, or argv, its other name. One text is an argv of one.
func (t pluginTable) argv(bad func(field, format string, args ...any)) (argv []string) {
	field, written := "entrypoint", t.Entrypoint
	if written == nil {
		if written = t.Argv; written != nil {
			field = "argv"
		}
	} else if t.Argv != nil {
		bad("argv", "is another name for entrypoint; write only one of them")
	}
	switch v := written.(type) {
	case string:
		argv = []string{v}
	case []any:
		for _, item := range v {
			s, ok := item.(string)
			if !ok {
				bad(field, "has %v, which is not a string", item)
			}
			argv = append(argv, s)
		}
	case nil:
	default:
		bad(field, "is neither a string nor a list of strings")
		return nil
	}
	if len(argv) == 0 || argv[0] == "" {
		bad(field, "is empty; write the program to start")
	}
	if slices.ContainsFunc(argv, func(s string) bool { return strings.Contains(s, "\x00") }) {
		bad(field, "has a zero byte")
	}
	return argv
}

// checkValues reports what no process can be started with.
func (p Plugin) checkValues(bad func(field, format string, args ...any)) {
	for name, value := range p.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
			bad("env", "has %q, which is not the name of a variable", name)
		}
	}
	for _, name := range p.PassEnv {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			bad("pass_env", "has %q, which is not the name of a variable", name)
		}
	}
	for field, paths := range map[string][]string{"read_paths": p.ReadPaths, "write_paths": p.WritePaths} {
		for _, path := range paths {
			if !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "~/") {
				bad(field, "has %q; write an absolute path, or one that begins with ~/", path)
			}
		}
	}
	if _, err := json.Marshal(p.Settings); err != nil {
		bad("settings", "cannot be written as JSON: %v", err)
	}
}

// A block is where a [[plugin]] is in a file: its tables, in bytes.
type block struct {
	line  int      // of its header, from 1
	parts [][3]int // where each begins and ends, and where its last line ends
}

// pluginBlocks finds the [[plugin]] tables, each with the tables under it, such
// as [plugin.env].
func (d *document) pluginBlocks() (blocks []block) {
	for i, s := range d.sections[1:] {
		if s.path[0] != "plugin" {
			continue
		}
		end := len(d.data)
		if i+2 < len(d.sections) {
			end = d.sections[i+2].first
		}
		if s.array && len(s.path) == 1 || len(blocks) == 0 {
			blocks = append(blocks, block{line: 1 + bytes.Count(d.data[:s.first], []byte("\n"))})
		}
		last := &blocks[len(blocks)-1]
		last.parts = append(last.parts, [3]int{s.first, end, d.nextLine(s.last)})
	}
	return blocks
}

// onlyBytes returns data with all but the blocks blanked, so that lines and
// columns stay what they are.
func onlyBytes(data []byte, keep ...block) []byte {
	text := blank(data)
	for _, b := range keep {
		for _, part := range b.parts {
			copy(text[part[0]:part[1]], data[part[0]:part[1]])
		}
	}
	return text
}

// withoutBytes returns data with the blocks blanked.
func withoutBytes(data []byte, drop []block) []byte {
	text, empty := bytes.Clone(data), blank(data)
	for _, b := range drop {
		for _, part := range b.parts {
			copy(text[part[0]:part[1]], empty[part[0]:part[1]])
		}
	}
	return text
}

func blank(data []byte) []byte {
	text := bytes.Repeat([]byte(" "), len(data))
	for i, c := range data {
		if c == '\n' {
			text[i] = c
		}
	}
	return text
}
