//! What the operator decides about the operations: which repositories, where the cache is, which server, what caps.

use std::path::PathBuf;

use crate::github::App;
use crate::repository::{AllowPattern, GithubUrl, LocalMapping, Secret};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Everything [`Operations::open`](super::Operations::open) needs.
#[derive(Debug, Clone)]
pub struct OperationsOptions {
    /// Repositories on this machine (`--local owner/name=PATH`). A mapped name is allowed by being mapped, and never
    /// reaches the network.
    pub local: Vec<LocalMapping>,
    /// Which other repositories may be asked for (`--allow owner/*`). Empty: every one.
    pub allow: Vec<AllowPattern>,
    /// Where snapshots are kept (`--cache-dir`). Created with mode 0700 if missing; may be shared by servers.
    pub cache_dir: PathBuf,
    /// The git server (`--github-url`); `GithubUrl::default()` is github.com.
    pub github_url: GithubUrl,
    /// The credential for that server, and for no other.
    pub token: Option<Secret>,
    /// A GitHub App's installation, whose tokens are used instead of `token`.
    pub app: Option<App>,
    /// Sizes beyond which a repository, a file or the cache is too large.
    pub caps: Caps,
    /// When a server is asked about a ref that the cache knows.
    pub refresh: Refresh,
}

impl OperationsOptions {
    /// Options with nothing mapped, everything allowed, github.com, no token and the default caps.
    #[must_use]
    pub fn new(cache_dir: PathBuf) -> Self {
        Self {
            local: Vec::new(),
            allow: Vec::new(),
            cache_dir,
            github_url: GithubUrl::default(),
            token: None,
            app: None,
            caps: Caps::default(),
            refresh: Refresh::default(),
        }
    }
}

/// When `allow_stale` asks the server about a ref that the cache knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Refresh {
    /// After the answer, for the next caller's sake: right for a process that stays.
    #[default]
    Behind,
    /// Before the answer, which comes from the cache only if the server can't be reached or asks to slow down: right for a
    /// process that ends with its answer, and would never see a new commit otherwise.
    First,
}

/// Most that [`Caps::file_bytes`] may be: contents are decoded in memory, several files at a time.
pub const MAX_FILE_BYTES: u64 = GIB;

/// Size caps of the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Largest file whose contents are stored, in bytes; larger ones are listed only.
    pub file_bytes: u64,
    /// Largest sum of stored contents of one commit, in bytes, before `repository_too_large`.
    pub repository_bytes: u64,
    /// Most paths of one commit before `repository_too_large`.
    pub repository_files: u64,
    /// Size of the cache in bytes beyond which least recently used snapshots are evicted.
    pub cache_bytes: u64,
}

impl Default for Caps {
    fn default() -> Self {
        Self { file_bytes: 16 * MIB, repository_bytes: 2 * GIB, repository_files: 1_000_000, cache_bytes: 8 * GIB }
    }
}
