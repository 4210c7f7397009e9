//! Claims: a lock file that says which process something belongs to, and stops saying so when the process is gone.
//!
//! The lock is the kernel's advisory one (`File::try_lock`: `flock` on Unix), so a killed process loses its claims in
//! the moment it dies, whatever it was doing; no age, process id or heartbeat has to be judged. A claim removes its file
//! while it still holds the lock, and whoever has just locked a file makes sure that it is still the one of that name:
//! so a file nobody holds can be removed by anybody, at any time, and no two processes ever hold the same claim.
//!
//! Nothing here waits. Where a file system has no locks, a claim is made without one and proves nothing.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Attempts to lock a file that others keep removing; one is nearly always enough.
const ATTEMPTS: usize = 64;

/// Something that is ours for as long as this lives, or this process does.
#[derive(Debug)]
pub(crate) struct Claim {
    path: PathBuf,
    /// Holds the lock until it is closed.
    _file: File,
}

/// Whose a claim is.
#[derive(Debug)]
pub(super) enum Owner {
    /// Ours, from now on.
    Us(Claim),
    /// Another's, who is alive.
    Another,
    /// The file system has no locks: it cannot be told.
    Unknown,
}

/// Claims the name, making its file if there is none.
///
/// # Errors
/// When the file can't be created or looked at.
pub(super) fn claim(path: &Path) -> io::Result<Owner> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    lock(path, &options).map(|owner| owner.unwrap_or(Owner::Another))
}

/// Claims the name if its file is there; none if it isn't.
///
/// # Errors
/// When the file can't be opened or looked at.
pub(super) fn claim_existing(path: &Path) -> io::Result<Option<Owner>> {
    match lock(path, OpenOptions::new().read(true).write(true)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        outcome => outcome,
    }
}

/// None when others removed the file as often as it was locked.
fn lock(path: &Path, options: &OpenOptions) -> io::Result<Option<Owner>> {
    for _ in 0..ATTEMPTS {
        let file = options.open(path)?;
        match file.try_lock() {
            Ok(()) if is_at(&file, path)? => return Ok(Some(Owner::Us(Claim { path: path.to_owned(), _file: file }))),
            // Removed by its last holder between the opening and the locking.
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Some(Owner::Another)),
            Err(TryLockError::Error(_)) => return Ok(Some(Owner::Unknown)),
        }
    }
    Ok(None)
}

/// Whether the file still has this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let own = file.metadata()?;
    match std::fs::symlink_metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (own.dev(), own.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether the file still has this name. A name that is being removed cannot be opened again here, so that it exists is
/// enough.
#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Before the lock goes with the file: afterwards the name could be another's.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(owner: Owner) -> Claim {
        match owner {
            Owner::Us(claim) => claim,
            other => panic!("not ours: {other:?}"),
        }
    }

    #[test]
    fn one_holds_it_and_nothing_is_left() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("x");
        let first = ours(claim(&path).expect("no failure"));
        assert!(matches!(claim(&path).expect("no failure"), Owner::Another));
        assert!(matches!(claim_existing(&path).expect("no failure"), Some(Owner::Another)));
        drop(first);
        assert!(!path.exists());
        assert!(claim_existing(&path).expect("no failure").is_none());
        drop(ours(claim(&path).expect("no failure")));
    }

    #[test]
    fn a_file_that_nobody_holds_can_be_claimed() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("x");
        std::fs::write(&path, "").expect("written");
        drop(ours(claim_existing(&path).expect("no failure").expect("a file")));
        assert!(!path.exists());
    }

    /// Many threads, each with files of its own, as many processes would: flock belongs to the open file.
    #[test]
    fn never_two_at_once() {
        use std::sync::atomic::{AtomicU64, Ordering};
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("x");
        let (inside, entered) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        if let Owner::Us(_claim) = claim(&path).expect("no failure") {
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                            entered.fetch_add(1, Ordering::SeqCst);
                            inside.fetch_sub(1, Ordering::SeqCst);
                        }
                    }
                });
            }
        });
        assert!(entered.load(Ordering::SeqCst) > 0);
        assert!(!path.exists());
    }
}
