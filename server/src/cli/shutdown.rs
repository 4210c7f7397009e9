//! SIGINT, SIGTERM and SIGHUP end the process in order: workers are killed and reaped first (I10). On Windows Ctrl-C,
//! Ctrl-Break and the closing of the console do.

#[cfg(windows)]
use tokio::signal::windows::{
    CtrlBreak as Terminate, CtrlC as Interrupt, CtrlClose as Hangup, ctrl_break as terminate, ctrl_c as interrupt,
    ctrl_close as hangup,
};

#[cfg(unix)]
use self::unix::{Hangup, Interrupt, Terminate, hangup, interrupt, terminate};
use super::exit::Exit;

/// The names that both systems share.
#[cfg(unix)]
mod unix {
    use std::io;

    pub(super) use tokio::signal::unix::{Signal as Interrupt, Signal as Terminate, Signal as Hangup};
    use tokio::signal::unix::{SignalKind, signal};

    pub(super) fn interrupt() -> io::Result<Interrupt> {
        signal(SignalKind::interrupt())
    }

    pub(super) fn terminate() -> io::Result<Terminate> {
        signal(SignalKind::terminate())
    }

    pub(super) fn hangup() -> io::Result<Hangup> {
        signal(SignalKind::hangup())
    }
}

/// The signals that end wit, caught from the moment this is made.
pub(super) struct Signals {
    interrupt: Interrupt,
    terminate: Terminate,
    hangup: Hangup,
}

impl Signals {
    /// Starts catching. Must be called within the runtime.
    ///
    /// # Errors
    /// When the system denies it.
    pub(super) fn catch() -> Result<Self, Exit> {
        let denied = |error: std::io::Error| Exit::Environment(format!("signals cannot be caught: {}", error.kind()));
        Ok(Self {
            interrupt: interrupt().map_err(denied)?,
            terminate: terminate().map_err(denied)?,
            hangup: hangup().map_err(denied)?,
        })
    }

    /// Waits for the first, and gives its number: on Windows that of the Unix signal that means the same.
    pub(super) async fn received(&mut self) -> u8 {
        tokio::select! {
            _ = self.hangup.recv() => 1,
            _ = self.interrupt.recv() => 2,
            _ = self.terminate.recv() => 15,
        }
    }
}
