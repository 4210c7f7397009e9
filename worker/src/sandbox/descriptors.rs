//! Nothing but the three standard descriptors (I2).
#![allow(unsafe_code)]

use std::io;

use super::error::LockdownError;

/// The first descriptor that is not stdin, stdout or stderr.
const FIRST_INHERITED: libc::c_uint = 3;

/// Closes every descriptor above 2, known or not.
pub(super) fn close_above_stderr() -> Result<(), LockdownError> {
    // close_range(3, ~0, 0). By number, because the C library of an older system has no wrapper.
    // SAFETY: no pointer is passed; nothing in this single-threaded process owns a descriptor above 2 at this point.
    let outcome = unsafe { libc::syscall(libc::SYS_close_range, FIRST_INHERITED, libc::c_uint::MAX, 0) };
    if outcome == 0 { Ok(()) } else { Err(LockdownError::CloseDescriptors(io::Error::last_os_error())) }
}
