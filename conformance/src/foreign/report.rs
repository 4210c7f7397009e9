//! The report of a survey: counts, families × verdicts, and every case with what came of it.

use std::fmt::Write as _;

use serde::Serialize;

use super::survey::Finding;
use crate::catalogue::Catalogue;
use crate::corpus::{Case, Outcome};
use crate::report::inline;
use crate::run::Report;

/// How a case came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it must.
    Passed,
    /// Otherwise.
    Failed,
    /// Not held against the server, for a reason of the adapter's.
    Skipped,
    /// Cannot be run with this server.
    Unsupported,
}

impl Verdict {
    const ALL: [Self; 4] = [Self::Passed, Self::Failed, Self::Skipped, Self::Unsupported];

    const fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Unsupported => "unsupported",
        }
    }
}

/// One case.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The id.
    pub id: String,
    /// The family.
    pub family: String,
    /// The title.
    pub title: String,
    /// The invariants it holds a server to.
    pub invariants: Vec<String>,
    /// What is expected.
    pub expected: Vec<String>,
    /// How it came out.
    pub verdict: Verdict,
    /// What came, if it was run.
    pub got: Option<String>,
    /// Milliseconds the call took, if it was run.
    pub ms: Option<u64>,
    /// What was wrong.
    pub faults: Vec<String>,
    /// Why it was skipped, or is not supported.
    pub why: Option<String>,
    /// For what was skipped and run all the same: whether it would have passed.
    pub would_pass: Option<bool>,
    /// What went back and forth.
    #[serde(skip)]
    pub transcript: Vec<String>,
}

impl Row {
    fn bare(case: &Case, verdict: Verdict) -> Self {
        Self {
            id: case.id.clone(),
            family: case.family.clone(),
            title: case.title.clone(),
            invariants: case.invariants.clone(),
            expected: case.expect.outcomes.iter().map(Outcome::shown).collect(),
            verdict,
            got: None,
            ms: None,
            faults: Vec::new(),
            why: None,
            would_pass: None,
            transcript: Vec::new(),
        }
    }

    pub(super) fn unrun(case: &Case, verdict: Verdict, why: &str) -> Self {
        Self { why: Some(why.to_owned()), ..Self::bare(case, verdict) }
    }

    pub(super) fn run(case: &Case, report: &Report) -> Self {
        let verdict = if report.faults.is_empty() { Verdict::Passed } else { Verdict::Failed };
        Self {
            got: Some(report.observed.shown()),
            ms: Some(u64::try_from(report.elapsed.as_millis()).unwrap_or(u64::MAX)),
            faults: report.faults.clone(),
            transcript: report.transcript.clone(),
            ..Self::bare(case, verdict)
        }
    }

    pub(super) fn skipped(self, why: &str) -> Self {
        let would_pass = Some(self.verdict == Verdict::Passed);
        Self { verdict: Verdict::Skipped, why: Some(why.to_owned()), would_pass, ..self }
    }

    /// The case in a line, and what was wrong in more.
    #[must_use]
    pub fn shown(&self) -> String {
        let mut text = format!("{:<11} {}", self.verdict.word(), self.id);
        if let Some(why) = &self.why {
            let _ = write!(text, ": {why}");
        }
        for fault in self.faults.iter().filter(|_| self.verdict == Verdict::Failed) {
            let _ = write!(text, "\n            {fault}");
        }
        text
    }
}

/// A survey with what it was made of.
#[derive(Debug, Serialize)]
pub struct ForeignReport {
    /// The server's name, as the adapter gives it.
    pub server: String,
    /// The command that started it.
    pub command: String,
    /// The adapter's file name.
    pub adapter: String,
    /// SHA-256 over the catalogue, as in the report of a run of wit.
    pub corpus_sha256: String,
    /// The kernel's release.
    pub kernel: String,
    /// What was chosen; every case if nothing.
    pub selection: Vec<String>,
    /// What the adapter says and nothing bears out.
    pub stale: Vec<String>,
    /// One row a case, by id.
    pub cases: Vec<Row>,
}

impl ForeignReport {
    pub(super) fn new(
        server: String,
        command: String,
        adapter: String,
        selection: Vec<String>,
        finding: Finding,
    ) -> anyhow::Result<Self> {
        let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned();
        let corpus_sha256 = Catalogue::load()?.digest();
        let Finding { rows: cases, stale } = finding;
        Ok(Self { server, command, adapter, corpus_sha256, kernel, selection, stale, cases })
    }

    /// How many cases of a family (all if none is given) came out so.
    #[must_use]
    pub fn count(&self, family: Option<&str>, verdict: Verdict) -> usize {
        let of = |row: &&Row| row.verdict == verdict && family.is_none_or(|family| row.family == family);
        self.cases.iter().filter(of).count()
    }

    /// Whether nothing failed and the adapter says nothing in vain.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.stale.is_empty() && self.count(None, Verdict::Failed) == 0
    }

    /// The counts in a line.
    #[must_use]
    pub fn summary(&self) -> String {
        Verdict::ALL.map(|verdict| format!("{} {}", self.count(None, verdict), verdict.word())).join(", ")
    }

    /// The report as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("# Conformance of {}\n\n", short(&self.server));
        let selection = if self.selection.is_empty() { "every case".to_owned() } else { self.selection.join(", ") };
        for (name, value) in [
            ("command", &self.command),
            ("adapter", &self.adapter),
            ("cases", &selection),
            ("corpus SHA-256", &self.corpus_sha256),
            ("kernel", &self.kernel),
            ("result", &self.summary()),
        ] {
            if name == "command" {
                text.push_str("| | |\n|---|---|\n");
            }
            let _ = writeln!(text, "| {name} | {} |", short(value));
        }
        text.push_str(
            "\n## Families\n\n| family | passed | failed | skipped | unsupported |\n|---|---:|---:|---:|---:|\n",
        );
        let mut families: Vec<&str> = self.cases.iter().map(|row| row.family.as_str()).collect();
        families.sort_unstable();
        families.dedup();
        for family in families {
            let counts = Verdict::ALL.map(|verdict| self.count(Some(family), verdict).to_string());
            let _ = writeln!(text, "| {} | {} |", short(family), counts.join(" | "));
        }
        for entry in &self.stale {
            let _ = write!(text, "\nThe adapter is stale: {}\n", short(entry));
        }
        text.push_str("\n## What failed\n\n| case | title | what was found |\n|---|---|---|\n");
        for row in self.cases.iter().filter(|row| row.verdict == Verdict::Failed) {
            let _ = writeln!(text, "| {} | {} | {} |", row.id, short(&row.title), short(&row.faults.join("; ")));
        }
        text.push_str("\n## What was not judged\n\n| why | skipped | unsupported |\n|---|---:|---:|\n");
        let mut reasons: Vec<&str> = self.cases.iter().filter_map(|row| row.why.as_deref()).collect();
        reasons.sort_unstable();
        reasons.dedup();
        for why in reasons {
            let count = |verdict: Verdict| {
                self.cases.iter().filter(|row| row.why.as_deref() == Some(why) && row.verdict == verdict).count()
            };
            let _ =
                writeln!(text, "| {} | {} | {} |", short(why), count(Verdict::Skipped), count(Verdict::Unsupported));
        }
        text.push_str("\n## What passed\n\n| case | title | ms |\n|---|---|---:|\n");
        for row in self.cases.iter().filter(|row| row.verdict == Verdict::Passed) {
            let _ = writeln!(text, "| {} | {} | {} |", row.id, short(&row.title), row.ms.unwrap_or_default());
        }
        text
    }
}

/// The beginning of a text, which stays in its cell and is no markup. What servers say comes in here.
fn short(text: &str) -> String {
    const CHARACTERS: usize = 300;
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => inline(&text[..end]) + "…",
        None => inline(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_a_server_says_leaves_its_cell() {
        assert_eq!(short("a|b\n<script>`x`"), "a\\|b␊&lt;script&gt;\\`x\\`");
        assert!(short(&"x".repeat(1000)).chars().count() <= 301);
    }
}
