//! What refs of servers led to when they were last asked about, so that `allow_stale` can do without asking.
//!
//! One small JSON file for each server, repository and ref, replaced as a whole; a file that doesn't parse is no record.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::name::{CommitId, GithubUrl, RepoName};
use super::revision::{RefRequest, Resolved};

/// What a ref led to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    /// Full name of the ref.
    pub(crate) resolved_ref: Option<String>,
    /// The commit, in hexadecimal.
    pub(crate) commit: String,
    /// Milliseconds since 1970 when the server was last asked.
    pub(crate) checked_at: u64,
    /// Milliseconds since 1970 when the answer was first this commit.
    pub(crate) updated_at: u64,
    /// Stable code of the last attempt, if it failed.
    pub(crate) last_error: Option<String>,
}

impl Record {
    /// What it says the ref led to.
    pub(crate) fn resolved(&self) -> Option<Resolved> {
        Some(Resolved { name: self.resolved_ref.clone(), commit: CommitId::from_hex(&self.commit)? })
    }

    /// The record after a successful look-up at some millisecond.
    pub(crate) fn after(previous: Option<&Self>, resolved: &Resolved, now: u64) -> Self {
        let commit = resolved.commit.to_string();
        let unchanged = previous.filter(|record| record.commit == commit);
        Self {
            resolved_ref: resolved.name.clone(),
            updated_at: unchanged.map_or(now, |record| record.updated_at),
            commit,
            checked_at: now,
            last_error: None,
        }
    }
}

/// The records of one server.
pub(crate) struct Records {
    directory: PathBuf,
    scratch: PathBuf,
    server: String,
}

impl Records {
    /// Records in a directory; files are written in another one of the same file system first.
    pub(crate) fn new(directory: PathBuf, scratch: PathBuf, server: &GithubUrl) -> Self {
        Self { directory, scratch, server: server.as_str().to_ascii_lowercase() }
    }

    /// The record of a ref, if there is one.
    pub(crate) fn load(&self, repo: &RepoName, request: &RefRequest) -> Option<Record> {
        let text = std::fs::read(self.path(repo, request)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Replaces the record of a ref. A failure only means that the server is asked again.
    pub(crate) fn save(&self, repo: &RepoName, request: &RefRequest, record: &Record) {
        let written = || -> std::io::Result<()> {
            let mut file = tempfile::Builder::new().prefix("ref-").tempfile_in(&self.scratch)?;
            file.write_all(&serde_json::to_vec(record)?)?;
            file.persist(self.path(repo, request))?;
            Ok(())
        };
        if written().is_err() {
            tracing::warn!("a ref could not be remembered in the cache");
        }
    }

    fn path(&self, repo: &RepoName, request: &RefRequest) -> PathBuf {
        let mut hasher = blake3::Hasher::new_derive_key("wit ref record v1");
        for part in [self.server.as_str(), &repo.folded(), &format!("{request:?}")] {
            hasher.update(&(part.len() as u64).to_be_bytes());
            hasher.update(part.as_bytes());
        }
        let name: &str = &hasher.finalize().to_hex()[..40];
        Path::new(&self.directory).join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_kept_by_server_repository_and_ref() {
        let directory = tempfile::tempdir().expect("a directory");
        let records = |url: &str| {
            Records::new(directory.path().to_owned(), directory.path().to_owned(), &url.parse().expect("an address"))
        };
        let repo: RepoName = "a/b".parse().expect("a name");
        let resolved = Resolved { name: Some("refs/heads/main".to_owned()), commit: CommitId::from_bytes([1; 20]) };
        let first = Record::after(None, &resolved, 10);
        records("https://x").save(&repo, &RefRequest::Default, &first);
        assert_eq!(records("https://X").load(&repo, &RefRequest::Default), Some(first.clone()));
        assert_eq!(records("https://y").load(&repo, &RefRequest::Default), None);
        assert_eq!(records("https://x").load(&repo, &RefRequest::Pull(1)), None);
        let later = Record::after(Some(&first), &resolved, 20);
        assert_eq!((later.checked_at, later.updated_at), (20, 10));
        let moved = Resolved { commit: CommitId::from_bytes([2; 20]), ..resolved };
        assert_eq!(Record::after(Some(&later), &moved, 30).updated_at, 30);
    }
}
