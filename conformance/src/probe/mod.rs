//! Probes of the worker's lockdown: one thing tried in a process that locked itself down exactly as the worker does.
//!
//! [`attacks`] is a table; each row says what is tried, how it must end under the full lockdown, and which layers stop
//! it by themselves. The `sandbox` test runs every row three times over: with all layers; with the layers that would
//! hide the one under test switched off (still refused); and with that one off as well (must succeed, or the probe
//! could not fail). [`sweep`] tries every system call number and every constrained argument.
//!
//! Only the `probe` program of this crate runs any of it. The layers can be switched here because the program links
//! the worker's sandbox module as a library; the worker itself has no such switch.

pub mod attacks;
pub mod deny;
mod raw;
pub mod roles;
pub mod stage;
pub mod sweep;
pub mod trace;

use std::fmt;
use std::str::FromStr;

use wit_worker::sandbox::{Layer, Layers};

/// How one try ended, as far as the process that made it can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The kernel did what it was asked.
    Succeeded,
    /// The kernel refused with this error number.
    Refused(i32),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Succeeded => f.write_str("succeeded"),
            Self::Refused(number) => write!(f, "refused {number}"),
        }
    }
}

/// How a probe process ended, as its parent sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It lived to say how the try ended.
    Said(Outcome),
    /// A signal ended it.
    Killed(i32),
    /// It exited without a word, or with one that no probe says.
    Silent(i32),
}

/// How a probe must end.
#[derive(Debug, Clone, Copy)]
pub enum Expect {
    /// Killed by SIGSYS.
    Violation,
    /// Killed by this signal.
    Signal(i32),
    /// Refused with one of these error numbers.
    Errno(&'static [i32]),
    /// Works: the worker needs it.
    Success,
}

impl fmt::Display for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Violation => f.write_str("killed by SIGSYS"),
            Self::Signal(number) => write!(f, "killed by signal {number}"),
            Self::Errno(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                write!(f, "refused with error {}", numbers.join(" or "))
            }
            Self::Success => f.write_str("succeeds"),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Said(outcome) => outcome.fmt(f),
            Self::Killed(signal) => write!(f, "killed by signal {signal}"),
            Self::Silent(status) => write!(f, "exit status {status} without a word"),
        }
    }
}

impl Expect {
    /// Whether an end is the expected one.
    #[must_use]
    pub fn admits(self, end: End) -> bool {
        match (self, end) {
            (Self::Violation, End::Killed(signal)) => signal == libc::SIGSYS,
            (Self::Signal(expected), End::Killed(signal)) => signal == expected,
            (Self::Errno(numbers), End::Said(Outcome::Refused(number))) => numbers.contains(&number),
            (Self::Success, End::Said(Outcome::Succeeded)) => true,
            _ => false,
        }
    }
}

/// What a probe may need from whoever starts it, passed as `key=value` arguments.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The probe program itself: a file that can be read and executed.
    pub program: String,
    /// A directory the process could write to.
    pub directory: String,
    /// A copy of the program that is owned by root and has the set-user-id bit.
    pub setuid: String,
    /// The name of a listening abstract socket.
    pub socket: String,
    /// A listening TCP port of the loopback interface.
    pub port: u16,
    /// The process that started this one, asked for before the lockdown forbids the question.
    pub parent: u64,
    /// Layers that are off.
    pub without: Vec<Layer>,
}

impl Context {
    /// The layers that are on.
    #[must_use]
    pub fn layers(&self) -> Layers {
        self.without.iter().fold(Layers::ALL, |layers, layer| layers.without(*layer))
    }

    /// The command line of a context.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let without: Vec<_> = self.without.iter().map(|layer| layer.name()).collect();
        vec![
            format!("program={}", self.program),
            format!("directory={}", self.directory),
            format!("setuid={}", self.setuid),
            format!("socket={}", self.socket),
            format!("port={}", self.port),
            format!("without={}", without.join(",")),
        ]
    }

    /// Reads the command line of a context; what is not given stays empty.
    ///
    /// # Errors
    /// A key or value that means nothing.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let parent = rustix::process::getppid().map_or(1, |pid| u64::from(pid.as_raw_pid().unsigned_abs()));
        let mut context = Self { parent, ..Self::default() };
        for argument in arguments {
            let (key, value) = argument.split_once('=').ok_or_else(|| format!("not key=value: {argument}"))?;
            match key {
                "program" => value.clone_into(&mut context.program),
                "directory" => value.clone_into(&mut context.directory),
                "setuid" => value.clone_into(&mut context.setuid),
                "socket" => value.clone_into(&mut context.socket),
                "port" => context.port = u16::from_str(value).map_err(|error| error.to_string())?,
                "without" => {
                    context.without = value
                        .split(',')
                        .filter(|name| !name.is_empty())
                        .map(|name| Layer::from_name(name).ok_or_else(|| format!("no such layer: {name}")))
                        .collect::<Result<_, _>>()?;
                }
                _ => return Err(format!("unknown key: {key}")),
            }
        }
        Ok(context)
    }
}
