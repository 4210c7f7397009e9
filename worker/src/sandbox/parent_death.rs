//! Ties the worker's life to its parent's (I10).
//!
//! `PR_SET_PDEATHSIG` only acts on a death that comes after it. A parent that died earlier is noticed in two ways: our
//! parent's id changed, or, when it died before we first looked, every writer of the pipe on descriptor 0 is gone. The
//! kernel closes a dying process's descriptors before it gives its children away and sends this signal, so between
//! signal and pipe no moment is left out.
//!
//! Two traps. The kernel clears the setting when the process changes its user, so it is made again then. And it is the
//! death of the parent's *thread* that counts: a server must start workers from a thread that lives as long as it does.
#![allow(unsafe_code)]

use std::io;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use super::error::LockdownError;

/// Asks for SIGKILL at the parent's death and makes sure that it has not been missed.
pub(super) fn arm() -> Result<(), LockdownError> {
    let before = getppid();
    // prctl(PR_SET_PDEATHSIG, SIGKILL).
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|e| LockdownError::ArmParentDeath(e.into()))?;
    if getppid() != before || input_is_abandoned().map_err(LockdownError::ArmParentDeath)? {
        return Err(LockdownError::Orphaned);
    }
    Ok(())
}

/// Whether descriptor 0 is a pipe or socket with nothing to read and nobody left to write.
fn input_is_abandoned() -> io::Result<bool> {
    // SAFETY: descriptor 0 is never closed by this process; a closed one makes poll answer NVAL.
    let stdin = unsafe { std::os::fd::BorrowedFd::borrow_raw(0) };
    let mut descriptors = [PollFd::from_borrowed_fd(stdin, PollFlags::IN)];
    // poll(fd 0, no waiting). Not after the descriptor limit went to 0: poll then refuses even one descriptor.
    match poll(&mut descriptors, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let seen = descriptors[0].revents();
    Ok(seen.contains(PollFlags::HUP) && !seen.contains(PollFlags::IN))
}
