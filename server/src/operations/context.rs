//! The deadline and cancellation every operation honours.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use wit_worker::registry::Code;

use super::OperationError;
use super::slots::Slot;

/// Called with a short stable phrase, things done, and things in all where that is known.
pub type Progress = dyn Fn(&'static str, u64, Option<u64>) + Send + Sync;

/// Owns one operation's time: a deadline, a cancellation token and, where asked for, progress.
#[derive(Clone)]
pub struct OperationContext {
    deadline: Instant,
    cancellation: CancellationToken,
    progress: Option<Arc<Progress>>,
    /// Given back when the last clone is gone: work on another thread, which ends a little after it was abandoned,
    /// keeps its slot until then.
    slot: Arc<OnceLock<Slot>>,
}

impl OperationContext {
    /// A context that ends `time` from now, or when the token is cancelled.
    #[must_use]
    pub fn new(time: Duration, cancellation: CancellationToken) -> Self {
        Self { deadline: Instant::now() + time, cancellation, progress: None, slot: Arc::default() }
    }

    /// The same, reporting progress.
    #[must_use]
    pub fn with_progress(self, progress: Arc<Progress>) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// The same deadline and progress under another token: one that also ends when nobody waits for the result.
    #[must_use]
    pub fn under(&self, cancellation: CancellationToken) -> Self {
        Self { cancellation, ..self.clone() }
    }

    /// Keeps a server slot for as long as anything holds this context.
    pub(crate) fn occupy(&self, slot: Slot) {
        // One context is one operation: a second slot would only be given back at once.
        drop(self.slot.set(slot));
    }

    /// When the operation's time is up.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The token that cancels the operation.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        &self.cancellation
    }

    /// Reports progress, if anyone asked.
    pub fn report(&self, phase: &'static str, done: u64, total: Option<u64>) {
        if let Some(progress) = &self.progress {
            progress(phase, done, total);
        }
    }

    /// To be called often from blocking work.
    ///
    /// # Errors
    /// `cancelled`, or `deadline_exceeded` when the time is up.
    pub fn check(&self) -> Result<(), OperationError> {
        if self.cancellation.is_cancelled() {
            return Err(super::slots::cancelled());
        }
        if Instant::now() >= self.deadline {
            return Err(OperationError::new(Code::DeadlineExceeded, "the time of the host operation is used up"));
        }
        Ok(())
    }
}

impl std::fmt::Debug for OperationContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OperationContext").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}
