//! Held to the tools people trust, over real repositories: what git lists and shows, and what ripgrep finds.
//!
//! The repositories are made from sources of our own dependencies, which are on every machine that builds this, with
//! something odd added to each: CRLF and lone CR, no last newline, a byte order mark, Latin-1, binary files, lines of
//! megabytes, executables and links.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::{Value, json};
use support::oracle::{assert_listed, found_in, listed, ls_tree, ripgrep};
use support::{Fixture, Host};
use wit_worker::registry::OperationId;

/// Name, packages whose sources it holds, and the least number of files that makes it worth the while.
const REPOSITORIES: [(&str, &[&str], usize); 3] = [
    ("tokio", &["tokio", "tokio-util", "futures-util", "hyper"], 700),
    ("regex", &["regex", "regex-automata", "regex-syntax", "aho-corasick", "memchr", "globset", "bstr"], 300),
    (
        "gix",
        &["gix", "gix-odb", "gix-pack", "gix-object", "gix-protocol", "gix-transport", "gix-ref", "serde_json"],
        300,
    ),
];

/// Patterns with ripgrep's flag for their case.
const PATTERNS: &[(&str, &str)] = &[
    ("-S", "fn main"),
    ("-S", "Error"),
    ("-s", "error"),
    ("-i", "ERROR: "),
    ("-S", "unsafe"),
    ("-s", "Unsafe"),
    ("-S", "zzqq_not_there"),
    ("-i", "poll_read"),
    ("-S", "NOTE|SAFETY"),
    ("-i", "todo|fixme|xxx"),
    ("-s", r"\bimpl\b"),
    ("-S", r"\bAsync\w+\b"),
    ("-S", r"\Bstream\b"),
    ("-S", r"\b\w{22,}\b"),
    ("-s", r"^use std::"),
    ("-s", r"^\s*///\s*#"),
    ("-s", r"^\}$"),
    ("-s", r"\{\s*$"),
    ("-S", r"^$"),
    ("-s", r"^#!?\[cfg"),
    ("-s", r"fn \w+\(&mut self"),
    ("-s", r"fn (new|with)_\w*\("),
    ("-s", r"[A-Z][A-Z_]{8,}"),
    ("-s", r"0x[0-9a-fA-F]{4,}"),
    ("-S", r"\d+\.\d+\.\d+"),
    ("-S", r"\d{4}-\d{2}-\d{2}"),
    ("-S", r"https?://[^\s)>]+\.(org|com)/"),
    ("-S", r"\p{Greek}"),
    // Not by script: which characters one has depends on the Unicode version that a ripgrep was built with.
    ("-S", r"[\x{4e00}-\x{9fa5}]|[а-я]{3}"),
    ("-S", r"\p{Lu}\p{Ll}+\p{Lu}\p{Ll}+Error"),
    ("-S", r"[^\x00-\x7f]"),
    ("-S", r"(?-u:\xe9)"),
    ("-S", r"(?-u:[\x80-\xff]{2})"),
    ("-i", "straße"),
    ("-i", "GRÜSSE"),
    ("-S", "ſ"),
    ("-i", "kelvin"),
    ("-S", r"(?i)pin!?\("),
    ("-i", r"(?-i)Pin<"),
    ("-S", r"(?x) unsafe \s+ impl"),
    ("-s", r"(?s)fn.drop.*\{"),
    ("-S", r"\Auses? "),
    ("-s", r";\z"),
    ("-s", r"\r"),
    ("-s", r"two\r$"),
    ("-s", r"\t\t"),
    ("-s", r"[[:punct:]]{6}"),
    ("-s", r"(a|b|c|d)+(e|f|g)_"),
    ("-s", r"(\w+)::(\w+)::(\w+)::(\w+)::"),
    ("-s", r"\w+\s*=>\s*\{?$"),
    ("-s", r"Result<\(\), \w+>"),
    ("-s", r"x{3}|y{3}|z{3}"),
    ("-s", r"(foo|bar|baz)?quux"),
    ("-s", r".{160}"),
    ("-s", r"\$\{?\w+\}?"),
    ("-s", r"\\[nrt]"),
    ("-s", "\"[^\"]{60,}\""),
    ("-S", r"needle_in_a_long_line"),
    ("-i", r"NEEDLE_IN"),
    ("-s", "^marked|^last$"),
    ("-S", "one$"),
    ("-s", r"'[a-z]+ mut "),
    ("-s", r"\b(u|i)(8|16|32|64|128)\b.*\bas\b"),
];

/// Globs as ripgrep's `-g` has them, with a pattern.
const GLOBS: &[(&[&str], &str)] = &[
    (&["*.rs"], "todo"),
    (&["*.toml", "!Cargo.toml"], "version"),
    (&["!*.rs"], "unsafe"),
    (&["src/**"], "fn main"),
    (&["**/src/*.rs"], r"^use "),
    (&["*/src/lib.rs"], "//!"),
    (&["!**/tests/**", "*.rs"], "assert"),
    (&["*.{md,txt}"], "the"),
    (&["[A-Z]*.md"], "#"),
    (&["/odd/*"], "."),
    (&["!odd/"], "needle"),
    (&["?????.rs"], "struct"),
];

/// Where the sources of our dependencies are, as cargo has them.
fn sources() -> &'static BTreeMap<String, PathBuf> {
    static SOURCES: OnceLock<BTreeMap<String, PathBuf>> = OnceLock::new();
    SOURCES.get_or_init(|| {
        // Only this platform's: others' dependencies were never fetched.
        let version = Command::new("rustc").arg("-vV").output().expect("rustc").stdout;
        let version = String::from_utf8(version).expect("UTF-8");
        let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
        let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("cargo");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let packages = metadata["packages"].as_array().expect("packages");
        let place = |package: &Value| {
            let manifest = Path::new(package["manifest_path"].as_str()?);
            Some((package["name"].as_str()?.to_owned(), manifest.parent()?.to_owned()))
        };
        packages.iter().filter_map(place).collect()
    })
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("created");
    for entry in std::fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().expect("a type").is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("copied");
        }
    }
}

/// The repository of these packages' sources, and something odd.
fn repository(packages: &[&str], least: usize) -> Fixture {
    let fixture = Fixture::empty();
    for name in packages {
        let source = sources().get(*name).unwrap_or_else(|| panic!("{name} is a dependency"));
        copy(source, &fixture.path().join(name));
    }
    fixture.write("odd/crlf.txt", "one\r\ntwo\r\nlast");
    fixture.write("odd/lone_cr.txt", "one\rstill\ntwo\r");
    fixture.write("odd/bom.txt", "\u{feff}marked\nplain\n");
    fixture.write("odd/latin1.txt", b"caf\xe9 stra\xdfe\nna\xefve\n");
    fixture.write("odd/unicode.txt", "Grüße, STRASSE, straße\nλόγος слово 漢字\n\u{212a}elvin\nwi\u{17f}h\n");
    fixture.write("odd/binary.bin", b"\x00one\nneedle_in_a_long_line\n");
    fixture.write("odd/empty.txt", "");
    fixture.write("odd/newlines.txt", "\n\n\n");
    fixture.write("odd/long.txt", format!("{}needle_in_a_long_line{}\nlast\n", "ab ".repeat(700_000), "c".repeat(999)));
    fixture.write("odd/wide.txt", format!("{}é needle_in_a_long_line\n", "ä".repeat(90_000)));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fixture.write("odd/run.sh", "#!/bin/sh\necho one\n");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(fixture.path().join("odd/run.sh"), mode).expect("executable");
        std::os::unix::fs::symlink("crlf.txt", fixture.path().join("odd/link")).expect("a link");
    }
    fixture.commit("sources");
    let count = ls_tree(&fixture, "HEAD").len();
    assert!(count >= least, "only {count} files of {packages:?}");
    fixture
}

/// Contents by id, from one `git cat-file --batch`: what `git show` gives for each path.
fn blobs(fixture: &Fixture, ids: &[String]) -> BTreeMap<String, Vec<u8>> {
    let mut child = Command::new("git")
        .args(["cat-file", "--batch"])
        .current_dir(fixture.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git");
    let mut stdin = child.stdin.take().expect("stdin");
    let wanted = ids.join("\n") + "\n";
    let writer = std::thread::spawn(move || stdin.write_all(wanted.as_bytes()));
    let mut output = BufReader::new(child.stdout.take().expect("stdout"));
    let mut found = BTreeMap::new();
    let mut head = String::new();
    while output.read_line(&mut head).expect("a line") > 0 {
        let words: Vec<&str> = head.split_whitespace().collect();
        let mut bytes = vec![0; words[2].parse().expect("a size")];
        output.read_exact(&mut bytes).expect("contents");
        output.read_exact(&mut [0]).expect("a newline");
        found.insert(words[0].to_owned(), bytes);
        head.clear();
    }
    writer.join().expect("no panic").expect("written");
    assert!(child.wait().expect("git").success());
    found
}

/// A file as `read` gives it, over all its pages.
async fn text(host: &Host, snapshot: &str, path: &str) -> String {
    let mut arguments = json!({ "snapshot_id": snapshot, "path": path, "format": "text", "max_bytes": 262_144 });
    let mut text = String::new();
    loop {
        let page = host.call(OperationId::Read, arguments.clone()).await.expect("a page");
        text.push_str(page["text"].as_str().expect("text"));
        match page["next_cursor"].as_str() {
            Some(cursor) => arguments["cursor"] = cursor.into(),
            None => return text,
        }
    }
}

async fn hold_to_git(fixture: &Fixture, host: &Host, snapshot: &str) -> usize {
    let tree = ls_tree(fixture, "HEAD");
    assert_listed(&listed(host, snapshot).await, &tree);
    let files: Vec<_> = tree.into_iter().filter(|(_, mode, _)| mode.starts_with("100")).collect();
    let contents = blobs(fixture, &files.iter().map(|(_, _, id)| id.clone()).collect::<Vec<_>>());
    let mut read = 0;
    for (path, _, id) in &files {
        let path = std::str::from_utf8(path).expect("UTF-8");
        let blob = &contents[id];
        if blob.contains(&0) {
            continue;
        }
        assert!(text(host, snapshot, path).await == String::from_utf8_lossy(blob), "{path}");
        read += 1;
    }
    read
}

async fn hold_to_ripgrep(fixture: &Fixture, host: &Host, snapshot: &str) -> usize {
    let mut matches = 0;
    for (flag, pattern) in PATTERNS {
        let case = match *flag {
            "-S" => "smart",
            "-s" => "sensitive",
            _ => "insensitive",
        };
        let ours = found_in(host, snapshot, pattern, case, json!({})).await;
        let ours: BTreeSet<_> = ours.into_iter().collect();
        let mut theirs = ripgrep(fixture.path(), &[flag, "-e", pattern]);
        // The one line over a mebibyte is searched only for what is quick on any line; then its count is told.
        let page = host.call(
            OperationId::SearchCode,
            json!({ "snapshot_id": snapshot, "queries": [pattern], "case": case, "max_results": 1 }),
        );
        if page.await.expect("a page")["skipped_long_lines"] == 1 {
            theirs.remove(&("odd/long.txt".to_owned(), 1));
        }
        compare(&ours, &theirs, &format!("{flag} {pattern}"));
        matches += ours.len();
    }
    for (globs, pattern) in GLOBS {
        let flags: Vec<&str> = globs.iter().flat_map(|glob| ["-g", glob]).chain(["-S", "-e", pattern]).collect();
        let mut theirs = ripgrep(fixture.path(), &flags);
        let ours = found_in(host, snapshot, pattern, "smart", json!({ "globs": globs })).await;
        let ours: BTreeSet<_> = ours.into_iter().collect();
        if pattern.contains(['^', '*']) {
            theirs.remove(&("odd/long.txt".to_owned(), 1));
        }
        compare(&ours, &theirs, &format!("{globs:?} {pattern}"));
        let (excluding, including): (Vec<&&str>, Vec<&&str>) = globs.iter().partition(|glob| glob.starts_with('!'));
        if including.is_empty() {
            let exclude: Vec<&str> = excluding.iter().map(|glob| &glob[1..]).collect();
            let again = found_in(host, snapshot, pattern, "smart", json!({ "exclude": exclude })).await;
            assert_eq!(again.into_iter().collect::<BTreeSet<_>>(), ours, "{exclude:?}");
        }
    }
    matches
}

fn compare(ours: &BTreeSet<(String, u64)>, theirs: &BTreeSet<(String, u64)>, what: &str) {
    let missing: Vec<_> = theirs.difference(ours).take(5).collect();
    let extra: Vec<_> = ours.difference(theirs).take(5).collect();
    assert!(missing.is_empty() && extra.is_empty(), "{what}: missing {missing:?}, extra {extra:?}");
}

async fn hold(name: &str) {
    assert!(PATTERNS.len() >= 50);
    let (_, packages, least) = REPOSITORIES.iter().find(|(known, ..)| *known == name).expect("a repository");
    let fixture = repository(packages, *least);
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    let read = hold_to_git(&fixture, &host, &snapshot).await;
    assert!(read >= *least * 9 / 10, "only {read} files of {name} were read");
    let matches = hold_to_ripgrep(&fixture, &host, &snapshot).await;
    assert!(matches > 5_000, "only {matches} matches in {name}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tokio_is_as_git_and_ripgrep_see_it() {
    hold("tokio").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn regex_is_as_git_and_ripgrep_see_it() {
    hold("regex").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gix_is_as_git_and_ripgrep_see_it() {
    hold("gix").await;
}
