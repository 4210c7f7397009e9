//! Why a commit can't be brought in, classified where the fact is known; nothing of a backend's words survives (I7).

use wit_worker::registry::Code;

use crate::operations::OperationError;
use crate::snapshot::{StoreError, TurnError, WriteError};

/// A failure between a repository's name and its snapshot.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepositoryError {
    /// The server has no such repository, or doesn't show it to these credentials.
    #[error("the server has no such repository, or does not show it to these credentials")]
    NotFound,
    /// The path the operator mapped holds no git repository.
    #[error("the path mapped by the operator is not a git repository")]
    NotARepository,
    /// There is no such branch, tag, commit or pull request.
    #[error("the repository has no such branch, tag, commit or pull request")]
    RefNotFound,
    /// The default branch has no commit yet.
    #[error("the repository is empty: its default branch has no commit")]
    Empty,
    /// The abbreviated id fits several objects.
    #[error("the abbreviated commit id fits more than one object; give more digits")]
    AmbiguousCommit,
    /// A server can't look up an abbreviated id.
    #[error("an abbreviated commit id works only where a branch, tag or pull request points to the commit")]
    UnknownAbbreviation,
    /// The ref leads to something that isn't a commit.
    #[error("the ref does not lead to a commit")]
    NotACommit,
    /// The server wants credentials and there are none, or refuses them.
    #[error("the server refused the credentials")]
    Authentication,
    /// The server asks to slow down.
    #[error("the server asks to slow down")]
    RateLimited {
        /// Seconds to wait, where it said.
        retry_after_s: Option<u64>,
    },
    /// The server can't be reached, or doesn't speak git's protocol properly.
    #[error("the repository's server cannot be reached or does not answer properly")]
    Unavailable,
    /// A local repository has a FIFO, a device or something endless where git keeps a file.
    #[error("the repository has something that is no ordinary file where git keeps one")]
    Irregular,
    /// A repository format that isn't read.
    #[error("the repository uses {0}, which is not supported")]
    Unsupported(&'static str),
    /// Objects of a local repository are missing or damaged.
    #[error("the repository's objects are missing or damaged")]
    Damaged,
    /// Over one of the operator's caps.
    #[error("the repository is over the operator's size cap")]
    TooLarge {
        /// What was counted when it stopped.
        measured: u64,
        /// The cap.
        limit: u64,
        /// Whether paths, not bytes, were counted.
        paths: bool,
    },
    /// The disk.
    #[error("the cache cannot be written")]
    Io(#[from] std::io::Error),
    /// The deadline or a cancellation.
    #[error(transparent)]
    Stopped(OperationError),
}

impl From<WriteError> for RepositoryError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::TooLarge { measured, limit, paths } => Self::TooLarge { measured, limit, paths },
            WriteError::Io(error) => Self::Io(error),
        }
    }
}

impl From<StoreError> for RepositoryError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Io(error) => Self::Io(error),
        }
    }
}

impl From<TurnError> for RepositoryError {
    fn from(error: TurnError) -> Self {
        match error {
            TurnError::Stopped(error) => Self::Stopped(error),
            TurnError::Io(error) => Self::Io(error),
        }
    }
}

impl RepositoryError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::NotFound | Self::NotARepository => Code::RepositoryNotFound,
            Self::RefNotFound | Self::Empty | Self::AmbiguousCommit | Self::UnknownAbbreviation | Self::NotACommit => {
                Code::RefNotFound
            }
            Self::Authentication => Code::AuthenticationFailed,
            Self::RateLimited { .. } => Code::RateLimited,
            Self::Unavailable => Code::UpstreamUnavailable,
            Self::TooLarge { .. } => Code::RepositoryTooLarge,
            Self::Irregular | Self::Unsupported(_) | Self::Damaged | Self::Io(_) => Code::OperationFailed,
            Self::Stopped(error) => error.code,
        }
    }
}

impl From<RepositoryError> for OperationError {
    fn from(error: RepositoryError) -> Self {
        let (code, words) = (error.code(), error.to_string());
        match error {
            RepositoryError::Stopped(error) => error,
            RepositoryError::RateLimited { retry_after_s } => {
                let wait = retry_after_s.map(|seconds| format!("; try again in {seconds} s"));
                Self { retry_after_s, ..Self::new(code, format!("{words}{}", wait.unwrap_or_default())) }
            }
            RepositoryError::TooLarge { measured, limit, paths } => {
                let unit = if paths { "paths" } else { "bytes" };
                let measure = Some((measured, limit));
                Self { measure, ..Self::new(code, format!("{words}: at least {measured} {unit}, the cap is {limit}")) }
            }
            _ => Self::new(code, words),
        }
    }
}
