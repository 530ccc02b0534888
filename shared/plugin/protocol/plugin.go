package protocol

import (
	"encoding/json"
	"strings"
)

// Methods that the runner calls on a plugin.
const (
	MethodHello              = "protocol.hello"
	MethodDescribe           = "plugin.describe"
	MethodHealth             = "plugin.health"
	MethodRouterPlan         = "router.plan"
	MethodActionCapabilities = "action.capabilities"
	MethodActionInvoke       = "action.invoke"
	MethodContextSnapshot    = "context.snapshot"
	MethodShutdown           = "shutdown"
)

// An Access says how runner.invoke treats a method.
type Access int

// The zero Access polices.
const (
	AccessPoliced Access = iota // as an op of that name that must be in describe.methods
	AccessInvoke                // action.invoke: as the op in its params
	AccessFree                  // passes without provenance
	AccessRunner                // handle.create: the runner serves it
	AccessRefused               // -32601
)

// InvokeAccess says how runner.invoke treats method.
func InvokeAccess(method string) Access {
	prefix := func(p string) bool { return strings.HasPrefix(method, p) }
	switch {
	case method == MethodHandleCreate:
		return AccessRunner
	case method == MethodActionInvoke:
		return AccessInvoke
	case prefix("protocol.") || method == "plugin.hello" || method == MethodDescribe || method == MethodShutdown ||
		prefix("stream.") || prefix("handle.") || prefix("$/"):
		return AccessRefused
	case method == MethodRouterPlan || method == MethodActionCapabilities || method == MethodContextSnapshot ||
		method == MethodHealth || prefix("llm."):
		return AccessFree
	}
	return AccessPoliced
}

// HelloParams opens the handshake: protocol.hello.
type HelloParams struct {
	Protocol string         `json:"protocol"`
	ABI      int            `json:"abi"`
	Runner   string         `json:"runner"` // its name and version, for people
	Epoch    int            `json:"epoch"`  // from 0, one more at each restart
	Settings map[string]any `json:"settings,omitempty"`
}

// HelloResult is the plugin's answer. Read it with CheckHello.
type HelloResult struct {
	Protocol    string     `json:"protocol"`
	ABI         int        `json:"abi"`
	Plugin      PluginInfo `json:"plugin,omitzero"`     // informational
	Transport   string     `json:"transport,omitempty"` // informational
	Provides    []string   `json:"provides"`            // capabilities, "name@N"
	Requires    []string   `json:"requires"`
	Permissions []string   `json:"permissions"` // what it would like; the entry grants
}

// PluginInfo identifies a plugin, for people.
type PluginInfo struct {
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	Kind    string `json:"kind,omitempty"`
}

// DescribeResult is the answer to plugin.describe.
type DescribeResult struct {
	Methods []string `json:"methods"`
	Streams []string `json:"streams"`
}

// HealthResult is the answer to plugin.health. Any status but "ok" is degraded.
type HealthResult struct {
	Status string `json:"status"`
	Detail string `json:"detail"`
}

// PlanParams asks a router: router.plan.
type PlanParams struct {
	Utterance  string          `json:"utterance"`
	Provenance Provenance      `json:"provenance,omitempty"`
	Context    json.RawMessage `json:"context,omitempty"` // an object
	Timeout    Timeout         `json:"timeout_ms,omitempty"`
}

// PlanResult is a router's answer. No plan is no steps. To a client the runner
// says which plugin gave them.
type PlanResult struct {
	Steps  []Step `json:"steps"`
	Plugin string `json:"plugin,omitempty"`
}

// A Step is one op of a plan.
type Step struct {
	Op         string          `json:"op"`
	Args       json.RawMessage `json:"args,omitempty"` // an object; absent is empty
	Provenance Provenance      `json:"provenance,omitempty"`
	Confirm    bool            `json:"confirm,omitempty"` // ask the user first
}

// CapabilitiesResult is the answer to action.capabilities.
type CapabilitiesResult struct {
	Ops []OpInfo `json:"ops"`
}

// An OpInfo describes an op that a plugin serves.
type OpInfo struct {
	Op           string          `json:"op"`
	SideEffect   string          `json:"side_effect"`
	NeedsConfirm bool            `json:"needs_confirm"`  // a hint that is not trusted: it may only add
	Args         json.RawMessage `json:"args,omitempty"` // JSON Schema 2020-12
}

// InvokeParams carries out an op: action.invoke.
type InvokeParams struct {
	Op         string          `json:"op"`
	Args       json.RawMessage `json:"args"` // an object
	Provenance Provenance      `json:"provenance,omitempty"`
	Confirm    bool            `json:"confirm,omitempty"`
	Timeout    Timeout         `json:"timeout_ms,omitempty"`
}

// InvokeResult is a plugin's result of an op. It may have further members,
// which are passed on.
type InvokeResult struct {
	OK      *bool  `json:"ok,omitempty"` // absent is true
	Op      string `json:"op,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Message string `json:"message,omitempty"` // read where detail is absent
}

// Succeeded reports ok, which counts as true if absent.
func (r InvokeResult) Succeeded() bool { return r.OK == nil || *r.OK }

// Text returns the detail, or else the message.
func (r InvokeResult) Text() string {
	if r.Detail != "" {
		return r.Detail
	}
	return r.Message
}

// SnapshotParams asks for the state of the desktop: context.snapshot and
// host.context.
type SnapshotParams struct {
	Sources []string `json:"sources,omitempty"`
}

// A Snapshot is the state of the desktop. Titles and the clipboard are screen
// text.
type Snapshot struct {
	Focused   *Window   `json:"focused"`
	Windows   []Window  `json:"windows"`
	Monitors  []Monitor `json:"monitors,omitempty"`
	Clipboard string    `json:"clipboard"`
	Timestamp float64   `json:"timestamp"` // seconds since 1970
}

// A Window of a Snapshot.
type Window struct {
	AppID       string `json:"app_id"`
	Title       string `json:"title"`
	PID         int    `json:"pid"`
	WindowID    uint64 `json:"window_id"`
	WorkspaceID uint64 `json:"workspace_id"`
}

// A Monitor of a Snapshot. Sizes are logical pixels.
type Monitor struct {
	Name   string  `json:"name"`
	Width  int     `json:"width"`
	Height int     `json:"height"`
	Scale  float64 `json:"scale"`
}

// Progress is $/progress. ID is that of the request it belongs to.
type Progress struct {
	ID      json.RawMessage `json:"id"`
	Message string          `json:"message"`
	Percent *float64        `json:"percent,omitempty"` // 0 to 100
}

// LogLine is $/log.
type LogLine struct {
	Level   string `json:"level"` // debug, info, warning or error
	Message string `json:"message"`
}
