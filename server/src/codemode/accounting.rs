//! What one invocation may still spend: a pure state machine, apart from tokio, that properties and fuzzing can
//! drive against a model (I5, I8).
//!
//! Units are reserved before dispatch and stay consumed when the operation fails. Limits a genuine worker guards
//! itself (host calls, concurrency) end the invocation when a worker oversteps them; limits only the parent knows
//! (pages, snapshots, bytes) become errors the script can catch.

use wit_worker::registry::{Class, Code, LimitId, OperationId};

use super::CodeModePolicy;

/// The spending of one invocation.
#[derive(Debug, Clone)]
pub struct Accounting {
    host_calls: Meter,
    pages: Meter,
    snapshots: Meter,
    cumulative_bytes: Meter,
    concurrency: u64,
    outstanding: u64,
    host_result_bytes: u64,
}

#[derive(Debug, Clone, Copy)]
struct Meter {
    used: u64,
    limit: u64,
}

impl Meter {
    const fn new(limit: u64) -> Self {
        Self { used: 0, limit }
    }

    /// Takes `amount`, wholly or not at all.
    fn take(&mut self, amount: u64) -> bool {
        match self.used.checked_add(amount) {
            Some(used) if used <= self.limit => {
                self.used = used;
                true
            }
            _ => false,
        }
    }
}

/// What is over, by how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excess {
    /// The limit's code.
    pub code: Code,
    /// What would have been used.
    pub measured: u64,
    /// The limit.
    pub limit: u64,
}

impl Accounting {
    /// Nothing spent, under this policy.
    #[must_use]
    pub fn new(policy: &CodeModePolicy) -> Self {
        Self {
            host_calls: Meter::new(policy.value(LimitId::HostCalls)),
            pages: Meter::new(policy.value(LimitId::Pages)),
            snapshots: Meter::new(policy.value(LimitId::Snapshots)),
            cumulative_bytes: Meter::new(policy.value(LimitId::CumulativeHostBytes)),
            concurrency: policy.value(LimitId::HostConcurrency),
            outstanding: 0,
            host_result_bytes: policy.value(LimitId::HostResultBytes),
        }
    }

    /// Counts a call that arrived. Whatever happens to it next, it is outstanding until [`Self::answered`].
    ///
    /// # Errors
    /// When the worker oversteps a limit it should have guarded.
    pub fn arrived(&mut self) -> Result<(), Excess> {
        if !self.host_calls.take(1) {
            return Err(excess(Code::HostCallsLimit, self.host_calls, 1));
        }
        if self.outstanding >= self.concurrency {
            return Err(Excess {
                code: Code::HostConcurrencyLimit,
                measured: self.outstanding + 1,
                limit: self.concurrency,
            });
        }
        self.outstanding += 1;
        Ok(())
    }

    /// Reserves what the operation costs, before anything is done for it. Never given back (I8).
    ///
    /// # Errors
    /// When the invocation has spent its units; the script may catch it.
    pub fn reserve(&mut self, operation: OperationId) -> Result<(), Excess> {
        let (meter, code) = match operation.entry().class {
            Class::Page => (&mut self.pages, Code::PagesLimit),
            Class::Snapshot => (&mut self.snapshots, Code::SnapshotsLimit),
        };
        if meter.take(1) { Ok(()) } else { Err(excess(code, *meter, 1)) }
    }

    /// Counts a result's bytes before it may enter the worker.
    ///
    /// # Errors
    /// When it is over the budget of one result, or of all together; its value must then not be sent.
    pub fn deliver(&mut self, bytes: u64) -> Result<(), Excess> {
        if bytes > self.host_result_bytes {
            return Err(Excess { code: Code::HostResultBytesLimit, measured: bytes, limit: self.host_result_bytes });
        }
        if self.cumulative_bytes.take(bytes) {
            Ok(())
        } else {
            Err(excess(Code::CumulativeHostBytesLimit, self.cumulative_bytes, bytes))
        }
    }

    /// One outstanding call has been answered.
    pub fn answered(&mut self) {
        self.outstanding = self.outstanding.saturating_sub(1);
    }

    /// Calls outstanding now.
    #[must_use]
    pub const fn outstanding(&self) -> u64 {
        self.outstanding
    }

    /// Whether a worker's own guard can have stopped a call for this code (I6): a claim is believed only when the
    /// parent saw the facts that make it true.
    #[must_use]
    pub const fn may_claim(&self, code: Code) -> bool {
        match code {
            Code::HostCallsLimit => self.host_calls.used == self.host_calls.limit,
            // The worker reads answers when it likes: calls answered here may still have been outstanding there, so
            // all that can be known is whether it made enough of them.
            Code::HostConcurrencyLimit => self.host_calls.used >= self.concurrency,
            _ => false,
        }
    }

    /// The limit a worker's own guard stands for.
    #[must_use]
    pub const fn guard_limit(&self, code: Code) -> u64 {
        match code {
            Code::HostCallsLimit => self.host_calls.limit,
            _ => self.concurrency,
        }
    }

    /// Calls, pages, snapshots and bytes spent.
    #[must_use]
    pub const fn spent(&self) -> Spent {
        Spent {
            host_calls: self.host_calls.used,
            pages: self.pages.used,
            snapshots: self.snapshots.used,
            host_bytes: self.cumulative_bytes.used,
        }
    }
}

/// Totals for the usage report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    /// Host calls.
    pub host_calls: u64,
    /// Page units.
    pub pages: u64,
    /// Snapshot units.
    pub snapshots: u64,
    /// Bytes of host results delivered.
    pub host_bytes: u64,
}

const fn excess(code: Code, meter: Meter, amount: u64) -> Excess {
    Excess { code, measured: meter.used.saturating_add(amount), limit: meter.limit }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fresh() -> Accounting {
        Accounting::new(&CodeModePolicy::default())
    }

    #[test]
    fn exactly_the_limit_passes_and_one_more_does_not() {
        let mut accounting = fresh();
        for _ in 0..8 {
            assert_eq!(accounting.reserve(OperationId::Read), Ok(()));
        }
        assert_eq!(
            accounting.reserve(OperationId::List).map_err(|e| (e.code, e.measured, e.limit)),
            Err((Code::PagesLimit, 9, 8))
        );
        for _ in 0..2 {
            assert_eq!(accounting.reserve(OperationId::Open), Ok(()));
        }
        assert_eq!(accounting.reserve(OperationId::Open).map_err(|e| e.code), Err(Code::SnapshotsLimit));
        assert_eq!(accounting.deliver(64 * 1024), Ok(()));
        assert_eq!(accounting.deliver(64 * 1024 + 1).map_err(|e| e.code), Err(Code::HostResultBytesLimit));
        for _ in 0..3 {
            assert_eq!(accounting.deliver(64 * 1024), Ok(()));
        }
        assert_eq!(accounting.deliver(1).map_err(|e| e.code), Err(Code::CumulativeHostBytesLimit));
        assert_eq!(accounting.deliver(0), Ok(()));
    }

    #[test]
    fn guards_are_claimed_only_when_they_can_have_tripped() {
        let mut quick = fresh();
        for _ in 0..4 {
            assert!(!quick.may_claim(Code::HostConcurrencyLimit));
            assert_eq!(quick.arrived(), Ok(()));
            quick.answered();
        }
        assert!(quick.may_claim(Code::HostConcurrencyLimit), "the worker need not have read an answer yet");
        let mut accounting = fresh();
        for _ in 0..4 {
            assert_eq!(accounting.arrived(), Ok(()));
        }
        assert!(accounting.may_claim(Code::HostConcurrencyLimit));
        assert_eq!(accounting.arrived().map_err(|e| e.code), Err(Code::HostConcurrencyLimit));
        let mut accounting = fresh();
        for _ in 0..16 {
            assert!(!accounting.may_claim(Code::HostCallsLimit));
            assert_eq!(accounting.arrived(), Ok(()));
            accounting.answered();
        }
        assert!(accounting.may_claim(Code::HostCallsLimit));
        assert_eq!(accounting.arrived().map_err(|e| e.code), Err(Code::HostCallsLimit));
    }

    #[derive(Debug, Clone)]
    enum Act {
        Arrive,
        Answer,
        Reserve(bool),
        Deliver(u64),
    }

    fn act() -> impl Strategy<Value = Act> {
        prop_oneof![
            Just(Act::Arrive),
            Just(Act::Answer),
            any::<bool>().prop_map(Act::Reserve),
            (0_u64..70_000).prop_map(Act::Deliver),
            any::<u64>().prop_map(Act::Deliver),
        ]
    }

    proptest! {
        /// Against a model that only adds: no sequence spends more than a limit, and nothing is given back.
        #[test]
        fn no_sequence_overspends(acts in prop::collection::vec(act(), 0..200)) {
            let mut accounting = fresh();
            let (mut calls, mut open, mut pages, mut snapshots, mut bytes) = (0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
            for act in acts {
                match act {
                    Act::Arrive => {
                        let admitted = accounting.arrived().is_ok();
                        prop_assert_eq!(admitted, calls < 16 && open < 4);
                        calls = (calls + 1).min(16);
                        open += u64::from(admitted);
                    }
                    Act::Answer => { accounting.answered(); open = open.saturating_sub(1); }
                    Act::Reserve(true) => {
                        prop_assert_eq!(accounting.reserve(OperationId::Open).is_ok(), snapshots < 2);
                        snapshots = (snapshots + 1).min(2);
                    }
                    Act::Reserve(false) => {
                        prop_assert_eq!(accounting.reserve(OperationId::Refs).is_ok(), pages < 8);
                        pages = (pages + 1).min(8);
                    }
                    Act::Deliver(n) => {
                        let fits = n <= 65_536 && bytes + n <= 262_144;
                        prop_assert_eq!(accounting.deliver(n).is_ok(), fits);
                        if fits { bytes += n; }
                    }
                }
                let spent = accounting.spent();
                prop_assert_eq!((spent.host_calls, spent.pages, spent.snapshots, spent.host_bytes), (calls, pages, snapshots, bytes));
                prop_assert_eq!(accounting.outstanding(), open);
            }
        }
    }
}
