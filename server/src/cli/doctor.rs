//! `wit doctor`: can Code Mode run here, and what is missing otherwise?
//!
//! Nothing is taken on trust that can be seen: a real worker is started as an invocation would start it, and what the
//! kernel says of it in `/proc` decides (I3). What `/proc` does not show is marked as the worker's own report. No
//! token, environment value or file content appears (I7); of a token only its presence.

mod host;
#[cfg(target_os = "linux")]
mod linux;
mod text;
#[cfg(not(target_os = "linux"))]
mod unsupported;

use std::path::PathBuf;

use serde::Serialize;
use wit_worker::sandbox::rules;

use super::exit::Exit;
use crate::github::App;
use crate::repository::GithubUrl;

#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(not(target_os = "linux"))]
use unsupported as platform;

/// What to look at.
pub(super) struct DoctorOptions {
    /// The cache directory in force; none when neither arguments nor environment name one.
    pub(super) cache_dir: Option<PathBuf>,
    /// The git server.
    pub(super) github_url: GithubUrl,
    /// Variables that may hold a token, with whether they do.
    pub(super) tokens: Vec<(&'static str, bool)>,
    /// The GitHub App, or why it can't be used.
    pub(super) app: Result<Option<App>, Exit>,
    /// The worker program, if it is not this executable.
    pub(super) worker: Option<PathBuf>,
}

/// Everything found.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// Whether every required thing holds: exit status 0 or 3.
    pub(super) healthy: bool,
    /// This program's version.
    version: &'static str,
    /// The JavaScript engine of this binary's worker.
    engine: String,
    platform: Platform,
    sandbox: Sandbox,
    system_calls: SystemCalls,
    temporary: Check,
    cache: Check,
    github: Check,
    api: Check,
    app: Check,
    tokens: Vec<Token>,
}

#[derive(Debug, Serialize)]
struct Platform {
    system: &'static str,
    architecture: &'static str,
    kernel: String,
    /// Whether the command runs as root.
    root: bool,
}

/// The lockdown of a worker that was started for this report.
#[derive(Debug, Default, Serialize)]
struct Sandbox {
    /// Whether Code Mode starts here.
    available: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// What workers are started from.
    program: &'static str,
    layers: Vec<LayerReport>,
}

#[derive(Debug, Serialize)]
struct LayerReport {
    name: &'static str,
    requirement: &'static str,
    /// What the kernel offers.
    offered: String,
    state: State,
    /// What shows it.
    evidence: String,
}

/// How far a layer is known to hold.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "no layer is looked at where there is no lockdown"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// The kernel says so.
    Proved,
    /// The worker says so, and the kernel shows nothing about it.
    Reported,
    /// It does not apply to this user or kernel, and is not needed then.
    NotApplicable,
    /// It was not achieved, or the kernel contradicts the worker.
    Missing,
}

/// The allow-list in numbers.
#[derive(Debug, Serialize)]
struct SystemCalls {
    /// Allowed with any arguments.
    unconstrained: usize,
    /// Allowed with some arguments only.
    constrained: usize,
    /// What happens to every other.
    otherwise: &'static str,
}

/// Something outside the sandbox that was tried.
#[derive(Debug, Serialize)]
struct Check {
    /// What was looked at.
    what: String,
    ok: bool,
    /// Whether a failure makes the report unhealthy.
    required: bool,
    detail: String,
}

#[derive(Debug, Serialize)]
struct Token {
    variable: &'static str,
    present: bool,
}

/// Looks at everything. Takes a few milliseconds, and at most four seconds for the network.
pub(super) fn examine(options: &DoctorOptions) -> Report {
    let mut sandbox = platform::examine(options.worker.as_deref());
    let temporary = host::temporary();
    if sandbox.available && !temporary.ok {
        sandbox.available = false;
        sandbox.problem = Some(format!("no worker can be started: the temporary directory {}", temporary.detail));
    }
    let (unconstrained, constrained) = rules::counts();
    let cache = host::cache(options.cache_dir.as_deref());
    let (github, api) = host::reach(&options.github_url);
    let app = host::app(&options.app);
    Report {
        healthy: sandbox.available && [&cache, &github, &api, &app].iter().all(|check| check.ok || !check.required),
        version: env!("CARGO_PKG_VERSION"),
        engine: wit_worker::vm::engine(),
        platform: platform::platform(),
        sandbox,
        system_calls: SystemCalls { unconstrained, constrained, otherwise: "kill_process" },
        temporary,
        cache,
        github,
        api,
        app,
        tokens: options.tokens.iter().map(|&(variable, present)| Token { variable, present }).collect(),
    }
}
