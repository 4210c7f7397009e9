//! Runs one case of the frames half with the standing invariants of all cases, and those that only a hostile worker
//! can witness: what it was born with, and what it was sent.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::to_parent::Stage;
use super::{Direction, parse, to_worker};
use crate::corpus::{Case, Kind, Observed};
use crate::run::{Kit, Report, Variation};

/// Runs a frames case; `hostile_worker` is the built program of that name.
///
/// # Errors
/// When the kit itself cannot work, or the case is not one of frames. What the server does wrong is in the report.
pub fn run(kit: &Kit, hostile_worker: &Path, case: &Case) -> Result<Report> {
    // The whole file, so that lines have the numbers an editor shows.
    let text = fs::read_to_string(&case.path).with_context(|| case.shown())?;
    run_text(kit, hostile_worker, case, &text)
}

/// The same for a case whose text is not its file's, because it has none.
///
/// # Errors
/// As [`run`].
pub fn run_text(kit: &Kit, hostile_worker: &Path, case: &Case, text: &str) -> Result<Report> {
    match case.kind {
        Kind::Script => anyhow::bail!("{} is a script, not frames", case.id),
        Kind::Frames(Direction::ToWorker) => Ok(to_the_worker(kit, text)),
        Kind::Frames(Direction::ToParent) => {
            let script = parse(text, Direction::ToParent).with_context(|| case.shown())?;
            let stage = Stage::with_script(hostile_worker, text)?;
            let variation = Variation { worker: Some(stage.program()) };
            let mut report = kit.run_varied(case, &variation)?;
            report.faults.extend(stage.faults(&script)?);
            Ok(report)
        }
    }
}

/// No client is there: what must happen stands in the script, and `no_answer` in the front-matter.
fn to_the_worker(kit: &Kit, text: &str) -> Report {
    let (faults, transcript) = match to_worker::run(&kit.binary, text) {
        Ok(transcript) => (Vec::new(), transcript),
        Err(failure) => (vec![failure.message], failure.transcript),
    };
    let mut lines = transcript.lines;
    lines.extend(transcript.stderr.lines().map(|line| format!("stderr {line}")));
    Report { faults, observed: Observed::NoAnswer, result: None, elapsed: Duration::ZERO, transcript: lines }
}
