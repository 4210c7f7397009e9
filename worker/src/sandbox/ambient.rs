//! Fixes what the process would otherwise ask the system for later, when it no longer may.
//!
//! None of this is a layer. It keeps the allow-list short, hides the host's environment and time zone, and makes a
//! worker's death tell its cause. With the Rust runtime's own ways a memory fault would end in a forbidden
//! `rt_sigaction`, a panic in a forbidden `getcwd` or `sigaltstack`, and both would be reported as sandbox violations.
#![allow(unsafe_code)]

use std::collections::hash_map::RandomState;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::{fs, mem, ptr};

use super::error::LockdownError;

/// Directories hold `.` and the parent's link besides one link a thread.
const TASK_LINKS_BESIDES_THREADS: u64 = 2;

/// Signals by which the kernel reports a fault or an exhausted limit, and by which `abort` ends the process.
const FATAL_SIGNALS: &[i32] =
    &[libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGXCPU, libc::SIGSYS];

unsafe extern "C" {
    // The libc crate has no binding for it.
    fn tzset();
}

/// Refuses a process with a second thread.
pub(super) fn require_single_thread() -> Result<(), LockdownError> {
    let task = fs::metadata("/proc/self/task").map_err(LockdownError::CountThreads)?;
    match task.nlink().saturating_sub(TASK_LINKS_BESIDES_THREADS) {
        1 => Ok(()),
        threads => Err(LockdownError::SeveralThreads(threads)),
    }
}

/// Empties the environment, sets the time zone, draws the hash seeds, makes a panic end the process, and gives fatal
/// signals their default effect.
pub(super) fn settle() -> Result<(), LockdownError> {
    // The parent gives none (I2); whoever started us by hand may have, and RUST_BACKTRACE makes a panic open files.
    // SAFETY: the process has one thread (checked just before), so no other thread reads the environment.
    let cleared = unsafe { libc::clearenv() };
    if cleared != 0 {
        return Err(LockdownError::ClearEnvironment(io::Error::last_os_error()));
    }
    // SAFETY: as above.
    unsafe { std::env::set_var("TZ", "UTC0") };
    // Reads the variable now; the first local time would otherwise open /etc/localtime.
    // SAFETY: takes and returns nothing; single thread as above.
    unsafe { tzset() };

    // The standard library draws the seeds of its hash maps once a thread, by getrandom(2): here, so that the
    // allow-list needs no rule for it.
    let _seeds = RandomState::new();

    // A panic in trusted code is a crash: no unwinding through the engine, no way back to the runtime's own exit.
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        report(panic);
        std::process::abort();
    }));

    FATAL_SIGNALS
        .iter()
        .try_for_each(|&signal| reset(signal).map_err(|error| LockdownError::ResetSignal { signal, error }))?;
    unblock_all().map_err(|error| LockdownError::ResetSignal { signal: 0, error })
}

/// Default disposition: the kernel ends the process, whatever handler or SIG_IGN it was started with.
fn reset(signal: i32) -> io::Result<()> {
    // SAFETY: an all-zero sigaction is valid: SIG_DFL, empty mask, no flags.
    let default: libc::sigaction = unsafe { mem::zeroed() };
    // sigaction(signal, SIG_DFL).
    // SAFETY: both pointers are valid for the call; a null old action is allowed.
    match unsafe { libc::sigaction(signal, &raw const default, ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// An empty signal mask, whatever was inherited: a blocked SIGXCPU would not end the process.
fn unblock_all() -> io::Result<()> {
    // SAFETY: an all-zero sigset_t is the empty set on Linux.
    let empty: libc::sigset_t = unsafe { mem::zeroed() };
    // sigprocmask(SIG_SETMASK, {}).
    // SAFETY: the pointer is valid for the call; a null old mask is allowed.
    match unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const empty, ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
