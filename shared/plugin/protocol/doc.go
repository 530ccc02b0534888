// Package protocol is what the plugin runner, its plugins and its clients say
// to each other: names, messages, codes, and the rules that can be stated
// without running anything. It opens no connection and keeps no state. What
// follows is the wire, enough of it to write a plugin in any language.
//
// # Frames
//
// A message is a header and a body:
//
//	Content-Length: 65\r\n
//	\r\n
//	{"jsonrpc":"2.0","id":"0:1","method":"plugin.health","params":{}}
//
// The length counts bytes of the body, which is UTF-8 JSON. Write the header in
// exactly this form. Read it with names in any case, skip headers you do not
// know, and read exactly as many bytes as it says. The header may have 8,192
// bytes, a body 16 MiB from a plugin and 4 MiB from a client. Standard output
// carries frames and nothing else; logs belong on standard error.
//
// Bytes that are not a frame, or a body that is not JSON, are answered -32700 with
// id null, and then the connection ends: for a plugin that is a crash. An empty
// body, a length with anything but digits and two lengths that differ are no
// frames either.
//
// # JSON
//
// Names of members count in case. A name that occurs twice in one object,
// nesting deeper than 64 and half of a surrogate pair are refused with -32600:
// parsers disagree about them, and what policy has read must be what the plugin
// reads. For the same reason the runner forwards nothing verbatim; it writes
// anew what it has checked. Numbers keep their digits.
//
// # Requests, replies, notifications
//
// JSON-RPC 2.0 between equals: both sides may ask. With "method" and an "id" a
// message is a request, without an id (or with null) a notification, without
// "method" a reply. Params are an object, or left out; anything else is -32602.
// A batch is -32600. Echo the id of a request exactly as it came, a text or a
// number. Requests may be answered in any order; notifications are handled in
// the order in which they come. The ids of the runner look like "3:17": the
// epoch of your process and a count. A reply with another epoch is dropped, so
// a new process cannot answer for the old one.
//
// $/cancel {id} asks to stop a request, either way. The answer is -32002 with
// data {id}, or the result if it was too late. It has no answer of its own and
// an unknown id is not a mistake. A caller that has waited too long gets -32001,
// and you get $/cancel. Both codes, and -32000 after a crash, carry
// data.outcome: "not_started" is certain, "unknown" means that the effect may
// have happened. It is never tried again by itself.
//
// While a request runs you may send $/progress {id, message, percent?} with its
// id, and at any time $/log {level, message}.
//
// # Life of a plugin
//
// The runner starts the entrypoint without a shell, in the folder that the
// configuration says, with a short environment: PATH, HOME, USER, LANG, LC_*,
// TZ, PYTHONPATH, a private TMPDIR, UTTER_PLUGIN_ID and UTTER_PLUGIN_COOKIE,
// and what the entry adds. Then it asks, in this order:
//
//	protocol.hello   {protocol: "1.0", abi: 1, runner, epoch, settings?}
//	              -> {protocol: "1.0", abi: 1, provides, requires, permissions, plugin?, transport?}
//	plugin.describe  {} -> {methods: [...], streams: [...]}
//	plugin.health    {} -> {status: "ok" or "degraded", detail}
//
// Protocol and abi match exactly or the plugin is refused with -32004. Health
// is asked again when nothing is in flight; any message counts as a sign of
// life. Before it ends you, the runner sends the request "shutdown"; any reply
// will do, an error too. Then standard input ends: exit. Who does not is
// terminated, and killed after that. A crash, a closed standard output and a
// broken frame lead to a restart with a longer pause each time, a new epoch and
// the whole handshake, until the runner gives up.
//
// # Capabilities
//
// A capability is a text "name@N" and matches only itself. provides and
// requires are joined with those of the configuration. A capability nobody has
// heard of is a warning (none if it begins with "experimental/"); a requirement
// that neither the runner nor any plugin that runs nor you yourself provide
// is -32005 with data {missing}. Plugins may require each other in a circle.
// The runner itself provides fs.tmp@1, host.fd.pass@1 and
// host.audio.ringbuffer@1.
//
// Permissions are granted by the configuration alone. What hello names besides
// is reported as not granted and changes nothing.
//
// # What a plugin answers
//
//	router.plan          {utterance, provenance, context?} -> {steps: [{op, args, provenance?, confirm?}]}
//	action.capabilities  {} -> {ops: [{op, side_effect, needs_confirm, args?: JSON Schema 2020-12}]}
//	action.invoke        {op, args, provenance} -> {ok, op?, detail?, ...}
//	context.snapshot     {sources?} -> {focused, windows, monitors, clipboard, timestamp}
//	stream.subscribe     {method, params, mode, window} -> {stream_id}
//	stream.ack           {stream_id, seq} -> anything
//	stream.stop          {stream_id} -> anything
//	handle.fetch         {handle} -> {data_b64}
//
// List the methods you answer in plugin.describe; anything else is -32601. No
// plan is no steps, and a plan has at most 16. An op of yours can be used when
// it stands in action.capabilities; send capabilities.changed when that list
// changes. A core op (see CoreOps) is yours only if the configuration says that
// you provide action.<op>@1. needs_confirm can only add a confirmation.
//
// You may ask the runner host.context {sources?}, which is cut to what you were
// granted, and host.emit {event, data}, at most 64 KiB and 100 a second.
//
// # Provenance
//
// Arguments come from the "user" or from the "screen": titles, clipboard,
// accessibility text, web pages. The screen may select, it never authors: with
// "screen" any argument at all is -32006 with data {op, fields}, before
// anything else is looked at. Null, "" and other values are -32602. Left out of
// runner.command it is the user, of a step that of the command, and of
// runner.invoke on a method that acts it is -32003. A plugin can lower the
// trust of a step and never raise it. The runner checks and stamps; a plugin
// need not.
//
// Then, in this order: an op that nobody knows is -32601; one that is switched
// off (terminal and input are, at first) -32003 with reason "disabled"; a page
// with a scheme other than http, https and mailto -32003 with reason "scheme";
// and what needs a confirmation waits for one. See Policy.
//
// # Confirmation
//
// host.confirm {op, args, provenance, summary, plugin, yours, nonce, digest,
// expires_ms} asks the registered confirmer, which answers {approved: true,
// nonce, digest}. Only a true that is true counts. The digest is the SHA-256, in
// hex, of the RFC 8785 form of {op, args, provenance}: what was approved is what
// is done, by the plugin that is named. yours is true where who is asked is the
// client that wants it done. Without a registered confirmer the client that asked
// is asked.
//
// # Streams
//
// Frames are notifications whose method is the stream's name: {stream_id, seq,
// data}; seq rises from 1. In "lossy" mode the runner keeps the newest 256 for
// a slow subscriber, who sees a gap in seq. In "reliable" mode nothing is lost:
// you may send window frames more than the last seq that stream.ack named, and
// then must wait. stream.ack comes as a request with the runner's id; its
// answer is ignored. Who ignores the window is stopped. stream.end {stream_id,
// last_seq, error?} is the last word on a stream.
//
// # Handles and descriptors
//
// handle://<64 hex of the SHA-256> names bytes; up to 65,536 come inline, more
// is -32007 and needs fd.pass: over a Unix socket the descriptor travels with
// the first byte of the reply, so read with recvmsg.
//
// # Codes
//
// -32700 no JSON, -32600 no request, -32601 no such method or op, -32602 wrong
// params, -32603 a fault of the runner, -32000 a failing plugin, -32001 too
// late, -32002 cancelled, -32003 not permitted (data.reason says why), -32004
// another version, -32005 not available (data.missing, or reason "busy"),
// -32006 arguments from the screen, -32007 too large inline. The errors of a
// plugin reach its caller with code, message and data unchanged.
//
// # The manifest
//
// A package has a file utter-plugin.toml, see Manifest. The smallest:
//
//	name = "hello"
//	version = "0.1.0"
//	kind = "action"
//	protocol = "1.0"
//	abi = 1
//	runtime = "subprocess"
//	transport = "stdio"
//	entrypoint = ["python3", "plugin.py"]
package protocol
