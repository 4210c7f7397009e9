//! The derived frames: every field of every message spoilt in every way, against both ends, and the controls that
//! make them mean something. The files of `adversarial-scripts/frames/` run in the gate, beside all other cases.
//!
//! Towards the parent one server serves many cases: its worker is a script that goes on with the one that the source
//! names. Each call must end with its code, so every case is also the next call after another's failure (I10).

use std::ffi::OsString;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use conformance::binary;
use conformance::client::Server;
use conformance::frames::generate::{self, Control, Generated};
use conformance::frames::to_parent::{MENU, Stage, file_name};
use conformance::frames::{Direction, parse, to_worker};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::json;
use wit_worker::EXIT_PARENT_GONE;
use wit_worker::protocol::{FrameDecoder, FromWorker};
use wit_worker::registry::Code;
use wit_worker::sandbox::status::verify_status;

/// The longest wait for an answer; far longer than any takes.
const ANSWER: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let bench = Arc::new(Bench::default());
    let mut trials = Vec::new();
    for Control { name, text, .. } in generate::controls(Direction::ToWorker) {
        trials.push(trial(&bench, format!("control/to-worker/{name}"), move |_| run_to_worker(&text)));
    }
    for case in generate::cases(Direction::ToWorker) {
        trials.push(trial(&bench, case.id.clone(), move |_| run_to_worker(&case.text)));
    }
    for Control { name, text, failure } in generate::controls(Direction::ToParent) {
        trials.push(trial(&bench, format!("control/to-parent/{name}"), move |bench| {
            bench.alone(&text, failure.map(|(code, _)| code)).context(text.clone())
        }));
    }
    for case in generate::cases(Direction::ToParent) {
        trials.push(trial(&bench, case.id.clone(), move |bench| {
            let ran = if case.before_execute { bench.alone(&case.text, Some(case.code)) } else { bench.shared(&case) };
            ran.context(case.text.clone())
        }));
    }
    for (lockdown, passes) in [
        ("", true),
        ("lockdown none\n", false),
        ("lockdown without seccomp\n", false),
        ("lockdown without capabilities\n", false),
        ("lockdown with thread\n", false),
    ] {
        let name = if passes { "full" } else { lockdown.trim() };
        trials.push(trial(&bench, format!("disguise/{name}"), move |_| disguise(lockdown, passes)));
    }
    trials.push(trial(&bench, "genuine/locked-down-when-ready".to_owned(), |_| genuine()));
    let conclusion = libtest_mimic::run(&arguments, trials);
    match bench.close() {
        Ok(()) => conclusion.exit_code(),
        Err(error) => {
            eprintln!("the shared server: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn trial(bench: &Arc<Bench>, name: String, run: impl FnOnce(&Bench) -> Result<()> + Send + 'static) -> Trial {
    let bench = Arc::clone(bench);
    Trial::test(name, move || run(&bench).map_err(|error| Failed::from(format!("{error:#}"))))
}

/// What the trials share: one server with the menu worker.
#[derive(Default)]
struct Bench {
    /// A server that could not be started is not started again for every case.
    menu: Mutex<Option<Result<Running, String>>>,
}

/// A server and the stage of its workers.
struct Running {
    server: Server,
    stage: Stage,
    _cache: tempfile::TempDir,
}

impl Bench {
    /// A case with a server of its own.
    fn alone(&self, text: &str, code: Option<Code>) -> Result<()> {
        let mut running = Running::start(Stage::with_script(hostile_worker(), text)?)?;
        running.call("return 1", code)?;
        running.finish(text)
    }

    /// A case in the server that all share.
    fn shared(&self, case: &Generated) -> Result<()> {
        let mut menu = self.menu.lock().unwrap_or_else(PoisonError::into_inner);
        if menu.is_none() {
            let stage = Stage::with_menu(hostile_worker(), &generate::cases(Direction::ToParent));
            let started = stage.map_err(anyhow::Error::from).and_then(Running::start);
            *menu = Some(started.map_err(|error| format!("{error:#}")));
        }
        match menu.as_mut() {
            Some(Ok(running)) => running.call(&file_name(&case.id), Some(case.code)),
            Some(Err(error)) => bail!("the shared server did not start: {error}"),
            None => bail!("no server"),
        }
    }

    /// Ends the shared server, and judges how all its workers were treated.
    fn close(&self) -> Result<()> {
        let running = self.menu.lock().unwrap_or_else(PoisonError::into_inner).take();
        match running {
            Some(Ok(running)) => running.finish(MENU),
            // The cases say why.
            Some(Err(_)) | None => Ok(()),
        }
    }
}

impl Running {
    fn start(stage: Stage) -> Result<Self> {
        let cache = tempfile::tempdir()?;
        let arguments = ["mcp", "--mode", "code", "--github-url", "http://127.0.0.1:1", "--worker"].map(OsString::from);
        let arguments: Vec<OsString> = arguments.into_iter().chain([stage.program().into_os_string()]).collect();
        let environment = [("WIT_CACHE_DIR".into(), cache.path().into())];
        let mut server = Server::start(&binary::locate()?, &arguments, &environment, cache.path())?;
        server.initialize(ANSWER)?;
        Ok(Self { server, stage, _cache: cache })
    }

    /// One call, which must fail with this code, or succeed with 1.
    fn call(&mut self, source: &str, code: Option<Code>) -> Result<()> {
        let parameters = json!({ "name": "code", "arguments": { "code": source } });
        let id = self.server.request("tools/call", &parameters)?;
        let Some((answer, _)) = self.server.wait(id, ANSWER) else { bail!("no answer came") };
        let content = answer.pointer("/result/structuredContent").cloned().unwrap_or_default();
        match code {
            Some(code) => ensure!(content.get("code") == Some(&json!(code.as_str())), "expected {code}, got {answer}"),
            None => ensure!(content.get("value") == Some(&json!(1)), "expected the value 1, got {answer}"),
        }
        Ok(())
    }

    fn finish(self, text: &str) -> Result<()> {
        let ended = self.server.finish(Duration::from_secs(5))?;
        let mut faults = self.stage.faults(&parse(text, Direction::ToParent)?)?;
        faults.extend(ended.impurities);
        faults.extend(ended.orphans.iter().map(|orphan| format!("process {} is left", orphan.pid)));
        ensure!(faults.is_empty(), "{}", faults.join("\n"));
        Ok(())
    }
}

fn run_to_worker(text: &str) -> Result<()> {
    to_worker::run(&binary::locate()?, text)
        .map(drop)
        .map_err(|failure| anyhow::anyhow!("{failure}\n--- script\n{text}"))
}

fn hostile_worker() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_hostile_worker"))
}

/// The disguise is as good as the parent's reading of `/proc`, and each lie is found out by it.
fn disguise(lockdown: &str, passes: bool) -> Result<()> {
    let stage = Stage::with_script(hostile_worker(), &format!("{lockdown}ready\nwait eof\n"))?;
    let (status, ended) = when_ready(&stage.program())?;
    ensure!(ended.success(), "it ended with {ended}");
    let rooted = status.lines().any(|line| line.starts_with("CapPrm:") && !line.ends_with("0000000000000000"));
    let unprovable = lockdown.contains("capabilities") && !rooted;
    ensure!(unprovable || verify_status(&status).is_ok() == passes, "{:?}\n{status}", verify_status(&status));
    Ok(())
}

/// The real worker says `ready` when it is locked down and not before, also to a parent that would not look.
fn genuine() -> Result<()> {
    let (status, ended) = when_ready(&binary::locate()?)?;
    // Its parent left without a word.
    ensure!(ended.code() == Some(EXIT_PARENT_GONE.into()), "it ended with {ended}");
    ensure!(verify_status(&status).is_ok(), "{:?}\n{status}", verify_status(&status));
    Ok(())
}

/// What the kernel says of a worker that has just said `ready`, and how it ends when its input then does.
fn when_ready(program: &Path) -> Result<(String, ExitStatus)> {
    let directory = tempfile::tempdir()?;
    let mut child = Command::new(program)
        .arg(wit_worker::WORKER_ARGUMENT)
        .env_clear()
        .current_dir(directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(stdin), Some(mut stdout)) = (child.stdin.take(), child.stdout.take()) else { bail!("no pipes") };
    let mut decoder = FrameDecoder::new();
    let mut buffer = [0; 1024];
    let ready = loop {
        if let Some(body) = decoder.next_frame()? {
            break FromWorker::parse(body)?;
        }
        match stdout.read(&mut buffer)? {
            0 => bail!("it ended before ready: {:?}", child.wait()?),
            count => decoder.push(&buffer[..count]),
        }
    };
    ensure!(matches!(ready, FromWorker::Ready(_)), "the first frame is not ready");
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()))?;
    drop(stdin);
    Ok((status, child.wait()?))
}
