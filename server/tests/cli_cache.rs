//! `wit cache` through the real binary: what it prints, what it removes, and what it must leave alone.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod process;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use conformance::double::git_http::{Fault, GitServer, Stage};
use process::{Client, outcome, repository, wit, with_snapshots};
use serde_json::json;

/// 2026-01-02T03:04:05Z.
const LATER: u64 = 1_767_323_045;
/// 2026-01-01T00:00:00Z.
const EARLIER: u64 = 1_767_225_600;

/// A cache with one commit under two names, the second one used a day before the first.
fn filled(home: &Path) -> Vec<PathBuf> {
    let path = repository(home);
    let mut files = Vec::new();
    for (name, at) in [("owner/one", LATER), ("owner/two", EARLIER)] {
        let script = format!("return (await codemode.wit.open({{ repo: '{name}' }})).snapshot_id");
        let mapping = format!("{name}={}", path.display());
        let text = outcome(wit(home).args(["run", "-e", &script, "--local", &mapping]), b"", home);
        let handle = text.split('"').nth(1).unwrap_or_else(|| panic!("no handle: {text}"));
        let file = home.join(".cache/wit/v1/snapshots").join(handle);
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(at);
        File::open(&file).unwrap().set_modified(time).unwrap();
        files.push(file);
    }
    files
}

fn snapshot(name: &str, home: &Path, arguments: &[&str]) {
    let text = outcome(wit(home).arg("cache").args(arguments), b"", home);
    with_snapshots(|| insta::assert_snapshot!(format!("cli_cache_{name}"), text));
}

#[test]
fn a_cache_that_is_not_there() {
    let home = tempfile::tempdir().unwrap();
    snapshot("absent", home.path(), &[]);
    snapshot("absent_json", home.path(), &["--json"]);
    snapshot("absent_prune", home.path(), &["prune", "--all"]);
    assert_eq!(fs::read_dir(home.path().join(".cache/wit")).map(Iterator::count).unwrap_or_default(), 0);
    fs::write(home.path().join("file"), "").unwrap();
    snapshot("not_a_directory", home.path(), &["--cache-dir", "file"]);
}

#[test]
fn wrong_arguments() {
    let home = tempfile::tempdir().unwrap();
    snapshot("prune_what", home.path(), &["prune"]);
    snapshot("prune_both", home.path(), &["prune", "--all", "--max-bytes", "1"]);
    snapshot("prune_no_size", home.path(), &["prune", "--max-bytes", "much"]);
    snapshot("prune_no_age", home.path(), &["prune", "--older-than", "30"]);
    snapshot("prune_verify", home.path(), &["--verify", "prune", "--all"]);
    snapshot("no_action", home.path(), &["empty"]);
}

#[test]
fn what_is_shown_and_what_goes() {
    let home = tempfile::tempdir().unwrap();
    let files = filled(home.path());
    snapshot("show", home.path(), &[]);
    snapshot("show_verified_json", home.path(), &["show", "--verify", "--json"]);
    let used = |file: &Path| fs::metadata(file).unwrap().modified().unwrap();
    assert_eq!(used(&files[0]), SystemTime::UNIX_EPOCH + Duration::from_secs(LATER), "looking is no use");
    let one = fs::metadata(&files[0]).unwrap().len().to_string();
    snapshot("prune_dry_run", home.path(), &["prune", "--max-bytes", &one, "--dry-run"]);
    assert!(files.iter().all(|file| file.exists()));
    snapshot("prune_max_bytes", home.path(), &["prune", "--max-bytes", &one]);
    assert_eq!([files[0].exists(), files[1].exists()], [true, false], "the least recently used went");
    snapshot("prune_nothing", home.path(), &["prune", "--older-than", "100000w", "--json"]);
    assert!(files[0].exists());
    snapshot("prune_older", home.path(), &["prune", "--older-than", "1min", "--json"]);
    assert!(!files[0].exists());
}

#[test]
fn damage_is_seen_and_goes() {
    let home = tempfile::tempdir().unwrap();
    let files = filled(home.path());
    // In the contents of the one, where only --verify looks; in the header of the other.
    for (file, at) in files.iter().zip([4100, 20]) {
        let mut bytes = fs::read(file).unwrap();
        bytes[at] ^= 1;
        let time = used_at(file);
        fs::remove_file(file).unwrap();
        fs::write(file, bytes).unwrap();
        File::open(file).unwrap().set_modified(time).unwrap();
    }
    snapshot("damaged", home.path(), &[]);
    snapshot("damaged_verified", home.path(), &["--verify"]);
    snapshot("damaged_prune", home.path(), &["prune", "--max-bytes", "1GiB"]);
    assert_eq!([files[0].exists(), files[1].exists()], [true, false]);
}

fn used_at(file: &Path) -> SystemTime {
    fs::metadata(file).unwrap().modified().unwrap()
}

/// What a server is writing stays while it lives, whoever prunes; and goes with the next command once it was killed.
#[test]
fn a_living_server_keeps_what_it_writes() {
    let home = tempfile::tempdir().unwrap();
    let path = repository(home.path());
    let served = home.path().join("served/demo/repo.git");
    fs::create_dir_all(served.parent().unwrap()).unwrap();
    let cloned =
        std::process::Command::new("git").args(["clone", "--quiet", "--bare"]).args([&path, &served]).status().unwrap();
    assert!(cloned.success());
    let server = GitServer::start(&home.path().join("served")).unwrap();
    server.fail(Stage::Fetch, Fault::StallAfter(200));
    let mut client = Client::initialized(wit(home.path()), &["--github-url", &server.url()]);
    client.ask("tools/call", json!({ "name": "wit_open", "arguments": { "repo": "demo/repo" } }));
    let root = home.path().join(".cache/wit/v1");
    let end = Instant::now() + process::PATIENCE;
    let packs = || {
        let servers = fs::read_dir(root.join("scratch")).into_iter().flatten().flatten();
        let inside = servers.flat_map(|server| fs::read_dir(server.path()).into_iter().flatten().flatten());
        inside.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    while packs().is_empty() {
        assert!(Instant::now() < end, "nothing was ever written");
        std::thread::yield_now();
    }
    let writing = packs();
    let pruned = outcome(wit(home.path()).args(["cache", "prune", "--all"]), b"", home.path());
    assert!(pruned.starts_with("exit: 0"), "{pruned}");
    assert!(writing.iter().all(|path| path.exists()), "what a living server writes is left alone");
    assert_eq!(fs::read_dir(root.join("locks")).unwrap().count(), 1, "and so is its turn");
    // SIGKILL: nothing of the server's own can clean up.
    drop(client);
    assert!(writing.iter().all(|path| path.exists()));
    outcome(wit(home.path()).args(["cache", "prune", "--all"]), b"", home.path());
    for name in ["scratch", "locks"] {
        assert_eq!(fs::read_dir(root.join(name)).unwrap().count(), 0, "{name} of a killed server is garbage at once");
    }
}
