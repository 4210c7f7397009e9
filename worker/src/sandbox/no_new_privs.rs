//! No privilege can be gained by exec, and unprivileged Landlock and seccomp become possible.

use super::error::LockdownError;

/// Sets `no_new_privs`, which nothing can unset.
pub(super) fn set() -> Result<(), LockdownError> {
    // prctl(PR_SET_NO_NEW_PRIVS, 1).
    rustix::thread::set_no_new_privs(true).map_err(|e| LockdownError::SetNoNewPrivs(e.into()))
}
