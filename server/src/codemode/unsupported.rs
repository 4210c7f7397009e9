//! Platforms whose lockdown is not written yet: Code Mode refuses, direct mode works (DESIGN §5, I3).

use std::io;

use tokio_util::sync::CancellationToken;

use super::{CodeModeOptions, Success, verdict};
use crate::envelope::ErrorEnvelope;

/// No workers.
pub(super) struct Workers;

impl Workers {
    #[expect(clippy::unnecessary_wraps, reason = "the same shape as on Linux")]
    pub(super) fn start(_: CodeModeOptions) -> io::Result<Self> {
        Ok(Self)
    }

    #[expect(clippy::unused_async, reason = "the same shape as on Linux")]
    pub(super) async fn run(&self, _: &str, _: &CancellationToken) -> Result<Success, ErrorEnvelope> {
        Err(verdict::sandbox_unavailable())
    }

    #[expect(clippy::unused_async, reason = "the same shape as on Linux")]
    pub(super) async fn close(&self) {}
}
