//! `run`: what is chosen, against the binary. A failure shows all that is needed to go on.

use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use conformance::catalogue::perform::{Ran, Runner, Verdict, run_all};
use conformance::catalogue::{Catalogue, Filter, Item};
use conformance::report::Counts;
use conformance::run::Kit;

use super::{chosen, print};

/// What to run.
#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    foreign: conformance::foreign::Arguments,
    /// What this profile requires
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Everything
    #[arg(long)]
    all: bool,
    /// Show what went back and forth also of what passed
    #[arg(long)]
    transcript: bool,
    /// Also the cases for the in-process host, with cargo: the library of this checkout, not the binary
    #[arg(long)]
    session: bool,
}

impl Run {
    /// What of this takes the place of a binary, if anything.
    pub(crate) fn instead_of_binary(&self) -> Option<&'static str> {
        self.foreign.server.as_ref().map(|_| "--server")
    }

    pub(crate) fn run(&self, kit: impl FnOnce() -> Result<Arc<Kit>>) -> Result<bool> {
        if self.foreign.server.is_some() {
            let (text, holds) = self.foreign.run(&self.filter.ids)?;
            print(&text)?;
            return Ok(holds);
        }
        let catalogue = Catalogue::load()?;
        let items = chosen(&catalogue, &self.filter, self.profile.as_deref())?;
        if items.len() == catalogue.items.len() && !self.all && self.profile.is_none() {
            bail!("say what to run: ids, a filter, --profile NAME, or --all");
        }
        let runner = Runner::new(kit()?, self.session);
        let few = items.len() <= 20;
        let show = |item: &Item, ran: &Ran| {
            if few || ran.verdict == Verdict::Failed {
                // A reader that has gone is not a failure of ours.
                drop(print(&(ran.shown(item, self.transcript) + "\n")));
            }
        };
        let results = run_all(&runner, &items, show)?;
        let counts = Counts::of(results.iter().map(|(_, ran)| ran.verdict));
        print(&format!("{} passed, {} failed, {} not run\n", counts.passed, counts.failed, counts.not_run))?;
        Ok(counts.failed == 0)
    }
}
