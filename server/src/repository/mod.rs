//! Where contents come from: names of repositories and refs, local repositories, and git servers.
//!
//! Everything here runs in the parent. Credentials live in [`Secret`] and reach nothing but the transport (I7).

mod assemble;
mod error;
mod local;
mod name;
mod ordered;
mod revision;
mod secret;

pub use error::RepositoryError;
pub(crate) use local::LocalRepository;
pub use name::{AllowPattern, CommitId, GithubUrl, LocalMapping, NameError, RepoName};
pub use revision::{NotARef, RefEntry, RefRequest, Resolved};
pub use secret::Secret;
