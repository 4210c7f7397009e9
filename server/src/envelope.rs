//! The one outward form of a failure (DESIGN §4), in both modes.
//!
//! Whatever went wrong inside, only this leaves the process: a stable code, a stable redacted message, and facts
//! of ours (I7). [`crate::operations::OperationError`] and the Code Mode verdicts are turned into it, nothing else is.

use serde::Serialize;
use wit_worker::registry::{Code, Reason};

/// A failure as the client sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorEnvelope {
    /// The stable code.
    pub code: Code,
    /// What was measured, the limit, and the next step, in stable words.
    pub message: String,
    /// How, where the code has reasons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The operation's tool name, where one is to blame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// 1-based line in the user's source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// 1-based column in the user's source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// What was measured, in the limit's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<u64>,
    /// The limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Seconds to wait, where the upstream said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u64>,
}

impl ErrorEnvelope {
    /// A failure with only a code and a message.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            reason: None,
            operation: None,
            line: None,
            column: None,
            measured: None,
            limit: None,
            retry_after_s: None,
        }
    }

    /// The same with a reason.
    #[must_use]
    pub fn with_reason(self, reason: Reason) -> Self {
        Self { reason: Some(reason), ..self }
    }

    /// The same with the operation to blame.
    #[must_use]
    pub fn with_operation(self, operation: impl Into<String>) -> Self {
        Self { operation: Some(operation.into()), ..self }
    }

    /// The same with what was measured and the limit.
    #[must_use]
    pub fn with_measure(self, measured: u64, limit: u64) -> Self {
        Self { measured: Some(measured), limit: Some(limit), ..self }
    }
}
