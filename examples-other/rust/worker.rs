//! A whole Handoff worker in Rust, with serde_json; docs/PROTOCOL.md tells what it says and hears.

use serde_json::{from_slice, json, Value};
use std::collections::{HashMap, HashSet};
use std::env::var;
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::os::unix::net::UnixStream;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::{exit, id as process_id};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Your part: from a request to status, headers and content. Requests come one after the other.
fn handle(request: &Value, body: Vec<u8>) -> (u16, Value, Vec<u8>) {
    let text = json!([["content-type", "text/plain"]]);
    let target = request["target"].as_str().unwrap_or("");
    match target.split('?').next() {
        Some("/") => (200, text, b"hello\n".to_vec()),
        Some("/echo") => {
            let (method, all) = (&request["method"], request["headers"].to_string());
            let headers = json!([["Echo-Method", method], ["Echo-Target", target], ["Echo-Headers", all]]);
            (200, headers, body)
        }
        _ => (404, text, b"There is nothing here.\n".to_vec()),
    }
}

const SECOND: Duration = Duration::from_secs(1);
static TERMINATED: AtomicBool = AtomicBool::new(false);

/// One connection to the core.
struct Worker {
    core: UnixStream,
    out: Vec<u8>, // what the core gets next, in one write for one read: the speed
    limits: Value,
    streams: bool,
    draining: bool,
    clocks: HashSet<u64>,                   // event streams under way
    uploads: HashMap<u64, (Value, Vec<u8>)>, // requests in pieces
    credit: HashMap<u64, i64>,              // the bytes that may still be sent to each clock and each WebSocket
}

impl Worker {
    fn new(core: UnixStream) -> Worker {
        let (clocks, uploads, credit) = Default::default();
        Worker { core, out: vec![], limits: json!({}), streams: false, draining: false, clocks, uploads, credit }
    }

    /// Goes on until the core hangs up, which is no fault.
    fn serve(&mut self) -> Result<()> {
        let variable = |name| var(name).ok().filter(|value| !value.is_empty());
        // 1 or 2 for a handler that waits for others
        let window = variable("HANDOFF_CONCURRENCY").and_then(|text| text.parse::<u32>().ok()).unwrap_or(64);
        self.send(json!({"type": "hello", "protocol": 1, "concurrency": window, "pid": process_id(), "language": "rust",
            "pool": variable("HANDOFF_POOL"), "token": variable("HANDOFF_TOKEN"),
            "features": ["streams", "websockets"], "streams": 1000}), b"");
        let (mut unread, mut chunk) = (vec![], [0; 65536]);
        let mut tick = Instant::now() + SECOND;
        loop {
            self.core.write_all(&self.out)?;
            self.out.clear();
            let wait = tick.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            self.core.set_read_timeout(Some(wait))?;
            match self.core.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(count) => unread.extend_from_slice(&chunk[..count]),
                Err(error) if [ErrorKind::WouldBlock, ErrorKind::Interrupted].contains(&error.kind()) => {}
                Err(error) => return Err(error),
            }
            let taken = self.take_frames(&unread)?;
            unread.drain(..taken);
            if TERMINATED.load(Relaxed) && !self.draining {
                self.draining = true; // no new requests; the core hangs up when it has all responses
                self.send(json!({"type": "drain"}), b"");
            }
            if Instant::now() >= tick {
                tick = Instant::now() + SECOND;
                self.tick();
            }
        }
    }

    fn send(&mut self, head: Value, body: &[u8]) {
        let text = head.to_string();
        let over = |limit: &Value, size: usize| limit.as_u64().is_some_and(|most| size as u64 > most);
        if head["type"] == "response" && (over(&self.limits["jsonBytes"], text.len()) || over(&self.limits["bodyBytes"], body.len())) {
            return self.fail(&head["id"], "the response is larger than the core takes");
        }
        self.out.extend_from_slice(&(text.len() as u32).to_be_bytes());
        self.out.extend_from_slice(&(body.len() as u32).to_be_bytes());
        self.out.extend_from_slice(text.as_bytes());
        self.out.extend_from_slice(body);
    }

    fn fail(&mut self, id: &Value, why: &str) {
        self.send(json!({"type": "failure", "id": id, "message": why}), b"");
    }

    /// How many bytes were whole frames.
    fn take_frames(&mut self, unread: &[u8]) -> Result<usize> {
        let mut at = 0;
        let length = |at: usize| u32::from_be_bytes(unread[at..at + 4].try_into().unwrap()) as usize;
        while unread.len() >= at + 8 {
            let body = at + 8 + length(at);
            let end = body + length(at + 4);
            if unread.len() < end {
                break;
            }
            self.take(from_slice(&unread[at + 8..body])?, unread[body..end].to_vec())?;
            at = end;
        }
        Ok(at)
    }

    fn take(&mut self, mut head: Value, body: Vec<u8>) -> Result<()> {
        if !head.is_object() {
            return Err(Error::new(ErrorKind::InvalidData, "the core sent a frame that is no object"));
        }
        let id = head["id"].as_u64().unwrap_or(0);
        match head["type"].as_str().unwrap_or("") {
            "welcome" => {
                self.streams = head["features"].as_array().is_some_and(|all| all.contains(&json!("streams")));
                self.limits = head["limits"].take();
            }
            "request" if id == 0 => return Err(Error::new(ErrorKind::InvalidData, "a request without an id")),
            "request" if head["more"] == true => drop(self.uploads.insert(id, (head, body))),
            "request" => self.start(id, head, body),
            "data" => {
                if let Some((request, mut begun)) = self.uploads.remove(&id) {
                    begun.extend(body);
                    if head["more"] == true {
                        self.uploads.insert(id, (request, begun));
                    } else {
                        self.start(id, request, begun);
                    }
                }
            }
            "credit" => drop(self.credit.entry(id).and_modify(|bytes| *bytes += head["bytes"].as_i64().unwrap_or(0))),
            "message" => self.spend(id, body.len() + 64, json!({"type": "message", "id": id, "text": head["text"]}), &body),
            "close" if self.credit.remove(&id).is_some() => self.send(json!({"type": "close", "id": id}), b""),
            "cancel" if self.clocks.contains(&id) => self.end_clock(id),
            "cancel" if self.uploads.remove(&id).is_some() => self.fail(&json!(id), "cancelled"),
            "ping" => self.send(json!({"type": "pong"}), b""),
            "drain" => self.draining = true,
            "refused" => return Err(Error::other(format!("refused: {}", head["message"]))),
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, id: u64, request: Value, body: Vec<u8>) {
        let first_credit = self.limits["streamBytes"].as_i64().unwrap_or(65536);
        if request["target"] == "/clock" && self.streams {
            let headers = [["content-type", "text/event-stream"], ["cache-control", "no-store"]];
            self.send(json!({"type": "response", "id": id, "status": 200, "headers": headers, "more": true}), b"");
            self.clocks.insert(id);
            self.credit.insert(id, first_credit);
        } else if request["target"] == "/chat" && request["websocket"].is_array() {
            self.send(json!({"type": "response", "id": id, "status": 101, "more": true}), b"");
            self.credit.insert(id, first_credit);
        } else if let Ok((status, headers, content)) = catch_unwind(AssertUnwindSafe(|| handle(&request, body))) {
            self.send(json!({"type": "response", "id": id, "status": status, "headers": headers}), &content);
        } else {
            self.fail(&json!(id), "the handler panicked: its message is above");
        }
    }

    /// A client that does not read misses what is sent meanwhile.
    fn spend(&mut self, id: u64, bytes: usize, head: Value, body: &[u8]) {
        if let Some(left) = self.credit.get_mut(&id).filter(|left| **left > 0) {
            *left -= bytes as i64;
            self.send(head, body);
        }
    }

    fn tick(&mut self) {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() % 86400;
        let event = format!("data: {:02}:{:02}:{:02}\n\n", seconds / 3600, seconds / 60 % 60, seconds % 60);
        for id in self.clocks.clone() {
            self.spend(id, event.len(), json!({"type": "data", "id": id, "more": true}), event.as_bytes());
            if self.draining {
                self.end_clock(id); // browsers connect again, and find another worker
            }
        }
    }

    fn end_clock(&mut self, id: u64) {
        self.clocks.remove(&id);
        self.credit.remove(&id);
        self.send(json!({"type": "data", "id": id}), b"");
    }
}

extern "C" fn terminate(_: i32) {
    TERMINATED.store(true, Relaxed);
}

extern "C" {
    fn signal(number: i32, handler: usize) -> usize;
}

fn main() {
    let Some(socket) = var("HANDOFF_SOCKET").ok().filter(|path| !path.is_empty()) else {
        eprintln!("HANDOFF_SOCKET is not set: start this worker with 'handoff run ./worker'");
        exit(2);
    };
    let (sigint, sigterm, ignore) = (2, 15, 1);
    unsafe {
        signal(sigint, ignore); // Ctrl-C reaches the core, which drains its workers
        signal(sigterm, terminate as *const () as usize);
    }
    let mut pause = Duration::from_millis(100);
    loop {
        let mut drained = false;
        let ended = UnixStream::connect(&socket).and_then(|core| {
            let mut worker = Worker::new(core);
            let ended = worker.serve();
            drained = worker.draining && ended.is_ok();
            ended
        });
        if let Err(error) = ended {
            eprintln!("no core, or a broken frame: {error}");
        }
        if TERMINATED.load(Relaxed) || var("HANDOFF_TOKEN").is_ok_and(|token| !token.is_empty()) {
            exit(if drained { 0 } else { 1 }); // a worker that the core started leaves with it
        }
        pause = if drained { Duration::from_millis(100) } else { pause };
        let chance = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos() % 1000;
        std::thread::sleep(pause * (500 + chance) / 1000);
        pause = (2 * pause).min(5 * SECOND);
    }
}
