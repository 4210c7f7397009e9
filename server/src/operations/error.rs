//! How an operation fails outwardly: a stable code and stable words, never backend text (I7).

use wit_worker::registry::Code;

/// An operation's failure, ready to leave the process.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct OperationError {
    /// The stable code.
    pub code: Code,
    /// Stable, redacted words.
    pub message: String,
    /// Seconds to wait, where the upstream said.
    pub retry_after_s: Option<u64>,
    /// What was measured and its limit, where a budget is exceeded.
    pub measure: Option<(u64, u64)>,
}

impl OperationError {
    /// A failure with these words, which must hold nothing of a backend's.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retry_after_s: None, measure: None }
    }
}
