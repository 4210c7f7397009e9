//! Kernel limits on what the process can consume (I5), as data.
//!
//! They back the limits of the VM: a script meets those first. A limit is only ever lowered; whoever started us with
//! less keeps less.

use std::fmt::Write as _;
use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::error::LockdownError;
use crate::registry::LimitId;

const MIB: u64 = 1024 * 1024;

/// Address space besides the JavaScript heap, in bytes: the program and its libraries (the executable is mapped whole,
/// a debug build included), the main thread's stack, frames and results outside the heap, and what the allocator wastes.
pub const ADDRESS_SPACE_OVERHEAD_BYTES: u64 = 128 * MIB;
/// Greatest main-thread stack, in bytes; above the deepest JavaScript stack a policy can allow (1 MiB) and below what
/// an unlimited shell would hand us.
pub const STACK_BYTES: u64 = 8 * MIB;
/// Seconds of CPU beyond the longest JavaScript time before SIGXCPU; start and serialization are also counted.
pub const CPU_SOFT_SLACK_SECONDS: u64 = 1;
/// Seconds of CPU beyond the longest JavaScript time before SIGKILL, for a process that found a way to ignore SIGXCPU.
pub const CPU_HARD_SLACK_SECONDS: u64 = 2;
/// Descriptors 0, 1, 2 and the one that holds the Landlock ruleset for a moment.
const DESCRIPTORS_FOR_LANDLOCK: u64 = 4;

/// One resource and its limit.
#[derive(Debug, Clone, Copy)]
pub struct LimitRow {
    /// Which.
    pub resource: Resource,
    /// Its name, as in `getrlimit(2)`.
    pub name: &'static str,
    /// Its name in `/proc/<pid>/limits`.
    pub title: &'static str,
    /// Soft limit.
    pub soft: u64,
    /// Hard limit.
    pub hard: u64,
    /// Why this value.
    pub why: &'static str,
}

/// Longest JavaScript time any policy can allow, in whole seconds.
const MAXIMUM_SECONDS: u64 = LimitId::WallMs.entry().maximum.div_ceil(1000);

/// Every limit, in the order in which it is set.
pub const RLIMITS: &[LimitRow] = &[
    row(Resource::Core, "RLIMIT_CORE", "Max core file size", 0, "No dump of a script's data."),
    row(
        Resource::Fsize,
        "RLIMIT_FSIZE",
        "Max file size",
        0,
        "No byte can be added to a file, even one that was left open.",
    ),
    row(Resource::Nproc, "RLIMIT_NPROC", "Max processes", 0, "No process or thread."),
    row(
        Resource::Nofile,
        "RLIMIT_NOFILE",
        "Max open files",
        DESCRIPTORS_FOR_LANDLOCK,
        "Landlock's ruleset needs one descriptor for a moment; 0 once it is enforced.",
    ),
    row(
        Resource::Memlock,
        "RLIMIT_MEMLOCK",
        "Max locked memory",
        0,
        "No pinned memory; also what io_uring and bpf are charged to.",
    ),
    row(Resource::Msgqueue, "RLIMIT_MSGQUEUE", "Max msgqueue size", 0, "No message queues."),
    row(
        Resource::Sigpending,
        "RLIMIT_SIGPENDING",
        "Max pending signals",
        0,
        "No queued signals or timers that carry one.",
    ),
    row(Resource::Locks, "RLIMIT_LOCKS", "Max file locks", 0, "No file locks."),
    row(Resource::Nice, "RLIMIT_NICE", "Max nice priority", 0, "No higher priority."),
    row(Resource::Rtprio, "RLIMIT_RTPRIO", "Max realtime priority", 0, "No real-time scheduling."),
    row(
        Resource::Stack,
        "RLIMIT_STACK",
        "Max stack size",
        STACK_BYTES,
        "The JavaScript stack limit comes first; this bounds the native one.",
    ),
    row(
        Resource::As,
        "RLIMIT_AS",
        "Max address space",
        LimitId::HeapBytes.entry().maximum + ADDRESS_SPACE_OVERHEAD_BYTES,
        "The largest heap a policy can allow (64 MiB) and 128 MiB for everything else.",
    ),
    LimitRow {
        resource: Resource::Cpu,
        name: "RLIMIT_CPU",
        title: "Max cpu time",
        soft: MAXIMUM_SECONDS + CPU_SOFT_SLACK_SECONDS,
        hard: MAXIMUM_SECONDS + CPU_HARD_SLACK_SECONDS,
        why: "The longest JavaScript time and 1 s ends in SIGXCPU, 1 s more in SIGKILL; wall time is the parent's watchdog.",
    },
];

const fn row(resource: Resource, name: &'static str, title: &'static str, limit: u64, why: &'static str) -> LimitRow {
    LimitRow { resource, name, title, soft: limit, hard: limit, why }
}

/// The table of `docs/sandbox.md`, in Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut table = String::from("| limit | soft | hard | why |\n|---|---:|---:|---|\n");
    for LimitRow { name, soft, hard, why, .. } in RLIMITS {
        let _ = writeln!(table, "| `{name}` | {soft} | {hard} | {why} |");
    }
    table
}

/// Sets every limit of the table.
pub(super) fn lower() -> Result<(), LockdownError> {
    RLIMITS.iter().try_for_each(|row| {
        set(row.resource, row.soft, row.hard).map_err(|error| LockdownError::LowerLimit { name: row.name, error })
    })
}

/// After Landlock: no descriptor can be opened, duplicated or received any more. The three open ones stay usable.
pub(super) fn forbid_descriptors() -> Result<(), LockdownError> {
    set(Resource::Nofile, 0, 0).map_err(|error| LockdownError::LowerLimit { name: "RLIMIT_NOFILE", error })
}

fn set(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    // getrlimit(resource): an absent value means unlimited.
    let inherited = getrlimit(resource);
    let maximum = inherited.maximum.map_or(hard, |limit| limit.min(hard));
    let current = inherited.current.map_or(soft, |limit| limit.min(soft)).min(maximum);
    // setrlimit(resource, lowered).
    Ok(setrlimit(resource, Rlimit { current: Some(current), maximum: Some(maximum) })?)
}
