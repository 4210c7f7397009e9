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

/// For the parent, before it opens anything: marks what it inherited as not to be inherited further, so that no program
/// it ever starts holds a descriptor of whoever started the server. Descriptors stay usable here, for example one that
/// a shell gave as `/dev/fd/63`.
///
/// # Errors
/// When the kernel is older than 5.11. The worker closes everything by itself all the same.
pub fn seal_inherited() -> io::Result<()> {
    // SAFETY: no pointer is passed, and setting FD_CLOEXEC invalidates no descriptor of this process.
    let outcome =
        unsafe { libc::syscall(libc::SYS_close_range, FIRST_INHERITED, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
