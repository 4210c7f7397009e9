//! No core dumps, no attaching by other processes of the same user.

use rustix::process::{DumpableBehavior, set_dumpable_behavior};

use super::error::LockdownError;

/// Makes the process not dumpable. The files in its `/proc` directory then belong to root.
pub(super) fn forbid() -> Result<(), LockdownError> {
    // prctl(PR_SET_DUMPABLE, 0).
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(|e| LockdownError::ForbidDump(e.into()))
}
