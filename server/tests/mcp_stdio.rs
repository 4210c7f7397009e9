//! `wit mcp` on stdio: lifecycle in both protocol eras, purity of stdout, cancellation, and every way to end.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod process;

use std::io::Write as _;
use std::time::{Duration, Instant};

use process::{Client, PATIENCE, repository, wit, with_snapshots};
use serde_json::{Value, json};

/// Longest an orderly end may take: the drain, the unwinding of calls, and a slow machine.
const PROMPT: Duration = Duration::from_secs(5);

fn direct(home: &tempfile::TempDir) -> Client {
    let mapping = format!("owner/name={}", repository(home.path()).display());
    Client::initialized(wit(home.path()), &["--local", &mapping])
}

fn code(home: &tempfile::TempDir) -> Client {
    let mapping = format!("owner/name={}", repository(home.path()).display());
    Client::initialized(wit(home.path()), &["--mode", "code", "--local", &mapping])
}

/// What every request of the stateless era carries.
fn stateless_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    })
}

/// The ids of a process's children.
fn children(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|text| text.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>())
        .collect()
}

fn is_alive(pid: u32) -> bool {
    std::path::Path::new(&format!("/proc/{pid}")).exists()
}

/// Waits until the condition holds, and fails the test if it never does.
fn eventually(what: &str, condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < PATIENCE, "{what} never happened");
        std::thread::yield_now();
    }
}

#[test]
fn every_version_with_a_handshake_is_spoken() {
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
    ] {
        let home = tempfile::tempdir().unwrap();
        let mut client = Client::start(wit(home.path()), &[]);
        let answer = client.initialize(asked);
        assert_eq!(answer["result"]["protocolVersion"], answered, "{answer}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "wit");
        let list = client.request("tools/list", json!({}));
        assert_eq!(list["result"]["tools"].as_array().map(Vec::len), Some(7));
        for word in ["resultType", "ttlMs", "cacheScope"] {
            assert!(list["result"].get(word).is_none(), "{word} is a word of another era");
        }
    }
}

#[test]
fn the_stateless_era_is_spoken() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(wit(home.path()), &["--mode", "code"]);
    let discovered = client.request("server/discover", json!({"_meta": stateless_meta()}));
    let versions = discovered["result"]["supportedVersions"].as_array().expect("versions");
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-11-25")), "{discovered}");
    let list = client.request("tools/list", json!({"_meta": stateless_meta()}));
    assert_eq!(list["result"]["resultType"], "complete", "{list}");
    assert_eq!(list["result"]["cacheScope"], "public", "{list}");
    assert!(list["result"]["ttlMs"].as_u64().is_some_and(|ttl| ttl > 0), "{list}");
    let called = client.request(
        "tools/call",
        json!({"_meta": stateless_meta(), "name": "code", "arguments": {"code": "return 1 + 1"}}),
    );
    assert_eq!(called["result"]["structuredContent"]["value"], 2, "{called}");
    assert_eq!(called["result"]["resultType"], "complete", "{called}");
    let naked = client.request("tools/list", json!({}));
    assert_eq!(naked["error"]["code"], -32602, "{naked}");
}

#[test]
fn the_lists_of_tools_are_small_and_stable() {
    let home = tempfile::tempdir().unwrap();
    for (mode, most) in [("direct", 8 * 1024), ("code", 4 * 1024)] {
        let mut client = Client::initialized(wit(home.path()), &["--mode", mode]);
        client.ask("tools/list", json!({}));
        let line = client.receive_line();
        assert!(line.len() <= most, "{mode}: {} of {most} bytes", line.len());
        let list: Value = serde_json::from_str(&line).unwrap();
        let pretty = serde_json::to_string_pretty(&list["result"]).unwrap();
        with_snapshots(|| insta::assert_snapshot!(format!("mcp_tools_{mode}"), pretty));
    }
}

#[test]
fn a_repository_is_opened_listed_and_read() {
    let home = tempfile::tempdir().unwrap();
    let mut client = direct(&home);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].take();
    let snapshot = client.call("wit_open", json!({"repo": "owner/name"}))["structuredContent"]["snapshot_id"].take();
    for (tool, arguments) in [
        ("wit_open", json!({"repo": "owner/name"})),
        ("wit_list", json!({"snapshot_id": snapshot})),
        ("wit_list", json!({"snapshot_id": snapshot, "format": "paths"})),
        ("wit_search_code", json!({"snapshot_id": snapshot, "queries": ["needle"]})),
        ("wit_read", json!({"snapshot_id": snapshot, "path": "README.md"})),
        ("wit_read", json!({"snapshot_id": snapshot, "path": "README.md", "format": "text"})),
    ] {
        let result = client.call(tool, arguments);
        assert_ne!(result["isError"], true, "{tool}: {result}");
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"], "{tool}");
        let declared = tools.as_array().unwrap().iter().find(|declared| declared["name"] == tool).unwrap();
        for field in declared["outputSchema"]["required"].as_array().unwrap() {
            let field = field.as_str().unwrap();
            assert!(result["structuredContent"].get(field).is_some(), "{tool} promises {field}: {result}");
        }
    }
}

#[test]
fn failures_are_results_a_model_can_read() {
    let home = tempfile::tempdir().unwrap();
    let mut client = direct(&home);
    let mut seen = String::new();
    for (tool, arguments) in [
        ("wit_open", json!({})),
        ("wit_open", json!({"repo": "owner/name", "depth": 1})),
        ("wit_open", json!([1])),
        ("wit_open", json!("owner/name")),
        ("wit_open", json!({"repo": 5})),
        ("wit_list", json!({"snapshot_id": "nothing"})),
    ] {
        let result = client.call(tool, arguments.clone());
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"]);
        seen.push_str(&format!("{tool} {arguments}\n  {}\n", result["structuredContent"]));
    }
    with_snapshots(|| insta::assert_snapshot!("mcp_failures_direct", seen));
}

#[test]
fn the_code_tool_takes_one_string() {
    let home = tempfile::tempdir().unwrap();
    let mut client = code(&home);
    let mut seen = String::new();
    for arguments in [
        json!({}),
        json!([]),
        json!({"code": 1}),
        json!({"code": null}),
        json!({"code": "return 1", "wall_ms": 60_000}),
        json!({"code": ""}),
        json!({"code": " \n\t"}),
        json!({"code": "const a = ;"}),
        json!({"code": "throw new Error('no')"}),
        json!({"code": "return () => 1"}),
        json!({"code": "await codemode.wit.open({ repo: 'owner/absent' , ref: 5 })"}),
        json!({"code": "x".repeat(32 * 1024 + 1)}),
    ] {
        let result = client.call("code", arguments.clone());
        assert_eq!(result["isError"], true, "{arguments}: {result}");
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"]);
        let shown: String = arguments.to_string().chars().take(70).collect();
        seen.push_str(&format!("code {shown}\n  {}\n", result["structuredContent"]));
    }
    with_snapshots(|| insta::assert_snapshot!("mcp_failures_code", seen));
    let unknown = client.request("tools/call", json!({"name": "wit_open", "arguments": {"repo": "owner/name"}}));
    assert_eq!(unknown["error"]["code"], -32602, "Code Mode has one tool: {unknown}");
}

/// Numbers and the order of keys arrive as the script made them, in both forms of the result.
#[test]
fn a_value_passes_through_untouched() {
    let home = tempfile::tempdir().unwrap();
    let mut client = code(&home);
    let script = "return { b: 1, a: [1e21, 2 ** 53, 0.1, -1.5e-7], 'new\\nline': '\\u2028' }";
    client.ask("tools/call", json!({"name": "code", "arguments": {"code": script}}));
    let line = client.receive_line();
    let value = r#"{"b":1,"a":[1e+21,9007199254740992,0.1,-1.5e-7],"new\nline":""#;
    assert!(line.contains(&format!("\"value\":{value}")), "{line}");
    let message: Value = serde_json::from_str(&line).unwrap();
    assert!(message["result"]["content"][0]["text"].as_str().unwrap().starts_with(value), "{line}");
    assert!(message["result"]["structuredContent"]["usage"]["javascript_ms"].is_number(), "{line}");
    let null = client.call("code", json!({"code": "return null"}));
    assert_eq!(null["structuredContent"].get("value"), Some(&Value::Null), "null is a value: {null}");
    let printed = client.call("code", json!({"code": "console.log('shown'); return 1"}));
    assert_eq!(printed["structuredContent"]["console"]["text"].as_str().map(str::trim), Some("shown"), "{printed}");
}

#[test]
fn what_is_not_a_request_is_answered_and_survived() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::initialized(wit(home.path()), &[]);
    for (line, code) in [
        ("{", -32700),
        ("hello", -32700),
        ("[]", -32600),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600),
        ("1", -32600),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"wit_open\"}}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"tools/list\"}", -32600),
    ] {
        client.send_line(line);
        let answer = client.receive();
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
        assert!(answer.get("id").is_none(), "{line}: {answer}");
    }
    client.send_line(&"x".repeat(4 * 1024 * 1024 + 1));
    assert_eq!(client.receive()["error"]["code"], -32600);
    for (method, params, code) in [
        ("tools/call", json!({"name": "wit_write", "arguments": {}}), -32602),
        ("tools/call", json!({"arguments": {}}), -32602),
        ("tools/call", json!([]), -32602),
        ("prompts/get", json!({"name": "x"}), -32601),
        ("no/such", json!({}), -32601),
    ] {
        let answer = client.request(method, params);
        assert_eq!(answer["error"]["code"], code, "{method}: {answer}");
    }
    client.send_line("");
    client.send_line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}");
    client.expect_silence();
}

#[test]
fn resources_are_the_guide_the_types_and_files() {
    let home = tempfile::tempdir().unwrap();
    let mut client = direct(&home);
    let list = client.request("resources/list", json!({}));
    for resource in list["result"]["resources"].as_array().unwrap() {
        let read = client.request("resources/read", json!({"uri": resource["uri"]}));
        let contents = &read["result"]["contents"][0];
        assert_eq!(contents["mimeType"], resource["mimeType"]);
        assert!(contents["text"].as_str().is_some_and(|text| text.len() > 500), "{resource}");
    }
    let template = client.request("resources/templates/list", json!({}));
    assert_eq!(template["result"]["resourceTemplates"][0]["uriTemplate"], "wit://{snapshot_id}/{path}");
    let snapshot = client.call("wit_open", json!({"repo": "owner/name"}))["structuredContent"]["snapshot_id"].take();
    let snapshot = snapshot.as_str().unwrap();
    let file = client.request("resources/read", json!({"uri": format!("wit://{snapshot}/src%2Fmain.rs")}));
    assert!(file["result"]["contents"][0]["text"].as_str().unwrap().starts_with("fn main()"), "{file}");
    for uri in [format!("wit://{snapshot}/absent"), "wit://nothing/README.md".into(), "file:///etc/passwd".into()] {
        let refused = client.request("resources/read", json!({"uri": uri}));
        assert_eq!(refused["error"]["code"], -32002, "{refused}");
    }
    let completed = client.request(
        "completion/complete",
        json!({
            "ref": {"type": "ref/resource", "uri": "wit://{snapshot_id}/{path}"},
            "argument": {"name": "path", "value": "src/m"},
            "context": {"arguments": {"snapshot_id": snapshot}},
        }),
    );
    assert_eq!(completed["result"]["completion"]["values"], json!(["src/main.rs"]), "{completed}");
}

#[test]
fn a_cancelled_script_is_not_answered_and_its_worker_is_gone() {
    let home = tempfile::tempdir().unwrap();
    let mut client = code(&home);
    client.call("code", json!({"code": "return 1"}));
    let id = client.ask("tools/call", json!({"name": "code", "arguments": {"code": "while (true) {}"}}));
    let pid = client.pid();
    // A spare that is just starting is busy for a moment, too; a tenth of a second of its own time tells them apart.
    let busy = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let user_ticks =
            stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(11)?.parse::<u64>().ok());
        user_ticks.is_some_and(|ticks| ticks >= 10)
    };
    eventually("the script runs", || children(pid).into_iter().any(busy));
    let spinning: Vec<u32> = children(pid).into_iter().filter(|child| busy(*child)).collect();
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    eventually("the worker ends", || !spinning.iter().any(|child| is_alive(*child)));
    client.expect_silence();
    assert_eq!(client.call("code", json!({"code": "return 2"}))["structuredContent"]["value"], 2);
}

#[test]
fn stdin_at_its_end_ends_the_server_with_calls_in_flight() {
    let home = tempfile::tempdir().unwrap();
    let mut client = code(&home);
    client.ask("tools/call", json!({"name": "code", "arguments": {"code": "while (true) {}"}}));
    let pid = client.pid();
    eventually("a worker starts", || !children(pid).is_empty());
    let workers = children(pid);
    client.close();
    let (status, took, rest, stderr) = client.end();
    assert!(status.success() && took < PROMPT, "{status} after {took:?}");
    assert!(rest.iter().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{rest:?}");
    assert_eq!(stderr, "");
    eventually("the workers end", || !workers.iter().any(|worker| is_alive(*worker)));
}

/// A request piped in with nothing after it is answered.
#[test]
fn what_was_asked_before_the_end_is_answered() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(wit(home.path()), &[]);
    client.initialize("2025-11-25");
    let id = client.ask("tools/call", json!({"name": "wit_open", "arguments": {}}));
    client.close();
    let (status, _, rest, _) = client.end();
    assert!(status.success());
    assert!(rest.iter().any(|line| line.contains(&format!("\"id\":{id}"))), "{rest:?}");
}

#[test]
fn a_server_nobody_spoke_to_ends_well() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(wit(home.path()), &["--mode", "code"]);
    client.close();
    let (status, took, rest, stderr) = client.end();
    assert!(status.success() && took < PROMPT && rest.is_empty() && stderr.is_empty(), "{status} {rest:?} {stderr}");
}

#[test]
fn a_signal_ends_the_server_in_order() {
    let home = tempfile::tempdir().unwrap();
    let mut client = code(&home);
    client.ask("tools/call", json!({"name": "code", "arguments": {"code": "while (true) {}"}}));
    let pid = client.pid();
    eventually("a worker starts", || !children(pid).is_empty());
    let workers = children(pid);
    let killed = std::process::Command::new("kill").arg("-TERM").arg(pid.to_string()).status().unwrap();
    assert!(killed.success());
    let (status, took, _, _) = client.end();
    assert!(status.success() && took < PROMPT, "{status} after {took:?}");
    eventually("the workers end", || !workers.iter().any(|worker| is_alive(*worker)));
}

/// Answers nobody reads fill the pipe; the end of stdin must still be heard.
#[test]
fn a_client_that_reads_nothing_cannot_keep_the_server() {
    let home = tempfile::tempdir().unwrap();
    let mut child = wit(home.path())
        .arg("mcp")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("wit starts");
    let mut stdin = child.stdin.take().unwrap();
    let opening =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": opening})).unwrap();
    for id in 1..200 {
        writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"})).unwrap();
    }
    drop(stdin);
    let started = Instant::now();
    assert!(child.wait().unwrap().success());
    assert!(started.elapsed() < PROMPT, "{:?}", started.elapsed());
}

/// A client that has closed the stream it reads has gone.
#[test]
fn a_client_that_closes_stdout_ends_the_server() {
    let home = tempfile::tempdir().unwrap();
    let mut child = wit(home.path())
        .arg("mcp")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("wit starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "id": 0, "method": "ping"})).unwrap();
    assert!(child.wait().unwrap().success());
}
