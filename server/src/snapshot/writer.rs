//! Writes a snapshot file under a temporary name.
//!
//! Contents go straight to the file, so memory holds only paths and entries. Binary contents wait in an unlinked
//! spill file until all text is written. Dropping the writer at any point removes everything.
//!
//! There is no fsync: after a power failure a renamed file may be short or hold zeros; its checksums say so, and it
//! is rebuilt. Correctness never depends on what reached the disk.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::contents::{BYTE_ORDER_MARK, Contents};
use super::file::EntryKind;
use super::format::{
    FLAG_BYTE_ORDER_MARK, FLAG_LFS, FLAG_LOSSY, FLAG_URL, HEADER_BYTES, Header, Record, contents_hash,
};
use super::map::Mapping;
use crate::operations::Caps;
use crate::repository::{CommitId, RepoName};

const BUFFER_BYTES: usize = 1 << 20;

/// Why a snapshot can't be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Over the operator's caps on stored bytes or paths.
    #[error("the repository is over the size cap")]
    TooLarge {
        /// What was counted when it stopped.
        measured: u64,
        /// The cap.
        limit: u64,
        /// Whether paths, not bytes, were counted.
        paths: bool,
    },
    /// The disk.
    #[error("the snapshot file cannot be written")]
    Io(#[from] io::Error),
}

/// A snapshot being written; entries must come in path order.
pub struct SnapshotWriter {
    file: BufWriter<NamedTempFile>,
    binary: Option<BufWriter<File>>,
    spill_directory: std::path::PathBuf,
    entries: Vec<u8>,
    strings: Vec<u8>,
    header: Header,
    caps: Caps,
}

impl SnapshotWriter {
    /// Starts a file in a directory on the cache's file system.
    ///
    /// # Errors
    /// When the file can't be created.
    pub fn create(directory: &Path, caps: Caps) -> Result<Self, WriteError> {
        let file = tempfile::Builder::new().prefix("snapshot-").tempfile_in(directory)?;
        let mut file = BufWriter::with_capacity(BUFFER_BYTES, file);
        file.write_all(&[0; HEADER_BYTES])?;
        Ok(Self {
            file,
            binary: None,
            spill_directory: directory.to_owned(),
            entries: Vec::new(),
            strings: Vec::new(),
            header: Header::default(),
            caps,
        })
    }

    /// Adds a file and its contents, of which `facts` must be the facts.
    ///
    /// # Errors
    /// When a cap is passed or the disk fails.
    pub fn file(
        &mut self,
        path: &[u8],
        mode: u32,
        id: CommitId,
        bytes: &[u8],
        facts: &Contents,
    ) -> Result<(), WriteError> {
        self.count(bytes.len() as u64, true)?;
        let mut record = self.record(path, mode, id, EntryKind::Text, bytes.len() as u64)?;
        if let Some(lfs) = &facts.lfs {
            record.flags |= FLAG_LFS;
            (record.lfs_offset, _) = self.string(lfs.oid.as_bytes());
            record.lfs_size = lfs.size;
        }
        if facts.binary {
            record.kind = EntryKind::Binary;
            (record.offset, record.len) = (self.header.binary_len, bytes.len() as u64);
            self.spill()?.write_all(bytes)?;
            self.header.binary_len += record.len;
        } else {
            record.flags |= if facts.lossy { FLAG_LOSSY } else { 0 };
            record.flags |= if facts.byte_order_mark { FLAG_BYTE_ORDER_MARK } else { 0 };
            let text = if facts.byte_order_mark { &bytes[BYTE_ORDER_MARK.len()..] } else { bytes };
            (record.offset, record.len, record.lines) = (self.header.text_len, text.len() as u64, facts.lines);
            self.file.write_all(text)?;
            self.header.text_len += record.len;
            if text.last().is_some_and(|last| *last != b'\n') {
                self.file.write_all(b"\n")?;
                self.header.text_len += 1;
            }
        }
        record.encode(&mut self.entries);
        Ok(())
    }

    /// Adds a file that is too large to be stored.
    ///
    /// # Errors
    /// When a cap is passed.
    pub fn unstored(&mut self, path: &[u8], mode: u32, id: CommitId, size: u64) -> Result<(), WriteError> {
        self.count(size, false)?;
        let record = self.record(path, mode, id, EntryKind::Unstored, size)?;
        record.encode(&mut self.entries);
        Ok(())
    }

    /// Adds a symbolic link.
    ///
    /// # Errors
    /// When a cap is passed.
    pub fn symlink(&mut self, path: &[u8], mode: u32, id: CommitId, target: &[u8]) -> Result<(), WriteError> {
        let mut record = self.record(path, mode, id, EntryKind::Symlink, target.len() as u64)?;
        (record.offset, record.len) = self.string(target);
        record.encode(&mut self.entries);
        Ok(())
    }

    /// Adds a submodule.
    ///
    /// # Errors
    /// When a cap is passed.
    pub fn submodule(&mut self, path: &[u8], mode: u32, id: CommitId, url: Option<&[u8]>) -> Result<(), WriteError> {
        let mut record = self.record(path, mode, id, EntryKind::Submodule, 0)?;
        if let Some(url) = url {
            record.flags |= FLAG_URL;
            (record.offset, record.len) = self.string(url);
        }
        record.encode(&mut self.entries);
        Ok(())
    }

    /// Completes the file, still under its temporary name.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn finish(mut self, repo: &RepoName, commit: CommitId, tree: [u8; 20]) -> Result<NamedTempFile, WriteError> {
        (self.header.name_offset, self.header.name_len) = self.string(repo.as_str().as_bytes());
        if let Some(binary) = self.binary.take() {
            let mut binary = binary.into_inner().map_err(io::IntoInnerError::into_error)?;
            binary.seek(SeekFrom::Start(0))?;
            io::copy(&mut binary, &mut self.file)?;
        }
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let contents_hash = {
            let map = Mapping::new(file.as_file(), true)?;
            contents_hash(map.get(HEADER_BYTES..).unwrap_or_default())
        };
        file.write_all(&self.entries)?;
        file.write_all(&self.strings)?;
        let header = Header {
            commit: *commit.as_bytes(),
            tree,
            strings_len: self.strings.len() as u64,
            contents_hash: *contents_hash.as_bytes(),
            ..self.header
        };
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&header.encode(&self.entries, &self.strings))?;
        file.flush()?;
        Ok(file)
    }

    fn record(
        &mut self,
        path: &[u8],
        mode: u32,
        id: CommitId,
        kind: EntryKind,
        size: u64,
    ) -> Result<Record, WriteError> {
        self.header.entry_count += 1;
        if self.header.entry_count > self.caps.repository_files {
            let (measured, limit) = (self.header.entry_count, self.caps.repository_files);
            return Err(WriteError::TooLarge { measured, limit, paths: true });
        }
        let (path_offset, path_len) = self.string(path);
        let path_len = u32::try_from(path_len).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
        Ok(Record {
            path_offset,
            path_len,
            mode,
            id: *id.as_bytes(),
            kind,
            flags: 0,
            text_position: self.header.text_len,
            offset: 0,
            len: 0,
            size,
            lines: 0,
            lfs_offset: 0,
            lfs_size: 0,
        })
    }

    fn count(&mut self, bytes: u64, stored: bool) -> Result<(), WriteError> {
        let stored_bytes = self.header.text_len + self.header.binary_len + if stored { bytes } else { 0 };
        if stored_bytes > self.caps.repository_bytes {
            return Err(WriteError::TooLarge {
                measured: stored_bytes,
                limit: self.caps.repository_bytes,
                paths: false,
            });
        }
        self.header.files += 1;
        self.header.bytes = self.header.bytes.saturating_add(bytes);
        Ok(())
    }

    fn string(&mut self, bytes: &[u8]) -> (u64, u64) {
        let offset = self.strings.len() as u64;
        self.strings.extend_from_slice(bytes);
        (offset, bytes.len() as u64)
    }

    fn spill(&mut self) -> io::Result<&mut BufWriter<File>> {
        if self.binary.is_none() {
            let file = tempfile::tempfile_in(&self.spill_directory)?;
            self.binary = Some(BufWriter::with_capacity(BUFFER_BYTES, file));
        }
        self.binary.as_mut().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }
}
