//! Privileges, namespaces, undoing the lockdown, other entries into the kernel, and its most attacked corners.

use wit_worker::sandbox::Layer::{Capabilities, Identity, Landlock, NoNewPrivs, Rlimits, Seccomp};

use super::super::Expect;
use super::super::raw::attempt;
use super::processes::execve;
use super::{Attack, arm};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "setuid_root",
        what: "Become root again.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[Identity], Expect::Violation), arm(Identity, &[Seccomp], Expect::Errno(&[libc::EPERM]))],
        run: |_| attempt(libc::SYS_setresuid, [0; 6]),
    },
    Attack {
        name: "execute_setuid",
        what: "Become root by executing a set-user-id program.",
        full: Expect::Violation,
        arms: &[arm(NoNewPrivs, &[Seccomp, Landlock, Rlimits], Expect::Errno(&[libc::EPERM]))],
        run: |context| execve(&context.setuid, "became-root"),
    },
    Attack {
        name: "unshare_uts",
        what: "Use a capability: make a namespace.",
        full: Expect::Violation,
        arms: &[
            arm(Seccomp, &[Identity, Capabilities], Expect::Violation),
            arm(Capabilities, &[Seccomp, Identity], Expect::Errno(&[libc::EPERM])),
            arm(Identity, &[Seccomp, Capabilities], Expect::Errno(&[libc::EPERM])),
        ],
        run: |_| attempt(libc::SYS_unshare, [libc::CLONE_NEWUTS as u64, 0, 0, 0, 0, 0]),
    },
    Attack {
        name: "unshare_user",
        what: "Get capabilities in a user namespace of its own.",
        full: Expect::Violation,
        arms: &[],
        run: |_| attempt(libc::SYS_unshare, [libc::CLONE_NEWUSER as u64, 0, 0, 0, 0, 0]),
    },
    Attack {
        name: "setns",
        what: "Enter a namespace.",
        full: Expect::Violation,
        arms: &[],
        run: |_| attempt(libc::SYS_setns, [0; 6]),
    },
    Attack {
        name: "mount",
        what: "Mount a file system.",
        full: Expect::Violation,
        arms: &[],
        run: |_| {
            let kind = c"tmpfs".as_ptr() as u64;
            attempt(libc::SYS_mount, [kind, c"/nowhere".as_ptr() as u64, kind, 0, 0, 0])
        },
    },
    Attack {
        name: "chroot",
        what: "Change the root directory.",
        full: Expect::Violation,
        arms: &[],
        run: |_| attempt(libc::SYS_chroot, [c"/".as_ptr() as u64, 0, 0, 0, 0, 0]),
    },
    Attack {
        name: "personality",
        what: "Turn off address space randomization or make memory executable by default.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[], Expect::Violation)],
        run: |_| attempt(libc::SYS_personality, [0xffff_ffff, 0, 0, 0, 0, 0]),
    },
    Attack {
        name: "prctl_parent_death",
        what: "Undo the tie to the parent.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[], Expect::Violation)],
        run: |_| attempt(libc::SYS_prctl, [libc::PR_SET_PDEATHSIG as u64, 0, 0, 0, 0, 0]),
    },
    Attack {
        name: "prctl_dumpable",
        what: "Become dumpable again.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[], Expect::Violation)],
        run: |_| attempt(libc::SYS_prctl, [libc::PR_SET_DUMPABLE as u64, 1, 0, 0, 0, 0]),
    },
    Attack {
        name: "prctl_no_new_privs",
        what: "Undo no_new_privs.",
        full: Expect::Violation,
        arms: &[],
        run: |_| attempt(libc::SYS_prctl, [libc::PR_SET_NO_NEW_PRIVS as u64, 0, 0, 0, 0, 0]),
    },
    Attack {
        name: "seccomp_again",
        what: "Touch the filter.",
        full: Expect::Violation,
        arms: &[],
        run: |_| attempt(libc::SYS_seccomp, [libc::SECCOMP_SET_MODE_FILTER.into(), 0, 0, 0, 0, 0]),
    },
    Attack {
        name: "io_uring_setup",
        what: "Make system calls that no filter sees.",
        full: Expect::Violation,
        arms: &[
            arm(Seccomp, &[Rlimits], Expect::Violation),
            arm(Rlimits, &[Seccomp], Expect::Errno(&[libc::ENOMEM, libc::EMFILE])),
        ],
        run: |_| {
            let mut parameters = [0_u64; 15];
            attempt(libc::SYS_io_uring_setup, [1, parameters.as_mut_ptr() as u64, 0, 0, 0, 0])
        },
    },
    Attack {
        name: "bpf",
        what: "Load a program into the kernel.",
        full: Expect::Violation,
        arms: &[],
        run: |_| attempt(libc::SYS_bpf, [0; 6]),
    },
    Attack {
        name: "userfaultfd",
        what: "Stall the kernel at chosen page faults.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[Rlimits, Identity, Capabilities], Expect::Violation)],
        run: |_| attempt(libc::SYS_userfaultfd, [libc::O_CLOEXEC as u64, 0, 0, 0, 0, 0]),
    },
    Attack {
        name: "perf_event_open",
        what: "Watch the machine's counters.",
        full: Expect::Violation,
        arms: &[],
        run: |_| attempt(libc::SYS_perf_event_open, [0; 6]),
    },
    Attack {
        name: "keyctl",
        what: "Read the kernel's key rings.",
        full: Expect::Violation,
        arms: &[],
        run: |_| attempt(libc::SYS_keyctl, [0; 6]),
    },
    #[cfg(target_arch = "x86_64")]
    Attack {
        name: "int80",
        what: "Enter the kernel by the 32-bit gate, where the same numbers mean other calls.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[], Expect::Violation)],
        run: |_| super::super::raw::getpid_by_int80(),
    },
    #[cfg(target_arch = "x86_64")]
    Attack {
        name: "x32",
        what: "Enter the kernel by the x32 numbers of an allowed call.",
        full: Expect::Violation,
        arms: &[],
        run: |_| attempt(libc::SYS_getpid | 0x4000_0000, [0; 6]),
    },
];
