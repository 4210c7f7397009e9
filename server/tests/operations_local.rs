//! `open`, `list` and `read` over local repositories, held against what git itself says.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use serde_json::{Value, json};
use support::oracle::{assert_listed, listed, ls_tree};
use support::{Fixture, Host, curious, git};
use wit::operations::Surface;
use wit_worker::registry::{Code, OperationId};

#[tokio::test]
async fn list_is_what_ls_tree_says() {
    let fixture = curious();
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    let items = listed(&host, &snapshot).await;
    assert_listed(&items, &ls_tree(&fixture, "HEAD"));
    for item in items.iter().filter(|item| item["kind"] == "file") {
        let blob = fixture.git(&["cat-file", "blob", item["blob_sha"].as_str().expect("an id")]);
        assert_eq!(item["size"], blob.len());
    }
    let find = |path: &str| items.iter().find(|item| item["path"] == path).expect(path);
    assert_eq!(find("link.rs")["target"], "src/main.rs");
    assert_eq!(find("vendor/dep")["url"], "https://example.com/dep.git");
    assert_eq!(find("model.onnx")["lfs"]["size"], 12_345);
    assert_eq!(find("crlf.txt")["lines"], 3);
    assert_eq!(find("no_newline.txt")["lines"], 2);
    assert!(find("binary.bin").get("lines").is_none());
}

#[tokio::test]
async fn read_is_what_show_says() {
    let fixture = curious();
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    let mut read = 0;
    for item in listed(&host, &snapshot).await.iter().filter(|item| item["kind"] == "file") {
        let blob = fixture.git(&["cat-file", "blob", item["blob_sha"].as_str().expect("an id")]);
        let arguments = json!({ "snapshot_id": snapshot, "path": item["path"], "max_bytes": 262_144 });
        let outcome = host.call_as(OperationId::Read, arguments, Surface::CodeMode).await;
        if blob.contains(&0) {
            assert_eq!(outcome.expect_err("binary").code, Code::NotText);
            continue;
        }
        let page = outcome.expect("text");
        assert_eq!(page["text"], String::from_utf8_lossy(&blob).as_ref(), "{item}");
        assert_eq!(page.get("lossy").is_some(), std::str::from_utf8(&blob).is_err());
        assert_eq!(page["total_lines"], item["lines"]);
        read += 1;
    }
    assert!(read > 15);
}

#[tokio::test]
async fn reading_in_pages_gives_the_same() {
    let fixture = curious();
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    for path in ["long.txt", "crlf.txt", "latin1.txt", "bom.txt", "no_newline.txt", "only_newlines.txt", "empty.txt"] {
        for (max_bytes, max_lines) in [(1024, 1000), (1024, 1), (1500, 2), (4096, 3), (65_536, 100_000)] {
            let whole = json!({ "snapshot_id": snapshot, "path": path, "format": "text" });
            let expected = host.call(OperationId::Read, whole.clone()).await.expect("the file")["text"].clone();
            let mut arguments = whole;
            arguments["max_bytes"] = max_bytes.into();
            arguments["max_lines"] = max_lines.into();
            let mut text = String::new();
            loop {
                let page = host.call(OperationId::Read, arguments.clone()).await.expect("a page");
                assert!(page["budget"]["serialized_bytes"].as_u64() <= Some(max_bytes), "{page}");
                assert_eq!(
                    page["partial_line"] == true,
                    !page["text"].as_str().expect("text").ends_with('\n') && page["has_more"] == true
                );
                text.push_str(page["text"].as_str().expect("text"));
                match page["next_cursor"].as_str() {
                    Some(cursor) => arguments["cursor"] = cursor.into(),
                    None => break,
                }
            }
            assert_eq!(text, expected.as_str().expect("text"), "{path} {max_bytes} {max_lines}");
        }
    }
}

#[tokio::test]
async fn formats_and_ranges_of_read() {
    let fixture = curious();
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    let read = |more: Value| {
        let mut arguments = json!({ "snapshot_id": snapshot, "path": "crlf.txt" });
        arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        host.call(OperationId::Read, arguments)
    };
    let page = read(json!({ "start_line": 2, "end_line": 3 })).await.expect("lines");
    assert_eq!(page["items"], json!([{ "line": 2, "text": "two" }, { "line": 3, "text": "three" }]));
    assert_eq!((&page["start_line"], &page["end_line"], &page["total_lines"]), (&json!(2), &json!(3), &json!(3)));
    assert_eq!(read(json!({ "format": "lines", "end_line": 1 })).await.expect("lines")["lines"], json!(["one"]));
    assert_eq!(read(json!({ "format": "text", "start_line": "3" })).await.expect("lines")["text"], "three\r\n");
    let beyond = read(json!({ "start_line": 10 })).await.expect("nothing");
    assert_eq!(
        (&beyond["returned_items"], &beyond["start_line"], &beyond["has_more"]),
        (&json!(0), &json!(0), &json!(false))
    );
    assert_eq!(
        read(json!({ "start_line": 3, "end_line": 2 })).await.expect_err("backwards").code,
        Code::InvalidArguments
    );
}

#[tokio::test]
async fn list_walks_directories_level_by_level() {
    let fixture = curious();
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    let list = |path: &str, depth: u64| {
        let arguments = json!({ "snapshot_id": snapshot, "path": path, "depth": depth, "format": "paths" });
        host.call(OperationId::List, arguments)
    };
    let paths = |page: Value| {
        page["paths"]
            .as_array()
            .expect("paths")
            .iter()
            .map(|path| path.as_str().expect("text").to_owned())
            .collect::<Vec<_>>()
    };
    let root = paths(list("", 1).await.expect("the root"));
    assert!(
        root.contains(&"src/".to_owned())
            && root.contains(&"src.txt".to_owned())
            && !root.iter().any(|path| path.contains("src/m"))
    );
    let order: Vec<_> = root.iter().filter(|path| path.starts_with("src")).collect();
    assert_eq!(order, ["src.txt", "src/", "src0"]);
    assert_eq!(paths(list("src", 1).await.expect("src")), ["src/deep/", "src/lib.rs", "src/main.rs"]);
    assert_eq!(paths(list("/src/", 2).await.expect("src")), ["src/deep/", "src/deep/er/", "src/lib.rs", "src/main.rs"]);
    assert_eq!(
        paths(list("./src", 32).await.expect("src")),
        ["src/deep/", "src/deep/er/", "src/deep/er/still/", "src/deep/er/still/file.txt", "src/lib.rs", "src/main.rs"]
    );
    for path in ["nothing", "src/main.rs", "../etc", "src/..", "sr"] {
        assert_eq!(list(path, 1).await.expect_err(path).code, Code::PathNotFound, "{path}");
    }
}

#[tokio::test]
async fn listing_in_pages_gives_the_same() {
    let fixture = curious();
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    for (depth, format, field) in
        [(1, "paths", "paths"), (2, "structured", "items"), (32, "structured", "items"), (3, "paths", "paths")]
    {
        let whole = json!({ "snapshot_id": snapshot, "depth": depth, "format": format, "max_items": 1000, "max_bytes": 262_144 });
        let expected = host.walk(OperationId::List, &whole, field).await;
        for (max_items, max_bytes) in [(1, 65_536), (2, 1024), (7, 2048), (1000, 1024), (1000, 1100)] {
            let mut arguments = whole.clone();
            arguments["max_items"] = max_items.into();
            arguments["max_bytes"] = max_bytes.into();
            assert_eq!(
                host.walk(OperationId::List, &arguments, field).await,
                expected,
                "{depth} {format} {max_items} {max_bytes}"
            );
        }
    }
}

#[tokio::test]
async fn refs_of_every_kind_lead_to_their_commit() {
    let fixture = Fixture::empty();
    fixture.write("a.txt", "one\n");
    let first = fixture.commit("one");
    fixture.git(&["tag", "light"]);
    fixture.git(&["tag", "-a", "-m", "annotated", "v1.0"]);
    fixture.git(&["tag", "-a", "-m", "of a tag", "nested", "v1.0"]);
    fixture.git(&["branch", "feature/x"]);
    fixture.git(&["update-ref", "refs/pull/7/head", "HEAD"]);
    let tree = fixture.text(&["rev-parse", "HEAD^{tree}"]);
    fixture.git(&["tag", "a-tree", &tree]);
    fixture.write("a.txt", "two\n");
    let second = fixture.commit("two");
    let host = Host::local(fixture.path());
    let cases = [
        (None, &second, json!("refs/heads/main")),
        (Some("main"), &second, json!("refs/heads/main")),
        (Some("light"), &first, json!("refs/tags/light")),
        (Some("v1.0"), &first, json!("refs/tags/v1.0")),
        (Some("nested"), &first, json!("refs/tags/nested")),
        (Some("feature/x"), &first, json!("refs/heads/feature/x")),
        (Some("refs/heads/feature/x"), &first, json!("refs/heads/feature/x")),
        (Some("heads/main"), &second, json!("refs/heads/main")),
        (Some("pull/7"), &first, json!("refs/pull/7/head")),
        (Some("#7"), &first, json!("refs/pull/7/head")),
        (Some(first.as_str()), &first, Value::Null),
        (Some(&first[..8]), &first, Value::Null),
    ];
    for (reference, commit, resolved) in cases {
        let opened =
            host.call(OperationId::Open, json!({ "repo": "demo/repo", "ref": reference })).await.expect("opened");
        assert_eq!(opened["commit_sha"], commit.as_str(), "{reference:?}");
        assert_eq!(opened["requested_ref"], reference.map_or(Value::Null, Value::from));
        assert_eq!(opened["resolved_ref"], resolved, "{reference:?}");
    }
    let zeros = "0".repeat(40);
    for reference in ["nothing", "v2.0", "pull/8", "refs/heads/nothing", "a-tree", "0000000", &zeros, &tree] {
        assert_eq!(host.open_failure(Some(reference)).await, Code::RefNotFound, "{reference}");
    }
    for reference in ["a..b", "main~1", "main^{tree}", "x y", "-x", "main@{1}"] {
        assert_eq!(host.open_failure(Some(reference)).await, Code::InvalidArguments, "{reference}");
    }
}

#[tokio::test]
async fn bare_detached_packed_and_worktree_repositories() {
    let fixture = curious();
    let commit = fixture.text(&["rev-parse", "HEAD"]);
    let elsewhere = tempfile::tempdir().expect("a directory");
    git(elsewhere.path(), &["clone", "-q", "--bare", fixture.path().to_str().expect("UTF-8"), "bare.git"]);
    git(elsewhere.path(), &["clone", "-q", "--shared", fixture.path().to_str().expect("UTF-8"), "shared"]);
    fixture.git(&["worktree", "add", "-q", "--detach", elsewhere.path().join("tree").to_str().expect("UTF-8")]);
    git(&elsewhere.path().join("bare.git"), &["gc", "-q"]);
    for name in ["bare.git", "shared", "tree", "shared/.git"] {
        let host = Host::local(&elsewhere.path().join(name));
        let opened = host.call(OperationId::Open, json!({ "repo": "demo/repo" })).await.expect(name);
        assert_eq!(opened["commit_sha"], commit.as_str(), "{name}");
        assert_eq!(opened["totals"]["files"], 25, "{name}");
    }
}

#[tokio::test]
async fn what_is_no_repository_or_damaged() {
    let nowhere = tempfile::tempdir().expect("a directory");
    assert_eq!(Host::local(nowhere.path()).open_failure(None).await, Code::RepositoryNotFound);
    assert_eq!(Host::local(&nowhere.path().join("missing")).open_failure(None).await, Code::RepositoryNotFound);
    std::fs::write(nowhere.path().join("file"), "x").expect("written");
    assert_eq!(Host::local(&nowhere.path().join("file")).open_failure(None).await, Code::RepositoryNotFound);
    assert_eq!(Host::local(Fixture::empty().path()).open_failure(None).await, Code::RefNotFound);

    let fixture = curious();
    fixture.git(&["gc", "-q"]);
    let packs = fixture.path().join(".git/objects/pack");
    let pack = std::fs::read_dir(&packs)
        .expect("packs")
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.extension().is_some_and(|extension| extension == "pack"))
        .expect("a pack");
    let mut bytes = std::fs::read(&pack).expect("the pack");
    let len = bytes.len();
    for byte in &mut bytes[len / 4..len * 3 / 4] {
        *byte ^= 0x55;
    }
    std::fs::remove_file(&pack).expect("removed");
    std::fs::write(&pack, bytes).expect("written");
    let host = Host::local(fixture.path());
    let error = host.call(OperationId::Open, json!({ "repo": "demo/repo" })).await.expect_err("damaged");
    assert_eq!(error.code, Code::OperationFailed);
    assert!(!error.message.contains(fixture.path().to_str().expect("UTF-8")));
    assert_eq!(host.unfinished(), Vec::<std::path::PathBuf>::new(), "nothing half-written is left");
}

#[tokio::test]
async fn handles_outlive_the_server_and_its_repository() {
    let fixture = curious();
    let first = Host::local(fixture.path());
    let snapshot = first.open(None).await;
    let mut options = wit::operations::OperationsOptions::new(first.cache.clone());
    options.allow.push("demo/*".parse().expect("a pattern"));
    let second = wit::operations::Operations::open(options.clone()).expect("operations");
    let context = wit::operations::OperationContext::new(std::time::Duration::from_secs(60), Default::default());
    let raw = serde_json::value::to_raw_value(&json!({ "snapshot_id": snapshot, "path": "README.md" })).expect("JSON");
    use wit::operations::HostOperations as _;
    second.call(OperationId::Read, &raw, Surface::Direct, &context).await.expect("read after a restart");
    options.allow = vec!["other/*".parse().expect("a pattern")];
    let third = wit::operations::Operations::open(options).expect("operations");
    let denied = third.call(OperationId::Read, &raw, Surface::Direct, &context).await.expect_err("denied");
    // Handles can be worked out from names and commits: that one is in a shared cache must not be told (I8).
    let raw = serde_json::value::to_raw_value(&json!({ "snapshot_id": "a".repeat(32), "path": "README.md" }));
    let unknown = third.call(OperationId::Read, &raw.expect("JSON"), Surface::Direct, &context).await;
    let unknown = unknown.expect_err("unknown");
    assert_eq!((denied.code, &denied.message), (Code::SnapshotNotFound, &unknown.message));
    assert_eq!(denied.code, unknown.code);
}

#[tokio::test]
async fn hostile_trees() {
    let fixture = Fixture::empty();
    let blob = fixture.git_with(&["hash-object", "-w", "--stdin"], b"text\n");
    let bytes = |id: &str| -> Vec<u8> {
        (0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).expect("hex")).collect()
    };
    let tree = |entries: &[(&str, String)]| {
        let raw: Vec<u8> =
            entries.iter().flat_map(|(head, id)| [head.as_bytes(), b"\0", &bytes(id)].concat()).collect();
        fixture.git_with(&["hash-object", "-w", "-t", "tree", "--literally", "--stdin"], &raw)
    };
    let publish = |tree: &str| {
        let commit = fixture.text(&["commit-tree", tree, "-m", "hostile"]);
        fixture.git(&["update-ref", "refs/heads/main", &commit]);
    };
    // Names that mean the root stay the root.
    publish(&tree(&[("100644 ", blob.clone()), ("100644 .", blob.clone()), ("100644 file", blob.clone())]));
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    for root in ["", ".", "/", "./"] {
        let page = host.call(OperationId::List, json!({ "snapshot_id": snapshot, "path": root })).await;
        assert_eq!(page.expect("the root")["items"].as_array().map(Vec::len), Some(3), "{root:?}");
    }
    // Ten trees that describe 10^10 files: counted as they are read.
    let names: Vec<String> = (0..10).map(|name| format!("40000 {name}")).collect();
    let mut bomb = blob.clone();
    for level in 0..10 {
        let name = |name: &String| if level == 0 { name.replace("40000", "100644") } else { name.clone() };
        let names: Vec<String> = names.iter().map(name).collect();
        bomb = tree(&names.iter().map(|name| (name.as_str(), bomb.clone())).collect::<Vec<_>>());
    }
    publish(&bomb);
    assert_eq!(host.open_failure(None).await, Code::RepositoryTooLarge);
}

#[tokio::test]
async fn caps_are_kept() {
    let fixture = curious();
    let mapping = format!("demo/repo={}", fixture.path().display());
    let with = |change: fn(&mut wit::operations::Caps)| {
        Host::with(|options| {
            options.local.push(mapping.parse().expect("a mapping"));
            change(&mut options.caps);
        })
    };
    assert_eq!(with(|caps| caps.repository_bytes = 1000).open_failure(None).await, Code::RepositoryTooLarge);
    assert_eq!(with(|caps| caps.repository_files = 5).open_failure(None).await, Code::RepositoryTooLarge);
    let host = with(|caps| caps.file_bytes = 5000);
    let snapshot = host.open(None).await;
    let read = host.call(OperationId::Read, json!({ "snapshot_id": snapshot, "path": "long.txt" })).await;
    assert_eq!(read.expect_err("not stored").code, Code::NotText);
    let listed = listed(&host, &snapshot).await;
    let long = listed.iter().find(|item| item["path"] == "long.txt").expect("listed");
    assert_eq!((&long["size"], &long["stored"]), (&json!(6013), &json!(false)));
    let page = host
        .call(OperationId::SearchCode, json!({ "snapshot_id": snapshot, "queries": "needle" }))
        .await
        .expect("a page");
    assert_eq!((&page["returned_items"], &page["skipped_unstored"]), (&json!(0), &json!(2)));
}

#[tokio::test]
async fn unknown_handles_and_foreign_cursors() {
    let fixture = curious();
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    for handle in ["", "nonsense", "../../key", &"a".repeat(32)] {
        let outcome = host.call(OperationId::List, json!({ "snapshot_id": handle })).await;
        assert_eq!(outcome.expect_err("unknown").code, Code::SnapshotNotFound);
    }
    let page = host.call(OperationId::List, json!({ "snapshot_id": snapshot, "max_items": 1 })).await.expect("a page");
    let cursor = page["next_cursor"].as_str().expect("a cursor");
    for arguments in [
        json!({ "snapshot_id": snapshot, "cursor": cursor, "depth": 3 }),
        json!({ "snapshot_id": snapshot, "cursor": cursor, "path": "src" }),
        json!({ "snapshot_id": snapshot, "cursor": format!("{cursor}A") }),
        json!({ "snapshot_id": snapshot, "cursor": "" }),
    ] {
        assert_eq!(host.call(OperationId::List, arguments).await.expect_err("foreign").code, Code::InvalidCursor);
    }
}
