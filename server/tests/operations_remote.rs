//! `open` and `refs` over smart HTTP: git's own server program behind a loopback double, with faults on demand.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use conformance::double::git_http::{Fault, GitServer, Stage};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use support::{Fixture, Host, curious, git};
use tokio_util::sync::CancellationToken;
use wit::operations::{HostOperations as _, OperationContext, OperationError, Refresh, Surface};
use wit::repository::Secret;
use wit_worker::registry::{Code, OperationId};

const TOKEN: &str = "token-canary-5f1e";

/// A server with one repository, `demo/repo`.
struct World {
    fixture: Fixture,
    server: GitServer,
    root: tempfile::TempDir,
}

impl World {
    fn new(fixture: Fixture) -> Self {
        let root = tempfile::tempdir().expect("a directory");
        let server = GitServer::start(root.path()).expect("a server");
        let world = Self { fixture, server, root };
        world.publish();
        world
    }

    /// Brings the server's copy up to date.
    fn publish(&self) {
        let bare = self.root.path().join("demo/repo.git");
        if !bare.exists() {
            std::fs::create_dir_all(&bare).expect("created");
            git(&bare, &["init", "-q", "--bare", "-b", "main", "."]);
        }
        git(&bare, &["fetch", "-q", "--force", self.fixture.path().to_str().expect("UTF-8"), "+refs/*:refs/*"]);
    }

    fn host(&self) -> Host {
        self.host_with(|_| {})
    }

    fn host_with(&self, change: impl FnOnce(&mut wit::operations::OperationsOptions)) -> Host {
        Host::with(|options| {
            options.github_url = self.server.url().parse().expect("an address");
            change(options);
        })
    }

    async fn open(&self, host: &Host, more: Value) -> Result<Value, OperationError> {
        let mut arguments = json!({ "repo": "demo/repo" });
        arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        host.call(OperationId::Open, arguments).await
    }
}

fn scratch_is_empty(host: &Host) {
    // The blocking thread may still be on its way out; it cannot be waited for otherwise.
    let end = Instant::now() + Duration::from_secs(20);
    while !host.unfinished().is_empty() {
        assert!(Instant::now() < end, "left: {:?}", host.unfinished());
        std::thread::yield_now();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_repository_is_the_local_one() {
    let world = World::new(curious());
    let (remote, local) = (world.host(), Host::local(world.fixture.path()));
    let opened = world.open(&remote, json!({})).await.expect("opened");
    assert_eq!((&opened["cache"]["state"], &opened["resolved_ref"]), (&json!("fresh"), &json!("refs/heads/main")));
    let here = local.call(OperationId::Open, json!({ "repo": "demo/repo" })).await.expect("opened");
    for field in ["snapshot_id", "commit_sha", "totals"] {
        assert_eq!(opened[field], here[field], "the same bytes have the same handle");
    }
    let arguments = json!({ "snapshot_id": opened["snapshot_id"], "depth": 32, "include_metadata": true, "max_items": 1000, "max_bytes": 262_144 });
    let items = remote.walk(OperationId::List, &arguments, "items").await;
    assert_eq!(items, local.walk(OperationId::List, &arguments, "items").await);
    let ours = std::fs::read(remote.cache.join("v1/snapshots").join(opened["snapshot_id"].as_str().expect("a handle")));
    let theirs =
        std::fs::read(local.cache.join("v1/snapshots").join(opened["snapshot_id"].as_str().expect("a handle")));
    assert_eq!(ours.expect("a file"), theirs.expect("a file"));
    assert!(world.server.requests().iter().all(|request| request.git_protocol.as_deref() == Some("version=2")));
    scratch_is_empty(&remote);
}

#[tokio::test(flavor = "multi_thread")]
async fn remote_refs_of_every_kind() {
    let fixture = Fixture::empty();
    fixture.write("a.txt", "one\n");
    let first = fixture.commit("one");
    fixture.git(&["tag", "-a", "-m", "annotated", "v1.0"]);
    let tag = fixture.text(&["rev-parse", "v1.0"]);
    fixture.git(&["branch", "feature/x"]);
    fixture.git(&["update-ref", "refs/pull/7/head", "HEAD"]);
    let tree = fixture.text(&["rev-parse", "HEAD^{tree}"]);
    fixture.git(&["tag", "a-tree", &tree]);
    fixture.write("a.txt", "two\n");
    let hidden = fixture.commit("two");
    fixture.write("a.txt", "three\n");
    let last = fixture.commit("three");
    let world = World::new(fixture);
    let host = world.host();
    for (reference, commit, resolved) in [
        ("main", &last, json!("refs/heads/main")),
        ("v1.0", &first, json!("refs/tags/v1.0")),
        ("feature/x", &first, json!("refs/heads/feature/x")),
        ("refs/tags/v1.0", &first, json!("refs/tags/v1.0")),
        ("pull/7", &first, json!("refs/pull/7/head")),
        (hidden.as_str(), &hidden, Value::Null),
        (&last[..7], &last, Value::Null),
        (&tag, &first, Value::Null),
    ] {
        let opened = world.open(&host, json!({ "ref": reference })).await.expect(reference);
        assert_eq!((&opened["commit_sha"], &opened["resolved_ref"]), (&json!(commit), &resolved), "{reference}");
    }
    for reference in ["nothing", "pull/8", "a-tree", &"0".repeat(40), &tree, "0000000"] {
        let outcome = world.open(&host, json!({ "ref": reference })).await;
        assert_eq!(outcome.expect_err(reference).code, Code::RefNotFound, "{reference}");
    }
    scratch_is_empty(&host);
}

#[tokio::test(flavor = "multi_thread")]
async fn refs_are_listed_alike_here_and_there() {
    let fixture = Fixture::empty();
    fixture.write("a.txt", "one\n");
    let commit = fixture.commit("one");
    for name in ["b", "a/b", "release"] {
        fixture.git(&["branch", name]);
    }
    fixture.git(&["tag", "-a", "-m", "annotated", "v1.0"]);
    fixture.git(&["update-ref", "refs/pull/12/head", "HEAD"]);
    fixture.git(&["update-ref", "refs/notes/x", "HEAD"]);
    let world = World::new(fixture);
    let (remote, local) = (world.host(), Host::local(world.fixture.path()));
    let arguments = json!({ "repo": "demo/repo" });
    let items = remote.walk(OperationId::Refs, &arguments, "items").await;
    assert_eq!(items, local.walk(OperationId::Refs, &arguments, "items").await);
    let names: Vec<_> = items.iter().map(|item| item["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["a/b", "b", "main", "release", "pull/12", "v1.0"]);
    assert!(items.iter().all(|item| item["commit_sha"] == commit.as_str()));
    let default: Vec<_> = items.iter().filter(|item| item["is_default"] == true).map(|item| &item["name"]).collect();
    assert_eq!(default, ["main"]);
    for (max_items, max_bytes) in [(1, 65_536), (4, 1024)] {
        let paged = json!({ "repo": "demo/repo", "max_items": max_items, "max_bytes": max_bytes });
        assert_eq!(remote.walk(OperationId::Refs, &paged, "items").await, items);
    }
    for host in [&remote, &local] {
        let one = host.walk(OperationId::Refs, &json!({ "repo": "demo/repo", "ref": "v1.0" }), "items").await;
        assert_eq!((one.len(), &one[0]["kind"], &one[0]["resolved_ref"]), (1, &json!("tag"), &json!("refs/tags/v1.0")));
        let outcome = host.call(OperationId::Refs, json!({ "repo": "demo/repo", "ref": "nothing" })).await;
        assert_eq!(outcome.expect_err("no ref").code, Code::RefNotFound);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn freshness() {
    let world = World::new(curious());
    let host = world.host();
    let first = world.open(&host, json!({})).await.expect("opened");
    world.fixture.write("README.md", "changed\n");
    let second = world.fixture.commit("change");
    world.publish();
    let stale = world.open(&host, json!({})).await.expect("opened");
    assert_eq!((&stale["commit_sha"], &stale["cache"]["state"]), (&first["commit_sha"], &json!("stale")));
    // The refresh behind has no result to wait for but the answer of a later call.
    let end = Instant::now() + Duration::from_secs(30);
    while world.open(&host, json!({})).await.expect("opened")["commit_sha"] != second.as_str() {
        assert!(Instant::now() < end, "refreshed behind");
        tokio::task::yield_now().await;
    }
    let fresh = world.open(&host, json!({ "freshness": "require_fresh" })).await.expect("opened");
    assert_eq!((&fresh["commit_sha"], &fresh["cache"]["state"]), (&json!(second), &json!("cached")));
    let by_id = world.open(&host, json!({ "ref": second })).await.expect("opened");
    assert_eq!(by_id["cache"]["state"], "cached");

    world.server.fail(Stage::Handshake, Fault::Status(503));
    let failed = world.open(&host, json!({ "freshness": "require_fresh" })).await.expect_err("unavailable");
    assert_eq!(failed.code, Code::UpstreamUnavailable);
    // A refresh that began before the fault may still report its success over the failure; each further stale answer
    // starts another, which fails, so the failure is what stays.
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let stale = world.open(&host, json!({})).await.expect("served from the cache");
        assert_eq!(stale["cache"]["state"], "stale");
        if stale["cache"]["last_error"] == "upstream_unavailable" {
            break;
        }
        assert!(Instant::now() < end, "the failure is told: {stale}");
        tokio::task::yield_now().await;
    }
    let script =
        host.call_as(OperationId::Open, json!({ "repo": "demo/repo" }), Surface::CodeMode).await.expect("served");
    assert_eq!(script["cache"]["last_error"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_ends_asks_first() {
    let world = World::new(curious());
    let host = world.host_with(|options| options.refresh = Refresh::First);
    world.open(&host, json!({})).await.expect("opened");
    world.fixture.write("README.md", "changed\n");
    let second = world.fixture.commit("change");
    world.publish();
    let opened = world.open(&host, json!({})).await.expect("opened");
    assert_eq!((&opened["commit_sha"], &opened["cache"]["state"]), (&json!(second), &json!("fresh")));
    let again = world.open(&host, json!({})).await.expect("opened");
    assert_eq!((&again["commit_sha"], &again["cache"]["state"]), (&json!(second), &json!("cached")));
    for fault in [Fault::Status(503), Fault::RateLimited(17)] {
        world.server.heal();
        world.server.fail(Stage::Handshake, fault);
        let served = world.open(&host, json!({})).await.expect("served from the cache");
        assert_eq!((&served["commit_sha"], &served["cache"]["state"]), (&json!(second), &json!("stale")));
        world.open(&host, json!({ "freshness": "require_fresh" })).await.expect_err("asked for the server's word");
    }
    world.server.heal();
    world.server.fail(Stage::Handshake, Fault::Status(404));
    let gone = world.open(&host, json!({})).await.expect_err("the server's word");
    assert_eq!(gone.code, Code::RepositoryNotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_callers_one_fetch() {
    let world = World::new(curious());
    let host = Arc::new(world.host());
    let calls: Vec<_> = (0..10)
        .map(|_| {
            let host = Arc::clone(&host);
            tokio::spawn(async move { host.call(OperationId::Open, json!({ "repo": "demo/repo" })).await })
        })
        .collect();
    for call in calls {
        call.await.expect("no panic").expect("opened");
    }
    assert_eq!(world.server.count(Stage::Fetch), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_go_to_their_server_only() {
    let world = World::new(curious());
    world.server.require_token(TOKEN);
    let anonymous = world.open(&world.host(), json!({})).await.expect_err("private");
    assert_eq!(anonymous.code, Code::RepositoryNotFound);
    let wrong = world.host_with(|options| options.token = Secret::new("wrong"));
    assert_eq!(world.open(&wrong, json!({})).await.expect_err("wrong token").code, Code::AuthenticationFailed);
    let right = world.host_with(|options| options.token = Secret::new(TOKEN));
    world.open(&right, json!({})).await.expect("opened");

    // Another server that the first one points to sees the request, and no token.
    let other = GitServer::start(world.root.path()).expect("a server");
    world.server.fail(Stage::Handshake, Fault::Redirect(other.url()));
    let host = world.host_with(|options| options.token = Secret::new(TOKEN));
    let opened = world.open(&host, json!({})).await.expect("redirected");
    assert_eq!(opened["totals"]["files"], 25);
    assert!(!other.requests().is_empty());
    assert!(other.requests().iter().all(|request| request.authorization.is_none()), "{:?}", other.requests());
    // The other server would have wanted one.
    other.require_token(TOKEN);
    let host = world.host_with(|options| options.token = Secret::new(TOKEN));
    assert_eq!(world.open(&host, json!({})).await.expect_err("no token sent").code, Code::RepositoryNotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_has_its_code_and_leaves_nothing() {
    let world = World::new(curious());
    let cases = [
        (Stage::Handshake, Fault::Status(404), Code::RepositoryNotFound),
        (Stage::Handshake, Fault::Status(500), Code::UpstreamUnavailable),
        (Stage::Handshake, Fault::RateLimited(17), Code::RateLimited),
        (Stage::Handshake, Fault::Nonsense, Code::UpstreamUnavailable),
        (Stage::Handshake, Fault::TruncateAfter(40), Code::UpstreamUnavailable),
        (Stage::Handshake, Fault::Redirect("ftp://example.com".to_owned()), Code::UpstreamUnavailable),
        (Stage::ListRefs, Fault::Status(503), Code::UpstreamUnavailable),
        (Stage::ListRefs, Fault::TruncateAfter(20), Code::UpstreamUnavailable),
        (Stage::ListRefs, Fault::Redirect("http://localhost:1".to_owned()), Code::UpstreamUnavailable),
        (Stage::Fetch, Fault::Status(500), Code::UpstreamUnavailable),
        (Stage::Fetch, Fault::TruncateAfter(0), Code::UpstreamUnavailable),
        (Stage::Fetch, Fault::TruncateAfter(1500), Code::UpstreamUnavailable),
        (Stage::Fetch, Fault::Nonsense, Code::UpstreamUnavailable),
    ];
    for (stage, fault, code) in cases {
        world.server.heal();
        world.server.fail(stage, fault.clone());
        let host = world.host();
        let error = world.open(&host, json!({})).await.expect_err("a fault");
        assert_eq!(error.code, code, "{stage:?} {fault:?}");
        assert!(!error.message.contains("canary") && !error.message.contains("127.0.0.1"), "{}", error.message);
        if code == Code::RateLimited {
            assert_eq!(error.retry_after_s, Some(17));
        }
        scratch_is_empty(&host);
        world.server.heal();
        world.open(&host, json!({})).await.expect("the next one works");
    }
    // A changed byte is noticed, unless it stood in what the server says besides the pack.
    let expected = world.open(&world.host(), json!({})).await.expect("opened")["totals"].clone();
    let mut noticed = 0;
    for offset in (100..3000).step_by(100) {
        world.server.heal();
        world.server.fail(Stage::Fetch, Fault::Corrupt(offset));
        match world.open(&world.host(), json!({})).await {
            Ok(opened) => assert_eq!(opened["totals"], expected),
            Err(error) => {
                assert_eq!(error.code, Code::UpstreamUnavailable, "{offset}");
                noticed += 1;
            }
        }
    }
    assert!(noticed > 10, "{noticed}");
    let gone = Host::with(|options| options.github_url = "http://127.0.0.1:1".parse().expect("an address"));
    assert_eq!(world.open(&gone, json!({})).await.expect_err("refused").code, Code::UpstreamUnavailable);
    let missing = world.host().call(OperationId::Open, json!({ "repo": "demo/missing" })).await;
    assert_eq!(missing.expect_err("missing").code, Code::RepositoryNotFound);
    let empty = World::new(Fixture::empty());
    assert_eq!(empty.open(&empty.host(), json!({})).await.expect_err("empty").code, Code::RefNotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stalled_server_outlives_neither_deadline_nor_cancellation() {
    let world = World::new(curious());
    for (stage, fault) in [
        (Stage::Handshake, Fault::Stall),
        (Stage::ListRefs, Fault::StallAfter(10)),
        (Stage::Fetch, Fault::Stall),
        (Stage::Fetch, Fault::StallAfter(1500)),
    ] {
        world.server.heal();
        world.server.fail(stage, fault.clone());
        let host = world.host();
        let raw = RawValue::from_string(r#"{"repo":"demo/repo"}"#.to_owned()).expect("JSON");
        let context = OperationContext::new(Duration::from_millis(300), CancellationToken::new());
        let outcome = host.operations.call(OperationId::Open, &raw, Surface::Direct, &context).await;
        assert_eq!(outcome.expect_err("late").code, Code::DeadlineExceeded, "{stage:?} {fault:?}");
        scratch_is_empty(&host);

        let token = CancellationToken::new();
        let context = OperationContext::new(Duration::from_secs(60), token.clone());
        let before = world.server.count(stage);
        let call = host.operations.call(OperationId::Open, &raw, Surface::Direct, &context);
        let cancel = async {
            while world.server.count(stage) == before {
                tokio::task::yield_now().await;
            }
            token.cancel();
        };
        let (outcome, ()) = tokio::join!(call, cancel);
        assert_eq!(outcome.expect_err("cancelled").code, Code::Cancelled);
        scratch_is_empty(&host);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_allowed_is_not_asked_for() {
    let world = World::new(curious());
    let host = world.host_with(|options| options.allow.push("acme/*".parse().expect("a pattern")));
    for id in [OperationId::Open, OperationId::Refs] {
        let outcome = host.call(id, json!({ "repo": "demo/repo" })).await;
        assert_eq!(outcome.expect_err("denied").code, Code::RepositoryDenied);
    }
    assert!(world.server.requests().is_empty());
    for repo in ["../etc", "a/../b", "https://evil.example/a/b", "demo", "demo/re po", "file:///etc"] {
        let outcome = host.call(OperationId::Open, json!({ "repo": repo })).await.expect_err(repo);
        assert_eq!(outcome.code, Code::InvalidArguments);
        assert!(outcome.message.starts_with("`repo`"), "{}", outcome.message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_and_evicted_snapshots_are_made_again() {
    let world = World::new(curious());
    let first = world.host();
    let opened = world.open(&first, json!({})).await.expect("opened");
    let handle = opened["snapshot_id"].as_str().expect("a handle").to_owned();
    let path = first.cache.join("v1/snapshots").join(&handle);
    let mut bytes = std::fs::read(&path).expect("a file");
    bytes[5000] ^= 1;
    std::fs::remove_file(&path).expect("removed");
    std::fs::write(&path, bytes).expect("written");
    let cache = first.cache.clone();
    let second = world.host_with(|options| options.cache_dir = cache);
    let read = second.call(OperationId::Read, json!({ "snapshot_id": handle, "path": "README.md" })).await;
    assert_eq!(read.expect_err("damaged").code, Code::SnapshotNotFound);
    assert_eq!(world.open(&second, json!({})).await.expect("opened")["cache"]["state"], "fresh");
    second.call(OperationId::Read, json!({ "snapshot_id": handle, "path": "README.md" })).await.expect("read");
}
