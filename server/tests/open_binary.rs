//! `open` through the real binary against real git over HTTP: every form of ref, every failure with its own code, and
//! nothing half-written left of any.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod process;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use conformance::double::git_http::{Fault, GitServer, Stage};
use process::{Client, PATIENCE, wit};
use serde_json::{Value, json};

/// A git server with `demo/repo`, and a home for servers under test.
struct World {
    home: tempfile::TempDir,
    server: GitServer,
}

impl World {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let bare = home.path().join("served/demo/repo.git");
        fs::create_dir_all(&bare).unwrap();
        git(&bare, &["init", "-q", "--bare", "-b", "main", "."], b"");
        let server = GitServer::start(&home.path().join("served")).unwrap();
        Self { home, server }
    }

    /// The same with a commit on `main`.
    fn with_commit() -> (Self, String) {
        let world = Self::new();
        let commit = world.commit("main", "one");
        (world, commit)
    }

    fn bare(&self) -> PathBuf {
        self.home.path().join("served/demo/repo.git")
    }

    /// A commit with 64 KiB that do not compress, and a small file, as the tip of a branch.
    fn commit(&self, branch: &str, text: &str) -> String {
        let mut state = 1_u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .take(64 << 10)
        .collect();
        let mut stream = format!(
            "commit refs/heads/{branch}\ncommitter T <t@example.invalid> 1700000000 +0000\ndata {}\n{text}\ndeleteall\n\
             M 100644 inline a.txt\ndata {}\n{text}\nM 100644 inline noise\ndata {}\n",
            text.len(),
            text.len(),
            noise.len()
        )
        .into_bytes();
        stream.extend_from_slice(&noise);
        git(&self.bare(), &["fast-import", "--quiet", "--force"], &stream);
        git(&self.bare(), &["rev-parse", branch], b"")
    }

    fn client(&self) -> Client {
        self.client_of(wit(self.home.path()), &[])
    }

    fn client_of(&self, command: Command, more: &[&str]) -> Client {
        let url = self.server.url();
        Client::initialized(command, &[&["--github-url", &url], more].concat())
    }

    /// Waits until nothing is half-written any more: a thread that was abandoned may be on its last steps.
    fn nothing_is_left(&self) {
        let root = self.home.path().join(".cache/wit/v1");
        let listed = |path: &Path| -> Vec<PathBuf> {
            fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
        };
        let end = Instant::now() + PATIENCE;
        loop {
            let mut left = listed(&root.join("locks"));
            left.extend(
                listed(&root.join("scratch")).iter().filter(|path| path.is_dir()).flat_map(|path| listed(path)),
            );
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < end, "left: {left:?}");
            std::thread::yield_now();
        }
    }

    fn snapshots(&self) -> usize {
        fs::read_dir(self.home.path().join(".cache/wit/v1/snapshots")).map(Iterator::count).unwrap_or_default()
    }
}

fn git(directory: &Path, arguments: &[&str], input: &[u8]) -> String {
    let mut child = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.invalid"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "git {arguments:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The result's object, failures included.
fn open(client: &mut Client, more: Value) -> Value {
    let mut arguments = json!({ "repo": "demo/repo" });
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    client.call("wit_open", arguments)["structuredContent"].take()
}

#[test]
fn every_form_of_ref() {
    let (world, first) = World::with_commit();
    let bare = world.bare();
    git(&bare, &["tag", "-a", "-m", "annotated", "v1.0", "main"], b"");
    git(&bare, &["-c", "advice.nestedTag=false", "tag", "-a", "-m", "of a tag", "nested", "v1.0"], b"");
    git(&bare, &["update-ref", "refs/pull/7/head", "main"], b"");
    git(&bare, &["update-ref", "refs/odd/place", "main"], b"");
    let second = world.commit("feature/x", "two");
    let mut client = world.client();
    for (reference, commit, resolved) in [
        (Value::Null, &first, json!("refs/heads/main")),
        (json!("main"), &first, json!("refs/heads/main")),
        (json!("feature/x"), &second, json!("refs/heads/feature/x")),
        (json!("v1.0"), &first, json!("refs/tags/v1.0")),
        (json!("nested"), &first, json!("refs/tags/nested")),
        (json!("refs/odd/place"), &first, json!("refs/odd/place")),
        (json!("pull/7"), &first, json!("refs/pull/7/head")),
        (json!("#7"), &first, json!("refs/pull/7/head")),
        (json!(second), &second, Value::Null),
        (json!(second[..10]), &second, Value::Null),
    ] {
        let opened = open(&mut client, json!({ "ref": reference }));
        assert_eq!((&opened["commit_sha"], &opened["resolved_ref"]), (&json!(commit), &resolved), "{opened}");
    }
    for reference in ["absent", "refs/heads/absent", "pull/8", "#8", "00000000", &"0".repeat(40)] {
        assert_eq!(open(&mut client, json!({ "ref": reference }))["code"], "ref_not_found", "{reference}");
    }
    assert_eq!(open(&mut client, json!({ "repo": "demo/absent" }))["code"], "repository_not_found");
    world.nothing_is_left();
    assert_eq!(world.snapshots(), 2, "one file a commit, however it was named");
}

#[test]
fn an_empty_repository_is_one_without_refs() {
    let world = World::new();
    let failure = open(&mut world.client(), json!({}));
    assert_eq!(failure["code"], "ref_not_found");
    assert!(failure["message"].as_str().unwrap().contains("empty"), "{failure}");
}

/// Here and over HTTP, two commits whose ids begin alike are told apart only by more digits.
#[test]
fn an_ambiguous_short_id() {
    let (world, _) = World::with_commit();
    let stream: String = (0..600)
        .map(|n| format!("commit refs/heads/b{n}\ncommitter T <t@e> {} +0000\ndata 1\nx\n", 1_700_000_000 + n))
        .collect();
    git(&world.bare(), &["fast-import", "--quiet"], stream.as_bytes());
    let mut by_prefix: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for id in git(&world.bare(), &["for-each-ref", "--format=%(objectname)", "refs/heads"], b"").lines() {
        by_prefix.entry(id[..4].to_owned()).or_default().push(id.to_owned());
    }
    let (prefix, ids) = by_prefix.iter().find(|(_, ids)| ids.len() > 1).expect("600 of 65536: surely two begin alike");
    let longer = &ids[0][..12];
    let mapping = format!("demo/local={}", world.bare().display());
    let mut client = world.client_of(wit(world.home.path()), &["--local", &mapping]);
    for repo in ["demo/repo", "demo/local"] {
        let failure = open(&mut client, json!({ "repo": repo, "ref": prefix }));
        assert_eq!(failure["code"], "ref_not_found", "{failure}");
        assert!(failure["message"].as_str().unwrap().contains("more digits"), "{failure}");
        assert_eq!(open(&mut client, json!({ "repo": repo, "ref": longer }))["commit_sha"], ids[0].as_str());
    }
}

#[test]
fn renamed_private_and_gone() {
    let (world, commit) = World::with_commit();
    world.server.rename("demo/old", "demo/repo");
    let mut client = world.client();
    let moved = open(&mut client, json!({ "repo": "demo/old" }));
    assert_eq!((&moved["commit_sha"], &moved["repo"]), (&json!(commit), &json!("demo/old")));
    world.server.require_token("right-canary");
    assert_eq!(open(&mut client, json!({ "freshness": "require_fresh" }))["code"], "repository_not_found");
    for (token, field, expected) in
        [("wrong-canary", "code", "authentication_failed"), ("right-canary", "commit_sha", &commit)]
    {
        let mut command = wit(world.home.path());
        command.env("GITHUB_TOKEN", token);
        let answer = open(&mut world.client_of(command, &[]), json!({ "freshness": "require_fresh" }));
        assert_eq!(answer[field], expected, "{answer}");
        assert!(!answer.to_string().contains("canary"), "{answer}");
    }
    let nobody = Client::initialized(wit(world.home.path()), &["--github-url", "http://127.0.0.1:1"]);
    let mut nobody = nobody;
    assert_eq!(open(&mut nobody, json!({ "ref": "other" }))["code"], "upstream_unavailable");
    world.nothing_is_left();
}

#[test]
fn what_a_server_can_do_wrong() {
    let (world, commit) = World::with_commit();
    fs::write(world.home.path().join("brief.toml"), "operation_ms = 1500\n").unwrap();
    let mut client = world.client_of(wit(world.home.path()), &["--policy", "brief.toml"]);
    for (stage, fault, code) in [
        (Stage::Handshake, Fault::Status(503), "upstream_unavailable"),
        (Stage::Handshake, Fault::RateLimited(9), "rate_limited"),
        (Stage::Handshake, Fault::Nonsense, "upstream_unavailable"),
        (Stage::Handshake, Fault::Stall, "deadline_exceeded"),
        (Stage::ListRefs, Fault::TruncateAfter(20), "upstream_unavailable"),
        (Stage::ListRefs, Fault::Stall, "deadline_exceeded"),
        (Stage::Fetch, Fault::Status(500), "upstream_unavailable"),
        (Stage::Fetch, Fault::TruncateAfter(3000), "upstream_unavailable"),
        (Stage::Fetch, Fault::TruncateAfter(60_000), "upstream_unavailable"),
        (Stage::Fetch, Fault::StallAfter(3000), "deadline_exceeded"),
        (Stage::Fetch, Fault::Corrupt(40_000), "upstream_unavailable"),
        (Stage::Fetch, Fault::MissingObject, "upstream_unavailable"),
        (Stage::Fetch, Fault::HugeObject, "upstream_unavailable"),
    ] {
        world.server.fail(stage, fault.clone());
        let begun = Instant::now();
        let failure = open(&mut client, json!({}));
        assert_eq!(failure["code"], code, "{stage:?} {fault:?}: {failure}");
        assert!(!failure.to_string().contains("canary"), "{failure}");
        assert!(begun.elapsed() < PATIENCE);
        world.nothing_is_left();
        assert_eq!(world.snapshots(), 0, "{stage:?} {fault:?} left a snapshot");
        world.server.heal();
    }
    assert_eq!(open(&mut client, json!({}))["commit_sha"], commit.as_str(), "and then it works");
}

/// The limit on the size of a file stands for a full disk: the kernel refuses the write in the middle of the pack.
#[cfg(unix)]
#[test]
fn a_full_disk_is_no_fault_of_the_server() {
    let (world, _) = World::with_commit();
    // Blocks of 512 bytes: enough for the key and small files, too little for the pack. The signal is ignored, as an
    // ignored signal stays ignored across exec; a genuine full disk sends none.
    let mut command = Command::new("sh");
    command
        .args(["-c", "trap '' XFSZ; ulimit -f 32; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_wit")])
        .env_clear()
        .env("HOME", world.home.path())
        .env("TMPDIR", world.home.path())
        .current_dir(world.home.path());
    let failure = open(&mut world.client_of(command, &[]), json!({}));
    assert_eq!(
        (&failure["code"], &failure["message"]),
        (&json!("operation_failed"), &json!("the cache cannot be written"))
    );
    world.nothing_is_left();
    assert_eq!(world.snapshots(), 0);
}

/// The real thing, where the kernel lets an ordinary user mount a file system of its own.
#[cfg(target_os = "linux")]
#[test]
fn a_tiny_file_system_that_is_full() {
    let (world, _) = World::with_commit();
    let cache = world.home.path().join("tiny");
    fs::create_dir(&cache).unwrap();
    let script = "mount -t tmpfs -o size=96k tmpfs tiny && exec \"$0\" \"$@\"";
    let within = |program: &str| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script, program]);
        command.env_clear().env("HOME", world.home.path()).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        command.env("TMPDIR", world.home.path()).current_dir(world.home.path());
        command
    };
    if !within("true").stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        // The file size limit above shows the same everywhere.
        return;
    }
    let mut client = world.client_of(within(env!("CARGO_BIN_EXE_wit")), &["--cache-dir", "tiny"]);
    for _ in 0..2 {
        let failure = open(&mut client, json!({}));
        assert_eq!(
            (&failure["code"], &failure["message"]),
            (&json!("operation_failed"), &json!("the cache cannot be written")),
            "the second time too: the first left nothing that takes the room"
        );
    }
}

#[test]
fn freshness_single_flight_and_progress() {
    let (world, first) = World::with_commit();
    let mut client = world.client();
    // Ten callers, sent before any answer is read.
    let ids: Vec<_> = (0..10)
        .map(|_| client.ask("tools/call", json!({ "name": "wit_open", "arguments": { "repo": "demo/repo" } })))
        .collect();
    let mut answered = Vec::new();
    while answered.len() < ids.len() {
        let answer = client.receive();
        assert_eq!(answer["result"]["structuredContent"]["commit_sha"], first.as_str(), "{answer}");
        answered.push(answer["id"].as_u64().unwrap());
    }
    answered.sort_unstable();
    assert_eq!(answered, ids);
    assert_eq!(world.server.count(Stage::Fetch), 1);

    let second = world.commit("main", "two");
    let stale = open(&mut client, json!({ "freshness": "allow_stale" }));
    assert_eq!((&stale["commit_sha"], &stale["cache"]["state"]), (&json!(first), &json!("stale")));
    let id = client.ask(
        "tools/call",
        json!({
            "name": "wit_open", "arguments": { "repo": "demo/repo", "freshness": "require_fresh" },
            "_meta": { "progressToken": "p" },
        }),
    );
    let mut progress = Vec::new();
    let answer = loop {
        let message = client.receive();
        if message["id"] == id {
            break message;
        }
        assert_eq!(message["method"], "notifications/progress", "{message}");
        assert_eq!(message["params"]["progressToken"], "p");
        progress.push(message["params"].clone());
    };
    assert_eq!(answer["result"]["structuredContent"]["commit_sha"], second.as_str());
    // The refresh behind the stale answer may have been faster, and then there was nothing to report.
    let fetched = answer["result"]["structuredContent"]["cache"]["state"] == "fresh";
    assert!(!fetched || !progress.is_empty(), "{answer}");
    let third = world.commit("other", "three");
    let opened = open(&mut client, json!({ "ref": "other" }));
    assert_eq!((&opened["commit_sha"], &opened["cache"]["state"]), (&json!(third), &json!("fresh")));
    // A server that cannot be asked: the cache will do, unless a fresh answer is required.
    world.server.fail(Stage::Handshake, Fault::Status(503));
    assert_eq!(open(&mut client, json!({}))["cache"]["state"], "stale");
    assert_eq!(open(&mut client, json!({ "freshness": "require_fresh" }))["code"], "upstream_unavailable");
}

/// Progress of an open that fetches: phases in stable words, and numbers that only grow within one.
#[test]
fn progress_of_a_cold_open() {
    let (world, _) = World::with_commit();
    let mut client = world.client();
    let id = client.ask(
        "tools/call",
        json!({ "name": "wit_open", "arguments": { "repo": "demo/repo" }, "_meta": { "progressToken": 5 } }),
    );
    let mut last = -1.0;
    let mut count = 0;
    loop {
        let message = client.receive();
        if message["id"] == id {
            break;
        }
        let now = message["params"]["progress"].as_f64().expect("a number");
        assert!(now > last, "progress never goes back: {message}");
        last = now;
        count += 1;
        assert!(message["params"]["message"].is_string(), "{message}");
    }
    assert!(count > 0, "a client that asks for progress hears of it");
}
