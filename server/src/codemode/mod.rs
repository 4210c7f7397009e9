//! Code Mode, the parent's side: one fresh locked-down worker an invocation, treated as hostile throughout.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use crate::envelope::ErrorEnvelope;
use crate::operations::HostOperations;

pub mod policy;

pub use policy::{CodeModePolicy, PolicyError};

/// What Code Mode needs to start.
pub struct CodeModeOptions {
    /// The operator's policy, validated again here.
    pub policy: CodeModePolicy,
    /// The worker program, if it is not this executable (`--worker PATH`).
    pub worker: Option<PathBuf>,
    /// `--unsandboxed-worker`: accept a worker without lockdown on platforms that have none.
    pub unsandboxed: bool,
    /// The operations scripts may call.
    pub operations: Arc<dyn HostOperations>,
}

/// Runs invocations. Cheap to clone the `Arc`; one a server.
pub struct CodeMode {
    _options: CodeModeOptions,
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

/// A script's failure: the envelope, and what the invocation used up to then.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What the client sees.
    pub error: ErrorEnvelope,
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

impl CodeMode {
    /// Prepares Code Mode; must be called within a tokio runtime.
    ///
    /// # Errors
    /// When the policy is not valid.
    pub fn start(options: CodeModeOptions) -> Result<Arc<Self>, PolicyError> {
        Ok(Arc::new(Self { _options: options }))
    }

    /// Runs one script in a fresh worker. Never waits for capacity; cancelling the token ends it at any moment.
    ///
    /// # Errors
    /// The verdict on the invocation (DESIGN §4, §6).
    pub async fn run(&self, _source: String, _cancellation: CancellationToken) -> Result<Success, Box<Failure>> {
        std::future::pending().await
    }

    /// Ends and reaps every worker.
    pub async fn shutdown(&self) {}
}
