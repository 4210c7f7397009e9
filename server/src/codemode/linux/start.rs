//! From nothing to a worker that may be given a script: created, `ready`, and proved to be locked down (I3).

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::process::{Factory, Worker};
use crate::codemode::ready::{WATCHDOG_SLACK, come_up, start_time};
use crate::codemode::worker::WorkerProcess as _;
use crate::codemode::{CodeModePolicy, verdict};
use crate::envelope::ErrorEnvelope;

/// What starting needs to know.
pub(super) struct Starter {
    pub(super) factory: Factory,
    pub(super) policy: Arc<CodeModePolicy>,
}

impl Starter {
    /// How long a worker may take to come up.
    pub(super) fn time(&self) -> Duration {
        start_time(&self.policy)
    }

    /// Starts a worker and waits, for about `time`, until it may be given a script.
    ///
    /// # Errors
    /// The verdict, when it cannot be started, cannot be locked down, misbehaves or dies.
    pub(super) async fn start(&self, time: Duration) -> Result<Worker, ErrorEnvelope> {
        let deadline = Instant::now() + time.max(WATCHDOG_SLACK);
        // A program that hangs before it runs, on a dead network file system or stopped by someone, holds the launcher up.
        let launched = timeout_at(deadline, self.factory.launch()).await;
        let launched = launched.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        let mut worker = launched.map_err(|error| {
            tracing::warn!(kind = %error.kind(), "a worker could not be created");
            verdict::spawn_failed()
        })?;
        let proved = match come_up(&mut worker, deadline, &self.policy).await {
            Ok(()) => prove(&worker),
            Err(verdict) => Err(verdict),
        };
        match proved {
            Ok(()) => Ok(worker),
            Err(verdict) => {
                worker.end().await;
                Err(verdict)
            }
        }
    }
}

/// The parent's own reading of `/proc/<pid>/status`; the worker's word counts for nothing.
fn prove(worker: &Worker) -> Result<(), ErrorEnvelope> {
    let status = worker.status().map_err(|_| verdict::sandbox_unavailable())?;
    match wit_worker::sandbox::status::verify_status(&status) {
        Ok(()) => Ok(()),
        Err(violation) => {
            tracing::warn!(%violation, "a worker said ready without being locked down");
            Err(verdict::sandbox_unavailable())
        }
    }
}
