//! The loader of snapshot files: a cache directory may hold anything.

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use wit::operations::Caps;
use wit::repository::{CommitId, RepoName};
use wit::snapshot::{Contents, EntryKind, Snapshot, SnapshotId, SnapshotWriter, Store};

/// Bytes of the header that its checksum covers, and of the page it stands on; see `server/src/snapshot/format.rs`.
const HASHED: usize = 144;
const PAGE: usize = 4096;
/// The largest file worth trying.
const MAX_BYTES: usize = 1 << 20;

/// A cache directory with one good snapshot.
struct Place {
    directory: tempfile::TempDir,
    file: PathBuf,
    id: SnapshotId,
    good: Vec<u8>,
}

/// Whatever stands in a snapshot's file, it is dropped as damaged, or every entry can be read. The first byte says whether
/// the checksums are put right, so that what lies behind them is reached; then follow the header and, without the rest of
/// its page, everything after it.
pub fn snapshot(data: &[u8]) {
    is_read(data);
}

/// The same, and whether it was read.
pub fn is_read(data: &[u8]) -> bool {
    // Tests call this from several threads, and the place is one.
    static PLACE: OnceLock<Mutex<Place>> = OnceLock::new();
    let place = PLACE.get_or_init(|| Mutex::new(place().expect("a directory of our own")));
    let place = place.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((&flags, rest)) = data.split_first() else { return false };
    if rest.len() > MAX_BYTES {
        return false;
    }
    fs::write(&place.file, expanded(flags, rest)).expect("the disk is ours");
    let store = Store::open(place.directory.path(), u64::MAX).expect("the cache opens");
    match store.get(place.id).expect("only the disk can fail") {
        Some(snapshot) => {
            assert_eq!(snapshot.id(), place.id);
            walk(&snapshot);
            true
        }
        None => {
            assert!(!place.file.exists(), "a damaged file is dropped");
            false
        }
    }
}

/// The file that an input stands for.
fn expanded(flags: u8, rest: &[u8]) -> Vec<u8> {
    let (header, body) = rest.split_at(HASHED.min(rest.len()));
    let mut page = header.to_vec();
    page.resize(HASHED, 0);
    if flags & 1 == 1 {
        let at = |field: usize| u64::from_le_bytes(page[48 + field * 8..56 + field * 8].try_into().expect("eight"));
        let contents = at(2).saturating_add(at(3));
        let contents = usize::try_from(contents).unwrap_or(usize::MAX).min(body.len());
        let hash = hash("wit snapshot contents v1", &[&body[..contents]]);
        page[112..144].copy_from_slice(&hash);
        let metadata = self::hash("wit snapshot metadata v1", &[&page, &body[contents..]]);
        page.extend_from_slice(&metadata);
    }
    page.resize(PAGE, 0);
    page.extend_from_slice(body);
    page
}

fn hash(context: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key(context);
    for part in parts {
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}

/// Asks everything of everything.
fn walk(snapshot: &Snapshot) {
    let text = snapshot.text().len();
    for entry in snapshot.entries(0..snapshot.len()) {
        assert_eq!(snapshot.entry(entry.index()).map(|entry| entry.path()), Some(entry.path()));
        let found = snapshot.find(entry.path()).expect("what is listed is found");
        assert_eq!(found.path(), entry.path());
        assert!(snapshot.lower_bound(entry.path()) <= entry.index());
        let below = snapshot.below(entry.path());
        assert!(below.start <= below.end && below.end <= snapshot.len());
        let range = entry.text_range();
        assert!(range.start <= range.end && range.end <= text);
        assert!(entry.kind() == EntryKind::Text || entry.text().is_empty());
        let _ =
            (entry.binary(), entry.symlink_target(), entry.submodule_url(), entry.byte_order_mark(), entry.is_lossy());
        let _ = (entry.mode(), entry.object_id(), entry.size(), entry.lines(), entry.lfs().map(|lfs| lfs.oid.len()));
    }
    assert!(snapshot.entry(snapshot.len()).is_none());
    for position in [0, 1, text / 2, text.saturating_sub(1), text, usize::MAX] {
        let _ = snapshot.text_entry_at(position).map(|entry| entry.path().len());
    }
    let _ = (snapshot.total_files(), snapshot.total_bytes(), snapshot.commit(), snapshot.repo().to_string());
}

fn place() -> Result<Place, Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let store = Store::open(directory.path(), u64::MAX)?;
    let repo: RepoName = "demo/fixture".parse().map_err(|_| "a name")?;
    let commit = CommitId::from_bytes([1; 20]);
    let mut writer = SnapshotWriter::create(directory.path(), Caps::default())?;
    let id = |byte: u8| CommitId::from_bytes([byte; 20]);
    let mut file = |path: &[u8], bytes: &[u8]| writer.file(path, 0o100_644, id(2), bytes, &Contents::of(bytes));
    file(b"a.txt", b"one\ntwo\n")?;
    file(b"b.bin", b"\0\x01\x02")?;
    file(b"c.txt", b"\xef\xbb\xbfmarked, no newline")?;
    file(b"d.txt", b"not UTF-8 \xff\r\n")?;
    file(
        b"e.lfs",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n",
    )?;
    writer.symlink(b"f.link", 0o120_000, id(3), b"a.txt")?;
    writer.submodule(b"g", 0o160_000, id(4), Some(b"https://example.org/x"))?;
    writer.unstored(b"h.big", 0o100_644, id(5), 1 << 40)?;
    let snapshot_id = SnapshotId::of(&repo, &commit);
    drop(store.insert(snapshot_id, writer.finish(&repo, commit, [6; 20])?)?);
    let file = find(directory.path(), snapshot_id.as_str()).ok_or("the snapshot has a file")?;
    let good = fs::read(&file)?;
    Ok(Place { directory, file, id: snapshot_id, good })
}

/// The file of a name, wherever below.
fn find(directory: &std::path::Path, name: &str) -> Option<PathBuf> {
    fs::read_dir(directory).ok()?.flatten().find_map(|entry| {
        let path = entry.path();
        match path.is_dir() {
            true => find(&path, name),
            false => path.file_name().is_some_and(|found| found.to_string_lossy().starts_with(name)).then_some(path),
        }
    })
}

/// The good snapshot as an input, with its own checksums and with ones to be put right, and ways to spoil it.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let place = place().expect("a directory of our own");
    let body = [&place.good[..HASHED], &place.good[PAGE..]].concat();
    let mut seeds = vec![[&[1][..], &body].concat(), [&[0][..], &body].concat(), vec![1]];
    // Each number of the header, and each of the first entries, made huge.
    let entries = place.good.len() - PAGE - 8 * 104;
    for at in (48..112).step_by(8).chain((HASHED + entries / 2..body.len().min(HASHED + entries)).step_by(8)) {
        let mut spoilt = [&[1][..], &body].concat();
        let end = (at + 9).min(spoilt.len());
        spoilt[at + 1..end].fill(0xff);
        seeds.push(spoilt);
    }
    seeds
}
