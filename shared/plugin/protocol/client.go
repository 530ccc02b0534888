package protocol

import "encoding/json"

// Methods that a client calls on the runner, besides those of streams and handles.
const (
	MethodRunnerAuth              = "runner.auth"
	MethodRunnerStatus            = "runner.status"
	MethodRunnerPlugins           = "runner.plugins"
	MethodRunnerReload            = "runner.reload"
	MethodRunnerCommand           = "runner.command"
	MethodRunnerPlan              = "runner.plan"
	MethodRunnerInvoke            = "runner.invoke"
	MethodRunnerValidatePlugin    = "runner.validate_plugin"
	MethodRunnerConfirmerRegister = "runner.confirmer.register"
	MethodRunnerPluginRestart     = "runner.plugin.restart"
	MethodRunnerPluginEnable      = "runner.plugin.enable"
	MethodRunnerPluginLog         = "runner.plugin.log"
)

// A ClientMethod is one that a client may call on the runner.
type ClientMethod struct {
	Name string
	Help string // its params and what it does; "" if it makes no sense on a command line
}

// ClientMethods lists them, those for a command line first.
var ClientMethods = []ClientMethod{
	{MethodRunnerCommand, "utterance, context?, timeout_ms?: plan with the routers and carry the plan out"},
	{MethodRunnerPlan, "utterance, context?, timeout_ms?: only plan"},
	{MethodRunnerInvoke, "plugin, method, params?: call a method of a plugin"},
	{MethodRunnerStatus, "the runner and its plugins"},
	{MethodRunnerPlugins, "the plugins alone"},
	{MethodRunnerReload, "reload the configuration"},
	{MethodRunnerValidatePlugin, "plugin"},
	{MethodRunnerPluginRestart, "plugin"},
	{MethodRunnerPluginEnable, "plugin"},
	{MethodRunnerPluginLog, "plugin"},
	{MethodRunnerAuth, ""},
	{MethodRunnerConfirmerRegister, ""},
	{MethodStreamSubscribe, ""},
	{MethodStreamAck, ""},
	{MethodStreamStop, ""},
	{MethodHandleCreate, ""},
	{MethodHandleFetch, ""},
	{MethodHandleStat, ""},
	{MethodFDPass, ""},
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

// CommandResult holds the results of a command's steps, in order.
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

// A PermissionState says how far a permission is enforced.
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
