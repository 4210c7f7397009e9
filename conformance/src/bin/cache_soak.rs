//! Soaks a cache that many real servers share; `docs/auditing.md` says what it must show.
//!
//! `cargo run --release -p conformance --bin cache-soak`, or with `WIT_CONFORMANCE_BIN` against an installed binary.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    conformance::cache_soak::command::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("cache-soak: the kit runs on Linux");
    ExitCode::from(2)
}
