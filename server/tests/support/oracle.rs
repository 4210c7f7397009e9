//! What git and ripgrep say, to be compared with.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use wit_worker::registry::OperationId;

use super::{Fixture, Host};

/// Path, mode and id of everything, as `git ls-tree -r` has it.
pub fn ls_tree(fixture: &Fixture, commit: &str) -> Vec<(Vec<u8>, String, String)> {
    let output = fixture.git(&["ls-tree", "-r", "-z", commit]);
    let entries = output.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
    let parse = |entry: &[u8]| {
        let tab = entry.iter().position(|byte| *byte == b'\t').expect("a tab");
        let facts: Vec<_> = std::str::from_utf8(&entry[..tab]).expect("ASCII").split(' ').map(str::to_owned).collect();
        (entry[tab + 1..].to_vec(), facts[0].clone(), facts[2].clone())
    };
    entries.map(parse).collect()
}

/// Everything `list` shows of a snapshot.
pub async fn listed(host: &Host, snapshot: &str) -> Vec<Value> {
    let arguments = json!({ "snapshot_id": snapshot, "depth": 32, "include_metadata": true, "max_items": 1000, "max_bytes": 262_144 });
    host.walk(OperationId::List, &arguments, "items").await
}

/// Holds what `list` shows to `git ls-tree -r`: every path, mode and id.
pub fn assert_listed(items: &[Value], expected: &[(Vec<u8>, String, String)]) {
    let leaves: Vec<_> = items.iter().filter(|item| item["kind"] != "dir").collect();
    assert_eq!(leaves.len(), expected.len());
    for (item, (path, mode, id)) in leaves.iter().zip(expected) {
        assert_eq!(item["path"], String::from_utf8_lossy(path).as_ref());
        assert_eq!(item.get("path_base64").is_some(), std::str::from_utf8(path).is_err());
        let kind = match mode.as_str() {
            "120000" => "symlink",
            "160000" => "submodule",
            _ => "file",
        };
        assert_eq!(item["kind"], kind, "{item}");
        assert_eq!(item["executable"] == true, mode == "100755", "{item}");
        assert_eq!(item[if kind == "submodule" { "sha" } else { "blob_sha" }], id.as_str(), "{item}");
    }
}

/// Path and line number of every match of a search, by walking over pages.
pub async fn found_in(host: &Host, snapshot: &str, pattern: &str, case: &str, more: Value) -> Vec<(String, u64)> {
    let mut arguments = json!({
        "snapshot_id": snapshot, "queries": [pattern], "case": case, "context_lines": 0,
        "max_results": 1000, "max_bytes": 262_144,
    });
    arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    let items = host.walk(OperationId::SearchCode, &arguments, "items").await;
    items
        .iter()
        .map(|item| (item["path"].as_str().expect("a path").to_owned(), item["match_line"].as_u64().expect("a line")))
        .collect()
}

/// Asks ripgrep: path and line of every match.
///
/// # Panics
/// When there is no ripgrep: without it nothing holds the search to an answer that people trust.
pub fn ripgrep(directory: &Path, arguments: &[&str]) -> BTreeSet<(String, u64)> {
    let output = Command::new("rg")
        .args([
            "--no-config",
            "--hidden",
            "--no-ignore",
            "--null",
            "-n",
            "--no-heading",
            "--color=never",
            "-g",
            "!/.git/",
        ])
        .args(arguments)
        .arg("./")
        .current_dir(directory)
        .output()
        .expect("this test compares with ripgrep: install `rg` (the package is called ripgrep)");
    // 0 and 1 are a search with and without matches.
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", String::from_utf8_lossy(&output.stderr));
    let mut matches = BTreeSet::new();
    let mut rest = output.stdout.as_slice();
    while let Some(end) = rest.iter().position(|byte| *byte == 0) {
        let path = String::from_utf8_lossy(&rest[..end]).trim_start_matches("./").to_owned();
        let line = rest[end + 1..].split(|byte| *byte == b'\n').next().expect("a line");
        rest = &rest[(end + 1 + line.len() + 1).min(rest.len())..];
        if line.starts_with(b"binary file matches") || line.starts_with(b"Binary file") {
            continue;
        }
        let number = std::str::from_utf8(line).map_or_else(|error| error.valid_up_to(), str::len);
        let number = std::str::from_utf8(&line[..number])
            .expect("cut")
            .split(':')
            .next()
            .expect("a number")
            .parse()
            .expect("a number");
        // A glob that takes everything takes git's own files too.
        if !path.starts_with(".git/") {
            matches.insert((path, number));
        }
    }
    matches
}
