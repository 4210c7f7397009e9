//! A worker process by the means of every system: a task owns the child, others hold its pipes.

use std::future::poll_fn;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::process::{ExitStatus, Stdio};
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncWriteExt as _, ReadBuf};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};
use tokio_util::sync::{CancellationToken, DropGuard};
use wit_worker::protocol::FrameDecoder;

use crate::codemode::verdict::Exit;
use crate::codemode::worker::{WorkerProcess, lock};

/// How long a kill may take to show before the owning task is left to wait for it.
const KILL_GRACE: Duration = Duration::from_millis(500);
/// How long output may take to end after the process has: something it started may hold the pipe.
const DRAIN_GRACE: Duration = Duration::from_millis(100);
/// Bytes moved at a time, in either direction.
const CHUNK_BYTES: usize = 16 * 1024;

/// One worker process. Dropped anywhere, the task that owns it kills and reaps it.
pub(super) struct Process {
    /// Chunks on their way to the process; nothing once its input is closed.
    input: Option<mpsc::Sender<Vec<u8>>>,
    output: Mutex<Stream<ChildStdout>>,
    diagnostics: Mutex<Stream<ChildStderr>>,
    decoder: FrameDecoder,
    exit: watch::Receiver<Option<Exit>>,
    taken: bool,
    kill: CancellationToken,
    _guard: DropGuard,
}

impl Process {
    /// Creates a process with an empty environment, an empty private working directory, three pipes and nothing else
    /// (I2). The permit goes back when it has been reaped.
    ///
    /// # Errors
    /// When the system refuses it.
    pub(super) fn start(program: &Path, permit: OwnedSemaphorePermit) -> io::Result<Self> {
        let place = tempfile::Builder::new().prefix("wit-worker-").tempdir()?;
        let mut command = Command::new(program);
        command
            .args([wit_worker::WORKER_ARGUMENT, wit_worker::UNSANDBOXED_ARGUMENT])
            .env_clear()
            .current_dir(place.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let missing = || io::Error::other("a pipe is missing");
        let (stdin, stdout, stderr) = (
            child.stdin.take().ok_or_else(missing)?,
            child.stdout.take().ok_or_else(missing)?,
            child.stderr.take().ok_or_else(missing)?,
        );
        let (publish, exit) = watch::channel(None);
        let (input, chunks) = mpsc::channel(1);
        let kill = CancellationToken::new();
        tokio::spawn(own(child, kill.clone(), publish, (place, permit)));
        tokio::spawn(feed(stdin, chunks, kill.clone()));
        Ok(Self {
            input: Some(input),
            output: Mutex::new(Stream::new(stdout)),
            diagnostics: Mutex::new(Stream::new(stderr)),
            decoder: FrameDecoder::new(),
            exit,
            taken: false,
            _guard: kill.clone().drop_guard(),
            kill,
        })
    }
}

/// Waits for the process, kills it when told to, reaps it, tells how it ended, and only then lets go of what it held.
async fn own(
    mut child: Child,
    kill: CancellationToken,
    publish: watch::Sender<Option<Exit>>,
    held: (TempDir, OwnedSemaphorePermit),
) {
    #[cfg(unix)]
    let group = child.id();
    let status = tokio::select! {
        status = child.wait() => status,
        () = kill.cancelled() => {
            #[cfg(unix)]
            kill_group(group);
            let _ = child.start_kill();
            child.wait().await
        }
    };
    // Whatever it has started; on unix a group's number is not given away while the group has members.
    #[cfg(unix)]
    kill_group(group);
    let (place, permit) = held;
    drop(place);
    publish.send_replace(Some(status.map_or(Exit::Status(-1), exit)));
    drop(permit);
}

/// Writes chunk after chunk; closes the input when the last sender is gone, the process has closed it, or is to end:
/// something else may hold the pipe's other end, and read nothing.
async fn feed(mut stdin: ChildStdin, mut chunks: mpsc::Receiver<Vec<u8>>, kill: CancellationToken) {
    while let Some(chunk) = chunks.recv().await {
        let write = async {
            stdin.write_all(&chunk).await?;
            stdin.flush().await
        };
        tokio::select! {
            biased;
            () = kill.cancelled() => return,
            written = write => if written.is_err() {
                return;
            },
        }
    }
}

#[cfg(unix)]
fn kill_group(leader: Option<u32>) {
    let leader = leader.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
    if let Some(leader) = leader {
        let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
    }
}

#[cfg(unix)]
fn exit(status: ExitStatus) -> Exit {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Status(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Status(-1),
    }
}

#[cfg(not(unix))]
fn exit(status: ExitStatus) -> Exit {
    Exit::Status(status.code().unwrap_or(-1))
}

/// A pipe that can be asked without waiting: at most one chunk is taken from it ahead.
struct Stream<R> {
    source: R,
    chunk: Vec<u8>,
    /// How much of the chunk has been given out.
    given: usize,
    ended: bool,
}

impl<R: AsyncRead + Unpin> Stream<R> {
    fn new(source: R) -> Self {
        Self { source, chunk: Vec::new(), given: 0, ended: false }
    }

    fn has_bytes(&self) -> bool {
        self.given < self.chunk.len()
    }

    /// Ready when there are bytes or the end. A pipe that fails has ended.
    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.has_bytes() || self.ended {
            return Poll::Ready(());
        }
        self.chunk.resize(CHUNK_BYTES, 0);
        self.given = 0;
        let mut buffer = ReadBuf::new(&mut self.chunk);
        let polled = Pin::new(&mut self.source).poll_read(context, &mut buffer);
        let count = buffer.filled().len();
        self.chunk.truncate(count);
        match polled {
            Poll::Pending => Poll::Pending,
            Poll::Ready(outcome) => {
                self.ended = outcome.is_err() || count == 0;
                Poll::Ready(())
            }
        }
    }

    fn take(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Whoever waits polls again, and leaves a waker of his own.
        if self.poll_fill(&mut Context::from_waker(Waker::noop())).is_pending() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let rest = self.chunk.get(self.given..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.given += count;
        Ok(count)
    }
}

async fn filled<R: AsyncRead + Unpin>(stream: &Mutex<Stream<R>>) -> bool {
    poll_fn(|context| lock(stream).poll_fill(context)).await;
    true
}

/// Resolves at the end of the output, or when bytes lie there that nobody takes.
async fn ended<R: AsyncRead + Unpin>(stream: &Mutex<Stream<R>>) {
    let mut offered = false;
    poll_fn(|context| {
        let mut stream = lock(stream);
        match stream.poll_fill(context) {
            Poll::Ready(()) if stream.has_bytes() && !offered => {
                offered = true;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            polled => polled,
        }
    })
    .await;
}

impl WorkerProcess for Process {
    fn decoder(&mut self) -> &mut FrameDecoder {
        &mut self.decoder
    }

    async fn output_ready(&self) -> bool {
        filled(&self.output).await
    }

    fn read_output(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        lock(&self.output).take(buffer)
    }

    async fn diagnostics_ready(&self) -> bool {
        filled(&self.diagnostics).await
    }

    fn read_diagnostics(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        lock(&self.diagnostics).take(buffer)
    }

    fn has_input(&self) -> bool {
        self.input.is_some()
    }

    async fn input_ready(&self) {
        match &self.input {
            Some(input) => drop(input.reserve().await),
            None => std::future::pending().await,
        }
    }

    fn write_input(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(input) = &self.input else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let chunk = bytes.get(..CHUNK_BYTES).unwrap_or(bytes);
        match input.try_reserve() {
            Ok(place) => {
                place.send(chunk.to_vec());
                Ok(chunk.len())
            }
            Err(mpsc::error::TrySendError::Full(())) => Err(io::ErrorKind::WouldBlock.into()),
            Err(mpsc::error::TrySendError::Closed(())) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn close_input(&mut self) {
        self.input = None;
    }

    /// Not told in a way that all systems share; only spares need it, and there are none here.
    fn unread_input(&self) -> Option<u64> {
        None
    }

    async fn exited(&self) {
        // Fails only when the owning task is gone, with its runtime.
        let _ = self.exit.clone().wait_for(Option::is_some).await;
        let _ = tokio::time::timeout(DRAIN_GRACE, ended(&self.output)).await;
    }

    fn take_exit(&mut self) -> Option<Exit> {
        let exit = if self.taken { None } else { *self.exit.borrow() };
        self.taken |= exit.is_some();
        exit
    }

    async fn kill(&mut self) {
        self.kill.cancel();
        let reaped = tokio::time::timeout(KILL_GRACE, self.exit.wait_for(Option::is_some)).await.is_ok();
        self.taken |= reaped;
    }

    /// Not told in a way that all systems share: the script's own clock and the watchdog's bound it.
    fn cpu_time(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }

    fn is_stopped(&self) -> bool {
        false
    }
}
