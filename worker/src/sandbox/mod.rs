//! The lockdown of the worker process (DESIGN §5). Everything here happens once, before the first untrusted byte (I3).

/// A layer that could not be had. Named after the act that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockdownError {
    /// This platform has no lockdown yet.
    #[error("this platform has no worker lockdown")]
    Unsupported,
}

/// Locks the calling process down for good, in the order of DESIGN §5.
///
/// Gives the names of the layers achieved, in that order.
///
/// # Errors
/// When a required layer cannot be had; the process must then exit without reading a byte.
pub fn lockdown() -> Result<Vec<String>, LockdownError> {
    Err(LockdownError::Unsupported)
}
