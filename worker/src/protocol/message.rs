//! The six messages, their strict reading and their writing.

use std::num::{NonZeroU32, NonZeroU64};

use serde::Serialize;
use serde_json::value::RawValue;

use super::VERSION;
use super::frame::{self, FrameError};
use super::strict::{Fields, ProtocolViolation};
use crate::registry::{Code, Limits, Reason};

/// Longest message text in an error that crosses, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 4 * 1024;

/// Names one invocation: random, so that a frame of another is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct InvocationId(pub NonZeroU64);

/// Numbers the host calls of one invocation: 1, 2, 3… in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct CallId(pub NonZeroU32);

impl CallId {
    /// The call with this number, when it is one a call can have.
    #[must_use]
    pub fn new(number: u64) -> Option<Self> {
        u32::try_from(number).ok().and_then(NonZeroU32::new).map(Self)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

/// worker → parent, once, after lockdown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ready {
    /// Sandbox layers achieved, by name.
    pub layers: Vec<String>,
}

/// parent → worker: run one script. The source follows as the very next frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Execute {
    /// The invocation all later frames name.
    pub invocation: InvocationId,
    /// Exact length of the source frame.
    pub source_bytes: u64,
    /// The worker's share of the limits.
    pub limits: Limits,
}

/// worker → parent: call an operation.
#[derive(Debug, Clone)]
pub struct HostCall {
    /// The invocation.
    pub invocation: InvocationId,
    /// The call's number.
    pub call: CallId,
    /// The operation's tool name, as the worker sent it.
    pub operation: String,
    /// The arguments, strict JSON of any type; the parent judges them.
    pub arguments: Box<RawValue>,
}

/// An operation's failure, as it crosses to the worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostError {
    /// The stable code.
    pub code: Code,
    /// The operation's tool name.
    pub operation: String,
    /// The stable, redacted message.
    pub message: String,
}

/// parent → worker: the answer to one call.
#[derive(Debug, Clone)]
pub struct HostResult {
    /// The invocation.
    pub invocation: InvocationId,
    /// The call answered.
    pub call: CallId,
    /// The value, serialized once by the parent, or the failure.
    pub outcome: Result<Box<RawValue>, HostError>,
}

/// A script's failure, as the worker reports it. The parent judges whether it may be believed (I6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScriptError {
    /// The code claimed.
    pub code: Code,
    /// How, for `code_rejected`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The operation, for an escaped host error or an unknown method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Text about the script's own failure: an exception's message, the path of a value. At most
    /// [`MAX_MESSAGE_BYTES`].
    pub message: String,
    /// 1-based line in the user's source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// 1-based column in the user's source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// What was measured, for a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<u64>,
    /// The limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// What the script printed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Console {
    /// One line a call.
    pub text: String,
    /// Whether output beyond the limit was dropped.
    pub truncated: bool,
}

/// What the worker measured of itself. The parent reports it, and decides nothing by it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Microseconds JavaScript ran.
    pub javascript_us: u64,
    /// Greatest size of the heap, in bytes.
    pub peak_heap_bytes: u64,
}

/// worker → parent, the last frame.
#[derive(Debug, Clone)]
pub struct ScriptResult {
    /// The invocation.
    pub invocation: InvocationId,
    /// The value, serialized once by the worker, or the failure.
    pub outcome: Result<Box<RawValue>, ScriptError>,
    /// What the script printed.
    pub console: Console,
    /// What the worker measured.
    pub usage: Usage,
}

/// Anything the parent may receive.
#[derive(Debug, Clone)]
pub enum FromWorker {
    /// See [`Ready`].
    Ready(Ready),
    /// See [`HostCall`].
    HostCall(HostCall),
    /// See [`ScriptResult`].
    Result(Box<ScriptResult>),
}

/// Anything the worker may receive, save for the source.
#[derive(Debug, Clone)]
pub enum ToWorker {
    /// See [`Execute`].
    Execute(Execute),
    /// See [`HostResult`].
    HostResult(HostResult),
}

macro_rules! serialize_as_str {
    ($($name:ty),*) => { $(
        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    )* };
}
serialize_as_str!(Code, Reason);

impl FromWorker {
    /// Reads a frame's body.
    ///
    /// # Errors
    /// Whatever the protocol does not allow.
    pub fn parse(body: &[u8]) -> Result<Self, ProtocolViolation> {
        let mut fields = Fields::parse(body)?;
        let message = match &*fields.string("type")? {
            "ready" => {
                version(&mut fields)?;
                Self::Ready(Ready { layers: layers(&mut fields)? })
            }
            "host_call" => Self::HostCall(HostCall {
                invocation: invocation(&mut fields)?,
                call: call(&mut fields)?,
                operation: fields.string("operation")?.into_owned(),
                arguments: fields.value("arguments")?,
            }),
            "result" => Self::Result(Box::new(ScriptResult {
                invocation: invocation(&mut fields)?,
                outcome: outcome(&mut fields, script_error)?,
                console: console(&mut fields)?,
                usage: usage(&mut fields)?,
            })),
            _ => return Err(ProtocolViolation::UnexpectedType),
        };
        fields.finish()?;
        Ok(message)
    }

    /// Appends the message as a frame.
    ///
    /// # Errors
    /// When it is larger than a frame may be.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), FrameError> {
        match self {
            Self::Ready(ready) => {
                write(out, &Wire { version: Some(VERSION), layers: Some(&ready.layers), ..Wire::of("ready") })
            }
            Self::HostCall(call) => write(
                out,
                &Wire {
                    invocation: Some(call.invocation),
                    call: Some(call.call),
                    operation: Some(&call.operation),
                    arguments: Some(&call.arguments),
                    ..Wire::of("host_call")
                },
            ),
            Self::Result(result) => write(
                out,
                &Wire {
                    invocation: Some(result.invocation),
                    ok: Some(result.outcome.is_ok()),
                    value_present: Some(result.outcome.is_ok()),
                    value: result.outcome.as_deref().ok(),
                    script_error: result.outcome.as_ref().err(),
                    console: Some(&result.console),
                    usage: Some(&result.usage),
                    ..Wire::of("result")
                },
            ),
        }
    }
}

impl ToWorker {
    /// Reads a frame's body.
    ///
    /// # Errors
    /// Whatever the protocol does not allow.
    pub fn parse(body: &[u8]) -> Result<Self, ProtocolViolation> {
        let mut fields = Fields::parse(body)?;
        let message = match &*fields.string("type")? {
            "execute" => {
                version(&mut fields)?;
                Self::Execute(Execute {
                    invocation: invocation(&mut fields)?,
                    source_bytes: fields.integer("source_bytes")?,
                    limits: limits(&mut fields)?,
                })
            }
            "host_result" => Self::HostResult(HostResult {
                invocation: invocation(&mut fields)?,
                call: call(&mut fields)?,
                outcome: outcome(&mut fields, host_error)?,
            }),
            _ => return Err(ProtocolViolation::UnexpectedType),
        };
        fields.finish()?;
        Ok(message)
    }

    /// Appends the message as a frame.
    ///
    /// # Errors
    /// When it is larger than a frame may be.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), FrameError> {
        match self {
            Self::Execute(execute) => write(
                out,
                &Wire {
                    version: Some(VERSION),
                    invocation: Some(execute.invocation),
                    source_bytes: Some(execute.source_bytes),
                    limits: Some(&execute.limits),
                    ..Wire::of("execute")
                },
            ),
            Self::HostResult(result) => write(
                out,
                &Wire {
                    invocation: Some(result.invocation),
                    call: Some(result.call),
                    ok: Some(result.outcome.is_ok()),
                    value_present: Some(result.outcome.is_ok()),
                    value: result.outcome.as_deref().ok(),
                    host_error: result.outcome.as_ref().err(),
                    ..Wire::of("host_result")
                },
            ),
        }
    }
}

/// Every field any message has, in the order they are written.
#[derive(Serialize)]
struct Wire<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    layers: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    invocation: Option<InvocationId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<CallId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<&'a Limits>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ok: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value_present: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a RawValue>,
    #[serde(rename = "error", skip_serializing_if = "Option::is_none")]
    host_error: Option<&'a HostError>,
    #[serde(rename = "error", skip_serializing_if = "Option::is_none")]
    script_error: Option<&'a ScriptError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    console: Option<&'a Console>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<&'a Usage>,
}

impl Wire<'_> {
    const fn of(r#type: &'static str) -> Self {
        Self {
            r#type,
            version: None,
            layers: None,
            invocation: None,
            call: None,
            source_bytes: None,
            limits: None,
            operation: None,
            arguments: None,
            ok: None,
            value_present: None,
            value: None,
            host_error: None,
            script_error: None,
            console: None,
            usage: None,
        }
    }
}

/// Serializes straight into the frame, then fills in the length.
fn write(out: &mut Vec<u8>, wire: &Wire<'_>) -> Result<(), FrameError> {
    let start = out.len();
    out.extend_from_slice(&[0; frame::HEADER_BYTES]);
    let body = start + frame::HEADER_BYTES;
    let written = serde_json::to_writer(&mut *out, wire);
    let length = out.len() - body;
    if written.is_err() || frame::check_length(length).is_err() {
        out.truncate(start);
        return Err(FrameError { length });
    }
    let Ok(header) = u32::try_from(length) else {
        out.truncate(start);
        return Err(FrameError { length });
    };
    out[start..body].copy_from_slice(&header.to_be_bytes());
    Ok(())
}

fn version(fields: &mut Fields<'_>) -> Result<(), ProtocolViolation> {
    if fields.integer("version")? == u64::from(VERSION) { Ok(()) } else { Err(ProtocolViolation::UnsupportedVersion) }
}

fn invocation(fields: &mut Fields<'_>) -> Result<InvocationId, ProtocolViolation> {
    NonZeroU64::new(fields.integer("invocation")?).map(InvocationId).ok_or(ProtocolViolation::WrongValue("invocation"))
}

fn call(fields: &mut Fields<'_>) -> Result<CallId, ProtocolViolation> {
    CallId::new(fields.integer("call")?).ok_or(ProtocolViolation::WrongValue("call"))
}

fn layers(fields: &mut Fields<'_>) -> Result<Vec<String>, ProtocolViolation> {
    let wrong = ProtocolViolation::WrongValue("layers");
    let layers: Vec<String> = serde_json::from_str(fields.require("layers")?.get()).map_err(|_| wrong.clone())?;
    let plain = |name: &String| name.len() <= 64 && name.bytes().all(|b| b.is_ascii_graphic());
    if layers.len() <= 32 && layers.iter().all(plain) { Ok(layers) } else { Err(wrong) }
}

fn limits(fields: &mut Fields<'_>) -> Result<Limits, ProtocolViolation> {
    let mut inner = fields.object("limits")?;
    let limits = Limits {
        source_bytes: inner.integer("source_bytes")?,
        wall_ms: inner.integer("wall_ms")?,
        heap_bytes: inner.integer("heap_bytes")?,
        stack_bytes: inner.integer("stack_bytes")?,
        host_calls: inner.integer("host_calls")?,
        host_concurrency: inner.integer("host_concurrency")?,
        final_result_bytes: inner.integer("final_result_bytes")?,
        console_bytes: inner.integer("console_bytes")?,
    };
    inner.finish()?;
    limits.validate().map_err(|e| ProtocolViolation::WrongValue(e.name))?;
    Ok(limits)
}

/// `ok`, `value_present`, `value` and `error`, which must agree (DESIGN §4).
fn outcome<E>(
    fields: &mut Fields<'_>,
    error: impl FnOnce(&mut Fields<'_>) -> Result<E, ProtocolViolation>,
) -> Result<Result<Box<RawValue>, E>, ProtocolViolation> {
    let ok = fields.boolean("ok")?;
    let present = fields.boolean("value_present")?;
    if ok != present || ok != fields.has("value") || ok == fields.has("error") {
        return Err(ProtocolViolation::Contradiction);
    }
    if ok {
        return fields.value("value").map(Ok);
    }
    let mut inner = fields.object("error")?;
    let parsed = error(&mut inner)?;
    inner.finish()?;
    Ok(Err(parsed))
}

fn code(fields: &mut Fields<'_>) -> Result<Code, ProtocolViolation> {
    Code::parse(&fields.string("code")?).ok_or(ProtocolViolation::WrongValue("code"))
}

fn message(fields: &mut Fields<'_>) -> Result<String, ProtocolViolation> {
    let message = fields.string("message")?;
    if message.len() > MAX_MESSAGE_BYTES {
        Err(ProtocolViolation::WrongValue("message"))
    } else {
        Ok(message.into_owned())
    }
}

fn host_error(fields: &mut Fields<'_>) -> Result<HostError, ProtocolViolation> {
    Ok(HostError {
        code: code(fields)?,
        operation: fields.string("operation")?.into_owned(),
        message: message(fields)?,
    })
}

fn script_error(fields: &mut Fields<'_>) -> Result<ScriptError, ProtocolViolation> {
    let reason = match fields.optional_string("reason")? {
        Some(name) => Some(Reason::parse(&name).ok_or(ProtocolViolation::WrongValue("reason"))?),
        None => None,
    };
    let operation = fields.optional_string("operation")?.map(std::borrow::Cow::into_owned);
    if operation.as_ref().is_some_and(|name| name.len() > 256) {
        return Err(ProtocolViolation::WrongValue("operation"));
    }
    Ok(ScriptError {
        code: code(fields)?,
        reason,
        operation,
        message: message(fields)?,
        line: fields.optional_integer("line")?,
        column: fields.optional_integer("column")?,
        measured: fields.optional_integer("measured")?,
        limit: fields.optional_integer("limit")?,
    })
}

fn console(fields: &mut Fields<'_>) -> Result<Console, ProtocolViolation> {
    let mut inner = fields.object("console")?;
    let console = Console { text: inner.string("text")?.into_owned(), truncated: inner.boolean("truncated")? };
    inner.finish()?;
    Ok(console)
}

fn usage(fields: &mut Fields<'_>) -> Result<Usage, ProtocolViolation> {
    let mut inner = fields.object("usage")?;
    let usage =
        Usage { javascript_us: inner.integer("javascript_us")?, peak_heap_bytes: inner.integer("peak_heap_bytes")? };
    inner.finish()?;
    Ok(usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(frame: &[u8]) -> &[u8] {
        &frame[frame::HEADER_BYTES..]
    }

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap_or_else(|e| panic!("{e}"))
    }

    fn id() -> InvocationId {
        InvocationId(NonZeroU64::MAX)
    }

    #[test]
    fn what_is_written_is_read_back() {
        let error = ScriptError {
            code: Code::CodeRejected,
            reason: Some(Reason::SyntaxError),
            operation: None,
            message: "x".into(),
            line: Some(3),
            column: Some(4),
            measured: None,
            limit: None,
        };
        for outcome in [Ok(raw("null")), Ok(raw("{\"a\":[1]}")), Err(error)] {
            let sent = ScriptResult { invocation: id(), outcome, console: Console::default(), usage: Usage::default() };
            let mut frame = Vec::new();
            FromWorker::Result(Box::new(sent.clone())).encode(&mut frame).unwrap_or_else(|e| panic!("{e}"));
            let Ok(FromWorker::Result(got)) = FromWorker::parse(body(&frame)) else { panic!("not a result") };
            assert_eq!(
                got.outcome.as_ref().map(|v| v.get()).map_err(Clone::clone),
                sent.outcome.as_ref().map(|v| v.get()).map_err(Clone::clone)
            );
        }
        let execute = Execute { invocation: id(), source_bytes: 9, limits: Limits::default() };
        let mut frame = Vec::new();
        ToWorker::Execute(execute).encode(&mut frame).unwrap_or_else(|e| panic!("{e}"));
        assert!(matches!(ToWorker::parse(body(&frame)), Ok(ToWorker::Execute(got)) if got == execute));
    }

    #[test]
    fn contradictions_are_refused() {
        let head = "\"type\":\"result\",\"invocation\":1,\"console\":{\"text\":\"\",\"truncated\":false},\"usage\":{\"javascript_us\":0,\"peak_heap_bytes\":0}";
        let error = "\"error\":{\"code\":\"code_rejected\",\"message\":\"x\"}";
        for (tail, good) in [
            ("\"ok\":true,\"value_present\":true,\"value\":null".to_owned(), true),
            (format!("\"ok\":false,\"value_present\":false,{error}"), true),
            ("\"ok\":true,\"value_present\":false".to_owned(), false),
            ("\"ok\":true,\"value_present\":true".to_owned(), false),
            ("\"ok\":true,\"value_present\":false,\"value\":1".to_owned(), false),
            (format!("\"ok\":true,\"value_present\":true,\"value\":1,{error}"), false),
            ("\"ok\":false,\"value_present\":false".to_owned(), false),
            (format!("\"ok\":false,\"value_present\":true,\"value\":1,{error}"), false),
            ("\"ok\":false,\"value_present\":false,\"error\":null".to_owned(), false),
            ("\"ok\":false,\"value_present\":false,\"error\":\"x\"".to_owned(), false),
            ("\"ok\":1,\"value_present\":true,\"value\":1".to_owned(), false),
            ("\"ok\":true,\"value_present\":true,\"value\":1,\"extra\":1".to_owned(), false),
        ] {
            let text = format!("{{{head},{tail}}}");
            assert_eq!(FromWorker::parse(text.as_bytes()).is_ok(), good, "{tail}");
        }
    }

    #[test]
    fn versions_do_not_wrap() {
        for (version, good) in [("1", true), ("2", false), ("257", false), ("4294967297", false), ("0", false)] {
            let text = format!("{{\"type\":\"ready\",\"version\":{version},\"layers\":[]}}");
            assert_eq!(FromWorker::parse(text.as_bytes()).is_ok(), good, "{version}");
        }
    }
}
