#!/usr/bin/env python3
"""Reads no other header than Content-Length, in that very case."""
import json, sys

PROTOCOL, ABI = "1.0", 1
PROVIDES = ["action.open_url@1", "context.live@1", "fs.tmp@1"]
REQUIRES = ["fs.tmp@1"]

def read_message(stream):
    header = b""
    while not header.endswith(b"\r\n\r\n"):
        chunk = stream.read(1)
        if not chunk:
            return None
        header += chunk
    length = int(header.split(b"Content-Length:")[1].split(b"\r\n")[0])
    body = stream.read(length)
    return json.loads(body.decode("utf-8")) if body else None

def write_message(stream, obj):
    body = json.dumps(obj, separators=(",", ":")).encode("utf-8")
    stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    stream.flush()

def handle(method, params):
    if method == "protocol.hello":
        return {"protocol": PROTOCOL, "abi": ABI,
                "plugin": {"name": "strict_py", "version": "0.1.0", "kind": "bundle"},
                "transport": "stdio",
                "provides": PROVIDES, "requires": REQUIRES, "permissions": ["network"]}
    if method == "plugin.describe":
        return {"methods": ["protocol.hello", "plugin.describe", "plugin.health",
                            "router.plan", "action.capabilities", "action.invoke",
                            "context.snapshot"], "streams": []}
    if method == "plugin.health":
        return {"status": "ok", "detail": "strict_py ready"}
    if method == "router.plan":
        # "open youtube" -> one fully-resolved step
        utt = str(params.get("utterance", "")).strip().lower()
        if utt in ("open youtube", "go to youtube"):
            return {"steps": [{"op": "ensure_url",
                               "args": {"url": "https://www.youtube.com"},
                               "provenance": "user"}]}
        return {"steps": []}
    if method == "action.capabilities":
        return {"ops": [{"op": "ensure_url", "side_effect": "open_url",
                         "needs_confirm": False}]}
    if method == "action.invoke":
        args = params.get("args") or {}
        return {"ok": True, "op": params.get("op"),
                "detail": f"opened {args.get('url', '')}"}
    if method == "context.snapshot":
        return {"focused": None, "windows": [], "clipboard": "", "timestamp": 0}
    raise ValueError(f"method not found: {method}")

def main():
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    while True:
        msg = read_message(stdin)
        if msg is None:
            return 0
        if not isinstance(msg, dict) or msg.get("id") is None:
            continue
        try:
            result = handle(str(msg.get("method") or ""), msg.get("params") or {})
            write_message(stdout, {"jsonrpc": "2.0", "id": msg["id"], "result": result})
        except Exception as exc:                       # noqa: BLE001
            write_message(stdout, {"jsonrpc": "2.0", "id": msg["id"],
                                   "error": {"code": -32000, "message": str(exc)}})

if __name__ == "__main__":
    raise SystemExit(main())
