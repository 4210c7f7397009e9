//! From a commit in an object database to a snapshot file.
//!
//! Trees are walked by bytes: a path is whatever the tree says, `..`, `.git`, newlines and all, because nothing here or
//! later ever turns one into a file name. No filter, hook, attribute or replacement ref is looked at, and every object is held
//! to its id, so what is stored is exactly what the ids name, whoever made the repository.

use std::collections::HashMap;
use std::path::Path;

use gix::objs::{CommitRefIter, Find as _, FindExt as _, FindHeader as _, Kind, TreeRefIter};
use tempfile::NamedTempFile;

use super::error::RepositoryError;
use super::name::{CommitId, RepoName};
use super::ordered::in_order;
use crate::operations::{Caps, OperationContext};
use crate::snapshot::{Contents, SnapshotWriter};

/// Decoded contents that may wait in memory for their turn to be written.
const WAITING_BYTES: u64 = 48 << 20;
/// Largest single object or delta that is decoded, in bytes.
pub(super) const OBJECT_BYTES: usize = 1 << 30;
/// Delta bases kept by each thread.
const DELTA_CACHE_BYTES: usize = 24 << 20;
/// A path longer than this is no path of a repository that anyone works with.
const MAX_PATH_BYTES: usize = 64 << 10;
/// No system takes a symbolic link with a longer target; one that git holds is listed as a file that is not stored.
const MAX_TARGET_BYTES: u64 = 64 << 10;
/// Most bytes of all paths together, which wait in memory; a million paths of common length have a fifth.
const MAX_PATHS_BYTES: u64 = 512 << 20;

/// Whether the objects are known to be what their ids name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ids {
    /// Each was hashed when it arrived.
    Hashed,
    /// Whoever wrote the files may have put anything under an id.
    Claimed,
}

/// An object database and what is known of it.
#[derive(Clone, Copy)]
struct Source<'a> {
    objects: &'a gix::odb::Handle,
    ids: Ids,
}

impl Source<'_> {
    /// Reads an object of this kind; the buffer then holds it and nothing else. One that is not what its id names is damaged.
    fn read(self, id: &gix::oid, kind: Kind, buffer: &mut Vec<u8>) -> Result<(), RepositoryError> {
        let found = self.objects.try_find(id, buffer).ok().flatten().filter(|data| data.kind == kind);
        let data = found.ok_or(RepositoryError::Damaged)?;
        if self.ids == Ids::Claimed {
            data.verify_checksum(id).map_err(|_| RepositoryError::Damaged)?;
        }
        let length = data.data.len();
        buffer.truncate(length);
        Ok(())
    }
}

/// A leaf of the tree.
struct Leaf {
    path: Vec<u8>,
    mode: u32,
    id: gix::ObjectId,
    kind: LeafKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LeafKind {
    File,
    Symlink,
    Submodule,
}

/// What was decoded for a leaf.
enum Body {
    File(Vec<u8>, Contents),
    TooLarge(u64),
    Symlink(Vec<u8>),
    Submodule,
}

/// The object database in a directory, without replacements. What claims to be larger than any object that is kept is not
/// even unpacked.
pub(super) fn objects(directory: &Path) -> std::io::Result<gix::odb::Handle> {
    let options = gix::odb::store::init::Options { alloc_limit_bytes: Some(OBJECT_BYTES), ..Default::default() };
    gix::odb::at_opts(directory, gix::hash::Kind::Sha1, None, options)
}

/// Writes the snapshot of a commit whose objects are all in `objects`.
pub(super) fn assemble(
    objects: &gix::odb::Handle,
    ids: Ids,
    repo: &RepoName,
    commit: CommitId,
    scratch: &Path,
    caps: Caps,
    context: &OperationContext,
) -> Result<NamedTempFile, RepositoryError> {
    let source = Source { objects, ids };
    let tree = tree_of(source, commit)?;
    let leaves = walk(source, tree, caps, context)?;
    let urls = submodule_urls(source, &leaves);
    let mut writer = SnapshotWriter::create(scratch, caps)?;
    let store = objects.store();
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(8);
    let total = leaves.len() as u64;
    in_order(
        leaves.len(),
        threads,
        WAITING_BYTES,
        || {
            let mut own = store.to_cache();
            own.set_pack_cache(|| Box::new(gix::odb::pack::cache::lru::MemoryCappedHashmap::new(DELTA_CACHE_BYTES)));
            own
        },
        |own, index| {
            if index.is_multiple_of(64) {
                context.check().map_err(RepositoryError::Stopped)?;
            }
            decode(Source { objects: own, ids }, &leaves[index], caps)
        },
        |index, body| {
            if index.is_multiple_of(64) {
                context.check().map_err(RepositoryError::Stopped)?;
            }
            if index.is_multiple_of(1024) {
                context.report("writing files", index as u64, Some(total));
            }
            let Leaf { path, mode, id, .. } = &leaves[index];
            let id = commit_id(id)?;
            match body {
                Body::File(bytes, facts) => writer.file(path, *mode, id, &bytes, &facts)?,
                Body::TooLarge(size) => writer.unstored(path, *mode, id, size)?,
                Body::Symlink(target) => writer.symlink(path, *mode, id, &target)?,
                Body::Submodule => {
                    let url = urls.get(path).map(Vec::as_slice);
                    writer.submodule(path, *mode, id, url)?;
                }
            }
            Ok(())
        },
    )?;
    context.check().map_err(RepositoryError::Stopped)?;
    let tree = *commit_id(&tree)?.as_bytes();
    Ok(writer.finish(repo, commit, tree)?)
}

/// The id as the 20 bytes of SHA-1.
pub(super) fn commit_id(id: &gix::ObjectId) -> Result<CommitId, RepositoryError> {
    id.as_slice().try_into().map(CommitId::from_bytes).map_err(|_| RepositoryError::Damaged)
}

/// The id as gix has it.
pub(super) fn object_id(id: CommitId) -> gix::ObjectId {
    gix::ObjectId::Sha1(*id.as_bytes())
}

fn tree_of(source: Source<'_>, commit: CommitId) -> Result<gix::ObjectId, RepositoryError> {
    let mut buffer = Vec::new();
    source.read(&object_id(commit), Kind::Commit, &mut buffer)?;
    CommitRefIter::from_bytes(&buffer, gix::hash::Kind::Sha1).tree_id().map_err(|_| RepositoryError::Damaged)
}

/// Follows annotated tags to the commit; none if there is no object of this id at all.
pub(super) fn peel(objects: &gix::odb::Handle, id: gix::ObjectId) -> Result<Option<CommitId>, RepositoryError> {
    const MOST_TAGS: usize = 16;
    let mut id = id;
    let mut buffer = Vec::new();
    for step in 0..MOST_TAGS {
        let Some(header) = objects.try_header(&id).map_err(|_| RepositoryError::Damaged)? else {
            // What a tag leads to has to be there.
            return if step == 0 { Ok(None) } else { Err(RepositoryError::Damaged) };
        };
        match header.kind {
            Kind::Commit => return commit_id(&id).map(Some),
            Kind::Tag => {
                let tag = objects.find_tag_iter(&id, &mut buffer).map_err(|_| RepositoryError::Damaged)?;
                id = tag.target_id().map_err(|_| RepositoryError::Damaged)?;
            }
            Kind::Tree | Kind::Blob => return Err(RepositoryError::NotACommit),
        }
    }
    Err(RepositoryError::NotACommit)
}

/// Lists every leaf, in path order.
fn walk(
    source: Source<'_>,
    root: gix::ObjectId,
    caps: Caps,
    context: &OperationContext,
) -> Result<Vec<Leaf>, RepositoryError> {
    // Each level keeps its own copy of a tree and how far it has been read. Entries are counted when they are read, not
    // when their turn comes: a few objects can describe an astronomic number of directories and files.
    struct Level {
        entries: Vec<(Vec<u8>, gix::objs::tree::EntryMode, gix::ObjectId)>,
        next: usize,
        path_len: usize,
    }
    let limit = caps.repository_files;
    let (mut buffer, mut trees, mut files) = (Vec::new(), 0_u64, 0_u64);
    let mut read = |id: &gix::oid, path_len: usize| -> Result<Level, RepositoryError> {
        if id == gix::hash::Kind::Sha1.empty_tree() {
            return Ok(Level { entries: Vec::new(), next: 0, path_len });
        }
        source.read(id, Kind::Tree, &mut buffer)?;
        let mut entries = Vec::new();
        for entry in TreeRefIter::from_bytes(&buffer, gix::hash::Kind::Sha1) {
            let entry = entry.map_err(|_| RepositoryError::Damaged)?;
            let count = if entry.mode.is_tree() { &mut trees } else { &mut files };
            *count += 1;
            if *count > limit {
                return Err(RepositoryError::TooLarge { measured: *count, limit, paths: true });
            }
            entries.push((entry.filename.to_vec(), entry.mode, entry.oid.to_owned()));
        }
        Ok(Level { entries, next: 0, path_len })
    };
    let mut levels = vec![read(&root, 0)?];
    let mut leaves: Vec<Leaf> = Vec::new();
    let mut path = Vec::new();
    let (mut steps, mut path_bytes) = (0_u64, 0_u64);
    while let Some(level) = levels.last_mut() {
        if steps.is_multiple_of(256) {
            context.check().map_err(RepositoryError::Stopped)?;
        }
        steps += 1;
        path.truncate(level.path_len);
        let Some((name, mode, id)) = level.entries.get(level.next) else {
            levels.pop();
            continue;
        };
        level.next += 1;
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        if path.len() > MAX_PATH_BYTES {
            return Err(RepositoryError::Damaged);
        }
        let (mode, id) = (*mode, *id);
        let kind = match mode.kind() {
            gix::objs::tree::EntryKind::Tree => {
                let below = read(&id, path.len())?;
                levels.push(below);
                continue;
            }
            gix::objs::tree::EntryKind::Blob | gix::objs::tree::EntryKind::BlobExecutable => LeafKind::File,
            gix::objs::tree::EntryKind::Link => LeafKind::Symlink,
            gix::objs::tree::EntryKind::Commit => LeafKind::Submodule,
        };
        path_bytes += path.len() as u64;
        if path_bytes > MAX_PATHS_BYTES {
            return Err(RepositoryError::TooLarge { measured: path_bytes, limit: MAX_PATHS_BYTES, paths: false });
        }
        leaves.push(Leaf { path: path.clone(), mode: mode.normalized().value().into(), id, kind });
    }
    // Trees written by git are in order; one that isn't is read anyway.
    if !leaves.is_sorted_by(|a, b| a.path <= b.path) {
        leaves.sort_by(|a, b| a.path.cmp(&b.path));
    }
    Ok(leaves)
}

fn decode(source: Source<'_>, leaf: &Leaf, caps: Caps) -> Result<(Body, u64), RepositoryError> {
    if leaf.kind == LeafKind::Submodule {
        return Ok((Body::Submodule, 0));
    }
    let header = source.objects.try_header(&leaf.id).ok().flatten().ok_or(RepositoryError::Damaged)?;
    if header.kind != Kind::Blob {
        return Err(RepositoryError::Damaged);
    }
    let most = if leaf.kind == LeafKind::Symlink { MAX_TARGET_BYTES } else { caps.file_bytes };
    if header.size > most {
        return Ok((Body::TooLarge(header.size), 0));
    }
    let mut bytes = Vec::new();
    source.read(&leaf.id, Kind::Blob, &mut bytes)?;
    let len = bytes.len() as u64;
    Ok(match leaf.kind {
        LeafKind::Symlink => (Body::Symlink(bytes), len),
        _ => {
            let facts = Contents::of(&bytes);
            (Body::File(bytes, facts), len)
        }
    })
}

/// Path and address of each submodule that `.gitmodules` at the root names. Only read as data: nothing is resolved,
/// included or run, and a file that doesn't parse names none.
fn submodule_urls(source: Source<'_>, leaves: &[Leaf]) -> HashMap<Vec<u8>, Vec<u8>> {
    const MOST_BYTES: u64 = 1 << 20;
    let Ok(at) = leaves.binary_search_by(|leaf| leaf.path.as_slice().cmp(b".gitmodules")) else {
        return HashMap::new();
    };
    let leaf = &leaves[at];
    let small = source.objects.try_header(&leaf.id).ok().flatten().is_some_and(|header| header.size <= MOST_BYTES);
    let mut buffer = Vec::new();
    if leaf.kind != LeafKind::File || !small || source.read(&leaf.id, Kind::Blob, &mut buffer).is_err() {
        return HashMap::new();
    }
    let metadata = gix::config::file::Metadata::api();
    let Ok(file) = gix::config::File::from_bytes_no_includes(&buffer, metadata, Default::default()) else {
        return HashMap::new();
    };
    let Some(sections) = file.sections_by_name("submodule") else { return HashMap::new() };
    let mut urls = HashMap::new();
    for section in sections {
        let value = |key: &str| section.value(key).map(|value| value.to_vec());
        if let (Some(path), Some(url)) = (value("path"), value("url")) {
            // The first that names a path counts.
            urls.entry(path).or_insert(url);
        }
    }
    urls
}
