//! Holds the corpus to the ledger: every code is provoked, forged and snapshot-tested, every invariant has cases.
//!
//! What cannot be had yet stands in `coverage.toml` with its reason. An entry that is covered after all is an error,
//! so that the list only ever shrinks by being right.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use wit_worker::registry::codes::CODES;

use crate::corpus::{Corpus, INVARIANTS};

/// The exceptions, by name, with their reasons.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exceptions {
    /// Codes without a case that provokes them.
    pub provoke: BTreeMap<String, String>,
    /// Codes without a forgery twin.
    pub forge: BTreeMap<String, String>,
    /// Codes without a snapshot of their envelope.
    pub snapshot: BTreeMap<String, String>,
    /// Invariants without cases.
    pub invariants: BTreeMap<String, String>,
}

/// The file with the exceptions.
#[must_use]
pub fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("coverage.toml")
}

impl Exceptions {
    /// Reads the file.
    ///
    /// # Errors
    /// When it is not there or not as it must be.
    pub fn load() -> anyhow::Result<Self> {
        Ok(toml::from_str(&std::fs::read_to_string(file())?)?)
    }
}

/// Everything that is uncovered without a reason, or excused without need; one line each.
#[must_use]
pub fn gaps(corpus: &Corpus, exceptions: &Exceptions) -> Vec<String> {
    let codes: Vec<&str> = CODES.iter().map(|entry| entry.name).collect();
    let provoked = corpus.cases.iter().filter_map(|case| Some(case.expect.code()?.as_str())).collect();
    let forged = corpus.cases.iter().filter_map(|case| Some(case.forges?.as_str())).collect();
    let snapshots = corpus.cases.iter().filter(|case| case.snapshot);
    let shown = snapshots.filter_map(|case| Some(case.expect.code()?.as_str())).collect();
    let kept = corpus.cases.iter().flat_map(|case| case.invariants.iter().map(String::as_str)).collect();
    let mut gaps = Vec::new();
    compare("a case that provokes it", &codes, &provoked, &exceptions.provoke, &mut gaps);
    compare("a forgery twin", &codes, &forged, &exceptions.forge, &mut gaps);
    compare("a snapshot of its envelope", &codes, &shown, &exceptions.snapshot, &mut gaps);
    compare("cases", INVARIANTS, &kept, &exceptions.invariants, &mut gaps);
    gaps
}

fn compare(
    what: &str,
    names: &[&str],
    covered: &BTreeSet<&str>,
    excused: &BTreeMap<String, String>,
    gaps: &mut Vec<String>,
) {
    for name in names {
        match (covered.contains(name), excused.get(*name)) {
            (false, None) => gaps.push(format!("{name} has no {}", what.trim_start_matches("a "))),
            (true, Some(_)) => gaps.push(format!("coverage.toml excuses {name}, which has {what}")),
            (false, Some(reason)) if reason.trim().len() < 10 => {
                gaps.push(format!("coverage.toml excuses {name} without a reason"));
            }
            _ => {}
        }
    }
    for name in excused.keys().filter(|name| !names.contains(&name.as_str())) {
        gaps.push(format!("coverage.toml excuses {name}, which does not exist"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(covered: &[&str], excused: &[(&str, &str)]) -> Vec<String> {
        let mut gaps = Vec::new();
        let excused = excused.iter().map(|(name, why)| ((*name).to_owned(), (*why).to_owned())).collect();
        compare("a case", &["one", "two"], &covered.iter().copied().collect(), &excused, &mut gaps);
        gaps
    }

    #[test]
    fn gaps_need_a_reason_and_reasons_need_a_gap() {
        assert!(found(&["one", "two"], &[]).is_empty());
        assert_eq!(found(&["one"], &[]), ["two has no case"]);
        assert!(found(&["one"], &[("two", "arrives with a later part")]).is_empty());
        assert_eq!(found(&["one"], &[("two", "later")]).len(), 1, "a word is not a reason");
        assert_eq!(found(&["one", "two"], &[("two", "arrives with a later part")]).len(), 1);
        assert_eq!(found(&["one", "two"], &[("three", "arrives with a later part")]).len(), 1);
    }
}
