//! What a server holds: processes, descriptors, memory, directories. Looked at only while nothing runs, so that what
//! is found is kept and not merely in use.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::process::{self, Process};

/// One look.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Mark {
    /// Invocations that had ended.
    pub invocations: u64,
    /// Resident memory, KiB.
    pub resident_kib: u64,
    /// The part of it that is no file's.
    pub anonymous_kib: u64,
    /// Open descriptors.
    pub descriptors: usize,
    /// Threads.
    pub threads: u64,
    /// Children, idle spares among them.
    pub children: usize,
    /// Children that have ended and were not reaped.
    pub zombies: usize,
    /// Entries of the server's temporary directory.
    pub temporary: usize,
}

/// Waits until no more than the spares are left, all of them waiting, and looks. When that does not happen in time
/// the look shows what is there.
pub(super) fn look(server: Process, spares: usize, temporary: &Path, timeout: Duration) -> Mark {
    let settled = process::wait_for(timeout, || process::idle_workers(server.pid, spares));
    let children = settled.unwrap_or_else(|| process::children(server.pid));
    let status = fs::read_to_string(format!("/proc/{}/status", server.pid)).unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let count = |path: &Path| fs::read_dir(path).map_or(0, Iterator::count);
    Mark {
        invocations: 0,
        resident_kib: field("VmRSS:").unwrap_or_default(),
        anonymous_kib: field("RssAnon:").unwrap_or_default(),
        threads: field("Threads:").unwrap_or_default(),
        descriptors: count(Path::new(&format!("/proc/{}/fd", server.pid))),
        children: children.len(),
        zombies: children.iter().filter(|child| child.is_zombie()).count(),
        temporary: count(temporary),
    }
}

/// The children, for a report.
pub(super) fn shown(server: Process) -> String {
    let children: Vec<_> = process::children(server.pid).into_iter().map(Process::shown).collect();
    children.join(", ")
}

/// Children that wait for something to do, once there are this many and nobody else.
pub(super) fn idle(server: Process, count: usize, timeout: Duration) -> Option<Vec<Process>> {
    let idle = process::wait_for(timeout, || process::idle_workers(server.pid, count))?;
    Some(idle.into_iter().collect())
}

/// Children that have used this much processor time, once there are this many.
pub(super) fn busy(server: Process, count: usize, ticks: u64, timeout: Duration) -> Option<Vec<Process>> {
    process::wait_for(timeout, || {
        let children = process::children(server.pid).into_iter();
        let busy: Vec<_> = children.filter(|child| child.cpu_ticks() >= ticks).collect();
        (busy.len() == count).then_some(busy)
    })
}
