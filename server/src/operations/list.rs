//! `list`: files and directories below a path, down to a depth, in path order.
//!
//! Directories exist only as prefixes of paths; each is listed where its first path is. A walk's position is the index
//! of an entry and the level of the path component that comes next.

use serde::Serialize;
use wit_worker::registry::Code;

use super::OperationError;
use super::arguments::Arguments;
use super::cursor::{Position, Walk};
use super::page::{Frame, Item};
use super::provenance;
use crate::snapshot::{Entry, EntryKind, Snapshot};

#[derive(Serialize)]
struct Listed<'a> {
    path: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blob_sha: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    executable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lfs: Option<Lfs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stored: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_base64: Option<String>,
}

#[derive(Serialize)]
struct Lfs {
    oid: String,
    size: u64,
}

pub(crate) fn list(
    snapshot: &Snapshot,
    arguments: &Arguments,
    walk: &Walk<'_>,
) -> Result<Box<serde_json::value::RawValue>, OperationError> {
    let directory = super::path::find_directory(snapshot, arguments.text_or_empty("path"))?;
    let begin = match arguments.text("cursor") {
        Some(cursor) => walk.accept(cursor)?,
        None => Position::default(),
    };
    let depth = arguments.count("depth").unwrap_or(2);
    let bare = arguments.text("format") == Some("paths");
    let metadata = arguments.flag("include_metadata");
    let frame = Frame {
        head: provenance(snapshot),
        name: if bare { "paths" } else { "items" },
        max_bytes: arguments.number("max_bytes").unwrap_or(65_536),
        walk,
    };
    let paths = Paths::new(snapshot, &directory, depth, begin);
    let items = paths.map(|listed| {
        let json = if bare { listed.bare()? } else { listed.structured(metadata)? };
        Ok(Item { json, after: listed.after })
    });
    frame.fill(items, arguments.count("max_items").unwrap_or(100))
}

/// A directory or a leaf.
struct Path<'a> {
    entry: Entry<'a>,
    /// The path itself: shorter than the entry's for a directory.
    path: &'a [u8],
    after: Position,
}

/// Walks directories and leaves in path order.
struct Paths<'a> {
    snapshot: &'a Snapshot,
    /// Bytes of the listed directory and its slash.
    skip: usize,
    depth: usize,
    index: usize,
    end: usize,
    level: usize,
}

impl<'a> Paths<'a> {
    fn new(snapshot: &'a Snapshot, directory: &[u8], depth: usize, begin: Position) -> Self {
        let range = snapshot.below(directory);
        let skip = if directory.is_empty() { 0 } else { directory.len() + 1 };
        let (index, level) = if begin == Position::default() {
            (range.start, 0)
        } else {
            // Signed by us, yet a cursor must not be able to name a path outside the directory.
            let index = usize::try_from(begin.0).unwrap_or(usize::MAX);
            (index.clamp(range.start, range.end), usize::try_from(begin.1).unwrap_or_default())
        };
        Self { snapshot, skip, depth, index, end: range.end, level }
    }
}

impl<'a> Iterator for Paths<'a> {
    type Item = Path<'a>;

    fn next(&mut self) -> Option<Path<'a>> {
        if self.index >= self.end {
            return None;
        }
        let entry = self.snapshot.entry(self.index)?;
        let path = entry.path();
        let rest = path.get(self.skip..).unwrap_or_default();
        let mut slashes = memchr::memchr_iter(b'/', rest).skip(self.level);
        let (path, leaf) = match slashes.next() {
            Some(slash) => (&path[..self.skip + slash], false),
            None => (path, true),
        };
        if leaf {
            self.advance_to(self.index + 1);
        } else if self.level + 1 < self.depth {
            self.level += 1;
        } else {
            // Nothing deeper is listed: on to what follows the directory.
            self.advance_to(self.snapshot.below(path).end);
        }
        let after = Position(self.index as u64, self.level as u64);
        Some(Path { entry, path, after })
    }
}

impl Paths<'_> {
    /// Goes on at an entry, at the first directory that it doesn't share with the one before.
    fn advance_to(&mut self, index: usize) {
        let rest = |index| self.snapshot.entry(index).map(|entry| entry.path().get(self.skip..).unwrap_or_default());
        let (before, next) = (rest(index.saturating_sub(1)).unwrap_or_default(), rest(index).unwrap_or_default());
        let shared = before.iter().zip(next).take_while(|(a, b)| a == b).count();
        self.level = memchr::memchr_iter(b'/', &next[..shared]).count();
        self.index = index;
    }
}

impl Path<'_> {
    fn is_directory(&self) -> bool {
        self.path.len() < self.entry.path().len()
    }

    fn bare(&self) -> Result<String, OperationError> {
        let slash = if self.is_directory() { "/" } else { "" };
        json(&format!("{}{slash}", String::from_utf8_lossy(self.path)))
    }

    fn structured(&self, metadata: bool) -> Result<String, OperationError> {
        let path = String::from_utf8_lossy(self.path);
        let path_base64 = matches!(path, std::borrow::Cow::Owned(_)).then(|| super::path::base64(self.path));
        let mut listed = Listed {
            path: &path,
            kind: "dir",
            size: None,
            lines: None,
            blob_sha: None,
            executable: None,
            target: None,
            sha: None,
            url: None,
            lfs: None,
            stored: None,
            path_base64,
        };
        if self.is_directory() {
            return json(&listed);
        }
        let entry = &self.entry;
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match entry.kind() {
            EntryKind::Symlink => {
                listed.kind = "symlink";
                listed.target = entry.symlink_target().map(lossy);
            }
            EntryKind::Submodule => {
                listed.kind = "submodule";
                listed.sha = Some(entry.object_id().to_string());
                listed.url = Some(entry.submodule_url().map(lossy));
            }
            EntryKind::Text | EntryKind::Binary | EntryKind::Unstored => {
                listed.kind = "file";
                listed.size = Some(entry.size());
                listed.executable = (entry.mode() & 0o111 != 0).then_some(true);
                listed.lfs = entry.lfs().map(|lfs| Lfs { oid: lfs.oid, size: lfs.size });
                listed.stored = (entry.kind() == EntryKind::Unstored).then_some(false);
                if metadata && entry.kind() == EntryKind::Text {
                    listed.lines = Some(entry.lines());
                }
            }
        }
        if metadata && entry.kind() != EntryKind::Submodule {
            listed.blob_sha = Some(entry.object_id().to_string());
        }
        json(&listed)
    }
}

fn json(value: &impl Serialize) -> Result<String, OperationError> {
    serde_json::to_string(value).map_err(|_| OperationError::new(Code::OperationFailed, "the result has no JSON form"))
}
