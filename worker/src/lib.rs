//! The untrusted side of wit's Code Mode, and the words both sides share.
//!
//! Three declarative registries ([`registry`]) name every operation, limit and error code once. The
//! [`protocol`] is the only thing that crosses between the parent and the worker. [`sandbox`] locks the
//! process down before its first untrusted byte (I3); [`vm`] runs one script in it and nothing else (I4).
//!
//! This crate has no async runtime, no network and no file access after lockdown, and never imports the server.

pub mod protocol;
pub mod registry;
pub mod sandbox;

/// The first argument that selects the hidden worker mode of the executable.
pub const WORKER_ARGUMENT: &str = "__worker";

/// Exit status of a worker that could not lock itself down and has therefore read nothing (I3).
pub const EXIT_SANDBOX_UNAVAILABLE: i32 = 78;

/// Runs this process as a worker: builds the engine, locks down, says `ready`, runs one script, exits.
#[must_use]
pub fn run() -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}
