//! Runs mutants: build, the parts of the gate that each names, then the whole gate.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Result, bail, ensure};

use super::scratch::{Built, Scratch};
use super::suite::{Ended, PROGRAMS, Suite};
use super::table::Outcome;
use super::{Mutant, load};
use crate::binary::workspace;

/// How often a part is begun anew after a failure that did not come again.
const TRIES: usize = 3;

/// A mutant, and what became of it.
pub type Judged = (Mutant, Outcome);

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Options {
    /// Only mutants whose id contains one of these; all if empty.
    pub only: Vec<String>,
    /// How many at once, each in a copy of its own.
    pub jobs: usize,
    /// Where the copies lie; below the build directory if absent.
    pub scratch: Option<PathBuf>,
}

/// Runs the mutants asked for, and tells of each as it ends. `judged` is given all that have ended, each time that one
/// does: a run takes an hour, and what it found must not be lost when it is stopped.
///
/// # Errors
/// When the unbroken tree does not build or does not pass, so that a failure would mean nothing; and when the kit
/// itself cannot work.
pub fn run(
    options: &Options,
    tell: &(dyn Fn(&str) + Sync),
    judged: &(dyn Fn(&[Judged]) -> Result<()> + Sync),
) -> Result<Vec<Judged>> {
    let mut mutants = load().map_err(anyhow::Error::msg)?;
    let wanted = |mutant: &Mutant| options.only.iter().any(|part| mutant.id.contains(part.as_str()));
    mutants.retain(|mutant| options.only.is_empty() || wanted(mutant));
    ensure!(!mutants.is_empty(), "there is no such mutant");
    for mutant in &mutants {
        mutant.applied(&workspace()).map_err(|stale| anyhow::anyhow!("{} is stale: {stale}", mutant.id))?;
    }
    // Those of one package together: what they have in common is then built once.
    mutants.sort_by(|a, b| a.packages().cmp(&b.packages()).then_with(|| a.id.cmp(&b.id)));
    let total = mutants.len();
    let place = options.scratch.clone().unwrap_or_else(default_place);
    let queue = Mutex::new(mutants.into_iter().collect::<VecDeque<_>>());
    let done = Mutex::new(Vec::with_capacity(total));
    std::thread::scope(|scope| {
        let (queue, done) = (&queue, &done);
        let jobs: Vec<_> = (0..options.jobs.max(1))
            .map(|job| {
                let place = place.join(job.to_string());
                scope.spawn(move || -> Result<()> {
                    let mut bench = Bench::set(Scratch::prepare(&place)?, tell)?;
                    loop {
                        let Some(mutant) = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front() else {
                            return Ok(());
                        };
                        let began = Instant::now();
                        let outcome = bench.judge(&mutant)?;
                        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                        let (number, seconds) = (done.len() + 1, began.elapsed().as_secs());
                        tell(&format!("[{number}/{total}] {}: {outcome} ({seconds} s)", mutant.id));
                        done.push((mutant, outcome));
                        judged(&done)?;
                    }
                })
            })
            .collect();
        jobs.into_iter().try_for_each(|job| job.join().unwrap_or_else(|_| bail!("a job panicked")))
    })?;
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by(|(a, _), (b, _)| a.id.cmp(&b.id));
    Ok(done)
}

fn default_place() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from);
    target.join("mutants")
}

/// A copy, and which parts of the gate the unbroken tree is known to pass.
struct Bench<'a> {
    scratch: Scratch,
    tell: &'a (dyn Fn(&str) + Sync),
    /// With the names of what each has run.
    sound: Vec<(Suite, Vec<String>)>,
}

impl<'a> Bench<'a> {
    fn set(scratch: Scratch, tell: &'a (dyn Fn(&str) + Sync)) -> Result<Self> {
        tell("building the unbroken tree");
        let mut bench = Self { scratch, tell, sound: Vec::new() };
        let whole: Vec<Suite> = PROGRAMS.iter().map(|program| Suite { program, filter: String::new() }).collect();
        tell("holding it to the whole gate: a test that fails anyway would prove nothing");
        for suite in whole {
            match bench.part(&suite, false)? {
                Part::Ran(Ended::Passed(names)) => bench.sound.push((suite, names)),
                Part::Ran(other) => bail!("the unbroken tree does not pass {suite}: {other:?}"),
                Part::NotBuilt(error) => bail!("the unbroken tree does not build: {error}"),
            }
        }
        Ok(bench)
    }

    fn judge(&mut self, mutant: &Mutant) -> Result<Outcome> {
        self.scratch.change(mutant)?;
        let outcome = self.held(mutant);
        self.scratch.restore()?;
        outcome
    }

    fn held(&self, mutant: &Mutant) -> Result<Outcome> {
        // Asked before anything is tried: an earlier part that catches would hide it.
        let exists = |suite: &Suite| self.sound.iter().any(|(whole, names)| suite.is_part_of(whole.program, names));
        if let Some(suite) = mutant.suites.iter().find(|suite| !exists(suite)) {
            return Ok(Outcome::Misdirected(suite.to_string()));
        }
        let mut changed = true;
        for suite in mutant.suites.iter().chain(self.sound.iter().map(|(whole, _)| whole)) {
            let mut tries = 0;
            loop {
                let ended = match self.part(suite, changed)? {
                    Part::NotBuilt(error) => return Ok(Outcome::NotBuilt(error)),
                    Part::Ran(ended) => ended,
                };
                changed = false;
                let caught = |test| Outcome::Caught { program: suite.program.to_owned(), test };
                match ended {
                    Ended::Passed(_) => break,
                    Ended::Empty => return Ok(Outcome::Misdirected(suite.to_string())),
                    Ended::Broken(how) => return Ok(caught(how)),
                    Ended::Failed(test) => {
                        // A machine busy with other builds can fail a test that has nothing to do with the mutant.
                        let again = Suite { program: suite.program, filter: test.clone() };
                        if tries == TRIES || matches!(self.part(&again, false)?, Part::Ran(Ended::Failed(_))) {
                            return Ok(caught(test));
                        }
                        (self.tell)(&format!("{}: {test} failed, and passed when tried again", mutant.id));
                        tries += 1;
                    }
                }
            }
        }
        Ok(Outcome::Survived)
    }

    /// Builds what a part needs and runs it.
    fn part(&self, suite: &Suite, changed: bool) -> Result<Part> {
        let executables = match self.scratch.build(&[suite.program], changed)? {
            Built::Yes(executables) => executables,
            Built::No(error) => return Ok(Part::NotBuilt(error)),
        };
        match (executables.get(suite.program), executables.get("wit")) {
            (Some(program), Some(wit)) => Ok(Part::Ran(suite.run(program, &self.scratch.package(), wit)?)),
            _ => bail!("cargo reported no {}", suite.program),
        }
    }
}

enum Part {
    NotBuilt(String),
    Ran(Ended),
}
