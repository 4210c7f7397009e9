//! The report of a run: what was tested, on what, and how each case came out.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use crate::corpus::Case;
use crate::run::Report;

/// A whole run.
#[derive(Debug, Serialize)]
pub struct RunReport {
    /// What was tested, on what.
    pub head: Head,
    /// One row a case, by id.
    pub cases: Vec<Row>,
}

/// What pins a report to a binary, a corpus and a machine.
#[derive(Debug, Serialize)]
pub struct Head {
    /// What `--version` printed.
    pub version: String,
    /// A digest of the binary's bytes.
    pub binary_digest: String,
    /// A digest of all case files and the flags.
    pub corpus_digest: String,
    /// The kernel's release.
    pub kernel: String,
    /// Cases run.
    pub total: usize,
    /// Cases passed.
    pub passed: usize,
}

/// One case.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The id.
    pub id: String,
    /// The family.
    pub family: String,
    /// The title.
    pub title: String,
    /// The invariants it holds the server to.
    pub invariants: Vec<String>,
    /// What was expected.
    pub expected: Vec<String>,
    /// What came.
    pub got: String,
    /// Whether it passed.
    pub passed: bool,
    /// Milliseconds the call took.
    pub ms: u128,
    /// What was wrong.
    pub faults: Vec<String>,
}

impl Row {
    /// The row of a case that was run.
    #[must_use]
    pub fn of(case: &Case, report: &Report) -> Self {
        Self {
            id: case.id.clone(),
            family: case.family.clone(),
            title: case.title.clone(),
            invariants: case.invariants.clone(),
            expected: case.expect.outcomes.iter().map(crate::corpus::Outcome::shown).collect(),
            got: report.observed.shown(),
            passed: report.faults.is_empty(),
            ms: report.elapsed.as_millis(),
            faults: report.faults.clone(),
        }
    }
}

impl RunReport {
    /// Puts the rows in order under a head that pins them.
    ///
    /// # Errors
    /// When the binary or the corpus cannot be read.
    pub fn new(binary: &Path, corpus: &Path, mut cases: Vec<Row>) -> anyhow::Result<Self> {
        cases.sort_by(|a, b| a.id.cmp(&b.id));
        let version = std::process::Command::new(binary).arg("--version").output()?;
        let head = Head {
            version: String::from_utf8_lossy(&version.stdout).trim().to_owned(),
            binary_digest: digest::file(binary)?,
            corpus_digest: digest::directory(corpus)?,
            kernel: std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned(),
            total: cases.len(),
            passed: cases.iter().filter(|row| row.passed).count(),
        };
        Ok(Self { head, cases })
    }

    /// The report as Markdown: the head, families × results, failures in full, then every case.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::from("# Conformance report\n\n");
        let Head { version, binary_digest, corpus_digest, kernel, total, passed } = &self.head;
        let _ = writeln!(
            text,
            "| | |\n|---|---|\n| server | {version} |\n| binary | `{binary_digest}` |\n| corpus | `{corpus_digest}` |\n\
             | kernel | {kernel} |\n| passed | {passed} of {total} |\n"
        );
        text.push_str("| family | passed | failed |\n|---|---:|---:|\n");
        let mut families: Vec<&str> = self.cases.iter().map(|row| row.family.as_str()).collect();
        families.sort_unstable();
        families.dedup();
        for family in families {
            let rows = || self.cases.iter().filter(|row| row.family == family);
            let passed = rows().filter(|row| row.passed).count();
            let _ = writeln!(text, "| {family} | {passed} | {} |", rows().count() - passed);
        }
        for row in self.cases.iter().filter(|row| !row.passed) {
            let _ = write!(text, "\n## {}\n\n{}\n\n", row.id, row.title);
            for fault in &row.faults {
                let _ = writeln!(text, "- {}", cell(fault));
            }
        }
        text.push_str(
            "\n## Every case\n\n| case | title | invariants | expected | result | ms |\n|---|---|---|---|---|---:|\n",
        );
        for row in &self.cases {
            let Row { id, title, invariants, expected, passed, ms, .. } = row;
            let result = if *passed { "passed" } else { "FAILED" };
            let (invariants, expected) = (invariants.join(" "), cell(&expected.join(", or ")));
            let _ = writeln!(text, "| {id} | {} | {invariants} | {expected} | {result} | {ms} |", cell(title));
        }
        text
    }
}

/// A text that cannot break a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

/// Digests that tell versions apart.
mod digest {
    use std::fs;
    use std::path::{Path, PathBuf};

    /// SHA-256 of a file.
    pub(super) fn file(path: &Path) -> anyhow::Result<String> {
        Ok(hex(&fs::read(path)?))
    }

    /// SHA-256 over names and contents of all files below, in order of their names.
    pub(super) fn directory(root: &Path) -> anyhow::Result<String> {
        let mut files = Vec::new();
        collect(root, &mut files)?;
        files.sort();
        let mut all = Vec::new();
        for path in files {
            let contents = fs::read(&path)?;
            all.extend(path.strip_prefix(root)?.to_string_lossy().as_bytes());
            all.push(0);
            all.extend(u64::try_from(contents.len())?.to_be_bytes());
            all.extend(contents);
        }
        Ok(hex(&all))
    }

    fn hex(bytes: &[u8]) -> String {
        use sha2::Digest as _;
        sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            if path.is_dir() { collect(&path, files)? } else { files.push(path) }
        }
        Ok(())
    }
}
