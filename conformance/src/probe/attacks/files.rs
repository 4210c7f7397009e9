//! Opening, making, filling and inheriting files.

use std::ffi::CString;

use wit_worker::sandbox::Layer::{Descriptors, Landlock, Rlimits, Seccomp};

use super::super::raw::{attempt, syscall};
use super::super::{Expect, Outcome};
use super::{Attack, arm, landlock};

/// The descriptor that [`super::super::roles`] leaves open on purpose before the lockdown.
///
/// Where it stays open, Landlock is off too: its ruleset would need a fifth descriptor, one more than allowed.
const LEAKED: u64 = 3;
const CURRENT: u64 = libc::AT_FDCWD as u64;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "openat",
        what: "Read a file of the host.",
        full: Expect::Violation,
        arms: &[
            arm(Seccomp, &[Landlock, Rlimits], Expect::Violation),
            landlock(1, &[Seccomp, Rlimits], Expect::Errno(&[libc::EACCES])),
            arm(Rlimits, &[Seccomp, Landlock], Expect::Errno(&[libc::EMFILE])),
        ],
        run: |context| {
            let path = c_string(&context.program);
            attempt(libc::SYS_openat, [CURRENT, path.as_ptr() as u64, libc::O_RDONLY as u64, 0, 0, 0])
        },
    },
    #[cfg(target_arch = "x86_64")]
    Attack {
        name: "open",
        what: "Read a file of the host by the older call.",
        full: Expect::Violation,
        arms: &[
            arm(Seccomp, &[Landlock, Rlimits], Expect::Violation),
            landlock(1, &[Seccomp, Rlimits], Expect::Errno(&[libc::EACCES])),
        ],
        run: |context| {
            let path = c_string(&context.program);
            attempt(libc::SYS_open, [path.as_ptr() as u64, libc::O_RDONLY as u64, 0, 0, 0, 0])
        },
    },
    Attack {
        name: "openat2",
        what: "Read a file of the host by the newer call.",
        full: Expect::Violation,
        arms: &[
            arm(Seccomp, &[Landlock, Rlimits], Expect::Violation),
            landlock(1, &[Seccomp, Rlimits], Expect::Errno(&[libc::EACCES])),
        ],
        run: |context| {
            let path = c_string(&context.program);
            // struct open_how { flags, mode, resolve }.
            let how = [libc::O_RDONLY as u64, 0, 0];
            let size = size_of_val(&how) as u64;
            attempt(libc::SYS_openat2, [CURRENT, path.as_ptr() as u64, how.as_ptr() as u64, size, 0, 0])
        },
    },
    Attack {
        name: "proc_self_mem",
        what: "Write to its own text through /proc/self/mem.",
        full: Expect::Violation,
        arms: &[],
        run: |_| {
            let path = c"/proc/self/mem";
            attempt(libc::SYS_openat, [CURRENT, path.as_ptr() as u64, libc::O_RDWR as u64, 0, 0, 0])
        },
    },
    Attack {
        name: "fill_disk",
        what: "Make a file and write to it.",
        full: Expect::Violation,
        arms: &[
            arm(Seccomp, &[Landlock, Rlimits], Expect::Violation),
            landlock(1, &[Seccomp, Rlimits], Expect::Errno(&[libc::EACCES])),
            arm(Rlimits, &[Seccomp, Landlock], Expect::Errno(&[libc::EMFILE])),
        ],
        run: |context| {
            let path = c_string(&format!("{}/filled-{}", context.directory, std::process::id()));
            let flags = (libc::O_CREAT | libc::O_WRONLY) as u64;
            match syscall(libc::SYS_openat, [CURRENT, path.as_ptr() as u64, flags, 0o600, 0, 0]) {
                Ok(descriptor) => write_a_byte(descriptor),
                Err(number) => Outcome::Refused(number),
            }
        },
    },
    Attack {
        name: "write_to_leaked_file",
        what: "Fill a file that the parent left open.",
        full: Expect::Violation,
        arms: &[
            arm(Seccomp, &[Descriptors, Rlimits, Landlock], Expect::Violation),
            arm(Descriptors, &[Seccomp, Rlimits], Expect::Errno(&[libc::EBADF])),
            arm(Rlimits, &[Seccomp, Descriptors, Landlock], Expect::Signal(libc::SIGXFSZ)),
        ],
        run: |_| write_a_byte(LEAKED),
    },
    Attack {
        name: "read_leaked_file",
        what: "Read descriptor 3, left open by the parent.",
        full: Expect::Violation,
        arms: &[
            arm(Seccomp, &[Descriptors, Landlock], Expect::Violation),
            arm(Descriptors, &[Seccomp, Landlock], Expect::Errno(&[libc::EBADF])),
        ],
        run: |_| {
            let mut byte = [0_u8; 1];
            attempt(libc::SYS_read, [LEAKED, byte.as_mut_ptr() as u64, 1, 0, 0, 0])
        },
    },
    Attack {
        name: "dup",
        what: "Get a descriptor of another number.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[Rlimits], Expect::Violation), arm(Rlimits, &[Seccomp], Expect::Errno(&[libc::EMFILE]))],
        run: |_| attempt(libc::SYS_dup, [0; 6]),
    },
    Attack {
        name: "memfd_create",
        what: "Make a file in memory, to execute or to pass on.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[Rlimits], Expect::Violation), arm(Rlimits, &[Seccomp], Expect::Errno(&[libc::EMFILE]))],
        run: |_| attempt(libc::SYS_memfd_create, [c"probe".as_ptr() as u64, 0, 0, 0, 0, 0]),
    },
    Attack {
        name: "truncate",
        what: "Empty a file by its path, without opening it.",
        full: Expect::Violation,
        arms: &[
            arm(Seccomp, &[Landlock, Rlimits], Expect::Violation),
            landlock(3, &[Seccomp, Rlimits], Expect::Errno(&[libc::EACCES])),
        ],
        run: |context| {
            let path = c_string(&format!("{}/leaked", context.directory));
            attempt(libc::SYS_truncate, [path.as_ptr() as u64, 0, 0, 0, 0, 0])
        },
    },
    Attack {
        name: "mkdir",
        what: "Make a directory.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[Landlock], Expect::Violation), landlock(1, &[Seccomp], Expect::Errno(&[libc::EACCES]))],
        run: |context| {
            let path = c_string(&format!("{}/made-{}", context.directory, std::process::id()));
            attempt(libc::SYS_mkdirat, [CURRENT, path.as_ptr() as u64, 0o700, 0, 0, 0])
        },
    },
    Attack {
        name: "ioctl",
        what: "Drive a terminal or device behind a standard descriptor.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[], Expect::Violation)],
        run: |_| {
            let mut available: libc::c_int = 0;
            attempt(libc::SYS_ioctl, [0, libc::FIONREAD, (&raw mut available) as u64, 0, 0, 0])
        },
    },
];

fn write_a_byte(descriptor: u64) -> Outcome {
    attempt(libc::SYS_write, [descriptor, b"x".as_ptr() as u64, 1, 0, 0, 0])
}

pub(super) fn c_string(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}
