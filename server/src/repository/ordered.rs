//! Work done in parallel and delivered in order, with a bound on what waits in memory.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};

/// Items a thread takes at a time: neighbours tend to share delta bases.
const STRIDE: usize = 32;
/// Bytes of results that a thread hands over together. Most results are small, and each handing over wakes the others.
const BATCH_BYTES: u64 = 512 << 10;

struct State<T, E> {
    next: usize,
    delivered: usize,
    waiting: BTreeMap<usize, (T, u64)>,
    waiting_bytes: u64,
    failure: Option<E>,
}

/// Computes `work(index)` for `0..count` on `threads` threads and passes the results to `deliver` in order of index, on
/// the calling thread. `work` says how many bytes its result holds; threads pause while more than `budget` bytes wait,
/// except for the one whose result is needed next. The first failure of either ends everything.
pub(super) fn in_order<W, T: Send, E: Send>(
    count: usize,
    threads: usize,
    budget: u64,
    worker: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, usize) -> Result<(T, u64), E> + Sync,
    mut deliver: impl FnMut(usize, T) -> Result<(), E>,
) -> Result<(), E> {
    let state = Mutex::new(State { next: 0, delivered: 0, waiting: BTreeMap::new(), waiting_bytes: 0, failure: None });
    let changed = Condvar::new();
    // Each section below leaves the state whole, so a panic elsewhere doesn't spoil it.
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let run = || {
        let _alarm = Alarm { state: &state, changed: &changed, count };
        let mut own = worker();
        loop {
            let begin = {
                let mut state = lock();
                let begin = state.next;
                state.next = (begin + STRIDE).min(count);
                if begin >= count || state.failure.is_some() {
                    return;
                }
                begin
            };
            let end = (begin + STRIDE).min(count);
            let mut index = begin;
            while index < end {
                let (first, mut batch, mut batch_bytes, mut failure) = (index, Vec::new(), 0, None);
                while index < end && batch_bytes < BATCH_BYTES.min(budget) && failure.is_none() {
                    match work(&mut own, index) {
                        Ok((value, bytes)) => {
                            batch.push((value, bytes));
                            batch_bytes += bytes;
                            index += 1;
                        }
                        Err(error) => failure = Some(error),
                    }
                }
                let mut state = lock();
                while state.failure.is_none() && state.delivered < first && state.waiting_bytes + batch_bytes > budget {
                    state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                state.waiting_bytes += batch_bytes;
                state.waiting.extend(batch.into_iter().enumerate().map(|(offset, result)| (first + offset, result)));
                if let Some(failure) = failure {
                    state.failure.get_or_insert(failure);
                }
                changed.notify_all();
                if state.failure.is_some() {
                    return;
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.min(count.div_ceil(STRIDE)).max(1) {
            scope.spawn(run);
        }
        let outcome = (|| {
            let mut index = 0;
            while index < count {
                let ready: Vec<T> = {
                    let mut state = lock();
                    while !state.waiting.contains_key(&index) && state.failure.is_none() {
                        state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                    }
                    if state.failure.is_some() {
                        return Ok(());
                    }
                    let mut ready = Vec::new();
                    while let Some((value, bytes)) = state.waiting.remove(&(index + ready.len())) {
                        state.waiting_bytes -= bytes;
                        ready.push(value);
                    }
                    state.delivered = index + ready.len();
                    changed.notify_all();
                    ready
                };
                for value in ready {
                    deliver(index, value)?;
                    index += 1;
                }
            }
            Ok(())
        })();
        if let Err(error) = outcome {
            lock().failure.get_or_insert(error);
        }
        changed.notify_all();
    });
    match state.into_inner().unwrap_or_else(PoisonError::into_inner).failure {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Wakes everyone when a thread ends, so that a panicking one can't leave the others waiting for its result.
struct Alarm<'a, T, E> {
    state: &'a Mutex<State<T, E>>,
    changed: &'a Condvar,
    count: usize,
}

impl<T, E> Drop for Alarm<'_, T, E> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The scope re-raises the panic once all threads are gone; stop handing out work, and stop waiting.
            self.state.lock().unwrap_or_else(PoisonError::into_inner).next = self.count;
        }
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delivers_in_order_within_the_budget() {
        let mut seen = Vec::new();
        let outcome: Result<(), ()> = in_order(
            1000,
            4,
            100,
            || (),
            |(), index| Ok((index * 2, 7)),
            |index, value| {
                seen.push((index, value));
                Ok(())
            },
        );
        assert_eq!(outcome, Ok(()));
        assert_eq!(seen, (0..1000).map(|index| (index, index * 2)).collect::<Vec<_>>());
    }

    #[test]
    fn the_first_failure_ends_it() {
        let work = |(): &mut (), index: usize| if index == 500 { Err("work") } else { Ok((index, 1)) };
        assert_eq!(in_order(1000, 3, 10, || (), work, |_, _| Ok(())), Err("work"));
        let deliver = |index, _| if index == 10 { Err("deliver") } else { Ok(()) };
        assert_eq!(in_order(1000, 3, 10, || (), |(), index| Ok((index, 1)), deliver), Err("deliver"));
        assert_eq!(in_order(0, 3, 10, || (), |(), _| Err::<((), u64), _>("none"), |_, ()| Ok(())), Ok(()));
    }
}
