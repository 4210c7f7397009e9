//! Scratch space: where a server writes what has no name yet, and how another one knows that it is garbage.
//!
//! Each server has a directory `scratch/<name>/` and holds the claim `scratch/<name>.lock` from before the directory
//! exists until after it is gone. A directory whose claim nobody holds is therefore left over, however young it is: its
//! server was killed. Where the file system has no locks, only age can tell.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::claim::{self, Claim, Owner};

/// Without locks, what is older was left by a server that was killed: far longer than any operation may take.
const AGE: Duration = Duration::from_secs(3600);
const LOCK: &str = "lock";

/// A server's own scratch space; removed when dropped.
pub(super) struct Scratch {
    directory: PathBuf,
    /// None where there are no locks. Given up after the directory is gone.
    claim: Option<Claim>,
}

impl Scratch {
    /// Makes the space below the common directory.
    pub(super) fn create(common: &Path) -> io::Result<Self> {
        loop {
            let mut name = [0; 8];
            getrandom::fill(&mut name).map_err(|_| io::Error::from(io::ErrorKind::Other))?;
            let directory = common.join(format!("{:016x}", u64::from_ne_bytes(name)));
            let claim = match claim::claim(&directory.with_extension(LOCK))? {
                Owner::Us(claim) => Some(claim),
                Owner::Unknown => None,
                // Somebody sweeps it away this very moment.
                Owner::Another => continue,
            };
            #[cfg_attr(not(unix), expect(unused_mut, reason = "the mode is set where there are modes"))]
            let mut builder = DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(&directory)?;
            return Ok(Self { directory, claim });
        }
    }

    /// Where files are written before they get their name.
    pub(super) fn path(&self) -> &Path {
        &self.directory
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        clear(&self.directory);
        if self.claim.is_none() {
            let _ = fs::remove_file(self.directory.with_extension(LOCK));
        }
    }
}

/// Removes what servers that are gone left in the common directory.
pub(super) fn sweep(common: &Path) {
    let Ok(entries) = fs::read_dir(common) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let directory = path.with_extension("");
        match claim::claim_existing(&directory.with_extension(LOCK)) {
            // The claim goes after the directory, and takes its file along.
            Ok(Some(Owner::Us(_claim))) => clear(&directory),
            // Its lock file went first, or was never there: nobody owns it.
            Ok(None) => clear(&path),
            Ok(Some(Owner::Unknown)) if is_old(&path) => clear(&path),
            Ok(Some(Owner::Another | Owner::Unknown)) | Err(_) => {}
        }
    }
}

/// Removes lock files that nobody holds from a directory that has nothing else.
pub(super) fn sweep_claims(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        // Claimed and dropped: nobody held it. Without locks, an old one is as good as dropped.
        if let Ok(Some(Owner::Unknown)) = claim::claim_existing(&path)
            && is_old(&path)
        {
            clear(&path);
        }
    }
}

fn is_old(path: &Path) -> bool {
    let age = fs::symlink_metadata(path).ok().and_then(|facts| facts.modified().ok()?.elapsed().ok());
    age.is_some_and(|age| age > AGE)
}

/// A failure only costs space: another server may have been faster.
fn clear(path: &Path) {
    let is_directory = fs::symlink_metadata(path).is_ok_and(|facts| facts.is_dir());
    let _ = if is_directory { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_owns_goes_at_once_and_what_somebody_owns_stays() {
        let common = tempfile::tempdir().expect("a directory");
        let alive = Scratch::create(common.path()).expect("scratch space");
        fs::write(alive.path().join("half-written"), "x").expect("written");
        // As a killed server leaves them: a lock file that nobody holds, a directory without one, stray files.
        for name in ["dead", "older", "oldest"] {
            fs::create_dir_all(common.path().join(name).join("pack-1")).expect("created");
            fs::write(common.path().join(name).join("snapshot-1"), "x").expect("written");
        }
        for name in ["dead.lock", "alone.lock", "snapshot-stray"] {
            fs::write(common.path().join(name), "").expect("written");
        }
        sweep(common.path());
        let mut left: Vec<_> = fs::read_dir(common.path()).expect("listed").flatten().map(|e| e.path()).collect();
        left.sort();
        assert_eq!(left, [alive.path().to_owned(), alive.path().with_extension(LOCK)]);
        assert!(alive.path().join("half-written").exists());
        drop(alive);
        assert_eq!(fs::read_dir(common.path()).expect("listed").count(), 0);
    }
}
