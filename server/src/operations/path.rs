//! Paths as callers write them, looked up among a snapshot's paths; never a file name of this machine.
//!
//! Nothing and `.` are the root, whatever a tree calls its entries. The exact bytes win. Otherwise a leading `/` or `./`
//! and a trailing `/` are forgiven, a path with U+FFFD in it finds the one path that isn't UTF-8 and looks like that, and
//! `base64:` before the `path_base64` of a listing names its exact bytes, also where several look alike.

use std::borrow::Cow;

use base64::Engine as _;
use wit_worker::registry::Code;

use super::OperationError;
use crate::snapshot::{Entry, Snapshot};

/// Stands before the exact bytes of a path that isn't UTF-8.
const BASE64: &str = "base64:";

/// What a path leads to.
pub(crate) enum Found<'a> {
    /// A file, symlink or submodule.
    Leaf(Entry<'a>),
    /// A directory: the bytes of its path.
    Directory(Vec<u8>),
}

/// Looks a path up.
pub(crate) fn find<'a>(snapshot: &'a Snapshot, given: &str) -> Result<Found<'a>, OperationError> {
    for path in [given, tidy(given)] {
        if path.is_empty() || path == "." {
            return Ok(Found::Directory(Vec::new()));
        }
        if let Some(entry) = snapshot.find(path.as_bytes()) {
            return Ok(Found::Leaf(entry));
        }
        if !snapshot.below(path.as_bytes()).is_empty() {
            return Ok(Found::Directory(path.as_bytes().to_vec()));
        }
    }
    if let Some(path) = given.strip_prefix(BASE64).and_then(decoded) {
        if let Some(entry) = snapshot.find(&path) {
            return Ok(Found::Leaf(entry));
        }
        if !path.is_empty() && !snapshot.below(&path).is_empty() {
            return Ok(Found::Directory(path));
        }
    }
    if given.contains(char::REPLACEMENT_CHARACTER) {
        let mut alike = snapshot
            .entries(0..snapshot.len())
            .filter(|entry| matches!(String::from_utf8_lossy(entry.path()), Cow::Owned(shown) if shown == given));
        if let (Some(entry), None) = (alike.next(), alike.next()) {
            return Ok(Found::Leaf(entry));
        }
    }
    Err(OperationError::new(Code::PathNotFound, "the snapshot has no such path; list shows what there is"))
}

/// Looks a directory up.
pub(crate) fn find_directory(snapshot: &Snapshot, given: &str) -> Result<Vec<u8>, OperationError> {
    match find(snapshot, given)? {
        Found::Directory(path) => Ok(path),
        Found::Leaf(_) => Err(OperationError::new(Code::PathNotFound, "the path is not a directory; read takes files")),
    }
}

/// The exact bytes of a path, for one that isn't UTF-8.
pub(crate) fn base64(path: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(path)
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    base64::engine::general_purpose::STANDARD.decode(text).ok()
}

fn tidy(path: &str) -> &str {
    let mut path = path.trim_matches('/');
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    path
}
