//! The command line of the kit.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser, Subcommand};
use conformance::run::Kit;

use super::{list, print, profile, report};

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
    List(list::List),
    /// Run what is chosen, and show what failed; one by its id with `--transcript`
    Run(super::run::Run),
    /// Run what is chosen, everything if nothing is, and write the report
    Report(report::Report),
    /// Check or freeze the required set of a release
    Profile(profile::Profile),
    Mutants(conformance::mutants::Arguments),
}

/// Does what the command line says.
pub(crate) fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Err(error) = cli.checked() {
        error.exit();
    }
    match run(cli) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("conformance: {error:#}");
            ExitCode::from(3)
        }
    }
}

impl Cli {
    /// What clap cannot see, since the binary may stand before the command.
    fn checked(&self) -> Result<(), clap::Error> {
        let instead = match &self.command {
            Command::Run(run) => run.instead_of_binary(),
            Command::Report(report) => report.instead_of_binary(),
            _ => None,
        };
        match instead {
            Some(instead) if self.binary.is_some() => Err(Self::command()
                .error(ErrorKind::ArgumentConflict, format!("--binary says nothing where {instead} is given"))),
            _ => Ok(()),
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
            print(&text)?;
            Ok(caught)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(line: &str) -> bool {
        let words = std::iter::once("conformance").chain(line.split(' '));
        Cli::try_parse_from(words).and_then(|cli| cli.checked()).is_ok()
    }

    #[test]
    fn nothing_that_is_given_is_passed_over_in_silence() {
        Cli::command().debug_assert();
        let foreign = "run --server x --adapter y";
        assert!(taken(foreign) && taken(&format!("{foreign} final-value --report md")));
        for with in [
            "--family x",
            "--flag x",
            "--invariant I3",
            "--code x",
            "--place probe",
            "--profile 0.1",
            "--session",
            "--transcript",
            "--binary x",
        ] {
            assert!(!taken(&format!("{foreign} {with}")), "{with}");
            assert!(taken(&format!("run {with}")), "{with}");
        }
        assert!(!taken("--binary x run --server x --adapter y"));
        let made = "report --from x";
        assert!(taken(made) && taken(&format!("{made} --format html --output y")));
        for with in [
            "id",
            "--family x",
            "--flag x",
            "--invariant I3",
            "--code x",
            "--place probe",
            "--profile 0.1",
            "--date 2026-12-01",
            "--session",
            "--binary x",
        ] {
            assert!(!taken(&format!("{made} {with}")), "{with}");
            assert!(taken(&format!("report {with}")), "{with}");
        }
    }
}
