//! `conformance mutants` from a shell.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;

use super::run::{Options, run};
use super::table::{self, Outcome};
use super::{Mutant, load};

/// Break wit on purpose, one small fault at a time, and see that the gate notices each
#[derive(Debug, Clone, Args)]
pub struct Arguments {
    /// Only mutants whose id contains this; may be given several times
    #[arg(long, value_name = "ID")]
    pub only: Vec<String>,
    /// How many at once; each needs a copy of the workspace and a build directory of its own
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub jobs: usize,
    /// Where the copies lie; `mutants` below the build directory if absent. Kept, so that the next run is faster
    #[arg(long, value_name = "DIRECTORY")]
    pub scratch: Option<PathBuf>,
    /// Only list them, with what an attacker would gain
    #[arg(long)]
    pub list: bool,
    /// Write each result into docs/mutants.md as it comes
    #[arg(long)]
    pub write: bool,
}

impl Arguments {
    /// Does what is asked for; gives what to print and whether every mutant was caught.
    ///
    /// # Errors
    /// As [`run`].
    pub fn run(self) -> Result<(String, bool)> {
        let all = load().map_err(anyhow::Error::msg)?;
        if self.list {
            let chosen =
                all.iter().filter(|m| self.only.is_empty() || self.only.iter().any(|part| m.id.contains(part)));
            return Ok((chosen.map(shown).collect(), true));
        }
        ensure!(self.jobs >= 1, "--jobs is at least 1");
        let options = Options { only: self.only, jobs: self.jobs, scratch: self.scratch };
        let write = |ran: &[_]| if self.write { table::write(&all, ran) } else { Ok(()) };
        let ran = run(&options, &|line| eprintln!("{line}"), &write)?;
        Ok(summary(&ran))
    }
}

fn shown(mutant: &Mutant) -> String {
    let gain = mutant.gain.replace('\n', "\n    ");
    format!("{} ({})\n    {}\n    {gain}\n", mutant.id, mutant.invariants.join(" "), mutant.title)
}

fn summary(ran: &[(Mutant, Outcome)]) -> (String, bool) {
    let left: Vec<_> = ran.iter().filter(|(_, outcome)| !outcome.is_caught()).collect();
    let caught = ran.len() - left.len();
    let survived = left.iter().filter(|(_, outcome)| *outcome == Outcome::Survived).count();
    let mut text = format!(
        "{caught} of {} mutants caught, {survived} survived, {} not judged\n",
        ran.len(),
        left.len() - survived
    );
    for (mutant, outcome) in &left {
        text.push_str(&format!("{}: {outcome}\n", mutant.id));
    }
    (text, left.is_empty())
}
