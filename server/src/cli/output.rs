//! The only writers to the standard streams outside the MCP transport (I11).

use std::io::{ErrorKind, Write as _};

use serde::Serialize;

use super::exit::Exit;

/// Writes to stdout and flushes.
///
/// # Errors
/// [`Exit::ReaderGone`] when nobody reads it any more, and [`Exit::Environment`] when it cannot be written.
pub(super) fn stdout(bytes: &[u8]) -> Result<(), Exit> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Exit::ReaderGone,
        kind => Exit::Environment(format!("stdout cannot be written: {kind}")),
    })
}

/// Writes a value to stdout as JSON, indented.
///
/// # Errors
/// As [`stdout`].
pub(super) fn json(value: &impl Serialize) -> Result<(), Exit> {
    let mut text =
        serde_json::to_vec_pretty(value).map_err(|_| Exit::Environment("the result has no JSON form".to_owned()))?;
    text.push(b'\n');
    stdout(&text)
}

/// Writes one line to stderr. There is nobody to tell when that fails.
pub(super) fn stderr_line(line: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(format!("{line}\n").as_bytes());
}
