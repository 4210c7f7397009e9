//! The kit from a shell: list what there is, run it with transcripts, write a report, freeze a profile.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use clap::{Parser, Subcommand};
use conformance::run::Kit;

mod cli;

/// Holds a wit binary to the corpus of adversarial scripts, frames and probes.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    /// The binary under test; WIT_CONFORMANCE_BIN or this checkout's own if absent
    #[arg(long, global = true, value_name = "PATH")]
    binary: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List what can be run: id, family, where it runs, title
    List(cli::list::List),
    /// Run what is chosen, and show what failed; one by its id with `--transcript`
    Run(cli::run::Run),
    /// Run what is chosen, everything if nothing is, and write the report
    Report(cli::report::Report),
    /// Check or freeze the required set of a release
    Profile(cli::profile::Profile),
    Mutants(conformance::mutants::Arguments),
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("conformance: {error:#}");
            ExitCode::from(3)
        }
    }
}

/// Whether everything that was run passed.
fn run(cli: Cli) -> Result<bool> {
    let binary = cli.binary;
    let kit = || -> Result<Arc<Kit>> {
        match &binary {
            Some(binary) => Kit::with_binary(binary.canonicalize()?),
            None => Kit::new(),
        }
    };
    match cli.command {
        Command::List(list) => list.run(),
        Command::Run(run) => run.run(kit),
        Command::Report(report) => report.run(kit),
        Command::Profile(profile) => profile.run(),
        Command::Mutants(arguments) => {
            let (text, caught) = arguments.run()?;
            cli::print(&text)?;
            Ok(caught)
        }
    }
}
