//! The lockdown of the worker process (DESIGN §5). Everything here happens once, before the first untrusted byte (I3).
//!
//! The engine inside the worker must be assumed to be memory-corruptible, so the process gives up, for good, everything
//! that running one script does not need. Each step is a [`Layer`] with a file of its own; [`lockdown`] applies all of
//! them in order and fails when a required one cannot be had: there is no permissive fallback.
//!
//! [`lockdown`] is the only function the worker calls. [`apply`] takes the set of layers and exists for the probe
//! program of the conformance crate, which switches one off to show that the probes notice; nothing in the shipped
//! executable reaches it with less than all layers.
//!
//! The parent believes none of this: [`status`] checks what the kernel says of the worker.

mod error;
pub mod exit;
mod layer;
pub mod rules;
pub mod status;

#[cfg(target_os = "linux")]
mod ambient;
#[cfg(target_os = "linux")]
mod descriptors;
#[cfg(target_os = "linux")]
mod dumpable;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod identity;
#[cfg(target_os = "linux")]
pub mod landlock;
#[cfg(target_os = "linux")]
mod no_new_privs;
#[cfg(target_os = "linux")]
pub mod parent;
#[cfg(target_os = "linux")]
mod parent_death;
#[cfg(target_os = "linux")]
pub mod rlimits;

#[cfg(target_os = "linux")]
pub use descriptors::seal_inherited;
pub use error::LockdownError;
#[cfg(target_os = "linux")]
pub use filter::{Architecture, compile as compile_filter};
pub use layer::{LAYERS, Layer, LayerEntry, Layers, Requirement, markdown as layers_markdown};

/// Locks the calling process down for good, in the order of DESIGN §5.
///
/// Gives the names of the layers achieved, in that order. The process must have one thread. Afterwards it must end by
/// [`exit::leave`]: returning from `main` makes system calls that are no longer allowed. A panic aborts.
///
/// # Errors
/// When a required layer cannot be had; the process must then leave with [`exit::SANDBOX_UNAVAILABLE`] without reading
/// a byte.
pub fn lockdown() -> Result<Vec<String>, LockdownError> {
    let achieved = apply(Layers::ALL)?;
    Ok(achieved.into_iter().map(|layer| layer.name().to_owned()).collect())
}

/// Applies the layers of a set, in order. For the probe program only: the worker calls [`lockdown`].
///
/// # Errors
/// When a layer of the set that is required cannot be had.
#[cfg(target_os = "linux")]
pub fn apply(layers: Layers) -> Result<Vec<Layer>, LockdownError> {
    // Every layer below binds the calling thread only; another thread would stay free.
    ambient::require_single_thread()?;
    ambient::settle()?;

    let mut achieved = Vec::with_capacity(LAYERS.len());
    for layer in LAYERS.iter().map(|row| row.layer) {
        // Landlock was the last to need a descriptor of its own, and the filter ends the changing of limits.
        if layer == Layer::Seccomp && layers.contains(Layer::Rlimits) {
            rlimits::forbid_descriptors()?;
        }
        if !layers.contains(layer) {
            continue;
        }
        let done = match layer {
            Layer::ParentDeath => parent_death::arm().map(|()| true),
            Layer::NotDumpable => dumpable::forbid().map(|()| true),
            Layer::Descriptors => descriptors::close_above_stderr().map(|()| true),
            Layer::Rlimits => rlimits::lower().map(|()| true),
            Layer::Identity => identity::drop_root(),
            Layer::Capabilities => identity::clear_capabilities().map(|()| true),
            Layer::NoNewPrivs => no_new_privs::set().map(|()| true),
            Layer::Landlock => landlock::restrict(),
            Layer::Seccomp => filter::install().map(|()| true),
        }?;
        if !done {
            continue;
        }
        achieved.push(layer);
        // A change of user silently clears the parent-death signal and resets the dumpable flag to the system's
        // default (commit_creds in the kernel's kernel/cred.c): what was set before is set again.
        if layer == Layer::Identity {
            if layers.contains(Layer::ParentDeath) {
                parent_death::arm()?;
            }
            if layers.contains(Layer::NotDumpable) {
                dumpable::forbid()?;
            }
        }
    }
    Ok(achieved)
}

/// Applies the layers of a set: this platform has none yet.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn apply(_layers: Layers) -> Result<Vec<Layer>, LockdownError> {
    Err(LockdownError::Unsupported)
}
