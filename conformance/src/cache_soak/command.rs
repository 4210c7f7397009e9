//! `cache-soak` from a shell.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use super::{Options, run};
use crate::binary;

/// Lets real servers share one cache directory, kills some, and compares every byte with git's.
#[derive(Parser)]
#[command(name = "cache-soak")]
struct Arguments {
    /// How long
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// How many servers
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=64))]
    servers: u64,
    /// Milliseconds between two kills
    #[arg(long, default_value_t = 2000)]
    kill_every: u64,
    /// How many snapshots the cache has room for
    #[arg(long, default_value_t = 6)]
    room: u64,
    /// Chooses what is done
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Does what the command line says.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let report = binary::locate().and_then(|binary| {
        run(&Options {
            binary,
            servers: usize::try_from(arguments.servers).unwrap_or(1),
            time: Duration::from_secs(arguments.seconds),
            rounds: u64::MAX,
            kill_every: Duration::from_millis(arguments.kill_every),
            room: arguments.room,
            seed: arguments.seed,
        })
    });
    match report {
        Ok(report) => {
            eprintln!("{report}");
            if report.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("cache-soak: {error:#}");
            ExitCode::from(2)
        }
    }
}
