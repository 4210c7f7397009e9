//! The report of a run: what was tested, on what, and how each item came out.
//!
//! One model, [`RunReport`], and five forms of it. The head pins the binary, its engine, the corpus, the kernel and the
//! lockdown that was achieved, so that two reports can be told apart, or set side by side. The corpus is hostile text:
//! each form escapes all of it, and `tests/report.rs` proves that none of it gets out.

pub mod date;
pub mod head;
mod html;
mod junit;
mod markdown;
mod requirements;
mod sarif;

use serde::{Deserialize, Serialize};

use crate::catalogue::perform::{Ran, Verdict};
use crate::catalogue::{Catalogue, Item, Place};
pub use head::Head;
pub(crate) use markdown::inline;
pub use requirements::Promise;

/// A whole run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunReport {
    /// What was tested, on what.
    pub head: Head,
    /// How many came out how.
    pub counts: Counts,
    /// What the documents promise, with the items that hold it up.
    pub promises: Vec<Promise>,
    /// What each flag means, for those that occur.
    pub flags: Vec<FlagRow>,
    /// One row an item, by id.
    pub items: Vec<Row>,
}

/// How many items came out how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// All.
    pub total: usize,
    /// Passed.
    pub passed: usize,
    /// Failed.
    pub failed: usize,
    /// Not run, which is not passed.
    pub not_run: usize,
}

impl Counts {
    /// Counts verdicts.
    #[must_use]
    pub fn of(verdicts: impl IntoIterator<Item = Verdict>) -> Self {
        verdicts.into_iter().fold(Self::default(), |mut counts, verdict| {
            counts.total += 1;
            *match verdict {
                Verdict::Passed => &mut counts.passed,
                Verdict::Failed => &mut counts.failed,
                Verdict::NotRun => &mut counts.not_run,
            } += 1;
            counts
        })
    }

    /// The number of one verdict.
    #[must_use]
    pub const fn get(&self, verdict: Verdict) -> usize {
        match verdict {
            Verdict::Passed => self.passed,
            Verdict::Failed => self.failed,
            Verdict::NotRun => self.not_run,
        }
    }
}

/// A flag as an auditor reads it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FlagRow {
    /// Its name.
    pub name: String,
    /// What it attacks.
    pub attacks: String,
    /// What an attacker gains when the defence is missing.
    pub effect: String,
}

/// One item.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    /// The id.
    pub id: String,
    /// The title.
    pub title: String,
    /// The family.
    pub family: String,
    /// Where it runs: `binary`, `session`, `to-parent`, `to-worker` or `probe`.
    pub place: String,
    /// What was under test, in a phrase.
    pub tested: String,
    /// Who could do what, and what must stop them.
    pub threat: String,
    /// The invariants it holds the server to.
    pub invariants: Vec<String>,
    /// Its flags.
    pub flags: Vec<String>,
    /// Where it comes from.
    pub refs: Vec<String>,
    /// Codes it accepts.
    pub codes: Vec<String>,
    /// The code it tries to fake.
    pub forges: Option<String>,
    /// What was expected, one entry an accepted outcome.
    pub expected: Vec<String>,
    /// The file to open, relative to the checkout.
    pub file: String,
    /// SHA-256 of what defines the item.
    pub digest: String,
    /// The front-matter, as it stands.
    pub front: String,
    /// The attack.
    pub text: String,
    /// How it came out.
    pub result: Verdict,
    /// What came, or why nothing was run.
    pub got: String,
    /// Milliseconds the call took.
    pub ms: u64,
    /// What was wrong.
    pub faults: Vec<String>,
    /// What went back and forth.
    pub transcript: Vec<String>,
}

impl Row {
    /// The row of an item that was run, or was not.
    #[must_use]
    pub fn of(item: &Item, ran: Ran) -> Self {
        let place: Place = item.place;
        Self {
            id: item.id.clone(),
            title: item.title.clone(),
            family: item.family.clone(),
            place: place.name().to_owned(),
            tested: place.meaning().to_owned(),
            threat: item.threat.clone(),
            invariants: item.invariants.clone(),
            flags: item.flags.clone(),
            refs: item.refs.clone(),
            codes: item.codes.clone(),
            forges: item.forges.clone(),
            expected: item.expected.clone(),
            file: item.file.clone(),
            digest: item.digest.clone(),
            front: item.front.clone(),
            text: item.text.clone(),
            result: ran.verdict,
            got: ran.got,
            ms: u64::try_from(ran.elapsed.as_millis()).unwrap_or(u64::MAX),
            faults: ran.faults,
            transcript: ran.transcript,
        }
    }
}

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// The whole model, for programs
    Json,
    /// Summary, failures and a table, for people and pull requests
    Md,
    /// One self-contained page, for auditors
    Html,
    /// For CI systems that show tests
    Junit,
    /// For CI systems that show findings in code: failures only
    Sarif,
}

impl RunReport {
    /// Puts the results in order under a head.
    ///
    /// # Errors
    /// When the list of promises cannot be read.
    pub fn new(head: Head, catalogue: &Catalogue, results: Vec<(&Item, Ran)>) -> anyhow::Result<Self> {
        let mut items: Vec<Row> = results.into_iter().map(|(item, ran)| Row::of(item, ran)).collect();
        items.sort_by(|a, b| a.id.cmp(&b.id));
        let used = |name: &String| items.iter().any(|row| row.flags.contains(name));
        let flags = catalogue.flags.iter().filter(|(name, _)| used(name)).map(|(name, flag)| FlagRow {
            name: name.clone(),
            attacks: flag.attacks.clone(),
            effect: flag.effect.clone(),
        });
        Ok(Self {
            head,
            counts: Counts::of(items.iter().map(|row| row.result)),
            promises: requirements::promises(&items)?,
            flags: flags.collect(),
            items,
        })
    }

    /// Whether nothing failed. What was not run is counted, and is no failure.
    #[must_use]
    pub const fn holds(&self) -> bool {
        self.counts.failed == 0
    }

    /// The report in one of its forms.
    ///
    /// # Errors
    /// When it has no JSON form, which cannot happen.
    pub fn render(&self, format: Format) -> anyhow::Result<String> {
        Ok(match format {
            Format::Json => serde_json::to_string_pretty(self)? + "\n",
            Format::Md => markdown::render(self),
            Format::Html => html::render(self),
            Format::Junit => junit::render(self),
            Format::Sarif => serde_json::to_string_pretty(&sarif::render(self))? + "\n",
        })
    }

    /// The families, in order, each with its counts.
    #[must_use]
    pub fn families(&self) -> Vec<(&str, Counts)> {
        self.groups(|row| vec![row.family.as_str()])
    }

    /// The values that a key has, in order, each with its counts.
    fn groups<'a>(&'a self, key: impl Fn(&'a Row) -> Vec<&'a str>) -> Vec<(&'a str, Counts)> {
        let mut names: Vec<&str> = self.items.iter().flat_map(&key).collect();
        // I2 before I10.
        names.sort_unstable_by_key(|name| (name.len() * usize::from(name.starts_with('I')), *name));
        names.dedup();
        let count =
            |name: &str| Counts::of(self.items.iter().filter(|row| key(row).contains(&name)).map(|row| row.result));
        names.into_iter().map(|name| (name, count(name))).collect()
    }
}
