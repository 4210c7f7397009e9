//! Code Mode, the parent's side: one fresh locked-down worker an invocation, treated as hostile throughout.
//!
//! [`session`] judges frames and [`accounting`] spends budgets, both pure. [`mod@verdict`] turns facts into codes.
//! [`mod@supervisor`] drives one invocation over a [`worker`] process against the [`clock`]. `linux` makes such processes,
//! locked down and proved to be; `portable` refuses where no lockdown is written, or does without when told to.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use wit_worker::registry::{Code, LimitId};

use crate::envelope::ErrorEnvelope;
use crate::operations::{HostOperations, Slots};

pub mod accounting;
mod clock;
#[cfg(target_os = "linux")]
mod linux;
pub mod policy;
#[cfg(any(not(target_os = "linux"), test))]
mod portable;
mod ready;
pub mod session;
mod supervisor;
mod verdict;
mod worker;

#[cfg(target_os = "linux")]
use linux as workers;
#[cfg(not(target_os = "linux"))]
use portable as workers;

#[cfg(target_os = "linux")]
pub use linux::program::become_worker;
#[cfg(target_os = "linux")]
pub(crate) use linux::{place, program::WorkerProgram};
pub use policy::{CodeModePolicy, PolicyError};

/// What Code Mode needs to start.
pub struct CodeModeOptions {
    /// The operator's policy, validated again here.
    pub policy: CodeModePolicy,
    /// The worker program, if it is not this executable (`--worker PATH`).
    pub worker: Option<PathBuf>,
    /// `--unsandboxed-worker`: for platforms whose lockdown is not written yet. Linux has no permissive fallback (I3),
    /// so it changes nothing there.
    pub unsandboxed: bool,
    /// The operations scripts may call.
    pub operations: Arc<dyn HostOperations>,
}

/// Runs invocations; one a server.
pub struct CodeMode {
    policy: CodeModePolicy,
    workers: workers::Workers,
    slots: Arc<Slots>,
    invocations: Semaphore,
    closing: CancellationToken,
}

impl CodeMode {
    /// Prepares Code Mode and starts the spare workers; must be called within a tokio runtime.
    ///
    /// # Errors
    /// When the policy is not valid, or the system refuses the threads that own the workers.
    pub fn start(options: CodeModeOptions) -> Result<Arc<Self>, StartError> {
        options.policy.validate()?;
        let policy = options.policy.clone();
        let count = |id| usize::try_from(policy.value(id)).unwrap_or(Semaphore::MAX_PERMITS);
        let invocations = count(LimitId::Invocations);
        let slots = Slots::new(count(LimitId::HostOperations), invocations);
        Ok(Arc::new(Self {
            workers: workers::Workers::start(options, Arc::clone(&slots))?,
            policy,
            slots,
            invocations: Semaphore::new(invocations),
            closing: CancellationToken::new(),
        }))
    }

    /// The policy in force.
    #[must_use]
    pub fn policy(&self) -> &CodeModePolicy {
        &self.policy
    }

    /// The slots of its host operations; whatever else this server runs takes its own from them.
    pub(crate) fn slots(&self) -> &Arc<Slots> {
        &self.slots
    }

    /// Runs one script in a fresh worker. Never waits for capacity; cancelling the token ends it at any moment.
    ///
    /// # Errors
    /// The verdict on the invocation (DESIGN §4, §6).
    pub async fn run(&self, source: &str, cancellation: CancellationToken) -> Result<Success, Box<ErrorEnvelope>> {
        self.invoke(source, cancellation).await.map_err(Box::new)
    }

    async fn invoke(&self, source: &str, cancellation: CancellationToken) -> Result<Success, ErrorEnvelope> {
        let _permit = self
            .invocations
            .try_acquire()
            .map_err(|_| verdict::capacity(Code::ServerInvocationsLimit, LimitId::Invocations, &self.policy))?;
        verdict::source_limit(source, &self.policy)?;
        // One token for both ways an invocation can be withdrawn: by its client and with the whole server.
        let token = CancellationToken::new();
        let run = self.workers.run(source, &token);
        tokio::pin!(run);
        tokio::select! {
            biased;
            outcome = &mut run => return outcome,
            () = cancellation.cancelled() => token.cancel(),
            () = self.closing.cancelled() => token.cancel(),
        }
        run.await
    }

    /// Cancels every invocation, ends and reaps every worker. Later invocations fail.
    pub async fn shutdown(&self) {
        self.closing.cancel();
        self.invocations.close();
        self.workers.close().await;
    }
}

/// Why Code Mode cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The policy is not valid.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The system refuses a thread.
    #[error("a thread for the workers cannot be started: {}", .0.kind())]
    Thread(#[from] std::io::Error),
}

/// For reports: milliseconds with microsecond resolution.
fn milliseconds(time: Duration) -> f64 {
    let micros = u32::try_from(time.as_micros()).unwrap_or(u32::MAX);
    f64::from(micros) / 1000.0
}

/// A script's success, as the code tool reports it.
#[derive(Debug, Clone, Serialize)]
pub struct Success {
    /// The final value, as the worker serialized it.
    pub value: Box<RawValue>,
    /// What the invocation used.
    pub usage: UsageReport,
    /// What the script printed, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub console: Option<ConsoleReport>,
    /// Remarks of ours, for example about forgiven syntax.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What the script printed.
#[derive(Debug, Clone, Serialize)]
pub struct ConsoleReport {
    /// One line a call.
    pub text: String,
    /// Whether output beyond the limit was dropped.
    pub truncated: bool,
}

/// What an invocation used (DESIGN §6). Never content.
#[derive(Debug, Clone, Default, Serialize)]
pub struct UsageReport {
    /// Milliseconds JavaScript ran.
    pub javascript_ms: f64,
    /// Milliseconds spent in host operations.
    pub host_ms: f64,
    /// Host calls made.
    pub host_calls: u64,
    /// Page units consumed.
    pub pages: u64,
    /// Snapshot units consumed.
    pub snapshots: u64,
    /// Bytes of host results delivered.
    pub host_bytes: u64,
    /// Bytes of the final value.
    pub result_bytes: u64,
    /// Greatest size of the JavaScript heap, as the worker says.
    pub peak_heap_bytes: u64,
    /// Bytes the worker wrote to stderr, capped.
    pub diagnostic_bytes: u64,
    /// Whether it wrote more than the cap.
    pub diagnostic_truncated: bool,
    /// Each host call.
    pub calls: Vec<CallReport>,
}

/// One row of the call log.
#[derive(Debug, Clone, Serialize)]
pub struct CallReport {
    /// The operation's tool name.
    pub operation: &'static str,
    /// `ok`, or the code.
    pub outcome: &'static str,
    /// Bytes of the result.
    pub bytes: u64,
    /// Milliseconds it took.
    pub ms: f64,
}
