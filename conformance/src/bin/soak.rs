//! Runs the soak (`conformance::soak`) and prints what it found. The status is 0 when no bound was broken.
//!
//! `cargo run --release -p conformance --bin soak -- --invocations 20000 --concurrency 4`

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    conformance::soak::command::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("soak: the kit runs on Linux");
    ExitCode::from(2)
}
