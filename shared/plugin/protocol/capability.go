package protocol

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"utter/shared/op"
	"utter/shared/plugin/rpc"
)

// A Capability is a parsed "name@N". It matches only itself: @2 is not @1.
type Capability struct {
	Name    string
	Version int
}

// maxCapability bounds the text of a capability, in bytes.
const maxCapability = 128

var capabilityName = pattern(`^(?:[a-z0-9._-]+(?:/[A-Za-z0-9._-]+)?)$`)

// ParseCapability reads "name@N" and "prefix/Name@N". N has no leading zero.
func ParseCapability(s string) (Capability, error) {
	name, digits, ok := strings.Cut(s, "@")
	n, err := strconv.Atoi(digits)
	switch {
	case len(s) > maxCapability || !ok || !capabilityName().MatchString(name):
		return Capability{}, fmt.Errorf("capability %.80q is not in the form name@N", s)
	case err != nil || strconv.Itoa(n) != digits || n < 0:
		return Capability{}, fmt.Errorf("capability %.80q has no number after the @", s)
	}
	return Capability{name, n}, nil
}

// String returns the form that ParseCapability reads.
func (c Capability) String() string { return c.Name + "@" + strconv.Itoa(c.Version) }

// ActionCapability returns the capability that lets a plugin serve a core op.
func ActionCapability(name string) string { return "action." + BareOp(name) + "@1" }

// registry holds the capabilities with a meaning, each with its provider.
var registry = withCoreOps(map[string]string{
	"stt.pull@1": "plugin", "stt.push@1": "plugin", "stt.streaming@1": "plugin",
	"llm.complete@1": "plugin", "llm.choose@1": "plugin", "llm.stream@1": "plugin",
	"router.plan@1":           "plugin",
	"perception.screenshot@1": "plugin", "perception.a11y@1": "plugin", "perception.vision_ground@1": "plugin",
	"action.quicknote@1": "plugin",
	"tts.speak@1":        "plugin",
	"context.live@1":     "plugin",
	"ui.render@1":        "plugin",
	"audio.pcm_f32le@1":  "plugin", "audio.rate.16000@1": "plugin", "audio.channels.1@1": "plugin",
	"host.audio.ringbuffer@1": "runner", "host.fd.pass@1": "runner", "fs.tmp@1": "runner",
	"experimental/UiCustom@1": "plugin",
})

// withCoreOps adds the capability of every core op.
func withCoreOps(all map[string]string) map[string]string {
	for _, spec := range op.Specs() {
		all[ActionCapability(string(spec.Name))] = "plugin"
	}
	return all
}

// Capabilities returns every known capability, sorted.
func Capabilities() []string { return slices.Sorted(maps.Keys(registry)) }

// RunnerProvides returns what the runner itself provides, sorted.
func RunnerProvides() []string {
	return slices.DeleteFunc(Capabilities(), func(c string) bool { return registry[c] != "runner" })
}

// KnownCapability reports whether s is known or experimental.
func KnownCapability(s string) bool {
	_, known := registry[s]
	return known || strings.HasPrefix(s, "experimental/")
}

// An Entry is what the configuration says about a plugin.
type Entry struct {
	Provides, Requires, Permissions []string
}

// An Agreement is the result of merging hello with the configuration entry.
// Lists are sorted.
type Agreement struct {
	Provides, Requires []string // the union of both
	Unknown            []string // of them: a warning, no refusal
	Granted            []string // permissions of the entry: it alone grants
	NotGranted         []string // permissions that hello names besides
}

// Negotiate merges a plugin's hello with its entry.
func Negotiate(hello HelloResult, entry Entry) Agreement {
	a := Agreement{
		Provides: union(hello.Provides, entry.Provides),
		Requires: union(hello.Requires, entry.Requires),
		Granted:  union(entry.Permissions, nil),
	}
	a.Unknown = slices.DeleteFunc(union(a.Provides, a.Requires), KnownCapability)
	a.NotGranted = slices.DeleteFunc(union(hello.Permissions, nil), func(p string) bool {
		return slices.Contains(a.Granted, p)
	})
	return a
}

// Missing returns what a requires and neither a nor the runner nor the others
// provide, sorted.
func (a Agreement) Missing(others ...[]string) []string {
	there := union(slices.Concat(others...), slices.Concat(a.Provides, RunnerProvides()))
	return slices.DeleteFunc(slices.Clone(a.Requires), func(r string) bool { return slices.Contains(there, r) })
}

// Resolve decides which plugins can run together, in any order and with
// circular requirements: it leaves out those whose requirements no remaining
// plugin provides. It returns what each of these lacks.
func Resolve(plugins map[string]Agreement) (missing map[string][]string) {
	missing = map[string][]string{}
	for {
		var there []string
		for id, a := range plugins {
			if missing[id] == nil {
				there = append(there, a.Provides...)
			}
		}
		lost := false
		for id, a := range plugins {
			if lacks := a.Missing(there); len(lacks) > 0 && missing[id] == nil {
				missing[id], lost = lacks, true
			}
		}
		if !lost {
			return missing
		}
	}
}

// CheckHello reads the answer to protocol.hello. What is malformed or of
// another version is -32004, for the protocol with data {negotiated}.
func CheckHello(result json.RawMessage) (HelloResult, error) {
	var h HelloResult
	members, err := rpc.Members(result)
	if err != nil {
		return h, Errorf(CodeIncompatible, "the answer to hello is not an object")
	}
	for _, m := range members {
		if m.Name == "protocol" && string(m.Value) != `"`+Version+`"` {
			return h, Errorf(CodeIncompatible, "the plugin speaks protocol %.40s, the runner %s", m.Value,
				Version).With(Data{Negotiated: m.Value})
		}
	}
	if err := rpc.Unmarshal(result, &h); err != nil {
		return HelloResult{}, Errorf(CodeIncompatible, "the answer to hello is malformed: %v", err)
	}
	switch {
	case h.Protocol != Version:
		return HelloResult{},
			Errorf(CodeIncompatible, "the answer to hello has no protocol").With(Data{Negotiated: h.Protocol})
	case h.ABI != ABI:
		return HelloResult{}, Errorf(CodeIncompatible, "the plugin has abi %d, the runner %d", h.ABI,
			ABI).With(Data{Negotiated: h.ABI})
	}
	return h, nil
}

// union returns the members of a and b, sorted, each once, never nil.
func union(a, b []string) []string {
	all := append(make([]string, 0, len(a)+len(b)), a...)
	all = append(all, b...)
	slices.Sort(all)
	return slices.Compact(all)
}
