//! The server over an in-memory connection, with hosts that behave as no real one should.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use wit_worker::registry::OperationId;

use super::*;
use crate::operations::{OperationContext, OperationFuture, Surface};

/// What the host does with a call, chosen by the call's `repo`.
struct Host {
    hangs: Arc<Notify>,
    dropped: Arc<AtomicBool>,
}

impl transport::HangUp for ReadHalf<DuplexStream> {
    fn has_hung_up(&self) -> bool {
        false
    }
}

/// Tells that it was dropped.
struct Guard(Arc<AtomicBool>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl HostOperations for Host {
    fn call<'a>(
        &'a self,
        _: OperationId,
        arguments: &'a RawValue,
        _: Surface,
        context: &'a OperationContext,
    ) -> OperationFuture<'a> {
        Box::pin(async move {
            let arguments: Value = serde_json::from_str(arguments.get()).unwrap_or_default();
            match arguments["repo"].as_str() {
                Some("panics") => panic!("deliberate: canary"),
                Some("hangs") => {
                    let _guard = Guard(Arc::clone(&self.dropped));
                    self.hangs.notify_one();
                    std::future::pending::<()>().await;
                }
                Some("reports") => {
                    for done in 0..3 {
                        context.report("counting", done, Some(3));
                        tokio::time::sleep(Duration::from_millis(150)).await;
                    }
                    context.report("counting", 3, Some(3));
                }
                _ => {}
            }
            Ok(RawValue::from_string("{\"done\":true}".to_owned()).unwrap_or_else(|e| panic!("{e}")))
        })
    }
}

struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    hangs: Arc<Notify>,
    dropped: Arc<AtomicBool>,
}

impl Client {
    /// A server with one slot, and a client that has shaken hands with it.
    async fn connect(operation_time: Duration) -> Self {
        let (hangs, dropped) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
        let server = Server::new(ServerOptions {
            operations: Arc::new(Host { hangs: Arc::clone(&hangs), dropped: Arc::clone(&dropped) }),
            codemode: None,
            operation_time,
            host_operations: 1,
        });
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(theirs);
        tokio::spawn(serve(server, reader, writer, CancellationToken::new()));
        let (reader, writer) = tokio::io::split(ours);
        let mut client = Self { lines: BufReader::new(reader).lines(), writer, hangs, dropped };
        let opening =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
        client.send(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": opening})).await;
        client.receive().await;
        client
    }

    async fn send(&mut self, message: Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap_or_else(|e| panic!("{e}"));
    }

    async fn open(&mut self, id: u64, repo: &str, meta: Value) {
        let params = json!({"name": "wit_open", "arguments": {"repo": repo}, "_meta": meta});
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
    }

    async fn receive(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(20), self.lines.next_line()).await;
        let line = line.ok().and_then(Result::ok).flatten().unwrap_or_else(|| panic!("no answer"));
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("not a frame: {line}"))
    }
}

#[tokio::test]
async fn a_panic_fails_its_request_and_no_other() {
    let mut client = Client::connect(Duration::from_secs(60)).await;
    client.open(1, "panics", json!({})).await;
    let failed = client.receive().await;
    assert_eq!(failed["result"]["structuredContent"]["code"], "operation_failed", "{failed}");
    assert!(!failed.to_string().contains("canary"), "{failed}");
    client.open(2, "works", json!({})).await;
    assert_eq!(client.receive().await["result"]["structuredContent"], json!({"done": true}));
}

#[tokio::test]
async fn a_cancelled_call_is_dropped_and_not_answered() {
    let mut client = Client::connect(Duration::from_secs(60)).await;
    client.open(1, "hangs", json!({})).await;
    client.hangs.notified().await;
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})).await;
    // The one slot is free again, or this would wait for it; and nothing was sent before its answer.
    client.open(2, "works", json!({})).await;
    let answer = client.receive().await;
    assert_eq!((&answer["id"], &answer["result"]["structuredContent"]), (&json!(2), &json!({"done": true})));
    assert!(client.dropped.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_host_that_hangs_meets_the_deadline_and_who_waited_for_it_is_told() {
    let mut client = Client::connect(Duration::from_millis(100)).await;
    client.open(1, "hangs", json!({})).await;
    client.open(2, "works", json!({})).await;
    let mut codes: Vec<String> = Vec::new();
    for _ in 0..2 {
        let answer = client.receive().await;
        codes.push(format!("{} {}", answer["id"], answer["result"]["structuredContent"]));
    }
    codes.sort();
    assert!(codes[0].starts_with("1 ") && codes[0].contains("deadline_exceeded"), "{codes:?}");
    // It waits for half of its own time, and the first holds the slot for all of the same.
    assert!(codes[1].contains("server_host_operations_limit"), "{codes:?}");
    assert!(client.dropped.load(Ordering::SeqCst));
}

#[tokio::test]
async fn progress_is_told_while_the_call_runs_and_never_after() {
    let mut client = Client::connect(Duration::from_secs(60)).await;
    client.open(1, "reports", json!({"progressToken": "t"})).await;
    let mut last = 0.0;
    loop {
        let message = client.receive().await;
        if message["id"] == 1 {
            assert_eq!(message["result"]["structuredContent"], json!({"done": true}));
            break;
        }
        assert_eq!(message["method"], "notifications/progress", "{message}");
        assert_eq!(message["params"]["progressToken"], "t");
        assert!(message["params"]["message"].as_str().is_some_and(|words| words.starts_with("counting")));
        let progress = message["params"]["progress"].as_f64().unwrap_or_default();
        assert!(progress > last, "{message}");
        last = progress;
    }
    assert!(last >= 2.0, "the host reported for long enough to be heard twice");
    client.open(2, "works", json!({})).await;
    assert_eq!(client.receive().await["id"], 2, "nothing follows the answer");
    client.open(3, "reports", json!({})).await;
    assert_eq!(client.receive().await["id"], 3, "nobody asked");
}

#[tokio::test]
async fn resources_and_completions_wait_for_the_slot_that_tools_wait_for() {
    let mut client = Client::connect(Duration::from_millis(400)).await;
    client.open(1, "hangs", json!({})).await;
    client.hangs.notified().await;
    let uri = "wit://abcdefghijklmnopqrstuvwxyz234567/a.txt";
    client.send(json!({"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {"uri": uri}})).await;
    client.send(json!({"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": {"uri": "wit://guide"}})).await;
    // What needs no operation needs no slot.
    let guide = client.receive().await;
    assert!(guide["id"] == 3 && guide["result"].is_object(), "{guide}");
    let refused = client.receive().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["data"]["code"]),
        (&json!(2), &json!("server_host_operations_limit"))
    );
}

/// Requests that are not answered are bounded as answers that are not read are: both lie in our memory.
#[tokio::test]
async fn a_client_with_too_many_calls_outstanding_is_not_read_until_one_ends() {
    let mut client = Client::connect(Duration::from_secs(60)).await;
    for id in 1..=transport::MAX_PENDING as u64 {
        client.open(id, "hangs", json!({})).await;
    }
    client.hangs.notified().await;
    let ping = |id: u64| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    client.send(ping(1000)).await;
    let unread = tokio::time::timeout(Duration::from_millis(300), client.lines.next_line()).await;
    assert!(unread.is_err(), "{unread:?}");
}

/// A call that was cancelled is never answered, and must not be counted for good.
#[tokio::test]
async fn cancelled_calls_are_outstanding_no_more() {
    let mut client = Client::connect(Duration::from_secs(60)).await;
    for id in 1..=3 * transport::MAX_PENDING as u64 {
        client.open(id, "hangs", json!({})).await;
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})).await;
    }
    client.open(1000, "works", json!({})).await;
    assert_eq!(client.receive().await["id"], 1000);
}
