//! `refs`: branches, tags and pull requests of a repository, over the git protocol (no REST quota), or one ref resolved.
//!
//! Refs come in the order of their full names. A walk's position is how many were listed and a hash of the last name, so
//! that a ref which appears or disappears between two pages shifts nothing. If it is the last one listed that has gone, the
//! walk has lost its place and says so: to go by the count would pass over another.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use wit_worker::registry::{Code, OperationId};

use super::arguments::{Arguments, refused};
use super::cursor::{Position, Walk};
use super::host::{Shared, blocking};
use super::page::{Frame, Item};
use super::{OperationContext, OperationError};
use crate::repository::{LocalRepository, RefEntry, RefRequest, RepoName, RepositoryError};

#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    kind: &'static str,
    commit_sha: String,
    resolved_ref: Option<&'a str>,
    is_default: bool,
}

pub(super) async fn refs(
    shared: Arc<Shared>,
    arguments: Arguments,
    context: OperationContext,
) -> Result<Box<RawValue>, OperationError> {
    let repo = shared.repository(arguments.text_or_empty("repo"))?;
    let wanted = arguments.text("ref").filter(|text| !text.trim().is_empty());
    let wanted = wanted.map(|text| RefRequest::parse(Some(text))).transpose();
    let wanted = wanted.map_err(|error| refused(format!("`ref`: {error}")))?;
    shared.allow(&repo)?;
    let runtime = tokio::runtime::Handle::current();
    let work = move |context: &OperationContext| {
        let (entries, default) = ask(&shared, &repo, wanted.as_ref(), runtime, context)?;
        let subject = repo.folded();
        let walk = Walk {
            key: shared.store.key(),
            operation: OperationId::Refs,
            subject: &subject,
            fingerprint: arguments.fingerprint(),
        };
        let begin = match arguments.text("cursor") {
            Some(cursor) => resume(&entries, walk.accept(cursor)?)?,
            None => 0,
        };
        let frame = Frame {
            head: format!("\"repo\":\"{repo}\","),
            name: "items",
            max_bytes: arguments.number("max_bytes").unwrap_or(65_536),
            walk: &walk,
        };
        let items = entries.iter().enumerate().skip(begin).map(|(index, entry)| {
            let (kind, name) = kind(&entry.name).unwrap_or(("commit", &entry.name));
            let listed = Listed {
                name,
                kind,
                commit_sha: entry.commit.to_string(),
                resolved_ref: (kind != "commit").then_some(entry.name.as_str()),
                is_default: default.as_deref() == Some(entry.name.as_str()),
            };
            let json = serde_json::to_string(&listed)
                .map_err(|_| OperationError::new(Code::OperationFailed, "the result has no JSON form"))?;
            Ok(Item { json, after: Position(index as u64 + 1, fingerprint(&entry.name)) })
        });
        frame.fill(items, arguments.count("max_items").unwrap_or(100))
    };
    blocking(context, work).await
}

fn ask(
    shared: &Shared,
    repo: &RepoName,
    wanted: Option<&RefRequest>,
    runtime: tokio::runtime::Handle,
    context: &OperationContext,
) -> Result<(Vec<RefEntry>, Option<String>), RepositoryError> {
    let (mut entries, default, resolved) = if let Some(mapping) = shared.local(repo) {
        let local = LocalRepository::open(&mapping.path, context)?;
        let resolved = wanted.map(|request| local.resolve(request)).transpose()?;
        let (entries, default) = local.refs(context)?;
        (entries, default, resolved)
    } else {
        let mut remote = shared.server.repository(repo, shared.options.caps, runtime, context)?;
        let resolved = wanted.map(|request| remote.resolve(request)).transpose()?;
        let (entries, default) = remote.refs()?;
        (entries, default, resolved)
    };
    if let Some(resolved) = resolved {
        let name = resolved.name.unwrap_or_else(|| resolved.commit.to_string());
        entries = vec![RefEntry { name, commit: resolved.commit }];
    } else {
        entries.retain(|entry| kind(&entry.name).is_some());
    }
    Ok((entries, default))
}

/// What kind of ref a full name is, and its short name.
fn kind(name: &str) -> Option<(&'static str, &str)> {
    if let Some(branch) = name.strip_prefix("refs/heads/") {
        return Some(("branch", branch));
    }
    if let Some(tag) = name.strip_prefix("refs/tags/") {
        return Some(("tag", tag));
    }
    let pull = name.strip_prefix("refs/")?.strip_suffix("/head")?;
    let number = pull.strip_prefix("pull/")?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then_some(("pull", pull))
}

fn resume(entries: &[RefEntry], position: Position) -> Result<usize, OperationError> {
    let known = entries.iter().position(|entry| fingerprint(&entry.name) == position.1);
    known.map(|index| index + 1).ok_or_else(|| {
        OperationError::new(
            Code::InvalidCursor,
            "the ref that this walk had come to is gone; start again without a cursor",
        )
    })
}

fn fingerprint(name: &str) -> u64 {
    let hash = blake3::hash(name.as_bytes());
    hash.as_bytes().first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::CommitId;

    #[test]
    fn a_walk_goes_on_behind_the_name_it_had_come_to() {
        let commit = CommitId::from_bytes([7; 20]);
        let refs = |names: &[&str]| -> Vec<RefEntry> {
            names.iter().map(|name| RefEntry { name: format!("refs/heads/{name}"), commit }).collect()
        };
        let after = |count, name: &str| Position(count, fingerprint(&format!("refs/heads/{name}")));
        assert_eq!(resume(&refs(&["a", "b", "c"]), after(2, "b")).ok(), Some(2));
        assert_eq!(resume(&refs(&["b", "c"]), after(2, "b")).ok(), Some(1), "one before it has gone");
        assert_eq!(resume(&refs(&["a", "aa", "b", "c"]), after(2, "b")).ok(), Some(3), "one before it has come");
        let lost = resume(&refs(&["a", "c", "d"]), after(2, "b")).expect_err("its own place is gone");
        assert_eq!(lost.code, Code::InvalidCursor);
    }

    #[test]
    fn kinds() {
        assert_eq!(kind("refs/heads/a/b"), Some(("branch", "a/b")));
        assert_eq!(kind("refs/tags/v1"), Some(("tag", "v1")));
        assert_eq!(kind("refs/pull/7/head"), Some(("pull", "pull/7")));
        for other in ["refs/pull/7/merge", "refs/remotes/origin/head", "refs/notes/commits", "HEAD"] {
            assert_eq!(kind(other), None, "{other}");
        }
    }
}
