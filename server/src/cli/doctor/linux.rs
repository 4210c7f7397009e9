//! Starts a real worker, hears it say `ready`, reads what the kernel says of it, and ends it. It is sent nothing.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use wit_worker::WORKER_ARGUMENT;
use wit_worker::protocol::{FrameDecoder, FromWorker};
use wit_worker::sandbox::exit::SANDBOX_UNAVAILABLE;
use wit_worker::sandbox::rlimits::RLIMITS;
use wit_worker::sandbox::status::verify_status;
use wit_worker::sandbox::{LAYERS, Layer, Requirement, landlock};

use super::{LayerReport, Platform, Sandbox, State};
use crate::codemode::WorkerProgram;

/// Longest wait for a worker to say `ready`; it takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);
/// Most bytes read of a worker that says why it could not lock itself down.
const COMPLAINT_BYTES: u64 = 512;

pub(super) fn platform() -> Platform {
    Platform {
        system: std::env::consts::OS,
        architecture: std::env::consts::ARCH,
        kernel: fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned(),
        root: rustix::process::geteuid().is_root(),
    }
}

pub(super) fn examine(worker: Option<&Path>) -> Sandbox {
    let program = WorkerProgram::new(worker.map(Path::to_owned));
    let refused = |problem| Sandbox { problem: Some(problem), ..Sandbox::default() };
    let sandbox = match Worker::start(&program) {
        Err(problem) => refused(problem),
        Ok(mut worker) => match worker.ready() {
            Err(problem) => refused(problem),
            Ok(reported) => judge(&worker, &reported, orphan(&program)),
        },
    };
    Sandbox { program: program.origin(), ..sandbox }
}

/// Whether a worker dies with its parent. The kernel watches the *thread* that made the worker, so one is started from
/// a thread that ends.
fn orphan(program: &WorkerProgram) -> Shown {
    let made = std::thread::scope(|scope| {
        let start = || Worker::start(program).and_then(|mut worker| worker.ready().map(|_| worker));
        scope.spawn(start).join()
    });
    let mut worker = match made {
        Ok(Ok(worker)) => worker,
        Ok(Err(problem)) => return Shown::Nothing(format!("a second {problem}")),
        Err(_) => return Shown::Nothing("a second worker cannot be started".to_owned()),
    };
    // Its stdout ends with it. Nothing is sent, so that it has no other reason to end.
    match worker.silence() {
        Ok(()) => match worker.0.wait().map(|status| status.signal()) {
            Ok(Some(9)) => Shown::Yes("a second worker was killed when the thread that made it ended".to_owned()),
            other => Shown::Contradicted(format!("an orphaned worker ended otherwise: {other:?}")),
        },
        Err(problem) => Shown::Contradicted(format!("an orphaned worker lives on: {problem}")),
    }
}

/// A worker started for this report. Killed and reaped when dropped.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Worker {
    /// As the supervisor starts one, with an empty environment.
    fn start(program: &WorkerProgram) -> Result<Self, String> {
        Command::new(program.path())
            .arg0("wit")
            .arg(WORKER_ARGUMENT)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map(Self)
            .map_err(|error| format!("the worker cannot be started: {}", error.kind()))
    }

    /// The layers named in its first frame, or why there is none.
    fn ready(&mut self) -> Result<Vec<String>, String> {
        let deadline = Instant::now() + PATIENCE;
        let mut decoder = FrameDecoder::new();
        let mut buffer = [0_u8; 4096];
        loop {
            match decoder.next_frame() {
                Ok(None) => {}
                Ok(Some(body)) => match FromWorker::parse(body) {
                    Ok(FromWorker::Ready(ready)) => return Ok(ready.layers),
                    _ => return Err("the worker's first frame is not `ready`".to_owned()),
                },
                Err(error) => return Err(format!("the worker does not speak the protocol: {error}")),
            }
            match self.read(deadline, &mut buffer)? {
                None => return Err("the worker did not say `ready` within 5 s".to_owned()),
                Some(0) => return Err(self.complaint()),
                Some(length) => decoder.push(&buffer[..length]),
            }
        }
    }

    /// Waits until it closes its stdout.
    fn silence(&mut self) -> Result<(), String> {
        match self.read(Instant::now() + PATIENCE, &mut [0_u8; 64])? {
            Some(0) => Ok(()),
            Some(_) => Err("it spoke unasked".to_owned()),
            None => Err("after 5 s".to_owned()),
        }
    }

    /// Reads from its stdout what comes before the deadline; `None` when nothing does, 0 at the end.
    fn read(&mut self, deadline: Instant, buffer: &mut [u8]) -> Result<Option<usize>, String> {
        let Some(stdout) = self.0.stdout.as_mut() else { return Err("the worker has no stdout".to_owned()) };
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let wait = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
            let mut descriptors = [PollFd::new(&*stdout, PollFlags::IN)];
            match poll(&mut descriptors, Some(&wait)) {
                Ok(0) => return Ok(None),
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(format!("the worker cannot be heard: {error}")),
            }
            let read = stdout.read(buffer).map(Some);
            return read.map_err(|error| format!("the worker cannot be heard: {}", error.kind()));
        }
    }

    /// Why a worker ended before it was ready. Its own words, for the operator's eyes only.
    fn complaint(&mut self) -> String {
        let status = match self.0.wait() {
            Ok(status) if status.code() == Some(SANDBOX_UNAVAILABLE.into()) => "a layer could not be had".to_owned(),
            Ok(status) => format!("the worker ended before it was ready ({status})"),
            Err(error) => format!("the worker cannot be waited for: {}", error.kind()),
        };
        let mut text = Vec::new();
        if let Some(stderr) = self.0.stderr.take() {
            let _ = stderr.take(COMPLAINT_BYTES).read_to_end(&mut text);
        }
        let text = String::from_utf8_lossy(&text);
        match text.lines().next().map(str::trim).filter(|line| !line.is_empty()) {
            Some(line) => format!("{status}: {}", line.escape_debug()),
            None => status,
        }
    }

    fn proc(&self, file: &str) -> Option<String> {
        fs::read_to_string(format!("/proc/{}/{file}", self.0.id())).ok()
    }
}

/// Puts the worker's report beside what the kernel shows.
fn judge(worker: &Worker, reported: &[String], orphan: Shown) -> Sandbox {
    let status = worker.proc("status").unwrap_or_default();
    let mut orphan = Some(orphan);
    let layers: Vec<_> = LAYERS
        .iter()
        .map(|row| {
            let offered = offered(row.layer);
            let is_reported = reported.iter().any(|name| name == row.name);
            let shown = match row.layer {
                Layer::ParentDeath => orphan.take().unwrap_or_else(hidden),
                layer => shown(worker, &status, layer),
            };
            let (state, evidence) = match (is_reported, shown) {
                (_, Shown::Contradicted(what)) => (State::Missing, what),
                (true, Shown::Yes(what)) => (State::Proved, what),
                (true, Shown::Nothing(why)) => (State::Reported, format!("worker's report; {why}")),
                (false, _) if !is_required(row.requirement, &offered) => {
                    (State::NotApplicable, "not applied".to_owned())
                }
                (false, _) => (State::Missing, "the worker does not report it".to_owned()),
            };
            LayerReport { name: row.name, requirement: row.requirement.as_str(), offered, state, evidence }
        })
        .collect();
    let problem = match verify_status(&status) {
        Err(violation) => {
            Some(format!("the kernel's view of the worker is not that of a locked-down one: {violation}"))
        }
        Ok(()) => layers
            .iter()
            .find(|layer| layer.state == State::Missing)
            .map(|layer| format!("layer {} is missing: {}", layer.name, layer.evidence)),
    };
    Sandbox { available: problem.is_none(), problem, layers, ..Sandbox::default() }
}

/// What `/proc` shows of a layer.
enum Shown {
    Yes(String),
    Contradicted(String),
    Nothing(String),
}

fn hidden() -> Shown {
    Shown::Nothing("/proc does not show it".to_owned())
}

fn shown(worker: &Worker, status: &str, layer: Layer) -> Shown {
    let field = |name: &str| {
        status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map_or("", str::trim).to_owned()
    };
    let exactly = |name: &str, expected: &str| match field(name) {
        value if value == expected => Shown::Yes(format!("{name} {value}")),
        value => Shown::Contradicted(format!("{name} {value}")),
    };
    match layer {
        Layer::ParentDeath => hidden(),
        // The worker itself tries, between this layer and the last, to open the root directory.
        Layer::Landlock => Shown::Nothing("it was refused the root directory".to_owned()),
        Layer::NotDumpable => owner(worker, &field("Uid")),
        Layer::Descriptors => descriptors(worker),
        Layer::Rlimits => limits(worker),
        Layer::Identity => {
            let (user, group) = (field("Uid"), field("Gid"));
            let first = |ids: &str| ids.split_ascii_whitespace().next().unwrap_or_default().to_owned();
            let evidence = format!("user {}, group {}", first(&user), first(&group));
            if first(&user) == "0" { Shown::Contradicted(evidence) } else { Shown::Yes(evidence) }
        }
        Layer::Capabilities => {
            let held: Vec<_> = ["CapInh", "CapPrm", "CapEff", "CapAmb"]
                .into_iter()
                .filter(|name| field(name) != "0000000000000000")
                .collect();
            if held.is_empty() {
                Shown::Yes(format!("all sets empty; bounding {}", field("CapBnd")))
            } else {
                Shown::Contradicted(format!("not empty: {}", held.join(", ")))
            }
        }
        Layer::NoNewPrivs => exactly("NoNewPrivs", "1"),
        Layer::Seccomp => exactly("Seccomp", "2"),
    }
}

/// The kernel gives the files of a process that is not dumpable to root.
fn owner(worker: &Worker, user: &str) -> Shown {
    match fs::metadata(format!("/proc/{}/status", worker.0.id())) {
        Ok(file) if user.starts_with("0\t") || user == "0" => {
            Shown::Nothing(format!("its files belong to {} either way", file.uid()))
        }
        Ok(file) if file.uid() == 0 => Shown::Yes("its /proc files belong to root".to_owned()),
        Ok(file) => Shown::Contradicted(format!("its /proc files belong to user {}", file.uid())),
        Err(error) => Shown::Nothing(format!("its /proc files cannot be seen: {}", error.kind())),
    }
}

fn descriptors(worker: &Worker) -> Shown {
    let open: Result<BTreeSet<_>, _> = fs::read_dir(format!("/proc/{}/fd", worker.0.id())).and_then(|entries| {
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect::<Result<_, _>>()
    });
    match open {
        Ok(open) if open.iter().map(String::as_str).eq(["0", "1", "2"]) => Shown::Yes("open: 0, 1, 2".to_owned()),
        Ok(open) => Shown::Contradicted(format!("open: {}", open.into_iter().collect::<Vec<_>>().join(", "))),
        Err(_) => Shown::Nothing("only root can list the descriptors of a process that is not dumpable".to_owned()),
    }
}

fn limits(worker: &Worker) -> Shown {
    let Some(text) = worker.proc("limits") else { return Shown::Nothing("/proc does not show it".to_owned()) };
    for row in RLIMITS {
        let Some(line) = text.lines().find_map(|line| line.strip_prefix(row.title)) else {
            return Shown::Contradicted(format!("no line {}", row.title));
        };
        let soft = line.split_ascii_whitespace().next().and_then(|value| value.parse::<u64>().ok());
        if soft.is_none_or(|soft| soft > row.soft) {
            return Shown::Contradicted(format!("{} is above {}", row.name, row.soft));
        }
    }
    Shown::Yes(format!("{} limits in /proc/<pid>/limits", RLIMITS.len()))
}

/// What the running kernel offers of a layer.
fn offered(layer: Layer) -> String {
    match layer {
        Layer::Landlock => match landlock::offered_version() {
            Ok(Some(version)) => format!("interface {version}"),
            Ok(None) => "no".to_owned(),
            Err(error) => format!("refuses to say: {}", error.kind()),
        },
        Layer::Seccomp => match fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail") {
            Ok(actions) if actions.split_ascii_whitespace().any(|action| action == "kill_process") => "yes".to_owned(),
            Ok(_) => "without kill_process".to_owned(),
            Err(_) => "not shown".to_owned(),
        },
        _ => "yes".to_owned(),
    }
}

fn is_required(requirement: Requirement, offered: &str) -> bool {
    match requirement {
        Requirement::Required => true,
        Requirement::WhenOffered => offered != "no",
        // Not for users, and not for a root that cannot (see the lockdown); `verify_status` judges what is left.
        Requirement::WhenRoot => false,
    }
}
