//! `soak` from a shell.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Parser;

use super::Options;
use crate::binary;

/// Thousands of invocations of the real binary, mixed by a seed, each held to its verdict
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    /// The binary under test; WIT_CONFORMANCE_BIN or this checkout's own if absent
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// Invocations
    #[arg(long, default_value_t = 20_000)]
    invocations: u64,
    /// Calls at once
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=8))]
    concurrency: u64,
    /// Chooses the mix; the same seed gives the same one
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// JavaScript time in the server's policy: lower than its default, so that deadlines pass quickly
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(100..=10_000))]
    wall_ms: u64,
    /// How much later than its budget an answer may be; more on a machine that does other work as well
    #[arg(long, default_value_t = 500)]
    slack_ms: u64,
    /// Hostile workers that play generated frames, instead of scripts in genuine ones
    #[arg(long)]
    frames: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// Does what the command line says.
#[must_use]
pub fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("soak: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(cli: &Cli) -> Result<bool> {
    let beside = std::env::current_exe()?;
    let beside = beside.parent().context("this program lies nowhere")?;
    let binary = match &cli.binary {
        Some(path) => path.canonicalize().with_context(|| path.display().to_string())?,
        None if std::env::var_os(binary::VARIABLE).is_some() => binary::locate()?,
        // Figures of a release build belong to a release build.
        None if beside.ends_with("release") => binary::build(&["build", "--release", "-p", "wit"], "wit")?,
        None => binary::locate()?,
    };
    let hostile_worker = cli.frames.then(|| binary::companion("hostile_worker")).transpose()?;
    let report = super::run(&Options {
        binary,
        invocations: cli.invocations,
        concurrency: cli.concurrency,
        seed: cli.seed,
        wall_ms: cli.wall_ms,
        slack: Duration::from_millis(cli.slack_ms),
        hostile_worker,
    })?;
    let mut text = if cli.json { serde_json::to_string_pretty(&report)? } else { report.text() };
    text.truncate(text.trim_end().len());
    writeln!(std::io::stdout(), "{text}")?;
    Ok(report.passed)
}
