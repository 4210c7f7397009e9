//! Every way a command line can be wrong gives one clear line and its exit status.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod process;

use process::{outcome, repository, wit, with_snapshots};

/// Runs and compares exit status, stdout and stderr together.
fn snapshot(name: &str, arguments: &[&str], stdin: &[u8]) {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("over.toml"), "wall_ms = 10001\n").unwrap();
    std::fs::write(home.path().join("zero.toml"), "pages = 0\n").unwrap();
    std::fs::write(home.path().join("fixed.toml"), "frame_bytes = 1\n").unwrap();
    std::fs::write(home.path().join("negative.toml"), "pages = -1\n").unwrap();
    std::fs::write(home.path().join("string.toml"), "pages = \"8\"\n").unwrap();
    std::fs::write(home.path().join("unknown.toml"), "wall_time = 5\n").unwrap();
    std::fs::write(home.path().join("broken.toml"), "pages =\n").unwrap();
    std::fs::write(home.path().join("lowered.toml"), "pages = 4\n").unwrap();
    std::fs::write(home.path().join("latin1.js"), b"return '\xe9'").unwrap();
    std::fs::create_dir(home.path().join("directory")).unwrap();
    let text = outcome(wit(home.path()).args(arguments), stdin, home.path());
    let stderr = text.split("--- stderr\n").nth(1).unwrap_or_default();
    assert!(stderr.lines().count() <= 1, "more than one line: {stderr}");
    with_snapshots(|| insta::assert_snapshot!(format!("cli_{name}"), text));
}

#[test]
fn usage() {
    snapshot("no_command", &[], b"");
    snapshot("unknown_command", &["serve"], b"");
    snapshot("unknown_flag", &["mcp", "--verbose"], b"");
    snapshot("unknown_mode", &["mcp", "--mode", "both"], b"");
    snapshot("unknown_transport", &["mcp", "--transport", "carrier-pigeon"], b"");
    snapshot("run_without_script", &["run"], b"");
    snapshot("run_with_two_scripts", &["run", "a.js", "-e", "return 1"], b"");
}

#[test]
fn files() {
    snapshot("missing_file", &["run", "absent.js"], b"");
    snapshot("directory_as_file", &["run", "directory"], b"");
    snapshot("file_not_utf8", &["run", "latin1.js"], b"");
    snapshot("stdin_not_utf8", &["run", "-"], b"\xff");
}

#[test]
fn mappings() {
    snapshot("local_without_path", &["mcp", "--local", "owner/name"], b"");
    snapshot("local_missing", &["mcp", "--local", "owner/name=absent"], b"");
    snapshot("local_not_a_repository", &["run", "-e", "return 1", "--local", "owner/name=directory"], b"");
    snapshot("allow_not_a_pattern", &["mcp", "--allow", "owner"], b"");
    snapshot("github_url_not_an_address", &["mcp", "--github-url", "ftp://example.invalid"], b"");
    snapshot("github_url_with_a_password", &["mcp", "--github-url", "http://user:hunter2@example.invalid"], b"");
    snapshot("allow_an_address", &["mcp", "--allow", "http://user:hunter2@example.invalid"], b"");
}

#[test]
fn policies() {
    for name in ["over", "zero", "fixed", "negative", "string", "unknown", "broken", "absent"] {
        let file = format!("{name}.toml");
        snapshot(&format!("policy_{name}_run"), &["run", "-e", "return 1", "--policy", &file], b"");
        snapshot(&format!("policy_{name}_mcp"), &["mcp", "--policy", &file], b"");
    }
    snapshot("policy_lowered", &["policy", "--policy", "lowered.toml"], b"");
    snapshot("policy_over", &["policy", "--policy", "over.toml"], b"");
}

#[test]
fn a_log_level_that_is_none_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let text = outcome(wit(home.path()).arg("types").env("WIT_LOG", "loud"), b"", home.path());
    with_snapshots(|| insta::assert_snapshot!("cli_log_level", text));
}

#[test]
fn no_home_and_no_cache_directory() {
    let home = tempfile::tempdir().unwrap();
    let text = outcome(wit(home.path()).args(["run", "-e", "return 1"]).env_remove("HOME"), b"", home.path());
    with_snapshots(|| insta::assert_snapshot!("cli_no_cache_directory", text));
}

#[test]
fn help_and_version_are_not_failures() {
    let home = tempfile::tempdir().unwrap();
    for arguments in [&["--help"][..], &["mcp", "--help"], &["run", "--help"], &["--version"]] {
        let text = outcome(wit(home.path()).args(arguments), b"", home.path());
        assert!(text.starts_with("exit: 0\n--- stdout\n") && text.ends_with("--- stderr\n"), "{text}");
    }
}

#[test]
fn the_declarations_and_the_policy_are_printed() {
    let home = tempfile::tempdir().unwrap();
    let types = outcome(wit(home.path()).arg("types"), b"", home.path());
    assert!(types.contains("declare const codemode"), "{types}");
    with_snapshots(|| insta::assert_snapshot!("cli_types", types));
    let policy = outcome(wit(home.path()).args(["policy", "--json"]), b"", home.path());
    let json = policy.split("--- stdout\n").nth(1).and_then(|rest| rest.split("--- stderr").next()).unwrap();
    let rows: Vec<serde_json::Value> = serde_json::from_str(json).expect("an array of limits");
    assert!(rows.iter().all(|row| row["effective"] == row["default"]), "{json}");
}

/// What it finds differs between machines; that it says so in both forms and in its exit status does not.
#[test]
fn the_doctor_proves_the_sandbox_and_names_no_token() {
    let home = tempfile::tempdir().unwrap();
    for form in [&["doctor"][..], &["doctor", "--json"]] {
        let mut command = wit(home.path());
        command.args(form).args(["--github-url", "http://127.0.0.1:1"]).env("GITHUB_TOKEN", "canary-7f3a");
        let text = outcome(&mut command, b"", home.path());
        assert!(text.contains("GITHUB_TOKEN") && !text.contains("canary-7f3a"), "{text}");
        let available = text.contains("\"available\": true") || text.contains("code mode     available");
        assert_eq!(text.starts_with("exit: 0"), available, "{text}");
        assert_eq!(text.starts_with("exit: 3"), !available, "{text}");
    }
    let unusable = outcome(wit(home.path()).args(["doctor", "--worker", "/absent"]), b"", home.path());
    assert!(unusable.starts_with("exit: 3"), "{unusable}");
}

/// `wit types | head -1` ends quietly.
#[test]
fn a_reader_that_goes_is_no_failure() {
    use std::process::Stdio;
    let home = tempfile::tempdir().unwrap();
    let mut child =
        wit(home.path()).arg("types").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("wit starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("wit ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

/// The token is read, and shows nowhere, at any log level.
#[test]
fn a_token_shows_nowhere() {
    let home = tempfile::tempdir().unwrap();
    let path = repository(home.path());
    let mapping = format!("owner/name={}", path.display());
    for arguments in [
        &["run", "-e", "return await codemode.wit.open({ repo: 'owner/name' })", "--local", &mapping][..],
        &[
            "run",
            "-e",
            "return await codemode.wit.open({ repo: 'owner/absent' })",
            "--github-url",
            "http://127.0.0.1:1",
        ],
        &["mcp", "--local", &mapping],
    ] {
        let mut command = wit(home.path());
        command.args(arguments).env("GITHUB_TOKEN", "canary-7f3a").env("WIT_LOG", "trace");
        let text = outcome(&mut command, b"", home.path());
        assert!(!text.contains("canary-7f3a"), "{text}");
    }
}
