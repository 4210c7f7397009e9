//! From facts to the one outward verdict (DESIGN §4, §6; I6).
//!
//! Every message is composed here, from fixed words and numbers. The only text of a worker's that survives is what
//! a script's own failure says (an exception's message, the path of a value, the name of a method), cut and cleaned,
//! and only ever under `code_rejected` and `unknown_method`.

use wit_worker::protocol::ProtocolViolation;
use wit_worker::registry::{Code, LimitId, Reason};

use super::CodeModePolicy;
use super::accounting::Excess;
use crate::envelope::ErrorEnvelope;
use crate::operations::OperationError;

/// Longest text of a script's own failure that is passed on, in bytes.
const MAX_DETAIL_BYTES: usize = 2 * 1024;

/// How a worker's process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// It returned this status.
    Status(i32),
    /// This signal ended it.
    Signal(i32),
    /// The kernel's CPU limit ended it, and it really had used that much: the parent has seen the time itself, so a
    /// worker that raises the signal on its own is not believed (I6).
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "no such limit is set there"))]
    OutOfCpu,
}

const SIGSYS: i32 = 31;
/// What ends a process without its say.
pub(super) const SIGKILL: i32 = 9;

/// The client withdrew the request.
pub(super) fn cancelled() -> ErrorEnvelope {
    ErrorEnvelope::new(Code::Cancelled, "the request was cancelled")
}

/// The JavaScript time is used up.
pub(super) fn deadline(policy: &CodeModePolicy) -> ErrorEnvelope {
    let limit = policy.value(LimitId::WallMs);
    let mut envelope = ErrorEnvelope::new(
        Code::DeadlineExceeded,
        format!("JavaScript ran longer than the limit of {limit} ms; do less in one invocation"),
    );
    envelope.limit = Some(limit);
    envelope
}

/// A frame the protocol does not allow. Which one is for the log; outside, all are the same.
pub(super) fn protocol(violation: &ProtocolViolation) -> ErrorEnvelope {
    tracing::warn!(%violation, "a worker broke the protocol");
    ErrorEnvelope::new(
        Code::WorkerProtocolError,
        "the worker sent something the protocol does not allow; the invocation was ended",
    )
}

/// A frame that names an operation outside the registry.
pub(super) fn capability_denied() -> ErrorEnvelope {
    ErrorEnvelope::new(
        Code::CapabilityDenied,
        "the worker named an operation outside the registry; the invocation was ended before dispatch",
    )
}

/// The process ended before a result.
pub(super) fn exited(exit: Exit, policy: &CodeModePolicy) -> ErrorEnvelope {
    match exit {
        Exit::OutOfCpu => deadline(policy),
        Exit::Signal(SIGSYS) => ErrorEnvelope::new(
            Code::WorkerExited,
            "the worker attempted a forbidden system call and was killed by the sandbox",
        )
        .with_reason(Reason::SandboxViolation),
        // Every kill by the parent has its verdict already, so this one came from outside: most often the kernel, when a
        // memory limit around the server is reached.
        Exit::Signal(SIGKILL) => ErrorEnvelope::new(
            Code::WorkerExited,
            "the worker was killed from outside before it gave a result; if this repeats, the system is short of memory",
        )
        .with_reason(Reason::Crashed),
        Exit::Status(0) => protocol(&ProtocolViolation::OutOfOrder("the worker exited without a result")),
        Exit::Status(_) | Exit::Signal(_) => {
            ErrorEnvelope::new(Code::WorkerExited, "the worker process ended abnormally before it gave a result")
                .with_reason(Reason::Crashed)
        }
    }
}

/// The process could not be created.
pub(super) fn spawn_failed() -> ErrorEnvelope {
    ErrorEnvelope::new(
        Code::WorkerStartFailed,
        "the worker process could not be created (process limits, memory, or an unusable temporary directory); run \
         `wit doctor`",
    )
    .with_reason(Reason::SpawnFailed)
}

/// A required layer of the sandbox is missing, by the worker's word or by the parent's own reading.
pub(super) fn sandbox_unavailable() -> ErrorEnvelope {
    ErrorEnvelope::new(
        Code::WorkerStartFailed,
        "a required layer of the worker's sandbox could not be had, so no script was sent; run `wit doctor`",
    )
    .with_reason(Reason::SandboxUnavailable)
}

/// A capacity of the server is used up.
pub(super) fn capacity(code: Code, id: LimitId, policy: &CodeModePolicy) -> ErrorEnvelope {
    let limit = policy.value(id);
    let title = id.entry().title;
    ErrorEnvelope::new(code, format!("the limit of {limit} {title} is reached; try again when one has ended"))
        .with_measure(limit.saturating_add(1), limit)
}

/// A limit of this invocation is exceeded.
pub(super) fn excess(excess: Excess) -> ErrorEnvelope {
    let Excess { code, measured, limit } = excess;
    ErrorEnvelope::new(code, excess_message(excess)).with_measure(measured, limit)
}

/// The same for a call, whose script may catch it; the measure comes out again if it escapes.
pub(super) fn excess_error(excess: Excess) -> OperationError {
    let measure = Some((excess.measured, excess.limit));
    OperationError { measure, ..OperationError::new(excess.code, excess_message(excess)) }
}

/// The words for a limit: what was measured, the limit, the next step.
fn excess_message(excess: Excess) -> String {
    let Excess { code, measured, limit } = excess;
    let entry = code.entry();
    let unit = match code {
        Code::SourceBytesLimit
        | Code::FinalResultBytesLimit
        | Code::HostResultBytesLimit
        | Code::CumulativeHostBytesLimit => " bytes",
        _ => "",
    };
    format!("{} Measured {measured}{unit}, the limit is {limit}{unit}. {}", entry.meaning, entry.next)
}

/// Checks the source before anything is spent on it.
pub(super) fn source_limit(source: &str, policy: &CodeModePolicy) -> Result<(), ErrorEnvelope> {
    let (measured, limit) = (source.len() as u64, policy.value(LimitId::SourceBytes));
    match measured {
        0 => Err(empty_source()),
        _ if measured > limit => Err(excess(Excess { code: Code::SourceBytesLimit, measured, limit })),
        _ => Ok(()),
    }
}

/// A source without a byte. The worker could only say the same.
pub(super) fn empty_source() -> ErrorEnvelope {
    ErrorEnvelope::new(Code::CodeRejected, "the script is empty: nothing was returned; use `return`")
        .with_reason(Reason::NotJson)
}

/// A method that is not there. The worker knows which one it suggests.
pub(super) fn unknown_method(name: &str, detail: &str) -> ErrorEnvelope {
    ErrorEnvelope::new(Code::UnknownMethod, clean(detail)).with_operation(clean(name))
}

/// A script's own failure, in our words around its own.
pub(super) fn rejected(
    reason: Reason,
    detail: &str,
    line: Option<u32>,
    column: Option<u32>,
    policy: &CodeModePolicy,
) -> ErrorEnvelope {
    let detail = clean(detail);
    let place = match (line, column) {
        (Some(line), Some(column)) => format!(" at line {line}, column {column}"),
        (Some(line), None) => format!(" at line {line}"),
        _ => String::new(),
    };
    let (message, limit) = match reason {
        Reason::HeapLimit => {
            let limit = policy.value(LimitId::HeapBytes);
            (
                format!("the JavaScript heap is full{place}: the limit is {limit} bytes; keep less in memory"),
                Some(limit),
            )
        }
        Reason::StackLimit => {
            let limit = policy.value(LimitId::StackBytes);
            (
                format!("the JavaScript stack is full{place}: the limit is {limit} bytes; recurse less deeply"),
                Some(limit),
            )
        }
        Reason::NeverSettles => {
            (format!("the script awaits a promise that nothing can settle{place}; every await needs a source"), None)
        }
        Reason::SyntaxError => (format!("syntax error{place}: {detail}"), None),
        Reason::NotJson => (format!("the returned value has no JSON form: {detail}"), None),
        _ => (format!("uncaught exception{place}: {detail}"), None),
    };
    ErrorEnvelope { line, column, limit, ..ErrorEnvelope::new(Code::CodeRejected, message).with_reason(reason) }
}

/// Cuts a script's text to size and makes control characters visible, so that it cannot act on a terminal.
fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MAX_DETAIL_BYTES));
    for c in text.chars() {
        if out.len() >= MAX_DETAIL_BYTES {
            out.push('…');
            break;
        }
        if c.is_control() && c != '\n' && c != '\t' {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// DESIGN §6: `cancelled` > `deadline_exceeded` > limits decided by the parent > `worker_protocol_error` >
/// `worker_exited`. Given what else was true when the invocation ended, the verdict that stands.
pub(super) fn strongest(
    verdict: ErrorEnvelope,
    cancelled_too: bool,
    deadline_too: bool,
    policy: &CodeModePolicy,
) -> ErrorEnvelope {
    if cancelled_too {
        return cancelled();
    }
    if deadline_too && verdict.code != Code::DeadlineExceeded {
        return deadline(policy);
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedence_is_the_documents() {
        let policy = CodeModePolicy::default();
        let exit = || exited(Exit::Signal(9), &policy);
        assert_eq!(strongest(exit(), true, true, &policy).code, Code::Cancelled);
        assert_eq!(strongest(exit(), false, true, &policy).code, Code::DeadlineExceeded);
        assert_eq!(strongest(exit(), false, false, &policy).code, Code::WorkerExited);
    }

    #[test]
    fn signals_are_told_apart() {
        // The kernel's CPU limit lies beyond the budget, so the parent's clock has already said so; a worker that
        // raises its signal by itself has crashed (I6).
        let policy = CodeModePolicy::default();
        assert_eq!(exited(Exit::OutOfCpu, &policy).code, Code::DeadlineExceeded);
        assert_eq!(exited(Exit::Signal(24), &policy).reason, Some(Reason::Crashed));
        assert_eq!(exited(Exit::Signal(SIGSYS), &policy).reason, Some(Reason::SandboxViolation));
        assert_eq!(exited(Exit::Signal(11), &policy).reason, Some(Reason::Crashed));
        let (killed, fault) = (exited(Exit::Signal(SIGKILL), &policy), exited(Exit::Signal(11), &policy));
        assert_eq!((killed.code, killed.reason), (fault.code, fault.reason));
        assert_ne!(killed.message, fault.message, "a shortage of memory is not called a crash of its own making");
        assert_eq!(exited(Exit::Status(3), &policy).reason, Some(Reason::Crashed));
        assert_eq!(exited(Exit::Status(0), &policy).code, Code::WorkerProtocolError);
    }

    #[test]
    fn a_scripts_text_is_cut_and_cannot_drive_a_terminal() {
        let policy = CodeModePolicy::default();
        let hostile = format!("\u{1b}[31m{}", "x".repeat(100_000));
        let envelope = rejected(Reason::UncaughtException, &hostile, Some(1), Some(2), &policy);
        assert!(envelope.message.len() < MAX_DETAIL_BYTES + 100);
        assert!(!envelope.message.contains('\u{1b}'));
        assert!(envelope.message.starts_with("uncaught exception at line 1, column 2: \\u{1b}[31m"));
    }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod more_tests;
