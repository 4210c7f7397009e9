//! Repositories on this machine, mapped by the operator with `--local owner/name=PATH`.
//!
//! The mapping is the operator's word that the repository may be read, so its owner (git's `safe.directory`) is not
//! asked about; in exchange nothing in it is trusted: system, user and environment configuration are not read, the
//! repository's own is read with reduced trust, and no hook, filter, helper or other program is ever run. Alternates
//! (`objects/info/alternates`) are followed, as `git clone --shared` needs them: a mapped repository can thus lend
//! objects from elsewhere on this machine, but only those that one of its own refs or a full commit id leads to.
//! SHA-256 repositories and reftables are told apart and refused.
//! Replacement refs and grafts are ignored: an id means the object it names.

use std::path::Path;
use std::time::Duration;

use gix::refs::TargetRef;
use tempfile::NamedTempFile;
use tokio_util::sync::CancellationToken;

use super::assemble::{Ids, assemble, object_id, objects, peel};
use super::error::RepositoryError;
use super::name::{CommitId, RepoName};
use super::revision::{RefEntry, RefRequest, Resolved};
use super::vet::vet;
use crate::operations::{Caps, OperationContext};

/// An opened local repository. Opening looks at every file that may be read, and reads the configuration.
pub(crate) struct LocalRepository {
    git: gix::Repository,
    /// The object database without replacements.
    objects: gix::odb::Handle,
}

impl LocalRepository {
    /// Opens the repository at exactly this path, bare or with a working tree; parents are not searched.
    pub(crate) fn open(path: &Path, context: &OperationContext) -> Result<Self, RepositoryError> {
        let layout = vet(path, context)?;
        if let Some(what) = unsupported(&layout.config) {
            return Err(RepositoryError::Unsupported(what));
        }
        let options = gix::open::Options::isolated().with_enforced_trust(gix::sec::Trust::Reduced);
        let git = options.open(path).map_err(|_| match layout.is_repository {
            true => RepositoryError::Damaged,
            false => RepositoryError::NotARepository,
        })?;
        if git.object_hash() != gix::hash::Kind::Sha1 {
            return Err(RepositoryError::Unsupported("another hash than SHA-1"));
        }
        let objects = objects(git.objects.store_ref().path()).map_err(|_| RepositoryError::Damaged)?;
        Ok(Self { git, objects })
    }

    /// Whether there is a repository at this path that can be read.
    pub(crate) fn probe(path: &Path) -> Result<(), RepositoryError> {
        const PATIENCE: Duration = Duration::from_secs(30);
        Self::open(path, &OperationContext::new(PATIENCE, CancellationToken::new())).map(drop)
    }

    /// Finds the commit a ref leads to.
    pub(crate) fn resolve(&self, request: &RefRequest) -> Result<Resolved, RepositoryError> {
        match request {
            RefRequest::Default => {
                let head = self.head()?;
                match head.target.to_ref() {
                    TargetRef::Object(id) => {
                        let commit = peel(&self.objects, id.to_owned())?.ok_or(RepositoryError::Damaged)?;
                        Ok(Resolved { name: None, commit })
                    }
                    TargetRef::Symbolic(target) => {
                        let name = target.as_bstr().to_string();
                        let commit = self.find(&name)?.ok_or(RepositoryError::Empty)?;
                        Ok(Resolved { name: Some(name), commit })
                    }
                }
            }
            RefRequest::Commit(commit) => {
                let commit = peel(&self.objects, object_id(*commit))?.ok_or(RepositoryError::RefNotFound)?;
                Ok(Resolved { name: None, commit })
            }
            RefRequest::Full(_) | RefRequest::Pull(_) | RefRequest::Name(_) => {
                for name in request.candidates() {
                    if let Some(commit) = self.find(&name)? {
                        return Ok(Resolved { name: Some(name), commit });
                    }
                }
                let digits = request.abbreviation().ok_or(RepositoryError::RefNotFound)?;
                Ok(Resolved { name: None, commit: self.abbreviated(&digits)? })
            }
        }
    }

    /// Every branch, tag and pull request in name order, and the name of the default branch.
    pub(crate) fn refs(&self, context: &OperationContext) -> Result<(Vec<RefEntry>, Option<String>), RepositoryError> {
        let default = match self.head()?.target.to_ref() {
            TargetRef::Symbolic(target) => Some(target.as_bstr().to_string()),
            TargetRef::Object(_) => None,
        };
        let platform = self.git.references().map_err(|_| RepositoryError::Damaged)?;
        let mut refs = Vec::new();
        for reference in platform.all().map_err(|_| RepositoryError::Damaged)?.flatten() {
            context.check().map_err(RepositoryError::Stopped)?;
            let name = reference.name().as_bstr().to_string();
            // A ref that leads to no commit can't be opened; it isn't listed.
            if let Some(commit) = self.find(&name).ok().flatten() {
                refs.push(RefEntry { name, commit });
            }
        }
        refs.sort_by(|a, b| a.name.cmp(&b.name));
        Ok((refs, default))
    }

    /// Writes the snapshot of a commit.
    pub(crate) fn assemble(
        &self,
        repo: &RepoName,
        commit: CommitId,
        scratch: &Path,
        caps: Caps,
        context: &OperationContext,
    ) -> Result<NamedTempFile, RepositoryError> {
        assemble(&self.objects, Ids::Claimed, repo, commit, scratch, caps, context)
    }

    /// `HEAD` itself. gix would follow it to whatever file it names.
    fn head(&self) -> Result<gix::refs::Reference, RepositoryError> {
        self.git.refs.try_find("HEAD").map_err(|_| RepositoryError::Damaged)?.ok_or(RepositoryError::Damaged)
    }

    /// The commit a full ref name leads to, if there is such a ref. Symbolic refs are followed a few steps.
    fn find(&self, name: &str) -> Result<Option<CommitId>, RepositoryError> {
        const MOST_STEPS: usize = 5;
        let mut name = name.to_owned();
        for _ in 0..MOST_STEPS {
            // Only below there has every file been looked at.
            if !name.starts_with("refs/") {
                return Err(RepositoryError::Irregular);
            }
            let Ok(full) = gix::refs::FullName::try_from(name.as_str()) else { return Ok(None) };
            let found =
                self.git.refs.try_find(full.as_ref().as_partial_name()).map_err(|_| RepositoryError::Damaged)?;
            // Partial lookup may find another ref that merely ends like this one.
            let Some(reference) = found.filter(|found| found.name == full) else { return Ok(None) };
            match reference.target.to_ref() {
                // A ref to an object that isn't there is damage, and no missing ref.
                TargetRef::Object(id) => {
                    return peel(&self.objects, id.to_owned())?.ok_or(RepositoryError::Damaged).map(Some);
                }
                TargetRef::Symbolic(target) => name = target.as_bstr().to_string(),
            }
        }
        Err(RepositoryError::RefNotFound)
    }

    fn abbreviated(&self, digits: &str) -> Result<CommitId, RepositoryError> {
        let prefix = gix::hash::Prefix::from_hex(digits).map_err(|_| RepositoryError::RefNotFound)?;
        let mut candidates = std::collections::HashSet::new();
        self.objects.lookup_prefix(prefix, Some(&mut candidates)).map_err(|_| RepositoryError::Damaged)?;
        // Blobs and trees with the same digits don't make a commit id ambiguous.
        let mut commits = candidates.into_iter().filter_map(|id| peel(&self.objects, id).ok().flatten());
        match (commits.next(), commits.next()) {
            (Some(commit), None) => Ok(commit),
            (Some(_), Some(_)) => Err(RepositoryError::AmbiguousCommit),
            (None, _) => Err(RepositoryError::RefNotFound),
        }
    }
}

/// What the configuration says of a format that isn't read, if it says so. Only read as data; a file that doesn't parse
/// says nothing, and is gix's to judge.
fn unsupported(config: &Path) -> Option<&'static str> {
    let bytes = std::fs::read(config).ok()?;
    let metadata = gix::config::file::Metadata::api();
    let file = gix::config::File::from_bytes_no_includes(&bytes, metadata, Default::default()).ok()?;
    let other =
        |key: &str, ours: &str| file.string(key).is_some_and(|value| !value.eq_ignore_ascii_case(ours.as_bytes()));
    if other("extensions.objectFormat", "sha1") {
        Some("SHA-256 object ids")
    } else if other("extensions.refStorage", "files") {
        Some("reftable storage of refs")
    } else {
        None
    }
}
