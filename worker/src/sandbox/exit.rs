//! How a worker leaves, and what its death means (I6: decided from the exit status, never from anything it said).

/// Exit status of a worker that could not be locked down. It has then read nothing and said nothing.
pub const SANDBOX_UNAVAILABLE: u8 = 78;

/// What the parent may conclude from the signal that ended a worker which the parent did not kill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Death {
    /// SIGSYS: a system call outside the allow-list → `worker_exited`, reason `sandbox_violation`.
    SandboxViolation,
    /// SIGXCPU: the kernel's CPU limit → `deadline_exceeded`.
    CpuLimit,
    /// Any other: a memory fault, an abort → `worker_exited`, reason `crashed`.
    Crashed,
}

impl Death {
    /// Classifies a fatal signal by its number.
    #[must_use]
    pub const fn from_signal(signal: i32) -> Self {
        match signal {
            SIGSYS => Self::SandboxViolation,
            SIGXCPU => Self::CpuLimit,
            _ => Self::Crashed,
        }
    }
}

/// The same on x86_64 and aarch64.
const SIGSYS: i32 = 31;
const SIGXCPU: i32 = 24;

/// Ends the process at once: no destructors, no `atexit`, one allowed system call.
///
/// Returning from `main` makes the Rust runtime take down its signal stack by a system call that is not allowed, and
/// freeing the engine can assert. What must be written has to be written before.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub fn leave(status: u8) -> ! {
    // exit_group(status).
    // SAFETY: takes no pointer and does not return; nothing of this process is used afterwards.
    unsafe { libc::_exit(i32::from(status)) }
}

/// Ends the process.
#[cfg(not(target_os = "linux"))]
pub fn leave(status: u8) -> ! {
    std::process::exit(i32::from(status))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn signals_mean_what_the_taxonomy_says() {
        assert_eq!((SIGSYS, SIGXCPU), (libc::SIGSYS, libc::SIGXCPU));
        assert_eq!(Death::from_signal(libc::SIGSYS), Death::SandboxViolation);
        assert_eq!(Death::from_signal(libc::SIGXCPU), Death::CpuLimit);
        for signal in [libc::SIGSEGV, libc::SIGABRT, libc::SIGBUS, libc::SIGILL, libc::SIGKILL, libc::SIGTERM] {
            assert_eq!(Death::from_signal(signal), Death::Crashed);
        }
    }
}
