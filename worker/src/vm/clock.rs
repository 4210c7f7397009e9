//! The JavaScript clock: runs while JavaScript runs, stops while the worker is blocked reading a host result.
//!
//! The engine swallows its own interrupt in a dozen places (promise executors, thenables, iterator close…), so the
//! fact that the deadline has passed is sticky here and asked for again on the result path (I5).

use std::cell::Cell;
use std::time::{Duration, Instant};

/// See the module.
#[derive(Debug)]
pub(super) struct Clock {
    budget: Cell<Duration>,
    /// Time used up before the clock was last started.
    used: Cell<Duration>,
    running_since: Cell<Option<Instant>>,
    expired: Cell<bool>,
}

impl Clock {
    /// A stopped clock that nothing exhausts.
    pub(super) const fn new() -> Self {
        Self {
            budget: Cell::new(Duration::MAX),
            used: Cell::new(Duration::ZERO),
            running_since: Cell::new(None),
            expired: Cell::new(false),
        }
    }

    /// Starts from zero with this budget.
    pub(super) fn start(&self, budget: Duration) {
        self.budget.set(budget);
        self.used.set(Duration::ZERO);
        self.expired.set(false);
        self.running_since.set(Some(Instant::now()));
    }

    /// Runs `wait` with the clock stopped.
    pub(super) fn paused<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.used.set(self.elapsed());
        self.running_since.set(None);
        let result = wait();
        self.running_since.set(Some(Instant::now()));
        result
    }

    /// JavaScript time used so far.
    pub(super) fn elapsed(&self) -> Duration {
        let running = self.running_since.get().map_or(Duration::ZERO, |since| since.elapsed());
        self.used.get().saturating_add(running)
    }

    /// Whether the budget is used up; once true, always true.
    pub(super) fn expired(&self) -> bool {
        if !self.expired.get() && self.elapsed() >= self.budget.get() {
            self.expired.set(true);
        }
        self.expired.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expiry_is_sticky_and_waiting_is_free() {
        let clock = Clock::new();
        assert!(!clock.expired());
        clock.start(Duration::from_secs(3600));
        assert!(!clock.expired());
        clock.start(Duration::ZERO);
        assert!(clock.expired());
        clock.budget.set(Duration::MAX);
        assert!(clock.expired(), "a fact, not a comparison");
        clock.start(Duration::MAX);
        assert!(!clock.expired());
        let before = clock.paused(|| {
            let before = clock.elapsed();
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(2) {}
            assert_eq!(clock.elapsed(), before);
            before
        });
        assert!(clock.elapsed() >= before);
    }
}
