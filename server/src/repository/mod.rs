//! Where contents come from: names of repositories and refs, local repositories, and git servers.
//!
//! Everything here runs in the parent. Credentials live in [`Secret`] and reach nothing but the transport (I7).

mod assemble;
mod error;
mod http;
mod local;
mod name;
mod ordered;
mod records;
mod remote;
mod revision;
mod secret;
mod vet;

pub use error::RepositoryError;
pub(crate) use local::LocalRepository;
pub(crate) use name::wildcard;
pub use name::{AllowPattern, CommitId, GithubUrl, LocalMapping, NameError, RepoName};
pub(crate) use records::{Record, Records};
pub(crate) use remote::Server;
pub use revision::{NotARef, RefEntry, RefRequest, Resolved};
pub use secret::Secret;
