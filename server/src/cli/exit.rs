//! How a command ends when it does not end well: the line on stderr and the exit status.

use std::process::ExitCode;

use clap::error::{ContextKind, ErrorKind};
use wit_worker::registry::Code;

use super::output;
use crate::envelope::ErrorEnvelope;

/// Exit status of a script that failed.
const SCRIPT: u8 = 1;
/// Exit status of a command line that cannot be understood.
const USAGE: u8 = 2;
/// Exit status of a machine, policy or server that will not do.
const ENVIRONMENT: u8 = 3;

/// Why a command ended early.
#[derive(Debug)]
pub(super) enum Exit {
    /// The command line, or a file it names.
    Usage(String),
    /// The machine or the operator's policy: a line for a person.
    Environment(String),
    /// A failure with a stable code, reported as its JSON object.
    Failure(Box<ErrorEnvelope>),
    /// The machine will not do, and stdout already says why.
    Unhealthy,
    /// Ended by this signal.
    Signal(u8),
    /// `--help` or `--version`: not a failure at all.
    Help(String),
    /// The reader of stdout has gone, which is its right.
    ReaderGone,
}

impl Exit {
    /// Says what happened and gives the status.
    pub(super) fn report(self) -> ExitCode {
        match self {
            Self::Usage(line) => {
                output::stderr_line(&format!("wit: {line}"));
                ExitCode::from(USAGE)
            }
            Self::Environment(line) => {
                output::stderr_line(&format!("wit: {line}"));
                ExitCode::from(ENVIRONMENT)
            }
            Self::Failure(error) => {
                let json = serde_json::to_string(&error).unwrap_or_else(|_| error.code.to_string());
                output::stderr_line(&output::inert_json(&json));
                ExitCode::from(status(error.code))
            }
            Self::Unhealthy => ExitCode::from(ENVIRONMENT),
            Self::Signal(number) => ExitCode::from(128 + number),
            Self::Help(text) => match output::stdout(text.as_bytes()) {
                Ok(()) | Err(Self::ReaderGone) => ExitCode::SUCCESS,
                Err(exit) => exit.report(),
            },
            Self::ReaderGone => ExitCode::SUCCESS,
        }
    }
}

/// The exit status of a failure with this code: 3 where no script could have run, 1 where one did.
const fn status(code: Code) -> u8 {
    match code {
        Code::WorkerStartFailed | Code::InvalidPolicy => ENVIRONMENT,
        _ => SCRIPT,
    }
}

/// The parser's verdict as one line.
pub(super) fn from_clap(error: clap::Error) -> Exit {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return Exit::Help(error.render().to_string());
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return Exit::Usage("a command is missing; try 'wit --help'".to_owned());
    }
    if let Some(line) = without_address(&error) {
        return Exit::Usage(format!("{line}; try '--help'"));
    }
    // Its first paragraph says what is wrong; the rest is usage and tips.
    let text = error.render().to_string();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    Exit::Usage(format!("{line}; try '--help'"))
}

/// The words for a refused value that is, or may be meant as, an address: those can hold a password, so it is not
/// repeated (I7).
fn without_address(error: &clap::Error) -> Option<String> {
    let text = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let argument = text(ContextKind::InvalidArg);
    let is_address = argument.starts_with("--github-url") || text(ContextKind::InvalidValue).contains("://");
    let reason =
        std::error::Error::source(error).filter(|_| error.kind() == ErrorKind::ValueValidation && is_address)?;
    Some(format!("the value of '{argument}' will not do: {reason}"))
}
