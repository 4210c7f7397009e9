//! What the tests of the real binary share: running it, talking MCP to it, a repository to read.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "each test takes what it needs"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longest any single answer or exit is waited for. Reached only by a failing test.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// The binary under test, in an environment of its own.
pub fn wit(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wit"));
    command.env_clear().env("HOME", home).env("TMPDIR", home).current_dir(home);
    command
}

/// A repository with one commit, under `directory/repository`.
pub fn repository(directory: &Path) -> PathBuf {
    let path = directory.join("repository");
    std::fs::create_dir_all(path.join("src")).unwrap();
    std::fs::write(path.join("README.md"), "# fixture\n\nA needle in here.\n").unwrap();
    std::fs::write(path.join("src/main.rs"), "fn main() {\n    println!(\"hello\");\n}\n").unwrap();
    for arguments in [
        &["init", "--quiet", "--initial-branch=main"][..],
        &["add", "."],
        &["-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "--quiet", "-m", "one"],
    ] {
        let status = Command::new("git")
            .args(arguments)
            .current_dir(&path)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", "2024-01-01T00:00:00Z")
            .env("GIT_COMMITTER_DATE", "2024-01-01T00:00:00Z")
            .status()
            .expect("git runs");
        assert!(status.success(), "git {arguments:?}");
    }
    path
}

/// How a command ended: exit status, stdout and stderr in one text, machine paths replaced.
pub fn outcome(command: &mut Command, stdin: &[u8], home: &Path) -> String {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("wit starts");
    // A command that reads no stdin closes it before this is written.
    let _ = child.stdin.take().expect("stdin is piped").write_all(stdin);
    let output = child.wait_with_output().expect("wit ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&*home.to_string_lossy(), "[HOME]");
    format!(
        "exit: {}\n--- stdout\n{}--- stderr\n{}",
        output.status.code().map_or_else(|| "killed".to_owned(), |code| code.to_string()),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// A client of `wit mcp`.
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
}

impl Client {
    /// Starts a server with these arguments after `mcp`; nothing is sent yet.
    pub fn start(mut command: Command, arguments: &[&str]) -> Self {
        let mut child = command
            .arg("mcp")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("wit starts");
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { stdin: child.stdin.take(), child, lines, next_id: 0 }
    }

    /// The same, after the handshake of 2025-11-25.
    pub fn initialized(command: Command, arguments: &[&str]) -> Self {
        let mut client = Self::start(command, arguments);
        client.initialize("2025-11-25");
        client
    }

    pub fn initialize(&mut self, version: &str) -> Value {
        let answer = self.request(
            "initialize",
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}),
        );
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    /// Sends one line.
    pub fn send_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(format!("{line}\n").as_bytes()).expect("wit reads");
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    /// Sends a request and gives its id.
    pub fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}));
        self.next_id
    }

    /// Sends a request and waits for the answer with its id; anything else on the way fails the test.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool and gives the `result`.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))["result"].take()
    }

    /// The next line, exactly.
    pub fn receive_line(&mut self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("an answer")
    }

    /// The next message. Every line must be one (I11).
    pub fn receive(&mut self) -> Value {
        let line = self.receive_line();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("not a frame: {line}"))
    }

    /// Asserts that nothing more was sent: the server answers a ping, and the ping's answer comes next.
    pub fn expect_silence(&mut self) {
        let answer = self.request("ping", json!({}));
        assert_eq!(answer["result"], json!({}));
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Closes stdin.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end: status, time it took, the lines that were left, and stderr.
    pub fn end(mut self) -> (ExitStatus, Duration, Vec<String>, String) {
        let started = Instant::now();
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => rest.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("stdout stays open"),
            }
        }
        let status = self.child.wait().expect("wit ends");
        let mut stderr = String::new();
        let _ = self.child.stderr.take().expect("stderr is piped").read_to_string(&mut stderr);
        (status, started.elapsed(), rest, stderr)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Snapshots live in the workspace's own folder.
pub fn with_snapshots(test: impl FnOnce()) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(test);
}
