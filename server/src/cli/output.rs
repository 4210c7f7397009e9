//! The only writers to the standard streams outside the MCP transport (I11).

use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal as _, Write as _};

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

/// Writes a value that is JSON already, and a newline. Before a terminal it is written so that it commands nothing;
/// anything else reads the very bytes.
///
/// # Errors
/// As [`stdout`].
pub(super) fn value(json: &str) -> Result<(), Exit> {
    if std::io::stdout().is_terminal() {
        return stdout(format!("{}\n", inert_json(json)).as_bytes());
    }
    stdout(format!("{json}\n").as_bytes())
}

/// Text of a script's as a terminal may show it: control characters, those of C1 included, are spelled out (`\x1b`),
/// so that it sets no title, moves no cursor and hides nothing. Newlines and tabs stay.
pub(super) fn inert(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, character| {
        if character.is_control() && !matches!(character, '\n' | '\t') {
            let _ = write!(shown, "\\x{:02x}", u32::from(character));
        } else {
            shown.push(character);
        }
        shown
    })
}

/// The same JSON value without a control character that JSON leaves as it is: DEL and C1, which stand in strings only.
pub(super) fn inert_json(json: &str) -> String {
    json.chars().fold(String::with_capacity(json.len()), |mut shown, character| {
        if matches!(character, '\u{7f}'..='\u{9f}') {
            let _ = write!(shown, "\\u{:04x}", u32::from(character));
        } else {
            shown.push(character);
        }
        shown
    })
}

/// Writes one line to stderr. There is nobody to tell when that fails.
pub(super) fn stderr_line(line: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(format!("{line}\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_shown_commands_no_terminal() {
        assert_eq!(inert("a\tb\n\u{1b}]0;x\u{7}\u{9b}2J\r\u{7f}é"), "a\tb\n\\x1b]0;x\\x07\\x9b2J\\x0d\\x7fé");
    }

    #[test]
    fn a_shown_value_is_the_same_value() {
        let json = serde_json::to_string("\u{1b}[2J \u{9b}2J \u{7f} \\ é").unwrap_or_else(|error| panic!("{error}"));
        let shown = inert_json(&json);
        assert!(!shown.chars().any(char::is_control), "{shown:?}");
        let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        assert!(parse(&json).is_some());
        assert_eq!(parse(&shown), parse(&json));
    }
}
