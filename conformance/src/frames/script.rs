//! What a `.frames` script is once it is read: steps, each with the line it came from.

use std::time::Duration;

use super::expect::{ExitKind, Pattern};
use super::template::Template;

/// A whole script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// The steps, in order.
    pub steps: Vec<Line>,
}

/// One step and the 1-based line it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The line in the file.
    pub number: usize,
    /// What to do.
    pub step: Step,
}

/// One thing a script does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// How far the hostile worker locks itself down before its first byte; full when the script does not say.
    Lockdown(Lockdown),
    /// Read the `execute` frame and the source; from then on `$INVOCATION` is the parent's.
    WaitExecute,
    /// Wait until the parent has written something, and read none of it.
    WaitInput,
    /// After the last step, go on with the script of this directory that the source names.
    Choose,
    /// Read and drop whatever comes until the other side closes.
    WaitEof,
    /// Write bytes.
    Send(Send),
    /// Collect what follows instead of writing it.
    Hold,
    /// Write what was collected, cut like this.
    Flush(Pace),
    /// Do nothing for a while.
    Pause(Duration),
    /// Close one of the script's own channels.
    Close(Channel),
    /// Write to stderr.
    Stderr(Template),
    /// End with this status.
    Exit(u8),
    /// Send this signal to oneself.
    Signal(Signal),
    /// Survive SIGTERM.
    IgnoreTerm,
    /// Start a child that keeps the pipes open; `detached` puts it outside the process group.
    ForkHold {
        /// Whether the child leaves the process group.
        detached: bool,
    },
    /// Never do anything again.
    Hang,
    /// Read one frame and compare it.
    ExpectFrame(Pattern),
    /// No byte comes any more, and the other side closes.
    ExpectEof,
    /// The other process ends this way.
    ExpectExit(ExitKind),
    /// Keep a part of the last frame read: its name, and the path of fields to it.
    Keep {
        /// The name for `$(kept NAME)`.
        name: String,
        /// Field names from the frame's object inwards.
        path: Vec<String>,
    },
}

/// How far the hostile worker locks itself down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lockdown {
    /// Everything the parent can verify, with a filter that allows every system call.
    Full,
    /// Nothing: it says `ready` all the same.
    None,
    /// All but the filter.
    WithoutSeccomp,
    /// All but the capabilities, which stay what they are.
    WithoutCapabilities,
    /// All, and a second thread.
    WithThread,
}

/// One write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Send {
    /// The bytes.
    pub template: Template,
    /// Whether a length stands in front.
    pub framed: bool,
    /// The length to announce instead of the right one.
    pub length: Option<u32>,
    /// How the bytes are cut into writes.
    pub pace: Pace,
    /// How often, `$N` counting from 1.
    pub times: u32,
}

/// How bytes are cut into writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pace {
    /// One write.
    Whole,
    /// Writes of these sizes, then the rest.
    Chunks(Vec<usize>),
    /// Writes of one size with a pause after each.
    Every {
        /// Bytes a write.
        bytes: usize,
        /// The pause between them.
        pause: Duration,
    },
}

impl Pace {
    /// Cuts bytes into writes.
    #[must_use]
    pub fn cut<'a>(&self, bytes: &'a [u8]) -> Vec<&'a [u8]> {
        match self {
            Self::Whole => vec![bytes],
            Self::Every { bytes: size, .. } => bytes.chunks((*size).max(1)).collect(),
            Self::Chunks(sizes) => {
                let mut rest = bytes;
                let mut parts = Vec::new();
                for size in sizes {
                    let (part, after) = rest.split_at((*size).min(rest.len()));
                    parts.push(part);
                    rest = after;
                }
                parts.push(rest);
                parts.retain(|part| !part.is_empty());
                parts
            }
        }
    }
}

/// A standard stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// The worker's standard input.
    Stdin,
    /// The worker's standard output.
    Stdout,
    /// The worker's standard error.
    Stderr,
}

/// A signal a hostile worker can raise against itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// A crash.
    Segv,
    /// A failed assertion.
    Abort,
    /// An illegal instruction.
    Ill,
    /// What the kernel's memory killer sends.
    Kill,
    /// What a seccomp violation gives.
    Sys,
    /// What RLIMIT_CPU gives.
    Xcpu,
    /// A polite request.
    Term,
    /// Stopped, not dead.
    Stop,
}

impl Signal {
    /// Each signal and its word.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::Segv, "SEGV"),
        (Self::Abort, "ABRT"),
        (Self::Ill, "ILL"),
        (Self::Kill, "KILL"),
        (Self::Sys, "SYS"),
        (Self::Xcpu, "XCPU"),
        (Self::Term, "TERM"),
        (Self::Stop, "STOP"),
    ];

    /// The signal with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, name)| *name == word).map(|(signal, _)| signal)
    }
}

impl Signal {
    /// The signal's number on Linux.
    #[must_use]
    pub const fn number(self) -> i32 {
        match self {
            Self::Ill => 4,
            Self::Abort => 6,
            Self::Kill => 9,
            Self::Segv => 11,
            Self::Term => 15,
            Self::Stop => 19,
            Self::Xcpu => 24,
            Self::Sys => 31,
        }
    }
}
