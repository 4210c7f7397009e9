//! One invocation's conversation with its worker, as a pure state machine: frames in, events out.
//!
//! Separate from tokio so that fuzzing and properties can put any worker at the other end. It keeps I5 (the
//! parent's side of every limit), I6 (a code is believed only when the parent knows the fact, an operation's code
//! only when it was issued here) and I8 (cost before dispatch).

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use wit_worker::protocol::message::MAX_MESSAGE_BYTES;
use wit_worker::protocol::{
    CallId, Console, Execute, FromWorker, HostResult, InvocationId, ProtocolViolation, ScriptError, ScriptResult,
    ToWorker, Usage, frame,
};
use wit_worker::registry::{Code, LimitId, OperationId};

use super::accounting::{Accounting, Excess};
use super::{CallReport, CodeModePolicy, ConsoleReport, verdict};
use crate::envelope::ErrorEnvelope;
use crate::operations::OperationError;

/// What a frame asks of the supervisor.
#[derive(Debug)]
pub enum Event {
    /// Run this operation; its cost is reserved.
    Dispatch {
        /// The call to answer.
        call: CallId,
        /// The operation.
        operation: OperationId,
        /// Its arguments.
        arguments: Box<RawValue>,
    },
    /// Nothing to run: send these bytes.
    Reply(Vec<u8>),
    /// The script has ended.
    Done(Box<Ended>),
}

/// What the script ended with.
#[derive(Debug)]
pub struct Ended {
    /// The value, or the verdict on what the worker claims.
    pub outcome: Result<Box<RawValue>, ErrorEnvelope>,
    /// What it printed.
    pub console: Option<ConsoleReport>,
    /// What the worker measured of itself.
    pub usage: Usage,
}

/// The state of one conversation.
#[derive(Debug)]
pub struct Session {
    policy: Arc<CodeModePolicy>,
    invocation: InvocationId,
    accounting: Accounting,
    next_call: u32,
    open: Vec<(CallId, OperationId)>,
    issued: Vec<ErrorEnvelope>,
    calls: Vec<CallReport>,
    ended: bool,
}

impl Session {
    /// A conversation about one script.
    #[must_use]
    pub fn new(policy: Arc<CodeModePolicy>, invocation: InvocationId) -> Self {
        let accounting = Accounting::new(&policy);
        Self {
            policy,
            invocation,
            accounting,
            next_call: 1,
            open: Vec::new(),
            issued: Vec::new(),
            calls: Vec::new(),
            ended: false,
        }
    }

    /// The first bytes to send: `execute`, and the source as the very next frame.
    ///
    /// # Errors
    /// When the source is empty or over its limit.
    pub fn opening(&self, source: &str) -> Result<Vec<u8>, ErrorEnvelope> {
        verdict::source_limit(source, &self.policy)?;
        let measured = source.len() as u64;
        let execute =
            Execute { invocation: self.invocation, source_bytes: measured, limits: self.policy.worker_limits() };
        let mut out = Vec::with_capacity(source.len() + 512);
        let framed =
            ToWorker::Execute(execute).encode(&mut out).and_then(|()| frame::encode(source.as_bytes(), &mut out));
        framed.map(|()| out).map_err(|_| verdict::empty_source())
    }

    /// Judges one frame. `since_execute` is the wall time since the script was sent.
    ///
    /// # Errors
    /// The verdict that ends the invocation.
    pub fn frame(&mut self, body: &[u8], since_execute: Duration) -> Result<Event, Box<ErrorEnvelope>> {
        self.judge(body, since_execute).map_err(Box::new)
    }

    fn judge(&mut self, body: &[u8], since_execute: Duration) -> Result<Event, ErrorEnvelope> {
        let broken = |violation| verdict::protocol(&violation);
        if self.ended {
            return Err(broken(ProtocolViolation::OutOfOrder("a frame after the result")));
        }
        match FromWorker::parse(body).map_err(|violation| verdict::protocol(&violation))? {
            FromWorker::Ready(_) => Err(broken(ProtocolViolation::OutOfOrder("ready was sent twice"))),
            FromWorker::HostCall(call) => {
                self.check_invocation(call.invocation)?;
                self.host_call(call.call, &call.operation, call.arguments)
            }
            FromWorker::Result(result) => {
                self.check_invocation(result.invocation)?;
                self.ended = true;
                Ok(Event::Done(Box::new(self.end(*result, since_execute)?)))
            }
        }
    }

    fn check_invocation(&self, invocation: InvocationId) -> Result<(), ErrorEnvelope> {
        if invocation == self.invocation {
            return Ok(());
        }
        Err(verdict::protocol(&ProtocolViolation::OutOfOrder("a frame of another invocation")))
    }

    fn host_call(&mut self, call: CallId, name: &str, arguments: Box<RawValue>) -> Result<Event, ErrorEnvelope> {
        if call.get() != self.next_call {
            return Err(verdict::protocol(&ProtocolViolation::OutOfOrder("a call out of order")));
        }
        let Some(operation) = OperationId::from_tool(name) else { return Err(verdict::capability_denied()) };
        self.accounting.arrived().map_err(verdict::excess)?;
        self.next_call = self.next_call.saturating_add(1);
        self.open.push((call, operation));
        if !arguments.get().starts_with('{') {
            // Not even an object, so there is nothing a unit could be reserved for.
            let error = OperationError::new(
                Code::InvalidArguments,
                "the arguments must be one object that JSON can carry".to_owned(),
            );
            return Ok(Event::Reply(self.answer(call, Err(error), Duration::ZERO)));
        }
        if let Err(excess) = self.accounting.reserve(operation) {
            let error = verdict::excess_error(excess);
            return Ok(Event::Reply(self.answer(call, Err(error), Duration::ZERO)));
        }
        Ok(Event::Dispatch { call, operation, arguments })
    }

    /// Takes an operation's outcome and gives the bytes that answer the call; none when it is not outstanding.
    pub fn answer(&mut self, call: CallId, outcome: Result<Box<RawValue>, OperationError>, took: Duration) -> Vec<u8> {
        let Some(index) = self.open.iter().position(|(open, _)| *open == call) else { return Vec::new() };
        let (_, operation) = self.open.swap_remove(index);
        self.accounting.answered();
        let outcome = outcome.and_then(|value| {
            let bytes = value.get().len() as u64;
            match self.accounting.deliver(bytes) {
                Ok(()) => Ok(value),
                Err(excess) => Err(verdict::excess_error(excess)),
            }
        });
        let mut out = Vec::new();
        let result = HostResult { invocation: self.invocation, call, outcome: Ok(RawValue::NULL.to_owned()) };
        let encoded = match outcome {
            Ok(value) => {
                let bytes = value.get().len() as u64;
                self.log(operation, "ok", bytes, took);
                ToWorker::HostResult(HostResult { outcome: Ok(value), ..result }).encode(&mut out)
            }
            Err(error) => {
                self.log(operation, error.code.as_str(), 0, took);
                let error = self.issue(operation, error);
                ToWorker::HostResult(HostResult { outcome: Err(error), ..result }).encode(&mut out)
            }
        };
        debug_assert!(encoded.is_ok(), "a result within its limit fits in a frame");
        out
    }

    /// Remembers that this code was given in this invocation, and how it reads outside.
    fn issue(&mut self, operation: OperationId, error: OperationError) -> wit_worker::protocol::message::HostError {
        let tool = operation.entry().tool;
        let mut message = error.message;
        truncate(&mut message, MAX_MESSAGE_BYTES);
        let mut envelope = ErrorEnvelope::new(error.code, message.clone()).with_operation(tool);
        envelope.retry_after_s = error.retry_after_s;
        (envelope.measured, envelope.limit) = error.measure.unzip();
        self.issued.push(envelope);
        wit_worker::protocol::message::HostError { code: error.code, operation: tool.to_owned(), message }
    }

    fn log(&mut self, operation: OperationId, outcome: &'static str, bytes: u64, took: Duration) {
        self.calls.push(CallReport {
            operation: operation.entry().tool,
            outcome,
            bytes,
            ms: super::milliseconds(took),
        });
    }

    fn end(&self, result: ScriptResult, since_execute: Duration) -> Result<Ended, ErrorEnvelope> {
        let outcome = match result.outcome {
            Ok(value) => self.final_value(value),
            Err(claim) => Err(self.claim(claim, since_execute)?),
        };
        Ok(Ended { outcome, console: self.console(result.console), usage: result.usage })
    }

    /// The value, if it is within its limit. White space a worker may have added does not count.
    fn final_value(&self, value: Box<RawValue>) -> Result<Box<RawValue>, ErrorEnvelope> {
        let limit = self.policy.value(LimitId::FinalResultBytes);
        let within = |value: &RawValue| value.get().len() as u64 <= limit;
        if within(&value) {
            return Ok(value);
        }
        let compact = serde_json::from_str::<serde_json::Value>(value.get())
            .ok()
            .and_then(|parsed| serde_json::value::to_raw_value(&parsed).ok())
            .unwrap_or(value);
        if within(&compact) {
            return Ok(compact);
        }
        let measured = compact.get().len() as u64;
        Err(verdict::excess(Excess { code: Code::FinalResultBytesLimit, measured, limit }))
    }

    /// Judges a failure the worker claims: believed only where the parent knows the fact (I6).
    fn claim(&self, claim: ScriptError, since_execute: Duration) -> Result<ErrorEnvelope, ErrorEnvelope> {
        let lie = || verdict::protocol(&ProtocolViolation::OutOfOrder("a failure the parent knows to be untrue"));
        match (claim.code, claim.reason, &claim.operation) {
            (Code::CodeRejected, Some(reason), None) if reason.code() == Code::CodeRejected => {
                let place = |number: Option<u64>| number.and_then(|number| u32::try_from(number).ok());
                let (line, column) = (place(claim.line), place(claim.column));
                Ok(verdict::rejected(reason, &claim.message, line, column, &self.policy))
            }
            (Code::UnknownMethod, None, Some(name)) => Ok(verdict::unknown_method(name, &claim.message)),
            (Code::DeadlineExceeded, None, None) => {
                let limit = Duration::from_millis(self.policy.value(LimitId::WallMs));
                if since_execute >= limit { Ok(verdict::deadline(&self.policy)) } else { Err(lie()) }
            }
            (Code::FinalResultBytesLimit, None, None) => {
                let limit = self.policy.value(LimitId::FinalResultBytes);
                match claim.measured {
                    Some(measured) if measured > limit => {
                        Ok(verdict::excess(Excess { code: claim.code, measured, limit }))
                    }
                    _ => Err(lie()),
                }
            }
            (Code::HostCallsLimit | Code::HostConcurrencyLimit, None, Some(name)) => {
                if OperationId::from_tool(name).is_none() || !self.accounting.may_claim(claim.code) {
                    return Err(lie());
                }
                let limit = self.accounting.guard_limit(claim.code);
                let excess = Excess { code: claim.code, measured: limit.saturating_add(1), limit };
                Ok(verdict::excess(excess).with_operation(name.clone()))
            }
            (code, None, Some(name)) => self
                .issued
                .iter()
                .rfind(|issued| issued.code == code && issued.operation.as_deref() == Some(name))
                .cloned()
                .ok_or_else(lie),
            _ => Err(lie()),
        }
    }

    fn console(&self, console: Console) -> Option<ConsoleReport> {
        let Console { mut text, mut truncated } = console;
        let limit = usize::try_from(self.policy.value(LimitId::ConsoleBytes)).unwrap_or(usize::MAX);
        // The worker counts the same way, quotes included; only a hostile one is cut here.
        while !text.is_empty() && serde_json::to_string(&text).map_or(0, |json| json.len()) > limit {
            let half = text.len() / 2;
            truncate(&mut text, half);
            truncated = true;
        }
        (truncated || !text.is_empty()).then_some(ConsoleReport { text, truncated })
    }

    /// Host calls outstanding.
    #[must_use]
    pub fn outstanding(&self) -> u64 {
        self.accounting.outstanding()
    }

    /// What was spent, and the call log.
    #[must_use]
    pub fn report(&mut self) -> (super::accounting::Spent, Vec<CallReport>) {
        (self.accounting.spent(), std::mem::take(&mut self.calls))
    }
}

/// Cuts to at most `bytes`, at a character.
fn truncate(text: &mut String, bytes: usize) {
    if text.len() > bytes {
        let end = (0..=bytes).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        text.truncate(end);
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
