//! The snapshot file's layout, version 1. All integers are little-endian; offsets count from the start of the file
//! unless they say otherwise.
//!
//! | at | what |
//! |---|---|
//! | 0 | header of 4096 bytes: see [`Header`] |
//! | 4096 | text contents, one file after the other in path order; a file whose last line has no `\n` is given one, so that every line of the region belongs to one file |
//! | after | binary contents, in path order |
//! | after | entries of [`ENTRY_BYTES`] each, in path order |
//! | after | strings: paths, symlink targets, submodule addresses, LFS ids, the repository's name |
//!
//! Two BLAKE3 checksums stand in the header: one over header, entries and strings, checked whenever a file is mapped;
//! one over both content regions, checked when this process maps a file that it did not write itself.

use super::file::EntryKind;

/// Names the format; changes with anything below.
pub(super) const MAGIC: &[u8; 8] = b"WITSNAP1";
/// Bytes of the header, one page, so that the text begins on a page.
pub(super) const HEADER_BYTES: usize = 4096;
/// Bytes of one entry.
pub(super) const ENTRY_BYTES: usize = 104;

/// Text begins with a byte order mark, which is not stored.
pub(super) const FLAG_BYTE_ORDER_MARK: u8 = 1;
/// Text is not UTF-8 throughout.
pub(super) const FLAG_LOSSY: u8 = 2;
/// The file is a Git LFS pointer.
pub(super) const FLAG_LFS: u8 = 4;
/// The submodule's address is known.
pub(super) const FLAG_URL: u8 = 8;

/// A file that isn't a whole, unchanged snapshot of this version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the snapshot file is damaged")]
pub struct DamagedSnapshot;

/// Where things are, and what they hash to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Header {
    pub(super) commit: [u8; 20],
    pub(super) tree: [u8; 20],
    pub(super) name_offset: u64,
    pub(super) name_len: u64,
    pub(super) text_len: u64,
    pub(super) binary_len: u64,
    pub(super) entry_count: u64,
    pub(super) strings_len: u64,
    pub(super) files: u64,
    pub(super) bytes: u64,
    pub(super) contents_hash: [u8; 32],
}

impl Header {
    pub(super) const fn text_at(&self) -> u64 {
        HEADER_BYTES as u64
    }

    pub(super) fn binary_at(&self) -> Option<u64> {
        self.text_at().checked_add(self.text_len)
    }

    pub(super) fn entries_at(&self) -> Option<u64> {
        self.binary_at()?.checked_add(self.binary_len)
    }

    pub(super) fn strings_at(&self) -> Option<u64> {
        self.entries_at()?.checked_add(self.entry_count.checked_mul(ENTRY_BYTES as u64)?)
    }

    pub(super) fn file_len(&self) -> Option<u64> {
        self.strings_at()?.checked_add(self.strings_len)
    }

    /// The header page with its checksum, given the bytes of entries and strings.
    pub(super) fn encode(&self, entries: &[u8], strings: &[u8]) -> Vec<u8> {
        let mut page = Vec::with_capacity(HEADER_BYTES);
        page.extend_from_slice(MAGIC);
        page.extend_from_slice(&self.commit);
        page.extend_from_slice(&self.tree);
        for number in [
            self.name_offset,
            self.name_len,
            self.text_len,
            self.binary_len,
            self.entry_count,
            self.strings_len,
            self.files,
            self.bytes,
        ] {
            page.extend_from_slice(&number.to_le_bytes());
        }
        page.extend_from_slice(&self.contents_hash);
        let hash = metadata_hash(&page, entries, strings);
        page.extend_from_slice(hash.as_bytes());
        page.resize(HEADER_BYTES, 0);
        page
    }

    /// Reads a header page and checks that it describes a file of `file_len` bytes. The checksum is not looked at.
    pub(super) fn decode(page: &[u8], file_len: u64) -> Result<Self, DamagedSnapshot> {
        let mut reader = Reader(page);
        if reader.array::<8>()? != *MAGIC {
            return Err(DamagedSnapshot);
        }
        let header = Self {
            commit: reader.array()?,
            tree: reader.array()?,
            name_offset: reader.number()?,
            name_len: reader.number()?,
            text_len: reader.number()?,
            binary_len: reader.number()?,
            entry_count: reader.number()?,
            strings_len: reader.number()?,
            files: reader.number()?,
            bytes: reader.number()?,
            contents_hash: reader.array()?,
        };
        if header.file_len() == Some(file_len) { Ok(header) } else { Err(DamagedSnapshot) }
    }
}

/// Bytes of the header page that the metadata checksum covers, and at which it stands.
pub(super) const HEADER_HASHED_BYTES: usize = 8 + 20 + 20 + 8 * 8 + 32;

/// The metadata checksum.
pub(super) fn metadata_hash(header: &[u8], entries: &[u8], strings: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_derive_key("wit snapshot metadata v1");
    hasher.update(header);
    hasher.update_rayon(entries);
    hasher.update_rayon(strings);
    hasher.finalize()
}

/// The contents checksum.
pub(super) fn contents_hash(contents: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_derive_key("wit snapshot contents v1");
    hasher.update_rayon(contents);
    hasher.finalize()
}

/// One path, as it stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    /// In the strings.
    pub(super) path_offset: u64,
    pub(super) path_len: u32,
    /// As git writes it, such as 0o100644.
    pub(super) mode: u32,
    pub(super) id: [u8; 20],
    pub(super) kind: EntryKind,
    pub(super) flags: u8,
    /// In the text region: where this file's text begins, or the next file's would.
    pub(super) text_position: u64,
    /// In the region or the strings, by kind: contents, symlink target or submodule address.
    pub(super) offset: u64,
    pub(super) len: u64,
    /// Bytes of the contents as git has them.
    pub(super) size: u64,
    pub(super) lines: u64,
    /// In the strings: 64 bytes of LFS id.
    pub(super) lfs_offset: u64,
    pub(super) lfs_size: u64,
}

impl Record {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let begin = out.len();
        out.extend_from_slice(&self.path_offset.to_le_bytes());
        out.extend_from_slice(&self.path_len.to_le_bytes());
        out.extend_from_slice(&self.mode.to_le_bytes());
        out.extend_from_slice(&self.id);
        out.push(self.kind as u8);
        out.push(self.flags);
        out.extend_from_slice(&[0; 2]);
        for number in [self.text_position, self.offset, self.len, self.size, self.lines, self.lfs_offset, self.lfs_size]
        {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.resize(begin + ENTRY_BYTES, 0);
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, DamagedSnapshot> {
        let mut reader = Reader(bytes);
        let path_offset = reader.number()?;
        let path_len = u32::from_le_bytes(reader.array()?);
        let mode = u32::from_le_bytes(reader.array()?);
        let id = reader.array()?;
        let [kind, flags, _, _] = reader.array()?;
        Ok(Self {
            path_offset,
            path_len,
            mode,
            id,
            kind: EntryKind::from_byte(kind).ok_or(DamagedSnapshot)?,
            flags,
            text_position: reader.number()?,
            offset: reader.number()?,
            len: reader.number()?,
            size: reader.number()?,
            lines: reader.number()?,
            lfs_offset: reader.number()?,
            lfs_size: reader.number()?,
        })
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], DamagedSnapshot> {
        let (head, rest) = self.0.split_first_chunk::<N>().ok_or(DamagedSnapshot)?;
        self.0 = rest;
        Ok(*head)
    }

    fn number(&mut self) -> Result<u64, DamagedSnapshot> {
        Ok(u64::from_le_bytes(self.array()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_the_round_trip() {
        let record = Record {
            path_offset: 1,
            path_len: 2,
            mode: 0o100_755,
            id: [3; 20],
            kind: EntryKind::Text,
            flags: FLAG_LFS,
            text_position: 4,
            offset: 5,
            len: 6,
            size: 7,
            lines: 8,
            lfs_offset: 9,
            lfs_size: 10,
        };
        let mut bytes = Vec::new();
        record.encode(&mut bytes);
        assert_eq!(bytes.len(), ENTRY_BYTES);
        assert_eq!(Record::decode(&bytes), Ok(record));
        assert_eq!(Record::decode(&bytes[..50]), Err(DamagedSnapshot));
    }

    #[test]
    fn headers_survive_the_round_trip() {
        let header = Header { text_len: 5, entry_count: 2, strings_len: 3, files: 2, ..Header::default() };
        let page = header.encode(b"", b"");
        let len = HEADER_BYTES as u64 + 5 + 2 * ENTRY_BYTES as u64 + 3;
        assert_eq!(Header::decode(&page, len), Ok(header.clone()));
        assert_eq!(Header::decode(&page, len + 1), Err(DamagedSnapshot));
        let huge = Header { entry_count: u64::MAX, ..header }.encode(b"", b"");
        assert_eq!(Header::decode(&huge, len), Err(DamagedSnapshot));
    }
}
