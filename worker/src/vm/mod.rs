//! The JavaScript VM: one engine, one script, one outcome.
//!
//! [`Engine::new`] builds the engine and its bridge before the process locks down; [`Engine::run`] runs one script
//! and talks to the parent only through a [`Host`]. Jobs are pumped one at a time and the state of the body's promise
//! is observed natively after each, so that the outcome is fixed when it settles: no later job, thenable or host call
//! changes it. A script that awaits what nothing can settle is found out at once.
//!
//! Invariants kept here: I4 (no capability but `codemode`), I5 (the worker's share of the limits), I6 (codes decided
//! from facts), I9 (a result is whole or not at all).

mod bridge;
mod classes;
mod clock;
mod console;
mod drive;
mod errors;
mod help;
mod inspect;
mod intrinsics;
mod path;
mod raw;
mod serialize;
pub mod source;
mod suggest;
#[cfg(test)]
mod tests;
mod text;
mod verdict;

use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::time::Duration;

use rquickjs::{Context, Runtime};
use serde_json::value::RawValue;

use crate::protocol::message::HostError;
use crate::protocol::{CallId, Console, ScriptError, Usage};
use crate::registry::{Limits, OperationId};
use bridge::Bridge;
use clock::Clock;
use raw::{CountingAllocator, Heap};

/// The engine's name and version, as the linked library itself says it; what a report pins.
#[must_use]
pub fn engine() -> String {
    format!("QuickJS-NG {}", raw::engine_version())
}

/// The other end of the pipe, as the VM sees it.
pub trait Host {
    /// Takes one call to send, which may wait for [`Self::flush`]. `arguments` is strict JSON.
    ///
    /// # Errors
    /// When the host is gone.
    fn send(&mut self, call: CallId, operation: OperationId, arguments: &RawValue) -> Result<(), HostGone>;

    /// Sends what waits.
    ///
    /// # Errors
    /// When the host is gone.
    fn flush(&mut self) -> Result<(), HostGone>;

    /// Blocks until the answer to any outstanding call.
    ///
    /// # Errors
    /// When the host is gone, or breaks the protocol.
    fn receive(&mut self) -> Result<Answer, HostGone>;
}

/// The answer to one call.
#[derive(Debug)]
pub struct Answer {
    /// The call answered.
    pub call: CallId,
    /// Its value as strict JSON, or its failure.
    pub outcome: Result<Box<RawValue>, HostError>,
}

/// The host is gone or broke the protocol; there is nobody to report to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the host is gone")]
pub struct HostGone;

/// What became of a script.
#[derive(Debug)]
pub struct Outcome {
    /// The value as JSON, or the failure.
    pub result: Result<Box<RawValue>, ScriptError>,
    /// What the script printed.
    pub console: Console,
    /// What was measured.
    pub usage: Usage,
}

/// The engine could not be built.
#[derive(Debug, thiserror::Error)]
#[error("the JavaScript engine could not be built: {0}")]
pub struct EngineError(String);

/// An engine ready to run one script.
///
/// It is never freed: freeing an engine a script has left in disorder can assert, and a worker ends with its process.
/// Dropping one leaks its memory (about half a MiB, and what its script took).
pub struct Engine {
    runtime: ManuallyDrop<Runtime>,
    context: ManuallyDrop<Context>,
    bridge: ManuallyDrop<Rc<Bridge>>,
}

impl Engine {
    /// Builds the engine, `codemode` and `console`.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn new() -> Result<Self, EngineError> {
        let heap = Heap::new();
        let clock = Rc::new(Clock::new());
        let failed = |error: rquickjs::Error| EngineError(error.to_string());
        let runtime = Runtime::new_with_alloc(CountingAllocator(Rc::clone(&heap))).map_err(failed)?;
        let ticking = Rc::clone(&clock);
        runtime.set_interrupt_handler(Some(Box::new(move || ticking.expired())));
        let context = Context::full(&runtime).map_err(failed)?;
        let bridge = context.with(|ctx| Bridge::install(&ctx, heap, clock)).map_err(failed)?;
        Ok(Self {
            runtime: ManuallyDrop::new(runtime),
            context: ManuallyDrop::new(context),
            bridge: ManuallyDrop::new(bridge),
        })
    }

    /// Runs one script. An engine runs only one: it is taken, so that no state can pass from script to script (I1).
    ///
    /// # Errors
    /// [`HostGone`], when there is nobody to give an outcome to.
    pub fn run(self, source: &[u8], limits: Limits, host: &mut dyn Host) -> Result<Outcome, HostGone> {
        let bridge = &**self.bridge;
        bridge.set_limits(limits);
        let stack_bytes = usize::try_from(limits.stack_bytes).unwrap_or(usize::MAX);
        self.runtime.set_max_stack_size(stack_bytes);
        bridge.heap.limit_script(usize::try_from(limits.heap_bytes).unwrap_or(usize::MAX));
        bridge.clock.start(Duration::from_millis(limits.wall_ms));
        let result = self.context.with(|ctx| drive::drive(&ctx, bridge, source, stack_bytes, host))?;
        let javascript_us = u64::try_from(bridge.clock.elapsed().as_micros()).unwrap_or(u64::MAX);
        // The deadline dominates: whatever was decided after it does not count.
        let result = if bridge.clock.expired() { Err(verdict::deadline(limits.wall_ms)) } else { result };
        Ok(Outcome {
            result,
            console: bridge.console.borrow_mut().take(),
            usage: Usage { javascript_us, peak_heap_bytes: bridge.heap.peak() as u64 },
        })
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}
