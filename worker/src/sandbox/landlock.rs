//! Landlock with zero rules: whatever it can govern is refused.
//!
//! Required when the kernel has it. "Has it not" is what the kernel itself says: no such system call, or disabled at
//! boot. Any other answer (a container's filter that says EPERM) is a failure, not an absence.
#![allow(unsafe_code)]

use std::{fs, io};

use ::landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus,
    Scope,
};

use super::error::LockdownError;

/// The newest interface this build knows; on an older kernel the rights it lacks are left out.
const NEWEST: ABI = ABI::V10;

/// `LANDLOCK_CREATE_RULESET_VERSION`: ask for the version instead of making a ruleset.
const ASK_VERSION: libc::c_uint = 1;

/// The Landlock interface the running kernel offers; `None` when it has none.
///
/// # Errors
/// When the question itself is refused.
pub fn offered_version() -> io::Result<Option<u32>> {
    // landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION).
    // SAFETY: with this flag the kernel takes no attribute; the pointer is null and its size 0.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<libc::c_void>(), 0_usize, ASK_VERSION)
    };
    if let Ok(version) = u32::try_from(version) {
        return Ok(Some(version));
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::ENOSYS | libc::EOPNOTSUPP) => Ok(None),
        _ => Err(error),
    }
}

/// Refuses every right Landlock can handle here. Gives whether the kernel has Landlock.
pub(super) fn restrict() -> Result<bool, LockdownError> {
    if offered_version().map_err(LockdownError::AskLandlockVersion)?.is_none() {
        return Ok(false);
    }
    let failed = |error: ::landlock::RulesetError| LockdownError::EnforceLandlock(error.to_string());
    // landlock_create_ruleset(all rights), then landlock_restrict_self with not one rule in between.
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))
        .map_err(failed)?
        .handle_access(AccessNet::from_all(NEWEST))
        .map_err(failed)?
        .scope(Scope::from_all(NEWEST))
        .map_err(failed)?
        .create()
        .map_err(failed)?
        // A layer of its own, already applied.
        .no_new_privs(false)
        .restrict_self()
        .map_err(failed)?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err(LockdownError::EnforceLandlock("the kernel enforced nothing".to_owned())),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => refused(),
    }
}

/// Tries what must now be refused: nothing in `/proc` shows a Landlock domain, so only trying tells.
fn refused() -> Result<bool, LockdownError> {
    match fs::read_dir("/").map(drop) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(true),
        Err(error) => Err(LockdownError::EnforceLandlock(format!("the root directory: {}", error.kind()))),
        Ok(()) => Err(LockdownError::EnforceLandlock("the root directory can still be read".to_owned())),
    }
}
