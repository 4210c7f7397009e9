//! Workers as Linux processes: [`program`] is what they are started from, [`place`] where, [`process`]
//! owns them, [`start`] makes one ready and proves its lockdown, [`pool`] keeps capacity and spares.

pub(crate) mod place;
mod pool;
mod process;
pub(crate) mod program;
mod start;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{CodeModeOptions, CodeModePolicy, Success, supervisor};
use crate::envelope::ErrorEnvelope;
use crate::operations::{HostOperations, Slots};

/// How long the threads that own the processes may take to end; they take microseconds.
const CLOSE_TIME: Duration = Duration::from_secs(2);

/// The workers of one server and what their invocations share.
pub(super) struct Workers {
    policy: Arc<CodeModePolicy>,
    operations: Arc<dyn HostOperations>,
    pool: Arc<pool::Pool>,
    slots: Arc<Slots>,
}

impl Workers {
    /// Starts the spare workers.
    ///
    /// # Errors
    /// When the system refuses the two threads that own the processes.
    pub(super) fn start(options: CodeModeOptions, slots: Arc<Slots>) -> io::Result<Self> {
        let policy = Arc::new(options.policy);
        let starter = start::Starter { factory: process::Factory::new(options.worker)?, policy: Arc::clone(&policy) };
        let pool = pool::Pool::new(starter);
        pool.refill();
        Ok(Self { policy, operations: options.operations, pool, slots })
    }

    /// Runs one script in a worker of its own.
    ///
    /// # Errors
    /// The verdict.
    pub(super) async fn run(&self, source: &str, cancellation: &CancellationToken) -> Result<Success, ErrorEnvelope> {
        let lease = tokio::select! {
            biased;
            () = cancellation.cancelled() => return Err(super::verdict::cancelled()),
            lease = self.pool.lease() => lease?,
        };
        let asker = self.slots.asker();
        let around = |spare| supervisor::Surroundings {
            policy: &self.policy,
            operations: &self.operations,
            asker: &asker,
            cancellation,
            spare,
        };
        let outcome = match supervisor::run(lease.worker, source, around(lease.spare)).await {
            supervisor::Outcome::Ended(outcome) => outcome,
            supervisor::Outcome::Untouched => {
                tracing::warn!("a spare worker was lost at the moment it was needed; another takes the script");
                self.again(source, around(false)).await
            }
        };
        drop(lease.permit);
        self.pool.ended();
        outcome
    }

    /// Gives a script that nobody has begun with to a worker of its own, which is then judged like any other.
    async fn again(&self, source: &str, around: supervisor::Surroundings<'_>) -> Result<Success, ErrorEnvelope> {
        let starter = &self.pool.starter;
        let worker = tokio::select! {
            biased;
            () = around.cancellation.cancelled() => return Err(super::verdict::cancelled()),
            worker = starter.start(starter.time()) => worker?,
        };
        match supervisor::run(worker, source, around).await {
            supervisor::Outcome::Ended(outcome) => outcome,
            // Said of spares only.
            supervisor::Outcome::Untouched => Err(super::verdict::spawn_failed()),
        }
    }

    /// Ends and reaps every worker and the threads that own them.
    pub(super) async fn close(&self) {
        self.pool.close().await;
        let pool = Arc::clone(&self.pool);
        // A launcher that is held up ends with the process.
        let closing = tokio::task::spawn_blocking(move || pool.starter.factory.close());
        let _ = tokio::time::timeout(CLOSE_TIME, closing).await;
    }
}
