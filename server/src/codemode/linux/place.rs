//! Where a worker stands: an empty directory of its own, removed as soon as it stands in it (I2).
//!
//! The kernel frees a removed directory when its last user goes, which is while the worker exits: on a disk that is a
//! journal entry an answer would wait for. Memory has none, so a shared-memory file system is preferred where the
//! operator has not named a directory of his own (`TMPDIR`).

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD};
use tempfile::TempDir;

/// The POSIX shared-memory file system of every Linux with a C library.
const SHARED_MEMORY: &str = "/dev/shm";
/// What the standard library answers when `TMPDIR` is not set.
const DEFAULT: &str = "/tmp";
/// `TMPFS_MAGIC` of linux/magic.h.
const TMPFS: u64 = 0x0102_1994;

/// The directory in which the workers' own are made.
pub(crate) fn root() -> PathBuf {
    let configured = std::env::temp_dir();
    let memory = Path::new(SHARED_MEMORY);
    if configured == Path::new(DEFAULT) && is_usable_memory(memory) { memory.to_owned() } else { configured }
}

fn is_usable_memory(path: &Path) -> bool {
    let is_memory = rustix::fs::statfs(path).is_ok_and(|found| u64::try_from(found.f_type) == Ok(TMPFS));
    is_memory && rustix::fs::accessat(CWD, path, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}

/// An empty directory below `root` that only this user can enter; removed when dropped.
///
/// # Errors
/// When it cannot be made.
pub(crate) fn make(root: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix("wit-worker-").permissions(Permissions::from_mode(0o700)).tempdir_in(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_made_and_gone() {
        let root = root();
        let made = make(&root).expect("the root can be written to");
        let path = made.path().to_owned();
        assert!(path.starts_with(&root));
        let mode = path.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o7777, 0o700, "nobody else may put anything there");
        drop(made);
        assert!(!path.exists());
    }

    #[test]
    fn only_a_writable_memory_file_system_is_preferred() {
        assert!(!is_usable_memory(Path::new("/proc")));
        assert!(!is_usable_memory(Path::new("/nowhere")));
    }
}
