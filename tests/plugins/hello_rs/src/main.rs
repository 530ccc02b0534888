//! A plugin in Rust: it routes "open youtube" to a page, reports it as opened,
//! and counts in two streams, hello.ticks (lossy) and hello.count (reliable).
//! The framing is its own; serde_json reads and writes the JSON.

use serde_json::{json, Value};
use std::collections::HashMap;
use std::io::{self, BufRead, Read, Write};

const MAX_BODY: usize = 16 << 20;

fn main() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut plugin = Plugin { out: io::stdout().lock(), streams: HashMap::new(), made: 0 };
    while let Some(message) = read_message(&mut input)? {
        plugin.take(&message)?;
    }
    Ok(())
}

/// Returns the next message, or None at the end of the stream.
fn read_message(input: &mut impl BufRead) -> io::Result<Option<Value>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.take(8192).read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            if name.trim().eq_ignore_ascii_case("content-length") {
                length = value.trim().parse::<usize>().ok().filter(|n| *n <= MAX_BODY);
            }
        }
    }
    let length = length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no usable Content-Length"))?;
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(Some(serde_json::from_slice(&body)?))
}

struct Plugin<W: Write> {
    out: W,
    streams: HashMap<String, Stream>,
    made: u64,
}

/// A stream counts. With a window it never has more frames unacknowledged than
/// that; without one everything goes at once, and the runner drops what nobody
/// takes.
struct Stream {
    method: String,
    frames: u64,
    window: Option<u64>,
    sent: u64,
    acked: u64,
}

impl<W: Write> Plugin<W> {
    fn send(&mut self, message: &Value) -> io::Result<()> {
        let body = message.to_string();
        write!(self.out, "Content-Length: {}\r\n\r\n{}", body.len(), body)?;
        self.out.flush()
    }

    fn take(&mut self, message: &Value) -> io::Result<()> {
        let (Some(method), Some(id)) = (message["method"].as_str(), message.get("id")) else {
            return Ok(()); // a notification, or an answer
        };
        if id.is_null() {
            return Ok(());
        }
        let params = &message["params"];
        let reply = match self.serve(method, params) {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err((code, text)) => json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}}),
        };
        self.send(&reply)?;
        match method {
            "stream.subscribe" => self.advance(reply["result"]["stream_id"].as_str().unwrap_or_default()),
            "stream.ack" => self.advance(params["stream_id"].as_str().unwrap_or_default()),
            _ => Ok(()),
        }
    }

    fn serve(&mut self, method: &str, params: &Value) -> Result<Value, (i64, String)> {
        Ok(match method {
            "protocol.hello" => json!({
                "protocol": "1.0", "abi": 1, "transport": "stdio",
                "plugin": {"name": "hello_rs", "version": "0.1.0", "kind": "bundle"},
                "provides": ["action.open_url@1", "router.plan@1"], "requires": ["fs.tmp@1"], "permissions": [],
            }),
            "plugin.describe" => json!({
                "methods": ["protocol.hello", "plugin.describe", "plugin.health", "router.plan", "action.capabilities",
                            "action.invoke", "stream.subscribe", "stream.ack", "stream.stop", "shutdown"],
                "streams": ["hello.count", "hello.ticks"],
            }),
            "plugin.health" => json!({"status": "ok", "detail": "hello_rs ready"}),
            "router.plan" => match params["utterance"].as_str().unwrap_or_default().trim().to_lowercase().as_str() {
                "open youtube" | "go to youtube" => json!({"steps": [
                    {"op": "ensure_url", "args": {"url": "https://www.youtube.com"}, "provenance": "user"}
                ]}),
                _ => json!({"steps": []}),
            },
            "action.capabilities" => json!({"ops": [{"op": "ensure_url", "side_effect": "open_url", "needs_confirm": false}]}),
            "action.invoke" => match params["op"].as_str() {
                Some("ensure_url") => {
                    let url = params["args"]["url"].as_str().unwrap_or_default();
                    json!({"ok": true, "op": "ensure_url", "detail": format!("opened {url}")})
                }
                op => return Err((-32601, format!("there is no op {op:?}"))),
            },
            "stream.subscribe" => self.subscribe(params)?,
            "stream.ack" => {
                if let Some(stream) = params["stream_id"].as_str().and_then(|id| self.streams.get_mut(id)) {
                    stream.acked = stream.acked.max(params["seq"].as_u64().unwrap_or(0));
                }
                json!({})
            }
            "stream.stop" => {
                self.streams.remove(params["stream_id"].as_str().unwrap_or_default());
                json!({})
            }
            "shutdown" => json!({}),
            _ => return Err((-32601, format!("there is no method {method}"))),
        })
    }

    fn subscribe(&mut self, params: &Value) -> Result<Value, (i64, String)> {
        let method = params["method"].as_str().unwrap_or_default();
        if !["hello.count", "hello.ticks"].contains(&method) {
            return Err((-32602, format!("there is no stream {method}")));
        }
        self.made += 1;
        let id = format!("hello-{}", self.made);
        self.streams.insert(id.clone(), Stream {
            method: method.to_string(),
            frames: params["params"]["frames"].as_u64().unwrap_or(100),
            window: (params["mode"] == "reliable").then(|| params["window"].as_u64().unwrap_or(64)),
            sent: 0,
            acked: 0,
        });
        Ok(json!({"stream_id": id}))
    }

    /// Sends what a stream may send now. The answer that names the stream, or
    /// the ack that gave it credit, has been dealt with before.
    fn advance(&mut self, id: &str) -> io::Result<()> {
        let Some(mut stream) = self.streams.remove(id) else { return Ok(()) };
        while stream.sent < stream.frames && stream.window.is_none_or(|w| stream.sent < stream.acked + w) {
            stream.sent += 1;
            self.send(&json!({"jsonrpc": "2.0", "method": stream.method,
                              "params": {"stream_id": id, "seq": stream.sent, "data": {"count": stream.sent}}}))?;
        }
        if stream.sent == stream.frames {
            return self.send(&json!({"jsonrpc": "2.0", "method": "stream.end", "params": {"stream_id": id, "last_seq": stream.sent}}));
        }
        self.streams.insert(id.to_string(), stream);
        Ok(())
    }
}
