//! Root gives up its user, its groups and every capability; anyone gives up capabilities.

use rustix::io::Errno;
use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set, remove_capability_from_bounding_set,
    set_capabilities, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

use super::error::LockdownError;

/// The user and group id that own nothing (`nobody`).
pub(super) const NOBODY: u32 = 65_534;

/// What a root needs to change its user, and, since parent and worker have the same privileges here, what the parent
/// needs to be able to kill a worker of another user. Without it a drop would make the worker unkillable.
const NEEDED_TO_DROP: CapabilitySet = CapabilitySet::SETUID.union(CapabilitySet::SETGID).union(CapabilitySet::KILL);

/// Root becomes nobody. Gives whether it did: not when we are not root, and not when this root may not (a container
/// without the capabilities, or a user namespace that maps no id but root's). Capabilities go in any case.
pub(super) fn drop_root() -> Result<bool, LockdownError> {
    if !geteuid().is_root() {
        return Ok(false);
    }
    let effective = capabilities(None).map_err(|e| LockdownError::ReadCapabilities(e.into()))?.effective;
    if !effective.contains(NEEDED_TO_DROP) {
        return Ok(false);
    }
    // The bounding set first: emptying it takes a capability that the change of user removes.
    empty_bounding_set(effective)?;

    // setresgid(65534, 65534, 65534). EINVAL: the id means nothing in this user namespace. By thread, which is by
    // process here: there is one.
    let group = Gid::from_raw(NOBODY);
    match set_thread_res_gid(group, group, group) {
        Ok(()) => {}
        Err(Errno::INVAL) => return Ok(false),
        Err(error) => return Err(LockdownError::DropGroup(error.into())),
    }
    // setgroups(0, NULL).
    set_thread_groups(&[]).map_err(|e| LockdownError::DropGroups(e.into()))?;
    let user = Uid::from_raw(NOBODY);
    // setresuid(65534, 65534, 65534). The kernel clears effective and permitted capabilities with it.
    set_thread_res_uid(user, user, user).map_err(|e| LockdownError::DropUser(e.into()))?;
    Ok(true)
}

/// Empties every capability set. The bounding set needs a capability to shrink; a process without it has nothing to
/// gain from the set either, once `no_new_privs` is on.
pub(super) fn clear_capabilities() -> Result<(), LockdownError> {
    let effective = capabilities(None).map_err(|e| LockdownError::ReadCapabilities(e.into()))?.effective;
    empty_bounding_set(effective)?;
    // prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL).
    clear_ambient_capability_set().map_err(|e| LockdownError::EmptyAmbientSet(e.into()))?;
    let none = CapabilitySet::empty();
    // capset({0, 0, 0}).
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
        .map_err(|e| LockdownError::ClearCapabilities(e.into()))
}

fn empty_bounding_set(effective: CapabilitySet) -> Result<(), LockdownError> {
    if !effective.contains(CapabilitySet::SETPCAP) {
        return Ok(());
    }
    for number in 0..u64::BITS {
        // prctl(PR_CAPBSET_DROP, number). EINVAL: the kernel's last capability has been passed.
        match remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << number)) {
            Ok(()) => {}
            Err(Errno::INVAL) => break,
            Err(error) => return Err(LockdownError::EmptyBoundingSet(error.into())),
        }
    }
    Ok(())
}
