//! Promise → items → result: what the documents say, and whether the items of this run held it up.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Row;
use crate::catalogue::perform::Verdict;
use crate::requirements::Requirements;

/// A promise of the documents, as a run leaves it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Promise {
    /// Its id in `docs/requirements.toml`.
    pub id: String,
    /// The document.
    pub document: String,
    /// The sentence.
    pub sentence: String,
    /// Items of this run that hold it up.
    pub items: Vec<String>,
    /// Tests that do, which a report does not run.
    pub tests: Vec<String>,
    /// Why there is neither.
    pub untested: Option<String>,
    /// How its items came out: failed if one did, passed if at least one did and none failed; nothing where this run has
    /// none of its items.
    pub result: Option<Verdict>,
}

pub(super) fn promises(rows: &[Row]) -> anyhow::Result<Vec<Promise>> {
    let verdicts: BTreeMap<&str, Verdict> = rows.iter().map(|row| (row.id.as_str(), row.result)).collect();
    let requirements = Requirements::load()?.requirements;
    let promises = requirements.into_iter().map(|requirement| {
        let items: Vec<String> = requirement.items(verdicts.keys().copied()).map(str::to_owned).collect();
        let came = items.iter().filter_map(|id| verdicts.get(id.as_str()).copied());
        Promise {
            result: judged(came),
            items,
            id: requirement.id,
            document: requirement.document,
            sentence: requirement.sentence.split_whitespace().collect::<Vec<_>>().join(" "),
            tests: requirement.tests,
            untested: requirement.untested,
        }
    });
    Ok(promises.collect())
}

fn judged(verdicts: impl Iterator<Item = Verdict>) -> Option<Verdict> {
    verdicts.reduce(|a, b| match (a, b) {
        (Verdict::Failed, _) | (_, Verdict::Failed) => Verdict::Failed,
        (Verdict::Passed, _) | (_, Verdict::Passed) => Verdict::Passed,
        _ => Verdict::NotRun,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_breaks_a_promise_and_nothing_run_holds_none() {
        use Verdict::{Failed, NotRun, Passed};
        assert_eq!(judged([Passed, Failed, NotRun].into_iter()), Some(Failed));
        assert_eq!(judged([NotRun, Passed].into_iter()), Some(Passed));
        assert_eq!(judged([NotRun].into_iter()), Some(NotRun));
        assert_eq!(judged([].into_iter()), None);
    }
}
