//! A client that many threads share: each waits for its own answer, and nothing is kept once it is judged.
//!
//! [`crate::client`] keeps every byte for the verdict on one case; over twenty thousand calls that would be the
//! biggest thing in memory.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// The connection to one server.
pub(super) struct Wire {
    stdin: Mutex<Option<ChildStdin>>,
    next: AtomicU64,
    desk: Arc<Desk>,
}

/// Where answers are handed out.
#[derive(Default)]
struct Desk {
    waiting: Mutex<HashMap<u64, Sender<(Value, Instant)>>>,
    /// Requests that were withdrawn: an answer to one is told apart from one that nobody asked for.
    withdrawn: Mutex<HashSet<u64>>,
    /// Answers to withdrawn requests.
    late: Mutex<Vec<(u64, Value)>>,
    faults: Mutex<Vec<String>>,
}

/// A request on its way.
pub(super) struct Pending {
    pub(super) id: u64,
    pub(super) sent: Instant,
    answer: Receiver<(Value, Instant)>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Wire {
    /// Takes the two ends, and reads until the server closes its own.
    pub(super) fn new(stdin: ChildStdin, stdout: ChildStdout) -> (Self, JoinHandle<()>) {
        let desk = Arc::new(Desk::default());
        let theirs = Arc::clone(&desk);
        let reader = std::thread::spawn(move || theirs.read(BufReader::new(stdout)));
        (Self { stdin: Mutex::new(Some(stdin)), next: AtomicU64::new(1), desk }, reader)
    }

    /// Does the handshake.
    pub(super) fn initialize(&self, timeout: Duration) -> Result<()> {
        let parameters = json!({
            "protocolVersion": crate::client::PROTOCOL_VERSION,
            "capabilities": {},
            "clientInfo": { "name": "wit-soak", "version": env!("CARGO_PKG_VERSION") },
        });
        let pending = self.request("initialize", &parameters)?;
        let (answer, _) = pending.wait(timeout).context("the server did not answer initialize")?;
        anyhow::ensure!(answer.get("result").is_some(), "initialize failed: {answer}");
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
    }

    /// Calls the code tool.
    pub(super) fn call(&self, arguments: &Value) -> Result<Pending> {
        self.request("tools/call", &json!({ "name": "code", "arguments": arguments }))
    }

    fn request(&self, method: &str, parameters: &Value) -> Result<Pending> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = channel();
        lock(&self.desk.waiting).insert(id, sender);
        let sent = Instant::now();
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }))?;
        Ok(Pending { id, sent, answer })
    }

    /// Withdraws a request: from here on an answer to it is a fault, which [`Self::late`] tells.
    pub(super) fn cancel(&self, pending: Pending) -> Result<()> {
        lock(&self.desk.withdrawn).insert(pending.id);
        lock(&self.desk.waiting).remove(&pending.id);
        if let Ok((answer, _)) = pending.answer.try_recv() {
            lock(&self.desk.late).push((pending.id, answer));
        }
        self.send(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": pending.id, "reason": "soak" },
        }))
    }

    fn send(&self, message: &Value) -> Result<()> {
        let mut line = message.to_string();
        line.push('\n');
        let mut stdin = lock(&self.stdin);
        let pipe = stdin.as_mut().context("the server's input is closed")?;
        pipe.write_all(line.as_bytes())?;
        Ok(pipe.flush()?)
    }

    /// Closes the server's input.
    pub(super) fn close(&self) {
        lock(&self.stdin).take();
    }

    /// Answers to withdrawn requests that have come since the last look.
    pub(super) fn late(&self) -> Vec<(u64, Value)> {
        std::mem::take(&mut lock(&self.desk.late))
    }

    /// Lines that were no answer to anything, since the last look.
    pub(super) fn faults(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.desk.faults))
    }
}

impl Pending {
    /// The answer and when it came; none when it does not come in time.
    pub(super) fn wait(&self, timeout: Duration) -> Option<(Value, Instant)> {
        self.answer.recv_timeout(timeout).ok()
    }
}

impl Desk {
    fn read(&self, mut stdout: BufReader<ChildStdout>) {
        let mut line = Vec::new();
        while let Ok(1..) = stdout.read_until(b'\n', &mut line) {
            let arrived = Instant::now();
            self.hand_out(&line, arrived);
            line.clear();
        }
        // Whoever still waits learns that nothing more comes.
        lock(&self.waiting).clear();
    }

    fn hand_out(&self, line: &[u8], arrived: Instant) {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            let shown: String = String::from_utf8_lossy(line).chars().take(200).collect();
            return lock(&self.faults).push(format!("a line of stdout is not JSON: {shown}"));
        };
        let Some(id) = message.get("id").and_then(Value::as_u64) else {
            // A notification of the server's.
            return;
        };
        let waiting = lock(&self.waiting).remove(&id);
        if let Some(sender) = waiting {
            // Its thread may have given up; it has said so then.
            let _ = sender.send((message, arrived));
        } else if lock(&self.withdrawn).contains(&id) {
            lock(&self.late).push((id, message));
        } else {
            lock(&self.faults).push(format!("request {id} was answered twice, or never made"));
        }
    }
}

/// What a server writes to stderr: counted, searched for panics, and the last of it kept.
#[derive(Debug, Default)]
pub(super) struct Diagnostics {
    pub(super) bytes: u64,
    pub(super) panics: Vec<String>,
    pub(super) tail: String,
}

impl Diagnostics {
    /// Reads to the end.
    pub(super) fn read(stderr: std::process::ChildStderr) -> Self {
        let mut read = Self::default();
        let mut stderr = BufReader::new(stderr);
        let mut line = Vec::new();
        while let Ok(count @ 1..) = stderr.by_ref().take(64 * 1024).read_until(b'\n', &mut line) {
            read.bytes += count as u64;
            let text = String::from_utf8_lossy(&line);
            if text.contains("panicked at") {
                read.panics.push(text.trim_end().to_owned());
            }
            read.tail.push_str(&text);
            if read.tail.len() > 8 * 1024 {
                let cut = read.tail.len() - 4 * 1024;
                let cut = (cut..read.tail.len()).find(|at| read.tail.is_char_boundary(*at)).unwrap_or(cut);
                read.tail.drain(..cut);
            }
            line.clear();
        }
        read
    }
}
