//! The report as SARIF 2.1.0, for systems that show findings beside code: each failed item is a result that points to
//! its file. What passed is not a finding and is left out; how much passed stands in the run's properties.

use serde_json::{Value, json};

use super::{Row, RunReport};
use crate::catalogue::perform::Verdict;

pub(super) fn render(report: &RunReport) -> Value {
    let head = &report.head;
    let failed: Vec<&Row> = report.items.iter().filter(|row| row.result == Verdict::Failed).collect();
    let rules: Vec<Value> = failed.iter().map(|row| rule(row)).collect();
    let results: Vec<Value> = failed.iter().enumerate().map(|(index, row)| result(index, row)).collect();
    let mut files: Vec<&str> = failed.iter().map(|row| row.file.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    let artifacts: Vec<Value> =
        files.iter().map(|file| json!({ "location": { "uri": uri(file), "uriBaseId": "%SRCROOT%" } })).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "wit conformance",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "automationDetails": { "id": format!("wit-conformance/{}", head.corpus_sha256) },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                // The run itself worked, whatever it found.
                "executionSuccessful": true,
                "endTimeUtc": head.date,
            }],
            "artifacts": artifacts,
            "results": results,
            "properties": {
                "counts": report.counts,
                "head": head,
            },
        }],
    })
}

fn rule(row: &Row) -> Value {
    let mut tags: Vec<&str> = row.invariants.iter().chain(&row.flags).map(String::as_str).collect();
    tags.push("security");
    tags.sort_unstable();
    tags.dedup();
    json!({
        "id": row.id,
        "shortDescription": { "text": text(&row.title) },
        "fullDescription": { "text": text(&row.threat) },
        "defaultConfiguration": { "level": "error" },
        "help": { "text": format!("Run it alone: cargo run -p conformance -- run {} --transcript", row.id) },
        "properties": { "tags": tags },
    })
}

fn result(index: usize, row: &Row) -> Value {
    let message =
        format!("{}\nexpected {}\ngot {}\n{}", row.title, row.expected.join(", or "), row.got, row.faults.join("\n"));
    json!({
        "ruleId": row.id,
        "ruleIndex": index,
        "kind": "fail",
        "level": "error",
        "message": { "text": text(&message) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&row.file), "uriBaseId": "%SRCROOT%" },
                "region": { "startLine": 1 },
            },
        }],
        "partialFingerprints": { "item/v1": row.id, "itemDigest/v1": row.digest },
    })
}

/// A message is plain text: what a viewer might take for a link or a placeholder loses that meaning.
fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // SARIF 2.1.0 §3.11.6: `[text](target)` is a link, `{0}` a placeholder, and doubling or escaping takes it away.
            '[' | ']' => {
                out.push('\\');
                out.push(c);
            }
            '{' | '}' => {
                out.push(c);
                out.push(c);
            }
            '\n' => out.push(c),
            c => out.push_str(&super::html::shown(c)),
        }
    }
    out
}

/// A relative reference: everything but plain characters is written in percent.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_no_links_and_paths_are_references() {
        assert_eq!(text("[x](http://e) {0}\u{1b}"), "\\[x\\](http://e) {{0}}␛");
        assert_eq!(uri("adversarial-scripts/a b/ü.js"), "adversarial-scripts/a%20b/%C3%BC.js");
    }
}
