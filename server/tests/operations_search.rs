//! `searchCode` held against an independent line-by-line oracle, and against `rg`.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::collections::BTreeSet;

use serde_json::{Value, json};
use support::oracle::{found_in, ripgrep};
use support::{Fixture, Host, curious};
use wit_worker::registry::{Code, OperationId};

/// Patterns of every kind that takes a route of its own through the search.
const PATTERNS: &[&str] = &[
    "hello",
    "Hello",
    "HELLO",
    "main",
    "fn ",
    "zzqq_not_there_zzqq",
    "needle",
    "x",
    "kelvin",
    "disk",
    "ſ",
    "^hello",
    "hello$",
    "^$",
    "^",
    "$",
    "x*",
    "^one",
    "two$",
    r"two\r$",
    r"\r",
    "e$",
    "^.",
    r"^\s",
    r"\s$",
    r"\bhello\b",
    r"\Bello",
    r"\w+\(",
    r"[a-z]+_[0-9]{2}",
    "[A-Z]{2,}",
    "(?i)HELLO",
    "(?-i)hello",
    "(?i:HELLO) world",
    "hello|world",
    "foo|bar|answer",
    "(ab)+",
    "a{2,3}",
    r"\d+",
    r"\p{Lu}",
    r"grü.e",
    "GRÜSSE",
    "ß",
    "é",
    r"(?-u:\xe9)",
    r"\Ahello",
    r"hello\z",
    r"\Aone\z",
    r"[^a]",
    r"[^\n]x",
    r".*needle.*",
    "println!\\(\"hello\"\\)",
    r"//.*TODO",
    r"pub fn \w+",
    "last",
    "marked",
    "^marked",
    "plain$",
    "naïve|na.ve",
    "d.e.p",
    "deep$",
    "version https",
    "sha256:[0-9a-f]{64}",
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Case {
    Smart,
    Sensitive,
    Insensitive,
}

impl Case {
    fn word(self) -> &'static str {
        match self {
            Self::Smart => "smart",
            Self::Sensitive => "sensitive",
            Self::Insensitive => "insensitive",
        }
    }
}

/// Path and line number of every match.
async fn found(host: &Host, snapshot: &str, pattern: &str, case: Case, more: Value) -> Vec<(String, u64)> {
    found_in(host, snapshot, pattern, case.word(), more).await
}

/// The same, worked out with the `regex` crate alone, one line of one file at a time.
fn expected(files: &[(String, Vec<u8>)], pattern: &str, case: Case) -> Vec<(String, u64)> {
    let smart_ignores = {
        // ripgrep's rule: some literal, and none of them upper case. Escapes and flags aside, as in the list above.
        let plain = pattern.replace(r"\A", "").replace(r"\B", "").replace(r"\p{Lu}", "").replace("(?i)", "");
        plain.chars().any(char::is_alphanumeric) && !plain.chars().any(char::is_uppercase) && has_literal(pattern)
    };
    let ignore = case == Case::Insensitive || (case == Case::Smart && smart_ignores);
    let regex =
        regex::bytes::RegexBuilder::new(pattern).case_insensitive(ignore).multi_line(true).build().expect("a pattern");
    let mut matches = Vec::new();
    for (path, contents) in files {
        if contents.contains(&0) {
            continue;
        }
        let text = contents.strip_prefix(b"\xef\xbb\xbf").unwrap_or(contents);
        let lines = text.split_inclusive(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line));
        for (index, line) in lines.enumerate() {
            if regex.is_match(line) {
                matches.push((path.clone(), index as u64 + 1));
            }
        }
    }
    matches
}

/// Whether there is a letter or digit that stands for itself.
fn has_literal(pattern: &str) -> bool {
    use regex_syntax::ast::{Ast, parse::Parser};
    fn any(ast: &Ast) -> bool {
        use regex_syntax::ast::{ClassSet, ClassSetItem};
        fn item(inner: &ClassSetItem) -> bool {
            match inner {
                ClassSetItem::Literal(_) | ClassSetItem::Range(_) => true,
                ClassSetItem::Bracketed(inner) => set(&inner.kind),
                ClassSetItem::Union(union) => union.items.iter().any(item),
                _ => false,
            }
        }
        fn set(kind: &ClassSet) -> bool {
            match kind {
                ClassSet::Item(inner) => item(inner),
                ClassSet::BinaryOp(_) => true,
            }
        }
        match ast {
            Ast::Literal(_) => true,
            Ast::ClassBracketed(class) => set(&class.kind),
            Ast::Repetition(inner) => any(&inner.ast),
            Ast::Group(inner) => any(&inner.ast),
            Ast::Alternation(inner) => inner.asts.iter().any(any),
            Ast::Concat(inner) => inner.asts.iter().any(any),
            _ => false,
        }
    }
    any(&Parser::new().parse(pattern).expect("a pattern"))
}

/// Every file of the fixture's commit, in path order.
fn files(fixture: &Fixture) -> Vec<(String, Vec<u8>)> {
    let tree = fixture.git(&["ls-tree", "-r", "-z", "HEAD"]);
    let mut files = Vec::new();
    for entry in tree.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
        let (facts, path) = entry.split_at(entry.iter().position(|byte| *byte == b'\t').expect("a tab"));
        let facts = std::str::from_utf8(facts).expect("ASCII");
        if facts.starts_with("100") {
            let id = facts.rsplit(' ').next().expect("an id");
            files.push((String::from_utf8_lossy(&path[1..]).into_owned(), fixture.git(&["cat-file", "blob", id])));
        }
    }
    files
}

#[tokio::test]
async fn every_pattern_finds_what_the_oracle_finds() {
    let fixture = curious();
    fixture.write("kelvin.txt", "\u{212a}elvin\nKELVIN\nkelvin\ndi\u{17f}k\nDISK\n");
    fixture.commit("more");
    let files = files(&fixture);
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    let mut total = 0;
    for pattern in PATTERNS {
        for case in [Case::Smart, Case::Sensitive, Case::Insensitive] {
            let expected = expected(&files, pattern, case);
            total += expected.len();
            assert_eq!(found(&host, &snapshot, pattern, case, json!({})).await, expected, "{pattern:?} {case:?}");
        }
    }
    assert!(total > 1000);
}

#[tokio::test]
async fn every_pattern_finds_what_ripgrep_finds() {
    let fixture = curious();
    // ripgrep prints what stands before a late NUL; we skip the file.
    fixture.git(&["rm", "-q", "late_nul.bin"]);
    fixture.commit("without");
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    for pattern in PATTERNS {
        for (case, flag) in [(Case::Smart, "-S"), (Case::Sensitive, "-s"), (Case::Insensitive, "-i")] {
            let expected = ripgrep(fixture.path(), &[flag, "-e", pattern]);
            let ours: BTreeSet<_> = found(&host, &snapshot, pattern, case, json!({})).await.into_iter().collect();
            assert_eq!(ours, expected, "{pattern:?} {case:?}");
        }
    }
    for globs in [
        &["*.rs"][..],
        &["!*.rs"],
        &["src/**"],
        &["src/*"],
        &["/*.txt"],
        &["*.txt", "!u*"],
        &["!src"],
        &["!src/"],
        &["**/er/**"],
        &["*.{rs,sh}"],
        &["[a-m]*.txt"],
        &["src"],
        &["!*.txt", "upper.txt"],
        &["deep/er/still/file.txt"],
        &["file.txt"],
        &["UPPER*"],
        &["\\!x"],
        &["src/deep/**/file.txt"],
        &["*"],
        &["!*"],
        &["?????.txt"],
    ] {
        let flags: Vec<&str> = globs.iter().flat_map(|glob| ["-g", glob]).chain(["-e", "."]).collect();
        let expected = ripgrep(fixture.path(), &flags);
        let ours = found(&host, &snapshot, ".", Case::Smart, json!({ "globs": globs })).await;
        assert_eq!(ours.into_iter().collect::<BTreeSet<_>>(), expected, "{globs:?}");
    }
}

#[tokio::test]
async fn context_lines_are_clipped_and_marked() {
    let fixture = Fixture::empty();
    fixture.write("a.txt", "1\n2 hit\n3\n4\n5 hit\n6");
    fixture.write("b.txt", "hit\r\nnext\r\n");
    fixture.commit("x");
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    let arguments = json!({ "snapshot_id": snapshot, "queries": "hit", "context_lines": 2 });
    let page = host.call(OperationId::SearchCode, arguments).await.expect("a page");
    let window = |index: usize| {
        let item = &page["items"][index];
        let lines: Vec<_> = item["lines"]
            .as_array()
            .expect("lines")
            .iter()
            .map(|line| line["text"].as_str().expect("text").to_owned())
            .collect();
        (item["match_line"].as_u64(), item["start_line"].as_u64(), item["end_line"].as_u64(), lines.join("|"))
    };
    assert_eq!(window(0), (Some(2), Some(1), Some(4), "1|2 hit|3|4".to_owned()));
    assert_eq!(window(1), (Some(5), Some(3), Some(6), "3|4|5 hit|6".to_owned()));
    assert_eq!(window(2), (Some(1), Some(1), Some(2), "hit|next".to_owned()));
    let marks: Vec<_> =
        page["items"][1]["lines"].as_array().expect("lines").iter().map(|line| line["match"] == true).collect();
    assert_eq!(marks, [false, false, true, false]);
    assert_eq!(page["items"][0]["query"], "hit");
}

#[tokio::test]
async fn searching_in_pages_gives_the_same() {
    let fixture = curious();
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    let whole = json!({ "snapshot_id": snapshot, "queries": ["hello", "o", "e$"], "max_results": 1000, "max_bytes": 262_144, "context_lines": 1 });
    let expected = host.walk(OperationId::SearchCode, &whole, "items").await;
    assert!(expected.len() > 20);
    for (max_results, max_bytes) in [(1, 65_536), (3, 4096), (1000, 1024), (1000, 2000), (7, 1500)] {
        let mut arguments = whole.clone();
        arguments["max_results"] = max_results.into();
        arguments["max_bytes"] = max_bytes.into();
        assert_eq!(
            host.walk(OperationId::SearchCode, &arguments, "items").await,
            expected,
            "{max_results} {max_bytes}"
        );
    }
}

#[tokio::test]
async fn several_queries_give_each_line_once() {
    let fixture = Fixture::empty();
    fixture.write("a.txt", "both one two\none\ntwo\nnone of them\n");
    fixture.commit("x");
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    let arguments = json!({ "snapshot_id": snapshot, "queries": ["two", "one"], "context_lines": 0 });
    let items = host.walk(OperationId::SearchCode, &arguments, "items").await;
    let seen: Vec<_> = items.iter().map(|item| (item["match_line"].as_u64(), item["query"].as_str())).collect();
    assert_eq!(seen, [(Some(1), Some("two")), (Some(2), Some("one")), (Some(3), Some("two")), (Some(4), Some("one"))]);
}

#[tokio::test]
async fn prefixes_binaries_and_long_lines() {
    let fixture = curious();
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    let search = |more: Value| {
        let mut arguments = json!({ "snapshot_id": snapshot, "queries": "e", "context_lines": 0 });
        arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        host.call(OperationId::SearchCode, arguments)
    };
    let below = search(json!({ "path_prefix": "src/" })).await.expect("a page");
    assert!(
        below["items"]
            .as_array()
            .expect("items")
            .iter()
            .all(|item| item["path"].as_str().expect("a path").starts_with("src/"))
    );
    assert_eq!(below["skipped_binary"], 0);
    let one = search(json!({ "path_prefix": "src/main.rs" })).await.expect("a page");
    assert!(one["items"].as_array().expect("items").iter().all(|item| item["path"] == "src/main.rs"));
    assert_eq!(search(json!({ "path_prefix": "nothing" })).await.expect_err("no path").code, Code::PathNotFound);
    assert_eq!(search(json!({})).await.expect("a page")["skipped_binary"], 2);
    assert_eq!(search(json!({ "glob": "*.bin" })).await.expect("a page")["skipped_binary"], 2);
    let long = search(json!({ "queries": "needle" })).await.expect("a page");
    let line = &long["items"][0]["lines"][0];
    assert_eq!(line["true_bytes"], 6006);
    assert!(
        line["text"].as_str().expect("text").contains("needle") && line["text"].as_str().expect("text").len() < 1100
    );
    for bad in ["(", "a\\nb", "[", "a{1000}{1000}", "*"] {
        assert_eq!(search(json!({ "queries": bad })).await.expect_err(bad).code, Code::InvalidPattern, "{bad}");
    }
    assert_eq!(search(json!({ "globs": ["a{b"] })).await.expect_err("no glob").code, Code::InvalidPattern);
}

#[tokio::test]
async fn long_lines_are_searched_for_what_is_quick_and_counted_otherwise() {
    let fixture = Fixture::empty();
    let long = format!("{}needle_here{}", "x".repeat(1 << 20), "y".repeat(2000));
    fixture.write("a.txt", format!("first needle_here\n{long}\nlast needle_here\n{}", "z".repeat(1 << 20)));
    fixture.write("b.txt", format!("{}\nneedle_here\n", "w".repeat((1 << 20) - 1)));
    fixture.write("c.txt", &long);
    fixture.commit("x");
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    let find = |pattern: &'static str| {
        let snapshot = snapshot.clone();
        let host = &host;
        async move {
            let found = found_in(host, &snapshot, pattern, "smart", json!({})).await;
            let arguments = json!({ "snapshot_id": snapshot, "queries": pattern });
            let page = host.call(OperationId::SearchCode, arguments.clone()).await.expect("a page");
            let gathered = host.call(OperationId::Context, arguments).await.expect("a page");
            assert_eq!(page["skipped_long_lines"], gathered["skipped_long_lines"]);
            (found, page["skipped_long_lines"].clone())
        }
    };
    let line = |path: &str, line| (path.to_owned(), line);
    let short = vec![line("a.txt", 1), line("a.txt", 3), line("b.txt", 2)];
    let mut all = short.clone();
    all.insert(1, line("a.txt", 2));
    all.push(line("c.txt", 1));
    for plain in ["needle_here", "NEEDLE_HERE|needle_(here|there)", "[n]eedle_here"] {
        assert_eq!(find(plain).await, (all.clone(), Value::Null), "{plain}");
    }
    assert_eq!(find("needle_[a-z]+e").await, (short.clone(), json!(3)));
    assert_eq!(find(r"needle.*").await, (short, json!(3)));
    assert_eq!(find("w{8}").await.0, [line("b.txt", 1)], "a line of a mebibyte is not long");
    // A long line among the lines around a match is cut, and not searched either.
    let arguments = json!({ "snapshot_id": snapshot, "queries": "needle_[a-z]+e", "context_lines": 1 });
    let page = host.call(OperationId::SearchCode, arguments).await.expect("a page");
    let lines = &page["items"][0]["lines"];
    assert_eq!((&lines[1]["match"], &lines[1]["true_bytes"]), (&Value::Null, &json!(long.len())));
}

/// The engine says that it can't be interrupted within a line; what it may be given is bounded so that the end of the
/// context is seen soon.
#[tokio::test(flavor = "multi_thread")]
async fn an_expensive_search_ends_with_its_context() {
    use wit::operations::{HostOperations as _, OperationContext, Surface};
    let fixture = Fixture::empty();
    let mut state = 1u32;
    let mut letters = |count: usize| -> String {
        let letter = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if state >> 31 == 0 { 'a' } else { 'b' }
        };
        (0..count).map(letter).collect()
    };
    fixture.write("one-line.txt", letters(4 << 20));
    fixture.write("lines.txt", (0..64).map(|_| letters(60_000) + "\n").collect::<String>());
    fixture.commit("x");
    let host = Host::local(fixture.path());
    let arguments = json!({ "snapshot_id": host.open(None).await, "queries": ["[ab]*a[ab]{300}c"] });
    let raw = serde_json::value::RawValue::from_string(arguments.to_string()).expect("JSON");
    let token = tokio_util::sync::CancellationToken::new();
    let context = OperationContext::new(std::time::Duration::from_millis(100), token);
    let started = std::time::Instant::now();
    let outcome = host.operations.call(OperationId::SearchCode, &raw, Surface::Direct, &context).await;
    assert_eq!(outcome.expect_err("late").code, Code::DeadlineExceeded);
    assert!(started.elapsed() < std::time::Duration::from_secs(5), "{:?}", started.elapsed());
}

#[tokio::test]
async fn context_ranks_windows_and_says_why() {
    let fixture = Fixture::empty();
    fixture.write("src/retry.rs", "pub fn retry() {\n    backoff();\n}\n\n\n\n\n\n\n\n\n\n// retry again\n");
    fixture.write("src/other.rs", "// a backoff\n");
    fixture.write("tests/retry.rs", "fn test() {\n    retry();\n    backoff();\n}\n");
    fixture.write("README.md", "retry retry\n");
    fixture.commit("x");
    let host = Host::local(fixture.path());
    let snapshot = host.open(None).await;
    let arguments = json!({ "snapshot_id": snapshot, "queries": ["retry", "backoff"], "context_lines": 1 });
    let items = host.walk(OperationId::Context, &arguments, "items").await;
    let places: Vec<_> =
        items.iter().map(|item| (item["path"].as_str().expect("a path"), item["start_line"].as_u64())).collect();
    assert_eq!(places[0], ("src/retry.rs", Some(1)));
    assert_eq!(places[1], ("tests/retry.rs", Some(1)));
    assert_eq!(places.len(), 5);
    assert_eq!(items[0]["queries"], json!(["retry", "backoff"]));
    assert_eq!(items[0]["end_line"], 3);
    let reasons = items[0]["ranking_reasons"].to_string();
    assert!(
        reasons.contains("2 of 2 queries") && reasons.contains("definition") && reasons.contains("path"),
        "{reasons}"
    );
    let scores: Vec<_> = items.iter().map(|item| item["score"].as_f64().expect("a score")).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b));
    for (max_results, max_bytes) in [(1, 65_536), (2, 1024), (100, 1024)] {
        let mut paged = arguments.clone();
        paged["max_results"] = max_results.into();
        paged["max_bytes"] = max_bytes.into();
        assert_eq!(host.walk(OperationId::Context, &paged, "items").await, items);
    }
}
