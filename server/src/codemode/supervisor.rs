//! One invocation from its permit to its verdict: send, pump frames, keep the clock, kill, reap (I5, I10).
//!
//! The worker is hostile until proved dead: whatever it does, one of the branches below ends the invocation, and
//! every way out leaves no process, no host operation and no permit behind.

use std::future::Future;
use std::num::NonZeroU64;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use tokio_util::sync::{CancellationToken, DropGuard};
use wit_worker::protocol::{CallId, InvocationId, ProtocolViolation};
use wit_worker::registry::{LimitId, OperationId};

use super::clock::ScriptClock;
use super::ready::WATCHDOG_SLACK;
use super::session::{Ended, Event, Session};
use super::worker::WorkerProcess;
use super::{CodeModePolicy, Success, UsageReport, milliseconds, verdict};
use crate::envelope::ErrorEnvelope;
use crate::operations::{Asker, HostOperations, OperationContext, OperationError, Surface, in_slot};

/// How long a worker may take to exit after its result before it is killed; the result stands.
const EXIT_GRACE: Duration = Duration::from_millis(100);
/// How long the exit status may take to show after the worker has closed its output.
const STATUS_GRACE: Duration = Duration::from_millis(250);
/// How often a spare that was given a script, and has not yet taken a byte of it, is looked at.
const PICK_UP_LOOK: Duration = Duration::from_millis(20);
/// Bytes read from a worker at a time.
const READ_BYTES: usize = 16 * 1024;

/// What an invocation needs of the server.
pub(super) struct Surroundings<'a> {
    pub(super) policy: &'a Arc<CodeModePolicy>,
    pub(super) operations: &'a Arc<dyn HostOperations>,
    pub(super) asker: &'a Asker,
    pub(super) cancellation: &'a CancellationToken,
    /// The worker has waited idle: it may have been killed or stopped before it was given anything.
    pub(super) spare: bool,
}

/// What came of giving a script to a worker.
pub(super) enum Outcome {
    /// The invocation has ended.
    Ended(Result<Success, ErrorEnvelope>),
    /// The worker, a spare, was dead or stopped before it took the first byte of the script, and said nothing. It is
    /// gone now, and the script has not run: it may be given to another worker (I1: none runs twice).
    Untouched,
}

/// Why the conversation ended before a result.
enum Stop {
    Verdict(ErrorEnvelope),
    /// As [`Outcome::Untouched`].
    Untouched,
}

impl From<ErrorEnvelope> for Stop {
    fn from(verdict: ErrorEnvelope) -> Self {
        Self::Verdict(verdict)
    }
}

type HostFuture<'a> = Pin<Box<dyn Future<Output = HostOutcome> + Send + 'a>>;
type HostOutcome = (CallId, Result<Box<RawValue>, OperationError>, Duration);

/// One invocation in progress.
struct Invocation<'a> {
    around: Surroundings<'a>,
    session: Session,
    clock: ScriptClock,
    outgoing: Vec<u8>,
    /// Bytes that have entered the worker's pipe.
    sent: u64,
    /// Whether the worker has said anything since it was given the script.
    heard: bool,
    host: Vec<HostFuture<'a>>,
    host_time: Duration,
    diagnostics: Diagnostics,
    /// Cancels the host operations when the invocation ends, however it ends.
    operations: CancellationToken,
    _guard: DropGuard,
}

/// What is kept of stderr: a capped count and a bit (I7).
struct Diagnostics {
    bytes: u64,
    limit: u64,
    truncated: bool,
    open: bool,
}

impl Diagnostics {
    fn count(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        if self.bytes > self.limit {
            self.bytes = self.limit;
            self.truncated = true;
        }
    }
}

/// What one look at a worker's output gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Read {
    /// Bytes, now in the decoder.
    Some,
    /// Nothing at the moment.
    Nothing,
    /// The end of the output.
    End,
}

/// Runs one script in this worker, and ends the worker.
pub(super) async fn run(mut worker: impl WorkerProcess, source: &str, around: Surroundings<'_>) -> Outcome {
    let policy = Arc::clone(around.policy);
    let cancellation = around.cancellation.clone();
    let opened = random_invocation().and_then(|invocation| {
        let session = Session::new(Arc::clone(&policy), invocation);
        session.opening(source).map(|opening| (session, opening))
    });
    let (session, opening) = match opened {
        Ok(opened) => opened,
        Err(verdict) => return Outcome::Ended(Err(verdict)),
    };
    let operations = cancellation.child_token();
    let mut invocation = Invocation {
        session,
        clock: ScriptClock::start(Duration::from_millis(policy.value(LimitId::WallMs))),
        outgoing: opening,
        sent: 0,
        // Half a frame may have come behind `ready`.
        heard: worker.decoder().is_mid_frame(),
        host: Vec::new(),
        host_time: Duration::ZERO,
        diagnostics: Diagnostics {
            bytes: 0,
            limit: policy.value(LimitId::DiagnosticsBytes),
            truncated: false,
            open: true,
        },
        _guard: operations.clone().drop_guard(),
        operations,
        around,
    };
    let outcome = invocation.drive(&mut worker).await;
    invocation.operations.cancel();
    // Facts are taken before the kill: it must not change the verdict that caused it.
    let (cancelled, late) = (cancellation.is_cancelled(), invocation.clock.is_over());
    let outcome = match outcome {
        Ok(ended) => invocation.settle(&mut worker, ended, late).await,
        Err(Stop::Verdict(verdict)) => Err(verdict),
        Err(Stop::Untouched) if cancelled => Err(verdict::cancelled()),
        // It was stopped, perhaps. Whether it took anything before the kill only its pipe can tell, once it is dead.
        Err(Stop::Untouched) => match invocation.untouched_after_kill(&mut worker).await {
            true => return Outcome::Untouched,
            false => Err(verdict::exited(verdict::Exit::Signal(verdict::SIGKILL), &policy)),
        },
    };
    worker.end().await;
    Outcome::Ended(outcome.map_err(|verdict| verdict::strongest(verdict, cancelled, late, &policy)))
}

fn random_invocation() -> Result<InvocationId, ErrorEnvelope> {
    let random = getrandom::u64().map_err(|_| verdict::spawn_failed())?;
    Ok(InvocationId(NonZeroU64::new(random).unwrap_or(NonZeroU64::MAX)))
}

impl Invocation<'_> {
    /// Pumps frames until the script has ended or a verdict is due.
    async fn drive(&mut self, worker: &mut impl WorkerProcess) -> Result<Ended, Stop> {
        let cancellation = self.around.cancellation.clone();
        let mut output_open = true;
        // CPU time grows no faster than time passes, so the first look can wait as long as the budget.
        let allowance = Duration::from_millis(self.around.policy.value(LimitId::WallMs)) + WATCHDOG_SLACK;
        let mut cpu_look = Instant::now() + allowance;
        let mut pick_up_look = self.around.spare.then(|| Instant::now() + PICK_UP_LOOK);
        // Bytes that came with `ready` are judged like any others.
        if let Some(ended) = self.judge(worker)? {
            return Ok(ended);
        }
        self.write(worker);
        loop {
            tokio::select! {
                biased;
                () = cancellation.cancelled() => return Err(verdict::cancelled().into()),
                () = self.clock.watchdog(WATCHDOG_SLACK) => return Err(verdict::deadline(self.around.policy).into()),
                // The clock stands while a host operation is outstanding; a worker that computes meanwhile is seen here.
                () = tokio::time::sleep_until(cpu_look.into()) => match worker.cpu_time() {
                    Some(used) if used < allowance => cpu_look = Instant::now() + (allowance - used),
                    _ => return Err(verdict::deadline(self.around.policy).into()),
                },
                () = at(pick_up_look) => {
                    pick_up_look = self.is_untouched(worker).then(|| Instant::now() + PICK_UP_LOOK);
                    if pick_up_look.is_some() && worker.is_stopped() {
                        return Err(Stop::Untouched);
                    }
                }
                readable = worker.output_ready(), if output_open => {
                    if !readable || self.read(worker)? == Read::End {
                        output_open = false;
                    }
                    if let Some(ended) = self.judge(worker)? {
                        return Ok(ended);
                    }
                    if !output_open {
                        return Err(self.after_end_of_output(worker).await);
                    }
                    self.write(worker);
                }
                (call, outcome, took) = next(&mut self.host), if !self.host.is_empty() => {
                    self.host_time += took;
                    let bytes = self.session.answer(call, outcome, took);
                    self.outgoing.extend_from_slice(&bytes);
                    self.keep_clock();
                    self.write(worker);
                }
                () = worker.input_ready(), if !self.outgoing.is_empty() && worker.has_input() => self.write(worker),
                readable = worker.diagnostics_ready(), if self.diagnostics.open => {
                    self.diagnostics.open = readable && self.drain(worker);
                }
                () = worker.exited() => {
                    // Everything it wrote is in the pipe by now; whoever else holds the pipe is not waited for.
                    while self.read(worker)? == Read::Some {
                        if let Some(ended) = self.judge(worker)? {
                            return Ok(ended);
                        }
                    }
                    return Err(self.after_end_of_output(worker).await);
                }
            }
        }
    }

    /// Reads once, without waiting.
    fn read(&mut self, worker: &mut impl WorkerProcess) -> Result<Read, ErrorEnvelope> {
        let mut buffer = [0_u8; READ_BYTES];
        match worker.read_output(&mut buffer) {
            Ok(0) => Ok(Read::End),
            Ok(count) => {
                self.heard = true;
                worker.decoder().push(buffer.get(..count).unwrap_or_default());
                Ok(Read::Some)
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(Read::Nothing),
            Err(_) => Err(verdict::protocol(&ProtocolViolation::OutOfOrder("the worker's output cannot be read"))),
        }
    }

    /// Judges every whole frame that has arrived.
    fn judge(&mut self, worker: &mut impl WorkerProcess) -> Result<Option<Ended>, ErrorEnvelope> {
        loop {
            let body = match worker.decoder().next_frame() {
                Ok(Some(body)) => body,
                Ok(None) => return Ok(None),
                Err(error) => return Err(verdict::protocol(&error.into())),
            };
            match self.session.frame(body, self.clock.since_start()).map_err(|verdict| *verdict)? {
                Event::Dispatch { call, operation, arguments } => self.dispatch(call, operation, arguments),
                Event::Reply(bytes) => self.outgoing.extend_from_slice(&bytes),
                Event::Done(ended) => return Ok(Some(*ended)),
            }
            self.keep_clock();
        }
    }

    /// The script's clock stands while a host operation is outstanding.
    fn keep_clock(&mut self) {
        if self.session.outstanding() == 0 {
            self.clock.resume();
        } else {
            self.clock.pause();
        }
    }

    fn dispatch(&mut self, call: CallId, operation: OperationId, arguments: Box<RawValue>) {
        let operations = Arc::clone(self.around.operations);
        let asker = self.around.asker;
        let time = Duration::from_millis(self.around.policy.value(LimitId::OperationMs));
        let context = OperationContext::new(time, self.operations.clone());
        self.host.push(Box::pin(async move {
            let began = Instant::now();
            let running = operations.call(operation, &arguments, Surface::CodeMode, &context);
            let outcome = in_slot(asker, &context, running).await;
            (call, outcome, began.elapsed())
        }));
    }

    /// Writes what the pipe takes now. A worker that does not read is not waited for here.
    fn write(&mut self, worker: &mut impl WorkerProcess) {
        while worker.has_input() && !self.outgoing.is_empty() {
            match worker.write_input(&self.outgoing) {
                Ok(count) => {
                    self.sent += count as u64;
                    self.outgoing.drain(..count);
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return,
                // It has closed its input: what it still says, or its exit, decides. Our end stays, for what lies
                // unread in the pipe.
                Err(_) => self.outgoing.clear(),
            }
        }
    }

    /// Whether a spare has been silent and every byte it was sent still lies in its pipe: then it cannot have begun
    /// with the script. The kernel says so, not the worker.
    fn is_untouched(&self, worker: &impl WorkerProcess) -> bool {
        self.around.spare && !self.heard && worker.unread_input() == Some(self.sent)
    }

    /// Ends the worker, and then looks once more: a stopped one could have been woken before the kill reached it.
    async fn untouched_after_kill(&mut self, worker: &mut impl WorkerProcess) -> bool {
        worker.kill().await;
        self.is_untouched(worker)
    }

    fn drain(&mut self, worker: &mut impl WorkerProcess) -> bool {
        let mut buffer = [0_u8; READ_BYTES];
        match worker.read_diagnostics(&mut buffer) {
            Ok(0) => false,
            Ok(count) => {
                self.diagnostics.count(count);
                true
            }
            Err(error) => error.kind() == std::io::ErrorKind::WouldBlock,
        }
    }

    /// The output has ended without a result: the exit status decides (attack rule 7).
    async fn after_end_of_output(&mut self, worker: &mut impl WorkerProcess) -> Stop {
        let _ = tokio::time::timeout(STATUS_GRACE, worker.exited()).await;
        match worker.take_exit() {
            Some(_) if self.is_untouched(worker) => Stop::Untouched,
            Some(exit) => verdict::exited(exit, self.around.policy).into(),
            None => {
                verdict::protocol(&ProtocolViolation::OutOfOrder("the worker closed its output and goes on")).into()
            }
        }
    }

    /// After the result: nothing may follow, and the worker must not end abnormally. A worker that merely hangs is
    /// killed and changes nothing.
    async fn settle(
        &mut self,
        worker: &mut impl WorkerProcess,
        ended: Ended,
        late: bool,
    ) -> Result<Success, ErrorEnvelope> {
        worker.close_input();
        self.host.clear();
        let _ = tokio::time::timeout(EXIT_GRACE, worker.exited()).await;
        // One byte is enough to judge by; reading on would let a worker fill the parent's memory (I5).
        if !worker.decoder().is_mid_frame() {
            self.read(worker)?;
        }
        while self.diagnostics.open && self.drain(worker) && !self.diagnostics.truncated {
            if tokio::time::timeout(Duration::ZERO, worker.diagnostics_ready()).await.is_err() {
                break;
            }
        }
        if worker.decoder().is_mid_frame() {
            return Err(verdict::protocol(&ProtocolViolation::OutOfOrder("bytes after the result")));
        }
        if let Some(exit) = worker.take_exit()
            && exit != verdict::Exit::Status(0)
        {
            return Err(verdict::exited(exit, self.around.policy));
        }
        let value = ended.outcome?;
        if late {
            return Err(verdict::deadline(self.around.policy));
        }
        let usage = self.report(&value, ended.usage);
        Ok(Success { value, usage, console: ended.console, notes: Vec::new() })
    }

    fn report(&mut self, value: &RawValue, usage: wit_worker::protocol::Usage) -> UsageReport {
        let (spent, calls) = self.session.report();
        UsageReport {
            javascript_ms: milliseconds(Duration::from_micros(usage.javascript_us)),
            host_ms: milliseconds(self.host_time),
            host_calls: spent.host_calls,
            pages: spent.pages,
            snapshots: spent.snapshots,
            host_bytes: spent.host_bytes,
            result_bytes: value.get().len() as u64,
            peak_heap_bytes: usage.peak_heap_bytes,
            diagnostic_bytes: self.diagnostics.bytes,
            diagnostic_truncated: self.diagnostics.truncated,
            calls,
        }
    }
}

/// Resolves at this instant; never without one.
async fn at(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant.into()).await,
        None => std::future::pending().await,
    }
}

/// The first host operation to finish.
async fn next(host: &mut Vec<HostFuture<'_>>) -> HostOutcome {
    std::future::poll_fn(|context| {
        for index in 0..host.len() {
            if let Some(future) = host.get_mut(index)
                && let std::task::Poll::Ready(outcome) = future.as_mut().poll(context)
            {
                drop(host.swap_remove(index));
                return std::task::Poll::Ready(outcome);
            }
        }
        std::task::Poll::Pending
    })
    .await
}
