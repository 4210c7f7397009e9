//! A mapped snapshot: entries in path order, and the text of all files as one contiguous slice.
//!
//! Everything a file claims is checked when it is loaded, so that no accessor can fail or read outside the mapping,
//! whatever is on disk.

use std::cmp::Ordering;
use std::fs::File;
use std::ops::Range;

use super::contents::{BYTE_ORDER_MARK, LfsPointer};
use super::format::{
    DamagedSnapshot, ENTRY_BYTES, FLAG_BYTE_ORDER_MARK, FLAG_LFS, FLAG_LOSSY, FLAG_URL, HEADER_BYTES,
    HEADER_HASHED_BYTES, Header, Record, contents_hash, metadata_hash,
};
use super::id::SnapshotId;
use super::map::Mapping;
use crate::repository::{CommitId, RepoName};

/// What a path is, and where its contents are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum EntryKind {
    /// A file without NUL bytes.
    Text = 1,
    /// A file with NUL bytes.
    Binary = 2,
    /// A file over the size cap: listed, not stored.
    Unstored = 3,
    /// A symbolic link; never followed.
    Symlink = 4,
    /// A commit of another repository.
    Submodule = 5,
}

impl EntryKind {
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        [Self::Text, Self::Binary, Self::Unstored, Self::Symlink, Self::Submodule]
            .into_iter()
            .find(|kind| *kind as u8 == byte)
    }
}

/// One commit of one repository, ready to be read.
pub struct Snapshot {
    map: Mapping,
    header: Header,
    id: SnapshotId,
    repo: RepoName,
    regions: Regions,
}

/// Ranges within the mapping, checked.
struct Regions {
    text: Range<usize>,
    binary: Range<usize>,
    entries: Range<usize>,
    strings: Range<usize>,
}

/// How much of a file is taken on trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// Just written here: only the metadata is checked.
    Written,
    /// To be shown, not read: only the metadata is checked, and only its pages are touched.
    Listed,
    /// Found in the cache: contents are hashed too. About 10 ms for 57 MB on two cores, once per mapping, and
    /// the pages are warm afterwards.
    Found,
}

impl Snapshot {
    /// Maps a file and checks it.
    pub(super) fn load(file: &File, trust: Trust) -> Result<Self, LoadError> {
        let map = Mapping::new(file, trust != Trust::Listed)?;
        Ok(Self::check(map, trust)?)
    }

    fn check(map: Mapping, trust: Trust) -> Result<Self, DamagedSnapshot> {
        let page = map.get(..HEADER_BYTES).ok_or(DamagedSnapshot)?;
        let header = Header::decode(page, map.len() as u64)?;
        let regions = Regions::of(&header)?;
        let (hashed, rest) = page.split_at(HEADER_HASHED_BYTES);
        let entries = map.get(regions.entries.clone()).ok_or(DamagedSnapshot)?;
        let strings = map.get(regions.strings.clone()).ok_or(DamagedSnapshot)?;
        let expected = rest.first_chunk::<32>().ok_or(DamagedSnapshot)?;
        if metadata_hash(hashed, entries, strings) != *expected || rest[32..].iter().any(|byte| *byte != 0) {
            return Err(DamagedSnapshot);
        }
        let contents = map.get(regions.text.start..regions.binary.end).ok_or(DamagedSnapshot)?;
        if trust == Trust::Found && contents_hash(contents) != header.contents_hash {
            return Err(DamagedSnapshot);
        }
        let name = slice(strings, header.name_offset, header.name_len).ok_or(DamagedSnapshot)?;
        let repo: RepoName =
            std::str::from_utf8(name).ok().and_then(|text| text.parse().ok()).ok_or(DamagedSnapshot)?;
        let id = SnapshotId::of(&repo, &CommitId::from_bytes(header.commit));
        let snapshot = Self { id, repo, regions, header, map };
        snapshot.check_entries()?;
        Ok(snapshot)
    }

    /// Every range lies inside its region, and both paths and text positions are in order.
    fn check_entries(&self) -> Result<(), DamagedSnapshot> {
        let mut last_path: &[u8] = b"";
        let mut position = 0;
        for bytes in self.map[self.regions.entries.clone()].chunks_exact(ENTRY_BYTES) {
            let record = Record::decode(bytes)?;
            let path = slice(self.strings(), record.path_offset, record.path_len.into()).ok_or(DamagedSnapshot)?;
            let inside = match record.kind {
                EntryKind::Text => slice(self.text(), record.offset, record.len),
                EntryKind::Binary => slice(&self.map[self.regions.binary.clone()], record.offset, record.len),
                EntryKind::Symlink | EntryKind::Submodule => slice(self.strings(), record.offset, record.len),
                EntryKind::Unstored => Some(&[][..]),
            };
            let lfs = record.flags & FLAG_LFS == 0
                || slice(self.strings(), record.lfs_offset, 64).is_some_and(|oid| oid.is_ascii());
            let text_in_place = record.kind != EntryKind::Text || record.offset == record.text_position;
            if inside.is_none() || !lfs || !text_in_place || record.text_position < position || path < last_path {
                return Err(DamagedSnapshot);
            }
            position = record.text_position;
            last_path = path;
        }
        if position > self.header.text_len { Err(DamagedSnapshot) } else { Ok(()) }
    }

    /// The handle.
    #[must_use]
    pub fn id(&self) -> SnapshotId {
        self.id
    }

    /// The repository, as it was spelled when first opened.
    #[must_use]
    pub fn repo(&self) -> &RepoName {
        &self.repo
    }

    /// The commit.
    #[must_use]
    pub fn commit(&self) -> CommitId {
        CommitId::from_bytes(self.header.commit)
    }

    /// Files, symlinks and submodules.
    #[must_use]
    pub fn len(&self) -> usize {
        self.regions.entries.len() / ENTRY_BYTES
    }

    /// Whether the tree has no entry at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.regions.entries.is_empty()
    }

    /// Files, not counting symlinks and submodules.
    #[must_use]
    pub fn total_files(&self) -> u64 {
        self.header.files
    }

    /// Bytes of all files as git has them.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.header.bytes
    }

    /// The entry at an index below [`Self::len`].
    #[must_use]
    pub fn entry(&self, index: usize) -> Option<Entry<'_>> {
        let begin = index.checked_mul(ENTRY_BYTES)?;
        let entries = self.map.get(self.regions.entries.clone())?;
        let record = Record::decode(entries.get(begin..begin.checked_add(ENTRY_BYTES)?)?).ok()?;
        Some(Entry { snapshot: self, record, index })
    }

    /// The entries of a range, in path order.
    pub fn entries(&self, range: Range<usize>) -> impl Iterator<Item = Entry<'_>> {
        range.map_while(|index| self.entry(index))
    }

    /// The entry with exactly these bytes as its path.
    #[must_use]
    pub fn find(&self, path: &[u8]) -> Option<Entry<'_>> {
        self.entry(self.lower_bound(path)).filter(|entry| entry.path() == path)
    }

    /// The first entry whose path is not below `path` in byte order.
    #[must_use]
    pub fn lower_bound(&self, path: &[u8]) -> usize {
        self.partition(|entry| entry.path() < path)
    }

    /// The entries below a directory (without trailing slash); all of them for the root.
    #[must_use]
    pub fn below(&self, directory: &[u8]) -> Range<usize> {
        if directory.is_empty() {
            return 0..self.len();
        }
        let prefix = [directory, b"/"].concat();
        let begin = self.lower_bound(&prefix);
        begin..self.partition(|entry| match entry.path().get(..prefix.len()) {
            Some(head) => head <= prefix.as_slice(),
            None => entry.path() < prefix.as_slice(),
        })
    }

    /// The text of all text files, in path order; see the format for how it is laid out.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.map[self.regions.text.clone()]
    }

    /// The text file that holds this position of [`Self::text`].
    #[must_use]
    pub fn text_entry_at(&self, position: usize) -> Option<Entry<'_>> {
        // The last entry that begins at or before it; entries without text begin where the next text does.
        let after = self.partition(|entry| entry.record.text_position <= position as u64);
        self.entry(after.checked_sub(1)?).filter(|entry| entry.kind() == EntryKind::Text)
    }

    fn strings(&self) -> &[u8] {
        &self.map[self.regions.strings.clone()]
    }

    fn partition(&self, before: impl Fn(&Entry<'_>) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self
                .entry(middle)
                .map_or(Ordering::Greater, |entry| if before(&entry) { Ordering::Less } else { Ordering::Greater })
            {
                Ordering::Less => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").field("id", &self.id).field("commit", &self.commit()).finish_non_exhaustive()
    }
}

impl Regions {
    fn of(header: &Header) -> Result<Self, DamagedSnapshot> {
        let at = |value: Option<u64>| value.and_then(|at| usize::try_from(at).ok()).ok_or(DamagedSnapshot);
        let (text, binary) = (at(Some(header.text_at()))?, at(header.binary_at())?);
        let (entries, strings) = (at(header.entries_at())?, at(header.strings_at())?);
        let end = at(header.file_len())?;
        Ok(Self { text: text..binary, binary: binary..entries, entries: entries..strings, strings: strings..end })
    }
}

fn slice(region: &[u8], offset: u64, len: u64) -> Option<&[u8]> {
    let begin = usize::try_from(offset).ok()?;
    region.get(begin..begin.checked_add(usize::try_from(len).ok()?)?)
}

/// One path of a snapshot.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    snapshot: &'a Snapshot,
    record: Record,
    index: usize,
}

impl<'a> Entry<'a> {
    /// Its place among the entries.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// The path's exact bytes, which need not be UTF-8.
    #[must_use]
    pub fn path(&self) -> &'a [u8] {
        slice(self.snapshot.strings(), self.record.path_offset, self.record.path_len.into()).unwrap_or_default()
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> EntryKind {
        self.record.kind
    }

    /// The mode as git has it, such as 0o100644.
    #[must_use]
    pub fn mode(&self) -> u32 {
        self.record.mode
    }

    /// The id of the contents, or of a submodule's commit.
    #[must_use]
    pub fn object_id(&self) -> CommitId {
        CommitId::from_bytes(self.record.id)
    }

    /// Bytes of the contents as git has them.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.record.size
    }

    /// Lines of text.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.record.lines
    }

    /// Whether text is not UTF-8 throughout.
    #[must_use]
    pub fn is_lossy(&self) -> bool {
        self.record.flags & FLAG_LOSSY != 0
    }

    /// The byte order mark that precedes [`Self::text`], or nothing.
    #[must_use]
    pub fn byte_order_mark(&self) -> &'static [u8] {
        if self.record.flags & FLAG_BYTE_ORDER_MARK == 0 { &[] } else { BYTE_ORDER_MARK }
    }

    /// Where its text is in [`Snapshot::text`]; empty unless it is text.
    #[must_use]
    pub fn text_range(&self) -> Range<usize> {
        // Checked at load to lie inside the region, hence to fit.
        let begin = usize::try_from(self.record.text_position).unwrap_or_default();
        let len =
            if self.record.kind == EntryKind::Text { usize::try_from(self.record.len).unwrap_or_default() } else { 0 };
        begin..begin + len
    }

    /// Its text without byte order mark; empty unless it is text.
    #[must_use]
    pub fn text(&self) -> &'a [u8] {
        self.snapshot.text().get(self.text_range()).unwrap_or_default()
    }

    /// Its contents if it is binary and stored.
    #[must_use]
    pub fn binary(&self) -> Option<&'a [u8]> {
        let region = self.snapshot.map.get(self.snapshot.regions.binary.clone())?;
        (self.record.kind == EntryKind::Binary).then(|| slice(region, self.record.offset, self.record.len))?
    }

    /// Where a symlink points.
    #[must_use]
    pub fn symlink_target(&self) -> Option<&'a [u8]> {
        (self.record.kind == EntryKind::Symlink).then(|| self.string())?
    }

    /// A submodule's address, where `.gitmodules` has one.
    #[must_use]
    pub fn submodule_url(&self) -> Option<&'a [u8]> {
        (self.record.kind == EntryKind::Submodule && self.record.flags & FLAG_URL != 0).then(|| self.string())?
    }

    /// What an LFS pointer points to.
    #[must_use]
    pub fn lfs(&self) -> Option<LfsPointer> {
        if self.record.flags & FLAG_LFS == 0 {
            return None;
        }
        let oid = slice(self.snapshot.strings(), self.record.lfs_offset, 64)?;
        Some(LfsPointer { oid: std::str::from_utf8(oid).ok()?.to_owned(), size: self.record.lfs_size })
    }

    fn string(&self) -> Option<&'a [u8]> {
        slice(self.snapshot.strings(), self.record.offset, self.record.len)
    }
}

/// Why a file couldn't be mapped.
#[derive(Debug, thiserror::Error)]
pub(super) enum LoadError {
    /// It can't be mapped.
    #[error("the snapshot file cannot be mapped")]
    Io(#[from] std::io::Error),
    /// It isn't whole.
    #[error(transparent)]
    Damaged(#[from] DamagedSnapshot),
}
