//! `report`: runs what is chosen and writes the report, to stdout or a file.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use clap::Args;
use conformance::catalogue::perform::{Ran, Runner, run_all};
use conformance::catalogue::{Catalogue, Filter, Item};
use conformance::report::{Format, Head, RunReport, date};
use conformance::run::Kit;

use super::{chosen, print, selection};

/// Arguments that say how a report is made; one that is made already has them in its head.
const MADE_OTHERWISE: [&str; 9] = ["ids", "family", "flag", "invariant", "code", "place", "profile", "date", "session"];

/// What to report, and how.
#[derive(Debug, Args)]
pub(crate) struct Report {
    #[command(flatten)]
    filter: Filter,
    /// Its form; given several times with --output, each is written beside the other
    #[arg(long, value_enum, default_value = "md")]
    format: Vec<Format>,
    /// Where to write it; stdout if absent. With several forms the name gets each one's ending
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What this profile requires
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The date to put in the head; now if absent
    #[arg(long, value_name = "DATE", value_parser = date::given)]
    date: Option<String>,
    /// Run nothing: take this JSON report, and write it in another form
    #[arg(long, value_name = "FILE", conflicts_with_all = MADE_OTHERWISE)]
    from: Option<PathBuf>,
    /// Also the cases for the in-process host, with cargo: the library of this checkout, not the binary
    #[arg(long)]
    session: bool,
}

impl Report {
    /// What of this takes the place of a binary, if anything.
    pub(crate) fn instead_of_binary(&self) -> Option<&'static str> {
        self.from.as_ref().map(|_| "--from")
    }

    pub(crate) fn run(self, kit: impl FnOnce() -> Result<Arc<Kit>>) -> Result<bool> {
        let report = match &self.from {
            Some(path) => {
                let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
                serde_json::from_str(&text).with_context(|| format!("{} is no report", path.display()))?
            }
            None => self.made(kit)?,
        };
        for format in &self.format {
            let text = report.render(*format)?;
            match &self.output {
                None => print(&text)?,
                Some(path) => {
                    let path = if self.format.len() > 1 { path.with_extension(ending(*format)) } else { path.clone() };
                    std::fs::write(&path, text).with_context(|| path.display().to_string())?;
                    eprintln!("wrote {}", path.display());
                }
            }
        }
        Ok(report.holds())
    }

    /// Runs what is chosen.
    fn made(&self, kit: impl FnOnce() -> Result<Arc<Kit>>) -> Result<RunReport> {
        if let Some(path) =
            self.output.as_ref().and_then(|path| path.parent()).filter(|path| !path.as_os_str().is_empty())
        {
            // Before minutes are spent, not after.
            std::fs::create_dir_all(path).with_context(|| path.display().to_string())?;
        }
        let catalogue = Catalogue::load()?;
        let items = chosen(&catalogue, &self.filter, self.profile.as_deref())?;
        let runner = Runner::new(kit()?, self.session);
        let (done, total) = (AtomicUsize::new(0), items.len());
        let progress = |_: &Item, _: &Ran| {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(250) || done == total {
                eprintln!("{done} of {total}");
            }
        };
        let selection = selection(&catalogue, &self.filter, self.profile.as_deref(), total);
        let head = Head::new(runner.binary(), &catalogue, self.date.clone().unwrap_or_else(date::now), selection)?;
        let results = run_all(&runner, &items, progress)?;
        head.still_names(runner.binary())?;
        RunReport::new(head, &catalogue, results)
    }
}

const fn ending(format: Format) -> &'static str {
    match format {
        Format::Json => "json",
        Format::Md => "md",
        Format::Html => "html",
        Format::Junit => "xml",
        Format::Sarif => "sarif",
    }
}
