//! The portable parent against the very worker that ships. On Linux that worker locks itself down whatever its parent
//! asks, so what is tested here is the parent: processes, pipes, clocks, kills and verdicts.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;
use wit_worker::registry::{Code, LimitId, OperationId, Reason};

use super::Workers;
use crate::codemode::{CodeModeOptions, CodeModePolicy, Success};
use crate::envelope::ErrorEnvelope;
use crate::operations::{HostOperations, OperationContext, OperationFuture, Slots, Surface};

/// Answers every call with `{}`.
struct Empty;

impl HostOperations for Empty {
    fn call<'a>(&'a self, _: OperationId, _: &'a RawValue, _: Surface, _: &'a OperationContext) -> OperationFuture<'a> {
        Box::pin(async { Ok(RawValue::from_string("{}".to_owned()).unwrap_or_default()) })
    }
}

fn image() -> PathBuf {
    env!("WIT_WORKER_IMAGE").into()
}

/// Workers from this program, with some limits set.
fn workers(program: PathBuf, limits: &[(LimitId, u64)]) -> Workers {
    let mut policy = CodeModePolicy::default();
    for (id, value) in limits {
        policy.set(*id, *value).expect("a limit within its range");
    }
    let options = CodeModeOptions { policy, worker: Some(program), unsandboxed: true, operations: Arc::new(Empty) };
    Workers::start(options, Slots::new(8, 4)).expect("workers can be made")
}

async fn run(workers: &Workers, source: &str) -> Result<Success, ErrorEnvelope> {
    workers.run(source, &CancellationToken::new()).await
}

async fn refused(workers: &Workers, source: &str) -> ErrorEnvelope {
    run(workers, source).await.expect_err("a verdict")
}

/// A worker program that is a shell script. Written, closed and renamed before it runs.
fn script(directory: &std::path::Path, text: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let path = directory.join("worker");
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("the script is written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it is executable");
    path
}

#[tokio::test]
async fn without_the_operators_flag_nothing_runs() {
    let options = CodeModeOptions {
        policy: CodeModePolicy::default(),
        worker: Some(image()),
        unsandboxed: false,
        operations: Arc::new(Empty),
    };
    let workers = Workers::start(options, Slots::new(8, 4)).expect("workers can be made");
    let verdict = refused(&workers, "return 1").await;
    assert_eq!((verdict.code, verdict.reason), (Code::WorkerStartFailed, Some(Reason::SandboxUnavailable)));
}

#[tokio::test]
async fn values_errors_and_calls_come_through() {
    let workers = workers(image(), &[]);
    assert_eq!(run(&workers, "return {a: [1, 'é']}").await.expect("a value").value.get(), r#"{"a":[1,"é"]}"#);
    assert_eq!(refused(&workers, "throw new Error('no')").await.code, Code::CodeRejected);
    let success = run(
        &workers,
        "const p = []; for (let i = 0; i < 4; i++) p.push(codemode.wit.findRepositories({})); \
                                 return (await Promise.all(p)).length",
    )
    .await;
    let success = success.expect("a value");
    assert_eq!((success.value.get(), success.usage.host_calls), ("4", 4));
}

#[tokio::test]
async fn a_result_of_many_chunks_and_a_source_of_many_chunks() {
    let workers = workers(image(), &[]);
    let source = format!("/*{}*/ return 'x'.repeat(49150)", "y".repeat(32_000));
    assert_eq!(run(&workers, &source).await.expect("a value").value.get().len(), 49_152);
}

#[tokio::test]
async fn a_script_that_does_not_end_is_killed() {
    let workers = workers(image(), &[(LimitId::WallMs, 200)]);
    let began = Instant::now();
    assert_eq!(refused(&workers, "for (;;) {}").await.code, Code::DeadlineExceeded);
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_program_that_ignores_its_clock_is_killed_by_the_watchdog() {
    let directory = tempfile::tempdir().expect("a directory");
    // `ready`, and then nothing: the frame is written by the kit's own encoder.
    let mut frame = Vec::new();
    let ready = wit_worker::protocol::Ready { layers: Vec::new() };
    wit_worker::protocol::FromWorker::Ready(ready).encode(&mut frame).expect("a frame");
    std::fs::write(directory.path().join("ready"), frame).expect("a file");
    let text = format!("cat '{}'\nexec sleep 600", directory.path().join("ready").display());
    let program = script(directory.path(), &text.replace("cat", "/bin/cat").replace("sleep", "/bin/sleep"));
    let workers = workers(program, &[(LimitId::WallMs, 100)]);
    assert_eq!(refused(&workers, "return 1").await.code, Code::DeadlineExceeded);
    workers.close().await;
    assert!(workers.capacity.is_closed());
}

#[tokio::test]
async fn a_cancelled_script_is_killed_and_its_capacity_comes_back() {
    let workers = workers(image(), &[(LimitId::Workers, 1)]);
    let token = CancellationToken::new();
    let (verdict, ()) = tokio::join!(workers.run("await new Promise(() => { for (;;) {} })", &token), async {
        // The capacity is taken by the first poll of its neighbour.
        let second = refused(&workers, "return 1").await;
        assert_eq!(second.code, Code::ServerWorkersLimit);
        token.cancel();
    });
    assert_eq!(verdict.expect_err("a verdict").code, Code::Cancelled);
    let _ = workers.capacity.acquire().await.expect("the permit of a worker that is gone");
}

#[tokio::test]
async fn exits_are_told_apart() {
    let directory = tempfile::tempdir().expect("a directory");
    for (text, code, reason) in [
        ("exit 3", Code::WorkerExited, Some(Reason::Crashed)),
        ("kill -SEGV $$", Code::WorkerExited, Some(Reason::Crashed)),
        ("kill -SYS $$", Code::WorkerExited, Some(Reason::SandboxViolation)),
        ("printf '\\000\\000\\000\\002{}'", Code::WorkerProtocolError, None),
    ] {
        let workers = workers(script(directory.path(), text), &[]);
        let verdict = refused(&workers, "return 1").await;
        assert_eq!((verdict.code, verdict.reason), (code, reason), "{text}");
    }
    let missing = workers(directory.path().join("missing"), &[]);
    assert_eq!(refused(&missing, "return 1").await.reason, Some(Reason::SpawnFailed));
}

#[tokio::test]
async fn the_process_has_an_empty_environment_and_a_directory_of_its_own() {
    let directory = tempfile::tempdir().expect("a directory");
    let seen = directory.path().join("seen");
    let text = format!("{{ /usr/bin/env; pwd; ls -A; echo \"$@\"; }} > '{}'", seen.display());
    let workers = workers(script(directory.path(), &text), &[]);
    let _ = refused(&workers, "return 1").await;
    let seen = std::fs::read_to_string(seen).expect("what it saw");
    assert!(!seen.contains("CARGO") && !seen.contains("HOME="), "{seen}");
    assert!(seen.lines().any(|line| line.contains("wit-worker-")), "{seen}");
    assert!(
        seen.ends_with(&format!("{} {}\n", wit_worker::WORKER_ARGUMENT, wit_worker::UNSANDBOXED_ARGUMENT)),
        "{seen}"
    );
    let place = seen.lines().find(|line| line.contains("wit-worker-") && line.starts_with('/')).expect("its directory");
    assert!(!std::path::Path::new(place).exists(), "it is removed with the process");
}
