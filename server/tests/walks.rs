//! A walk over all pages of any operation gives exactly the unpaged answer, for any `max_bytes` and number of items; and no
//! cursor is accepted but the very one that was issued. (`findRepositories` has its own server: see `github_rest`.)

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::sync::OnceLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use support::{Fixture, Host, curious};
use tokio::runtime::Runtime;
use wit_worker::registry::{Code, OperationId};

/// Files that `read` has most trouble with.
const READ: [&str; 9] = [
    "long.txt",
    "crlf.txt",
    "lone_cr.txt",
    "latin1.txt",
    "bom.txt",
    "no_newline.txt",
    "empty.txt",
    "walk/escapes.txt",
    "walk/mixed.txt",
];

struct World {
    runtime: Runtime,
    host: Host,
    snapshot: String,
    _fixture: Fixture,
}

fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let fixture = curious();
        fixture.write("walk/escapes.txt", "\"\\\u{1}\t\u{7f}\u{2028}\u{1f600}é".repeat(900) + "\nhello\n");
        let lines: Vec<String> = (0..300)
            .map(|line: usize| {
                format!("{line} hello {}{}", "ä€".repeat(line * 7 % 113), ["\n", "\r\n", "\r\r\n"][line % 3])
            })
            .collect();
        fixture.write("walk/mixed.txt", lines.concat() + &"no newline, and longer than any small page ".repeat(120));
        for file in 0..150 {
            fixture.write(&format!("walk/{}/{file:03}.txt", file % 7), format!("hello {file}\nworld\nhello again\n"));
        }
        fixture.commit("more");
        for name in 0..70 {
            fixture.git(&["branch", &format!("topic/{name}-{}", "x".repeat(name % 31))]);
            fixture.git(&["tag", &format!("v{name}")]);
        }
        let runtime = Runtime::new().expect("a runtime");
        let host = Host::local(fixture.path());
        let snapshot = runtime.block_on(host.open(None));
        World { runtime, host, snapshot, _fixture: fixture }
    })
}

/// The field with the items of a call.
fn field(arguments: &Value) -> &'static str {
    if arguments["format"] == "paths" { "paths" } else { "items" }
}

/// What sizes a page of an operation, and its most.
fn paging(id: OperationId) -> (&'static str, u64) {
    match id {
        OperationId::Refs | OperationId::List => ("max_items", 1000),
        OperationId::Context => ("max_results", 100),
        _ => ("max_results", 1000),
    }
}

/// Calls whose items are never cut.
fn collections(snapshot: &str) -> Vec<(OperationId, Value)> {
    let of = |rest: Value| {
        let mut arguments = json!({ "snapshot_id": snapshot });
        arguments.as_object_mut().expect("an object").extend(rest.as_object().expect("an object").clone());
        arguments
    };
    vec![
        (OperationId::Refs, json!({ "repo": "demo/repo" })),
        (OperationId::List, of(json!({ "depth": 32, "include_metadata": true }))),
        (OperationId::List, of(json!({ "depth": 2, "path": "walk", "format": "paths" }))),
        (OperationId::SearchCode, of(json!({ "queries": ["hello", "o", "e$"], "context_lines": 2 }))),
        (OperationId::SearchCode, of(json!({ "queries": ["needle"], "context_lines": 0 }))),
        (OperationId::Context, of(json!({ "queries": ["hello", "again"], "context_lines": 1 }))),
    ]
}

/// The unpaged answer: pages as large as there are.
async fn unpaged(id: OperationId, arguments: &Value) -> Vec<Value> {
    let (size, most) = paging(id);
    let mut arguments = arguments.clone();
    arguments[size] = most.into();
    arguments["max_bytes"] = 262_144.into();
    world().host.walk(id, &arguments, field(&arguments)).await
}

/// Lines of a file over all pages: a line that comes in pieces is put together.
async fn lines(arguments: &Value) -> (Vec<(u64, String)>, String) {
    let mut arguments = arguments.clone();
    let format = arguments["format"].as_str().expect("a format").to_owned();
    let (mut lines, mut text) = (Vec::<(u64, String)>::new(), String::new());
    let mut open = false;
    loop {
        let page = world().host.call(OperationId::Read, arguments.clone()).await.expect("a page");
        let budget = &page["budget"];
        assert!(budget["serialized_bytes"].as_u64() <= budget["requested_bytes"].as_u64(), "{page}");
        let first = page["start_line"].as_u64().expect("a number");
        let items: Vec<(u64, String)> = match format.as_str() {
            "text" => {
                text.push_str(page["text"].as_str().expect("text"));
                Vec::new()
            }
            "lines" => {
                let texts = page["lines"].as_array().expect("lines").iter().map(|text| text.as_str().expect("text"));
                (first..).zip(texts.map(str::to_owned)).collect()
            }
            _ => {
                let item = |item: &Value| {
                    (item["line"].as_u64().expect("a number"), item["text"].as_str().expect("text").to_owned())
                };
                page["items"].as_array().expect("items").iter().map(item).collect()
            }
        };
        let mut items = items.into_iter();
        if open && let (Some(last), Some((number, rest))) = (lines.last_mut(), items.next()) {
            assert_eq!(last.0, number, "the piece belongs to the line that was open");
            last.1.push_str(&rest);
        }
        lines.extend(items);
        open = page["partial_line"] == true;
        match page["next_cursor"].as_str() {
            Some(cursor) => arguments["cursor"] = cursor.into(),
            None => {
                assert!(!open, "a walk ends with a whole line");
                return (lines, text);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn collections_are_whole(which in 0usize..6, most in 1u64..1000, small in any::<bool>(), max_bytes in 1024u64..262_144) {
        let world = world();
        let (id, arguments) = collections(&world.snapshot).swap_remove(which);
        let (size, limit) = paging(id);
        let mut paged = arguments.clone();
        paged[size] = (if small { most % 13 + 1 } else { most }).min(limit).into();
        paged["max_bytes"] = (if small { 1024 + max_bytes % 4096 } else { max_bytes }).into();
        world.runtime.block_on(async {
            let expected = unpaged(id, &arguments).await;
            assert!(!expected.is_empty());
            assert_eq!(world.host.walk(id, &paged, field(&paged)).await, expected, "{paged}");
        });
    }

    #[test]
    fn files_are_whole(file in 0usize..9, format in 0usize..3, max_lines in 1u64..40, max_bytes in 1024u64..9000, first in 1u64..4) {
        let world = world();
        let format = ["text", "lines", "structured"][format];
        let whole = json!({
            "snapshot_id": world.snapshot, "path": READ[file], "format": format, "start_line": first, "max_bytes": 262_144,
        });
        let mut paged = whole.clone();
        paged["max_lines"] = max_lines.into();
        paged["max_bytes"] = max_bytes.into();
        world.runtime.block_on(async {
            assert_eq!(lines(&paged).await, lines(&whole).await, "{paged}");
        });
    }
}

/// A page that has a next one, for each operation that has pages.
async fn cursors() -> Vec<(OperationId, Value, String)> {
    let world = world();
    let mut calls = collections(&world.snapshot);
    calls.retain(|(_, arguments)| arguments["queries"] != json!(["needle"]));
    for format in ["text", "lines", "structured"] {
        let read = json!({ "snapshot_id": world.snapshot, "path": "walk/escapes.txt", "format": format });
        calls.push((OperationId::Read, read));
    }
    let mut found = Vec::new();
    for (id, mut arguments) in calls {
        arguments["max_bytes"] = 1024.into();
        let page = world.host.call(id, arguments.clone()).await.expect("a page");
        let cursor = page["next_cursor"].as_str().expect("a next page").to_owned();
        found.push((id, arguments, cursor));
    }
    found
}

#[test]
fn a_changed_cursor_is_none() {
    let world = world();
    let refused = |id: OperationId, arguments: &Value, cursor: String| {
        let mut arguments = arguments.clone();
        arguments["cursor"] = cursor.into();
        world.runtime.block_on(world.host.call(id, arguments)).err().map(|error| error.code)
    };
    let cursors = world.runtime.block_on(cursors());
    for (id, arguments, cursor) in &cursors {
        assert_eq!(refused(*id, arguments, cursor.clone()), None, "{arguments}");
        for index in 0..cursor.len() {
            // Every bit of every byte that leaves it a character, and another letter of the alphabet.
            let flips = (0..7).map(|bit| cursor.as_bytes()[index] ^ (1 << bit));
            for byte in flips.chain([if cursor.as_bytes()[index] == b'A' { b'B' } else { b'A' }]) {
                let mut changed = cursor.clone().into_bytes();
                changed[index] = byte;
                let changed = String::from_utf8(changed).expect("ASCII");
                assert_eq!(refused(*id, arguments, changed), Some(Code::InvalidCursor), "{index} {byte} {arguments}");
            }
        }
        for changed in [
            cursor[1..].to_owned(),
            cursor[..cursor.len() - 1].to_owned(),
            format!("{cursor}A"),
            format!("{cursor}="),
            format!(" {cursor}"),
            cursor.repeat(2),
        ] {
            assert_eq!(refused(*id, arguments, changed), Some(Code::InvalidCursor), "{arguments}");
        }
    }
    for (index, (id, arguments, _)) in cursors.iter().enumerate() {
        for (other, (.., cursor)) in cursors.iter().enumerate() {
            let expected = (index != other).then_some(Code::InvalidCursor);
            assert_eq!(refused(*id, arguments, cursor.clone()), expected, "{other} for {arguments}");
        }
    }
}
