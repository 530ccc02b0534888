package protocol

import "encoding/json"

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

// PluginInfo says who a plugin is, for people.
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

// InvokeResult is what a plugin says of an op. It may say more, which passes.
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

// SubscribeParams opens a stream: stream.subscribe.
type SubscribeParams struct {
	Method string          `json:"method"`           // the stream's name
	Params json.RawMessage `json:"params,omitempty"` // an object
	Mode   string          `json:"mode,omitempty"`   // ModeLossy if absent
	Window int             `json:"window,omitempty"` // frames of credit, to a plugin
}

// SubscribeResult names the stream. To a client the mode is always said.
type SubscribeResult struct {
	StreamID string `json:"stream_id"`
	Mode     string `json:"mode,omitempty"`
}

// StreamFrame is a notification whose method is the stream's name.
type StreamFrame struct {
	StreamID string          `json:"stream_id"`
	Seq      *int64          `json:"seq,omitempty"` // absent: one more than the last, from 1
	Data     json.RawMessage `json:"data,omitempty"`
}

// AckParams acknowledges every frame up to seq: stream.ack.
type AckParams struct {
	StreamID string `json:"stream_id"`
	Seq      int64  `json:"seq"`
}

// StopParams ends a stream: stream.stop.
type StopParams struct {
	StreamID string `json:"stream_id"`
}

// StreamEnd says that no frame follows: stream.end.
type StreamEnd struct {
	StreamID string `json:"stream_id"`
	LastSeq  int64  `json:"last_seq"`
	Error    *Error `json:"error,omitempty"`
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

// EmitParams is host.emit; EventData is what runner.event carries of it.
type EmitParams struct {
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data,omitempty"` // at most MaxEmit
}

// EventData is the data of a runner.event frame.
type EventData struct {
	Plugin string          `json:"plugin"`
	Event  string          `json:"event"`
	Data   json.RawMessage `json:"data,omitempty"`
}

// ConfirmParams asks the user: host.confirm. Nonce, digest and expiry are for a
// registered confirmer; see Digest.
type ConfirmParams struct {
	Op         string          `json:"op"`
	Args       json.RawMessage `json:"args"`
	Provenance Provenance      `json:"provenance"`
	Summary    string          `json:"summary"`
	Plugin     string          `json:"plugin"` // who would do it
	Yours      bool            `json:"yours"`  // who is asked is who wants it done
	Nonce      string          `json:"nonce,omitempty"`
	Digest     string          `json:"digest,omitempty"`
	ExpiresMS  int             `json:"expires_ms,omitempty"` // milliseconds from now
}

// ConfirmResult approves only if it says true, and with the nonce and digest
// asked where there were any.
type ConfirmResult struct {
	Approved bool   `json:"approved"`
	Nonce    string `json:"nonce,omitempty"`
	Digest   string `json:"digest,omitempty"`
}

// Approves reports whether r is a yes to asked.
func (r ConfirmResult) Approves(asked ConfirmParams) bool {
	return r.Approved && r.Nonce == asked.Nonce && r.Digest == asked.Digest
}

// AuthParams is runner.auth and runner.confirmer.register.
type AuthParams struct {
	Token string `json:"token"`
}

// CommandParams is runner.command and runner.plan.
type CommandParams struct {
	Utterance  string          `json:"utterance"`
	Provenance Provenance      `json:"provenance,omitempty"` // the user if absent
	Context    json.RawMessage `json:"context,omitempty"`
	Timeout    Timeout         `json:"timeout_ms,omitempty"`
}

// CommandResult is what became of a command's steps, in order.
type CommandResult struct {
	Results []StepResult `json:"results"`
}

// A StepResult is what became of one step.
type StepResult struct {
	Op       string `json:"op"`
	OK       bool   `json:"ok"`
	Detail   string `json:"detail"`
	Evidence string `json:"evidence,omitempty"`
	Error    *Error `json:"error,omitempty"`
}

// RunnerInvokeParams is runner.invoke.
type RunnerInvokeParams struct {
	Plugin string          `json:"plugin"` // an id, else a kind
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"` // an object
}

// PluginParams names a plugin: runner.validate_plugin, runner.plugin.*.
type PluginParams struct {
	Plugin string `json:"plugin"`
}

// PluginsResult is the answer to runner.plugins and runner.status.
type PluginsResult struct {
	Plugins []PluginRow `json:"plugins"`
}

// A PluginRow is the state of one plugin.
type PluginRow struct {
	ID          string            `json:"id"`
	Kind        string            `json:"kind"`
	Epoch       int               `json:"epoch"`
	Status      string            `json:"status"`
	Provides    []string          `json:"provides"`
	Requires    []string          `json:"requires"`
	Version     string            `json:"version,omitempty"`
	Reason      string            `json:"reason,omitempty"` // why it is not ok
	Ops         []string          `json:"ops"`
	Permissions []PermissionState `json:"permissions"`
}

// A PermissionState says what stands behind a permission.
type PermissionState struct {
	Name     string `json:"name"`
	Granted  bool   `json:"granted"`
	Enforced bool   `json:"enforced"` // only if a probe proved it
	Advisory bool   `json:"advisory"`
}

// ValidateResult is the answer to runner.validate_plugin.
type ValidateResult struct {
	OK                  bool              `json:"ok"`
	Negotiated          Negotiated        `json:"negotiated"`
	UnknownCapabilities []string          `json:"unknown_capabilities"`
	MissingRequires     []string          `json:"missing_requires"`
	Permissions         []PermissionState `json:"permissions"`
}

// Negotiated is the version in use.
type Negotiated struct {
	Protocol string `json:"protocol"`
	ABI      int    `json:"abi"`
}

// HandleCreateParams makes a handle of the first that is given.
type HandleCreateParams struct {
	DataB64 *string `json:"data_b64,omitempty"`
	Data    *string `json:"data,omitempty"` // UTF-8 text
	Size    *int64  `json:"size,omitempty"` // that many zero bytes
	Scope   string  `json:"scope,omitempty"`
}

// HandleParams names a handle: handle.fetch and handle.stat.
type HandleParams struct {
	Handle string `json:"handle"`
	Scope  string `json:"scope,omitempty"`
}

// HandleResult is the answer to handle.create.
type HandleResult struct {
	Handle string `json:"handle"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// HandleFetchResult is the answer to handle.fetch.
type HandleFetchResult struct {
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
	DataB64 string `json:"data_b64"`
}

// HandleStatResult is the answer to handle.stat. Times are seconds since 1970.
type HandleStatResult struct {
	Handle   string  `json:"handle"`
	SHA256   string  `json:"sha256"`
	Size     int64   `json:"size"`
	Created  float64 `json:"created"`
	TTL      float64 `json:"ttl"`
	Expires  float64 `json:"expires"`
	RefCount int     `json:"refcount"`
}

// FDPassParams is fd.pass.
type FDPassParams struct {
	Kind string `json:"kind"`
	Meta FDMeta `json:"meta,omitzero"`
}

// FDMeta says what the descriptor is of.
type FDMeta struct {
	Handle string  `json:"handle,omitempty"`
	Scope  string  `json:"scope,omitempty"`
	Data   *string `json:"data,omitempty"`
	Size   *int64  `json:"size,omitempty"`
}
