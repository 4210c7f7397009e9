//! What an exception means, decided from facts: the brand of a host error, the allocator's refusal, the depth the
//! stack really reached, the class of the object. Never from a message or a property a script can set (I6).

use rquickjs::{Ctx, Value};

use super::bridge::Bridge;
use super::errors::branded;
use super::inspect::Inspector;
use super::raw::{self, SCRIPT_NAME, StackBand};
use super::source::{Position, Program, Script};
use crate::protocol::ScriptError;
use crate::registry::{Code, Reason};

/// Longest message about a script's own exception, in bytes.
const MAX_MESSAGE_BYTES: usize = 1024;

/// A failure with nothing but a code and a message.
pub(super) fn failure(code: Code, reason: Option<Reason>, message: impl Into<String>) -> ScriptError {
    ScriptError {
        code,
        reason,
        operation: None,
        message: message.into(),
        line: None,
        column: None,
        measured: None,
        limit: None,
    }
}

/// `code_rejected` for a reason.
pub(super) fn rejected(reason: Reason, message: impl Into<String>) -> ScriptError {
    failure(Code::CodeRejected, Some(reason), message)
}

/// A limit of ours with what was measured, in words and as a number.
pub(super) fn over_limit(code: Code, what: &str, measured: u64, limit: u64) -> ScriptError {
    let message = format!("{what}; the limit is {limit} bytes. {}", code.entry().next);
    ScriptError { measured: Some(measured), limit: Some(limit), ..failure(code, None, message) }
}

/// `deadline_exceeded` of the JavaScript clock.
pub(super) fn deadline(limit_ms: u64) -> ScriptError {
    let message = format!("JavaScript ran longer than {limit_ms} ms. {}", Code::DeadlineExceeded.entry().next);
    ScriptError { limit: Some(limit_ms), ..failure(Code::DeadlineExceeded, None, message) }
}

/// Judges exceptions of one script.
pub(super) struct Judge<'a> {
    pub(super) bridge: &'a Bridge,
    pub(super) band: StackBand,
    pub(super) program: &'a Program,
    pub(super) script: Script<'a>,
}

impl Judge<'_> {
    /// An exception that compiling gave: nothing of the script has run.
    pub(super) fn compile_failure<'js>(&self, ctx: &Ctx<'js>, exception: &Value<'js>) -> ScriptError {
        if let Some(error) = self.resource(ctx, exception) {
            return error;
        }
        let place = self.engine_position(ctx, exception);
        let beyond = place.is_some_and(|(line, _)| self.program.is_beyond(self.script, line));
        let message = match self.describe(exception) {
            _ if self.program.labelled && beyond => {
                "SyntaxError: the script closes more than it opens, so it is not the body of one function".to_owned()
            }
            message if beyond => format!("{message} at the end of the script: something it opens is not closed"),
            message => message,
        };
        let position = place
            .map_or(Position { line: u64::from(self.script.first_line), column: 1 }, |(line, column)| {
                self.program.position(self.script, line, column)
            });
        ScriptError {
            line: Some(position.line),
            column: Some(position.column),
            ..rejected(Reason::SyntaxError, message)
        }
    }

    /// An exception that left the script.
    pub(super) fn uncaught<'js>(&self, ctx: &Ctx<'js>, exception: &Value<'js>) -> ScriptError {
        let position = self.position(ctx, exception);
        let placed = |error: ScriptError| ScriptError {
            line: position.map(|position| position.line),
            column: position.map(|position| position.column),
            ..error
        };
        if let Some(genuine) = branded(ctx, self.bridge.intrinsics(), exception) {
            let error = failure(genuine.code, None, genuine.message);
            return placed(ScriptError { operation: Some(genuine.operation), ..error });
        }
        match self.resource(ctx, exception) {
            Some(error) => placed(error),
            None => placed(rejected(Reason::UncaughtException, self.describe(exception))),
        }
    }

    /// The heap or the stack, when the facts say so.
    fn resource<'js>(&self, ctx: &Ctx<'js>, exception: &Value<'js>) -> Option<ScriptError> {
        let intrinsics = self.bridge.intrinsics();
        let limits = self.bridge.limits();
        // Out of memory while building its own exception, the engine throws null or its uninitialized value.
        let engine_made = exception.is_null() || !raw::is_ordinary(exception);
        let internal = engine_made || intrinsics.is_internal_error(ctx, exception);
        if internal && self.bridge.heap.was_refused() {
            return Some(self.heap_full());
        }
        if (internal || intrinsics.is_range_error(ctx, exception)) && self.band.was_reached() {
            let limit = limits.stack_bytes;
            let message =
                format!("The JavaScript stack is full; the limit is {limit} bytes. Recurse or nest less deeply.");
            return Some(ScriptError { limit: Some(limit), ..rejected(Reason::StackLimit, message) });
        }
        None
    }

    /// The script wanted more than its heap holds.
    pub(super) fn heap_full(&self) -> ScriptError {
        let limit = self.bridge.limits().heap_bytes;
        let message = format!("The JavaScript heap is full; the limit is {limit} bytes. Keep less at once.");
        ScriptError { limit: Some(limit), ..rejected(Reason::HeapLimit, message) }
    }

    fn describe(&self, exception: &Value<'_>) -> String {
        let classes = &self.bridge.intrinsics().classes;
        let mut inspector = Inspector::new(MAX_MESSAGE_BYTES, classes, &self.bridge.heap);
        if classes.is_error(exception) {
            inspector.error(exception);
        } else {
            inspector.push("a value that is no Error was thrown: ");
            inspector.top(exception);
        }
        inspector.finish().0
    }

    fn position<'js>(&self, ctx: &Ctx<'js>, exception: &Value<'js>) -> Option<Position> {
        let (line, column) = self.engine_position(ctx, exception)?;
        Some(self.program.position(self.script, line, column))
    }

    /// Line and column of the innermost frame of the script, as the engine recorded them.
    fn engine_position<'js>(&self, ctx: &Ctx<'js>, exception: &Value<'js>) -> Option<(u64, u64)> {
        let stack = self.bridge.intrinsics().stack_of(ctx, exception)?;
        stack.lines().find_map(|frame| {
            let place = frame.rsplit_once(SCRIPT_NAME)?.1.strip_prefix(':')?;
            let (line, column) = place.trim_end_matches(')').split_once(':')?;
            let (line, column) = (line.parse().ok()?, column.parse().ok()?);
            // The engine places what it has no position for at the wrapper's own line.
            (line >= u64::from(self.program.first_line)).then_some((line, column))
        })
    }
}
