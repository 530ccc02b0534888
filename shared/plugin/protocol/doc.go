// Package protocol defines the messages between the plugin runner, its plugins
// and its clients: names, structures, codes, and the rules that can be checked
// without running anything. It opens no connection and keeps no state. The
// following describes the protocol in enough detail to write a plugin in any
// language.
//
// # Frames
//
// A message is a header and a body:
//
//	Content-Length: 65\r\n
//	\r\n
//	{"jsonrpc":"2.0","id":"0:1","method":"plugin.health","params":{}}
//
// The length is the number of bytes of the body, which is UTF-8 JSON. Write the
// header in exactly this form. When reading, accept names in any case, ignore
// unknown headers, and read exactly that many bytes. A header is at most 8,192
// bytes, a body at most 16 MiB from a plugin and 4 MiB from a client. Standard
// output carries only frames; logs belong on standard error.
//
// Bytes that are not a frame, or a body that is not JSON, are answered with
// -32700 and id null; then the connection ends, which for a plugin is a crash.
// An empty body, a length that contains anything but digits, and two lengths
// that differ are not frames either.
//
// # JSON
//
// Names of members are case-sensitive. A name that occurs twice in one object,
// nesting deeper than 64 levels and half of a surrogate pair are refused with
// -32600: parsers disagree about them, and the plugin must read exactly what the
// policy has checked. For the same reason the runner forwards nothing verbatim;
// it encodes again what it has checked. Numbers keep their digits.
//
// # Requests, replies, notifications
//
// JSON-RPC 2.0 between equals: both sides may send requests. A message with
// "method" and an "id" is a request, one without an id (or with null) is a
// notification, and one without "method" is a reply. Params are an object or
// absent; anything else is -32602. A batch is -32600. Return the id of a request
// exactly as it came, a string or a number. Requests may be answered in any
// order; notifications are handled in the order in which they arrive. The ids of
// the runner look like "3:17": the epoch of your process and a counter. A reply
// with another epoch is dropped, so a new process cannot answer for the old one.
//
// $/cancel {id} asks the other side to stop a request. The answer to that request
// is -32002 with data {id}, or the result if it was too late. $/cancel itself has
// no answer, and an unknown id is not an error. If a call takes too long, its
// caller gets -32001 and you get $/cancel. Both codes, and -32000 after a crash,
// carry data.outcome: "not_started" is certain, "unknown" means that the request
// may have taken effect. The runner never retries.
//
// While a request runs you may send $/progress {id, message, percent?} with its
// id, and at any time $/log {level, message}.
//
// # Life of a plugin
//
// The runner starts the entrypoint without a shell, in the folder set in the
// configuration, with a short environment: PATH, HOME, USER, LANG, LC_*, TZ,
// PYTHONPATH, a private TMPDIR, UTTER_PLUGIN_ID and UTTER_PLUGIN_COOKIE, and
// the variables that the entry adds. Then it calls, in this order:
//
//	protocol.hello   {protocol: "1.0", abi: 1, runner, epoch, settings?}
//	              -> {protocol: "1.0", abi: 1, provides, requires, permissions, plugin?, transport?}
//	plugin.describe  {} -> {methods: [...], streams: [...]}
//	plugin.health    {} -> {status: "ok" or "degraded", detail}
//
// Protocol and abi must match exactly, or the plugin is refused with -32004. The
// runner checks the health again when nothing is in flight; any message counts
// as a sign of life. To stop a plugin, the runner sends the request "shutdown";
// any reply will do, even an error. Then it closes standard input: exit. A plugin
// that does not exit is terminated, and then killed. After a crash, a closed
// standard output or a broken frame, the plugin is restarted with increasing
// delays, a new epoch and the whole handshake, until the runner gives up.
//
// # Capabilities
//
// A capability is a string "name@N" that matches only itself. provides and
// requires are merged with those of the configuration. An unknown capability
// causes a warning, unless it begins with "experimental/". A requirement that
// neither the runner, a running plugin nor you yourself provide is -32005 with
// data {missing}. Plugins may require each other in a circle. The runner itself
// provides fs.tmp@1, host.fd.pass@1 and host.audio.ringbuffer@1.
//
// Only the configuration grants permissions. Further permissions named in hello
// are reported as not granted and have no effect.
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
// List the methods you answer in plugin.describe; anything else is -32601.
// Return no steps if you have no plan; a plan has at most 16. Your ops can be
// used once action.capabilities lists them; send capabilities.changed when that
// list changes. You may implement a core op (see CoreOps) only if the
// configuration says that you provide action.<op>@1. needs_confirm can only add a
// confirmation.
//
// You may call the runner's host.context {sources?}, which returns only what you
// were granted, and host.emit {event, data}, with at most 64 KiB and 100 calls
// per second.
//
// # Provenance
//
// Arguments come from the "user" or from the "screen": titles, clipboard,
// accessibility text, web pages. Text from the screen may select an op, but never
// supplies its arguments: with "screen" any argument at all is -32006 with data
// {op, fields}, before anything else is checked. Null, "" and other values are
// -32602. If provenance is absent, it is "user" in runner.command, that of the
// command in a step, and -32003 in runner.invoke of a method that acts. A plugin
// can lower the trust of a step, but never raise it. The runner checks and sets
// the provenance; a plugin need not.
//
// Then, in this order: an unknown op is -32601; a disabled op (by default,
// terminal and input) is -32003 with reason "disabled"; a page with a scheme
// other than http, https and mailto is -32003 with reason "scheme"; and an op
// that needs confirmation waits for it.
//
// # Confirmation
//
// host.confirm {op, args, provenance, summary, plugin, yours, nonce, digest,
// expires_ms} asks the registered confirmer, which answers {approved: true,
// nonce, digest}. Only the JSON value true approves. The digest is the SHA-256, in
// hex, of the RFC 8785 form of {op, args, provenance}: exactly what was approved
// is done, by the plugin that was named. yours is true if the client that is asked
// is the one that requested the action, which is the case without a registered
// confirmer.
//
// # Streams
//
// Frames are notifications whose method is the stream's name: {stream_id, seq,
// data}; seq counts up from 1. In "lossy" mode the runner keeps the newest 256
// for a slow subscriber, which sees a gap in seq. In "reliable" mode nothing is
// lost: you may send at most window frames beyond the last seq acknowledged by
// stream.ack, and then must wait. stream.ack is a request with an id of the
// runner; its answer is ignored. A stream that ignores the window is stopped.
// stream.end {stream_id, last_seq, error?} is the last message of a stream.
//
// # Handles and descriptors
//
// handle://<64 hex digits of the SHA-256> identifies bytes. Up to 65,536 bytes are
// sent inline; more is -32007 and needs fd.pass: over a Unix socket the descriptor
// travels with the first byte of the reply, so read with recvmsg.
//
// # Codes
//
// -32700 not JSON, -32600 not a request, -32601 no such method or op, -32602
// invalid params, -32603 an error of the runner, -32000 an error of the plugin,
// -32001 timed out, -32002 cancelled, -32003 not permitted (data.reason says why),
// -32004 another version, -32005 not available (data.missing, or reason "busy"),
// -32006 arguments from the screen, -32007 too large inline. The errors of a
// plugin reach its caller with code, message and data unchanged.
//
// # The manifest
//
// A plugin's folder contains a file utter-plugin.toml; see Manifest. The smallest:
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
