package protocol

// The version that this package speaks. Both match exactly or not at all.
const (
	Version = "1.0"
	ABI     = 1
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
	MethodLLMChoose          = "llm.choose"
	MethodLLMComplete        = "llm.complete"
	MethodTTSSpeak           = "tts.speak"
	MethodUIRender           = "ui.render"
	MethodInputInject        = "input.inject"
	MethodShutdown           = "shutdown"
)

// Methods that go both ways: from a client to the runner, from it to a plugin.
const (
	MethodStreamSubscribe = "stream.subscribe"
	MethodStreamAck       = "stream.ack"
	MethodStreamStop      = "stream.stop"
	MethodHandleFetch     = "handle.fetch"
)

// Methods that a client calls on the runner.
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
	MethodHandleCreate            = "handle.create"
	MethodHandleStat              = "handle.stat"
	MethodFDPass                  = "fd.pass"
)

// Methods of the host: the runner calls the first on a client, a plugin calls
// the others on the runner.
const (
	MethodHostConfirm  = "host.confirm"
	MethodHostContext  = "host.context"
	MethodHostEmit     = "host.emit"
	MethodHostPerceive = "host.perceive" // answered -32601
	MethodHostAction   = "host.action"   // answered -32601
)

// Notifications.
const (
	NotifyCancel              = "$/cancel"             // either way: {id}
	NotifyCancelRequest       = "$/cancelRequest"      // read as $/cancel, never sent
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
var Kinds = []string{KindSTT, KindRouter, KindKnowledge, KindLLM, KindPerceive, KindAction, KindInput, KindTTS, KindContext, KindUI, KindBundle}

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

// The modes of a stream.
const (
	ModeLossy    = "lossy"
	ModeReliable = "reliable"
)

// The kinds of fd.pass.
const (
	FDHandle    = "handle"
	FDMemfd     = "memfd"
	FDMemfdRing = "memfd.ring"
)

// Variables in the environment of a plugin.
const (
	EnvPluginID        = "UTTER_PLUGIN_ID"
	EnvPluginCookie    = "UTTER_PLUGIN_COOKIE" // absent: started by hand
	EnvPluginSocket    = "UTTER_PLUGIN_SOCKET"
	EnvPluginTransport = "UTTER_PLUGIN_TRANSPORT"
	EnvRunnerSocket    = "UTTER_RUNNER_SOCK"
)

// Evidence that the outcome of a plugin's op carries.
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
