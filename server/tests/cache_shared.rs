//! Servers that share one cache directory. Each host here has a store of its own, and its locks are those that another
//! process would have: an advisory lock belongs to the open file, not to the process. `cache-soak` does the same with
//! real processes that are killed.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use conformance::double::git_http::{Fault, GitServer, Stage};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use support::{Fixture, Host, curious, git};
use tokio_util::sync::CancellationToken;
use wit::operations::{HostOperations as _, OperationContext, Surface};
use wit_worker::registry::{Code, OperationId};

/// A git server with `demo/repo`.
fn serve(fixture: &Fixture) -> (GitServer, tempfile::TempDir) {
    let root = tempfile::tempdir().expect("a directory");
    let bare = root.path().join("demo/repo.git");
    std::fs::create_dir_all(&bare).expect("created");
    git(&bare, &["init", "-q", "--bare", "-b", "main", "."]);
    git(&bare, &["fetch", "-q", fixture.path().to_str().expect("UTF-8"), "+refs/*:refs/*"]);
    (GitServer::start(root.path()).expect("a server"), root)
}

fn sharing(server: &GitServer, cache: &Path) -> Host {
    Host::with(|options| {
        options.github_url = server.url().parse().expect("an address");
        options.cache_dir = cache.to_owned();
    })
}

fn file_of(cache: &Path, opened: &Value) -> std::path::PathBuf {
    cache.join("v1/snapshots").join(opened["snapshot_id"].as_str().expect("a handle"))
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_servers_one_fetch() {
    let fixture = curious();
    let (server, _root) = serve(&fixture);
    let cache = tempfile::tempdir().expect("a directory");
    let hosts: Vec<_> = (0..10).map(|_| Arc::new(sharing(&server, cache.path()))).collect();
    let calls: Vec<_> = hosts
        .iter()
        .map(|host| {
            let host = Arc::clone(host);
            tokio::spawn(async move { host.call(OperationId::Open, json!({ "repo": "demo/repo" })).await })
        })
        .collect();
    let mut fresh = 0;
    for call in calls {
        let opened = call.await.expect("no panic").expect("opened");
        fresh += usize::from(opened["cache"]["state"] == "fresh");
    }
    assert_eq!((server.count(Stage::Fetch), fresh), (1, 1));
    drop(hosts);
    for directory in ["locks", "scratch"] {
        let left = std::fs::read_dir(cache.path().join("v1").join(directory)).expect("listed").count();
        assert_eq!(left, 0, "{directory} is empty once all servers have ended");
    }
}

/// A server that holds the turn and does not move costs the others patience and a second fetch, and nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_hangs_stops_nobody() {
    let fixture = curious();
    let (server, _root) = serve(&fixture);
    let cache = tempfile::tempdir().expect("a directory");
    let (slow, other) = (sharing(&server, cache.path()), sharing(&server, cache.path()));
    server.fail(Stage::Fetch, Fault::Stall);
    let raw = RawValue::from_string(r#"{"repo":"demo/repo"}"#.to_owned()).expect("JSON");
    let token = CancellationToken::new();
    let hanging = OperationContext::new(Duration::from_secs(60), token.clone());
    let stuck = slow.operations.call(OperationId::Open, &raw, Surface::Direct, &hanging);
    let others = async {
        while server.count(Stage::Fetch) == 0 {
            tokio::task::yield_now().await;
        }
        server.heal();
        // Cancelled while it waits for its turn.
        let waiting = OperationContext::new(Duration::from_secs(60), token.child_token());
        let cancelled = waiting.cancellation().clone();
        let call = other.operations.call(OperationId::Open, &raw, Surface::Direct, &waiting);
        let (outcome, ()) = tokio::join!(call, async { cancelled.cancel() });
        assert_eq!(outcome.expect_err("cancelled").code, Code::Cancelled);
        // Patient for half of its time.
        let begun = Instant::now();
        let context = OperationContext::new(Duration::from_secs(4), CancellationToken::new());
        let outcome = other.operations.call(OperationId::Open, &raw, Surface::Direct, &context).await;
        outcome.expect("built without a turn");
        assert!(begun.elapsed() >= Duration::from_secs(2), "it waited for its turn first");
        token.cancel();
    };
    let (outcome, ()) = tokio::join!(stuck, others);
    assert_eq!(outcome.expect_err("cancelled").code, Code::Cancelled);
    assert_eq!(server.count(Stage::Fetch), 2);
    let end = Instant::now() + Duration::from_secs(20);
    while !slow.unfinished().is_empty() {
        assert!(Instant::now() < end, "left: {:?}", slow.unfinished());
        tokio::task::yield_now().await;
    }
}

/// Evicted by another server: what is mapped goes on, and whoever has not mapped it builds it again.
#[tokio::test(flavor = "multi_thread")]
async fn eviction_breaks_no_reader() {
    let fixture = curious();
    let (server, _root) = serve(&fixture);
    let cache = tempfile::tempdir().expect("a directory");
    let (reader, late) = (sharing(&server, cache.path()), sharing(&server, cache.path()));
    let opened = reader.call(OperationId::Open, json!({ "repo": "demo/repo" })).await.expect("opened");
    std::fs::remove_file(file_of(cache.path(), &opened)).expect("evicted");
    let read = json!({ "snapshot_id": opened["snapshot_id"], "path": "README.md", "format": "text" });
    let page = reader.call(OperationId::Read, read.clone()).await.expect("still mapped");
    assert_eq!(page["text"], "# Demo\n\nHello, world\n");
    assert_eq!(late.call(OperationId::Read, read.clone()).await.expect_err("gone").code, Code::SnapshotNotFound);
    let again = late.call(OperationId::Open, json!({ "repo": "demo/repo" })).await.expect("opened");
    assert_eq!((&again["cache"]["state"], &again["snapshot_id"]), (&json!("fresh"), &opened["snapshot_id"]));
    assert_eq!(late.call(OperationId::Read, read).await.expect("read")["text"], page["text"]);
    assert_eq!(server.count(Stage::Fetch), 2);
}

/// A cache smaller than any snapshot still answers, and keeps the one that was built last.
#[tokio::test(flavor = "multi_thread")]
async fn a_cap_below_one_snapshot_keeps_the_last() {
    let fixture = curious();
    let first = fixture.text(&["rev-parse", "HEAD"]);
    fixture.write("README.md", "# Other\n");
    let second = fixture.commit("other");
    let host = Host::with(|options| {
        options.local.push(format!("demo/repo={}", fixture.path().display()).parse().expect("a mapping"));
        options.caps.cache_bytes = 1;
    });
    for commit in [&first, &second, &first] {
        let opened = host.call(OperationId::Open, json!({ "repo": "demo/repo", "ref": commit })).await.expect("opened");
        let kept: Vec<_> = std::fs::read_dir(host.cache.join("v1/snapshots")).expect("listed").flatten().collect();
        // The first is mapped still when it is asked for again, so that nothing is built then.
        let expected = if opened["cache"]["state"] == "fresh" { file_of(&host.cache, &opened) } else { kept[0].path() };
        assert_eq!(kept.iter().map(std::fs::DirEntry::path).collect::<Vec<_>>(), [expected]);
    }
}
