//! Where contents come from: names of repositories and refs, local repositories, and git servers.
//!
//! Everything here runs in the parent. Credentials live in [`Secret`] and reach nothing but the transport (I7).

mod name;
mod secret;

pub use name::{AllowPattern, CommitId, GithubUrl, LocalMapping, NameError, RepoName};
pub use secret::Secret;
