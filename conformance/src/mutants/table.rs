//! The results as a table in `docs/mutants.md`: which test caught which mutant.

use std::fmt;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use super::Mutant;
use crate::binary::workspace;

const BEGIN: &str = "<!-- mutants: written by `cargo run -p conformance -- mutants --write` -->\n";
const END: &str = "<!-- end of mutants -->";
const HEAD: &str = "| mutant | what is broken | breaks | caught by |\n|---|---|---|---|\n";
const CAUGHT: &str = "`";

/// What became of a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The gate noticed.
    Caught {
        /// The test program.
        program: String,
        /// The test, or how the program ended.
        test: String,
    },
    /// The gate passed.
    Survived,
    /// The compiler refused it, so it proves nothing.
    NotBuilt(String),
    /// It names a part of the gate that has no test.
    Misdirected(String),
}

impl Outcome {
    /// Whether it is as it must be.
    #[must_use]
    pub const fn is_caught(&self) -> bool {
        matches!(self, Self::Caught { .. })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Caught { program, test } => write!(f, "caught by {program} {test}"),
            Self::Survived => f.write_str("SURVIVED the whole gate"),
            Self::NotBuilt(error) => write!(f, "DID NOT BUILD: {error}"),
            Self::Misdirected(suite) => write!(f, "MISDIRECTED: no test is called {suite}"),
        }
    }
}

/// One row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The mutant.
    pub id: String,
    /// Whether it was caught.
    pub caught: bool,
    /// By what, or what became of it.
    pub by: String,
}

/// The file with the results.
#[must_use]
pub fn file() -> PathBuf {
    workspace().join("docs/mutants.md")
}

/// Reads the results of the last runs.
///
/// # Errors
/// When the file is not there or has no table.
pub fn read() -> Result<Vec<Row>> {
    let text = fs::read_to_string(file()).context("docs/mutants.md")?;
    let (_, table, _) = split(&text)?;
    Ok(rows(table))
}

/// Writes the rows of a run into the table. Rows of mutants that were not run stay as they are.
///
/// # Errors
/// When the file cannot be read or written, or has no table.
pub(crate) fn write(all: &[Mutant], ran: &[(Mutant, Outcome)]) -> Result<()> {
    let text = fs::read_to_string(file()).context("docs/mutants.md")?;
    let (before, table, after) = split(&text)?;
    let old = rows(table);
    let mut table = String::from(HEAD);
    for mutant in all {
        let by = match ran.iter().find(|(other, _)| other.id == mutant.id) {
            Some((_, Outcome::Caught { program, test })) => format!("`{program}` {test}"),
            Some((_, Outcome::NotBuilt(_))) => "did not build".to_owned(),
            Some((_, other)) => other.to_string(),
            None => match old.iter().find(|row| row.id == mutant.id) {
                Some(row) => row.by.clone(),
                None => continue,
            },
        };
        let (id, title, invariants) = (&mutant.id, &mutant.title, mutant.invariants.join(" "));
        table.push_str(&format!("| {id} | {title} | {invariants} | {} |\n", by.replace(['|', '\n'], " ")));
    }
    Ok(fs::write(file(), format!("{before}{BEGIN}{table}{END}{after}"))?)
}

fn split(text: &str) -> Result<(&str, &str, &str)> {
    let (before, rest) = text.split_once(BEGIN).context("docs/mutants.md has no table")?;
    let (table, after) = rest.split_once(END).context("the table of docs/mutants.md has no end")?;
    Ok((before, table, after))
}

fn rows(table: &str) -> Vec<Row> {
    let cells = |line: &str| -> Option<Row> {
        let mut cells = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
        let (id, by) = (cells.next()?.to_owned(), cells.nth(2)?.to_owned());
        Some(Row { id, caught: by.starts_with(CAUGHT), by })
    };
    table.lines().skip(2).filter_map(cells).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_say_what_was_caught() {
        let table = format!("{HEAD}| a | t | I5 | `gate` x |\n| b | t | I5 I6 | SURVIVED the whole gate |\n");
        let found: Vec<_> = rows(&table).into_iter().map(|row| (row.id, row.caught)).collect();
        assert_eq!(found, [("a".to_owned(), true), ("b".to_owned(), false)]);
    }
}
