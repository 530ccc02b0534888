package plugin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"utter/shared/plugin/protocol"
)

// A Plugin describes a plugin and what it offers. The package answers the
// runner's questions about it from these fields.
type Plugin struct {
	ID      string // as in its manifest
	Version string // "1.2.3"; "0.0.0" if empty
	Kind    string // if empty: router, action or bundle, by what it does

	Ops     []Op
	Streams []Stream
	Methods []Method
	// Route turns an utterance into steps, of its own ops or any others. No steps
	// and no error mean that the utterance is not for this plugin. It may run
	// while an op runs.
	Route func(ctx context.Context, said Utterance) ([]Step, error)
	// Desktop answers context.snapshot, for a plugin that watches the desktop.
	// Nil sources are all.
	Desktop func(ctx context.Context, sources []string) (Snapshot, error)

	// Provides are capabilities besides those that follow from the above.
	Provides []string
	Requires []string // capabilities without which it cannot work
	// Permissions are the ones it requests. The user decides whether to grant them.
	Permissions []string

	// Settings points to a struct with the defaults. The user's settings
	// override them before Start; an unknown setting stops the plugin and is
	// reported to the user.
	Settings any
	// Start runs once, before anything else. Its error tells the user why the
	// plugin cannot be used.
	Start func(ctx context.Context) error
	// Run runs from the start until its ctx ends, for work in the background.
	// Its error ends the plugin; nil does not.
	Run func(ctx context.Context) error
	// Health reports a problem: the plugin is still used, but shown as degraded.
	Health func(ctx context.Context) error
}

// An Op is an operation of a plugin. One runs at a time.
type Op struct {
	Name string // "note", or "shop.order"; a core op only if the user allows it
	Doc  string // what it does, in a sentence
	// SideEffect is a word for what it changes; the name if empty.
	SideEffect string
	Confirm    bool // the user is asked first, each time
	Do         Func // made by Do
}

// A Stream reports something as it happens, to any number of subscribers.
type Stream struct {
	Name string // "shop.prices"
	Feed Feeder // made by Feed
}

// A Method is any other method that can be called, such as tts.speak. Its
// result is passed to the caller unchanged.
type Method struct {
	Name string
	Do   Func // made by Do
}

// A Step is a step of the plan of a router.
type Step struct {
	Op         string
	Args       any  // encoded as a JSON object; nil is an empty one
	Confirm    bool // the user is asked first
	FromScreen bool // Args was read from the screen: the step will be refused
}

// An Utterance is what the user said or typed.
type Utterance struct {
	Text       string
	FromScreen bool            // not from the user: no step with arguments is carried out
	Context    json.RawMessage // an object, or nil: what the runner reports about the desktop
}

// After returns what follows the given words at the beginning of u. It ignores
// case, and spaces and punctuation after a word: "note" is at the beginning of
// "Note: buy milk", but not of "notes".
func (u Utterance) After(words string) (rest string, ok bool) {
	rest = strings.TrimSpace(u.Text)
	for _, want := range strings.Fields(words) {
		word, after := rest, ""
		if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
			word, after = rest[:i], strings.TrimSpace(rest[i:])
		}
		if !strings.EqualFold(strings.TrimRight(word, ",:;.!?"), want) {
			return "", false
		}
		rest = after
	}
	return rest, true
}

// Types of the protocol that are used unchanged.
type (
	Snapshot = protocol.Snapshot
	Window   = protocol.Window
	Monitor  = protocol.Monitor
)

var (
	semver   = regexp.MustCompile(`^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$`)
	wireName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]{0,127}$`)
)

// check reports every error of the author's.
func (p *Plugin) check() error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("plugin %s: %w", cmp.Or(p.ID, "without an ID"), fmt.Errorf(format, args...)))
	}
	if err := protocol.CheckID(p.ID); err != nil {
		bad("ID %w", err)
	}
	if p.Version != "" && !semver.MatchString(p.Version) {
		bad("Version %q is not written like 1.2.3", p.Version)
	}
	if p.Kind != "" && !slices.Contains(protocol.Kinds, p.Kind) {
		bad("Kind %q is not one of %s", p.Kind, strings.Join(protocol.Kinds, ", "))
	}
	seen := map[string]bool{}
	named := func(what, name string, err error) {
		switch {
		case !wireName.MatchString(name):
			bad("%s %q has an invalid name", what, name)
		case seen[what+name]:
			bad("%s %s is declared twice", what, name)
		case err != nil:
			bad("%s %s: %w", what, name, err)
		}
		seen[what+name] = true
	}
	for _, o := range p.Ops {
		named("op", o.Name, o.check())
	}
	for _, s := range p.Streams {
		named("stream", s.Name, s.Feed.check())
	}
	for _, m := range p.Methods {
		err := m.Do.check()
		if _, taken := p.own()[m.Name]; taken {
			err = errors.New("is already handled")
		}
		named("method", m.Name, err)
	}
	for _, c := range slices.Concat(p.Provides, p.Requires) {
		if _, err := protocol.ParseCapability(c); err != nil {
			bad("%w", err)
		}
	}
	for _, name := range p.Permissions {
		if !slices.Contains(protocol.Permissions, name) {
			bad("permission %q is not one of %s", name, strings.Join(protocol.Permissions, ", "))
		}
	}
	if p.Settings != nil {
		if v := reflect.ValueOf(p.Settings); v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
			bad("Settings is not a pointer to a struct")
		} else if _, err := schemaOf(v.Type().Elem()); err != nil {
			bad("Settings: %w", err)
		}
	}
	return errors.Join(errs...)
}

func (o Op) check() error {
	if err := o.Do.check(); err != nil {
		return err
	}
	if text, err := json.Marshal(o.schema()); err != nil || len(text) > protocol.MaxSchema {
		return fmt.Errorf("its arguments take more than %d bytes to describe", protocol.MaxSchema)
	}
	return nil
}

// hello is the answer to protocol.hello.
func (p *Plugin) hello(transport string) protocol.HelloResult {
	provides := slices.Clone(p.Provides)
	if p.Route != nil {
		provides = append(provides, "router.plan@1")
	}
	if p.Desktop != nil {
		provides = append(provides, "context.live@1")
	}
	for _, o := range p.Ops {
		if c := protocol.ActionCapability(o.Name); protocol.IsCoreOp(o.Name) || protocol.KnownCapability(c) {
			provides = append(provides, c)
		}
	}
	return protocol.HelloResult{
		Protocol: protocol.Version, ABI: protocol.ABI, Transport: transport,
		Plugin:   protocol.PluginInfo{Name: p.ID, Version: cmp.Or(p.Version, "0.0.0"), Kind: p.kind()},
		Provides: set(provides), Requires: set(p.Requires), Permissions: set(p.Permissions),
	}
}

func (p *Plugin) kind() string {
	switch {
	case p.Kind != "":
		return p.Kind
	case p.Route != nil && len(p.Ops)+len(p.Streams)+len(p.Methods) == 0:
		return protocol.KindRouter
	case p.Route == nil && len(p.Ops) > 0:
		return protocol.KindAction
	}
	return protocol.KindBundle
}

// ops is the answer to action.capabilities.
func (p *Plugin) ops() protocol.CapabilitiesResult {
	all := protocol.CapabilitiesResult{Ops: []protocol.OpInfo{}}
	for _, o := range p.Ops {
		args, _ := json.Marshal(o.schema()) // check has tried it
		all.Ops = append(all.Ops, protocol.OpInfo{
			Op: o.Name, SideEffect: cmp.Or(o.SideEffect, o.Name), NeedsConfirm: o.Confirm, Args: args,
		})
	}
	return all
}

// schema is that of the arguments, with what the op does.
func (o Op) schema() schema {
	s := *o.Do.args
	s.Description = cmp.Or(o.Doc, s.Description)
	return s
}

// set returns list sorted, each once, never nil.
func set(list []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(append([]string{}, list...))))
}
