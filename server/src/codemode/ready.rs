//! From a process just created to one that has said `ready`.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use wit_worker::protocol::{FromWorker, ProtocolViolation};
use wit_worker::registry::LimitId;

use super::CodeModePolicy;
use super::verdict::{self, Exit};
use super::worker::WorkerProcess;
use crate::envelope::ErrorEnvelope;

/// Least time a worker gets to come up, however short the script's own time is: starting is not the script's doing.
const MIN_START_TIME: Duration = Duration::from_secs(2);
/// What the watchdog allows beyond a budget (DESIGN §3).
pub(super) const WATCHDOG_SLACK: Duration = Duration::from_millis(250);

/// How long a worker may take to come up.
pub(super) fn start_time(policy: &CodeModePolicy) -> Duration {
    Duration::from_millis(policy.value(LimitId::WallMs)).max(MIN_START_TIME) + WATCHDOG_SLACK
}

/// Waits for `ready` until the deadline. That is the worker's word only: whoever calls proves the lockdown himself.
///
/// # Errors
/// The verdict, when the worker says something else, dies or is silent.
pub(super) async fn come_up(
    worker: &mut impl WorkerProcess,
    deadline: Instant,
    policy: &CodeModePolicy,
) -> Result<(), ErrorEnvelope> {
    match timeout_at(deadline, ready(worker)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(Silence::Exited)) => Err(early_exit(worker, policy)),
        Ok(Err(Silence::Broken(violation))) => Err(verdict::protocol(&violation)),
        Err(_) => Err(verdict::deadline(policy)),
    }
}

fn early_exit(worker: &mut impl WorkerProcess, policy: &CodeModePolicy) -> ErrorEnvelope {
    match worker.take_exit() {
        Some(Exit::Status(wit_worker::EXIT_SANDBOX_UNAVAILABLE)) => verdict::sandbox_unavailable(),
        Some(exit) => verdict::exited(exit, policy),
        None => verdict::protocol(&ProtocolViolation::OutOfOrder("the worker closed its output")),
    }
}

enum Silence {
    Exited,
    Broken(ProtocolViolation),
}

/// Waits for the `ready` frame and nothing else.
async fn ready(worker: &mut impl WorkerProcess) -> Result<(), Silence> {
    let mut buffer = [0_u8; 1024];
    loop {
        match worker.decoder().next_frame() {
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
        if !worker.output_ready().await {
            return Err(Silence::Exited);
        }
        match worker.read_output(&mut buffer) {
            Ok(0) => {
                let _ = tokio::time::timeout(WATCHDOG_SLACK, worker.exited()).await;
                return Err(Silence::Exited);
            }
            Ok(count) => worker.decoder().push(buffer.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return Err(Silence::Exited),
        }
    }
}
