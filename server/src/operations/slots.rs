//! The server's slots for host operations: how many run at once, whoever asks (I5).

use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use serde_json::value::RawValue;
use tokio::sync::Semaphore;
use wit_worker::registry::Code;

use super::{OperationContext, OperationError};

/// Runs one operation in a slot, within its own time.
///
/// It waits for a slot for at most half of that time: what would begin later could hardly finish, and whoever holds
/// the slots may do so for as long. The slot belongs to the context, so work that was abandoned gives it back only when
/// it has really ended. The call is dropped, and thereby ended, when it is cancelled or its time is up;
/// a host that watches its own deadline is usually faster.
///
/// # Errors
/// `server_host_operations_limit` when no slot became free, `cancelled`, `deadline_exceeded`, or the call's own.
pub(crate) async fn in_slot(
    slots: &Arc<Semaphore>,
    context: &OperationContext,
    call: impl Future<Output = Result<Box<RawValue>, OperationError>>,
) -> Result<Box<RawValue>, OperationError> {
    let patience = context.deadline().saturating_duration_since(Instant::now()) / 2;
    let slot = tokio::select! {
        biased;
        () = context.cancellation().cancelled() => return Err(cancelled()),
        slot = Arc::clone(slots).acquire_owned() => slot.map_err(|_| cancelled())?,
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
