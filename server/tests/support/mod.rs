//! Real git repositories in temporary directories, and a host to ask about them.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its own part")]

pub mod oracle;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;
use wit::operations::{HostOperations, OperationContext, OperationError, Operations, OperationsOptions, Surface};
use wit_worker::registry::{Code, OperationId};

/// A working tree with its repository.
pub struct Fixture {
    directory: tempfile::TempDir,
}

impl Fixture {
    /// An empty repository whose default branch is `main`.
    pub fn empty() -> Self {
        let fixture = Self { directory: tempfile::tempdir().expect("a directory") };
        fixture.git(&["init", "-q", "-b", "main", "."]);
        fixture
    }

    /// The working tree.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a file.
    pub fn write(&self, path: &str, contents: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
        std::fs::write(path, contents).expect("written");
    }

    /// Commits everything, and gives the commit's id.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A", "-f"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.text(&["rev-parse", "HEAD"])
    }

    /// Runs git, and gives what it printed.
    pub fn git(&self, arguments: &[&str]) -> Vec<u8> {
        git(self.path(), arguments)
    }

    /// The same as trimmed text.
    pub fn text(&self, arguments: &[&str]) -> String {
        String::from_utf8(self.git(arguments)).expect("UTF-8").trim().to_owned()
    }

    /// Runs git with something on its standard input.
    pub fn git_with(&self, arguments: &[&str], input: &[u8]) -> String {
        let mut child =
            command(self.path(), arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("git");
        std::io::Write::write_all(&mut child.stdin.take().expect("stdin"), input).expect("written");
        let output = child.wait_with_output().expect("git");
        assert!(output.status.success(), "git {arguments:?}");
        String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
    }
}

fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "gc.auto=0", "-c", "core.autocrlf=false"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
        .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z");
    command
}

/// Runs git somewhere, and gives what it printed.
pub fn git(directory: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = command(directory, arguments).output().expect("git");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The operations with a cache of their own.
pub struct Host {
    pub operations: Arc<Operations>,
    pub cache: PathBuf,
    _directory: tempfile::TempDir,
}

impl Host {
    /// A host with `demo/repo` mapped to a path.
    pub fn local(path: &Path) -> Self {
        Self::with(|options| {
            options.local.push(format!("demo/repo={}", path.display()).parse().expect("a mapping"));
        })
    }

    /// A host with other options.
    pub fn with(change: impl FnOnce(&mut OperationsOptions)) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let cache = directory.path().join("cache");
        let mut options = OperationsOptions::new(cache.clone());
        change(&mut options);
        Self { operations: Operations::open(options).expect("operations"), cache, _directory: directory }
    }

    /// What this host, or any other with the same cache, has half-written.
    pub fn unfinished(&self) -> Vec<PathBuf> {
        let listed = |path: &Path| {
            let entries = std::fs::read_dir(path).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
            entries.unwrap_or_else(|_| Vec::<PathBuf>::new())
        };
        let mut left = listed(&self.cache.join("v1/locks"));
        for path in listed(&self.cache.join("v1/scratch")) {
            // A server's own directory and its lock are there as long as it is.
            if path.is_dir() {
                left.extend(listed(&path));
            }
        }
        left
    }

    /// Calls an operation in direct mode.
    pub async fn call(&self, id: OperationId, arguments: Value) -> Result<Value, OperationError> {
        self.call_as(id, arguments, Surface::Direct).await
    }

    /// Calls an operation; checks that the byte accounting is exact.
    pub async fn call_as(&self, id: OperationId, arguments: Value, surface: Surface) -> Result<Value, OperationError> {
        let context = OperationContext::new(Duration::from_secs(60), CancellationToken::new());
        let raw = RawValue::from_string(arguments.to_string()).expect("JSON");
        let result = self.operations.call(id, &raw, surface, &context).await?;
        let value: Value = serde_json::from_str(result.get()).expect("JSON");
        if id != OperationId::Open {
            assert_eq!(value["budget"]["serialized_bytes"], result.get().len(), "exact accounting");
            assert_eq!(value["has_more"], value["next_cursor"].is_string());
        }
        Ok(value)
    }

    /// Opens `demo/repo` and gives the handle.
    pub async fn open(&self, reference: Option<&str>) -> String {
        let opened = self.call(OperationId::Open, serde_json::json!({ "repo": "demo/repo", "ref": reference })).await;
        opened.expect("opened")["snapshot_id"].as_str().expect("a handle").to_owned()
    }

    /// The code that opening a ref of `demo/repo` fails with.
    pub async fn open_failure(&self, reference: Option<&str>) -> Code {
        let opened = self.call(OperationId::Open, serde_json::json!({ "repo": "demo/repo", "ref": reference })).await;
        opened.expect_err("a failure").code
    }

    /// All items of a walk with these page arguments.
    pub async fn walk(&self, id: OperationId, arguments: &Value, field: &str) -> Vec<Value> {
        let mut items = Vec::new();
        let mut arguments = arguments.clone();
        loop {
            let page = self.call(id, arguments.clone()).await.expect("a page");
            let new = page[field].as_array().expect("a list");
            assert_eq!(page["returned_items"], new.len());
            items.extend(new.iter().cloned());
            match page["next_cursor"].as_str() {
                Some(cursor) => {
                    assert!(!new.is_empty(), "a walk goes on");
                    arguments["cursor"] = cursor.into();
                }
                None => return items,
            }
        }
    }
}

/// A repository with something of everything that git can hold.
pub fn curious() -> Fixture {
    let fixture = Fixture::empty();
    fixture.write("README.md", "# Demo\n\nHello, world\n");
    fixture.write("src/main.rs", "fn main() {\n    println!(\"hello\");\n}\n");
    fixture.write("src/lib.rs", "pub fn answer() -> u32 { 42 }\n");
    fixture.write("src/deep/er/still/file.txt", "deep\n");
    fixture.write("src.txt", "sorts before src/\n");
    fixture.write("src0", "sorts after src/\n");
    fixture.write("crlf.txt", "one\r\ntwo\r\nthree\r\n");
    fixture.write("lone_cr.txt", "one\rstill one\ntwo\r");
    fixture.write("no_newline.txt", "first\nlast");
    fixture.write("empty.txt", "");
    fixture.write("only_newlines.txt", "\n\n\n");
    fixture.write("bom.txt", "\u{feff}marked\nplain\n");
    fixture.write("latin1.txt", b"caf\xe9\nna\xefve\n");
    fixture.write("binary.bin", b"\x00\x01\x02hello\n");
    fixture.write("late_nul.bin", [b"hello\n".repeat(20_000), vec![0]].concat());
    fixture.write("long.txt", format!("{}needle{}\nshort\n", "x".repeat(3000), "y".repeat(3000)));
    fixture.write("umlaut ä.txt", "grüße\n");
    fixture.write("new\nline.txt", "odd name\n");
    fixture.write("UPPER.txt", "Hello\n");
    fixture.write("upper.txt", "hello\n");
    fixture.write(".hidden/config", "hello = hidden\n");
    fixture.write(
        "model.onnx",
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n",
    );
    fixture.write(".gitmodules", "[submodule \"dep\"]\n\tpath = vendor/dep\n\turl = https://example.com/dep.git\n");
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        use std::os::unix::fs::PermissionsExt as _;
        fixture.write("run.sh", "#!/bin/sh\necho hello\n");
        let script = fixture.path().join("run.sh");
        std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).expect("executable");
        std::os::unix::fs::symlink("src/main.rs", fixture.path().join("link.rs")).expect("a link");
        std::os::unix::fs::symlink("/etc/passwd", fixture.path().join("escape")).expect("a link");
        let odd = std::ffi::OsStr::from_bytes(b"not\xffutf8.txt");
        std::fs::write(fixture.path().join(odd), "bytes\n").expect("written");
    }
    fixture.git(&["add", "-A", "-f"]);
    fixture.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        "160000,0123456789abcdef0123456789abcdef01234567,vendor/dep",
    ]);
    fixture.git(&["commit", "-q", "-m", "everything"]);
    fixture
}
