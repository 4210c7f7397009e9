//! Executable memory, and more memory than allowed.

use wit_worker::sandbox::Layer::{Rlimits, Seccomp};

use super::super::raw::{attempt, map};
use super::super::{Expect, Outcome};
use super::{Attack, arm};

const PRIVATE: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
const READ_WRITE: i32 = libc::PROT_READ | libc::PROT_WRITE;
/// Bytes asked for at a time, and at which the address space counts as unlimited.
const STEP: u64 = 16 << 20;
const TOO_MUCH: u64 = 1 << 30;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "mmap_exec",
        what: "Map memory that can be executed.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[], Expect::Violation)],
        run: |_| outcome(map(READ_WRITE | libc::PROT_EXEC, PRIVATE, -1)),
    },
    Attack {
        name: "mmap_shared",
        what: "Map memory that another process could share.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[], Expect::Violation)],
        run: |_| outcome(map(READ_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1)),
    },
    Attack {
        name: "mmap_fixed",
        what: "Map memory over what is there.",
        full: Expect::Violation,
        arms: &[],
        run: |_| outcome(map(READ_WRITE, PRIVATE | libc::MAP_FIXED, -1)),
    },
    Attack {
        name: "mprotect_exec",
        what: "Make written memory executable.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[], Expect::Violation)],
        run: |_| match map(READ_WRITE, PRIVATE, -1) {
            Ok(address) => attempt(libc::SYS_mprotect, [address, 4096, libc::PROT_EXEC as u64, 0, 0, 0]),
            Err(number) => Outcome::Refused(number),
        },
    },
    Attack {
        name: "mremap_fixed",
        what: "Move memory over what is there.",
        full: Expect::Violation,
        arms: &[],
        run: |_| {
            let flags = (libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED) as u64;
            attempt(libc::SYS_mremap, [0, 0, 4096, flags, 0, 0])
        },
    },
    Attack {
        name: "exceed_address_space",
        what: "Take the host's memory: the mapping itself is allowed, its size is not.",
        full: Expect::Errno(&[libc::ENOMEM]),
        arms: &[arm(Rlimits, &[], Expect::Errno(&[libc::ENOMEM]))],
        run: |_| {
            let mut taken = 0;
            while taken < TOO_MUCH {
                let size = [0, STEP, READ_WRITE as u64, PRIVATE as u64, u64::MAX, 0];
                if let Outcome::Refused(number) = attempt(libc::SYS_mmap, size) {
                    return Outcome::Refused(number);
                }
                taken += STEP;
            }
            Outcome::Succeeded
        },
    },
    Attack {
        name: "mlock",
        what: "Pin memory.",
        full: Expect::Violation,
        arms: &[],
        run: |_| attempt(libc::SYS_mlock, [0, 4096, 0, 0, 0, 0]),
    },
];

fn outcome(result: Result<u64, i32>) -> Outcome {
    result.map_or_else(Outcome::Refused, |_| Outcome::Succeeded)
}
