//! SIGINT, SIGTERM and SIGHUP end the process in order: workers are killed and reaped first (I10).

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::exit::Exit;

/// The signals that end wit, caught from the moment this is made.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    /// Starts catching. Must be called within the runtime.
    ///
    /// # Errors
    /// When the system denies it.
    pub(super) fn catch() -> Result<Self, Exit> {
        let catch = |kind| {
            signal(kind).map_err(|error| Exit::Environment(format!("signals cannot be caught: {}", error.kind())))
        };
        Ok(Self {
            interrupt: catch(SignalKind::interrupt())?,
            terminate: catch(SignalKind::terminate())?,
            hangup: catch(SignalKind::hangup())?,
        })
    }

    /// Waits for the first, and gives its number.
    pub(super) async fn received(&mut self) -> u8 {
        tokio::select! {
            _ = self.hangup.recv() => 1,
            _ = self.interrupt.recv() => 2,
            _ = self.terminate.recv() => 15,
        }
    }
}
