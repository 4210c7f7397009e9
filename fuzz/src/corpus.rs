//! The corpus's own reader: a case is text that anyone may send us.

use conformance::frames::{Direction, parse};

/// No text makes the parser panic, and an accepted script names only lines that exist.
pub fn frames_text(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let lines = text.lines().count();
    for direction in [Direction::ToWorker, Direction::ToParent] {
        match parse(text, direction) {
            Ok(script) => assert!(script.steps.iter().all(|step| (1..=lines).contains(&step.number))),
            Err(error) => assert!(error.line <= lines.max(1)),
        }
    }
}
