//! The stdio transport: one JSON message a line, read under a bound, written whole and flushed once.
//!
//! Two shortcuts past `rmcp`'s types keep values exact and a request cheap. A tool call's arguments are kept as the
//! raw JSON the client sent ([`RawArguments`]), so that the operation judges what was really sent; and a result we
//! hold as JSON is written as it is ([`RawResult`]) instead of being parsed into a tree that would sort its keys and
//! round its numbers. Both travel inside `rmcp`'s messages, so lifecycle, cancellation and both protocol eras stay
//! its business.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientJsonRpcMessage, ClientRequest, ContentBlock,
    ErrorCode, ErrorData, Extensions, GetExtensions as _, JsonObject, JsonRpcMessage, MetaObject, RequestId,
    RequestMetaObject, ResultType, ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::Transport;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{Mutex, watch};
use tokio_util::sync::CancellationToken;

/// Longest accepted message. The largest legal arguments, every byte escaped as `\u0000`, stay below it.
const MAX_LINE_BYTES: usize = 4 * 1024 * 1024;
/// Most requests that are not answered yet and lines that wait to be written, together. With so many, nothing more is
/// read: a client that asks without listening must not fill our memory with its requests or our answers. A client that
/// has so many calls outstanding is not heard cancelling one before another has ended, in its own time at the latest.
pub(super) const MAX_PENDING: usize = 64;

/// An input whose other end can be seen to have gone while unread bytes still stand before its end.
pub(super) trait HangUp {
    /// Whether nobody can write to it any more. `false` where that cannot be told.
    fn has_hung_up(&self) -> bool;
}

/// The arguments of a tool call as the client sent them; absent when it sent none.
#[derive(Debug, Clone)]
pub(super) struct RawArguments(pub(super) Option<Box<RawValue>>);

/// A tool result that is JSON already.
pub(super) struct RawResult {
    /// The structured content: an object.
    pub(super) structured: String,
    /// The text content, where it is not the structured content's own JSON.
    pub(super) text: Option<String>,
    /// Whether it is a failure.
    pub(super) is_error: bool,
}

/// The one key of the object that carries [`RawResult::structured`] through `rmcp`'s types. No result of ours holds
/// such a key, since our objects are never parsed into one.
const CARRIER: &str = "\u{0}raw";

impl From<RawResult> for CallToolResult {
    fn from(raw: RawResult) -> Self {
        let content = raw.text.map(ContentBlock::text).into_iter().collect();
        let mut result = if raw.is_error { Self::error(content) } else { Self::success(content) };
        result.structured_content = Some(serde_json::json!({ CARRIER: raw.structured }));
        result
    }
}

/// Reads requests from `R` and writes responses to `W`.
pub(super) struct StdioTransport<R, W> {
    reader: BufReader<R>,
    line: Vec<u8>,
    /// Inside a line that was refused for its length, until its newline.
    discarding: bool,
    writer: Arc<Mutex<W>>,
    /// How many requests are being answered, and lines wait to be written.
    pending: Arc<watch::Sender<usize>>,
    /// Cancelled when either stream has ended.
    closed: CancellationToken,
}

impl<R: AsyncRead + HangUp + Unpin, W> StdioTransport<R, W> {
    pub(super) fn new(reader: R, writer: W, closed: CancellationToken) -> Self {
        Self {
            reader: BufReader::with_capacity(64 * 1024, reader),
            line: Vec::new(),
            discarding: false,
            writer: Arc::new(Mutex::new(writer)),
            pending: Arc::new(watch::Sender::new(0)),
            closed,
        }
    }

    /// Counts a request for as long as its extensions live: until its handler has ended, answered or not.
    fn counted(&self, mut message: ClientJsonRpcMessage) -> ClientJsonRpcMessage {
        if let JsonRpcMessage::Request(request) = &mut message {
            request.request.extensions_mut().insert(Arc::new(Pending::new(&self.pending)));
        }
        message
    }

    /// Waits until there is room for one more request or line; `false` when the client has hung up instead.
    ///
    /// As nothing is read meanwhile, the end of the input would go unheard, so it is looked for. A client that is still
    /// reading gets as long for each line as it would after the end of its input.
    async fn room(&self) -> bool {
        let mut pending = self.pending.subscribe();
        loop {
            let room = pending.wait_for(|pending| *pending < MAX_PENDING);
            match tokio::time::timeout(super::DRAIN, room).await {
                Ok(_) => return true,
                Err(_) if self.reader.get_ref().has_hung_up() => return false,
                Err(_) => {}
            }
        }
    }

    /// Reads up to the next newline. Safe to drop and call again: what was read is kept.
    async fn next_line(&mut self) -> io::Result<Line> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(Line::End);
            }
            let newline = memchr::memchr(b'\n', available);
            let part = newline.unwrap_or(available.len());
            let keep = !self.discarding && self.line.len() + part <= MAX_LINE_BYTES;
            if keep {
                self.line.extend_from_slice(&available[..part]);
            }
            self.reader.consume(newline.map_or(part, |at| at + 1));
            if !keep {
                self.line = Vec::new();
                self.discarding = true;
            }
            if newline.is_some() {
                return Ok(if std::mem::take(&mut self.discarding) { Line::TooLong } else { Line::Whole });
            }
        }
    }
}

/// How a line ended.
enum Line {
    /// It is in the buffer.
    Whole,
    /// It was longer than allowed and is gone.
    TooLong,
    /// There are no more.
    End,
}

impl<R, W> Transport<RoleServer> for StdioTransport<R, W>
where
    R: AsyncRead + HangUp + Send + Sync + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let line = encode(message);
        let (writer, closed) = (Arc::clone(&self.writer), self.closed.clone());
        let pending = Pending::new(&self.pending);
        async move {
            let _pending = pending;
            write(&writer, &closed, &line?).await
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let closed = self.closed.clone();
        loop {
            let room = tokio::select! {
                biased;
                () = closed.cancelled() => return None,
                room = self.room() => room,
            };
            if !room {
                self.closed.cancel();
                return None;
            }
            let line = tokio::select! {
                biased;
                () = closed.cancelled() => return None,
                line = self.next_line() => line,
            };
            let (refusal, id) = match line {
                Ok(Line::Whole) => {
                    let parsed = decode(self.line.trim_ascii());
                    self.line.clear();
                    match parsed {
                        Ok(Some(message)) => return Some(self.counted(message)),
                        Ok(None) => continue,
                        Err(refusal) => refusal,
                    }
                }
                Ok(Line::TooLong) => (
                    ErrorData::invalid_request(format!("the message is longer than {MAX_LINE_BYTES} bytes"), None),
                    None,
                ),
                Ok(Line::End) | Err(_) => {
                    self.closed.cancel();
                    return None;
                }
            };
            // Spawned: a client that reads nothing must not keep us from hearing it hang up.
            let (writer, closed) = (Arc::clone(&self.writer), self.closed.clone());
            let pending = Pending::new(&self.pending);
            tokio::spawn(async move {
                let _pending = pending;
                if let Ok(line) = encode(JsonRpcMessage::error(refusal, id)) {
                    let _ = write(&writer, &closed, &line).await;
                }
            });
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.closed.cancel();
        Ok(())
    }
}

/// A request that is being answered or a line that waits to be written, counted while it lives.
struct Pending(Arc<watch::Sender<usize>>);

impl Pending {
    fn new(count: &Arc<watch::Sender<usize>>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(Arc::clone(count))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// Writes one line. A stream that fails is at its end, and so is the connection.
async fn write<W: AsyncWrite + Unpin>(writer: &Mutex<W>, closed: &CancellationToken, line: &[u8]) -> io::Result<()> {
    let mut writer = writer.lock().await;
    let written = async {
        writer.write_all(line).await?;
        writer.flush().await
    };
    written.await.inspect_err(|_| closed.cancel())
}

/// Reads one message; `None` for what is not worth an answer: an empty line, a notification we do not know.
fn decode(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.is_empty() {
        return Ok(None);
    }
    if let Some(call) = decode_call(line) {
        return Ok(Some(call));
    }
    match serde_json::from_slice(line) {
        Ok(message) => Ok(Some(message)),
        Err(error) if error.is_data() => refuse(line),
        Err(_) => Err((ErrorData::new(ErrorCode::PARSE_ERROR, "the message is not JSON", None), None)),
    }
}

/// Why a message is refused, and the id to answer with where one could be read.
type Refusal = (ErrorData, Option<RequestId>);

/// Judges JSON that is no message `rmcp` knows. A notification is never answered.
fn refuse(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
    let not_a_request = || (ErrorData::invalid_request("the message is not a JSON-RPC request", None), None);
    let fields: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_slice(line).map_err(|_| not_a_request())?;
    let is = |name: &str, value: &str| fields.get(name).is_some_and(|raw| raw.get() == value);
    let has_method = fields.get("method").is_some_and(|raw| raw.get().starts_with('"'));
    if !has_method || !is("jsonrpc", "\"2.0\"") {
        return Err(not_a_request());
    }
    match fields.get("id").map(|raw| serde_json::from_str::<RequestId>(raw.get())) {
        None => Ok(None),
        Some(Err(_)) => Err(not_a_request()),
        Some(Ok(id)) => {
            Err((ErrorData::invalid_params("the parameters are not what this method takes", None), Some(id)))
        }
    }
}

/// A message of JSON-RPC, its parameters unread.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    id: Option<RequestId>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// The parameters of `tools/call`, its arguments unread.
#[derive(Deserialize)]
struct CallParams<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(rename = "_meta")]
    meta: Option<JsonObject>,
}

/// Reads a well-formed `tools/call`; anything else is left to `rmcp`.
fn decode_call(line: &[u8]) -> Option<ClientJsonRpcMessage> {
    // A struct would accept an array of its fields, too.
    let object = |text: &str| text.trim_start().starts_with('{');
    let head: Head<'_> = serde_json::from_slice(line).ok().filter(|_| line.starts_with(b"{"))?;
    if head.jsonrpc != "2.0" || head.method != "tools/call" {
        return None;
    }
    let id = head.id?;
    let params: CallParams<'_> =
        head.params.filter(|p| object(p.get())).and_then(|p| serde_json::from_str(p.get()).ok())?;
    let mut extensions = Extensions::new();
    extensions.insert(RawArguments(params.arguments.map(ToOwned::to_owned)));
    if let Some(meta) = params.meta {
        extensions.insert(RequestMetaObject::from(MetaObject(meta)));
    }
    let mut request = CallToolRequest::new(CallToolRequestParams::new(params.name.into_owned()));
    request.extensions = extensions;
    Some(JsonRpcMessage::request(ClientRequest::CallToolRequest(request), id))
}

/// One message as a line.
fn encode(message: ServerJsonRpcMessage) -> io::Result<Vec<u8>> {
    let mut line = match raw_result(&message) {
        Some((id, result, structured)) => encode_raw(id, result, structured)?,
        None => serde_json::to_vec(&message)?,
    };
    // Raw JSON may hold line breaks between its tokens, a hostile worker's on purpose: each would end the message
    // early and let the rest pass for another one (I11). Within a string JSON allows none, so a blank is the same.
    for at in memchr::memchr2_iter(b'\n', b'\r', &line.clone()) {
        line[at] = b' ';
    }
    line.push(b'\n');
    Ok(line)
}

/// The pieces of a response that carries a [`RawResult`].
fn raw_result(message: &ServerJsonRpcMessage) -> Option<(&RequestId, &CallToolResult, &str)> {
    let JsonRpcMessage::Response(response) = message else { return None };
    let ServerResult::CallToolResult(result) = &response.result else { return None };
    let structured = result.structured_content.as_ref()?.get(CARRIER)?.as_str()?;
    Some((&response.id, result, structured))
}

fn encode_raw(id: &RequestId, result: &CallToolResult, structured: &str) -> io::Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Response<'a> {
        jsonrpc: &'static str,
        id: &'a RequestId,
        result: Body<'a>,
    }
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Body<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        result_type: Option<&'a ResultType>,
        content: [Text<'a>; 1],
        structured_content: &'a RawValue,
        #[serde(skip_serializing_if = "Option::is_none")]
        is_error: Option<bool>,
    }
    #[derive(Serialize)]
    struct Text<'a> {
        r#type: &'static str,
        text: &'a str,
    }
    let text = result.content.first().and_then(ContentBlock::as_text).map_or(structured, |text| text.text.as_str());
    let response = Response {
        jsonrpc: "2.0",
        id,
        result: Body {
            result_type: result.result_type.as_ref(),
            content: [Text { r#type: "text", text }],
            // Checks the JSON without building anything.
            structured_content: serde_json::from_str(structured)?,
            is_error: result.is_error,
        },
    };
    let mut line = Vec::with_capacity(structured.len() + text.len() + text.len() / 4 + 256);
    serde_json::to_writer(&mut line, &response)?;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(structured: &str, text: Option<&str>, is_error: bool) -> String {
        let raw = RawResult { structured: structured.to_owned(), text: text.map(ToOwned::to_owned), is_error };
        let result = ServerResult::CallToolResult(raw.into());
        let line = encode(JsonRpcMessage::response(result, RequestId::Number(7))).unwrap_or_else(|e| panic!("{e}"));
        String::from_utf8(line).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn a_result_is_written_as_it_is() {
        let line = encoded(r#"{"b":1e400,"a":[0.10]}"#, None, false);
        assert!(line.contains(r#""structuredContent":{"b":1e400,"a":[0.10]}"#), "{line}");
        assert!(line.contains(r#""text":"{\"b\":1e400,\"a\":[0.10]}""#), "{line}");
        let failed = encoded(r#"{"code":"x"}"#, None, true);
        assert!(failed.contains(r#""isError":true"#), "{failed}");
        assert!(encoded(r#"{"value":5}"#, Some("5"), false).contains(r#""text":"5""#));
    }

    /// Blank space between tokens is all a worker can put a line break into, and it must not end our line.
    #[test]
    fn a_line_break_in_raw_json_stays_inside_its_message() {
        let line = encoded("{\"value\":\n{\"jsonrpc\":\r\n\"2.0\"}}", Some("{\n}"), false);
        assert_eq!(line.matches(['\n', '\r']).count(), 1, "{line}");
        assert!(line.ends_with('\n'));
        assert!(serde_json::from_str::<serde_json::Value>(&line).is_ok(), "{line}");
    }

    /// An input whose writer has gone, with all it wrote still unread.
    struct Left(&'static [u8]);

    impl HangUp for Left {
        fn has_hung_up(&self) -> bool {
            true
        }
    }

    impl AsyncRead for Left {
        fn poll_read(
            mut self: std::pin::Pin<&mut Self>,
            cx: &mut std::task::Context<'_>,
            buf: &mut tokio::io::ReadBuf<'_>,
        ) -> std::task::Poll<io::Result<()>> {
            std::pin::Pin::new(&mut self.0).poll_read(cx, buf)
        }
    }

    /// Enough refused lines to go far beyond what may wait.
    fn refused_lines() -> Left {
        Left(b"{}\n".repeat(100 * MAX_PENDING).leak())
    }

    #[tokio::test]
    async fn a_client_that_reads_nothing_fills_no_memory_and_is_heard_hanging_up() {
        let (writer, _unread) = tokio::io::duplex(16);
        let closed = CancellationToken::new();
        let mut transport = StdioTransport::new(refused_lines(), writer, closed.clone());
        assert!(transport.receive().await.is_none());
        assert!(closed.is_cancelled());
        assert_eq!(*transport.pending.borrow(), MAX_PENDING);
    }

    #[tokio::test]
    async fn a_client_that_reads_gets_every_answer() {
        let (writer, answers) = tokio::io::duplex(16);
        let mut transport = StdioTransport::new(refused_lines(), writer, CancellationToken::new());
        let answers = tokio::spawn(async move {
            let mut lines = BufReader::new(answers).lines();
            for _ in 0..100 * MAX_PENDING {
                assert!(lines.next_line().await.is_ok_and(|line| line.is_some()));
            }
        });
        assert!(transport.receive().await.is_none());
        assert!(answers.await.is_ok());
    }

    #[test]
    fn raw_json_that_is_not_json_is_not_written() {
        let raw = RawResult { structured: "{\"value\":}".to_owned(), text: None, is_error: false };
        let result = ServerResult::CallToolResult(raw.into());
        assert!(encode(JsonRpcMessage::response(result, RequestId::Number(7))).is_err());
    }

    #[test]
    fn a_call_keeps_its_arguments_raw() {
        let line = br#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"wit_read","arguments":{"max_bytes":1e999,"a":1,"a":2},"_meta":{"progressToken":3}}}"#;
        let Some(JsonRpcMessage::Request(request)) = decode_call(line) else { panic!("not a call") };
        let ClientRequest::CallToolRequest(call) = request.request else { panic!("not a call") };
        let raw = call.extensions.get::<RawArguments>().and_then(|raw| raw.0.as_deref()).map(RawValue::get);
        assert_eq!(raw, Some(r#"{"max_bytes":1e999,"a":1,"a":2}"#));
        let meta = call.extensions.get::<RequestMetaObject>();
        assert!(meta.is_some_and(|meta| meta.get_progress_token().is_some()));
    }

    #[test]
    fn what_is_no_call_is_left_to_the_library() {
        for line in [
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"x"}}"#,
            r#"["2.0",1,"tools/call",{"name":"x"}]"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["x"]}"#,
        ] {
            assert!(decode_call(line.as_bytes()).is_none(), "{line}");
        }
    }
}
