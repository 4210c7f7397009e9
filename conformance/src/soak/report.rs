//! What a soak found: times by kind, what the server held, and every bound that was broken.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use super::house::Mark;
use super::site::Closed;
use super::{Options, Tally, WARM};

/// How much the parent's resident memory may grow after the first thousand invocations, in percent.
const GROWTH_PERCENT: f64 = 5.0;

/// The whole report; `passed` is what the program's status says.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Whether no bound was broken.
    pub passed: bool,
    /// Chooses the same mix again.
    pub seed: u64,
    /// Invocations made, with those of waves.
    pub invocations: u64,
    /// Callers at once.
    pub concurrency: u64,
    /// Seconds it took.
    pub seconds: f64,
    /// Invocations a second, deadlines and waves included.
    pub per_second: f64,
    /// Times by kind.
    pub kinds: Vec<Row>,
    /// How often each outcome came.
    pub outcomes: Vec<(String, u64)>,
    /// Answers that were later than their budget and the slack, and by how much the latest.
    pub late: u64,
    /// Milliseconds beyond its bound.
    pub latest_ms: f64,
    /// What the server held while nothing ran.
    pub marks: Vec<Mark>,
    /// Growth of resident memory after the first thousand invocations, in percent.
    pub growth_percent: f64,
    /// Descriptors more than after the first thousand.
    pub descriptors_leaked: i64,
    /// Processes that outlived the server.
    pub processes_leaked: usize,
    /// Entries left in the temporary directory.
    pub temporary_leaked: usize,
    /// Milliseconds from the end of its input to the server's end.
    pub end_ms: f64,
    /// Bytes on stderr.
    pub stderr_bytes: u64,
    /// Faults in all.
    pub fault_count: u64,
    /// The first of them.
    pub faults: Vec<String>,
}

/// Times of one kind, in milliseconds from request to answer; for a withdrawn request, to its withdrawal.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The kind.
    pub kind: &'static str,
    /// How many.
    pub count: usize,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 99th percentile.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

impl Report {
    pub(super) fn new(options: &Options, took: Duration, tally: Tally, closed: Closed) -> Self {
        let Tally { times, outcomes, mut faults, mut fault_count, late, latest, marks } = tally;
        let mut fault = |what: String| {
            fault_count += 1;
            faults.push(what);
        };
        let invocations: usize = times.values().map(Vec::len).sum();
        let kinds = times.into_iter().map(|(kind, times)| Row::new(kind, times)).collect();
        let growth_percent = growth(&marks);
        if growth_percent >= GROWTH_PERCENT {
            fault(format!("resident memory grew by {growth_percent:.1} %; less than {GROWTH_PERCENT} % is allowed"));
        }
        let descriptors = |mark: Option<&Mark>| mark.map_or(0, |mark| i64::try_from(mark.descriptors).unwrap_or(0));
        let warm = marks.iter().find(|mark| mark.invocations >= WARM);
        let descriptors_leaked = descriptors(marks.last()) - descriptors(warm.or(marks.last()));
        if descriptors_leaked > 0 {
            fault(format!("{descriptors_leaked} descriptors were leaked"));
        }
        if !closed.leaked.is_empty() {
            fault(format!("processes outlived the server: {:?}", closed.leaked));
        }
        if closed.temporary > 0 {
            fault(format!("{} entries are left in the temporary directory", closed.temporary));
        }
        if !closed.status.is_some_and(|status| status.success()) {
            fault(format!("the server ended with {:?}\n{}", closed.status, closed.diagnostics.tail));
        }
        for panic in &closed.diagnostics.panics {
            fault(format!("the server panicked: {panic}"));
        }
        if late > 0 {
            fault(format!("{late} answers were late, the latest by {:.0} ms", ms(latest)));
        }
        Self {
            passed: fault_count == 0 && faults.is_empty(),
            seed: options.seed,
            invocations: invocations as u64,
            concurrency: options.concurrency,
            seconds: took.as_secs_f64(),
            per_second: float(invocations) / took.as_secs_f64(),
            kinds,
            outcomes: outcomes.into_iter().collect(),
            late,
            latest_ms: ms(latest),
            marks,
            growth_percent,
            descriptors_leaked,
            processes_leaked: closed.leaked.len(),
            temporary_leaked: closed.temporary,
            end_ms: ms(closed.took),
            stderr_bytes: closed.diagnostics.bytes,
            fault_count,
            faults,
        }
    }

    /// For people.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |text: String| {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{text}");
        };
        line(format!(
            "{} invocations, {} at once, seed {}, {:.1} s, {:.0}/s",
            self.invocations, self.concurrency, self.seed, self.seconds, self.per_second
        ));
        line(format!("\n{:<34} {:>7} {:>9} {:>9} {:>9} {:>9}", "kind", "count", "p50 ms", "p90", "p99", "max"));
        for Row { kind, count, p50, p90, p99, max } in &self.kinds {
            line(format!("{kind:<34} {count:>7} {p50:>9.2} {p90:>9.2} {p99:>9.2} {max:>9.1}"));
        }
        line(format!("\n{:<44} {:>7}", "outcome", "count"));
        for (outcome, count) in &self.outcomes {
            line(format!("{outcome:<44} {count:>7}"));
        }
        line(format!(
            "\n{:>10} {:>9} {:>9} {:>7} {:>8} {:>8} {:>8} {:>5}",
            "after", "rss KiB", "anon KiB", "fds", "threads", "children", "zombies", "temp"
        ));
        for mark in &self.marks {
            line(format!(
                "{:>10} {:>9} {:>9} {:>7} {:>8} {:>8} {:>8} {:>5}",
                mark.invocations,
                mark.resident_kib,
                mark.anonymous_kib,
                mark.descriptors,
                mark.threads,
                mark.children,
                mark.zombies,
                mark.temporary
            ));
        }
        line(format!(
            "\nresident memory after the first {WARM}    {:+.2} %   (bound {GROWTH_PERCENT} %)",
            self.growth_percent
        ));
        line(format!(
            "leaked: {} processes, {} directory entries, {} descriptors",
            self.processes_leaked, self.temporary_leaked, self.descriptors_leaked
        ));
        line(format!(
            "late answers: {}; end of the server: {:.0} ms; stderr: {} bytes",
            self.late, self.end_ms, self.stderr_bytes
        ));
        for fault in &self.faults {
            line(format!("FAULT {fault}"));
        }
        let verdict = if self.passed { "passed".to_owned() } else { format!("FAILED: {} faults", self.fault_count) };
        line(format!("\n{verdict}"));
        out
    }
}

impl Row {
    fn new(kind: &'static str, mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |part: f64| {
            let index = (part * float(times.len())).ceil();
            // Small and not negative: a count of samples.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index into the samples")]
            let index = (index as usize).saturating_sub(1);
            times.get(index).copied().map_or(0.0, ms)
        };
        Self { kind, count: times.len(), p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1.0) }
    }
}

/// From the first look after the thousandth invocation to the middle one of the last three: one look alone may meet
/// memory that is about to be given back.
fn growth(marks: &[Mark]) -> f64 {
    let Some(first) = marks.iter().find(|mark| mark.invocations >= WARM) else { return 0.0 };
    let mut last: Vec<u64> = marks.iter().rev().take(3).map(|mark| mark.resident_kib).collect();
    last.sort_unstable();
    let Some(last) = last.get(last.len() / 2) else { return 0.0 };
    let (first, last) = (first.resident_kib.max(1), *last);
    100.0 * (lossy(last) - lossy(first)) / lossy(first)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[expect(clippy::cast_precision_loss, reason = "a share of a count that is far below 2^52")]
fn float(count: usize) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "kibibytes, far below 2^52")]
fn lossy(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(resident: &[u64]) -> Vec<Mark> {
        let mark = |(index, kib): (usize, &u64)| Mark {
            invocations: 1000 * (index as u64 + 1),
            resident_kib: *kib,
            ..Mark::default()
        };
        resident.iter().enumerate().map(mark).collect()
    }

    #[test]
    fn growth_is_measured_from_the_thousandth_and_not_from_one_odd_look() {
        assert!((growth(&marks(&[100, 100, 100, 110, 110])) - 10.0).abs() < 0.01);
        assert!(growth(&marks(&[100, 100, 100, 100, 190])).abs() < 0.01);
        assert!(growth(&[]).abs() < 0.01);
    }

    #[test]
    fn percentiles_are_of_the_samples() {
        let row = Row::new("k", (1..=100).map(Duration::from_millis).collect());
        assert!((row.p50 - 50.0).abs() < 0.01 && (row.p99 - 99.0).abs() < 0.01 && (row.max - 100.0).abs() < 0.01);
        assert_eq!(Row::new("k", Vec::new()).count, 0);
    }
}
