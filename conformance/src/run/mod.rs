//! Runs one case against the real binary, with the standing invariants that every case must keep.
//!
//! Each case has a server process, directories and canaries of its own, so that whatever goes wrong belongs to it.
//! After the case's own call the same server must run the next script (I10), its workers must be reaped, it must end
//! promptly at the end of its input and leave nothing in its temporary directory, its stdout must hold protocol
//! messages only (I11), and no canary may stand in any byte that it wrote (I7).

mod act;
pub(crate) mod answer;
mod place;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::binary;
use crate::canary::Canary;
use crate::client::{Ended, Server};
use crate::corpus::{Act, Case, Host, Kind, Observed};
use crate::fixture;
use crate::foreign::{Dialect, Foreign, Times};
use place::Place;

/// The longest wait for any answer: beyond the greatest budget there is, with its grace.
const ANSWER: Duration = Duration::from_secs(20);
/// The longest wait for a server to start or to be seen working, on a machine that is busy with other cases.
const START: Duration = Duration::from_secs(20);
/// The longest a server may take to end after its input did, and to reap a worker.
const END: Duration = Duration::from_secs(2);

/// What all cases of a run share: the binary and the fixture repository.
#[derive(Debug)]
pub struct Kit {
    /// The program under test.
    pub binary: PathBuf,
    /// A server that is not wit, started by `binary`, a shell.
    foreign: Option<Foreign>,
    fixture: Arc<Fixture>,
}

/// The fixture repository, below a directory with a canary in its name.
#[derive(Debug)]
struct Fixture {
    path: PathBuf,
    canary: Canary,
    _directory: tempfile::TempDir,
}

impl Fixture {
    fn make() -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("wit-conformance-").tempdir()?;
        let canary = Canary::new("path of a local repository")?;
        let path = directory.path().join(&canary.text).join("fixture");
        fixture::build(&path).context("the fixture repository cannot be built")?;
        Ok(Self { path, canary, _directory: directory })
    }
}

/// What a caller changes about how a case's server is run.
#[derive(Debug, Clone, Default)]
pub struct Variation {
    /// A program to launch as worker in place of the genuine one; it is expected to misbehave at every call.
    pub worker: Option<PathBuf>,
}

/// What came of a case.
#[derive(Debug)]
pub struct Report {
    /// What was wrong, one entry a fault; empty when the case passed.
    pub faults: Vec<String>,
    /// What the call came to.
    pub observed: Observed,
    /// The whole result object of the answer, if there was one.
    pub result: Option<Value>,
    /// How long the call took, or what the case's act is judged by.
    pub elapsed: Duration,
    /// What went back and forth.
    pub transcript: Vec<String>,
}

impl Kit {
    /// Finds or builds the binary and builds the fixture.
    ///
    /// # Errors
    /// When either cannot be had.
    pub fn new() -> Result<Arc<Self>> {
        Self::with_binary(binary::locate()?)
    }

    /// The same for a binary that is already there.
    ///
    /// # Errors
    /// When the fixture cannot be built.
    pub fn with_binary(binary: PathBuf) -> Result<Arc<Self>> {
        Ok(Arc::new(Self { binary, foreign: None, fixture: Arc::new(Fixture::make()?) }))
    }

    /// This kit for another program, with the same fixture.
    #[must_use]
    pub fn behind(&self, program: PathBuf) -> Self {
        Self { binary: program, foreign: self.foreign.clone(), fixture: Arc::clone(&self.fixture) }
    }

    /// The same for a foreign server.
    ///
    /// # Errors
    /// As [`Self::with_binary`].
    pub fn foreign(foreign: Foreign) -> Result<Arc<Self>> {
        let binary = PathBuf::from("/bin/sh");
        Ok(Arc::new(Self { binary, foreign: Some(foreign), fixture: Arc::new(Fixture::make()?) }))
    }

    /// Whether this runner can run the case: scripts over the real operations.
    #[must_use]
    pub fn runs(case: &Case) -> bool {
        case.kind == Kind::Script && case.setup.host == Host::Fixture
    }

    /// Runs a case.
    ///
    /// # Errors
    /// Only when the kit itself cannot work: no temporary directory, no port. What the server does wrong is in the
    /// report.
    pub fn run(&self, case: &Case) -> Result<Report> {
        self.run_varied(case, &Variation::default())
    }

    /// Runs a case with a variation.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_varied(&self, case: &Case, variation: &Variation) -> Result<Report> {
        let place = Place::make(self, case, variation)?;
        let dialect = Dialect(self.foreign.as_ref().map(|foreign| Arc::clone(&foreign.adapter)));
        let times = dialect.times(Times { answer: ANSWER, start: START, end: END });
        let client = act::Client { dialect: &dialect, times };
        let mut server = Server::start_confined(
            &self.binary,
            place.arguments(),
            place.environment(),
            place.directory(),
            dialect.confinement(),
        )?;
        let mut faults = Vec::new();
        let recovers = case.setup.recovers && variation.worker.is_none();
        let seen = match case.setup.act {
            Act::Start => None,
            _ => match act::play(&mut server, case, &place, recovers, client) {
                Ok(seen) => Some(seen),
                Err(error) => {
                    faults.push(format!("{error:#}"));
                    None
                }
            },
        };
        let ended = server.finish(times.end)?;
        let (observed, result, elapsed) = match seen {
            Some(seen) => {
                faults.extend(seen.faults);
                (seen.observed, seen.result, seen.elapsed)
            }
            None if case.setup.act == Act::Start => (answer::refusal(&ended.stderr), None, ended.took),
            None => (Observed::NoAnswer, None, Duration::ZERO),
        };
        if let Err(difference) = dialect.check(&case.expect, &observed, elapsed) {
            faults.insert(0, difference);
        }
        faults.extend(standing(case.setup.act, &ended, times.end));
        faults.extend(place.leaks(&ended.stdout, &ended.stderr, &observed));
        faults.extend(place.written_secrets());
        if case.setup.act != Act::KillServer {
            // A server that was killed cannot tidy up.
            faults.extend(place.leftovers());
        }
        let mut transcript = ended.transcript;
        transcript.extend(stderr_lines(&ended.stderr));
        Ok(Report { faults, observed, result, elapsed, transcript })
    }
}

impl Report {
    /// The failure for people: what to open, what was expected, what came, and what went back and forth.
    #[must_use]
    pub fn failure(&self, case: &Case) -> Option<String> {
        if self.faults.is_empty() {
            return None;
        }
        let expected: Vec<String> = case.expect.outcomes.iter().map(super::corpus::Outcome::shown).collect();
        let file = case.path.canonicalize().unwrap_or_else(|_| case.path.clone());
        Some(format!(
            "{id}: {title}\n  file      {file}\n  expected  {expected}\n  got       {got} after {elapsed:.0?}\n\
             {faults}\n  transcript\n{transcript}",
            id = case.id,
            title = case.title,
            file = file.display(),
            expected = expected.join(", or "),
            got = self.observed.shown(),
            elapsed = self.elapsed,
            faults = self.faults.iter().map(|fault| format!("  fault     {fault}")).collect::<Vec<_>>().join("\n"),
            transcript = self.transcript.iter().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n"),
        ))
    }
}

/// Reads wit's own answer.
pub(crate) fn read_answer(answer: &Value) -> (Observed, Option<Value>, Vec<String>) {
    answer::read(answer)
}

/// What must hold of every server when it has ended.
fn standing(act: Act, ended: &Ended, end: Duration) -> Vec<String> {
    let mut faults = ended.impurities.clone();
    if !ended.orphans.is_empty() {
        let pids: Vec<String> = ended.orphans.iter().map(|process| process.pid.to_string()).collect();
        faults.push(format!("workers were left behind: {}", pids.join(", ")));
    }
    match (act, ended.status) {
        // Neither ends by itself with success: one is killed, one refuses to start with a status of its own.
        (Act::KillServer, _) => {}
        (Act::Start, Some(status)) if status.code().is_some_and(|code| code != 0) => {}
        (Act::Start, status) => faults.push(format!("a server that must not start ended with {status:?}")),
        (_, Some(status)) if status.success() => {}
        (_, Some(status)) => faults.push(format!("the server ended with {status}")),
        (_, None) => faults.push(format!("the server did not end within {end:.0?} of the end of its input")),
    }
    let text = String::from_utf8_lossy(&ended.stderr);
    if let Some(line) = text.lines().find(|line| line.contains("panicked at")) {
        faults.push(format!("the server panicked: {line}"));
    }
    faults
}

/// The last lines of stderr, for the transcript.
fn stderr_lines(stderr: &[u8]) -> Vec<String> {
    const LINES: usize = 12;
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.lines().collect();
    let skipped = lines.len().saturating_sub(LINES);
    lines.into_iter().skip(skipped).map(|line| format!("   stderr {line}")).collect()
}

/// A path as text for a command line or a policy file.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
