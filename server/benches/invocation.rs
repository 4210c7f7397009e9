//! What an invocation costs, beside spawning a program that does nothing, in one run (DESIGN §12).
//!
//! `cargo bench -p wit --bench invocation` prints medians of: `return 1+1` through `wit mcp --mode code` over stdio,
//! 20 ms apart, back to back, without spare workers; invocations a second four at a time; resident memory. Machines
//! differ and are noisy: the ratios are what counts. The program that does nothing is a static C program, or
//! `true` where no C compiler is installed.

#![expect(clippy::print_stdout, clippy::expect_used, reason = "a bench prints, and stops when its ground is missing")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 300;
const PACED_ROUNDS: usize = 100;
const PACE: Duration = Duration::from_millis(20);

fn main() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let noop = noop(directory.path());
    let mut spares = Server::start(directory.path(), None);
    let mut bare = Server::start(directory.path(), Some("spare_workers = 0\n"));
    for _ in 0..10 {
        spares.call();
        bare.call();
    }

    let (mut spawn, mut back_to_back, mut without) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        spawn.push(timed(|| run(&noop)));
        back_to_back.push(timed(|| spares.call()));
        without.push(timed(|| bare.call()));
    }
    let mut burst = Vec::new();
    for _ in 0..ROUNDS {
        burst.push(timed(|| spares.call()));
    }
    let mut paced = Vec::new();
    for _ in 0..PACED_ROUNDS {
        std::thread::sleep(PACE);
        paced.push(timed(|| spares.call()));
    }
    let unit = median(&mut spawn);
    let row = |name: &str, samples: &mut Vec<Duration>, bound: &str| {
        let p50 = median(samples);
        println!("{name:<38} p50 {:>7.3} ms   {:>5.2} x no-op spawn   (bound {bound})", ms(p50), ms(p50) / ms(unit));
    };
    println!("{:<38} p50 {:>7.3} ms", "spawn of a program that does nothing", ms(unit));
    row("return 1+1, calls 20 ms apart", &mut paced, "1");
    row("return 1+1, back to back", &mut burst, "2.5");
    row("return 1+1, after a no-op spawn each", &mut back_to_back, "2.5");
    row("return 1+1, without spare workers", &mut without, "3");
    println!("{:<38} {:>11.0} /s   (bound 800)", "four at a time", spares.burst());
    println!("{:<38} {:>11} KiB (bound 20480)", "parent, resident", resident(spares.child.id()).unwrap_or(0));
    if let Some(worker) = spares.worker() {
        println!("{:<38} {:>11} KiB (bound 4096)", "idle worker, resident", resident(worker).unwrap_or(0));
    }
}

/// A static program that returns 0.
fn noop(directory: &Path) -> PathBuf {
    let (source, program) = (directory.join("noop.c"), directory.join("noop"));
    std::fs::write(&source, "int main(){return 0;}").expect("a writable directory");
    let compiled = Command::new("cc").args(["-O2", "-static", "-o"]).arg(&program).arg(&source).status();
    if compiled.is_ok_and(|status| status.success()) { program } else { PathBuf::from("true") }
}

fn run(program: &Path) {
    let status = Command::new(program).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.is_ok_and(|status| status.success()));
}

fn timed(act: impl FnOnce()) -> Duration {
    let began = Instant::now();
    act();
    began.elapsed()
}

fn median(samples: &mut [Duration]) -> Duration {
    samples.sort_unstable();
    samples[samples.len() / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn resident(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.split_ascii_whitespace().next()?.parse().ok()
}

/// A running server and its stdio.
struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    id: u64,
}

impl Server {
    fn start(directory: &Path, policy: Option<&str>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wit"));
        command.args(["mcp", "--mode", "code", "--cache-dir"]).arg(directory.join("cache"));
        if let Some(text) = policy {
            let file = directory.join("policy.toml");
            std::fs::write(&file, text).expect("a writable directory");
            command.arg("--policy").arg(file);
        }
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the binary");
        let (stdin, stdout) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let mut this = Self { child, stdin, stdout: BufReader::new(stdout), id: 0 };
        this.request(
            "initialize",
            "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"0\"}}",
        );
        this.answer();
        writeln!(this.stdin, "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}")
            .expect("a live server");
        this
    }

    fn request(&mut self, method: &str, parameters: &str) {
        self.id += 1;
        let id = self.id;
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{parameters}}}\n");
        self.stdin.write_all(line.as_bytes()).expect("a live server");
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("a live server");
        line
    }

    fn ask(&mut self) {
        self.request("tools/call", "{\"name\":\"code\",\"arguments\":{\"code\":\"return 1+1;\"}}");
    }

    fn check(&mut self) {
        let line = self.answer();
        assert!(line.contains("\"value\":2"), "{line}");
    }

    fn call(&mut self) {
        self.ask();
        self.check();
    }

    /// Invocations a second with four outstanding at all times.
    fn burst(&mut self) -> f64 {
        let began = Instant::now();
        (0..4).for_each(|_| self.ask());
        for _ in 4..2 * ROUNDS {
            self.check();
            self.ask();
        }
        (0..4).for_each(|_| self.check());
        f64::from(u32::try_from(2 * ROUNDS).unwrap_or(u32::MAX)) / began.elapsed().as_secs_f64()
    }

    /// A spare worker, while nothing runs.
    fn worker(&self) -> Option<u32> {
        let server = self.child.id();
        let tasks = std::fs::read_dir(format!("/proc/{server}/task")).ok()?;
        tasks.flatten().find_map(|task| {
            let children = std::fs::read_to_string(task.path().join("children")).ok()?;
            children.split_ascii_whitespace().next()?.parse().ok()
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
