//! GitHub's REST API, and the credentials that it and the git server take.
//!
//! [`rest`] asks through `octocrab`, over the HTTP client that the git transport uses too; [`transport`] is the only place
//! where a request leaves, and keeps the token to one origin, the answer to a size and the work to its context. What went
//! wrong is a [`GithubError`], decided by status and headers; no word of the server's survives (I7). [`credentials`] gives
//! the token for a request: the operator's own, or one that [`app`] is given for an installation and keeps until shortly
//! before it expires.

mod address;
mod app;
mod credentials;
mod error;
mod limits;
mod rest;
mod search;
mod transport;

pub use app::{App, AppError};
pub use error::GithubError;
pub(crate) use limits::{server_time, wait};
pub(crate) use rest::Github;
pub(crate) use search::{FIRST_RESULTS, Found, PAGE_RESULTS};
