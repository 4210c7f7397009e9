//! The kit from a shell: list what there is, run it with transcripts, write a report, freeze a profile.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
mod cli;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    cli::arguments::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("conformance: the kit runs on Linux");
    ExitCode::from(3)
}
