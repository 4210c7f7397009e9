//! Mapped repositories that are not what git would make: special files, missing objects, formats that are not read, trees
//! that git refuses to write. Nothing hangs, every failure has a true code, and what can be shown is shown as it is.

#![cfg(unix)]
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod process;
mod support;

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Fixture, Host, curious, git};
use wit_worker::registry::{Code, OperationId};

/// No answer about a special file may take longer, on a machine however busy; a hang takes for ever.
const SOON: Duration = Duration::from_secs(15);

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

/// Everything that can be put in a file's place and is none.
fn put(kind: &str, path: &Path) {
    let _ = fs::remove_file(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    match kind {
        "fifo" => fifo(path),
        // A ref is looked for behind such a link: here is one that never ends.
        "directory" => {
            let away = path.parent().unwrap().join("../../hooks");
            fs::create_dir_all(&away).unwrap();
            fifo(&away.join("other"));
            symlink("../../hooks", path).unwrap();
        }
        "socket" => drop(UnixListener::bind(path).unwrap()),
        "endless" => symlink("/dev/zero", path).unwrap(),
        "loop" => symlink(path, path).unwrap(),
        "huge" => fs::File::create(path).unwrap().set_len(1 << 40).unwrap(),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn special_files_neither_hang_nor_exhaust() {
    for (place, kinds) in [
        ("HEAD", &["fifo", "socket", "endless", "loop", "huge"][..]),
        ("config", &["fifo", "socket", "endless", "loop", "huge"]),
        ("packed-refs", &["fifo", "socket", "endless", "loop", "huge"]),
        ("commondir", &["fifo", "endless", "huge"]),
        ("shallow", &["fifo", "endless"]),
        ("refs/heads/main", &["fifo", "socket", "endless", "loop", "huge"]),
        ("refs/heads/deep/other", &["fifo", "endless"]),
        ("refs/heads/away", &["directory"]),
        ("objects/info/alternates", &["fifo", "endless", "huge"]),
        ("objects/pack/pack-1.pack", &["fifo", "socket", "endless"]),
        ("objects/pack/pack-1.idx", &["fifo", "endless"]),
        ("objects/pack/multi-pack-index", &["fifo"]),
        ("objects/ab", &["fifo", "endless"]),
        ("objects/ab/cdef", &["fifo", "socket", "endless"]),
        ("objects", &["fifo"]),
    ] {
        for kind in kinds {
            let fixture = Fixture::empty();
            fixture.write("a.txt", "one\n");
            fixture.commit("one");
            let host = Host::local(fixture.path());
            let path = fixture.path().join(".git").join(place);
            if path.is_dir() {
                fs::remove_dir_all(&path).unwrap();
            }
            put(kind, &path);
            let begun = Instant::now();
            for (id, arguments) in [
                (OperationId::Open, json!({ "repo": "demo/repo" })),
                (OperationId::Open, json!({ "repo": "demo/repo", "ref": "main" })),
                (OperationId::Refs, json!({ "repo": "demo/repo" })),
            ] {
                let error = host.call(id, arguments).await.expect_err(place);
                assert_eq!(error.code, Code::OperationFailed, "{kind} at {place}: {error}");
                assert!(!error.message.contains('/'), "{error}");
            }
            assert!(begun.elapsed() < SOON, "{kind} at {place}");
        }
    }
}

/// A symbolic ref may name any file of the repository; only what lies below `refs/` has been looked at.
#[tokio::test]
async fn a_symbolic_ref_leads_to_no_other_file() {
    for (place, asked) in [("HEAD", None), ("refs/heads/other", Some("other"))] {
        let fixture = Fixture::empty();
        fixture.write("a.txt", "one\n");
        fixture.commit("one");
        let host = Host::local(fixture.path());
        let git = fixture.path().join(".git");
        fs::create_dir_all(git.join("hooks")).unwrap();
        fifo(&git.join("hooks/pipe"));
        fs::write(git.join(place), "ref: hooks/pipe\n").unwrap();
        let begun = Instant::now();
        let error =
            host.call(OperationId::Open, json!({ "repo": "demo/repo", "ref": asked.unwrap_or_default() })).await;
        assert_eq!(error.expect_err(place).code, Code::OperationFailed, "{place}");
        let refs = host.call(OperationId::Refs, json!({ "repo": "demo/repo" })).await;
        assert!(refs.is_ok(), "{place}: {refs:?}");
        assert!(begun.elapsed() < SOON, "{place}");
    }
}

/// More calls than the server has slots for, through the real binary: none is left behind in one.
#[test]
fn a_fifo_takes_no_slot() {
    let home = tempfile::tempdir().unwrap();
    let repository = process::repository(home.path());
    let mapping = format!("demo/repo={}", repository.display());
    let mut client = process::Client::initialized(process::wit(home.path()), &["--local", &mapping]);
    let head = repository.join(".git/HEAD");
    let kept = fs::read(&head).unwrap();
    put("fifo", &head);
    for _ in 0..20 {
        let answer = client.call("wit_open", json!({ "repo": "demo/repo" }));
        assert_eq!(answer["structuredContent"]["code"], "operation_failed", "{answer}");
    }
    fs::remove_file(&head).unwrap();
    fs::write(&head, kept).unwrap();
    assert!(client.call("wit_open", json!({ "repo": "demo/repo" }))["structuredContent"]["commit_sha"].is_string());
    // At start it is a line, and no hang either.
    put("endless", &repository.join(".git/config"));
    let mut command = process::wit(home.path());
    let text = process::outcome(command.args(["mcp", "--local", "demo/repo=repository"]), b"", home.path());
    process::with_snapshots(|| insta::assert_snapshot!("cli_local_endless_config", text));
}

#[tokio::test]
async fn damage_is_not_called_a_missing_ref() {
    let fixture = Fixture::empty();
    fixture.write("a.txt", "one\n");
    let first = fixture.commit("one");
    fixture.write("sub/b.txt", "two\n");
    let second = fixture.commit("two");
    fixture.git(&["tag", "-a", "-m", "annotated", "v1.0", &first]);
    let host = Host::local(fixture.path());
    let object = |id: &str| fixture.path().join(".git/objects").join(&id[..2]).join(&id[2..]);
    let tree = fixture.text(&["rev-parse", "HEAD^{tree}"]);
    let blob = fixture.text(&["rev-parse", "HEAD:sub/b.txt"]);
    for missing in [&second, &tree, &blob] {
        let bytes = fs::read(object(missing)).unwrap();
        let broken = [&bytes[..], b""].concat();
        fs::remove_file(object(missing)).unwrap();
        for reference in [None, Some("main"), Some("refs/heads/main")] {
            assert_eq!(host.open_failure(reference).await, Code::OperationFailed, "{missing} {reference:?}");
        }
        // Cut short, and not an object at all.
        for other in [&broken[..broken.len() / 2], b"nonsense"] {
            fs::write(object(missing), other).unwrap();
            assert_eq!(host.open_failure(Some("main")).await, Code::OperationFailed, "{missing}");
            fs::remove_file(object(missing)).unwrap();
        }
        fs::write(object(missing), bytes).unwrap();
    }
    let bytes = fs::read(object(&first)).unwrap();
    fs::remove_file(object(&first)).unwrap();
    assert_eq!(host.open_failure(Some("v1.0")).await, Code::OperationFailed, "a tag of a commit that is not there");
    // By its id it is simply not there, and nobody can know that it should be.
    assert_eq!(host.open_failure(Some(&first)).await, Code::RefNotFound);
    fs::write(object(&first), bytes).unwrap();
    fs::write(fixture.path().join(".git/refs/heads/torn"), "0123").unwrap();
    assert_eq!(host.open_failure(Some("torn")).await, Code::OperationFailed, "a ref that is no ref");
    fs::remove_file(fixture.path().join(".git/refs/heads/torn")).unwrap();
    host.open(Some("v1.0")).await;
    assert_eq!(host.unfinished(), Vec::<std::path::PathBuf>::new());
}

#[tokio::test]
async fn formats_that_are_not_read_are_named() {
    for (option, word) in [("--object-format=sha256", "SHA-256"), ("--ref-format=reftable", "reftable")] {
        let directory = tempfile::tempdir().unwrap();
        let made =
            Command::new("git").args(["init", "-q", option, "."]).current_dir(directory.path()).status().unwrap();
        if !made.success() {
            // A git too old to make one.
            continue;
        }
        git(directory.path(), &["commit", "-q", "--allow-empty", "-m", "one"]);
        let host = Host::local(directory.path());
        let error = host.call(OperationId::Open, json!({ "repo": "demo/repo" })).await.expect_err(word);
        assert_eq!(error.code, Code::OperationFailed);
        assert!(error.message.contains(word), "{error}");
    }
}

#[tokio::test]
async fn alternates_that_lead_in_circles_or_nowhere() {
    let fixture = curious();
    let elsewhere = tempfile::tempdir().unwrap();
    let source = fixture.path().to_str().unwrap();
    git(elsewhere.path(), &["clone", "-q", "--shared", "--bare", source, "borrower.git"]);
    let host = Host::local(&elsewhere.path().join("borrower.git"));
    host.open(None).await;
    let lender = fixture.path().join(".git/objects/info/alternates");
    fs::create_dir_all(lender.parent().unwrap()).unwrap();
    fs::write(&lender, elsewhere.path().join("borrower.git/objects").as_os_str().as_bytes()).unwrap();
    assert_eq!(host.open_failure(None).await, Code::OperationFailed, "a circle");
    fs::remove_file(&lender).unwrap();
    let own = elsewhere.path().join("borrower.git/objects/info/alternates");
    fs::write(&own, "/nowhere/at/all\n").unwrap();
    assert_eq!(host.open_failure(None).await, Code::OperationFailed, "the objects are not there");
    // Many, each of which exists.
    let many: String = (0..100)
        .map(|number| {
            let path = elsewhere.path().join(format!("lender-{number}"));
            fs::create_dir(&path).unwrap();
            format!("{}\n", path.display())
        })
        .collect();
    fs::write(&own, many).unwrap();
    assert_eq!(host.open_failure(None).await, Code::OperationFailed, "too many");
    // One with a FIFO in it.
    fs::create_dir_all(elsewhere.path().join("lender-0/pack")).unwrap();
    fifo(&elsewhere.path().join("lender-0/pack/pack-1.pack"));
    fs::write(&own, elsewhere.path().join("lender-0").as_os_str().as_bytes()).unwrap();
    assert_eq!(host.open_failure(None).await, Code::OperationFailed, "a FIFO elsewhere");
}

/// A repository whose tree holds exactly these entries: what git itself would refuse to add.
struct Odd {
    fixture: Fixture,
}

impl Odd {
    fn new() -> Self {
        Self { fixture: Fixture::empty() }
    }

    fn blob(&self, contents: &[u8]) -> String {
        self.fixture.git_with(&["hash-object", "-w", "--stdin"], contents)
    }

    fn tree(&self, entries: &[(&str, Vec<u8>, String)]) -> String {
        let mut raw = Vec::new();
        for (mode, name, id) in entries {
            raw.extend_from_slice(mode.as_bytes());
            raw.push(b' ');
            raw.extend_from_slice(name);
            raw.push(0);
            raw.extend((0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()));
        }
        self.fixture.git_with(&["hash-object", "-w", "-t", "tree", "--literally", "--stdin"], &raw)
    }

    fn publish(&self, tree: &str) {
        let commit = self.fixture.text(&["commit-tree", tree, "-m", "odd"]);
        self.fixture.git(&["update-ref", "refs/heads/main", &commit]);
    }

    /// Path, mode and id of every leaf as git lists them.
    fn told(&self) -> Vec<(Vec<u8>, String, String)> {
        let listed = self.fixture.git(&["ls-tree", "-r", "-z", "main"]);
        let entries = listed.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
        let parse = |entry: &[u8]| {
            let tab = entry.iter().position(|byte| *byte == b'\t').unwrap();
            let facts: Vec<_> = std::str::from_utf8(&entry[..tab]).unwrap().split(' ').map(str::to_owned).collect();
            (entry[tab + 1..].to_vec(), facts[0].clone(), facts[2].clone())
        };
        entries.map(parse).collect()
    }
}

/// The exact bytes of a listed path.
fn exact(item: &Value) -> Vec<u8> {
    use base64::Engine as _;
    match item["path_base64"].as_str() {
        Some(text) => base64::engine::general_purpose::STANDARD.decode(text).unwrap(),
        None => item["path"].as_str().unwrap().as_bytes().to_vec(),
    }
}

/// The path to ask for: as it is shown, or its exact bytes where it is not UTF-8.
fn name_of(item: &Value) -> String {
    item["path_base64"]
        .as_str()
        .map_or_else(|| item["path"].as_str().unwrap().to_owned(), |text| format!("base64:{text}"))
}

async fn leaves(host: &Host, snapshot: &str, max_items: u64) -> Vec<Value> {
    let arguments = json!({ "snapshot_id": snapshot, "depth": 32, "include_metadata": true, "max_items": max_items, "max_bytes": 65_536 });
    let items = host.walk(OperationId::List, &arguments, "items").await;
    items.into_iter().filter(|item| item["kind"] != "dir").collect()
}

#[tokio::test]
async fn paths_that_are_hard_to_say_are_listed_and_read() {
    let odd = Odd::new();
    let mut names: Vec<Vec<u8>> = vec![
        b"..".to_vec(),
        b".git".to_vec(),
        b".GIT".to_vec(),
        b"a\nb".to_vec(),
        b"a\rb".to_vec(),
        b"tab\there".to_vec(),
        b"esc\x1b[2J".to_vec(),
        b"quote\"back\\slash".to_vec(),
        b"Case".to_vec(),
        b"case".to_vec(),
        "caf\u{e9}".as_bytes().to_vec(),
        "cafe\u{301}".as_bytes().to_vec(),
        "\u{202e}gnp.exe".as_bytes().to_vec(),
        b"look\xffalike".to_vec(),
        b"look\xfealike".to_vec(),
        b"lone\xff".to_vec(),
        "replaced\u{fffd}".as_bytes().to_vec(),
        b"replaced\xff".to_vec(),
        b"base64:Li4=".to_vec(),
        b" leading and trailing ".to_vec(),
        b"-rf".to_vec(),
        b"*".to_vec(),
        b"CON".to_vec(),
        vec![b'x'; 4096],
    ];
    names.sort();
    let entries: Vec<_> = names
        .iter()
        .map(|name| ("100644", name.clone(), odd.blob(&[b"contents of ", name.as_slice(), b"\n"].concat())))
        .collect();
    let inner = odd.tree(&entries);
    let mut root = entries.clone();
    // The same names once more, below directories that are themselves hard to say.
    for directory in [&b"zz..\xff"[..], b"zz/.."] {
        root.push(("40000", directory.to_vec(), inner.clone()));
    }
    odd.publish(&odd.tree(&root));
    let host = Host::local(odd.fixture.path());
    let snapshot = host.open(None).await;
    let mut told = odd.told();
    told.sort();
    assert_eq!(told.len(), 3 * names.len());
    for max_items in [1000, 7] {
        let mut items = leaves(&host, &snapshot, max_items).await;
        items.sort_by_key(exact);
        assert_eq!(
            items.iter().map(exact).collect::<Vec<_>>(),
            told.iter().map(|(path, ..)| path.clone()).collect::<Vec<_>>()
        );
        for (item, (path, _, id)) in items.iter().zip(&told) {
            assert_eq!(item["blob_sha"], id.as_str());
            let shown = String::from_utf8_lossy(path);
            assert_eq!((item["path"].as_str().unwrap(), item["kind"].as_str()), (&*shown, Some("file")));
            if max_items == 7 {
                continue;
            }
            let arguments = json!({ "snapshot_id": snapshot, "path": name_of(item), "format": "text" });
            let page =
                host.call(OperationId::Read, arguments).await.unwrap_or_else(|error| panic!("{shown:?}: {error}"));
            assert_eq!(page["blob_sha"], id.as_str(), "{shown:?}");
        }
    }
    let read =
        |path: &str| host.call(OperationId::Read, json!({ "snapshot_id": snapshot, "path": path, "format": "text" }));
    // As it is shown will do where only one path looks like that, and a path that really has the character goes first.
    assert!(read("lone\u{fffd}").await.is_ok());
    assert_eq!(read("replaced\u{fffd}").await.unwrap()["text"], "contents of replaced\u{fffd}\n");
    assert_eq!(read("look\u{fffd}alike").await.expect_err("two look alike").code, Code::PathNotFound);
    // A name that happens to look like exact bytes is itself.
    assert_eq!(read("base64:Li4=").await.unwrap()["text"], "contents of base64:Li4=\n");
    // A directory that isn't UTF-8, listed by its exact bytes.
    let page = host
        .call(OperationId::List, json!({ "snapshot_id": snapshot, "path": "base64:enouLv8=", "max_items": 1000 }))
        .await
        .expect("a directory");
    assert_eq!(page["returned_items"], names.len());
}

#[tokio::test]
async fn malformed_trees_are_shown_as_git_shows_them() {
    let odd = Odd::new();
    let [one, two] = [odd.blob(b"one\n"), odd.blob(b"two\n")];
    let file = |name: &str, id: &String| ("100644", name.as_bytes().to_vec(), id.clone());
    let inner = odd.tree(&[file("twice", &one), file("twice", &two)]);
    let tree = |name: &str, id: &String| ("40000", name.as_bytes().to_vec(), id.clone());
    // A file and a directory of one name, the same name twice, out of order.
    odd.publish(&odd.tree(&[file("z", &one), file("both", &one), tree("both", &inner), tree("dir", &inner)]));
    let host = Host::local(odd.fixture.path());
    let snapshot = host.open(None).await;
    let mut told: Vec<_> = odd.told().into_iter().map(|(path, _, id)| (path, id)).collect();
    told.sort();
    for max_items in [1000, 1, 2] {
        let items = leaves(&host, &snapshot, max_items).await;
        let mut seen: Vec<_> =
            items.iter().map(|item| (exact(item), item["blob_sha"].as_str().unwrap().to_owned())).collect();
        seen.sort();
        assert_eq!(seen, told, "{max_items} items a page");
    }
    let read =
        |path: &str| host.call(OperationId::Read, json!({ "snapshot_id": snapshot, "path": path, "format": "text" }));
    assert_eq!(read("both").await.expect("the file")["text"], "one\n");
    // As `git show` has it: the first of two.
    assert_eq!(read("dir/twice").await.expect("the first")["text"], "one\n");

    // Git does not list a tree with a name that is empty at all; here the file is there, and can be read.
    let inner = odd.tree(&[file("", &two), file("a", &one)]);
    odd.publish(&odd.tree(&[tree("dir", &inner)]));
    let snapshot = host.open(Some("main")).await;
    for max_items in [1000, 1] {
        let items = leaves(&host, &snapshot, max_items).await;
        assert_eq!(items.iter().map(|item| &item["path"]).collect::<Vec<_>>(), ["dir/", "dir/a"]);
    }
    let read = host.call(OperationId::Read, json!({ "snapshot_id": snapshot, "path": "dir/", "format": "text" })).await;
    assert_eq!(read.expect("the one without a name")["text"], "two\n");
}

#[tokio::test]
async fn links_submodules_and_pointers_are_shown_and_never_followed() {
    let odd = Odd::new();
    let oid = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";
    let link = |target: &[u8]| odd.blob(target);
    let sub = "0123456789abcdef0123456789abcdef01234567".to_owned();
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 12345\n");
    let modules = "[submodule \"a\"]\n\tpath = sub-a\n\turl = https://example.com/a.git\n[submodule \"x\"]\n\tpath = ../../etc\n\turl = ext::sh -c true\n";
    let entries = [
        ("100644", b".gitmodules".to_vec(), odd.blob(modules.as_bytes())),
        ("120000", b"absolute".to_vec(), link(b"/etc/passwd")),
        ("120000", b"itself".to_vec(), link(b"itself")),
        ("120000", b"not-utf8".to_vec(), link(b"\xff\xfe")),
        ("100644", b"pointer.bin".to_vec(), odd.blob(pointer.as_bytes())),
        ("160000", b"sub-a".to_vec(), sub.clone()),
        ("160000", b"sub-b".to_vec(), sub.clone()),
        ("120000", b"up".to_vec(), link(b"../../../../etc/passwd")),
    ];
    odd.publish(&odd.tree(&entries));
    let host = Host::local(odd.fixture.path());
    let snapshot = host.open(None).await;
    let items = leaves(&host, &snapshot, 1000).await;
    let find = |path: &str| items.iter().find(|item| item["path"] == path).expect(path);
    for (path, target) in [
        ("absolute", "/etc/passwd"),
        ("itself", "itself"),
        ("up", "../../../../etc/passwd"),
        ("not-utf8", "\u{fffd}\u{fffd}"),
    ] {
        assert_eq!((&find(path)["kind"], &find(path)["target"]), (&json!("symlink"), &json!(target)));
        let read = host.call(OperationId::Read, json!({ "snapshot_id": snapshot, "path": path })).await;
        assert_eq!(read.expect_err("a link").code, Code::NotAFile, "{path}");
        let below = host.call(OperationId::Read, json!({ "snapshot_id": snapshot, "path": format!("{path}/x") })).await;
        assert_eq!(below.expect_err("nothing below").code, Code::PathNotFound, "{path}");
    }
    for (path, url) in [("sub-a", json!("https://example.com/a.git")), ("sub-b", Value::Null)] {
        let item = find(path);
        assert_eq!((&item["kind"], &item["sha"], &item["url"]), (&json!("submodule"), &json!(sub), &url));
    }
    assert_eq!(find("pointer.bin")["lfs"], json!({ "oid": oid, "size": 12_345 }));
    let page =
        host.call(OperationId::Read, json!({ "snapshot_id": snapshot, "path": "pointer.bin", "format": "text" }));
    assert_eq!(page.await.expect("the pointer itself")["text"], pointer);
    let found = host.call(OperationId::SearchCode, json!({ "snapshot_id": snapshot, "queries": ["root:"] })).await;
    assert_eq!(found.expect("a search")["returned_items"], 0, "no link was followed");
}

/// Whoever made a mapped repository may have put anything under an id that means something elsewhere. Served under it, and
/// kept in a cache that other servers share, that would pass for the real thing.
#[tokio::test]
async fn an_object_that_is_not_what_its_id_names_is_damaged() {
    for kind in ["commit", "tree", "blob", "link"] {
        let fixture = Fixture::empty();
        fixture.write("a.txt", "genuine\n");
        symlink("a.txt", fixture.path().join("link")).unwrap();
        let genuine = fixture.commit("genuine");
        let id = |rev: &str| fixture.text(&["rev-parse", rev]);
        let of = |commit: &str| match kind {
            "commit" => commit.to_owned(),
            "tree" => id(&format!("{commit}^{{tree}}")),
            "link" => id(&format!("{commit}:link")),
            _ => id(&format!("{commit}:a.txt")),
        };
        let victim = of(&genuine);
        fixture.write("a.txt", "another\n");
        fs::remove_file(fixture.path().join("link")).unwrap();
        symlink("b.txt", fixture.path().join("link")).unwrap();
        let forged = of(&fixture.commit("another"));
        let file = |id: &str| fixture.path().join(".git/objects").join(&id[..2]).join(&id[2..]);
        fs::remove_file(file(&victim)).unwrap();
        fs::copy(file(&forged), file(&victim)).unwrap();
        let host = Host::local(fixture.path());
        let outcome = host.call(OperationId::Open, json!({ "repo": "demo/repo", "ref": genuine })).await;
        assert_eq!(outcome.expect_err(kind).code, Code::OperationFailed, "{kind}");
        // What is whole can still be opened.
        if kind == "commit" {
            host.open(None).await;
        }
    }
}
