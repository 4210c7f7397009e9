//! The command line (DESIGN §9).
//!
//! Every bad input gives one clear line on stderr and its exit status; nothing panics. Stdout is written by
//! [`output`] alone (I11).

mod app;
mod args;
mod cache;
mod doctor;
mod environment;
mod exit;
mod input;
mod logging;
mod mcp;
mod output;
mod run;
mod runtime;
mod setup;
mod shutdown;
mod units;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command};
use exit::Exit;

use crate::schema::{policy, typescript};

/// Parses the arguments and runs the command.
#[must_use]
pub fn main() -> ExitCode {
    logging::quiet_panics();
    match Cli::try_parse().map_err(exit::from_clap).and_then(dispatch) {
        Ok(()) => ExitCode::SUCCESS,
        Err(exit) => exit.report(),
    }
}

fn dispatch(cli: Cli) -> Result<(), Exit> {
    logging::start()?;
    match cli.command {
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Types => Ok(output::stdout(typescript::declarations().as_bytes())?),
        Command::Doctor(arguments) => examine(arguments),
        Command::Cache(arguments) => cache::run(&arguments),
        Command::Policy(arguments) => {
            let policy = setup::policy(arguments.policy.as_deref())?;
            if arguments.json {
                Ok(output::json(&policy::rows(&policy))?)
            } else {
                Ok(output::stdout(policy::table(&policy).as_bytes())?)
            }
        }
    }
}

fn examine(arguments: args::Doctor) -> Result<(), Exit> {
    let report = doctor::examine(&doctor::DoctorOptions {
        cache_dir: arguments.cache_dir.or_else(environment::cache_dir),
        github_url: arguments.github_url.unwrap_or_default(),
        tokens: environment::tokens(),
        app: arguments.app.read(),
        worker: arguments.worker.as_deref().map(setup::absolute),
    });
    if arguments.json {
        output::json(&report)?;
    } else {
        output::stdout(report.to_string().as_bytes())?;
    }
    if report.healthy { Ok(()) } else { Err(Exit::Unhealthy) }
}
