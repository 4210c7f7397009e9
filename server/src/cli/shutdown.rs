//! SIGINT, SIGTERM and SIGHUP end the process in order: workers are killed and reaped first (I10). On Windows Ctrl-C,
//! Ctrl-Break and the closing of the console do.

#[cfg(unix)]
pub(super) use self::unix::Signals;
#[cfg(windows)]
pub(super) use self::windows::Signals;

#[cfg(unix)]
mod unix {
    use tokio::signal::unix::{Signal, SignalKind, signal};

    use super::denied;
    use crate::cli::exit::Exit;

    /// The signals that end wit, caught from the moment this is made.
    pub(in crate::cli) struct Signals {
        interrupt: Signal,
        terminate: Signal,
        hangup: Signal,
    }

    impl Signals {
        /// Starts catching. Must be called within the runtime.
        ///
        /// # Errors
        /// When the system denies it.
        pub(in crate::cli) fn catch() -> Result<Self, Exit> {
            let catch = |kind| signal(kind).map_err(|error| denied(&error));
            Ok(Self {
                interrupt: catch(SignalKind::interrupt())?,
                terminate: catch(SignalKind::terminate())?,
                hangup: catch(SignalKind::hangup())?,
            })
        }

        /// Waits for the first, and gives its number.
        pub(in crate::cli) async fn received(&mut self) -> u8 {
            tokio::select! {
                _ = self.hangup.recv() => 1,
                _ = self.interrupt.recv() => 2,
                _ = self.terminate.recv() => 15,
            }
        }
    }
}

#[cfg(windows)]
mod windows {
    use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

    use super::denied;
    use crate::cli::exit::Exit;

    /// The console events that end wit, caught from the moment this is made.
    pub(in crate::cli) struct Signals {
        interrupt: CtrlC,
        terminate: CtrlBreak,
        hangup: CtrlClose,
    }

    impl Signals {
        /// Starts catching. Must be called within the runtime.
        ///
        /// # Errors
        /// When the system denies it.
        pub(in crate::cli) fn catch() -> Result<Self, Exit> {
            Ok(Self {
                interrupt: ctrl_c().map_err(|error| denied(&error))?,
                terminate: ctrl_break().map_err(|error| denied(&error))?,
                hangup: ctrl_close().map_err(|error| denied(&error))?,
            })
        }

        /// Waits for the first, and gives the number of the Unix signal that means the same.
        pub(in crate::cli) async fn received(&mut self) -> u8 {
            tokio::select! {
                _ = self.hangup.recv() => 1,
                _ = self.interrupt.recv() => 2,
                _ = self.terminate.recv() => 15,
            }
        }
    }
}

fn denied(error: &std::io::Error) -> super::exit::Exit {
    super::exit::Exit::Environment(format!("signals cannot be caught: {}", error.kind()))
}
