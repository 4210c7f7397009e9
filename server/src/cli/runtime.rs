//! The one tokio runtime.
//!
//! One thread drives all of it: a request crosses several tasks, and on one thread each crossing is a push to a
//! queue, where between threads it would be a wake-up in the kernel. Work that takes long runs on the blocking pool,
//! whose threads exist only while there is some.

use std::time::Duration;

use super::exit::Exit;

/// Most blocking threads at once. Operations are bounded by their own slots, well below.
const BLOCKING_THREADS: usize = 64;
/// How long an idle blocking thread stays.
const BLOCKING_IDLE: Duration = Duration::from_secs(2);

/// Runs the future to its end. What is then still on a blocking thread is left to die with the process: a read from
/// a terminal cannot be interrupted.
///
/// # Errors
/// When the system denies what a runtime needs, or what the future gives.
pub(super) fn block_on<F: Future<Output = Result<(), Exit>>>(future: F) -> Result<(), Exit> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_keep_alive(BLOCKING_IDLE)
        .build()
        .map_err(|error| Exit::Environment(format!("the runtime cannot start: {}", error.kind())))?;
    let outcome = runtime.block_on(future);
    runtime.shutdown_background();
    outcome
}
