//! The untrusted side of wit's Code Mode, and the words both sides share.
//!
//! Three declarative registries ([`registry`]) name every operation, limit and error code once. The
//! [`protocol`] is the only thing that crosses between the parent and the worker. [`sandbox`] locks the
//! process down before its first untrusted byte (I3); [`vm`] runs one script in it and nothing else (I4).
//!
//! This crate has no async runtime, no network and no file access after lockdown, and never imports the server.

pub mod protocol;
pub mod registry;
mod run;
pub mod sandbox;
pub mod vm;

/// The first argument that selects the hidden worker mode of the executable.
pub const WORKER_ARGUMENT: &str = "__worker";

/// The second argument by which a parent takes a worker without a lockdown (`--unsandboxed-worker`), where none is
/// written for the system. Linux workers do not look at it: they lock themselves down or end (I3).
pub const UNSANDBOXED_ARGUMENT: &str = "--unsandboxed";

/// Exit status of a worker that could not lock itself down and has therefore read nothing (I3).
pub const EXIT_SANDBOX_UNAVAILABLE: i32 = sandbox::exit::SANDBOX_UNAVAILABLE as i32;
/// Exit status of a worker that could not build its engine. It has read nothing.
pub const EXIT_ENGINE: u8 = 70;
/// Exit status of a worker whose parent broke the protocol. It has said nothing about it.
pub const EXIT_PROTOCOL: u8 = 3;
/// Exit status of a worker whose parent closed its end.
pub const EXIT_PARENT_GONE: u8 = 4;

/// Runs this process as a worker: builds the engine, locks down, says `ready`, runs one script, exits.
///
/// Status 0 means that a result was sent; otherwise see the `EXIT_` constants. It never returns: after lockdown even
/// returning from `main` is not allowed, and the engine is never freed.
#[must_use]
pub fn run() -> std::process::ExitCode {
    sandbox::exit::leave(run::run())
}
