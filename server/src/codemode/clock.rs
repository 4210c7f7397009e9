//! The parent's side of the JavaScript clock (DESIGN §3): it runs while the worker may be running JavaScript and
//! stands while a host operation is outstanding.

use std::time::{Duration, Instant};

/// Time a script has used, as the parent sees it.
#[derive(Debug)]
pub(super) struct ScriptClock {
    budget: Duration,
    started: Instant,
    used: Duration,
    running_since: Option<Instant>,
}

impl ScriptClock {
    /// Starts with this budget.
    pub(super) fn start(budget: Duration) -> Self {
        let now = Instant::now();
        Self { budget, started: now, used: Duration::ZERO, running_since: Some(now) }
    }

    /// A host operation is outstanding.
    pub(super) fn pause(&mut self) {
        if let Some(since) = self.running_since.take() {
            self.used += since.elapsed();
        }
    }

    /// None is.
    pub(super) fn resume(&mut self) {
        self.running_since.get_or_insert_with(Instant::now);
    }

    /// Wall time since the start; never less than the worker's own clock can show.
    pub(super) fn since_start(&self) -> Duration {
        self.started.elapsed()
    }

    fn used(&self) -> Duration {
        self.used + self.running_since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Whether the budget is used up.
    pub(super) fn is_over(&self) -> bool {
        self.used() >= self.budget
    }

    /// Resolves when the budget and `slack` are used up; never while the clock stands.
    pub(super) async fn watchdog(&self, slack: Duration) {
        match self.running_since {
            Some(since) => {
                tokio::time::sleep_until((since + (self.budget + slack).saturating_sub(self.used)).into()).await
            }
            None => std::future::pending().await,
        }
    }
}
