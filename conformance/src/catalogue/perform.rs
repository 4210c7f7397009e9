//! Runs one item, wherever it comes from, and says what came of it.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::{Item, Place, Subject};
use crate::binary;
use crate::corpus::{Case, Kind, Observed};
use crate::frames;
use crate::parallel::{side_by_side, twice_the_processors};
use crate::probe::{attacks, stage::Stage};
use crate::run::{Kit, Report};
use crate::snapshot;

/// How an item came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// What was expected came, and every standing invariant held.
    Passed,
    /// Something was wrong.
    Failed,
    /// It was not run here; never counted as passed.
    NotRun,
}

impl Verdict {
    /// All, in the order of tables.
    pub const ALL: [Self; 3] = [Self::Passed, Self::Failed, Self::NotRun];

    /// The word in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::NotRun => "not run",
        }
    }
}

/// What came of an item.
#[derive(Debug, Clone)]
pub struct Ran {
    /// How it came out.
    pub verdict: Verdict,
    /// What came, in a line; why it was not run, where it was not.
    pub got: String,
    /// How long it took.
    pub elapsed: Duration,
    /// What was wrong, one entry a fault.
    pub faults: Vec<String>,
    /// What went back and forth.
    pub transcript: Vec<String>,
}

impl Ran {
    /// Something that was not run, and why.
    #[must_use]
    pub fn not_run(why: &str) -> Self {
        let got = why.to_owned();
        Self { verdict: Verdict::NotRun, got, elapsed: Duration::ZERO, faults: Vec::new(), transcript: Vec::new() }
    }

    fn judged(faults: Vec<String>, got: String, elapsed: Duration, transcript: Vec<String>) -> Self {
        let verdict = if faults.is_empty() { Verdict::Passed } else { Verdict::Failed };
        Self { verdict, got, elapsed, faults, transcript }
    }

    /// The outcome for people: what to open, what was expected, what came, and, when it failed or is asked for, what
    /// went back and forth.
    #[must_use]
    pub fn shown(&self, item: &Item, transcript: bool) -> String {
        let mut lines = vec![
            format!("{}: {} ({:.0?})", item.id, self.verdict.word(), self.elapsed),
            format!("  title     {}", item.title),
            format!("  file      {}", item.file),
            format!("  expected  {}", item.expected.join(", or ")),
            format!("  got       {}", self.got),
        ];
        lines.extend(self.faults.iter().map(|fault| format!("  fault     {}", fault.replace('\n', "\n            "))));
        if self.verdict == Verdict::Failed && item.file.ends_with(".rs") {
            // The file to open holds a template or a table, so what was made of it is shown here.
            lines.push("  attack".to_owned());
            lines.extend(item.text.lines().map(|line| format!("    {line}")));
        }
        if transcript || self.verdict == Verdict::Failed {
            lines.push("  transcript".to_owned());
            lines.extend(self.transcript.iter().map(|line| format!("    {line}")));
        }
        lines.join("\n") + "\n"
    }
}

/// Why a case for the in-process host is not run against a binary.
pub const SESSION_REASON: &str = "not run against a binary: it needs a host that answers with exactly so many bytes. \
                                  `--session` runs the library of this checkout (cargo test -p wit --test session_corpus)";

/// What items of a run share. What a run does not need is not built.
pub struct Runner {
    kit: Arc<Kit>,
    hostile_worker: Lazy<PathBuf>,
    stage: Lazy<Stage>,
    session: Option<Lazy<Vec<(String, bool)>>>,
}

/// Made on first use, by one thread; a failure stays one.
struct Lazy<T>(OnceLock<Result<T, String>>);

impl<T> Lazy<T> {
    const fn new() -> Self {
        Self(OnceLock::new())
    }

    fn get(&self, make: impl FnOnce() -> Result<T>) -> Result<&T> {
        match self.0.get_or_init(|| make().map_err(|error| format!("{error:#}"))) {
            Ok(made) => Ok(made),
            Err(error) => bail!("{error}"),
        }
    }
}

impl Runner {
    /// A runner for the kit's binary; `session` also runs the cases for the in-process host, with cargo.
    #[must_use]
    pub fn new(kit: Arc<Kit>, session: bool) -> Self {
        Self { kit, hostile_worker: Lazy::new(), stage: Lazy::new(), session: session.then(Lazy::new) }
    }

    /// The binary under test.
    #[must_use]
    pub fn binary(&self) -> &std::path::Path {
        &self.kit.binary
    }

    /// Runs one item.
    ///
    /// # Errors
    /// Only when the kit itself cannot work. What the server does wrong is in the result.
    pub fn run(&self, item: &Item) -> Result<Ran> {
        match (&item.subject, item.place) {
            (Subject::Case(_), Place::Session) => self.session(item),
            (Subject::Case(case), _) => self.case(case, None),
            (Subject::Generated(case, text), _) => self.case(case, Some(text)),
            (Subject::Probe(name), _) => self.probe(name),
        }
    }

    fn case(&self, case: &Case, text: Option<&str>) -> Result<Ran> {
        let mut report = match (case.kind, text) {
            (Kind::Script, _) => self.kit.run(case)?,
            (Kind::Frames(_), None) => frames::perform::run(&self.kit, self.hostile_worker()?, case)?,
            (Kind::Frames(_), Some(text)) => frames::perform::run_text(&self.kit, self.hostile_worker()?, case, text)?,
        };
        report.faults.extend(snapshot_fault(case, &report));
        let got = match (case.kind, report.faults.is_empty()) {
            (Kind::Frames(crate::corpus::Direction::ToWorker), true) => "exactly that".to_owned(),
            (Kind::Frames(crate::corpus::Direction::ToWorker), false) => "something else".to_owned(),
            _ => report.observed.shown(),
        };
        Ok(Ran::judged(report.faults, got, report.elapsed, report.transcript))
    }

    fn hostile_worker(&self) -> Result<&std::path::Path> {
        self.hostile_worker.get(|| binary::companion("hostile_worker")).map(PathBuf::as_path)
    }

    fn probe(&self, name: &str) -> Result<Ran> {
        let stage = self.stage.get(|| Stage::set(&binary::companion("probe")?))?;
        let attack = attacks::named(name).with_context(|| format!("there is no attack {name}"))?;
        let began = Instant::now();
        let (mut faults, mut transcript) = (Vec::new(), Vec::new());
        for who in stage.identities() {
            let end = stage.attack(who, name, &[])?;
            transcript.push(format!("started by {}: {end}", who.name()));
            if !attack.full.admits(end) {
                faults.push(format!("started by {}: {end}, expected {}", who.name(), attack.full));
            }
        }
        let got = transcript.join("; ");
        Ok(Ran::judged(faults, got, began.elapsed(), transcript))
    }

    fn session(&self, item: &Item) -> Result<Ran> {
        let Some(session) = &self.session else { return Ok(Ran::not_run(SESSION_REASON)) };
        let results = session.get(run_session)?;
        let passed = results.iter().find(|(id, _)| *id == item.id).map(|(_, passed)| *passed);
        let got = "judged by cargo test -p wit --test session_corpus, around the library of this checkout".to_owned();
        Ok(match passed {
            Some(true) => Ran::judged(Vec::new(), got, Duration::ZERO, Vec::new()),
            Some(false) => {
                let fault = format!("cargo test -p wit --test session_corpus {} shows the difference", item.id);
                Ran::judged(vec![fault], got, Duration::ZERO, Vec::new())
            }
            None => Ran::not_run("the session test has no such case"),
        })
    }
}

/// The whole envelope of a case that has a snapshot.
fn snapshot_fault(case: &Case, report: &Report) -> Option<String> {
    if !case.snapshot {
        return None;
    }
    match (&report.result, &report.observed) {
        (Some(result), _) => snapshot::compare(&case.id, result).err(),
        // A server that refuses to start answers no call: its line on stderr is the envelope.
        (None, Observed::Failure(object)) => snapshot::compare(&case.id, object).err(),
        _ => Some("a case with a snapshot needs an answer".to_owned()),
    }
}

/// The server's own test of the cases for the in-process host: each id and whether it passed.
fn run_session() -> Result<Vec<(String, bool)>> {
    let output = binary::cargo()
        // The selection that built the binary under test: another would put another binary in its place.
        .args(["test", "--workspace", "--test", "session_corpus"])
        .current_dir(binary::workspace())
        .output()
        .context("cannot run cargo")?;
    let results = session_results(&String::from_utf8_lossy(&output.stdout));
    if results.is_empty() {
        bail!("the session test ran nothing:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(results)
}

/// Lines such as `test NAME ... ok`.
fn session_results(text: &str) -> Vec<(String, bool)> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("test ")?.split_once("... "));
    lines.map(|(name, result)| (name.trim().to_owned(), result.trim() == "ok")).collect()
}

/// Runs items side by side; `done` hears of each.
///
/// # Errors
/// The first failure of the kit itself.
pub fn run_all<'a>(
    runner: &Runner,
    items: &[&'a Item],
    done: impl Fn(&Item, &Ran) + Sync,
) -> Result<Vec<(&'a Item, Ran)>> {
    let mut all = side_by_side(twice_the_processors(), items, |item| {
        let ran = runner.run(item).with_context(|| item.id.clone())?;
        done(item, &ran);
        Ok((*item, ran))
    })?;
    all.sort_by(|(a, _), (b, _)| a.id.cmp(&b.id));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    #[test]
    fn results_of_the_session_test_are_read() {
        let text =
            "\nrunning 2 tests\ntest a-case    ... ok\ntest other ... FAILED\n\ntest result: ok. 2 passed; 0 failed\n";
        assert_eq!(session_results(text), [("a-case".to_owned(), true), ("other".to_owned(), false)]);
    }

    #[test]
    fn a_failure_shows_all_that_is_needed_to_go_on() {
        let catalogue = Catalogue::load().unwrap_or_else(|error| panic!("{error}"));
        let shown = |id: &str, faults: Vec<String>, transcript: bool| {
            let item = catalogue.get(id).unwrap_or_else(|| panic!("{id}"));
            let ran = Ran::judged(faults, "value 2".to_owned(), Duration::ZERO, vec!["→ tools/call".to_owned()]);
            ran.shown(item, transcript)
        };
        let failed = shown("final-cycle", vec!["expected value 1, got value 2".to_owned()], false);
        for part in [
            "final-cycle: failed",
            "adversarial-scripts/final-value/final-cycle.js",
            "not_json",
            "got       value 2",
            "fault     expected value 1",
            "→ tools/call",
        ] {
            assert!(failed.contains(part), "{part}: {failed}");
        }
        assert!(!shown("final-cycle", Vec::new(), false).contains("tools/call"));
        assert!(shown("final-cycle", Vec::new(), true).contains("tools/call"));
        let generated = shown("gen/ready/version/null", vec!["x".to_owned()], false);
        assert!(generated.contains("generate.rs") && generated.contains("send json"), "{generated}");
    }
}
