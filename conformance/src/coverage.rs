//! Holds the corpus to the ledger: every code is provoked, forged and snapshot-tested, every invariant has cases, and
//! every row of the budget table has its pair of cases: exactly at the limit, and one over.
//!
//! What cannot be had yet stands in `coverage.toml` with its reason. An entry that is covered after all is an error,
//! so that the list only ever shrinks by being right.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use wit_worker::registry::LimitId;
use wit_worker::registry::codes::CODES;

use crate::corpus::{Boundary, Case, Corpus, Direction, INVARIANTS, Kind};

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
    /// Edges of limits without a case, as `side limit/level/edge`; `*` stands for every level or edge.
    #[serde(default)]
    pub boundaries: BTreeMap<String, String>,
}

/// The end of the pipe whose guard a case meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// A script: the guard it meets first, which is the genuine worker's where it has one.
    Script,
    /// A hostile worker, for the parent's own guard behind that.
    ToParent,
    /// A hostile parent, for the worker's own guard behind the parent's.
    ToWorker,
}

/// Which sides each row names.
const fn sides(limit: LimitId) -> &'static [Side] {
    match limit {
        LimitId::SourceBytes => &[Side::Script, Side::ToWorker],
        LimitId::FrameBytes => &[Side::ToParent, Side::ToWorker],
        LimitId::WallMs
        | LimitId::HostCalls
        | LimitId::HostConcurrency
        | LimitId::FinalResultBytes
        | LimitId::ConsoleBytes => &[Side::Script, Side::ToParent],
        LimitId::DiagnosticsBytes => &[Side::ToParent],
        LimitId::HeapBytes
        | LimitId::StackBytes
        | LimitId::Pages
        | LimitId::Snapshots
        | LimitId::HostResultBytes
        | LimitId::CumulativeHostBytes
        | LimitId::Workers
        | LimitId::Invocations
        | LimitId::HostOperations
        | LimitId::OperationMs
        | LimitId::SpareWorkers => &[Side::Script],
    }
}

impl Side {
    const fn name(self) -> &'static str {
        match self {
            Self::Script => "script",
            Self::ToParent => "to-parent",
            Self::ToWorker => "to-worker",
        }
    }

    const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Script => Self::Script,
            Kind::Frames(Direction::ToParent) => Self::ToParent,
            Kind::Frames(Direction::ToWorker) => Self::ToWorker,
        }
    }
}

/// Every edge of every row, on each side that the row names.
fn edges() -> Vec<String> {
    let edges = Boundary::all().flat_map(|boundary| sides(boundary.limit).iter().map(move |side| (side, boundary)));
    edges.map(|(side, boundary)| format!("{} {boundary}", side.name())).collect()
}

/// The exceptions of the file, with each `*` written out.
fn spelled(exceptions: &BTreeMap<String, String>, names: &[String]) -> BTreeMap<String, String> {
    let mut spelled = BTreeMap::new();
    for (pattern, reason) in exceptions {
        let meant = |name: &&String| {
            let (name, pattern) = (name.split(['/', ' ']), pattern.split(['/', ' ']));
            name.clone().count() == pattern.clone().count() && name.zip(pattern).all(|(n, p)| p == "*" || n == p)
        };
        let before = spelled.len();
        spelled.extend(names.iter().filter(meant).map(|name| (name.clone(), reason.clone())));
        if spelled.len() == before {
            // Names nothing, or nothing new: told as a name that does not exist.
            spelled.insert(pattern.clone(), reason.clone());
        }
    }
    spelled
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
    let edges = edges();
    let at = |case: &Case| case.boundaries.iter().map(|at| format!("{} {at}", Side::of(case.kind).name())).collect();
    let stood: Vec<String> = corpus.cases.iter().flat_map(at as fn(&Case) -> Vec<String>).collect();
    for name in stood.iter().filter(|name| !edges.contains(name)) {
        gaps.push(format!("a case claims the boundary {name}, which its row does not have on that side"));
    }
    compare(
        "a boundary case",
        &edges.iter().map(String::as_str).collect::<Vec<_>>(),
        &stood.iter().map(String::as_str).collect(),
        &spelled(&exceptions.boundaries, &edges),
        &mut gaps,
    );
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
    fn exceptions_are_spelled_out_and_name_something() {
        let names = edges();
        let all = |pattern: &str| spelled(&BTreeMap::from([(pattern.to_owned(), "a reason".to_owned())]), &names);
        assert_eq!(all("script operation_ms/default/*").len(), 2);
        assert_eq!(
            all("to-parent wall_ms/default/at").keys().next().map(String::as_str),
            Some("to-parent wall_ms/default/at")
        );
        assert!(
            !names.contains(all("script frame_bytes/default/at").keys().next().unwrap()),
            "told as an unknown name"
        );
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
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
