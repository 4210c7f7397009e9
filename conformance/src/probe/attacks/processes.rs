//! New processes, other programs, signals and other processes' memory.

use std::ptr;

use wit_worker::sandbox::Layer::{Capabilities, Identity, Landlock, Rlimits, Seccomp};

use super::super::raw::{attempt, syscall};
use super::super::{Expect, Outcome};
use super::files::c_string;
use super::{Arm, Attack, arm, landlock};

const FORK_ARMS: &[Arm] =
    &[arm(Seccomp, &[Rlimits], Expect::Violation), arm(Rlimits, &[Seccomp], Expect::Errno(&[libc::EAGAIN]))];

const EXEC_ARMS: &[Arm] = &[
    arm(Seccomp, &[Landlock, Rlimits], Expect::Violation),
    landlock(1, &[Seccomp, Rlimits], Expect::Errno(&[libc::EACCES])),
];

/// As root the parent is another user's process; the user must not decide what Landlock is to decide.
const SIGNAL_ARMS: &[Arm] = &[
    arm(Seccomp, &[Landlock, Identity, Capabilities], Expect::Violation),
    landlock(6, &[Seccomp, Identity, Capabilities], Expect::Errno(&[libc::EPERM])),
];

pub(super) const ATTACKS: &[Attack] = &[
    #[cfg(target_arch = "x86_64")]
    Attack {
        name: "fork",
        what: "Make a process.",
        full: Expect::Violation,
        arms: FORK_ARMS,
        run: |_| in_child(libc::SYS_fork, [0; 6]),
    },
    Attack {
        name: "clone",
        what: "Make a process.",
        full: Expect::Violation,
        arms: FORK_ARMS,
        run: |_| in_child(libc::SYS_clone, [libc::SIGCHLD as u64, 0, 0, 0, 0, 0]),
    },
    Attack {
        name: "clone3",
        what: "Make a process by the newer call, whose flags a filter cannot read.",
        full: Expect::Violation,
        arms: FORK_ARMS,
        run: |_| {
            // struct clone_args: eight words, the fifth is the exit signal.
            let mut arguments = [0_u64; 8];
            arguments[4] = libc::SIGCHLD as u64;
            in_child(libc::SYS_clone3, [arguments.as_ptr() as u64, size_of_val(&arguments) as u64, 0, 0, 0, 0])
        },
    },
    #[cfg(target_arch = "x86_64")]
    Attack {
        name: "vfork",
        what: "Make a process that shares memory.",
        full: Expect::Violation,
        arms: &[],
        run: |_| in_child(libc::SYS_vfork, [0; 6]),
    },
    Attack {
        name: "execve",
        what: "Become another program.",
        full: Expect::Violation,
        arms: EXEC_ARMS,
        run: |context| execve(&context.program, "succeed"),
    },
    Attack {
        name: "execveat",
        what: "Become another program by the newer call.",
        full: Expect::Violation,
        arms: EXEC_ARMS,
        run: |context| {
            let program = c_string(&context.program);
            let arguments = [program.as_ptr(), c"succeed".as_ptr(), ptr::null()];
            let environment: [*const libc::c_char; 1] = [ptr::null()];
            let here = libc::AT_FDCWD as u64;
            attempt(
                libc::SYS_execveat,
                [here, program.as_ptr() as u64, arguments.as_ptr() as u64, environment.as_ptr() as u64, 0, 0],
            )
        },
    },
    Attack {
        name: "ptrace",
        what: "Drive another process, or be driven.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[], Expect::Violation)],
        run: |_| attempt(libc::SYS_ptrace, [libc::PTRACE_TRACEME as u64, 0, 0, 0, 0, 0]),
    },
    Attack {
        name: "process_vm_readv",
        what: "Read the memory of the parent, where the tokens are.",
        full: Expect::Violation,
        arms: &[],
        run: |context| {
            let mut byte = 0_u8;
            let local = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
            let arguments = [context.parent, (&raw const local) as u64, 1, (&raw const local) as u64, 1, 0];
            attempt(libc::SYS_process_vm_readv, arguments)
        },
    },
    Attack {
        name: "pidfd_open",
        what: "Get a handle on the parent, to take its descriptors.",
        full: Expect::Violation,
        arms: FORK_ARMS_OF_DESCRIPTORS,
        run: |context| attempt(libc::SYS_pidfd_open, [context.parent, 0, 0, 0, 0, 0]),
    },
    Attack {
        name: "kill_parent",
        what: "Signal the parent.",
        full: Expect::Violation,
        arms: SIGNAL_ARMS,
        // Signal 0: the kernel checks the right and sends nothing.
        run: |context| attempt(libc::SYS_kill, [context.parent, 0, 0, 0, 0, 0]),
    },
    Attack {
        name: "tgkill_parent",
        what: "Signal a thread of the parent; the call is allowed for one's own abort.",
        full: Expect::Violation,
        arms: SIGNAL_ARMS,
        run: |context| attempt(libc::SYS_tgkill, [context.parent, context.parent, 0, 0, 0, 0]),
    },
    Attack {
        name: "tgkill_parent_abort",
        what: "Abort the parent by the one signal that is allowed for oneself.",
        full: Expect::Violation,
        arms: &[],
        run: |context| attempt(libc::SYS_tgkill, [context.parent, context.parent, libc::SIGABRT as u64, 0, 0, 0]),
    },
    Attack {
        name: "kill_self",
        what: "Signal itself.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[], Expect::Violation)],
        run: |_| attempt(libc::SYS_kill, [u64::from(std::process::id()), 0, 0, 0, 0, 0]),
    },
    Attack {
        name: "tgkill_self_term",
        what: "Send itself another signal than SIGABRT.",
        full: Expect::Violation,
        arms: &[],
        run: |_| {
            let own = u64::from(std::process::id());
            attempt(libc::SYS_tgkill, [own, own, libc::SIGTERM as u64, 0, 0, 0])
        },
    },
    Attack {
        name: "rt_sigaction",
        what: "Catch the signals that end it.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[], Expect::Violation)],
        run: |_| attempt(libc::SYS_rt_sigaction, [libc::SIGXCPU as u64, 0, 0, 8, 0, 0]),
    },
    Attack {
        name: "rt_sigprocmask_block",
        what: "Block the signal of the CPU limit; unblocking is allowed for abort.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[], Expect::Violation)],
        run: |_| {
            let set = 1_u64 << (libc::SIGXCPU - 1);
            attempt(libc::SYS_rt_sigprocmask, [libc::SIG_BLOCK as u64, (&raw const set) as u64, 0, 8, 0, 0])
        },
    },
    Attack {
        name: "prlimit",
        what: "Raise its own limits back.",
        full: Expect::Violation,
        arms: &[arm(Seccomp, &[], Expect::Violation)],
        run: |_| attempt(libc::SYS_prlimit64, [0, libc::RLIMIT_CPU as u64, 0, 0, 0, 0]),
    },
    Attack {
        name: "raise_address_space",
        what: "Raise the hard limit of its address space.",
        full: Expect::Violation,
        arms: &[arm(Rlimits, &[Seccomp], Expect::Errno(&[libc::EPERM]))],
        run: |_| {
            let unlimited = [u64::MAX, u64::MAX];
            attempt(libc::SYS_prlimit64, [0, libc::RLIMIT_AS as u64, unlimited.as_ptr() as u64, 0, 0, 0])
        },
    },
];

const FORK_ARMS_OF_DESCRIPTORS: &[Arm] =
    &[arm(Seccomp, &[Rlimits], Expect::Violation), arm(Rlimits, &[Seccomp], Expect::Errno(&[libc::EMFILE]))];

/// Makes a process by a raw call; the child ends at once.
fn in_child(number: i64, arguments: [u64; 6]) -> Outcome {
    match syscall(number, arguments) {
        Ok(0) => wit_worker::sandbox::exit::leave(0),
        Ok(_) => Outcome::Succeeded,
        Err(number) => Outcome::Refused(number),
    }
}

/// Executes a program with one argument. Comes back only when that failed.
pub(super) fn execve(program: &str, argument: &str) -> Outcome {
    let program = c_string(program);
    let argument = c_string(argument);
    let arguments = [program.as_ptr(), argument.as_ptr(), ptr::null()];
    let environment: [*const libc::c_char; 1] = [ptr::null()];
    attempt(
        libc::SYS_execve,
        [program.as_ptr() as u64, arguments.as_ptr() as u64, environment.as_ptr() as u64, 0, 0, 0],
    )
}
