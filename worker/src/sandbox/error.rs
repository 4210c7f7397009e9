//! Why a lockdown failed. Each variant is named after the act that failed; none carries anything of the host's.

use std::io;

/// A layer that could not be had. Whoever sees one must not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockdownError {
    /// This platform has no lockdown yet. Nobody's fault; the operator may choose `--unsandboxed-worker`.
    #[error("this platform has no worker lockdown")]
    Unsupported,
    /// The list of threads could not be read: `/proc` is not mounted.
    #[error("cannot count the threads of the process: {0}")]
    CountThreads(io::Error),
    /// A second thread exists; layers bind one thread. A programming error on our side.
    #[error("the process has {0} threads; a lockdown binds only one")]
    SeveralThreads(u64),
    /// The environment could not be emptied.
    #[error("cannot empty the environment: {0}")]
    ClearEnvironment(io::Error),
    /// Signal dispositions could not be reset.
    #[error("cannot reset signal {signal}: {error}")]
    ResetSignal {
        /// The signal's number.
        signal: i32,
        /// What the kernel said.
        error: io::Error,
    },
    /// `prctl(PR_SET_PDEATHSIG)` failed.
    #[error("cannot tie the process to its parent's life: {0}")]
    ArmParentDeath(io::Error),
    /// The parent died before the tie was made.
    #[error("the parent is gone")]
    Orphaned,
    /// `prctl(PR_SET_DUMPABLE)` failed.
    #[error("cannot make the process not dumpable: {0}")]
    ForbidDump(io::Error),
    /// `close_range` failed: Linux 5.9 or newer is needed.
    #[error("cannot close inherited descriptors: {0}")]
    CloseDescriptors(io::Error),
    /// `setrlimit` failed.
    #[error("cannot lower the limit {name}: {error}")]
    LowerLimit {
        /// The resource.
        name: &'static str,
        /// What the kernel said.
        error: io::Error,
    },
    /// Capabilities could not be read.
    #[error("cannot read the capability sets: {0}")]
    ReadCapabilities(io::Error),
    /// Supplementary groups could not be dropped.
    #[error("cannot drop the supplementary groups: {0}")]
    DropGroups(io::Error),
    /// The group id could not be dropped.
    #[error("cannot drop the group id: {0}")]
    DropGroup(io::Error),
    /// The user id could not be dropped.
    #[error("cannot drop the user id: {0}")]
    DropUser(io::Error),
    /// The bounding set could not be emptied.
    #[error("cannot empty the capability bounding set: {0}")]
    EmptyBoundingSet(io::Error),
    /// The ambient set could not be emptied.
    #[error("cannot empty the ambient capability set: {0}")]
    EmptyAmbientSet(io::Error),
    /// The permitted, effective and inheritable sets could not be emptied.
    #[error("cannot clear the capability sets: {0}")]
    ClearCapabilities(io::Error),
    /// `prctl(PR_SET_NO_NEW_PRIVS)` failed.
    #[error("cannot set no_new_privs: {0}")]
    SetNoNewPrivs(io::Error),
    /// The kernel has Landlock, or may have it, and refused to say or to act.
    #[error("cannot ask the kernel for its Landlock version: {0}")]
    AskLandlockVersion(io::Error),
    /// The kernel has Landlock and the ruleset could not be made or enforced.
    #[error("cannot enforce Landlock: {0}")]
    EnforceLandlock(String),
    /// The allow-list did not compile. A programming error on our side.
    #[error("cannot compile the system call filter: {0}")]
    CompileFilter(String),
    /// `seccomp(SECCOMP_SET_MODE_FILTER)` failed.
    #[error("cannot install the system call filter: {0}")]
    InstallFilter(io::Error),
}
