//! The cache directory: snapshots by handle, the cursor key, scratch space, and eviction.
//!
//! Everything lies in a directory of our own below the operator's, mode 0700, files 0600:
//!
//! | path | what |
//! |---|---|
//! | `v1/key` | 32 random bytes that sign cursors; made once, by whoever comes first |
//! | `v1/snapshots/<handle>` | snapshot files, immutable; the time of modification is the time of last use |
//! | `v1/refs/<hash>` | what a ref led to when it was last asked for |
//! | `v1/scratch/<server>/` | files being written and packs being received; see [`super::scratch`] |
//! | `v1/locks/<handle>` | held by the server that is building this snapshot; see [`super::claim`] |
//!
//! Several servers may share it: a file appears by rename and disappears by unlink, nothing is changed in place, and
//! two servers that build the same snapshot produce the same bytes. So no reader ever needs a lock, and the lock of a
//! builder only saves work: whoever has waited for half of its own time builds without.

use std::collections::HashMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tempfile::{NamedTempFile, TempDir};

use super::claim::{self, Claim, Owner};
use super::file::{LoadError, Snapshot, Trust};
use super::id::SnapshotId;
use super::scratch::{self, Scratch};
use crate::operations::{OperationContext, OperationError};

/// Snapshots this process keeps mapped; the least recently used one is let go first.
const MAPPED: usize = 32;
/// How exactly the time of last use of a mapped snapshot is kept. Marking costs a system call or two.
const TOUCH: Duration = Duration::from_secs(10);
/// How soon another server's turn is first looked at again, and how seldom at last. A lock that another process gives
/// back can't be waited for together with a cancellation.
const FIRST_LOOK: Duration = Duration::from_millis(4);
const LAST_LOOK: Duration = Duration::from_millis(64);

/// Why the cache doesn't give a snapshot.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system.
    #[error("the cache cannot be used")]
    Io(#[from] io::Error),
}

/// Why it isn't our turn.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TurnError {
    /// The deadline or a cancellation.
    #[error(transparent)]
    Stopped(OperationError),
    /// The file system.
    #[error("the cache cannot be used")]
    Io(#[from] io::Error),
}

/// The cache.
pub struct Store {
    root: PathBuf,
    key: [u8; 32],
    cache_bytes: u64,
    mapped: Mutex<Mapped>,
    scratch_path: PathBuf,
    /// None once the store is closed.
    scratch: Mutex<Option<Scratch>>,
}

#[derive(Default)]
struct Mapped {
    snapshots: HashMap<SnapshotId, Use>,
    clock: u64,
}

struct Use {
    snapshot: Arc<Snapshot>,
    /// By the clock of the map.
    last: u64,
    /// When the file was last marked as used.
    touched: Instant,
}

impl Store {
    /// Opens or creates the cache in a directory, and removes what killed servers left behind.
    ///
    /// # Errors
    /// When the directory can't be created or used.
    pub fn open(directory: &Path, cache_bytes: u64) -> Result<Self, StoreError> {
        let root = directory.join("v1");
        create_private(directory)?;
        for name in ["", "snapshots", "refs", "scratch", "locks"] {
            create_private(&root.join(name))?;
        }
        sweep(&root);
        let scratch = Scratch::create(&root.join("scratch"))?;
        let key = key(&root, scratch.path())?;
        let scratch_path = scratch.path().to_owned();
        Ok(Self { root, key, cache_bytes, mapped: Mutex::default(), scratch_path, scratch: Mutex::new(Some(scratch)) })
    }

    /// Removes everything that has no name yet. Work that is still on its way fails, and leaves nothing.
    pub(crate) fn close(&self) {
        drop(self.scratch.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// The key that signs cursors.
    pub(crate) fn key(&self) -> &[u8; 32] {
        &self.key
    }

    /// Where files are written before they get their name.
    pub(crate) fn scratch(&self) -> &Path {
        &self.scratch_path
    }

    /// Where the answers of servers about refs are remembered.
    pub(crate) fn refs(&self) -> PathBuf {
        self.root.join("refs")
    }

    /// A private directory that disappears when dropped.
    pub(crate) fn scratch_directory(&self) -> io::Result<TempDir> {
        tempfile::Builder::new().prefix("pack-").tempdir_in(self.scratch())
    }

    /// Waits until it is our turn to build a snapshot: until no other call, of whichever server, is building it. Look
    /// for the snapshot again before building it.
    ///
    /// Waits for at most half of the time the context has left, then goes on without: a server that is stopped or
    /// slow can cost others a second fetch, but not an answer. Where there are no locks nobody waits.
    ///
    /// # Errors
    /// When the context ends, or its lock can't be asked for.
    pub(crate) fn turn(&self, id: SnapshotId, context: &OperationContext) -> Result<Option<Claim>, TurnError> {
        let path = self.root.join("locks").join(id.as_str());
        let patience = Instant::now() + context.deadline().saturating_duration_since(Instant::now()) / 2;
        let mut pause = FIRST_LOOK;
        loop {
            context.check().map_err(TurnError::Stopped)?;
            match claim::claim(&path)? {
                Owner::Us(claim) => return Ok(Some(claim)),
                Owner::Unknown => return Ok(None),
                Owner::Another if Instant::now() >= patience => return Ok(None),
                Owner::Another => std::thread::sleep(pause),
            }
            pause = (pause * 2).min(LAST_LOOK);
        }
    }

    /// The snapshot, if the cache has it whole. A damaged file is removed, and counts as missing.
    ///
    /// Maps and checks the file if this process has not mapped it yet: call it where blocking is allowed.
    ///
    /// # Errors
    /// When the file system fails.
    pub fn get(&self, id: SnapshotId) -> Result<Option<Arc<Snapshot>>, StoreError> {
        let path = self.path(id);
        if let Some(snapshot) = self.mapped(id, &path) {
            return Ok(Some(snapshot));
        }
        // Opened once: another server may evict or replace the file at any moment, and what is open stays what it is.
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        match Snapshot::load(&file, Trust::Found) {
            Ok(snapshot) if snapshot.id() == id => {
                touch(&file);
                Ok(Some(self.remember(snapshot)))
            }
            Ok(_) | Err(LoadError::Damaged(_)) => {
                tracing::warn!(snapshot = %id, "a damaged snapshot was dropped from the cache");
                // If another server has replaced it meanwhile, its whole one goes, and will be built again.
                remove(&path)?;
                Ok(None)
            }
            Err(LoadError::Io(error)) => Err(error.into()),
        }
    }

    /// The snapshot, if this process has it mapped.
    fn mapped(&self, id: SnapshotId, path: &Path) -> Option<Arc<Snapshot>> {
        let mut mapped = self.lock();
        mapped.clock += 1;
        let now = mapped.clock;
        let used = mapped.snapshots.get_mut(&id)?;
        used.last = now;
        let snapshot = Arc::clone(&used.snapshot);
        let is_due = used.touched.elapsed() >= TOUCH;
        if is_due {
            used.touched = Instant::now();
        }
        drop(mapped);
        if is_due && let Ok(file) = File::open(path) {
            touch(&file);
        }
        Some(snapshot)
    }

    /// Gives a finished file its name, and evicts others if the cache has grown beyond its cap.
    ///
    /// # Errors
    /// When the file can't be mapped or renamed.
    pub fn insert(&self, id: SnapshotId, file: NamedTempFile) -> Result<Arc<Snapshot>, StoreError> {
        // Mapped before it has its name: nobody can have touched it.
        let snapshot = match Snapshot::load(file.as_file(), Trust::Written) {
            Ok(snapshot) => snapshot,
            Err(LoadError::Io(error)) => return Err(error.into()),
            Err(LoadError::Damaged(_)) => return Err(io::Error::from(io::ErrorKind::InvalidData).into()),
        };
        file.persist(self.path(id)).map_err(|error| error.error)?;
        let snapshot = self.remember(snapshot);
        self.evict(id);
        Ok(snapshot)
    }

    fn remember(&self, snapshot: Snapshot) -> Arc<Snapshot> {
        let snapshot = Arc::new(snapshot);
        let mut mapped = self.lock();
        mapped.clock += 1;
        let now = mapped.clock;
        let used = Use { snapshot: Arc::clone(&snapshot), last: now, touched: Instant::now() };
        mapped.snapshots.insert(snapshot.id(), used);
        if mapped.snapshots.len() > MAPPED {
            let oldest = mapped.snapshots.iter().min_by_key(|(_, used)| used.last).map(|(id, _)| *id);
            if let Some(oldest) = oldest {
                mapped.snapshots.remove(&oldest);
            }
        }
        snapshot
    }

    /// Unlinks the least recently used files until the rest fits, but never the one just added. Failures only cost
    /// space. A live mapping of an unlinked file stays valid, here and in every other server.
    fn evict(&self, keep: SnapshotId) {
        let Ok(directory) = fs::read_dir(self.root.join("snapshots")) else { return };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = directory
            .flatten()
            .filter_map(|entry| {
                let facts = entry.metadata().ok()?;
                Some((facts.modified().ok()?, facts.len(), entry.path()))
            })
            .collect();
        files.sort();
        let mut total: u64 = files.iter().map(|(_, len, _)| len).sum();
        let keep = self.path(keep);
        for (_, len, path) in files {
            if total <= self.cache_bytes {
                break;
            }
            if path != keep && remove(&path).is_ok() {
                total = total.saturating_sub(len);
            }
        }
    }

    fn path(&self, id: SnapshotId) -> PathBuf {
        self.root.join("snapshots").join(id.as_str())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Mapped> {
        // The map is whole between any two statements that could panic.
        self.mapped.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes what servers that were killed left behind, at once and whatever its age.
pub(super) fn sweep(root: &Path) {
    scratch::sweep(&root.join("scratch"));
    scratch::sweep_claims(&root.join("locks"));
}

/// Removes a file, unless another server that evicts at the same time has done so.
///
/// # Errors
/// When it stays.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Marks a file as used now. Only its times change; another user's file or a read-only disk just stays old.
fn touch(file: &File) {
    let _ = file.set_modified(SystemTime::now());
}

fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Reads the key, or makes one: linked into place whole, so that every server sees the same.
fn key(root: &Path, scratch: &Path) -> io::Result<[u8; 32]> {
    let path = root.join("key");
    let read = || -> io::Result<[u8; 32]> {
        let mut key = [0; 32];
        OpenOptions::new().read(true).open(&path)?.read_exact(&mut key)?;
        Ok(key)
    };
    match read() {
        Ok(key) => return Ok(key),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        // Torn by a power failure: old cursors are lost, nothing else.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => fs::remove_file(&path)?,
        Err(error) => return Err(error),
    }
    let mut fresh = [0; 32];
    getrandom::fill(&mut fresh).map_err(|_| io::Error::from(io::ErrorKind::Other))?;
    let mut file = tempfile::Builder::new().prefix("key-").tempfile_in(scratch)?;
    io::Write::write_all(&mut file, &fresh)?;
    match file.persist_noclobber(&path) {
        Ok(_) => Ok(fresh),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => read(),
        Err(error) => Err(error.error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::Caps;
    use crate::repository::{CommitId, RepoName};
    use crate::snapshot::{Contents, SnapshotWriter};

    fn written(store: &Store, seed: u8, text: &[u8]) -> SnapshotId {
        let repo: RepoName = "a/b".parse().expect("a name");
        let commit = CommitId::from_bytes([seed; 20]);
        let mut writer = SnapshotWriter::create(store.scratch(), Caps::default()).expect("a writer");
        writer.file(b"bin", 0o100_644, commit, b"a\0b", &Contents::of(b"a\0b")).expect("a file");
        writer.file(b"x.txt", 0o100_644, commit, text, &Contents::of(text)).expect("a file");
        let id = SnapshotId::of(&repo, &commit);
        store.insert(id, writer.finish(&repo, commit, [0; 20]).expect("a snapshot")).expect("inserted");
        id
    }

    #[test]
    fn what_is_written_is_read_by_another_server() {
        let directory = tempfile::tempdir().expect("a directory");
        let id = written(&Store::open(directory.path(), u64::MAX).expect("a store"), 1, b"one\ntwo");
        let other = Store::open(directory.path(), u64::MAX).expect("a store");
        let snapshot = other.get(id).expect("no failure").expect("the snapshot");
        let entry = snapshot.find(b"x.txt").expect("the entry");
        assert_eq!((entry.text(), entry.lines(), snapshot.text()), (&b"one\ntwo"[..], 2, &b"one\ntwo\n"[..]));
        assert_eq!(snapshot.find(b"bin").and_then(|entry| entry.binary()), Some(&b"a\0b"[..]));
        assert_eq!(snapshot.text_entry_at(3).map(|entry| entry.index()), Some(1));
    }

    #[test]
    fn any_flipped_byte_is_noticed_and_the_file_dropped() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path(), u64::MAX).expect("a store");
        let id = written(&store, 1, b"one\ntwo");
        let path = store.path(id);
        let whole = fs::read(&path).expect("the file");
        for position in (0..200).chain(4090..whole.len()) {
            let mut damaged = whole.clone();
            damaged[position] ^= 0x40;
            fs::remove_file(&path).ok();
            fs::write(&path, &damaged).expect("written");
            let fresh = Store::open(directory.path(), u64::MAX).expect("a store");
            assert!(fresh.get(id).expect("no failure").is_none(), "byte {position}");
            assert!(!path.exists());
        }
        fs::write(&path, &whole[..whole.len() - 1]).expect("written");
        assert!(Store::open(directory.path(), u64::MAX).expect("a store").get(id).expect("no failure").is_none());
    }

    #[test]
    fn evicts_the_least_recently_used() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path(), 15_000).expect("a store");
        let first = written(&store, 1, b"x");
        File::open(store.path(first)).expect("open").set_modified(SystemTime::UNIX_EPOCH).expect("set");
        let second = written(&store, 2, b"x");
        let third = written(&store, 3, b"x");
        let fourth = written(&store, 4, b"x");
        assert!(!store.path(first).exists());
        assert!(store.path(second).exists() || store.path(third).exists());
        assert!(store.path(fourth).exists());
        assert!(store.get(first).expect("no failure").is_some(), "a live mapping outlives its file");
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_look() {
        use std::os::unix::fs::PermissionsExt as _;
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(&directory.path().join("new/cache"), u64::MAX).expect("a store");
        let id = written(&store, 1, b"x");
        let mode = |path: &Path| fs::metadata(path).expect("facts").permissions().mode() & 0o777;
        assert_eq!(mode(&store.root), 0o700);
        assert_eq!(mode(store.scratch()), 0o700);
        assert_eq!(mode(&store.path(id)), 0o600);
        assert_eq!(mode(&store.root.join("key")), 0o600);
        assert_eq!(Store::open(&directory.path().join("new/cache"), 0).expect("a store").key, store.key);
    }
}
