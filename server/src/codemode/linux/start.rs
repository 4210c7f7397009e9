//! From nothing to a worker that may be given a script: created, `ready`, and proved to be locked down (I3).

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use wit_worker::protocol::{FromWorker, ProtocolViolation};
use wit_worker::registry::LimitId;

use super::process::{Factory, Worker};
use crate::codemode::CodeModePolicy;
use crate::codemode::verdict::{self, Exit};
use crate::envelope::ErrorEnvelope;

/// Least time a worker gets to come up, however short the script's own time is: starting is not the script's doing.
const MIN_START_TIME: Duration = Duration::from_secs(2);
/// What the watchdog allows beyond a budget (DESIGN §3).
pub(super) const WATCHDOG_SLACK: Duration = Duration::from_millis(250);

/// What starting needs to know.
pub(super) struct Starter {
    pub(super) factory: Factory,
    pub(super) policy: Arc<CodeModePolicy>,
}

impl Starter {
    /// How long a worker may take to come up.
    pub(super) fn time(&self) -> Duration {
        Duration::from_millis(self.policy.value(LimitId::WallMs)).max(MIN_START_TIME) + WATCHDOG_SLACK
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
        let ready = timeout_at(deadline, ready(&mut worker)).await;
        let verdict = match ready {
            Ok(Ok(())) => prove(&worker).err(),
            Ok(Err(Silence::Exited)) => Some(self.early_exit(&mut worker)),
            Ok(Err(Silence::Broken(violation))) => Some(verdict::protocol(&violation)),
            Err(_) => Some(verdict::deadline(&self.policy)),
        };
        match verdict {
            None => Ok(worker),
            Some(verdict) => {
                worker.end().await;
                Err(verdict)
            }
        }
    }

    fn early_exit(&self, worker: &mut Worker) -> ErrorEnvelope {
        match worker.take_exit() {
            Some(Exit::Status(wit_worker::EXIT_SANDBOX_UNAVAILABLE)) => verdict::sandbox_unavailable(),
            Some(exit) => verdict::exited(exit, &self.policy),
            None => verdict::protocol(&ProtocolViolation::OutOfOrder("the worker closed its output")),
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

enum Silence {
    Exited,
    Broken(ProtocolViolation),
}

/// Waits for the `ready` frame and nothing else.
async fn ready(worker: &mut Worker) -> Result<(), Silence> {
    let mut buffer = [0_u8; 1024];
    loop {
        match worker.decoder.next_frame() {
            Ok(None) => {}
            Ok(Some(body)) => {
                return match FromWorker::parse(body) {
                    Ok(FromWorker::Ready(ready)) => {
                        tracing::debug!(layers = ready.layers.len(), "a worker is ready");
                        Ok(())
                    }
                    Ok(_) => Err(Silence::Broken(ProtocolViolation::OutOfOrder("a frame before ready"))),
                    Err(violation) => Err(Silence::Broken(violation)),
                };
            }
            Err(error) => return Err(Silence::Broken(error.into())),
        }
        if worker.stdout.readable().await.is_err() {
            return Err(Silence::Exited);
        }
        match worker.stdout.try_read(&mut buffer) {
            Ok(0) => {
                let _ = tokio::time::timeout(WATCHDOG_SLACK, worker.exited()).await;
                return Err(Silence::Exited);
            }
            Ok(count) => worker.decoder.push(buffer.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return Err(Silence::Exited),
        }
    }
}
