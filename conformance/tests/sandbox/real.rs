//! The real `wit`: its worker's lockdown as the kernel sees it, its refusals, and what `wit doctor` says of both.

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use libtest_mimic::Trial;
use serde_json::{Value, json};
use wit_worker::sandbox::{LAYERS, Requirement, rules};

use super::stage::{Stage, Who, trial, words};

/// What no output may contain.
const TOKEN: &str = "ghp_canaryCanaryCanaryCanaryCanaryCanary";

pub(crate) fn add(trials: &mut Vec<Trial>, stage: &Arc<Stage>, who: Who) {
    let mut real = |name: &str, run: fn(&Stage, Who) -> anyhow::Result<()>| {
        trial(trials, stage, format!("wit/{}/{name}", who.name()), move |stage| run(stage, who));
    };
    real("code-mode-runs", code_mode_runs);
    real("code-mode-runs-without-memory-files", code_mode_runs_without_memory_files);
    real("code-mode-refuses-without-a-layer", code_mode_refuses);
    real("direct-mode-works-without-a-layer", direct_mode_works);
    real("lying-worker-is-refused", lying_worker_is_refused);
    real("unsandboxed-flag-changes-nothing", unsandboxed_flag_changes_nothing);
    real("doctor-proves", doctor_proves);
    real("doctor-text", doctor_text);
    real("doctor-refuses", doctor_refuses);
    real("doctor-sees-a-liar", doctor_sees_a_liar);
}

fn json_of(bytes: &[u8]) -> anyhow::Result<Value> {
    serde_json::from_slice(bytes).with_context(|| format!("not JSON: {}", String::from_utf8_lossy(bytes)))
}

fn run(stage: &Stage, mut command: Command) -> anyhow::Result<Output> {
    Ok(command.arg("--cache-dir").arg(cache(stage)?.path()).output()?)
}

/// A cache directory that any user can write to.
fn cache(stage: &Stage) -> anyhow::Result<tempfile::TempDir> {
    let directory = tempfile::tempdir_in(stage.writable())?;
    fs::set_permissions(directory.path(), Permissions::from_mode(0o777))?;
    Ok(directory)
}

/// The error object of a run that was refused before any script byte was sent.
fn ensure_refused(output: &Output, what: &str) -> anyhow::Result<()> {
    ensure!(output.status.code() == Some(3), "{what}: {}", words(output.status));
    ensure!(output.stdout.is_empty(), "{what}: a value was printed");
    // The object is the last line; the server may log before it.
    let last = output.stderr.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty()).unwrap_or_default();
    let error = json_of(last)?;
    ensure!(error["code"] == "worker_start_failed", "{what}: {error}");
    ensure!(error["reason"] == "sandbox_unavailable", "{what}: {error}");
    Ok(())
}

fn code_mode_runs(stage: &Stage, who: Who) -> anyhow::Result<()> {
    let mut command = stage.wit_command(who)?;
    command.args(["run", "-e", "return 6 * 7"]);
    let output = run(stage, command)?;
    ensure!(output.status.success(), "{}: {}", words(output.status), String::from_utf8_lossy(&output.stderr));
    ensure!(json_of(&output.stdout)? == json!(42));
    Ok(())
}

/// Where anonymous files cannot be executed, a worker starts from the executable itself, locked down all the same.
fn code_mode_runs_without_memory_files(stage: &Stage, who: Who) -> anyhow::Result<()> {
    let denial = format!("memory_files={}", libc::EACCES);
    let mut command = stage.denied_wit(who, &denial)?;
    command.args(["run", "-e", "return 6 * 7"]);
    let output = run(stage, command)?;
    ensure!(output.status.success(), "{}: {}", words(output.status), String::from_utf8_lossy(&output.stderr));
    ensure!(json_of(&output.stdout)? == json!(42));
    for (denial, program) in [(Some(denial.as_str()), "own executable"), (None, "sealed image")] {
        let report = json_of(&run(stage, doctor(stage, who, denial, true)?)?.stdout)?;
        ensure!(report["sandbox"]["program"] == program && report["sandbox"]["available"] == true, "{report}");
    }
    Ok(())
}

/// Required layers that can be taken from a worker by a filter around everything.
fn denials() -> Vec<String> {
    let (absent, refused) = (libc::ENOSYS, libc::EPERM);
    vec![
        format!("seccomp={absent}"),
        format!("seccomp={refused}"),
        format!("landlock={refused}"),
        format!("descriptors={absent}"),
        format!("no_new_privs={refused}"),
        format!("parent_death={refused}"),
    ]
}

fn code_mode_refuses(stage: &Stage, who: Who) -> anyhow::Result<()> {
    for denial in denials() {
        let mut command = stage.denied_wit(who, &denial)?;
        command.args(["run", "-e", "return 6 * 7"]);
        ensure_refused(&run(stage, command)?, &denial)?;
    }
    // The one layer that may be absent, when the kernel says that it has none.
    let mut command = stage.denied_wit(who, &format!("landlock={}", libc::ENOSYS))?;
    command.args(["run", "-e", "return 6 * 7"]);
    ensure!(run(stage, command)?.status.success(), "a kernel without Landlock");
    Ok(())
}

fn direct_mode_works(stage: &Stage, who: Who) -> anyhow::Result<()> {
    let cache = cache(stage)?;
    let mut command = stage.denied_wit(who, &format!("seccomp={}", libc::EPERM))?;
    command.arg("mcp").arg("--cache-dir").arg(cache.path());
    let mut server = command.stdin(Stdio::piped()).spawn()?;
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "probe", "version": "1"}}});
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let mut input = server.stdin.take().context("no stdin")?;
    for message in [initialize, initialized, list] {
        writeln!(input, "{message}")?;
    }
    let mut answers = std::io::BufReader::new(server.stdout.take().context("no stdout")?);
    let mut names = Vec::new();
    let mut line = String::new();
    while names.is_empty() && std::io::BufRead::read_line(&mut answers, &mut line)? > 0 {
        let answer = json_of(line.as_bytes())?;
        if let Some(tools) = answer["result"]["tools"].as_array() {
            names = tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect();
        }
        line.clear();
    }
    drop(input);
    let _ = server.wait()?;
    ensure!(names.len() == 7 && names.iter().any(|name| name == "wit_open"), "{names:?}");
    Ok(())
}

/// A program that says `ready` with every layer and has none. It notes whether anything was sent to it.
fn liar(stage: &Stage, who: Who, of: &str) -> anyhow::Result<std::path::PathBuf> {
    let place = stage.writable().join(format!("liar-{}-{of}", who.name()));
    fs::create_dir(&place)?;
    fs::set_permissions(&place, Permissions::from_mode(0o777))?;
    let program = place.join("worker");
    fs::copy(stage.program(), &program)?;
    fs::set_permissions(&program, Permissions::from_mode(0o755))?;
    Ok(program)
}

fn lying_worker_is_refused(stage: &Stage, who: Who) -> anyhow::Result<()> {
    refuses_a_liar(stage, who, &[])
}

fn refuses_a_liar(stage: &Stage, who: Who, flags: &[&str]) -> anyhow::Result<()> {
    let program = liar(stage, who, &format!("run{}", flags.len()))?;
    let mut command = stage.wit_command(who)?;
    command.arg("run").args(flags).args(["-e", "return 6 * 7", "--worker"]).arg(&program);
    ensure_refused(&run(stage, command)?, "a lying worker")?;
    let place = program.parent().context("no directory")?;
    ensure!(place.join("started").exists(), "the liar was not started");
    ensure!(!place.join("heard").exists(), "the liar was sent something");
    Ok(())
}

/// The flag is for systems without a lockdown; here it must not become the permissive fallback that there is none of.
fn unsandboxed_flag_changes_nothing(stage: &Stage, who: Who) -> anyhow::Result<()> {
    const FLAG: &str = "--unsandboxed-worker";
    let mut command = stage.denied_wit(who, &format!("seccomp={}", libc::EPERM))?;
    command.args(["run", FLAG, "-e", "return 6 * 7"]);
    let refused = run(stage, command)?;
    ensure_refused(&refused, "no seccomp, with the flag")?;
    ensure!(
        String::from_utf8_lossy(&refused.stderr).contains("--unsandboxed-worker has no effect"),
        "no warning: {}",
        String::from_utf8_lossy(&refused.stderr)
    );
    refuses_a_liar(stage, who, &[FLAG])
}

fn doctor(stage: &Stage, who: Who, denial: Option<&str>, json: bool) -> anyhow::Result<Command> {
    let mut command = match denial {
        Some(denial) => stage.denied_wit(who, denial)?,
        None => stage.wit_command(who)?,
    };
    command.arg("doctor").args(json.then_some("--json")).args(["--github-url", &stage.url()]);
    command.env("GITHUB_TOKEN", TOKEN);
    Ok(command)
}

fn without_token(output: &Output) -> anyhow::Result<()> {
    for bytes in [&output.stdout, &output.stderr] {
        ensure!(!String::from_utf8_lossy(bytes).contains(TOKEN), "the token is shown");
    }
    Ok(())
}

fn doctor_proves(stage: &Stage, who: Who) -> anyhow::Result<()> {
    let output = run(stage, doctor(stage, who, None, true)?)?;
    without_token(&output)?;
    let report = json_of(&output.stdout)?;
    ensure!(output.status.success(), "{}: {report}", words(output.status));
    ensure!(report["healthy"] == true && report["sandbox"]["available"] == true, "{report}");
    let (free, constrained) = rules::counts();
    ensure!(report["system_calls"]["unconstrained"] == free && report["system_calls"]["constrained"] == constrained);
    ensure!(free < 35, "OpenSSH's pre-authentication sandbox allows 35");
    ensure!(report["github"]["ok"] == true && report["cache"]["ok"] == true, "{report}");
    ensure!(report["tokens"][0] == json!({"variable": "GITHUB_TOKEN", "present": true}), "{report}");
    ensure!(report["tokens"][1] == json!({"variable": "GH_TOKEN", "present": false}), "{report}");
    let layers = report["sandbox"]["layers"].as_array().context("no layers")?;
    ensure!(layers.len() == LAYERS.len(), "{report}");
    for (row, layer) in LAYERS.iter().zip(layers) {
        ensure!(layer["name"] == row.name, "{layer}");
        let state = layer["state"].as_str().unwrap_or_default();
        let fits = match (row.name, who) {
            // /proc does not show it; the worker tries it.
            ("landlock", _) => state == "reported",
            ("descriptors", Who::User) => ["reported", "proved"].contains(&state),
            ("identity", Who::User) => state == "not_applicable",
            _ => state == "proved",
        };
        ensure!(fits, "{layer}");
        ensure!(row.requirement != Requirement::Required || state != "missing", "{layer}");
    }
    Ok(())
}

fn doctor_text(stage: &Stage, who: Who) -> anyhow::Result<()> {
    let output = run(stage, doctor(stage, who, None, false)?)?;
    without_token(&output)?;
    ensure!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout)?;
    ensure!(text.contains("code mode     available"), "{text}");
    ensure!(text.lines().any(|line| line == "GITHUB_TOKEN  set"), "{text}");
    ensure!(LAYERS.iter().all(|row| text.contains(row.name)) && !text.contains("MISSING"), "{text}");
    ensure!(text.is_ascii() && text.lines().all(|line| line == line.trim_end()), "{text}");
    Ok(())
}

fn doctor_refuses(stage: &Stage, who: Who) -> anyhow::Result<()> {
    for denial in denials() {
        let output = run(stage, doctor(stage, who, Some(&denial), true)?)?;
        without_token(&output)?;
        ensure!(output.status.code() == Some(3), "{denial}: {}", words(output.status));
        let report = json_of(&output.stdout)?;
        ensure!(report["healthy"] == false && report["sandbox"]["available"] == false, "{denial}: {report}");
        let problem = report["sandbox"]["problem"].as_str().unwrap_or_default();
        ensure!(problem.starts_with("a layer could not be had: "), "{denial}: {problem}");
    }
    Ok(())
}

fn doctor_sees_a_liar(stage: &Stage, who: Who) -> anyhow::Result<()> {
    let program = liar(stage, who, "doctor")?;
    let mut command = doctor(stage, who, None, true)?;
    command.arg("--worker").arg(&program);
    let output = run(stage, command)?;
    let report = json_of(&output.stdout)?;
    ensure!(output.status.code() == Some(3) && report["sandbox"]["available"] == false, "{report}");
    let states: Vec<_> = report["sandbox"]["layers"]
        .as_array()
        .context("no layers")?
        .iter()
        .filter(|layer| layer["state"] == "missing")
        .filter_map(|layer| layer["name"].as_str())
        .collect();
    for name in ["rlimits", "no_new_privs", "seccomp"] {
        ensure!(states.contains(&name), "{name} is believed: {report}");
    }
    Ok(())
}
