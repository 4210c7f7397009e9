//! The kit from a shell: list the corpus, run cases with their transcript, write a report.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, bail};
use clap::{Parser, Subcommand, ValueEnum};
use conformance::corpus::{self, Case, Corpus, Host, Kind};
use conformance::report::{Row, RunReport};
use conformance::run::Kit;

/// Holds a wit binary to the corpus of adversarial scripts.
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
    /// List cases: id, family, where they run, title
    List {
        /// Only ids and families that contain this
        filter: Option<String>,
    },
    /// Run cases by id, each with its transcript
    Run {
        /// Ids of cases
        #[arg(required_unless_present = "server")]
        ids: Vec<String>,
        #[command(flatten)]
        foreign: conformance::foreign::Arguments,
    },
    /// Run every case and print the report
    Report {
        /// Its form
        #[arg(long, value_enum, default_value = "md")]
        format: Format,
    },
    Mutants(conformance::mutants::Arguments),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// For programs
    Json,
    /// For people
    Md,
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
    let corpus = corpus::load(&corpus::directory())?;
    let kit = || match cli.binary {
        Some(binary) => Kit::with_binary(binary.canonicalize()?),
        None => Kit::new(),
    };
    match cli.command {
        Command::Mutants(arguments) => {
            let (text, caught) = arguments.run()?;
            print(&text)?;
            Ok(caught)
        }
        Command::List { filter } => list(&corpus, filter.as_deref().unwrap_or_default()),
        Command::Run { ids, foreign } if foreign.server.is_some() => {
            let (text, holds) = foreign.run(&ids)?;
            print(&text)?;
            Ok(holds)
        }
        Command::Run { ids, .. } => {
            let cases = ids.iter().map(|id| find(&corpus, id)).collect::<Result<Vec<_>>>()?;
            let kit = kit()?;
            let mut passed = true;
            for case in cases {
                let report = kit.run(case)?;
                let text = report.failure(case).unwrap_or_else(|| {
                    let transcript = report.transcript.join("\n    ");
                    format!("{}: passed\n  got {}\n  transcript\n    {transcript}", case.id, report.observed.shown())
                });
                print(&format!("{text}\n\n"))?;
                passed &= report.faults.is_empty();
            }
            Ok(passed)
        }
        Command::Report { format } => {
            let kit = kit()?;
            let cases: Vec<&Case> = corpus.cases.iter().filter(|case| Kit::runs(case)).collect();
            let report = RunReport::new(&kit.binary, &corpus::directory(), run_all(&kit, &cases)?)?;
            print(&match format {
                Format::Json => serde_json::to_string_pretty(&report)? + "\n",
                Format::Md => report.markdown(),
            })?;
            Ok(report.head.passed == report.head.total)
        }
    }
}

fn list(corpus: &Corpus, filter: &str) -> Result<bool> {
    for case in corpus.cases.iter().filter(|case| case.id.contains(filter) || case.family.contains(filter)) {
        let place = match (case.kind, case.setup.host) {
            (Kind::Frames(_), _) => "frames",
            (Kind::Script, Host::Mock) => "session",
            (Kind::Script, Host::Fixture) => "binary",
        };
        print(&format!("{:<44} {:<26} {place:<8} {}\n", case.id, case.family, case.title))?;
    }
    Ok(true)
}

fn find<'a>(corpus: &'a Corpus, id: &str) -> Result<&'a Case> {
    let Some(case) = corpus.cases.iter().find(|case| case.id == id) else { bail!("there is no case {id}") };
    if !Kit::runs(case) {
        bail!("{id} does not run here: see `conformance list {id}` and docs/auditing.md");
    }
    Ok(case)
}

/// Runs cases side by side; twice the processors, since most of them wait.
fn run_all(kit: &Kit, cases: &[&Case]) -> Result<Vec<Row>> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) * 2;
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(Vec::with_capacity(cases.len()));
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| -> Result<()> {
                    while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let row = Row::of(case, &kit.run(case)?);
                        rows.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(row);
                    }
                    Ok(())
                })
            })
            .collect();
        for worker in workers {
            match worker.join() {
                Ok(result) => result?,
                Err(_) => bail!("a runner thread panicked"),
            }
        }
        Ok(())
    })?;
    Ok(rows.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

/// The one place that writes to stdout. A reader that has gone is not a failure of ours.
fn print(text: &str) -> Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}
