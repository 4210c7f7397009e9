//! How a hostile worker makes itself look locked down: everything the parent can verify from outside (DESIGN §5),
//! with a system call filter that allows everything. The parent cannot tell the filter apart, and need not: what a
//! worker does with its system calls is the kernel's affair, what it puts on the pipe is the parent's.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use rustix::thread::{CapabilitySet, CapabilitySets};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

use super::script::Lockdown;

/// The user and group nobody.
const NOBODY: u32 = 65_534;

/// Puts the disguise on.
///
/// # Errors
/// The act that failed.
pub fn put_on(lockdown: Lockdown) -> Result<(), String> {
    match lockdown {
        Lockdown::None => Ok(()),
        Lockdown::Full => {
            drop_privileges()?;
            allow_everything()
        }
        Lockdown::WithoutSeccomp => {
            drop_privileges()?;
            rustix::thread::set_no_new_privs(true).map_err(|e| format!("set no_new_privs: {e}"))
        }
        Lockdown::WithoutCapabilities => allow_everything(),
        Lockdown::WithThread => {
            drop_privileges()?;
            // It lives as long as the process; nothing joins it.
            drop(thread::spawn(|| thread::sleep(Duration::from_secs(3600))));
            allow_everything()
        }
    }
}

/// Becomes nobody when root, and gives up every capability.
fn drop_privileges() -> Result<(), String> {
    if rustix::process::geteuid().is_root() {
        let (uid, gid) = (rustix::process::Uid::from_raw(NOBODY), rustix::process::Gid::from_raw(NOBODY));
        rustix::thread::set_thread_groups(&[]).map_err(|e| format!("drop groups: {e}"))?;
        rustix::thread::set_thread_res_gid(gid, gid, gid).map_err(|e| format!("drop gid: {e}"))?;
        rustix::thread::set_thread_res_uid(uid, uid, uid).map_err(|e| format!("drop uid: {e}"))?;
    }
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    rustix::thread::set_capabilities(None, none).map_err(|e| format!("clear capabilities: {e}"))
}

/// Sets no_new_privs and installs a filter without a rule.
fn allow_everything() -> Result<(), String> {
    let arch = std::env::consts::ARCH.try_into().map_err(|e| format!("architecture: {e}"))?;
    let filter = SeccompFilter::new(BTreeMap::new(), SeccompAction::Allow, SeccompAction::KillProcess, arch)
        .and_then(BpfProgram::try_from)
        .map_err(|e| format!("compile the filter: {e}"))?;
    seccompiler::apply_filter(&filter).map_err(|e| format!("install the filter: {e}"))
}
