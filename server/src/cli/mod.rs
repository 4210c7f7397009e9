//! The command line (DESIGN §9).

use std::process::ExitCode;

/// Parses the arguments and runs the command.
#[must_use]
pub fn main() -> ExitCode {
    ExitCode::from(2)
}
