//! The parent's pure state machines, with an arbitrary worker at the other end.

use std::collections::BTreeSet;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use wit::codemode::CodeModePolicy;
use wit::codemode::accounting::Accounting;
use wit::codemode::session::{Event, Session};
use wit_worker::protocol::{CallId, InvocationId};
use wit_worker::registry::operations::OPERATIONS;
use wit_worker::registry::{Class, Code, LimitId, OperationId};

/// The invocation of every session here; inputs name it as `1`.
const INVOCATION: InvocationId = InvocationId(NonZeroU64::MIN);

/// Codes a worker may claim before the host has answered anything: of its own script, of its own guards, of a measure.
/// The deadline is not among them, because no time passes here.
const BELIEVABLE: [Code; 5] = [
    Code::CodeRejected,
    Code::UnknownMethod,
    Code::FinalResultBytesLimit,
    Code::HostCallsLimit,
    Code::HostConcurrencyLimit,
];

/// Codes that can end an invocation at a frame.
const VERDICTS: &[Code] = &[
    Code::WorkerProtocolError,
    Code::CapabilityDenied,
    Code::HostCallsLimit,
    Code::HostConcurrencyLimit,
    Code::FinalResultBytesLimit,
];

/// A session against bytes: each step is a frame of the worker's, or an answer of the host's. Whatever comes, no budget is
/// exceeded, nothing follows the end, and no code appears that the parent has not decided.
pub fn session(data: &[u8]) {
    let policy = Arc::new(CodeModePolicy::default());
    let limit = |id: LimitId| policy.value(id);
    let mut session = Session::new(Arc::clone(&policy), INVOCATION);
    let mut open: Vec<CallId> = Vec::new();
    let mut believable = BTreeSet::from(BELIEVABLE);
    let (mut dispatched, mut pages, mut snapshots, mut delivered) = (0_u64, 0_u64, 0_u64, 0_u64);
    let mut over = false;
    let mut input = Input(data);
    while let Some(step) = input.step() {
        match step {
            Step::Frame(frame) => match session.frame(&frame, Duration::ZERO) {
                Ok(event) => {
                    assert!(!over, "something was accepted after the end");
                    match event {
                        Event::Dispatch { call, operation, .. } => {
                            dispatched += 1;
                            match operation.entry().class {
                                Class::Page => pages += 1,
                                Class::Snapshot => snapshots += 1,
                            }
                            assert!(!open.contains(&call));
                            open.push(call);
                        }
                        // The only calls answered without the host: their budget is spent, or they are no object.
                        Event::Reply(bytes) => {
                            assert!(!bytes.is_empty());
                            believable.extend([Code::PagesLimit, Code::SnapshotsLimit, Code::InvalidArguments]);
                        }
                        Event::Done(ended) => {
                            over = true;
                            if let Err(error) = &ended.outcome {
                                assert!(believable.contains(&error.code), "{:?} was believed", error.code);
                            }
                        }
                    }
                }
                Err(verdict) => {
                    assert!(VERDICTS.contains(&verdict.code), "{:?} came of a frame", verdict.code);
                    // A verdict ends the invocation; the supervisor asks no further.
                    return;
                }
            },
            Step::Answer { which, bytes } => {
                if open.is_empty() {
                    continue;
                }
                let call = open.swap_remove(which % open.len());
                let outcome = match bytes {
                    Some(bytes) => RawValue::from_string(format!("\"{}\"", "x".repeat(bytes))).map_err(|_| ()),
                    None => Err(()),
                };
                let outcome = match outcome {
                    Ok(value) => {
                        delivered += value.get().len() as u64;
                        Ok(value)
                    }
                    Err(()) => Err(wit::operations::OperationError::new(Code::OperationFailed, "x".to_owned())),
                };
                believable.extend([Code::OperationFailed, Code::HostResultBytesLimit, Code::CumulativeHostBytesLimit]);
                let answer = session.answer(call, outcome, Duration::ZERO);
                assert!(over || !answer.is_empty());
                assert!(
                    session.answer(call, Ok(RawValue::NULL.to_owned()), Duration::ZERO).is_empty(),
                    "answered twice"
                );
            }
        }
        assert!(session.outstanding() <= limit(LimitId::HostConcurrency));
        assert!(dispatched <= limit(LimitId::HostCalls));
        assert!(pages <= limit(LimitId::Pages) && snapshots <= limit(LimitId::Snapshots));
    }
    let (spent, calls) = session.report();
    assert!(spent.host_bytes <= delivered.min(limit(LimitId::CumulativeHostBytes)));
    assert!(calls.len() as u64 <= limit(LimitId::HostCalls));
}

/// The budgets against a model of three counters.
pub fn accounting(data: &[u8]) {
    let policy = CodeModePolicy::default();
    let limit = |id: LimitId| policy.value(id);
    let mut accounting = Accounting::new(&policy);
    let (mut calls, mut outstanding, mut pages, mut snapshots, mut bytes) = (0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
    for pair in data.chunks(2) {
        let argument = pair.get(1).copied().unwrap_or_default();
        match pair.first().copied().unwrap_or_default() % 4 {
            0 => {
                let arrived = accounting.arrived();
                if calls == limit(LimitId::HostCalls) {
                    assert_eq!(arrived.map_err(|e| e.code), Err(Code::HostCallsLimit));
                    return;
                }
                calls += 1;
                if outstanding == limit(LimitId::HostConcurrency) {
                    assert_eq!(arrived.map_err(|e| e.code), Err(Code::HostConcurrencyLimit));
                    return;
                }
                assert_eq!(arrived, Ok(()));
                outstanding += 1;
            }
            1 => {
                let operation: OperationId = OPERATIONS[argument as usize % OPERATIONS.len()].id;
                let (used, limit) = match operation.entry().class {
                    Class::Page => (&mut pages, limit(LimitId::Pages)),
                    Class::Snapshot => (&mut snapshots, limit(LimitId::Snapshots)),
                };
                assert_eq!(accounting.reserve(operation).is_ok(), *used < limit);
                *used = (*used + 1).min(limit);
            }
            2 => {
                let size = u64::from(argument) * 600;
                let fits =
                    size <= limit(LimitId::HostResultBytes) && bytes + size <= limit(LimitId::CumulativeHostBytes);
                assert_eq!(accounting.deliver(size).is_ok(), fits);
                bytes += if fits { size } else { 0 };
            }
            _ => {
                accounting.answered();
                outstanding = outstanding.saturating_sub(1);
            }
        }
        assert_eq!(accounting.outstanding(), outstanding);
    }
    let spent = accounting.spent();
    assert_eq!((spent.host_calls, spent.pages, spent.snapshots, spent.host_bytes), (calls, pages, snapshots, bytes));
}

/// Whatever a policy file says, an accepted policy is within every row of the budget table.
pub fn policy(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(policy) = CodeModePolicy::parse(text) else { return };
    policy.validate().expect("an accepted policy is valid");
    policy.worker_limits().validate().expect("and so is the worker's share");
}

/// Bytes read as steps of a session.
struct Input<'a>(&'a [u8]);

enum Step {
    Frame(Vec<u8>),
    Answer { which: usize, bytes: Option<usize> },
}

impl Input<'_> {
    /// A step: a frame given whole (0), a call with the next bytes as number and operation (1), an answer (2), a failure (3).
    fn step(&mut self) -> Option<Step> {
        Some(match self.byte()? % 4 {
            0 => {
                let length = usize::from(self.byte()?) * 16 + usize::from(self.byte()?);
                let (frame, rest) = self.0.split_at(length.min(self.0.len()));
                self.0 = rest;
                Step::Frame(frame.to_vec())
            }
            1 => {
                let (call, operation) = (self.byte()?, usize::from(self.byte()?));
                let tool = OPERATIONS[operation % OPERATIONS.len()].tool;
                Step::Frame(
                    format!(
                        r#"{{"type":"host_call","invocation":1,"call":{call},"operation":"{tool}","arguments":{{}}}}"#
                    )
                    .into_bytes(),
                )
            }
            2 => Step::Answer { which: usize::from(self.byte()?), bytes: Some(usize::from(self.byte()?) * 300) },
            _ => Step::Answer { which: usize::from(self.byte()?), bytes: None },
        })
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }
}
