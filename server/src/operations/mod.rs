//! The seven read-only operations (DESIGN §7), behind one trait that both surfaces call.

mod arguments;
mod context;
mod cursor;
mod error;
pub mod exposed;
mod find;
mod gather;
mod host;
mod list;
mod open;
mod options;
mod page;
mod path;
mod read;
mod refs;
mod search;
mod slots;

use std::future::Future;
use std::pin::Pin;

use serde_json::value::RawValue;
use wit_worker::registry::OperationId;

pub use context::{OperationContext, Progress};
pub use error::OperationError;
pub(crate) use host::ended;
pub use host::{OpenError, Operations};
pub(crate) use open::timestamp;
pub use options::{Caps, MAX_FILE_BYTES, OperationsOptions, Refresh};
pub(crate) use slots::{Asker, Slots, cancelled, in_slot};

/// Who is asking: a few defaults differ, and Code Mode never sees `cache.last_error`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// A typed MCP tool.
    Direct,
    /// A script's `codemode.wit.*`.
    CodeMode,
}

/// The future of one operation: its result object, serialized once.
pub type OperationFuture<'a> = Pin<Box<dyn Future<Output = Result<Box<RawValue>, OperationError>> + Send + 'a>>;

/// What the surfaces need of the operations. Tests put an in-process host in its place.
pub trait HostOperations: Send + Sync + 'static {
    /// Runs one operation. Arguments are any strict JSON value; anything but an object with the operation's
    /// fields is `invalid_arguments`. The future honours the context's deadline and cancellation, and when it is
    /// dropped it leaves no task, lock or half-written file behind.
    fn call<'a>(
        &'a self,
        operation: OperationId,
        arguments: &'a RawValue,
        surface: Surface,
        context: &'a OperationContext,
    ) -> OperationFuture<'a>;
}

/// The provenance every result begins with, as `"name":value` pairs each followed by a comma.
fn provenance(snapshot: &crate::snapshot::Snapshot) -> String {
    let (repo, commit, id) = (snapshot.repo(), snapshot.commit(), snapshot.id());
    format!("\"repo\":\"{repo}\",\"commit_sha\":\"{commit}\",\"snapshot_id\":\"{id}\",")
}
