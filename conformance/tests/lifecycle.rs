//! A worker kept ready that is lost at the moment it is needed costs nothing, and a script runs at most once (I1).
//!
//! The hostile worker reads its script when it starts, so a spare can be given one and the worker that replaces it
//! another: only if the parent really replaced the spare does the second one's value come out.
#![cfg(target_os = "linux")]

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use conformance::binary;
use conformance::client::Server;
use conformance::frames::to_parent::Stage;
use conformance::frames::{Direction, SCRIPT_FILE, parse};
use conformance::parallel::{side_by_side, twice_the_processors};
use serde_json::{Value, json};

/// The longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(20);
/// What a worker does that is as it should be.
const GOOD: &str = "ready\nwait execute\nresult 1\n";

/// Lets the first worker play `spare`, and every later one be good; the answer to one call.
fn call_with_spare(spare: &str) -> Result<Value> {
    let stage = Stage::with_script(Path::new(env!("CARGO_BIN_EXE_hostile_worker")), spare)?;
    let home = tempfile::tempdir()?;
    let arguments = ["mcp", "--mode", "code", "--worker"].map(OsString::from);
    let arguments: Vec<OsString> = arguments.into_iter().chain([stage.program().into_os_string()]).collect();
    let environment = [("WIT_CACHE_DIR".into(), home.path().into())];
    let mut server = Server::start(&binary::locate()?, &arguments, &environment, home.path())?;
    server.initialize(PATIENCE)?;
    server.wait_for_idle_workers(1, PATIENCE).context("the spare was not seen waiting")?;
    let script = stage.program().with_file_name(SCRIPT_FILE);
    std::fs::write(&script, GOOD)?;
    let id = server.request("tools/call", &json!({ "name": "code", "arguments": { "code": "return 1" } }))?;
    let (answer, _) = server.wait(id, PATIENCE).context("no answer came")?;
    let ended = server.finish(Duration::from_secs(5))?;
    ensure!(ended.orphans.is_empty() && ended.impurities.is_empty(), "{:?}", ended.transcript);
    let faults = stage.faults(&parse(spare, Direction::ToParent)?)?;
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(answer.pointer("/result/structuredContent").cloned().unwrap_or_default())
}

#[test]
fn a_spare_that_is_lost_with_the_script_untaken_is_replaced() -> Result<()> {
    let ends = ["signal KILL\nhang", "signal STOP\nhang", "signal SEGV\nhang", "exit 0", "exit 3"];
    side_by_side(twice_the_processors(), &ends, |end| {
        // The script lies in the pipe, unread, when it ends.
        let content = call_with_spare(&format!("ready\nwait input\n{end}\n"))?;
        ensure!(content.get("value") == Some(&json!(1)), "{end}: {content}");
        Ok(())
    })
    .map(drop)
}

#[test]
fn a_script_that_was_taken_is_never_given_to_another_worker() -> Result<()> {
    let ends = [
        ("signal KILL\nhang", "worker_exited"),
        ("signal SEGV\nhang", "worker_exited"),
        ("exit 3", "worker_exited"),
        ("exit 0", "worker_protocol_error"),
    ];
    side_by_side(twice_the_processors(), &ends, |(end, code)| {
        let content = call_with_spare(&format!("ready\nwait execute\n{end}\n"))?;
        ensure!(content.get("code") == Some(&json!(code)), "{end}: {content}");
        Ok(())
    })
    .map(drop)
}

#[test]
fn a_spare_that_speaks_before_it_is_asked_is_judged_by_what_it_says() -> Result<()> {
    let content = call_with_spare("ready\nwait input\nsend json {}\nsignal KILL\nhang\n")?;
    ensure!(content.get("code") == Some(&json!("worker_protocol_error")), "{content}");
    Ok(())
}
