//! No redundant rules: what real workers call while they run the corpus, counted under ptrace (I3).
//!
//! Each script runs in a worker of its own that this test drives in place of the parent. A rule that no run uses must
//! say why it stays; a rule that says so and is used has a stale excuse. What only deaths and odd machines need is used
//! by probes instead. Calls without a rule would have ended a run in SIGSYS, which is a failure too.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::num::NonZeroU64;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use conformance::corpus::{self, Case, Kind};
use conformance::parallel::side_by_side;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use serde_json::value::RawValue;
use wit_worker::WORKER_ARGUMENT;
use wit_worker::protocol::frame;
use wit_worker::protocol::{Execute, FrameDecoder, FromWorker, HostResult, InvocationId, ToWorker};
use wit_worker::registry::Limits;
use wit_worker::sandbox::Architecture;
use wit_worker::sandbox::rules::RULES;

use super::stage::{Stage, Who};

/// Milliseconds of JavaScript: enough for any script that ends by itself.
const WALL_MS: u64 = 150;
/// The longest one run may take: far longer than any does, on a machine that is busy.
const STALLED: Duration = Duration::from_secs(60);
/// Workers at once. Most of a run is waiting for stops of the other process.
const AT_ONCE: usize = 4;
/// What a shell says of a process that SIGSYS ended, and the tracer too.
const VIOLATION: i32 = 128 + libc::SIGSYS;
/// Probes that make the calls no script of the corpus makes.
const PROBES: &[&str] = &["abort", "double_free", "clocks"];

/// System call numbers and how often each was made.
type Counts = BTreeMap<u32, u64>;

pub(crate) fn no_redundant_rules(stage: &Stage) -> anyhow::Result<()> {
    let architecture = Architecture::native().context("no rules for this machine")?;
    let corpus = corpus::load(&corpus::directory())?;
    let scripts: Vec<&Case> = corpus.cases.iter().filter(|case| matches!(case.kind, Kind::Script)).collect();
    ensure!(scripts.len() > 100, "the corpus has {} scripts", scripts.len());

    let by_corpus = count_all(stage, &scripts)?;
    let mut by_probes = Counts::new();
    for probe in PROBES {
        add(&mut by_probes, count_probe(stage, probe)?);
    }

    let mut faults = Vec::new();
    for rule in RULES {
        let number = architecture.number(rule);
        match (by_corpus.contains_key(&number), rule.kept) {
            (true, None) => {}
            (true, Some(_)) => faults.push(format!("{} is used: it needs no excuse", rule.name)),
            (false, None) => faults.push(format!("{} is used by no run", rule.name)),
            (false, Some(_)) if by_probes.contains_key(&number) => {}
            (false, Some(_)) => faults.push(format!("{} is kept, and not even a probe uses it", rule.name)),
        }
    }
    let allowed: BTreeSet<_> = RULES.iter().map(|rule| architecture.number(rule)).collect();
    faults.extend(
        by_corpus.keys().filter(|number| !allowed.contains(number)).map(|number| format!("{number} has no rule")),
    );
    ensure!(faults.is_empty(), "{}\nby the corpus: {by_corpus:?}\nby the probes: {by_probes:?}", faults.join("\n"));
    Ok(())
}

fn count_all(stage: &Stage, scripts: &[&Case]) -> anyhow::Result<Counts> {
    let all = side_by_side(AT_ONCE, scripts, |case| count_script(stage, case).with_context(|| case.id.clone()))?;
    let mut total = Counts::new();
    all.into_iter().for_each(|counts| add(&mut total, counts));
    Ok(total)
}

fn add(total: &mut Counts, counts: Counts) {
    for (number, count) in counts {
        *total.entry(number).or_insert(0) += count;
    }
}

fn count_probe(stage: &Stage, probe: &str) -> anyhow::Result<Counts> {
    let file = tempfile::NamedTempFile::new()?;
    let program = stage.program();
    let mut command = traced(stage, file.path(), program);
    command.args(["attack", probe]).args(stage.context(&[]).arguments());
    command.output()?;
    read(file.path())
}

/// Runs one script in a traced worker.
fn count_script(stage: &Stage, case: &Case) -> anyhow::Result<Counts> {
    let file = tempfile::NamedTempFile::new()?;
    let mut command = traced(stage, file.path(), stage.wit()?);
    command.arg(WORKER_ARGUMENT).stdin(Stdio::piped()).stderr(Stdio::null());
    // The tracer and the worker it traces are one group, by which a stalled run is ended.
    let mut child = command.process_group(0).spawn()?;
    let group = Pid::from_child(&child);
    let (over, ended) = mpsc::channel::<()>();
    let (driven, stalled) = thread::scope(|scope| {
        let watchdog = scope.spawn(move || {
            let stalled = ended.recv_timeout(STALLED) == Err(RecvTimeoutError::Timeout);
            if stalled {
                let _ = kill_process_group(group, Signal::KILL);
            }
            stalled
        });
        let driven = drive(&mut child, &case.source());
        drop(child.stdin.take());
        // Not yet reaped, so that the group's number is nobody else's while the watchdog may use it.
        let waited = waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        drop(over);
        (driven.and(waited.map(drop).map_err(anyhow::Error::from)), watchdog.join().unwrap_or(true))
    });
    let status = child.wait()?;
    ensure!(!stalled, "it was not over after {STALLED:.0?}");
    ensure!(status.code() != Some(VIOLATION), "a call without a rule: {:?}", read(file.path())?);
    driven?;
    read(file.path())
}

fn traced(stage: &Stage, file: &Path, program: &Path) -> Command {
    let mut command = stage.probe(Who::User, "trace");
    if stage.is_root() {
        // Tracing as root sees through the change of user.
        command = stage.probe(Who::Root, "trace");
    }
    command.arg(file).arg("--").arg(program);
    command
}

fn read(file: &Path) -> anyhow::Result<Counts> {
    let text = std::fs::read_to_string(file)?;
    text.lines()
        .map(|line| {
            let (number, count) = line.split_once(' ').context("not `number count`")?;
            Ok((number.parse()?, count.parse()?))
        })
        .collect()
}

/// The parent's part of one invocation. Every host call is answered with a small object.
fn drive(child: &mut Child, source: &str) -> anyhow::Result<()> {
    let mut to_worker = child.stdin.take().context("no stdin")?;
    let mut from_worker = child.stdout.take().context("no stdout")?;
    let invocation = InvocationId(NonZeroU64::MIN);
    let limits = Limits { wall_ms: WALL_MS, ..Limits::default() };
    let mut decoder = FrameDecoder::new();
    let mut buffer = [0_u8; 8192];
    loop {
        while let Some(body) = decoder.next_frame()? {
            let mut answer = Vec::new();
            match FromWorker::parse(body)? {
                FromWorker::Ready(_) => {
                    if source.is_empty() || source.len() as u64 > limits.source_bytes {
                        // The parent would not start it either.
                        return Ok(());
                    }
                    let execute = Execute { invocation, source_bytes: source.len() as u64, limits };
                    ToWorker::Execute(execute).encode(&mut answer)?;
                    frame::encode(source.as_bytes(), &mut answer)?;
                }
                FromWorker::HostCall(call) => {
                    let value = RawValue::from_string(r#"{"items":[],"has_more":false}"#.to_owned())?;
                    let result = HostResult { invocation, call: call.call, outcome: Ok(value) };
                    ToWorker::HostResult(result).encode(&mut answer)?;
                }
                FromWorker::Result(_) => return Ok(()),
            }
            // A worker that is gone is judged by its end.
            if to_worker.write_all(&answer).is_err() {
                return Ok(());
            }
        }
        match from_worker.read(&mut buffer)? {
            0 => return Ok(()),
            length => decoder.push(&buffer[..length]),
        }
    }
}
