//! Tries one thing after locking itself down exactly as the worker does. Started by the `sandbox` test; `docs/sandbox.md`
//! says how to run one by hand.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    conformance::probe::roles::run(std::env::args().skip(1)).unwrap_or_else(|error| {
        eprintln!("probe: {error}");
        ExitCode::from(2)
    })
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("probe: this platform has no worker lockdown");
    ExitCode::from(2)
}
