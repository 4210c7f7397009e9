//! Mutants: small faults put into wit on purpose, each of which the gate must notice.
//!
//! A gate that has never failed proves nothing. `conformance/mutants/<id>.toml` holds one fault a file: what is broken,
//! which invariant that breaks, what an attacker would gain, and the change itself as text to find and text to put in
//! its place. [`run`] applies one at a time to a scratch copy of the workspace, builds it, and holds the broken wit to
//! the gate. A mutant that survives is a hole in the gate, and is closed by a case.
//!
//! A change that no longer applies would make its mutant a test of nothing, so an ordinary test of this crate finds
//! every text in the present tree, exactly once.

mod command;
mod run;
mod scratch;
mod suite;
mod table;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

pub use command::Arguments;
pub use run::{Judged, Options, run};
pub use suite::Suite;
pub use table::{Outcome, Row, file as results_file, read as read_results};

use crate::binary::workspace;
use crate::corpus::INVARIANTS;

/// The least a gain must say, in bytes.
const GAIN_BYTES: usize = 40;

/// One fault.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// The file's stem.
    pub id: String,
    /// What is broken, in a line.
    pub title: String,
    /// The invariants of DESIGN §2 that it breaks.
    pub invariants: Vec<String>,
    /// What an attacker would gain.
    pub gain: String,
    /// The parts of the gate that should notice, in the order in which they are tried; the whole gate follows.
    pub suites: Vec<Suite>,
    /// The changes that make the fault.
    pub changes: Vec<Change>,
}

/// One place that is changed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The file, from the root of the workspace.
    pub file: String,
    /// Whole lines that stand there exactly once.
    pub find: String,
    /// What takes their place.
    pub replace: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    title: String,
    invariants: Vec<String>,
    gain: String,
    suites: Vec<String>,
    change: Vec<Change>,
}

/// Where the mutants of this checkout lie.
#[must_use]
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("mutants")
}

/// Reads every mutant, by id.
///
/// # Errors
/// Everything that is wrong with them, one line each.
pub fn load() -> Result<Vec<Mutant>, String> {
    let mut mutants = Vec::new();
    let mut faults = Vec::new();
    let entries = fs::read_dir(directory()).map_err(|error| format!("{}: {error}", directory().display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        match read(&path) {
            Ok(mutant) => mutants.push(mutant),
            Err(fault) => faults.push(format!("{}: {fault}", path.display())),
        }
    }
    if faults.is_empty() { Ok(mutants) } else { Err(faults.join("\n")) }
}

fn read(path: &Path) -> Result<Mutant, String> {
    let id = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Err("a mutant is a .toml file".into());
    }
    parse(id, &fs::read_to_string(path).map_err(|error| error.to_string())?)
}

fn parse(id: &str, text: &str) -> Result<Mutant, String> {
    let raw: Raw = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    if raw.title.trim().is_empty() || raw.title.contains(['\n', '|']) {
        return Err("the title must be one line without `|`".into());
    }
    if raw.gain.trim().len() < GAIN_BYTES {
        return Err("the gain must say what an attacker would have of it".into());
    }
    if let Some(unknown) = raw.invariants.iter().find(|name| !INVARIANTS.contains(&name.as_str())) {
        return Err(format!("{unknown} is not an invariant"));
    }
    if raw.invariants.is_empty() || raw.suites.is_empty() || raw.change.is_empty() {
        return Err("a mutant names invariants, suites and changes".into());
    }
    let suites = raw.suites.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let changes = raw.change.into_iter().map(Change::trimmed).collect::<Result<_, _>>()?;
    let Raw { title, invariants, gain, .. } = raw;
    Ok(Mutant { id: id.to_owned(), title, invariants, gain: gain.trim().to_owned(), suites, changes })
}

impl Mutant {
    /// The changed files with their new text.
    ///
    /// # Errors
    /// When a change does not apply to the tree at `root`.
    pub fn applied(&self, root: &Path) -> Result<Vec<(String, String)>, String> {
        let mut files: Vec<(String, String)> = Vec::new();
        for change in &self.changes {
            let known = files.iter().position(|(file, _)| *file == change.file);
            let before = match known.and_then(|index| files.get(index)) {
                Some((_, text)) => text.clone(),
                None => fs::read_to_string(root.join(&change.file)).map_err(|e| format!("{}: {e}", change.file))?,
            };
            let after = change.apply(&before)?;
            match known.and_then(|index| files.get_mut(index)) {
                Some(slot) => slot.1 = after,
                None => files.push((change.file.clone(), after)),
            }
        }
        Ok(files)
    }

    /// The packages whose files it changes: those with a common beginning are built anew together.
    fn packages(&self) -> BTreeSet<&str> {
        self.changes.iter().filter_map(|change| change.file.split('/').next()).collect()
    }
}

impl Change {
    /// Blocks of a file end with a newline that is not part of the text.
    fn trimmed(self) -> Result<Self, String> {
        let trim = |text: &str| text.strip_suffix('\n').unwrap_or(text).to_owned();
        let change = Self { file: self.file, find: trim(&self.find), replace: trim(&self.replace) };
        let shipped = change.file.starts_with("server/src/") || change.file.starts_with("worker/src/");
        if !shipped || change.file.contains("..") {
            return Err(format!("{} is not part of what is shipped", change.file));
        }
        if change.find.trim().is_empty() || change.find == change.replace {
            return Err(format!("the change of {} changes nothing", change.file));
        }
        Ok(change)
    }

    fn apply(&self, text: &str) -> Result<String, String> {
        match text.matches(&self.find).count() {
            1 => Ok(text.replacen(&self.find, &self.replace, 1)),
            count => Err(format!("{} holds this {count} times, not once:\n{}", self.file, self.find)),
        }
    }
}

/// Everything that is stale: changes that do not apply to this checkout, rows of the results without a mutant, and rows
/// that say that one survived. A mutant without a row has not been run yet.
#[must_use]
pub fn stale(mutants: &[Mutant], rows: &[Row]) -> Vec<String> {
    let mut faults: Vec<String> = mutants
        .iter()
        .filter_map(|mutant| Some(format!("{}: {}", mutant.id, mutant.applied(&workspace()).err()?)))
        .collect();
    for row in rows.iter().filter(|row| !row.caught) {
        faults.push(format!("{}: not caught: {}", row.id, row.by));
    }
    for row in rows.iter().filter(|row| mutants.iter().all(|mutant| mutant.id != row.id)) {
        faults.push(format!("{}: in the results, and there is no such mutant", row.id));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "title = 't'\ninvariants = ['I5']\ngain = 'Something that an attacker would like to have, surely.'\n\
                        suites = ['gate final-']\n[[change]]\nfile = 'worker/src/lib.rs'\nfind = 'a'\nreplace = 'b'\n";

    #[test]
    fn every_mutant_applies_to_this_checkout_and_none_has_survived() {
        let mutants = load().unwrap_or_else(|error| panic!("{error}"));
        assert!(mutants.len() >= 40, "{} mutants", mutants.len());
        let rows = read_results().unwrap_or_else(|error| panic!("{error}"));
        let stale = stale(&mutants, &rows);
        assert!(stale.is_empty(), "{}", stale.join("\n"));
    }

    #[test]
    fn what_says_too_little_is_refused() {
        assert!(parse("x", GOOD).is_ok());
        for (from, to) in [
            ("title = 't'", "title = ''"),
            ("I5", "I13"),
            ("Something that an attacker would like to have, surely.", "much"),
            ("gate final-", "elsewhere final-"),
            ("worker/src/lib.rs", "conformance/src/lib.rs"),
            ("worker/src/lib.rs", "worker/src/../../x"),
            ("replace = 'b'", "replace = 'a'"),
            ("title", "titel"),
        ] {
            assert!(parse("x", &GOOD.replace(from, to)).is_err(), "{from} → {to}");
        }
    }

    #[test]
    fn a_change_applies_once_or_not_at_all() {
        let change = Change { file: "f".into(), find: "a\nb".into(), replace: "c".into() };
        assert_eq!(change.apply("x\na\nb\ny").as_deref(), Ok("x\nc\ny"));
        assert!(change.apply("a b").is_err_and(|why| why.contains("0 times")));
        assert!(change.apply("a\nb\na\nb").is_err_and(|why| why.contains("2 times")));
    }
}
