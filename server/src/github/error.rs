//! Why a request to the REST API failed, classified where the fact is known; nothing of the server's words survives (I7).

use wit_worker::registry::Code;

use crate::operations::OperationError;
use crate::repository::RepositoryError;

/// How a server is of no use, for the operator's eyes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Silence {
    /// No connection: refused, unreachable, or no agreement about TLS.
    #[error("no connection can be made")]
    NoConnection,
    /// Nothing came in the time there was.
    #[error("it does not answer in time")]
    NoAnswer,
    /// The answer broke off, was too long, or is not what the API says.
    #[error("its answer is not one of GitHub's API")]
    NotTheApi,
    /// An answer that says the server is ill.
    #[error("it answers that it cannot serve")]
    Failing,
}

/// A failed request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GithubError {
    /// The server refuses the credentials, or wants some.
    #[error("the server refused the credentials")]
    Authentication,
    /// The server asks to slow down.
    #[error("the server asks to slow down")]
    RateLimited {
        /// Seconds to wait, where it said.
        retry_after_s: Option<u64>,
    },
    /// The server understood the request and won't have it.
    #[error("the server does not accept the request")]
    Refused,
    /// There is nothing of that name, or it isn't shown to these credentials.
    #[error("the server's API does not have what was asked for")]
    NotFound,
    /// The server can't be reached, or doesn't speak the API properly.
    #[error("the server's API cannot be reached or does not answer properly")]
    Unavailable(Silence),
    /// The deadline or a cancellation.
    #[error(transparent)]
    Stopped(OperationError),
}

impl From<GithubError> for OperationError {
    fn from(error: GithubError) -> Self {
        let words = error.to_string();
        match error {
            GithubError::Authentication => Self::new(Code::AuthenticationFailed, words),
            GithubError::RateLimited { retry_after_s } => {
                let wait = retry_after_s.map(|seconds| format!("; try again in {seconds} s"));
                let words = format!("{words}{}", wait.unwrap_or_default());
                Self { retry_after_s, ..Self::new(Code::RateLimited, words) }
            }
            GithubError::Refused => Self::new(Code::OperationFailed, words),
            GithubError::NotFound | GithubError::Unavailable(_) => Self::new(Code::UpstreamUnavailable, words),
            GithubError::Stopped(error) => error,
        }
    }
}

/// When a token is wanted for the git transport.
impl From<GithubError> for RepositoryError {
    fn from(error: GithubError) -> Self {
        match error {
            GithubError::Authentication | GithubError::Refused => Self::Authentication,
            GithubError::RateLimited { retry_after_s } => Self::RateLimited { retry_after_s },
            GithubError::NotFound | GithubError::Unavailable(_) => Self::Unavailable,
            GithubError::Stopped(error) => Self::Stopped(error),
        }
    }
}
