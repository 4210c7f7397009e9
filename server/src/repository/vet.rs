//! Looks at a local repository before gix opens anything in it: whether git's files are files.
//!
//! A FIFO, a socket or a device where git keeps a file would hold a thread for ever, and a file that never ends would
//! fill memory: neither a deadline nor a cancellation ends a read that the kernel has begun. So everything that gix may
//! open is looked at first, by `stat` alone, and what git reads whole must not be larger than git ever writes it. Objects
//! and packs are mapped, so their size doesn't matter.
//!
//! This is no defence against somebody who changes the repository in the moment between the look and the read; whoever may
//! do that was given the operator's trust by being mapped. It is a defence against a repository that came from elsewhere.

use std::fs::{self, FileType, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::RepositoryError;
use crate::operations::OperationContext;

/// Largest file of one or a few lines: `HEAD`, a ref, `commondir`.
const LINE_BYTES: u64 = 64 << 10;
/// Largest configuration or list of other places.
const TEXT_BYTES: u64 = 4 << 20;
/// Largest list of refs, some millions of them. It is mapped, and parsed.
const REFS_BYTES: u64 = 512 << 20;
/// Directories below one another.
const MOST_LEVELS: usize = 32;
/// Object directories that borrow from one another.
const MOST_ALTERNATES: usize = 32;

/// The directories of a repository.
#[derive(Debug)]
pub(super) struct Layout {
    /// Configuration of the repository, which worktrees share.
    pub(super) config: PathBuf,
    /// Whether what makes a repository is there. If it can't be opened then, it is damaged.
    pub(super) is_repository: bool,
}

/// Looks at everything that may be opened.
pub(super) fn vet(path: &Path, context: &OperationContext) -> Result<Layout, RepositoryError> {
    let inner = path.join(".git");
    let own = match facts(&inner)? {
        Some(facts) if facts.is_file() => linked(&inner, &facts)?,
        Some(facts) if facts.is_dir() => inner,
        Some(_) => return Err(RepositoryError::Irregular),
        None => path.to_owned(),
    };
    let common = match small(&own.join("commondir"), LINE_BYTES)? {
        Some(text) => own.join(line(&text)?),
        None => own.clone(),
    };
    let mut vetted = Vec::new();
    let both = [&own, &common];
    for directory in &both[usize::from(own == common)..] {
        for (name, most) in [
            ("HEAD", LINE_BYTES),
            ("commondir", LINE_BYTES),
            ("gitdir", LINE_BYTES),
            ("config", TEXT_BYTES),
            ("config.worktree", TEXT_BYTES),
            ("shallow", TEXT_BYTES),
            ("packed-refs", REFS_BYTES),
        ] {
            file(&directory.join(name), most)?;
        }
        refs(&directory.join("refs"), context)?;
        objects(&directory.join("objects"), &mut vetted, context)?;
    }
    let is_repository = own.join("HEAD").is_file() && common.join("objects").is_dir() && common.join("refs").is_dir();
    Ok(Layout { config: common.join("config"), is_repository })
}

/// Where a `.git` file leads.
fn linked(file: &Path, facts: &Metadata) -> Result<PathBuf, RepositoryError> {
    if facts.len() > LINE_BYTES {
        return Err(RepositoryError::Irregular);
    }
    let text = fs::read(file)?;
    let target = text.strip_prefix(b"gitdir:").ok_or(RepositoryError::NotARepository)?;
    Ok(file.parent().unwrap_or(Path::new("")).join(line(target)?))
}

/// The loose refs: files of a line, at any depth.
fn refs(directory: &Path, context: &OperationContext) -> Result<(), RepositoryError> {
    each(directory, MOST_LEVELS, context, &mut |path, kind| {
        if kind.is_dir() {
            return Ok(Descend::Into);
        }
        // git makes no such links, and a ref is looked for behind them.
        if kind.is_symlink() && facts(path)?.is_some_and(|facts| facts.is_dir()) {
            return Err(RepositoryError::Irregular);
        }
        file(path, LINE_BYTES).map(|()| Descend::Not)
    })
}

/// An object directory, and those it borrows from.
fn objects(directory: &Path, vetted: &mut Vec<PathBuf>, context: &OperationContext) -> Result<(), RepositoryError> {
    if vetted.iter().any(|known| known == directory) {
        return Ok(());
    }
    if vetted.len() >= MOST_ALTERNATES {
        return Err(RepositoryError::Irregular);
    }
    vetted.push(directory.to_owned());
    each(directory, 3, context, &mut |path, kind| match kind {
        kind if kind.is_dir() => Ok(Descend::Into),
        kind if kind.is_file() => Ok(Descend::Not),
        // A link to a file or a directory elsewhere is as good as one.
        kind if kind.is_symlink() => match facts(path)? {
            Some(facts) if facts.is_dir() => Ok(Descend::Into),
            Some(facts) if facts.is_file() => Ok(Descend::Not),
            None => Ok(Descend::Not),
            Some(_) => Err(RepositoryError::Irregular),
        },
        _ => Err(RepositoryError::Irregular),
    })?;
    let Some(text) = small(&directory.join("info/alternates"), TEXT_BYTES)? else { return Ok(()) };
    for other in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && !line.starts_with(b"#")) {
        objects(&directory.join(line(other)?), vetted, context)?;
    }
    Ok(())
}

enum Descend {
    Into,
    Not,
}

/// Asks about every entry, by the type that the directory itself gives: that costs no look at the entry.
fn each(
    directory: &Path,
    levels: usize,
    context: &OperationContext,
    ask: &mut dyn FnMut(&Path, FileType) -> Result<Descend, RepositoryError>,
) -> Result<(), RepositoryError> {
    context.check().map_err(RepositoryError::Stopped)?;
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        // What isn't there is gix's to judge.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return file(directory, u64::MAX);
        }
        Err(error) => return Err(error.into()),
    };
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        match ask(&path, entry.file_type()?)? {
            Descend::Into if levels == 0 => return Err(RepositoryError::Irregular),
            Descend::Into => each(&path, levels - 1, context, ask)?,
            Descend::Not => {}
        }
    }
    Ok(())
}

/// Nothing, or a regular file of a size, or a directory.
fn file(path: &Path, most: u64) -> Result<(), RepositoryError> {
    match facts(path)? {
        Some(facts) if facts.is_file() && facts.len() > most => Err(RepositoryError::Irregular),
        Some(facts) if !facts.is_file() && !facts.is_dir() => Err(RepositoryError::Irregular),
        _ => Ok(()),
    }
}

/// The contents of a small file, if there is one.
fn small(path: &Path, most: u64) -> Result<Option<Vec<u8>>, RepositoryError> {
    file(path, most)?;
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) if error.kind() == ErrorKind::IsADirectory => Err(RepositoryError::Irregular),
        Err(error) => Err(error.into()),
    }
}

/// What a path leads to, links followed.
fn facts(path: &Path) -> Result<Option<Metadata>, RepositoryError> {
    match fs::metadata(path) {
        Ok(facts) => Ok(Some(facts)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        // A circle of links, a name that is too long.
        Err(error) if error.kind() != ErrorKind::PermissionDenied => Err(RepositoryError::Irregular),
        Err(error) => Err(error.into()),
    }
}

/// A line as a path.
fn line(text: &[u8]) -> Result<PathBuf, RepositoryError> {
    gix::path::from_byte_slice(text.trim_ascii()).map(Path::to_owned).map_err(|_| RepositoryError::Irregular)
}
