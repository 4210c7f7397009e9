//! The quickest way to the standard streams.
//!
//! tokio's own stdin and stdout hand every read and write to a blocking thread, which costs more than the rest of a
//! small request. Clients connect by pipes or, when they are written for Node, by Unix sockets; both can be polled.
//! A pipe is opened anew through `/proc/self/fd`, so that `O_NONBLOCK` stays ours and no process that shares the
//! pipe is surprised. A socket cannot be opened anew; its flag is set in place, which only we and whoever inherits
//! this end can notice (a worker inherits none, I2). Files, terminals and other systems get tokio's threads.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::transport::HangUp;

/// Standard input.
#[derive(Debug)]
pub(super) enum Reader {
    #[cfg(target_os = "linux")]
    Pipe(tokio::net::unix::pipe::Receiver),
    #[cfg(target_os = "linux")]
    Socket(tokio::net::UnixStream),
    Blocking(tokio::io::Stdin),
}

/// Standard output.
#[derive(Debug)]
pub(super) enum Writer {
    #[cfg(target_os = "linux")]
    Pipe(tokio::net::unix::pipe::Sender),
    #[cfg(target_os = "linux")]
    Socket(tokio::net::UnixStream),
    Blocking(tokio::io::Stdout),
}

/// Opens both standard streams, each in the best way it allows. Must be called within a runtime.
pub(super) fn open() -> (Reader, Writer) {
    (
        reader().unwrap_or_else(|| Reader::Blocking(tokio::io::stdin())),
        writer().unwrap_or_else(|| Writer::Blocking(tokio::io::stdout())),
    )
}

#[cfg(target_os = "linux")]
fn reader() -> Option<Reader> {
    let stdin = io::stdin();
    match kind(&stdin)? {
        Kind::Pipe => {
            let file = std::fs::File::options().read(true).custom_flags(NONBLOCK).open("/proc/self/fd/0").ok()?;
            Some(Reader::Pipe(tokio::net::unix::pipe::Receiver::from_file(file).ok()?))
        }
        Kind::Socket => Some(Reader::Socket(socket(&stdin)?)),
    }
}

#[cfg(target_os = "linux")]
fn writer() -> Option<Writer> {
    let stdout = io::stdout();
    match kind(&stdout)? {
        Kind::Pipe => {
            let file = std::fs::File::options().write(true).custom_flags(NONBLOCK).open("/proc/self/fd/1").ok()?;
            Some(Writer::Pipe(tokio::net::unix::pipe::Sender::from_file(file).ok()?))
        }
        Kind::Socket => Some(Writer::Socket(socket(&stdout)?)),
    }
}

#[cfg(not(target_os = "linux"))]
fn reader() -> Option<Reader> {
    None
}

#[cfg(not(target_os = "linux"))]
fn writer() -> Option<Writer> {
    None
}

#[cfg(target_os = "linux")]
use linux::{Kind, NONBLOCK, kind, socket};
#[cfg(target_os = "linux")]
use std::os::unix::fs::OpenOptionsExt as _;

#[cfg(target_os = "linux")]
mod linux {
    use std::os::fd::AsFd;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::{FileType, OFlags};

    pub(super) enum Kind {
        Pipe,
        Socket,
    }

    /// `O_NONBLOCK` as `open` takes it; the flag is small and positive on every Linux.
    pub(super) const NONBLOCK: i32 = OFlags::NONBLOCK.bits().cast_signed();

    pub(super) fn kind(stream: &impl AsFd) -> Option<Kind> {
        let stat = rustix::fs::fstat(stream).ok()?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Fifo => Some(Kind::Pipe),
            FileType::Socket => Some(Kind::Socket),
            _ => None,
        }
    }

    /// Asks without waiting; only what the kernel reports unasked and the half-closed socket count.
    pub(super) fn has_hung_up(stream: &impl AsFd) -> bool {
        let mut descriptors = [PollFd::new(stream, PollFlags::RDHUP)];
        let asked = poll(&mut descriptors, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
        asked.is_ok() && descriptors.iter().any(|one| one.revents().intersects(PollFlags::HUP | PollFlags::RDHUP))
    }

    pub(super) fn socket(stream: &impl AsFd) -> Option<tokio::net::UnixStream> {
        let fd = stream.as_fd().try_clone_to_owned().ok()?;
        // A socket of another family answers `getsockname` with its own; tokio would misread its addresses.
        let stream = std::os::unix::net::UnixStream::from(fd);
        stream.local_addr().ok()?;
        stream.set_nonblocking(true).ok()?;
        tokio::net::UnixStream::from_std(stream).ok()
    }
}

impl HangUp for Reader {
    #[cfg(target_os = "linux")]
    fn has_hung_up(&self) -> bool {
        match self {
            Self::Pipe(inner) => linux::has_hung_up(inner),
            Self::Socket(inner) => linux::has_hung_up(inner),
            Self::Blocking(_) => false,
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn has_hung_up(&self) -> bool {
        false
    }
}

impl AsyncRead for Reader {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            #[cfg(target_os = "linux")]
            Self::Pipe(inner) => Pin::new(inner).poll_read(cx, buf),
            #[cfg(target_os = "linux")]
            Self::Socket(inner) => Pin::new(inner).poll_read(cx, buf),
            Self::Blocking(inner) => Pin::new(inner).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Writer {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            #[cfg(target_os = "linux")]
            Self::Pipe(inner) => Pin::new(inner).poll_write(cx, buf),
            #[cfg(target_os = "linux")]
            Self::Socket(inner) => Pin::new(inner).poll_write(cx, buf),
            Self::Blocking(inner) => Pin::new(inner).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            #[cfg(target_os = "linux")]
            Self::Pipe(inner) => Pin::new(inner).poll_flush(cx),
            #[cfg(target_os = "linux")]
            Self::Socket(inner) => Pin::new(inner).poll_flush(cx),
            Self::Blocking(inner) => Pin::new(inner).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            #[cfg(target_os = "linux")]
            Self::Pipe(inner) => Pin::new(inner).poll_shutdown(cx),
            #[cfg(target_os = "linux")]
            Self::Socket(inner) => Pin::new(inner).poll_shutdown(cx),
            Self::Blocking(inner) => Pin::new(inner).poll_shutdown(cx),
        }
    }
}
