//! What a worker is started from: the image this executable carries, in memory that nobody can change any more (I1).
//!
//! The image is copied once into an anonymous file and sealed. It cannot be replaced on disk, so an upgrade can mix no
//! versions; it needs no directory, and a `noexec` mount does not stop it. Where the system refuses executable
//! anonymous files (`vm.memfd_noexec=2`), a worker is started from the server's own executable: the same code, only
//! slower to start.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{MemfdFlags, OFlags, SealFlags};
use rustix::io::Errno;

/// Static, position-independent, one program: see `build.rs`.
static IMAGE: &[u8] = include_bytes!(env!("WIT_WORKER_IMAGE"));

/// The program that workers run. Must live as long as workers are started from its path.
#[derive(Debug)]
pub(crate) struct WorkerProgram {
    path: PathBuf,
    origin: Origin,
}

#[derive(Debug)]
enum Origin {
    /// `--worker PATH`.
    Operator,
    /// The sealed image; the path goes through this descriptor.
    Image { _sealed: OwnedFd },
    /// The running executable, in its hidden mode.
    Executable,
}

impl WorkerProgram {
    /// The operator's program where one is named, else the image, else the running executable.
    pub(crate) fn new(operator: Option<PathBuf>) -> Self {
        if let Some(path) = operator {
            return Self { path, origin: Origin::Operator };
        }
        match seal(IMAGE) {
            Ok(sealed) => Self {
                path: format!("/proc/self/fd/{}", sealed.as_raw_fd()).into(),
                origin: Origin::Image { _sealed: sealed },
            },
            Err(error) => {
                tracing::debug!(kind = %error.kind(), "no executable memory file: workers start from the executable");
                Self { path: "/proc/self/exe".into(), origin: Origin::Executable }
            }
        }
    }

    /// Where to start it from. Only this process and the child it creates may follow the path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What it is, for `wit doctor`.
    pub(crate) const fn origin(&self) -> &'static str {
        match self.origin {
            Origin::Operator => "operator's program",
            Origin::Image { .. } => "sealed image",
            Origin::Executable => "own executable",
        }
    }
}

/// Replaces this process by the worker image; returns only where that is impossible.
pub fn become_worker() {
    if let Ok(sealed) = seal(IMAGE) {
        let path = format!("/proc/self/fd/{}", sealed.as_raw_fd());
        let _ = Command::new(path).arg0("wit").arg(wit_worker::WORKER_ARGUMENT).exec();
    }
}

/// A copy of `image` that can be read and executed, and never written, grown, shrunk or unsealed.
fn seal(image: &[u8]) -> io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let writable = match rustix::fs::memfd_create(c"wit-worker", flags | MemfdFlags::EXEC) {
        // Linux before 6.3 does not know the flag; every such file is executable there.
        Err(Errno::INVAL) => rustix::fs::memfd_create(c"wit-worker", flags)?,
        other => other?,
    };
    let mut writable = File::from(writable);
    writable.write_all(image)?;
    rustix::fs::fcntl_add_seals(&writable, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    // A file that anyone holds open for writing cannot be executed (ETXTBSY).
    let path = format!("/proc/self/fd/{}", writable.as_raw_fd());
    Ok(rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, rustix::fs::Mode::empty())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sealed_image_is_whole_and_cannot_be_changed() {
        let sealed = seal(IMAGE).expect("this system allows executable anonymous files");
        let path = format!("/proc/self/fd/{}", sealed.as_raw_fd());
        assert!(std::fs::read(&path).expect("it can be read") == IMAGE);
        assert!(IMAGE.starts_with(b"\x7fELF"));
        let seals = rustix::fs::fcntl_get_seals(&sealed).expect("it has seals");
        assert_eq!(seals, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL);
        let mut again = File::options().write(true).open(&path).expect("root may open it; the seals hold all the same");
        let error = again.write_all(b"x").expect_err("a sealed file takes no byte");
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        assert!(again.set_len(0).is_err());
    }

    #[test]
    fn the_operators_program_comes_first() {
        let program = WorkerProgram::new(Some("/bin/other".into()));
        assert_eq!((program.path(), program.origin()), (Path::new("/bin/other"), "operator's program"));
        let program = WorkerProgram::new(None);
        assert_eq!(program.origin(), "sealed image");
        assert!(program.path().starts_with("/proc/self/fd"));
    }
}
