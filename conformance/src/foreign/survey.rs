//! Runs every case that can be run, and finds what the adapter says in vain.

use anyhow::{Result, bail};

use super::adapter::{Adapter, never};
use super::report::{Row, Verdict};
use crate::corpus::{Case, Corpus};
use crate::parallel::side_by_side;
use crate::run::Kit;

/// What came of a survey.
#[derive(Debug)]
pub struct Finding {
    /// One row a case, by id.
    pub rows: Vec<Row>,
    /// What the adapter says and nothing bears out.
    pub stale: Vec<String>,
}

/// Runs the cases whose id or family contains one of these words; every case if there is none. Only a survey of every
/// case can find codes that never come.
///
/// # Errors
/// When the kit itself cannot work.
pub fn survey(
    kit: &Kit,
    adapter: &Adapter,
    corpus: &Corpus,
    words: &[String],
    tell: &(dyn Fn(&Row) + Sync),
) -> Result<Finding> {
    let chosen = |case: &&Case| {
        words.is_empty()
            || words.iter().any(|word| case.id.contains(word.as_str()) || case.family.contains(word.as_str()))
    };
    let cases: Vec<&Case> = corpus.cases.iter().filter(chosen).collect();
    if cases.is_empty() {
        bail!("no case's id or family contains {}", words.join(" or "));
    }
    let mut rows = side_by_side(adapter.limits.parallel.unwrap_or(1), &cases, |case| {
        let row = row(kit, adapter, case)?;
        tell(&row);
        Ok(row)
    })?;
    rows.sort_by(|a, b| a.id.cmp(&b.id));
    let stale = stale(adapter, corpus, &rows, words.is_empty());
    Ok(Finding { rows, stale })
}

fn row(kit: &Kit, adapter: &Adapter, case: &Case) -> Result<Row> {
    if let Some(why) = never(case).or_else(|| adapter.missing(case)) {
        return Ok(Row::unrun(case, Verdict::Unsupported, why));
    }
    match adapter.skip(case) {
        Some((_, skip)) if !skip.run => Ok(Row::unrun(case, Verdict::Skipped, &skip.reason)),
        Some((_, skip)) => Ok(Row::run(case, &kit.run(case)?).skipped(&skip.reason)),
        None => Ok(Row::run(case, &kit.run(case)?)),
    }
}

/// Skips whose cases all pass, or that cover nothing this server could run; and, after a whole survey, codes that never
/// came.
fn stale(adapter: &Adapter, corpus: &Corpus, rows: &[Row], whole: bool) -> Vec<String> {
    let mut stale = Vec::new();
    for (index, skip) in adapter.skips.iter().enumerate() {
        let mine = |row: &&Row| {
            let case = corpus.cases.iter().find(|case| case.id == row.id);
            row.verdict == Verdict::Skipped
                && case.and_then(|case| adapter.skip(case)).is_some_and(|(found, _)| found == index)
        };
        let covered: Vec<&Row> = rows.iter().filter(mine).collect();
        if whole && covered.is_empty() {
            stale.push(format!("skip {}: covers no case that this server could run", skip.shown()));
        } else if !covered.is_empty() && covered.iter().all(|row| row.would_pass == Some(true)) {
            stale.push(format!("skip {}: everything it covers passes", skip.shown()));
        }
    }
    if whole {
        stale.extend(adapter.unused_rules().into_iter().map(|rule| format!("code {rule}: no failure met it")));
    }
    stale
}
