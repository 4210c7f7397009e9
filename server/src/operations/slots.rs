//! The server's slots for host operations: how many run at once, and who comes next (I5).
//!
//! A queue in order of arrival would let one invocation with four slow calls keep three others waiting. So a free slot
//! goes to the waiting invocation that holds the fewest, and an invocation's second and further slots leave one free
//! for each invocation that holds none, up to half of all. With at least as many slots as invocations, the first call
//! of every invocation finds a slot at once, whatever the others do.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::oneshot;
use wit_worker::registry::Code;

use super::{OperationContext, OperationError};

/// All slots of one server.
#[derive(Debug)]
pub(crate) struct Slots {
    capacity: usize,
    /// Invocations that may run at once.
    askers: usize,
    next: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    free: usize,
    /// Slots by who holds them; whoever holds none is absent.
    held: HashMap<u64, usize>,
    /// In order of arrival.
    waiting: VecDeque<Waiter>,
}

#[derive(Debug)]
struct Waiter {
    asker: u64,
    grant: oneshot::Sender<Slot>,
}

/// Whoever asks for slots: one invocation, or one call in direct mode.
#[derive(Debug, Clone)]
pub(crate) struct Asker {
    slots: Arc<Slots>,
    id: u64,
}

/// One slot; given back when dropped.
#[derive(Debug)]
pub(crate) struct Slot(Asker);

impl Slots {
    /// So many slots, for so many invocations at once.
    pub(crate) fn new(capacity: usize, askers: usize) -> Arc<Self> {
        let state = State { free: capacity, held: HashMap::new(), waiting: VecDeque::new() };
        Arc::new(Self { capacity, askers, next: AtomicU64::new(0), state: Mutex::new(state) })
    }

    /// Someone new.
    pub(crate) fn asker(self: &Arc<Self>) -> Asker {
        Asker { slots: Arc::clone(self), id: self.next.fetch_add(1, Ordering::Relaxed) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands out what is free.
    fn grant(self: &Arc<Self>) {
        loop {
            let mut state = self.lock();
            // Whoever has stopped waiting would only give it back.
            state.waiting.retain(|waiter| !waiter.grant.is_closed());
            let Some(index) = state.next(self.capacity, self.askers) else { return };
            let Some(waiter) = state.waiting.remove(index) else { return };
            state.free -= 1;
            *state.held.entry(waiter.asker).or_default() += 1;
            drop(state);
            // One that stopped in this moment gives it back as it is dropped, and the loop goes on.
            drop(waiter.grant.send(Slot(Asker { slots: Arc::clone(self), id: waiter.asker })));
        }
    }
}

impl State {
    fn held(&self, asker: u64) -> usize {
        self.held.get(&asker).copied().unwrap_or_default()
    }

    /// The place in the queue of whoever is next.
    fn next(&self, capacity: usize, askers: usize) -> Option<usize> {
        let left = self.free.checked_sub(1)?;
        let kept = askers.saturating_sub(self.held.len()).min(capacity / 2);
        let waiting = self.waiting.iter().map(|waiter| self.held(waiter.asker)).enumerate();
        let allowed = waiting.filter(|(_, held)| *held == 0 || left >= kept);
        // The first of those that hold the fewest.
        allowed.min_by_key(|(_, held)| *held).map(|(index, _)| index)
    }
}

impl Asker {
    /// Waits for a slot. Cancel safe.
    async fn slot(&self) -> Result<Slot, OperationError> {
        let (grant, slot) = oneshot::channel();
        self.slots.lock().waiting.push_back(Waiter { asker: self.id, grant });
        self.slots.grant();
        // The sender is only ever dropped by a grant.
        slot.await.map_err(|_| cancelled())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let Asker { slots, id } = &self.0;
        let mut state = slots.lock();
        state.free += 1;
        if let Some(held) = state.held.get_mut(id) {
            *held -= 1;
            if *held == 0 {
                state.held.remove(id);
            }
        }
        drop(state);
        slots.grant();
    }
}

/// Runs one operation in a slot, within its own time.
///
/// It waits for a slot for at most half of that time: what would begin later could hardly finish, and whoever holds
/// the slots may do so for as long. The slot belongs to the context, so work that was abandoned gives it back only when
/// it has really ended. The call is dropped, and thereby ended, when it is cancelled or its time is up;
/// a host that watches its own deadline is usually faster.
///
/// # Errors
/// `server_host_operations_limit` when no slot became free, `cancelled`, `deadline_exceeded`, or the call's own.
pub(crate) async fn in_slot<T>(
    asker: &Asker,
    context: &OperationContext,
    call: impl Future<Output = Result<T, OperationError>>,
) -> Result<T, OperationError> {
    let patience = context.deadline().saturating_duration_since(Instant::now()) / 2;
    let slot = tokio::select! {
        biased;
        () = context.cancellation().cancelled() => return Err(cancelled()),
        slot = asker.slot() => slot?,
        () = tokio::time::sleep(patience) => return Err(told(Code::ServerHostOperationsLimit)),
    };
    context.occupy(slot);
    tokio::select! {
        biased;
        () = context.cancellation().cancelled() => Err(cancelled()),
        outcome = call => outcome,
        () = tokio::time::sleep_until(context.deadline().into()) => Err(OperationError::new(
            Code::DeadlineExceeded,
            "the host operation did not finish in its time; try again later",
        )),
    }
}

fn told(code: Code) -> OperationError {
    let entry = code.entry();
    OperationError::new(code, format!("{} {}", entry.meaning, entry.next))
}

pub(crate) fn cancelled() -> OperationError {
    OperationError::new(Code::Cancelled, "the request was cancelled")
}

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    use proptest::prelude::*;

    use super::*;

    type Wait<'a> = Pin<Box<dyn Future<Output = Result<Slot, OperationError>> + 'a>>;

    fn poll(wait: &mut Wait<'_>) -> Option<Slot> {
        match wait.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(slot) => slot.ok(),
            Poll::Pending => None,
        }
    }

    fn ask(asker: &Asker) -> Wait<'_> {
        Box::pin(asker.slot())
    }

    #[test]
    fn a_greedy_invocation_leaves_a_slot_for_each_of_the_others() {
        let slots = Slots::new(8, 4);
        let askers: Vec<_> = (0..4).map(|_| slots.asker()).collect();
        let mut kept = Vec::new();
        let mut waits = Vec::new();
        for (asker, expected) in askers.iter().zip([4, 2, 1, 1]) {
            for _ in 0..4 {
                let mut wait = ask(asker);
                match poll(&mut wait) {
                    Some(slot) => kept.push(slot),
                    None => waits.push(wait),
                }
            }
            assert_eq!(slots.lock().held(asker.id), expected);
        }
        // What is given back goes to whoever has the fewest, not to whoever came first.
        drop(kept.remove(0));
        let held: Vec<_> = askers.iter().map(|asker| slots.lock().held(asker.id)).collect();
        assert_eq!(held, [3, 2, 2, 1]);
        drop(kept.remove(0));
        let held: Vec<_> = askers.iter().map(|asker| slots.lock().held(asker.id)).collect();
        assert_eq!(held, [2, 2, 2, 2]);
        drop(waits);
        assert_eq!(slots.lock().held.values().sum::<usize>(), 6, "granted and never picked up: given back");
    }

    #[test]
    fn whoever_stops_waiting_is_passed_over() {
        let slots = Slots::new(1, 4);
        let [one, two, three] = [slots.asker(), slots.asker(), slots.asker()];
        let mut first = pin!(one.slot());
        let Poll::Ready(Ok(slot)) = first.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("it is free")
        };
        let (mut second, mut third) = (ask(&two), ask(&three));
        assert!(poll(&mut second).is_none() && poll(&mut third).is_none());
        drop(second);
        drop(slot);
        assert!(poll(&mut third).is_some());
        let state = slots.lock();
        assert_eq!((state.free, state.waiting.len()), (1, 0));
    }

    proptest! {
        /// No slot is lost or given twice, and nobody without one waits while one is free.
        #[test]
        fn slots_are_conserved(
            capacity in 1_usize..10,
            count in 1_usize..6,
            acts in prop::collection::vec((0_usize..6, 0_u8..3), 0..120),
        ) {
            let slots = Slots::new(capacity, count);
            let askers: Vec<_> = (0..count).map(|_| slots.asker()).collect();
            let mut kept: Vec<Slot> = Vec::new();
            let mut waits: Vec<Wait<'_>> = Vec::new();
            for (which, act) in acts {
                match act {
                    0 => if let Some(asker) = askers.get(which % count) {
                        let mut wait = ask(asker);
                        match poll(&mut wait) { Some(slot) => kept.push(slot), None => waits.push(wait) }
                    },
                    1 if !kept.is_empty() => drop(kept.swap_remove(which % kept.len())),
                    2 if !waits.is_empty() => drop(waits.swap_remove(which % waits.len())),
                    _ => {}
                }
                let mut index = 0;
                while index < waits.len() {
                    match waits.get_mut(index).and_then(poll) {
                        Some(slot) => { kept.push(slot); drop(waits.swap_remove(index)); }
                        None => index += 1,
                    }
                }
                let state = slots.lock();
                prop_assert_eq!(state.held.values().sum::<usize>(), kept.len());
                prop_assert_eq!(state.free + kept.len(), capacity);
                let starved = state.waiting.iter().any(|w| !w.grant.is_closed() && state.held(w.asker) == 0);
                prop_assert!(!(starved && state.free > 0));
            }
        }
    }
}
