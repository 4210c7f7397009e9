//! Where a worker stands: an empty directory of its own that is gone before the worker exists (I2).
//!
//! It is made, opened and removed at once; the worker enters it through the descriptor. Nothing can ever be put there,
//! and it is no more in any directory that a killed server could leave it in. The few microseconds between are swept up
//! after by the next server.
//!
//! The kernel frees a removed directory when its last user goes, which is while the worker exits: on a disk that is a
//! journal entry an answer would wait for. Memory has none, so a shared-memory file system is preferred where the
//! operator has not named a directory (`TMPDIR`).

use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{Mode, OFlags};

/// The POSIX shared-memory file system of every Linux with a C library.
const SHARED_MEMORY: &str = "/dev/shm";
/// `TMPFS_MAGIC` of linux/magic.h.
const TMPFS: u64 = 0x0102_1994;
const PREFIX: &str = "wit-worker-";
/// A directory this old is in nobody's hands: one is needed for microseconds.
const ABANDONED: Duration = Duration::from_secs(60);

/// A directory that no longer has a name.
pub(crate) struct Place(File);

impl Place {
    /// Where to enter it from. Only this process and a child it creates may follow the path.
    pub(crate) fn path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.0.as_raw_fd()).into()
    }
}

/// Directories in which places may be made, the preferred first.
pub(crate) fn roots() -> Vec<PathBuf> {
    let memory = Path::new(SHARED_MEMORY);
    // As the standard library reads it.
    let is_named = std::env::var_os("TMPDIR").is_some();
    let is_memory = rustix::fs::statfs(memory).is_ok_and(|found| u64::try_from(found.f_type) == Ok(TMPFS));
    let preferred = (!is_named && is_memory).then(|| memory.to_owned());
    preferred.into_iter().chain([std::env::temp_dir()]).collect()
}

/// An empty place in the first of these that allows one.
///
/// # Errors
/// When none does.
pub(crate) fn make(roots: &[PathBuf]) -> io::Result<Place> {
    let mut outcome = Err(io::ErrorKind::NotFound.into());
    for root in roots {
        outcome = make_in(root);
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}

fn make_in(root: &Path) -> io::Result<Place> {
    // Only this user may enter it, so nobody else can put anything there while it has a name.
    let directory =
        tempfile::Builder::new().prefix(PREFIX).permissions(Permissions::from_mode(0o700)).tempdir_in(root)?;
    let opened = rustix::fs::open(directory.path(), OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    directory.close()?;
    Ok(Place(File::from(opened)))
}

/// Removes what killed servers of this user have left. An entry that is not empty is not ours and stays.
pub(crate) fn sweep(roots: &[PathBuf]) {
    let user = rustix::process::geteuid().as_raw();
    let entries = roots.iter().filter_map(|root| std::fs::read_dir(root).ok()).flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX)) {
        let is_abandoned = entry.metadata().is_ok_and(|found| {
            let age = found.modified().ok().and_then(|time| SystemTime::now().duration_since(time).ok());
            found.is_dir() && found.uid() == user && age.is_some_and(|age| age >= ABANDONED)
        });
        if is_abandoned {
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_can_be_entered_and_has_no_name() {
        let root = tempfile::tempdir().expect("a directory");
        let place = make(&[root.path().join("absent"), root.path().to_owned()]).expect("the second root is there");
        assert_eq!(std::fs::read_dir(root.path()).expect("it can be listed").count(), 0);
        let mut inside = std::process::Command::new("/bin/sh");
        inside.args(["-c", "cat /proc/self/mountinfo >/dev/null; ls -A . | wc -l; : > x"]).current_dir(place.path());
        let output = inside.output().expect("it can be entered");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "0");
        assert!(!output.status.success(), "nothing can be made in it");
    }

    #[test]
    fn no_root_is_an_error() {
        assert!(make(&["/nowhere".into()]).is_err());
        assert!(make(&[]).is_err());
    }

    #[test]
    fn only_what_is_old_and_empty_is_swept() {
        let root = tempfile::tempdir().expect("a directory");
        let old = SystemTime::now() - 2 * ABANDONED;
        for (name, is_old, is_full) in [
            ("wit-worker-old", true, false),
            ("wit-worker-new", false, false),
            ("wit-worker-full", true, true),
            ("other", true, false),
        ] {
            let path = root.path().join(name);
            std::fs::create_dir(&path).expect("it is made");
            if is_full {
                std::fs::write(path.join("file"), []).expect("it is filled");
            }
            if is_old {
                File::open(&path).and_then(|file| file.set_modified(old)).expect("it is aged");
            }
        }
        sweep(&[root.path().to_owned()]);
        let mut left: Vec<_> = std::fs::read_dir(root.path())
            .expect("it can be listed")
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        left.sort();
        assert_eq!(left, ["other", "wit-worker-full", "wit-worker-new"]);
    }
}
