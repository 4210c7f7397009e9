//! The worker no parent should trust: launched by the real `wit` through `--worker`, it replays the `.frames` script
//! beside its executable.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    return ExitCode::from(conformance::frames::hostile::main());
    #[cfg(not(target_os = "linux"))]
    ExitCode::from(102)
}
