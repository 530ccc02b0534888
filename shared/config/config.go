// Package config reads Utter's configuration file. It is strict: an unknown
// key, a wrong type or a bad value is an error that says where it is and what to
// write. A missing file means the defaults.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"utter/shared/op"
	"utter/shared/plugin/protocol"
	"utter/shared/spell"
	"utter/shared/typing"
)

// A Config is the whole configuration. Every value of a Config from Load is
// valid.
type Config struct {
	Agent  Agent  `toml:"agent"`
	Search Search `toml:"search"`
	Policy Policy `toml:"policy"`

	// The plugin runner's own tables.
	Runner   Runner   `toml:"runner"`
	Socket   *Socket  `toml:"socket"` // nil without the table
	Security Security `toml:"security"`
	Plugins  Plugins  `toml:"plugins"`
	Plugin   []Plugin `toml:"-"` // [[plugin]], in order; those with a Fault too

	// Notices say what is valid but may not be meant, or has another name by now.
	Notices []*FieldError `toml:"-"`
}

// Agent is the table [agent].
type Agent struct {
	// TypeWith is how text is typed.
	TypeWith typing.Way `toml:"type_with"`
}

// Search is the table [search].
type Search struct {
	// Engine is a site that can be searched, or an address with {q} in it.
	Engine string `toml:"engine"`
}

// Policy is the table [policy].
type Policy struct {
	// EnabledOps are the operations that are off by default and may run, after confirmation, in the agent and in the
	// plugin runner. DisabledOps are those that no plugin may ask for; they win.
	EnabledOps  []string `toml:"enabled_ops"`
	DisabledOps []string `toml:"disabled_ops"`
	// OldEnabledOps is what EnabledOps was called. A Config from Load has its entries in EnabledOps.
	OldEnabledOps []string `toml:"enable_ops"`
	// ConfirmOps are further operations that must be confirmed.
	ConfirmOps []string `toml:"confirm_ops"`
	// RequireConfirm are words that must be confirmed in what is clicked.
	RequireConfirm []string `toml:"require_confirm"`
}

// Default returns the configuration of a user who has none: every dangerous
// operation is off.
func Default() Config {
	return Config{
		Agent:  Agent{TypeWith: typing.Auto},
		Search: Search{Engine: "google"},
		Policy: Policy{RequireConfirm: []string{"send", "delete", "purchase", "pay", "confirm order"}},
		Runner: Runner{
			RPCTimeoutMS: 10_000, ConfirmTimeoutMS: 30_000, HandleTTL: 300,
			LossyQueue: protocol.DefaultLossy, CreditWindow: protocol.DefaultCredit,
		},
		Security: Security{Enforce: "auto"},
	}
}

// A FieldError describes an error in a configuration file.
type FieldError struct {
	File   string
	Line   int // from 1; 0 where it is not known
	Column int
	Field  string // "policy.enable_ops", or ""
	Reason string
}

func (e *FieldError) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", where, e.Line, e.Column)
	}
	if e.Field != "" {
		where += ": " + e.Field
	}
	return where + " " + e.Reason
}

// maxFile bounds the file, in bytes.
const maxFile = 1 << 20

// Load reads the file at path. A file that is not there gives the defaults; one
// that is wrong is an error, with the defaults as the Config.
func Load(path string) (Config, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Default(), nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxFile) {
		err = errors.New("is not a regular file of at most 1 MiB")
	}
	if err != nil {
		return Default(), fmt.Errorf("configuration %s: %w", path, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Default(), fmt.Errorf("configuration: %w", err)
	}
	return Decode(path, data)
}

// Decode reads a configuration whose file is called name. It reports every
// error, joined; those of a [[plugin]] are its Fault.
func Decode(name string, data []byte) (Config, error) {
	c := Default()
	doc, err := parse(data)
	var blocks []block
	if err == nil { // else the decoder says where it is not TOML
		blocks = doc.pluginBlocks()
	}
	d := toml.NewDecoder(bytes.NewReader(withoutBytes(data, blocks))).DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return Default(), positions(name, err, reflect.TypeFor[Config]())
	}
	if err := c.check(name, doc); err != nil {
		return Default(), err
	}
	c.decodePlugins(name, doc)
	return c, nil
}

// positions turns what the TOML library says of a file that is to be a known
// into FieldErrors.
func positions(name string, err error, known reflect.Type) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) {
		var errs []error
		for _, e := range unknown.Errors {
			line, column := e.Position()
			key := strings.Join(e.Key(), ".")
			reason := "is unknown"
			if key == "plugin" {
				reason = "is not a table; write each plugin as its own table, [[plugin]]"
			} else if near := spell.Nearest(key, keys(known, "")); near != "" {
				reason = fmt.Sprintf("is unknown; did you mean %q?", near)
			}
			errs = append(errs, &FieldError{name, line, column, key, reason})
		}
		return errors.Join(errs...)
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		line, column := wrong.Position()
		return &FieldError{name, line, column, strings.Join(wrong.Key(), "."), typeMistake(strings.TrimPrefix(wrong.Error(), "toml: "))}
	}
	return &FieldError{name, 0, 0, "", err.Error()}
}

// keys lists the known keys, dotted.
func keys(t reflect.Type, prefix string) []string {
	var all []string
	for f := range t.Fields() {
		name, under := f.Tag.Get("toml"), f.Type
		if name == "-" {
			continue
		}
		key := prefix + name
		all = append(all, key)
		for under.Kind() == reflect.Pointer || under.Kind() == reflect.Slice {
			under = under.Elem()
		}
		if under.Kind() == reflect.Struct {
			all = append(all, keys(under, key+".")...)
		}
	}
	return all
}

// check reports every bad value, at its key, and completes the rest.
func (c *Config) check(name string, doc *document) error {
	var errs []error
	at := func(field, format string, args ...any) *FieldError {
		e := &FieldError{File: name, Field: field, Reason: fmt.Sprintf(format, args...)}
		if key := doc.find(strings.Split(field, ".")); key != nil {
			e.Line, e.Column = doc.position(key.begin)
		}
		return e
	}
	bad := func(field, format string, args ...any) { errs = append(errs, at(field, format, args...)) }
	notice := func(field, format string, args ...any) { c.Notices = append(c.Notices, at(field, format, args...)) }
	if !c.Agent.TypeWith.Known() {
		bad("agent.type_with", "is %q; write one of %s", c.Agent.TypeWith, typing.Choices())
	}
	if c.Search.Engine == "" {
		bad("search.engine", "is empty; write the name of a site, such as google, or an address that contains {q}")
	}
	c.Policy.check(bad, notice)
	c.checkRunner(bad)
	return errors.Join(errs...)
}

// check reports bad values and completes the rest.
func (p *Policy) check(bad, notice func(field, format string, args ...any)) {
	for _, name := range p.OldEnabledOps {
		if !op.Off(op.Bare(name)) {
			bad("policy.enable_ops", "has %q, which is not an operation that is disabled by default", name)
		}
	}
	for _, name := range p.EnabledOps {
		if !op.Off(op.Bare(name)) {
			notice("policy.enabled_ops", "has %q, which has no effect: only %s are disabled by default", name, offByDefault())
		}
	}
	for _, name := range p.ConfirmOps {
		if !op.Known(op.Name(name)) {
			bad("policy.confirm_ops", "has %q, which is not an operation", name)
		}
	}
	if p.OldEnabledOps != nil {
		notice("policy.enable_ops", "is the old name of enabled_ops; move its entries there and delete it")
	}
	for _, name := range p.OldEnabledOps {
		if !slices.Contains(p.EnabledOps, name) {
			p.EnabledOps = append(p.EnabledOps, name)
		}
	}
}

// offByDefault names the operations that are disabled by default.
func offByDefault() string {
	var names []string
	for _, spec := range op.Specs() {
		if spec.Off {
			names = append(names, string(spec.Name))
		}
	}
	return strings.Join(names, " and ")
}

// wrongType is what the TOML library says of a value of another type.
var wrongType = regexp.MustCompile(`^cannot decode TOML (\w+) into .* of type (\S+)$`)

// typeMistake says without Go's names what a value should be.
func typeMistake(said string) string {
	m := wrongType.FindStringSubmatch(said)
	if m == nil {
		return said
	}
	want := map[string]string{
		"[]string": `a list, such as ["one", "two"]`, "string": "text in quotes", "bool": "true or false", "int": "a whole number",
	}[m[2]]
	if want == "" {
		return said
	}
	return fmt.Sprintf("is a TOML %s; write %s", m[1], want)
}
