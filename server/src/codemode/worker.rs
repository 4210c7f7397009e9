//! What the parent asks of a worker's process, whatever the system it runs on (I1, I2, I10).

use std::future::Future;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wit_worker::protocol::FrameDecoder;

use super::verdict::Exit;

/// One worker process. Dropped anywhere, it is killed and reaped.
///
/// What is awaited takes `&self`, since the supervisor waits for several of them at once; all of it is cancel safe.
pub(super) trait WorkerProcess: Send + Sync {
    /// Bytes read and not yet judged.
    fn decoder(&mut self) -> &mut FrameDecoder;

    /// Resolves when [`Self::read_output`] has something to tell; `false` when the output cannot be watched any more.
    fn output_ready(&self) -> impl Future<Output = bool> + Send;

    /// Reads frames, without waiting; 0 at their end.
    ///
    /// # Errors
    /// `WouldBlock` when there is nothing at the moment; else the output cannot be read.
    fn read_output(&mut self, buffer: &mut [u8]) -> io::Result<usize>;

    /// As [`Self::output_ready`], for stderr.
    fn diagnostics_ready(&self) -> impl Future<Output = bool> + Send;

    /// Reads stderr, without waiting, to be counted and never looked at.
    ///
    /// # Errors
    /// As [`Self::read_output`].
    fn read_diagnostics(&mut self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Whether its input is still open on our side.
    fn has_input(&self) -> bool;

    /// Resolves when [`Self::write_input`] may take bytes; never once the input is closed.
    fn input_ready(&self) -> impl Future<Output = ()> + Send;

    /// Gives the process as many of these bytes as go without waiting.
    ///
    /// # Errors
    /// `WouldBlock` when none go at the moment; else the process has closed its input.
    fn write_input(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Nothing more is to be said.
    fn close_input(&mut self);

    /// Bytes given to the process that it has not taken yet, if the system tells.
    fn unread_input(&self) -> Option<u64>;

    /// Resolves when the process has ended and everything it wrote can be read.
    fn exited(&self) -> impl Future<Output = ()> + Send;

    /// How the process ended, if it has; it is then reaped, and whatever it forked is killed.
    fn take_exit(&mut self) -> Option<Exit>;

    /// Kills the process if it runs, and waits for a bounded time until it is reaped. Its pipes can still be looked at.
    fn kill(&mut self) -> impl Future<Output = ()> + Send;

    /// The same, for good.
    fn end(mut self) -> impl Future<Output = ()> + Send
    where
        Self: Sized,
    {
        async move {
            self.close_input();
            self.kill().await;
        }
    }

    /// CPU time the process has used; zero where the system does not tell.
    fn cpu_time(&self) -> Option<Duration>;

    /// Whether somebody has stopped the process: a signal or a debugger.
    fn is_stopped(&self) -> bool;
}

/// Locks even when another thread panicked while it held the lock: every value behind one is replaced whole.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
