//! Capacity and spare workers (I1): each used once, replaced off the hot path, never in an invocation's way.
//!
//! Permits are taken without waiting. A spare counts as a worker, and only room nobody uses is filled with spares,
//! so an invocation that has a permit always finds either a spare or room for a worker of its own.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use wit_worker::registry::{Code, LimitId};

use super::process::{Pulse, Worker};
use super::start::Starter;
use crate::codemode::verdict;
use crate::codemode::worker::{WorkerProcess as _, lock};
use crate::envelope::ErrorEnvelope;

/// A spare nobody wanted for this long is ended: an idle server then holds no worker's memory.
const SPARE_IDLE: Duration = Duration::from_secs(300);

/// Calls closer together than this are a burst: a spare is then replaced as soon as it is taken.
const LOAD_WINDOW: Duration = Duration::from_millis(5);
/// Between bursts a spare is replaced this long after the invocation: its answer goes out first.
const ANSWER_FIRST: Duration = Duration::from_millis(1);

/// The part of a start's time that an invocation waits for a spare that is still starting. A start takes milliseconds;
/// one that takes this long has been stopped, or the machine is so busy that a second one costs little beside it.
const SPARE_PATIENCE: u32 = 4;

/// How long the end of the server waits for its workers to be reaped: killed, they take milliseconds.
const CLOSE_TIME: Duration = Duration::from_secs(2);

/// The workers of one server.
pub(super) struct Pool {
    pub(super) starter: Starter,
    workers: Arc<Semaphore>,
    maximum: usize,
    target: usize,
    spares: Mutex<Vec<Arc<Spare>>>,
    last_end: Mutex<Option<Instant>>,
    closing: CancellationToken,
    /// Everything that starts or watches over a spare; none outlives [`Pool::close`].
    tasks: TaskTracker,
}

/// A worker started ahead of time.
struct Spare {
    state: Mutex<State>,
    /// The state has left `Starting`.
    started: Notify,
    /// An invocation, or the end of the server, has emptied it, or given up waiting for it.
    taken: Notify,
}

enum State {
    Starting,
    Ready(Box<Worker>, Pulse),
    Gone,
}

/// A spare taken out of the pool and not yet in use. Dropped before that, because the invocation was cancelled, it
/// puts the spare back or ends it, so that it is neither lost nor uncounted.
struct Claim<'a> {
    pool: &'a Pool,
    spare: Option<Arc<Spare>>,
}

impl Claim<'_> {
    async fn take(mut self, patience: Duration) -> Option<Worker> {
        let worker = match &self.spare {
            Some(spare) => match tokio::time::timeout(patience, spare.take()).await {
                Ok(worker) => worker,
                Err(_) => spare.give_up(),
            },
            None => None,
        };
        self.spare = None;
        worker
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let Some(spare) = self.spare.take() else { return };
        let mut spares = lock(&self.pool.spares);
        if spares.len() < self.pool.target {
            spares.push(spare);
        } else {
            // Its place has been filled meanwhile. A worker that was ready is killed and reaped by the janitor.
            drop(spares);
            drop(spare.give_up());
        }
    }
}

/// A worker and the permit it runs under.
pub(super) struct Lease {
    pub(super) worker: Worker,
    pub(super) permit: OwnedSemaphorePermit,
    /// The worker was started ahead of time and has waited.
    pub(super) spare: bool,
}

impl Pool {
    pub(super) fn new(starter: Starter) -> Arc<Self> {
        let count = |id| usize::try_from(starter.policy.value(id)).unwrap_or(usize::MAX);
        let maximum = count(LimitId::Workers);
        let target = count(LimitId::SpareWorkers);
        Arc::new(Self {
            workers: Arc::new(Semaphore::new(maximum)),
            maximum,
            target,
            spares: Mutex::default(),
            last_end: Mutex::default(),
            closing: CancellationToken::new(),
            tasks: TaskTracker::new(),
            starter,
        })
    }

    /// A ready worker. Under load a spare is started in its place at once, otherwise when the invocation has ended.
    ///
    /// # Errors
    /// `server_workers_limit` at once when all are busy; otherwise what starting one says.
    pub(super) async fn lease(self: &Arc<Self>) -> Result<Lease, ErrorEnvelope> {
        let began = Instant::now();
        let permit = Arc::clone(&self.workers)
            .try_acquire_owned()
            .map_err(|_| verdict::capacity(Code::ServerWorkersLimit, LimitId::Workers, &self.starter.policy))?;
        let claim = lock(&self.spares).pop().map(|spare| Claim { pool: self, spare: Some(spare) });
        if self.is_under_load() {
            self.refill();
        }
        if let Some(claim) = claim
            && let Some(worker) = claim.take(self.starter.time() / SPARE_PATIENCE).await
        {
            return Ok(Lease { worker, permit, spare: true });
        }
        // The wait for a spare that never came up counts: one start's time is all an invocation gives.
        let worker = self.starter.start(self.starter.time().saturating_sub(began.elapsed())).await?;
        Ok(Lease { worker, permit, spare: false })
    }

    /// Whether another invocation runs, or one has only just ended: the next will then want its spare soon, and its
    /// start is better begun now. Otherwise it would only take the processor from the invocation at hand.
    fn is_under_load(&self) -> bool {
        let others = self.maximum.saturating_sub(self.workers.available_permits()) > 1;
        others || lock(&self.last_end).is_some_and(|end| end.elapsed() < LOAD_WINDOW)
    }

    /// An invocation has ended: its spare is replaced once its answer is on its way.
    pub(super) fn ended(self: &Arc<Self>) {
        *lock(&self.last_end) = Some(Instant::now());
        let pool = Arc::clone(self);
        self.tasks.spawn(async move {
            tokio::select! {
                () = tokio::time::sleep(ANSWER_FIRST) => pool.refill(),
                () = pool.closing.cancelled() => {}
            }
        });
    }

    /// Fills free room with spares, up to the policy's number.
    pub(super) fn refill(self: &Arc<Self>) {
        if self.closing.is_cancelled() {
            return;
        }
        let mut spares = lock(&self.spares);
        let busy = self.maximum.saturating_sub(self.workers.available_permits());
        while spares.len() < self.target && busy + spares.len() < self.maximum {
            let spare =
                Arc::new(Spare { state: Mutex::new(State::Starting), started: Notify::new(), taken: Notify::new() });
            spares.push(Arc::clone(&spare));
            self.tasks.spawn(Arc::clone(self).keep(spare));
        }
    }

    /// Starts one spare and watches over it until it is taken, dies, or has waited too long.
    async fn keep(self: Arc<Self>, spare: Arc<Spare>) {
        let starting = async {
            let worker = self.starter.start(self.starter.time()).await?;
            let eyes = worker.watch().and_then(|watch| Ok((watch, worker.pulse()?)));
            let (watch, pulse) = eyes.map_err(|_| verdict::spawn_failed())?;
            Ok((worker, watch, pulse))
        };
        let started = tokio::select! {
            started = starting => started,
            // Let go midway, what has been created is killed and reaped by the factory's own threads.
            () = self.closing.cancelled() => Err(verdict::cancelled()),
            () = spare.taken.notified() => Err(verdict::cancelled()),
        };
        let Ok((worker, watch, pulse)) = started else {
            // Whoever needs a worker next learns why, by starting one itself.
            spare.failed();
            self.forget(&spare);
            return;
        };
        if let Some(unwanted) = spare.ready(worker, pulse) {
            return unwanted.end().await;
        }
        tokio::select! {
            () = spare.taken.notified() => return,
            () = self.closing.cancelled() => {}
            _ = watch.readable() => tracing::warn!("a spare worker died"),
            () = tokio::time::sleep(SPARE_IDLE) => {}
        }
        self.forget(&spare);
        spare.retire().await;
    }

    fn forget(&self, spare: &Arc<Spare>) {
        lock(&self.spares).retain(|other| !Arc::ptr_eq(other, spare));
    }

    /// Ends all spares, waits for the workers in use to be given back, and ends the factory. No worker is left.
    pub(super) async fn close(&self) {
        self.closing.cancel();
        self.tasks.close();
        let _ = tokio::time::timeout(CLOSE_TIME, self.tasks.wait()).await;
        let all = u32::try_from(self.maximum).unwrap_or(u32::MAX);
        let _ = tokio::time::timeout(CLOSE_TIME, self.workers.acquire_many(all)).await;
        self.workers.close();
    }
}

impl Spare {
    fn failed(&self) {
        *lock(&self.state) = State::Gone;
        self.started.notify_one();
    }

    /// Keeps the worker for whoever comes; gives it back when it has been given up meanwhile.
    fn ready(&self, worker: Worker, pulse: Pulse) -> Option<Worker> {
        let mut state = lock(&self.state);
        if !matches!(*state, State::Starting) {
            return Some(worker);
        }
        *state = State::Ready(Box::new(worker), pulse);
        drop(state);
        self.started.notify_one();
        None
    }

    /// The worker, once it has started; nothing if it could not start, or has been killed or stopped since.
    async fn take(&self) -> Option<Worker> {
        loop {
            {
                let mut state = lock(&self.state);
                match std::mem::replace(&mut *state, State::Gone) {
                    State::Starting => *state = State::Starting,
                    State::Gone => return None,
                    State::Ready(worker, pulse) => {
                        self.taken.notify_one();
                        // Dropped, it is killed and reaped by the janitor.
                        return pulse.beats().then_some(*worker);
                    }
                }
            }
            self.started.notified().await;
        }
    }

    /// Nobody waits for it any more. It may have become ready in this very moment.
    fn give_up(&self) -> Option<Worker> {
        let state = std::mem::replace(&mut *lock(&self.state), State::Gone);
        self.taken.notify_one();
        match state {
            State::Ready(worker, _) => Some(*worker),
            State::Starting | State::Gone => None,
        }
    }

    async fn retire(&self) {
        let state = std::mem::replace(&mut *lock(&self.state), State::Gone);
        self.taken.notify_one();
        if let State::Ready(worker, _) = state {
            worker.end().await;
        }
    }
}
