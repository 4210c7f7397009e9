//! What the operations cost, beside git and ripgrep in the same run (DESIGN §12). `cargo bench -p wit --bench operations`
//!
//! The repository is made of crate sources from the local registry cache: 7 300 files, or as many as
//! `WIT_BENCH_FILES` says; `WIT_BENCH_FILES=7300,57000` measures one after the other. Where the cache has fewer, they
//! come again with a line more, so that no two are the same. It is served over loopback by `git http-backend`;
//! `git clone --bare --depth 1` and a cold `open` ask the same server in turn. Where `rg` is installed it searches a
//! checkout of the same files. Memory is of this process, which holds the git server's front end too.
#![allow(clippy::expect_used, clippy::print_stdout, reason = "a bench fails by panicking and prints figures")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use conformance::double::git_http::GitServer;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use wit::operations::{HostOperations, OperationContext, Operations, OperationsOptions, Surface};
use wit_worker::registry::OperationId;

/// Sources that are looked for, and the largest file that is taken.
const EXTENSIONS: [&str; 7] = ["rs", "md", "toml", "c", "h", "txt", "json"];
const LARGEST: u64 = 512 << 10;

fn main() {
    let sizes = std::env::var("WIT_BENCH_FILES").unwrap_or_else(|_| "7300".to_owned());
    for size in sizes.split(',') {
        measure(size.trim().parse().expect("WIT_BENCH_FILES is one number, or some with commas"));
    }
}

fn measure(files: usize) {
    let world = tempfile::tempdir().expect("a directory");
    let checkout = world.path().join("checkout");
    let (files, bytes, first) = make_repository(&checkout, files);
    println!("{files} files, {:.1} MB", bytes as f64 / 1e6);
    let served = world.path().join("srv/demo/big.git");
    run(git(world.path()).args(["clone", "-q", "--bare"]).arg(&checkout).arg(&served));
    let server = GitServer::start(&world.path().join("srv")).expect("a server");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");

    let address = format!("{}/demo/big.git", server.url());
    let (mut clones, mut opens) = (Vec::new(), Vec::new());
    let mut host = None;
    for round in 0..5 {
        let target = world.path().join(format!("clone-{round}"));
        clones.push(time(|| {
            run(git(world.path()).args(["clone", "-q", "--bare", "--depth", "1", &address]).arg(&target))
        }));
        std::fs::remove_dir_all(&target).expect("removed");
        let fresh = Host::new(&world.path().join(format!("cache-{round}")), &server);
        opens.push(time(|| {
            runtime.block_on(fresh.call(OperationId::Open, json!({ "repo": "demo/big" })));
        }));
        host = Some(fresh);
    }
    row("cold open over loopback HTTP", &mut opens, Some(("git clone --bare --depth 1", &mut clones)));

    let host = host.expect("a host");
    let opened = runtime.block_on(host.call(OperationId::Open, json!({ "repo": "demo/big" })));
    let handle = opened["snapshot_id"].as_str().expect("a handle");
    let ask = |id, arguments: &Value, rounds| -> Vec<Duration> {
        let mut arguments = arguments.clone();
        arguments["snapshot_id"] = handle.into();
        (0..rounds).map(|_| time(|| drop(runtime.block_on(host.call(id, arguments.clone()))))).collect()
    };
    row("list, depth 1", &mut ask(OperationId::List, &json!({ "depth": 1 }), 200), None);
    row(
        "list, depth 32, 1000 items",
        &mut ask(OperationId::List, &json!({ "depth": 32, "max_items": 1000, "format": "paths" }), 200),
        None,
    );
    row("read, 50 lines", &mut ask(OperationId::Read, &json!({ "path": first, "max_lines": 50 }), 200), None);
    if let Some(resident) = resident() {
        println!("resident after open, anonymous memory only    {:>9.0} MiB", resident as f64 / f64::from(1 << 20));
    }
    for (name, query, most) in [
        ("search: absent literal", "zzqq_not_there_zzqq", 100),
        ("search: absent literal of frequent letters", "interesting_antelope", 100),
        ("search: common literal, 100 results", "fn ", 100),
        ("search: absent regex with a literal", "[a-z]+_zzqq[0-9]{3}", 100),
        ("search: absent regex without a literal", "[x-z]{3}[0-9]{5}[x-z]{3}", 100),
        ("search: regex without a literal, all", r"\w{30,}\(", 1000),
        ("search: three absent words", "zzqq|qqzz|zqzq", 100),
    ] {
        let arguments = json!({ "queries": [query], "max_results": most, "max_bytes": 262_144 });
        let mut ours = ask(OperationId::SearchCode, &arguments, 20);
        let mut theirs: Vec<Duration> = (0..7).filter_map(|_| ripgrep(&checkout, query)).collect();
        row(name, &mut ours, Some(("rg", &mut theirs)).filter(|(_, theirs)| !theirs.is_empty()));
    }
    if let Some(resident) = resident() {
        println!("resident after searching, likewise            {:>9.0} MiB", resident as f64 / f64::from(1 << 20));
    }
    println!();
}

struct Host(Arc<Operations>);

impl Host {
    fn new(cache: &Path, server: &GitServer) -> Self {
        let mut options = OperationsOptions::new(cache.to_owned());
        options.github_url = server.url().parse().expect("an address");
        Self(Operations::open(options).expect("operations"))
    }

    async fn call(&self, id: OperationId, arguments: Value) -> Value {
        let context = OperationContext::new(Duration::from_secs(600), CancellationToken::new());
        let raw = RawValue::from_string(arguments.to_string()).expect("JSON");
        let result = self.0.call(id, &raw, Surface::Direct, &context).await.expect("a result");
        if id == OperationId::Open { serde_json::from_str(result.get()).expect("JSON") } else { Value::Null }
    }
}

/// Prints the median, and how it compares.
fn row(name: &str, ours: &mut [Duration], theirs: Option<(&str, &mut Vec<Duration>)>) {
    let ours = median(ours);
    print!("{name:<46} {:>9.2} ms", ours.as_secs_f64() * 1e3);
    if let Some((other, times)) = theirs {
        let theirs = median(times);
        let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
        print!("   {other} {:.1} ms: {ratio:.1}x", theirs.as_secs_f64() * 1e3);
    }
    println!();
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn time(work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

fn ripgrep(checkout: &Path, query: &str) -> Option<Duration> {
    let mut command = Command::new("rg");
    command.args(["--no-config", "--hidden", "--no-ignore", "-S", "-c", "-e", query]).arg(checkout);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let begin = Instant::now();
    command.status().ok()?;
    Some(begin.elapsed())
}

fn git(directory: &Path) -> Command {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "gc.auto=0"]).current_dir(directory);
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}

fn run(command: &mut Command) {
    assert!(command.status().expect("git").success());
}

/// Copies sources and commits them: how many, their bytes, and the path of one of them.
fn make_repository(target: &Path, most: usize) -> (usize, u64, String) {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"))).expect("a home");
    let mut sources = Vec::new();
    for registry in std::fs::read_dir(home.join("registry/src")).expect("a registry cache").flatten() {
        collect(&registry.path(), &mut sources);
    }
    sources.sort();
    assert!(!sources.is_empty(), "the registry cache has no sources");
    let (mut bytes, mut first) = (0, None);
    for (number, source) in sources.iter().cycle().take(most).enumerate() {
        let round = number / sources.len();
        let relative = source.strip_prefix(home.join("registry/src")).expect("below");
        let relative: PathBuf = relative.components().skip(1).collect();
        let relative = if round == 0 { relative } else { Path::new(&format!("again-{round}")).join(relative) };
        let copy = target.join(&relative);
        std::fs::create_dir_all(copy.parent().expect("a parent")).expect("created");
        let mut contents = std::fs::read(source).expect("read");
        if round > 0 {
            contents.extend_from_slice(format!("\nagain {round}\n").as_bytes());
        }
        bytes += contents.len() as u64;
        std::fs::write(copy, contents).expect("written");
        if first.is_none() && relative.extension().is_some_and(|extension| extension == "rs") {
            first = relative.to_str().map(str::to_owned);
        }
    }
    run(git(target).args(["init", "-q", "-b", "main", "."]));
    run(git(target).args(["add", "-A", "-f"]));
    run(git(target).args(["commit", "-q", "-m", "import"]));
    run(git(target).args(["gc", "-q"]));
    (most, bytes, first.expect("a source file"))
}

fn collect(directory: &Path, sources: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("a directory").flatten() {
        let (path, facts) = (entry.path(), entry.metadata().expect("facts"));
        let wanted =
            path.extension().and_then(|extension| extension.to_str()).is_some_and(|it| EXTENSIONS.contains(&it));
        if facts.is_dir() {
            collect(&path, sources);
        } else if facts.is_file() && wanted && facts.len() < LARGEST {
            sources.push(path);
        }
    }
}

/// Anonymous resident memory of this process in bytes, on Linux.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}
