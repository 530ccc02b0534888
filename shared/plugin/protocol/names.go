package protocol

// The protocol version of this package. Both numbers must match exactly.
const (
	Version = "1.0"
	ABI     = 1
)

// Notifications.
const (
	NotifyCancel              = "$/cancel"             // either way: {id}
	NotifyProgress            = "$/progress"           // from a plugin: Progress
	NotifyLog                 = "$/log"                // from a plugin: LogLine
	NotifyCapabilitiesChanged = "capabilities.changed" // from a plugin: its ops are read again
	NotifyStreamEnd           = "stream.end"           // StreamEnd
	NotifyRunnerEvent         = "runner.event"         // the lossy stream of what host.emit says
)

// The kinds of a plugin.
const (
	KindSTT       = "stt"
	KindRouter    = "router"
	KindKnowledge = "knowledge"
	KindLLM       = "llm"
	KindPerceive  = "perceive"
	KindAction    = "action"
	KindInput     = "input"
	KindTTS       = "tts"
	KindContext   = "context"
	KindUI        = "ui"
	KindBundle    = "bundle"
)

// Kinds lists them. No plugin may have the name of one.
var Kinds = []string{KindSTT, KindRouter, KindKnowledge, KindLLM, KindPerceive, KindAction, KindInput, KindTTS,
	KindContext, KindUI, KindBundle}

// The runtimes of a plugin. Only the first is supported.
const (
	RuntimeSubprocess = "subprocess"
	RuntimeWASM       = "wasm"
	RuntimeNative     = "native"
)

// The transports of a plugin.
const (
	TransportStdio   = "stdio"
	TransportConnect = "connect" // the plugin dials the runner's socket
	TransportListen  = "listen"  // the runner dials the plugin's socket
)

// Runtimes and Transports list them.
var (
	Runtimes   = []string{RuntimeSubprocess, RuntimeWASM, RuntimeNative}
	Transports = []string{TransportStdio, TransportConnect, TransportListen}
)

// The states of a plugin. Only ok and degraded are used for routing.
const (
	StatusCreated  = "created"
	StatusStarting = "starting"
	StatusOK       = "ok"
	StatusDegraded = "degraded"
	StatusError    = "error"
	StatusStopped  = "stopped"
)

// The permissions that a configuration entry may grant.
const (
	PermissionMicrophone      = "microphone"
	PermissionScreenshot      = "screenshot"
	PermissionAccessibility   = "accessibility"
	PermissionInputInjection  = "input-injection"
	PermissionProcessSpawn    = "process-spawn"
	PermissionNetwork         = "network"
	PermissionFilesystemRead  = "filesystem.read"
	PermissionFilesystemWrite = "filesystem.write"
	PermissionClipboard       = "clipboard"
	PermissionNotifications   = "notifications"
	PermissionKeyring         = "keyring"
)

// Permissions lists them.
var Permissions = []string{
	PermissionMicrophone, PermissionScreenshot, PermissionAccessibility, PermissionInputInjection,
	PermissionProcessSpawn, PermissionNetwork, PermissionFilesystemRead, PermissionFilesystemWrite,
	PermissionClipboard, PermissionNotifications, PermissionKeyring,
}

// Variables in the environment of a plugin.
const (
	EnvPluginID        = "UTTER_PLUGIN_ID"
	EnvPluginCookie    = "UTTER_PLUGIN_COOKIE" // absent: started by hand
	EnvPluginSocket    = "UTTER_PLUGIN_SOCKET"
	EnvPluginTransport = "UTTER_PLUGIN_TRANSPORT"
	EnvRunnerSocket    = "UTTER_RUNNER_SOCK"
)

// EvidencePluginReported is the evidence of the outcome of a plugin's op.
const EvidencePluginReported = "plugin_reported"

// Limits, in bytes unless said otherwise.
const (
	MaxInline     = 65536    // of a handle fetched inline
	MaxHandles    = 16 << 20 // of one owner
	MaxHandlesAll = 64 << 20 // of all owners
	MaxEmit       = 64 << 10 // of host.emit
	MaxSchema     = 64 << 10 // of the JSON Schema of an op
	MaxSteps      = 16       // steps of a plan
	MaxTimeoutMS  = 60000    // of timeout_ms, milliseconds
	DefaultCredit = 64       // frames of a reliable stream before the first ack
	DefaultLossy  = 256      // frames of a lossy queue
	MaxHeldFrames = 1024     // frames held for a plugin that ignores its credit
	MaxHeldBytes  = 8 << 20  // the same in bytes
)
