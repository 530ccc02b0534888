#!/usr/bin/env python3
"""A plugin that shows everything an honest one does, with the standard library.

It routes "open youtube" to a page and "note buy milk" to a note, carries both
out (the page is only reported, the note goes into a file), and has two streams:
hello.ticks, lossy, and hello.count, reliable. The note's file is the setting
"notes", or notes.txt in the plugin's own temporary folder.
"""

import json
import os
import sys
import tempfile
import threading

PROTOCOL, ABI = "1.0", 1
MAX_BODY = 16 * 1024 * 1024


class Failure(Exception):
    """An error that the caller sees, with its code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def read_message(stream):
    """Returns the next message, or None at the end of the stream."""
    length = None
    while True:
        line = stream.readline(8192)
        if not line:
            return None
        name, _, value = line.rstrip(b"\r\n").partition(b":")
        if not name:
            break
        if name.strip().lower() == b"content-length":
            length = int(value)
    if length is None or not 0 < length <= MAX_BODY:
        raise ValueError("a frame without a usable Content-Length")
    body = stream.read(length)
    return json.loads(body) if len(body) == length else None


class Plugin:
    def __init__(self, stdin, stdout):
        self.stdin, self.stdout = stdin, stdout
        self.writing = threading.Lock()  # a frame is written as a whole
        self.streams = {}
        self.made = 0
        self.notes = os.path.join(tempfile.gettempdir(), "notes.txt")

    def send(self, message):
        body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        with self.writing:
            self.stdout.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.stdout.flush()

    def run(self):
        while (message := read_message(self.stdin)) is not None:
            if isinstance(message, dict) and "method" in message and message.get("id") is not None:
                self.send(self.answer(message))
                self.after(message)
        for stream in list(self.streams.values()):
            stream.stop()

    def answer(self, message):
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        serve = self.METHODS.get(message["method"])
        try:
            if serve is None:
                raise Failure(-32601, "there is no method " + str(message["method"]))
            reply["result"] = serve(self, message.get("params") or {})
        except Failure as failure:
            reply["error"] = {"code": failure.code, "message": str(failure)}
        except OSError as error:
            reply["error"] = {"code": -32000, "message": str(error)}
        return reply

    def after(self, message):
        """A stream starts when its subscriber knows its id."""
        if message["method"] == "stream.subscribe":
            for stream in self.streams.values():
                stream.start()

    def hello(self, params):
        self.notes = params.get("settings", {}).get("notes", self.notes)
        return {
            "protocol": PROTOCOL, "abi": ABI, "transport": "stdio",
            "plugin": {"name": "hello_py", "version": "0.1.0", "kind": "bundle"},
            "provides": ["action.open_url@1", "router.plan@1", "context.live@1"], "requires": ["fs.tmp@1"], "permissions": [],
        }

    def describe(self, params):
        return {"methods": sorted(self.METHODS), "streams": ["hello.count", "hello.ticks"]}

    def health(self, params):
        return {"status": "ok", "detail": "hello_py ready"}

    def plan(self, params):
        words = str(params.get("utterance", "")).strip()
        if words.lower() in ("open youtube", "go to youtube"):
            return {"steps": [{"op": "ensure_url", "args": {"url": "https://www.youtube.com"}, "provenance": "user"}]}
        if words.lower().startswith("note "):
            return {"steps": [{"op": "hello_py.note", "args": {"text": words[5:].strip()}, "provenance": "user"}]}
        return {"steps": []}

    def capabilities(self, params):
        text = {"type": "object", "required": ["text"], "additionalProperties": False,
                "properties": {"text": {"type": "string", "minLength": 1, "maxLength": 2000}}}
        return {"ops": [
            {"op": "ensure_url", "side_effect": "open_url", "needs_confirm": False},
            {"op": "hello_py.note", "side_effect": "append to a file", "needs_confirm": False, "args": text},
        ]}

    def invoke(self, params):
        op, args = params.get("op"), params.get("args") or {}
        if op == "ensure_url":
            return {"ok": True, "op": op, "detail": "opened " + args.get("url", "")}
        if op == "hello_py.note":
            with open(self.notes, "a", encoding="utf-8") as notes:
                notes.write(args["text"] + "\n")
            return {"ok": True, "op": op, "detail": "noted " + args["text"]}
        raise Failure(-32601, "there is no op " + str(op))

    def snapshot(self, params):
        return {"focused": None, "windows": [], "monitors": [], "clipboard": "", "timestamp": 0}

    def subscribe(self, params):
        method = params.get("method")
        if method not in ("hello.count", "hello.ticks"):
            raise Failure(-32602, "there is no stream " + str(method))
        self.made += 1
        name = "hello-%d" % self.made
        settings = params.get("params") or {}
        window = int(params.get("window") or 64) if params.get("mode") == "reliable" else None
        self.streams[name] = Stream(self, name, method, int(settings.get("frames", 100)), window)
        return {"stream_id": name}

    def ack(self, params):
        stream = self.streams.get(params.get("stream_id"))
        if stream:
            stream.ack(int(params.get("seq", 0)))
        return {}

    def unsubscribe(self, params):
        stream = self.streams.pop(params.get("stream_id"), None)
        if stream:
            stream.stop()
        return {}

    def shutdown(self, params):
        return {}

    METHODS = {
        "protocol.hello": hello, "plugin.describe": describe, "plugin.health": health, "router.plan": plan,
        "action.capabilities": capabilities, "action.invoke": invoke, "context.snapshot": snapshot,
        "stream.subscribe": subscribe, "stream.ack": ack, "stream.stop": unsubscribe, "shutdown": shutdown,
    }


class Stream(threading.Thread):
    """Counts. With a window it never has more frames unacknowledged than that;
    without one it does not wait, and the runner drops what nobody takes."""

    def __init__(self, plugin, name, method, frames, window):
        super().__init__(daemon=True)
        self.plugin, self.id, self.method, self.frames, self.window = plugin, name, method, frames, window
        self.changed = threading.Condition()
        self.acked, self.stopped = 0, False

    def start(self):
        if self.ident is None:
            super().start()

    def ack(self, seq):
        with self.changed:
            self.acked = max(self.acked, seq)
            self.changed.notify()

    def stop(self):
        with self.changed:
            self.stopped = True
            self.changed.notify()

    def run(self):
        for seq in range(1, self.frames + 1):
            with self.changed:
                while self.window and seq > self.acked + self.window and not self.stopped:
                    self.changed.wait()
                if self.stopped:
                    return
            self.say(self.method, {"stream_id": self.id, "seq": seq, "data": {"count": seq}})
        self.say("stream.end", {"stream_id": self.id, "last_seq": self.frames})

    def say(self, method, params):
        try:
            self.plugin.send({"jsonrpc": "2.0", "method": method, "params": params})
        except OSError:
            self.stop()  # the runner has gone


if __name__ == "__main__":
    if not os.environ.get("UTTER_PLUGIN_COOKIE") and sys.stdin.isatty():
        sys.exit("hello_py is a plugin: the runner starts it. Try: utter runner drive -- python3 " + sys.argv[0])
    Plugin(sys.stdin.buffer, sys.stdout.buffer).run()
