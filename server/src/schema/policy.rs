//! The table of `wit policy`: every limit with its default, effective value, maximum, enforcer and code.

use std::fmt::Write as _;

use serde::Serialize;
use wit_worker::registry::limits::LIMITS;

use crate::codemode::CodeModePolicy;

/// One limit under one policy, as `wit policy --json` prints it.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The key of a policy file.
    pub name: &'static str,
    /// The resource in words.
    pub title: &'static str,
    /// What is counted.
    pub unit: &'static str,
    /// The value when the operator says nothing.
    pub default: u64,
    /// The value under this policy.
    pub effective: u64,
    /// The least a policy may set.
    pub minimum: u64,
    /// The most a policy may set.
    pub maximum: u64,
    /// Who enforces it.
    pub enforcer: &'static str,
    /// The code an excess gives, if it gives one.
    pub code: Option<&'static str>,
    /// Why the number is what it is.
    pub why: &'static str,
}

/// Every limit under a policy, in documentation order.
#[must_use]
pub fn rows(policy: &CodeModePolicy) -> Vec<Row> {
    LIMITS
        .iter()
        .map(|row| Row {
            name: row.name,
            title: row.title,
            unit: row.unit.as_str(),
            default: row.default,
            effective: policy.value(row.id),
            minimum: row.minimum,
            maximum: row.maximum,
            enforcer: row.enforcer,
            code: row.code.map(wit_worker::registry::Code::as_str),
            why: row.why,
        })
        .collect()
}

/// The table for people: columns aligned, one line a limit, a `*` where the policy moved a value.
#[must_use]
pub fn table(policy: &CodeModePolicy) -> String {
    let header = ["LIMIT", "UNIT", "DEFAULT", "EFFECTIVE", "MAXIMUM", "ENFORCER", "CODE"].map(str::to_owned);
    let lines: Vec<[String; 7]> = std::iter::once(header)
        .chain(rows(policy).into_iter().map(|row| {
            let moved = if row.effective == row.default { "" } else { "*" };
            [
                row.name.to_owned(),
                row.unit.to_owned(),
                row.default.to_string(),
                format!("{}{moved}", row.effective),
                row.maximum.to_string(),
                row.enforcer.to_owned(),
                row.code.unwrap_or("-").to_owned(),
            ]
        }))
        .collect();
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths: [usize; 7] = std::array::from_fn(width);
    lines.iter().fold(String::new(), |mut text, line| {
        let padded: Vec<String> = line
            .iter()
            .zip(widths)
            .enumerate()
            // Numbers to the right, words to the left.
            .map(|(column, (cell, width))| match column {
                2..=4 => format!("{cell:>width$}"),
                _ => format!("{cell:<width$}"),
            })
            .collect();
        let _ = writeln!(text, "{}", padded.join("  ").trim_end());
        text
    })
}
