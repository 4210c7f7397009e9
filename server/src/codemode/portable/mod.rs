//! Workers on systems whose lockdown is not written yet: Code Mode refuses (I3), unless the operator has taken the risk
//! with `--unsandboxed-worker`. Then each script still has a fresh process with an empty environment, three pipes, a
//! directory of its own, every budget and every verdict; only what a lockdown would withhold is not withheld.
//!
//! Linux never uses this; its tests do, to hold the code on the system that develops it.

mod process;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use wit_worker::registry::{Code, LimitId};

use self::process::Process;
use super::ready::{come_up, start_time};
use super::worker::WorkerProcess as _;
use super::{CodeModeOptions, CodeModePolicy, Success, supervisor, verdict};
use crate::envelope::ErrorEnvelope;
use crate::operations::{HostOperations, Slots};

/// How long the last workers may take to end when the server does.
const CLOSE_TIME: Duration = Duration::from_secs(2);

/// The workers of one server.
pub(super) struct Workers {
    policy: Arc<CodeModePolicy>,
    operations: Arc<dyn HostOperations>,
    slots: Arc<Slots>,
    capacity: Arc<Semaphore>,
    /// What to start; nothing where the operator has not asked for workers without a sandbox.
    program: Option<PathBuf>,
}

impl Workers {
    /// Takes note of the operator's choice. Nothing is started ahead of a script.
    ///
    /// # Errors
    /// When the path of this executable is not known.
    pub(super) fn start(options: CodeModeOptions, slots: Arc<Slots>) -> io::Result<Self> {
        let program = match options.worker {
            _ if !options.unsandboxed => None,
            // As long as nobody replaces it: other systems than Linux have no path that outlives an upgrade.
            None => Some(std::env::current_exe()?),
            program => program,
        };
        let policy = Arc::new(options.policy);
        let capacity = usize::try_from(policy.value(LimitId::Workers)).unwrap_or(Semaphore::MAX_PERMITS);
        Ok(Self {
            slots,
            capacity: Arc::new(Semaphore::new(capacity)),
            operations: options.operations,
            policy,
            program,
        })
    }

    /// Runs one script in a worker of its own.
    ///
    /// # Errors
    /// The verdict; `sandbox_unavailable` without the operator's flag.
    pub(super) async fn run(&self, source: &str, cancellation: &CancellationToken) -> Result<Success, ErrorEnvelope> {
        let Some(program) = &self.program else { return Err(verdict::sandbox_unavailable()) };
        let permit = Arc::clone(&self.capacity).try_acquire_owned();
        let permit = permit.map_err(|_| verdict::capacity(Code::ServerWorkersLimit, LimitId::Workers, &self.policy))?;
        let worker = tokio::select! {
            biased;
            () = cancellation.cancelled() => return Err(verdict::cancelled()),
            worker = self.bring_up(program, permit) => worker?,
        };
        let asker = self.slots.asker();
        let around = supervisor::Surroundings {
            policy: &self.policy,
            operations: &self.operations,
            asker: &asker,
            cancellation,
            spare: false,
        };
        match supervisor::run(worker, source, around).await {
            supervisor::Outcome::Ended(outcome) => outcome,
            // Said of spares only.
            supervisor::Outcome::Untouched => Err(verdict::spawn_failed()),
        }
    }

    /// A worker that has said `ready`. The permit goes back when its process is gone.
    async fn bring_up(
        &self,
        program: &Path,
        permit: tokio::sync::OwnedSemaphorePermit,
    ) -> Result<Process, ErrorEnvelope> {
        let deadline = Instant::now() + start_time(&self.policy);
        let mut worker = Process::start(program, permit).map_err(|error| {
            tracing::warn!(kind = %error.kind(), "a worker could not be created");
            verdict::spawn_failed()
        })?;
        match come_up(&mut worker, deadline, &self.policy).await {
            Ok(()) => Ok(worker),
            Err(verdict) => {
                worker.end().await;
                Err(verdict)
            }
        }
    }

    /// Waits until the last worker is gone. The invocations have been cancelled by now.
    pub(super) async fn close(&self) {
        let all = self.policy.value(LimitId::Workers);
        let all = self.capacity.acquire_many(u32::try_from(all).unwrap_or(u32::MAX));
        let _ = tokio::time::timeout(CLOSE_TIME, all).await;
        self.capacity.close();
    }
}
