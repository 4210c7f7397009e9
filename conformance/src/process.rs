//! What `/proc` says of a server and its workers: children, their identity, and the time they have used.
//!
//! A process is named by its id and its start time together, since ids come again (I10 is judged by this).

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

/// The interval at which `/proc` is looked at; it has no way to be waited for.
const INTERVAL: Duration = Duration::from_millis(2);

/// Looks until there is something to be seen, for at most so long; the last look comes after that.
pub fn wait_for<T>(timeout: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + timeout;
    loop {
        let over = Instant::now() >= end;
        if let Some(seen) = look() {
            return Some(seen);
        }
        if over {
            return None;
        }
        std::thread::sleep(INTERVAL);
    }
}

/// A process, for as long as it lives and never another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Process {
    /// Its id.
    pub pid: i32,
    /// Its start, in clock ticks since boot.
    started: u64,
}

/// The fields of `/proc/<pid>/stat` that are used here.
struct Stat {
    state: char,
    cpu_ticks: u64,
    started: u64,
}

impl Process {
    /// The process with this id, if there is one.
    #[must_use]
    pub fn find(pid: i32) -> Option<Self> {
        stat(pid).map(|stat| Self { pid, started: stat.started })
    }

    /// Whether it is still there, also as a zombie that nobody has reaped.
    #[must_use]
    pub fn exists(self) -> bool {
        stat(self.pid).is_some_and(|stat| stat.started == self.started)
    }

    /// Whether it has ended and waits to be reaped.
    #[must_use]
    pub fn is_zombie(self) -> bool {
        stat(self.pid).is_some_and(|stat| stat.started == self.started && stat.state == 'Z')
    }

    /// Whether it is a worker that has locked itself down and waits for something to do.
    #[must_use]
    pub fn is_idle_worker(self) -> bool {
        let waits = stat(self.pid).is_some_and(|stat| stat.started == self.started && stat.state == 'S');
        let status = || fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap_or_default();
        waits && status().lines().any(|line| line.split_whitespace().eq(["Seccomp:", "2"]))
    }

    /// What `/proc` shows of it, for a report: name, state, processor time, what it waits in.
    #[must_use]
    pub fn shown(self) -> String {
        let read = |name: &str| fs::read_to_string(format!("/proc/{}/{name}", self.pid)).unwrap_or_default();
        let state = stat(self.pid).map_or('-', |stat| stat.state);
        let status = read("status");
        let line = |name: &str| status.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
        format!(
            "{} ({} {state}, {} ticks, {}, {})",
            self.pid,
            read("comm").trim(),
            self.cpu_ticks(),
            line("Seccomp:"),
            read("wchan")
        )
    }

    /// Whether it has been stopped by a signal.
    #[must_use]
    pub fn is_stopped(self) -> bool {
        stat(self.pid).is_some_and(|stat| stat.started == self.started && stat.state == 'T')
    }

    /// Sends it a signal.
    ///
    /// # Errors
    /// When it is not there any more.
    pub fn signal(self, signal: rustix::process::Signal) -> std::io::Result<()> {
        let pid = rustix::process::Pid::from_raw(self.pid).filter(|_| self.exists());
        Ok(rustix::process::kill_process(pid.ok_or(rustix::io::Errno::SRCH)?, signal)?)
    }

    /// Clock ticks (1/100 s) of processor time it has used.
    #[must_use]
    pub fn cpu_ticks(self) -> u64 {
        stat(self.pid).filter(|stat| stat.started == self.started).map_or(0, |stat| stat.cpu_ticks)
    }
}

/// The children of a process, whichever of its threads started them.
#[must_use]
pub fn children(pid: i32) -> BTreeSet<Process> {
    let mut found = BTreeSet::new();
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return found };
    for task in tasks.flatten() {
        let text = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        found.extend(text.split_whitespace().filter_map(|pid| Process::find(pid.parse().ok()?)));
    }
    found
}

/// The children, if there are this many and each is a worker that waits for something to do.
#[must_use]
pub fn idle_workers(pid: i32, count: usize) -> Option<BTreeSet<Process>> {
    let all = children(pid);
    (all.len() == count && all.iter().all(|worker| worker.is_idle_worker())).then_some(all)
}

fn stat(pid: i32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may hold anything, parentheses included.
    let (_, fields) = text.rsplit_once(") ")?;
    let fields: Vec<&str> = fields.split(' ').collect();
    // Numbered from 1 in proc(5); the state is field 3.
    let field = |number: usize| fields.get(number - 3).copied();
    let number = |index: usize| field(index)?.parse::<u64>().ok();
    Some(Stat { state: field(3)?.chars().next()?, cpu_ticks: number(14)? + number(15)?, started: number(22)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_last_look_comes_after_the_deadline() {
        assert_eq!(wait_for(Duration::ZERO, || Some(1)), Some(1));
        let mut looks = 0;
        let seen = wait_for(INTERVAL / 2, || {
            looks += 1;
            (looks == 2).then_some(looks)
        });
        assert_eq!(seen, Some(2));
        assert_eq!(wait_for(INTERVAL, || None::<()>), None);
    }

    #[test]
    fn a_child_is_seen_from_start_to_reaping() -> std::io::Result<()> {
        let own = i32::try_from(std::process::id()).unwrap_or_default();
        let mut child = Command::new("sleep").arg("600").spawn()?;
        let pid = i32::try_from(child.id()).unwrap_or_default();
        let process = Process::find(pid).ok_or_else(|| std::io::Error::other("not found"))?;
        assert!(children(own).contains(&process));
        child.kill()?;
        let ended = wait_for(Duration::from_secs(20), || process.is_zombie().then_some(()));
        assert!(ended.is_some() && process.exists(), "a zombie is still there");
        child.wait()?;
        assert!(!process.exists());
        assert!(!children(own).contains(&process));
        Ok(())
    }
}
