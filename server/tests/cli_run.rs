//! `wit run`: one script from a shell, and nothing left behind.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod process;

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use process::{PATIENCE, outcome, repository, wit, with_snapshots};

/// What is under a directory, save for what the test itself put there.
fn left_behind(home: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(home).unwrap().flatten();
    let ours = [".cache", "repository", "script.js"];
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !ours.contains(&name.as_str()));
    names
}

#[test]
fn the_value_goes_to_stdout_and_everything_else_to_stderr() {
    let home = tempfile::tempdir().unwrap();
    let mapping = format!("owner/name={}", repository(home.path()).display());
    std::fs::write(home.path().join("script.js"), "return { from: 'file' }\n").unwrap();
    let mut seen = String::new();
    for (arguments, stdin) in [
        (&["run", "-e", "return { b: 1, a: [1e21, null] }"][..], ""),
        (&["run", "-e", "return null"], ""),
        (&["run", "script.js"], ""),
        (&["run", "-"], "return 'from stdin'"),
        (&["run", "-e", "console.log('printed'); return 1"], ""),
        (&["run", "-e", "throw new TypeError('no')"], ""),
        (&["run", "-e", "const a = ;"], ""),
        (&["run", "-e", "await new Promise(() => {})"], ""),
        (&["run", "-e", "return await codemode.wit.open({})"], ""),
        (&["run", "-e", "return await codemode.wit.opne({})"], ""),
        (&["run", "-e", ""], ""),
        (
            &[
                "run",
                "-e",
                "const s = await codemode.wit.open({ repo: 'owner/name' }); return (await codemode.wit.read({ snapshot_id: s.snapshot_id, path: 'README.md' })).text",
            ],
            "",
        ),
    ] {
        let text = outcome(wit(home.path()).args(arguments).args(["--local", &mapping]), stdin.as_bytes(), home.path());
        seen.push_str(&format!("$ wit {}\n{text}\n", arguments.join(" ")));
    }
    with_snapshots(|| insta::assert_snapshot!("cli_run", seen));
    assert!(left_behind(home.path()).is_empty(), "{:?}", left_behind(home.path()));
}

/// What a script prints must not command the terminal it is shown on, nor swallow the line after it.
#[test]
fn printed_text_is_shown_without_control_characters() {
    let home = tempfile::tempdir().unwrap();
    let script = "console.log('\\u001b]0;title\\u0007 \\u009b2J\\tkept'); return '\\u009b'";
    let text = outcome(wit(home.path()).args(["run", "-e", script]), b"", home.path());
    let (stdout, stderr) = text.split_once("--- stderr\n").unwrap();
    assert_eq!(stderr, "\\x1b]0;title\\x07 \\x9b2J\tkept\n");
    assert!(stdout.ends_with("\"\u{9b}\"\n"), "a program reads the very bytes: {stdout:?}");
}

#[test]
fn a_worker_that_is_none_is_the_environments_fault() {
    let home = tempfile::tempdir().unwrap();
    for worker in ["/dev/null", "/absent"] {
        let text = outcome(wit(home.path()).args(["run", "-e", "return 1", "--worker", worker]), b"", home.path());
        assert!(text.starts_with("exit: 3\n") && text.contains("worker_start_failed"), "{worker}: {text}");
    }
}

#[test]
fn an_unusable_temporary_directory_is_named() {
    let home = tempfile::tempdir().unwrap();
    let run = outcome(wit(home.path()).args(["run", "-e", "return 1"]).env("TMPDIR", "/nonexistent"), b"", home.path());
    assert!(run.starts_with("exit: 3\n") && run.contains("unusable temporary directory"), "{run}");
    let mut doctor = wit(home.path());
    doctor.args(["doctor", "--github-url", "http://127.0.0.1:1"]).env("TMPDIR", "/nonexistent");
    let report = outcome(&mut doctor, b"", home.path());
    assert!(report.starts_with("exit: 3\n") && report.contains("REFUSED"), "{report}");
    assert!(report.contains("temporary     FAILED: cannot be used"), "{report}");
}

#[test]
fn a_signal_ends_it_with_the_signals_status_and_takes_the_worker_along() {
    let home = tempfile::tempdir().unwrap();
    for (signal, status) in [("-INT", 130), ("-TERM", 143)] {
        let mut child = wit(home.path())
            .args(["run", "-e", "while (true) {}"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("wit starts");
        let pid = child.id();
        let workers = || -> Vec<String> {
            let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
            tasks
                .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
                .flat_map(|text| text.split_whitespace().map(ToOwned::to_owned).collect::<Vec<_>>())
                .collect()
        };
        let started = Instant::now();
        while workers().is_empty() {
            assert!(started.elapsed() < PATIENCE, "no worker started");
            std::thread::yield_now();
        }
        let running = workers();
        let sent = std::process::Command::new("kill").arg(signal).arg(pid.to_string()).status().unwrap();
        assert!(sent.success());
        let started = Instant::now();
        assert_eq!(child.wait().unwrap().code(), Some(status));
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
        for worker in running {
            assert!(!Path::new("/proc").join(&worker).exists(), "worker {worker} is left");
        }
    }
    assert!(left_behind(home.path()).is_empty(), "{:?}", left_behind(home.path()));
}
