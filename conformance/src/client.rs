//! A small MCP client over the standard streams of a server process.
//!
//! It keeps every byte that comes out, so that purity of stdout (I11) and absence of canaries (I7) are judged on all
//! of it, and a transcript for people. It believes nothing: a line that is not one JSON-RPC message is recorded as an
//! impurity instead of being skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::process::{self, Process};

/// The revision of the protocol that the client asks for.
pub const PROTOCOL_VERSION: &str = "2025-11-25";
/// How much of one line the transcript shows, in characters.
const SHOWN_CHARACTERS: usize = 1500;

/// The longest a process may take to stand once it was sent SIGSTOP.
const STOPS: Duration = Duration::from_secs(20);

/// How a server's process is held beyond what every one is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Confinement {
    /// It leads a process group of its own, and what is left of the group is killed when it has ended: a foreign server
    /// may start what outlives it.
    pub group: bool,
    /// The most data, in bytes, that it and each process it starts may have.
    pub data_bytes: Option<u64>,
}

/// A server process and the connection to it.
pub struct Server {
    child: Child,
    /// The process group to be killed at the end.
    group: Option<rustix::process::Pid>,
    stdin: Option<ChildStdin>,
    shared: Arc<Shared>,
    readers: Vec<JoinHandle<()>>,
    next_id: u64,
    process: Option<Process>,
    /// Every worker that was ever seen.
    seen: BTreeSet<Process>,
}

/// What the reader threads write and the client reads.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    began: Instant,
}

#[derive(Default)]
struct State {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    answers: BTreeMap<u64, (Value, Instant)>,
    impurities: Vec<String>,
    transcript: Vec<String>,
    ended: bool,
}

/// What is left when the server has ended.
pub struct Ended {
    /// Its exit status; none if it had to be killed because it did not end by itself.
    pub status: Option<ExitStatus>,
    /// The time from the end of its input to its own end.
    pub took: Duration,
    /// Workers that were still there afterwards.
    pub orphans: Vec<Process>,
    /// Everything it wrote to stdout.
    pub stdout: Vec<u8>,
    /// Everything it wrote to stderr.
    pub stderr: Vec<u8>,
    /// Lines of stdout that were not one protocol message.
    pub impurities: Vec<String>,
    /// What went back and forth.
    pub transcript: Vec<String>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, arrow: &str, text: &str) {
        let line = format!("{:>6} ms {arrow} {}", self.began.elapsed().as_millis(), shorten(text));
        self.lock().transcript.push(line);
    }
}

impl Server {
    /// Starts the program with nothing in its environment but what is given.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(
        program: &Path,
        arguments: &[OsString],
        environment: &[(OsString, OsString)],
        directory: &Path,
    ) -> Result<Self> {
        Self::start_confined(program, arguments, environment, directory, Confinement::default())
    }

    /// The same with the process held.
    ///
    /// # Errors
    /// As [`Self::start`], and when the limit cannot be set.
    pub fn start_confined(
        program: &Path,
        arguments: &[OsString],
        environment: &[(OsString, OsString)],
        directory: &Path,
        confinement: Confinement,
    ) -> Result<Self> {
        let mut command = Command::new(program);
        if confinement.group {
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        let mut child = command
            .args(arguments)
            .env_clear()
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let pid = rustix::process::Pid::from_child(&child);
        let group = confinement.group.then_some(pid);
        if let Some(bytes) = confinement.data_bytes {
            // Before a first byte reaches it, so before it can have started anything.
            let limit = rustix::process::Rlimit { current: Some(bytes), maximum: Some(bytes) };
            if let Err(error) = rustix::process::prlimit(Some(pid), rustix::process::Resource::Data, limit) {
                drop(child.kill());
                drop(child.wait());
                bail!("the server's memory cannot be limited: {error}");
            }
        }
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new(), began: Instant::now() });
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdout), Some(stderr)) = (stdout, stderr) else { bail!("the server has no pipes") };
        let readers = vec![
            std::thread::spawn({
                let shared = Arc::clone(&shared);
                move || read_messages(BufReader::new(stdout), &shared)
            }),
            std::thread::spawn({
                let shared = Arc::clone(&shared);
                move || read_diagnostics(stderr, &shared)
            }),
        ];
        let process = i32::try_from(child.id()).ok().and_then(Process::find);
        Ok(Self { child, group, stdin, shared, readers, next_id: 0, process, seen: BTreeSet::new() })
    }

    /// Does the handshake.
    ///
    /// # Errors
    /// When no answer comes, or one that is an error.
    pub fn initialize(&mut self, timeout: Duration) -> Result<Value> {
        let parameters = json!({
            "protocolVersion": PROTOCOL_VERSION,
            "capabilities": {},
            "clientInfo": { "name": "wit-conformance", "version": env!("CARGO_PKG_VERSION") },
        });
        let id = self.request("initialize", &parameters)?;
        let Some((answer, _)) = self.wait(id, timeout) else { bail!("the server did not answer initialize") };
        let Some(result) = answer.get("result") else { bail!("initialize failed: {answer}") };
        let result = result.clone();
        self.notify("notifications/initialized", &json!({}))?;
        Ok(result)
    }

    /// Sends a request and gives its id.
    ///
    /// # Errors
    /// When the server's input is closed.
    pub fn request(&mut self, method: &str, parameters: &Value) -> Result<u64> {
        self.request_raw(method, &parameters.to_string())
    }

    /// The same with parameters that need not be JSON.
    ///
    /// # Errors
    /// When the server's input is closed.
    pub fn request_raw(&mut self, method: &str, parameters: &str) -> Result<u64> {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{parameters}}}"))?;
        Ok(id)
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// When the server's input is closed.
    pub fn notify(&mut self, method: &str, parameters: &Value) -> Result<()> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": parameters }).to_string())
    }

    /// Withdraws a request.
    ///
    /// # Errors
    /// When the server's input is closed.
    pub fn cancel(&mut self, id: u64) -> Result<()> {
        self.notify("notifications/cancelled", &json!({ "requestId": id, "reason": "conformance" }))
    }

    fn send(&mut self, line: &str) -> Result<()> {
        self.shared.note("→", line);
        let Some(stdin) = &mut self.stdin else { bail!("the server's input is closed") };
        stdin.write_all(line.as_bytes())?;
        stdin.write_all(b"\n")?;
        Ok(stdin.flush()?)
    }

    /// Waits for the answer to a request; none when it does not come in time or the server has gone.
    pub fn wait(&mut self, id: u64, timeout: Duration) -> Option<(Value, Instant)> {
        let end = Instant::now() + timeout;
        let mut state = self.shared.lock();
        loop {
            if let Some(answer) = state.answers.remove(&id) {
                return Some(answer);
            }
            let left = end.saturating_duration_since(Instant::now());
            if state.ended || left.is_zero() {
                return None;
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The server's own process.
    #[must_use]
    pub fn process(&self) -> Option<Process> {
        self.process
    }

    /// The processes the server has started and not reaped.
    pub fn workers(&mut self) -> BTreeSet<Process> {
        let workers = self.process.map(|server| process::children(server.pid)).unwrap_or_default();
        self.seen.extend(&workers);
        workers
    }

    /// Waits for a worker that has used this much processor time: one that is running a script, not one that waits.
    pub fn wait_for_busy_worker(&mut self, ticks: u64, timeout: Duration) -> Option<Process> {
        process::wait_for(timeout, || self.workers().into_iter().find(|worker| worker.cpu_ticks() >= ticks))
    }

    /// Waits until some worker has locked itself down and waits.
    pub fn wait_for_an_idle_worker(&mut self, timeout: Duration) -> bool {
        process::wait_for(timeout, || self.workers().into_iter().find(|worker| worker.is_idle_worker())).is_some()
    }

    /// Waits until this many workers wait for something to do, and nobody else is there.
    pub fn wait_for_idle_workers(&mut self, count: usize, timeout: Duration) -> Option<BTreeSet<Process>> {
        let server = self.process?;
        process::wait_for(timeout, || {
            self.workers();
            process::idle_workers(server.pid, count)
        })
    }

    /// Waits until one of these processes has gone.
    pub fn wait_until_one_is_gone(&mut self, processes: &BTreeSet<Process>, timeout: Duration) -> bool {
        let gone = process::wait_for(timeout, || {
            self.workers();
            processes.iter().any(|process| !process.exists()).then_some(())
        });
        gone.is_some()
    }

    /// Waits until at most this many workers are left, and none of them unreaped.
    ///
    /// # Errors
    /// Those that are left.
    pub fn wait_for_idle(&mut self, workers: usize, timeout: Duration) -> Result<(), Vec<Process>> {
        let mut left = BTreeSet::new();
        let idle = process::wait_for(timeout, || {
            left = self.workers();
            (left.len() <= workers && !left.iter().any(|worker| worker.is_zombie())).then_some(())
        });
        idle.ok_or_else(|| left.into_iter().collect())
    }

    /// Adds a remark to the transcript.
    pub fn remark(&self, text: &str) {
        self.shared.note("·", text);
    }

    /// Kills a worker, or the server itself, as the kernel or an operator would.
    ///
    /// # Errors
    /// When it is not there any more.
    pub fn kill(&mut self, which: Process) -> Result<()> {
        self.remark(&format!("SIGKILL to {}", which.pid));
        Ok(which.signal(rustix::process::Signal::KILL)?)
    }

    /// Stops a worker, and waits until it stands.
    ///
    /// # Errors
    /// When it is not there any more, or does not stop.
    pub fn stop(&mut self, which: Process) -> Result<()> {
        self.remark(&format!("SIGSTOP to {}", which.pid));
        which.signal(rustix::process::Signal::STOP)?;
        let stands = || (!which.exists() || which.is_zombie() || which.is_stopped()).then_some(());
        process::wait_for(STOPS, stands).with_context(|| format!("process {} does not stop", which.pid))
    }

    /// Kills the server without a chance to clean up. It is stopped first, so that what it leaves behind is known.
    ///
    /// # Errors
    /// When it is not there any more.
    pub fn kill_server(&mut self) -> Result<()> {
        let server = self.process.context("the server has no process")?;
        self.stop(server)?;
        self.workers();
        self.kill(server)
    }

    /// Closes the server's input.
    pub fn close(&mut self) {
        if self.stdin.take().is_some() {
            self.remark("end of input");
        }
    }

    /// Closes the input, and waits for the server and every worker to end; kills them if they do not.
    ///
    /// # Errors
    /// When the process cannot be waited for.
    pub fn finish(mut self, timeout: Duration) -> Result<Ended> {
        let began = Instant::now();
        self.close();
        let status = process::wait_for(timeout, || {
            // Also catches a spare that is started while the server goes down.
            self.workers();
            self.child.try_wait().transpose()
        })
        .transpose()?;
        let took = began.elapsed();
        if status.is_none() {
            self.child.kill()?;
            self.child.wait()?;
        }
        self.kill_group();
        let orphans = self.wait_for_orphans(timeout);
        for orphan in &orphans {
            if let Some(pid) = rustix::process::Pid::from_raw(orphan.pid) {
                // It is reported; here it only must not disturb the next case.
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
        for reader in self.readers.drain(..) {
            drop(reader.join());
        }
        let mut state = self.shared.lock();
        Ok(Ended {
            status,
            took,
            orphans,
            stdout: std::mem::take(&mut state.stdout),
            stderr: std::mem::take(&mut state.stderr),
            impurities: std::mem::take(&mut state.impurities),
            transcript: std::mem::take(&mut state.transcript),
        })
    }

    /// Kills what is left of the group. Its number is not reused while a member lives, and none may when none does.
    fn kill_group(&mut self) {
        if let Some(group) = self.group.take() {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }

    fn wait_for_orphans(&self, timeout: Duration) -> Vec<Process> {
        let mut left = Vec::new();
        process::wait_for(timeout, || {
            // A zombie whose parent is gone waits for whoever adopted it, not for anything of ours.
            left = self.seen.iter().copied().filter(|p| p.exists() && !p.is_zombie()).collect();
            left.is_empty().then_some(())
        });
        left
    }

    /// What went back and forth up to now.
    #[must_use]
    pub fn transcript(&self) -> Vec<String> {
        self.shared.lock().transcript.clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Reached only when a case failed half-way; the process must not outlive it.
        if matches!(self.child.try_wait(), Ok(None)) {
            self.kill_group();
            drop(self.child.kill());
            drop(self.child.wait());
        }
    }
}

fn read_messages(mut stdout: impl BufRead, shared: &Shared) {
    let mut line = Vec::new();
    loop {
        line.clear();
        match stdout.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        let arrived = Instant::now();
        shared.note("←", String::from_utf8_lossy(&line).trim_end());
        let mut state = shared.lock();
        state.stdout.extend_from_slice(&line);
        match message(&line) {
            Ok((value, id)) => {
                if let Some(id) = id
                    && state.answers.insert(id, (value, arrived)).is_some()
                {
                    state.impurities.push(format!("request {id} was answered twice"));
                }
            }
            Err(why) => {
                let text = shorten(String::from_utf8_lossy(&line).trim_end());
                state.impurities.push(format!("{why}: {text}"));
            }
        }
        drop(state);
        shared.changed.notify_all();
    }
    shared.lock().ended = true;
    shared.changed.notify_all();
}

/// A line as a JSON-RPC message, with the id if it is an answer.
fn message(line: &[u8]) -> Result<(Value, Option<u64>), &'static str> {
    let body = line.strip_suffix(b"\n").ok_or("the last line has no end")?;
    let value: Value = serde_json::from_slice(body).map_err(|_| "a line of stdout is not JSON")?;
    if value.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err("a line of stdout is not a JSON-RPC message");
    }
    let answer = value.get("result").is_some() != value.get("error").is_some();
    let id = value.get("id");
    match (answer, value.get("method").is_some()) {
        // An error about a message that could not be read has no id.
        (true, false) => Ok((value.clone(), id.and_then(Value::as_u64))),
        (false, true) => Ok((value, None)),
        _ => Err("a line of stdout is neither an answer nor a call"),
    }
}

fn read_diagnostics(mut stderr: impl Read, shared: &Shared) {
    let mut buffer = [0; 8192];
    while let Ok(read @ 1..) = stderr.read(&mut buffer) {
        let bytes = buffer.get(..read).unwrap_or_default();
        shared.lock().stderr.extend_from_slice(bytes);
    }
}

/// A text short enough for a transcript.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_protocol_messages_are_pure() {
        for good in [
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#,
        ] {
            assert!(message(format!("{good}\n").as_bytes()).is_ok(), "{good}");
        }
        for bad in [
            "",
            "warning: something",
            "{}",
            r#"{"jsonrpc":"2.0"}"#,
            r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#,
            r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":2,"result":{}}"#,
        ] {
            assert!(message(format!("{bad}\n").as_bytes()).is_err(), "{bad}");
        }
        assert!(message(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#).is_err(), "a torn last line");
    }

    #[test]
    fn impurities_and_answers_are_told_apart() {
        let shared = Shared { state: Mutex::default(), changed: Condvar::new(), began: Instant::now() };
        let text =
            "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\nhello\n{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n";
        read_messages(text.as_bytes(), &shared);
        let state = shared.lock();
        assert!(state.ended && state.answers.contains_key(&3));
        assert_eq!(state.impurities.len(), 2, "{:?}", state.impurities);
        assert_eq!(state.stdout, text.as_bytes());
    }
}
