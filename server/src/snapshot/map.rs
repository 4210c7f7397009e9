//! The one place of the server with `unsafe`: mapping a snapshot file into memory.
//!
//! Why it is sound enough: the file was created by wit under a temporary name with mode 0600 in a directory of mode
//! 0700, was renamed once complete, and is never written, truncated or reused afterwards; eviction only unlinks it. A
//! process of the *same user* that truncates it anyway could raise SIGBUS in this one. That user can kill the process
//! too, so no boundary of ours is crossed; a worker can't reach the file at all (I2, I4).
#![allow(unsafe_code)]

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Up to this many bytes the page tables are filled at once, so that the first search doesn't pay for page faults.
#[cfg(target_os = "linux")]
const PREFAULT_BYTES: usize = 256 << 20;

/// A whole file, mapped read-only.
pub(super) struct Mapping(Mmap);

impl Mapping {
    /// Maps the file as long as it is now; `whole` says that most of it will be read.
    pub(super) fn new(file: &File, whole: bool) -> io::Result<Self> {
        // SAFETY: the contents don't change while mapped, for the reasons in the module documentation; every length
        // used later is checked against the length of this mapping.
        let map = unsafe { Mmap::map(file)? };
        #[cfg(target_os = "linux")]
        if whole && map.len() <= PREFAULT_BYTES {
            // Only advice, and only understood from Linux 5.14 on: refusal costs time, not correctness.
            let _ = map.advise(memmap2::Advice::PopulateRead).or_else(|_| map.advise(memmap2::Advice::WillNeed));
        }
        #[cfg(not(target_os = "linux"))]
        let _ = whole;
        Ok(Self(map))
    }
}

impl std::ops::Deref for Mapping {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
