//! `conformance run --server CMD --adapter FILE` from a shell.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};

use super::report::{ForeignReport, Verdict};
use super::{Adapter, Foreign, survey};
use crate::corpus;
use crate::run::Kit;

/// Arguments of the same command that a foreign server has nothing for.
const WITS_OWN: [&str; 8] = ["family", "flag", "invariant", "code", "place", "profile", "session", "transcript"];

/// Another server, and how to read it
#[derive(Debug, Clone, Args)]
pub struct Arguments {
    /// A server that runs code, over MCP on stdio: a shell's command line. Ids are parts of ids or families
    #[arg(long, value_name = "CMD", requires = "adapter", conflicts_with_all = WITS_OWN)]
    pub server: Option<String>,
    /// How to read it; see docs/foreign.md
    #[arg(long, value_name = "FILE", requires = "server")]
    pub adapter: Option<PathBuf>,
    /// The form of a foreign server's report; a line a case if absent
    #[arg(long, value_enum, value_name = "FORM", requires = "server")]
    pub report: Option<Form>,
}

/// The form of the report.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Form {
    /// For programs
    Json,
    /// For people
    Md,
}

impl Arguments {
    /// Runs the cases whose id or family contains one of these words, all if there is none; gives what to print, and
    /// whether the server passed and the adapter is not stale.
    ///
    /// # Errors
    /// When the adapter is not good, or the kit cannot work.
    pub fn run(&self, words: &[String]) -> Result<(String, bool)> {
        let (server, path) = (self.server.as_deref().unwrap_or_default(), self.adapter.as_deref());
        let path = path.context("--server needs --adapter")?;
        let corpus = corpus::load(&corpus::directory())?;
        let adapter = Arc::new(Adapter::read(path, &corpus).map_err(anyhow::Error::msg)?);
        let kit = Kit::foreign(Foreign { command: server.to_owned(), adapter: Arc::clone(&adapter) })?;
        let lines = self.report.is_none();
        let finding = survey(&kit, &adapter, &corpus, words, &|row| {
            if row.verdict == Verdict::Failed || !lines {
                eprintln!("{}", row.shown());
            }
        })?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let report = ForeignReport::new(adapter.name.clone(), server.to_owned(), name, words.to_vec(), finding)?;
        let holds = report.holds();
        let text = match self.report {
            Some(Form::Json) => serde_json::to_string_pretty(&report)? + "\n",
            Some(Form::Md) => report.markdown(),
            None => {
                let rows = report.cases.iter().filter(|row| row.verdict != Verdict::Failed);
                let mut lines: Vec<String> = rows.map(super::Row::shown).collect();
                lines.extend(report.stale.iter().map(|entry| format!("the adapter is stale: {entry}")));
                lines.push(report.summary());
                lines.join("\n") + "\n"
            }
        };
        Ok((text, holds))
    }
}
