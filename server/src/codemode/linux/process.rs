//! Worker processes: started, watched, killed and reaped (I1, I2, I10).
//!
//! Two threads do what would block the runtime. The *launcher* creates processes: `PR_SET_PDEATHSIG` fires when the
//! creating *thread* ends, so it must live as long as the server, and `posix_spawn` suspends its caller until the
//! new program runs. The *janitor* kills and reaps whatever an invocation let go of, so that no path leaves a zombie.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe;
use tokio::sync::oneshot;
use wit_worker::protocol::FrameDecoder;
use wit_worker::registry::LimitId;

use super::place;
use super::program::WorkerProgram;
use crate::codemode::verdict::Exit;
use crate::codemode::worker::{WorkerProcess, lock};

/// A server that starts no process for this long has time to tidy up.
const IDLE: Duration = Duration::from_millis(50);
/// How long a kill may take to show before the janitor is left to wait for it.
const KILL_GRACE: Duration = Duration::from_millis(500);

/// CPU time at which the kernel ends a worker, as the lockdown sets it: the largest budget and a second.
const CPU_LIMIT: Duration = Duration::from_millis(LimitId::WallMs.entry().maximum + 1000);
const SIGXCPU: i32 = Signal::XCPU.as_raw();

/// A process just created, nothing known of it yet.
struct Launched {
    pid: Pid,
    pidfd: OwnedFd,
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

type LaunchReply = oneshot::Sender<io::Result<Launched>>;

/// Starts and disposes of worker processes.
pub(super) struct Factory {
    launch: Mutex<Option<mpsc::Sender<LaunchReply>>>,
    dispose: Disposal,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

type Disposal = Arc<Mutex<Option<mpsc::Sender<Remains>>>>;

/// The wait for a process that is being created. Let go in the very moment it arrives, the process is ended: nobody
/// else knows of it.
struct Awaited<'a> {
    launched: oneshot::Receiver<io::Result<Launched>>,
    dispose: &'a Disposal,
}

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        // From here on the launcher finds nobody, and ends what it creates.
        self.launched.close();
        if let Ok(Ok(orphan)) = self.launched.try_recv() {
            discard(self.dispose, Remains { pid: orphan.pid, pidfd: orphan.pidfd });
        }
    }
}

/// Kills a process at once, and leaves it to the janitor to reap.
fn discard(dispose: &Disposal, remains: Remains) {
    kill(remains.pid, &remains.pidfd);
    let left = match lock(dispose).as_ref() {
        Some(dispose) => dispose.send(remains).err().map(|error| error.0),
        None => Some(remains),
    };
    if let Some(remains) = left {
        end(&remains); // the server is closing and the janitor gone: already killed, so this is short
    }
}

/// What is left of a worker nobody waits for.
struct Remains {
    pid: Pid,
    pidfd: OwnedFd,
}

impl Factory {
    /// Starts the two threads.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub(super) fn new(program: Option<PathBuf>) -> io::Result<Self> {
        let (launch, launches) = mpsc::channel::<LaunchReply>();
        let (dispose, remains) = mpsc::channel::<Remains>();
        let program = WorkerProgram::new(program);
        let roots = place::roots();
        place::sweep(&roots);
        let launcher =
            std::thread::Builder::new().name("wit-launcher".into()).stack_size(256 * 1024).spawn(move || {
                while let Some(reply) = next_or_tidy_up(&launches) {
                    if let Err(Ok(orphan)) = reply.send(create(program.path(), &roots)) {
                        end(&Remains { pid: orphan.pid, pidfd: orphan.pidfd }); // the invocation was cancelled meanwhile
                    }
                }
            })?;
        let janitor =
            std::thread::Builder::new().name("wit-janitor".into()).stack_size(128 * 1024).spawn(move || {
                for worker in remains {
                    end(&worker);
                }
            })?;
        Ok(Self {
            launch: Mutex::new(Some(launch)),
            dispose: Arc::new(Mutex::new(Some(dispose))),
            threads: Mutex::new(vec![launcher, janitor]),
        })
    }

    /// Creates one process.
    ///
    /// # Errors
    /// When the system refuses it, or the factory is closed.
    pub(super) async fn launch(&self) -> io::Result<Worker> {
        let closed = || io::Error::other("the factory is closed");
        let (reply, launched) = oneshot::channel();
        let sent = lock(&self.launch).as_ref().map(|launch| launch.send(reply));
        sent.ok_or_else(closed)?.map_err(|_| closed())?;
        let mut awaited = Awaited { launched, dispose: &self.dispose };
        let launched = (&mut awaited.launched).await.map_err(|_| closed())??;
        Worker::adopt(launched, Arc::clone(&self.dispose))
    }

    /// Ends both threads once everything given to them is done. Blocks.
    pub(super) fn close(&self) {
        lock(&self.launch).take();
        lock(&self.dispose).take();
        for thread in lock(&self.threads).drain(..) {
            let _ = thread.join();
        }
    }
}

/// Creates a process with an empty environment, an empty private working directory, three pipes and nothing else
/// (I2).
fn create(program: &Path, roots: &[PathBuf]) -> io::Result<Launched> {
    let place = place::make(roots)?;
    let mut child = Command::new(program)
        .arg0("wit")
        .arg(wit_worker::WORKER_ARGUMENT)
        .env_clear()
        .current_dir(place.path())
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    drop(place);
    let pid = Pid::from_child(&child);
    let pidfd = match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
        Ok(pidfd) => pidfd,
        Err(error) => {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error.into());
        }
    };
    let remains = Remains { pid, pidfd };
    match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
        (Some(stdin), Some(stdout), Some(stderr)) => Ok(Launched {
            pid,
            pidfd: remains.pidfd,
            stdin: stdin.into(),
            stdout: stdout.into(),
            stderr: stderr.into(),
        }),
        _ => {
            end(&remains);
            Err(io::Error::other("a pipe is missing"))
        }
    }
}

/// The next request. When none comes for a moment, the server's freed memory goes back to the system first: large results
/// would otherwise leave holes that are kept for good, and this is the thread that has the time.
fn next_or_tidy_up<T>(requests: &mpsc::Receiver<T>) -> Option<T> {
    match requests.recv_timeout(IDLE) {
        Err(mpsc::RecvTimeoutError::Timeout) => {
            wit_worker::sandbox::parent::trim_memory();
            requests.recv().ok()
        }
        request => request.ok(),
    }
}

/// Kills the process and its group, and reaps it. Blocks until it is gone.
fn end(worker: &Remains) {
    kill(worker.pid, &worker.pidfd);
    while let Err(rustix::io::Errno::INTR) =
        rustix::process::waitid(WaitId::PidFd(worker.pidfd.as_fd()), WaitIdOptions::EXITED)
    {}
}

/// By pidfd, so that a reused number is never hit, and by group, for whatever a hostile worker has forked. The
/// group number cannot be reused before the leader is reaped.
fn kill(pid: Pid, pidfd: &OwnedFd) {
    let _ = rustix::process::pidfd_send_signal(pidfd, Signal::KILL);
    let _ = rustix::process::kill_process_group(pid, Signal::KILL);
}

/// Registers a pidfd with the runtime.
fn observe(pidfd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // The constructor is deprecated for types whose descriptor may change while registered; an `OwnedFd`'s cannot,
    // and its successor is `unsafe`.
    #[expect(deprecated, reason = "sound for OwnedFd; the successor is unsafe")]
    AsyncFd::with_interest(pidfd, Interest::READABLE)
}

/// One worker process. Dropped anywhere, it is killed and reaped by the janitor.
pub(super) struct Worker {
    pid: Pid,
    /// Taken when the process has been reaped, or is handed to the janitor.
    pidfd: Option<AsyncFd<OwnedFd>>,
    /// Closed when nothing more is to be said.
    stdin: Option<pipe::Sender>,
    /// Frames come out of here.
    stdout: pipe::Receiver,
    /// Counted, never read for content.
    stderr: pipe::Receiver,
    /// Bytes read and not yet judged.
    decoder: FrameDecoder,
    dispose: Disposal,
}

/// A look at a process that has been waiting, perhaps for long. Kept open, it costs about five microseconds a time.
pub(super) struct Pulse(std::fs::File);

impl Pulse {
    /// Whether the process can take what it is given: neither dead nor stopped, and no signal on its way to it. One
    /// that is killed or stopped while it waits in `read` still takes bytes that arrive before it is scheduled, so its
    /// pipe alone would not tell.
    pub(super) fn beats(&self) -> bool {
        let mut text = [0_u8; 4096];
        let Ok(count) = rustix::io::pread(&self.0, &mut text, 0) else { return false };
        let text = text.get(..count).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default();
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let none = |pending: Option<&str>| pending.is_some_and(|mask| mask.bytes().all(|digit| digit == b'0'));
        field("State:").is_some_and(|state| !state.starts_with(['T', 't', 'Z', 'X']))
            && none(field("SigPnd:"))
            && none(field("ShdPnd:"))
    }
}

/// What the kernel says of a process, from its state on. The name before it, in parentheses, may hold anything.
fn stat(pid: Pid) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    stat.rsplit_once(") ").map(|(_, fields)| fields.to_owned())
}

/// The user and system time of a process, a zombie included, in the kernel's ticks of 10 ms.
fn cpu_time(pid: Pid) -> Option<Duration> {
    let stat = stat(pid)?;
    let mut fields = stat.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
}

impl Worker {
    fn adopt(launched: Launched, dispose: Disposal) -> io::Result<Self> {
        let Launched { pid, pidfd, stdin, stdout, stderr } = launched;
        let wrapped = (|| {
            Ok((
                pipe::Sender::from_owned_fd(stdin)?,
                pipe::Receiver::from_owned_fd(stdout)?,
                pipe::Receiver::from_owned_fd(stderr)?,
                pidfd.try_clone()?,
            ))
        })();
        let abandon = |pidfd| end(&Remains { pid, pidfd });
        let (stdin, stdout, stderr, watched) = match wrapped {
            Ok(parts) => parts,
            Err(error) => {
                abandon(pidfd);
                return Err(error);
            }
        };
        match observe(watched) {
            Ok(watched) => Ok(Self {
                pid,
                pidfd: Some(watched),
                stdin: Some(stdin),
                stdout,
                stderr,
                decoder: FrameDecoder::new(),
                dispose,
            }),
            Err(error) => {
                abandon(pidfd);
                Err(error)
            }
        }
    }

    /// `/proc/<pid>/status`, as the kernel tells it.
    ///
    /// # Errors
    /// When it cannot be read; the worker must then not be trusted.
    pub(super) fn status(&self) -> io::Result<String> {
        std::fs::read_to_string(format!("/proc/{}/status", self.pid.as_raw_nonzero()))
    }

    /// A second eye on the process: readable when it has ended.
    ///
    /// # Errors
    /// When the system refuses another descriptor.
    pub(super) fn watch(&self) -> io::Result<AsyncFd<OwnedFd>> {
        match &self.pidfd {
            Some(pidfd) => observe(pidfd.get_ref().try_clone()?),
            None => Err(io::Error::other("the process has been reaped")),
        }
    }

    /// A way to look again and again whether the process can take something.
    ///
    /// # Errors
    /// When the system refuses another descriptor.
    pub(super) fn pulse(&self) -> io::Result<Pulse> {
        std::fs::File::open(format!("/proc/{}/status", self.pid.as_raw_nonzero())).map(Pulse)
    }
}

impl WorkerProcess for Worker {
    fn decoder(&mut self) -> &mut FrameDecoder {
        &mut self.decoder
    }

    async fn output_ready(&self) -> bool {
        self.stdout.readable().await.is_ok()
    }

    fn read_output(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stdout.try_read(buffer)
    }

    async fn diagnostics_ready(&self) -> bool {
        self.stderr.readable().await.is_ok()
    }

    fn read_diagnostics(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stderr.try_read(buffer)
    }

    fn has_input(&self) -> bool {
        self.stdin.is_some()
    }

    async fn input_ready(&self) {
        match &self.stdin {
            Some(stdin) => {
                let _ = stdin.writable().await;
            }
            None => std::future::pending().await,
        }
    }

    fn write_input(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stdin.as_ref().map_or(Err(io::ErrorKind::BrokenPipe.into()), |stdin| stdin.try_write(bytes))
    }

    fn close_input(&mut self) {
        self.stdin = None;
    }

    /// The kernel says so, not the worker.
    fn unread_input(&self) -> Option<u64> {
        self.stdin.as_ref().and_then(|stdin| rustix::io::ioctl_fionread(stdin).ok())
    }

    /// In steps of 10 ms.
    fn cpu_time(&self) -> Option<Duration> {
        cpu_time(self.pid)
    }

    fn is_stopped(&self) -> bool {
        stat(self.pid).is_some_and(|stat| stat.starts_with(['T', 't']))
    }

    async fn exited(&self) {
        if let Some(pidfd) = &self.pidfd {
            // A pidfd stays readable once the process has ended, so the readiness is never cleared.
            let _ = pidfd.readable().await;
        }
    }

    fn take_exit(&mut self) -> Option<Exit> {
        let pidfd = self.pidfd.as_ref()?;
        let look = |options| rustix::process::waitid(WaitId::PidFd(pidfd.get_ref().as_fd()), options).ok().flatten();
        let seen = look(WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT)?;
        // A signal anyone may send; the limit is believed only with the time used, which goes with the zombie.
        let is_out_of_cpu =
            seen.terminating_signal() == Some(SIGXCPU) && cpu_time(self.pid).is_some_and(|used| used >= CPU_LIMIT);
        // A zombie still owns its group number, so this cannot hit a stranger.
        let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
        let status = look(WaitIdOptions::EXITED | WaitIdOptions::NOHANG)?;
        self.pidfd = None;
        Some(match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Exit::Status(code),
            (None, Some(_)) if is_out_of_cpu => Exit::OutOfCpu,
            (None, Some(signal)) => Exit::Signal(signal),
            (None, None) => Exit::Status(-1),
        })
    }

    /// After a bounded time the janitor reaps it.
    async fn kill(&mut self) {
        if self.take_exit().is_some() {
            return;
        }
        let Some(pidfd) = &self.pidfd else { return };
        kill(self.pid, pidfd.get_ref());
        let _ = tokio::time::timeout(KILL_GRACE, self.exited()).await;
        let _ = self.take_exit();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let Some(pidfd) = self.pidfd.take() else { return };
        discard(&self.dispose, Remains { pid: self.pid, pidfd: pidfd.into_inner() });
    }
}
