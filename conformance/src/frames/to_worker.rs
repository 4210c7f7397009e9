//! Plays the parent: drives the real worker mode with a script, as the supervisor would start it.
//!
//! No MCP, no server: `wit __worker` with an empty environment, an empty directory and three pipes (I2). Whatever the
//! script sends, the worker must answer with exactly the frames it names, and end as it says.

use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use wit_worker::protocol::FrameDecoder;

use super::expect::Ended;
use super::player::{self, Peer, Trouble};
use super::script::{Channel, Step};
use super::template::Variables;
use super::{Direction, ParseError};
use crate::process;

/// The invocation our scripts use unless they say otherwise.
pub const INVOCATION: u64 = 4_242_424_242;
/// The longest one script may take; far longer than any does.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a run showed.
#[derive(Debug, Default)]
pub struct Transcript {
    /// One line a frame or event, for people.
    pub lines: Vec<String>,
    /// What the worker wrote to stderr.
    pub stderr: String,
}

/// Why a run is not what the script says.
#[derive(Debug, thiserror::Error)]
#[error("{message}\n--- transcript\n{}\n--- worker's stderr\n{}", .transcript.lines.join("\n"), .transcript.stderr)]
pub struct Failure {
    /// The first difference.
    pub message: String,
    /// What happened up to it.
    pub transcript: Transcript,
}

/// Runs a script against `program`, the wit binary.
///
/// # Errors
/// The first difference from the script, with a transcript.
pub fn run(program: &Path, text: &str) -> Result<Transcript, Box<Failure>> {
    let early = |message: String| Box::new(Failure { message, transcript: Transcript::default() });
    let script = super::parse(text, Direction::ToWorker).map_err(|e: ParseError| early(e.to_string()))?;
    if !script.steps.iter().any(|line| matches!(line.step, Step::ExpectExit(_))) {
        return Err(early("a script to the worker says how the worker must end (expect exit …)".to_owned()));
    }
    let directory = tempfile::tempdir().map_err(|e| early(e.to_string()))?;
    let mut driver = Driver::start(program, directory.path()).map_err(|e| early(format!("start: {e}")))?;
    let played = player::play(&script, &mut driver, Variables { invocation: INVOCATION, ..Variables::default() });
    let verdict = match played {
        Ok(_) => driver.finish(),
        Err(stop) => Err(stop.to_string()),
    };
    let transcript = driver.stop();
    match verdict {
        Ok(()) => Ok(transcript),
        Err(message) => Err(Box::new(Failure { message, transcript })),
    }
}

struct Driver {
    child: Arc<Mutex<Child>>,
    stdin: Option<ChildStdin>,
    incoming: Receiver<Vec<u8>>,
    decoder: FrameDecoder,
    ended: bool,
    deadline: Instant,
    stderr: thread::JoinHandle<String>,
    lines: Vec<String>,
    /// Dropped when the run is over; a watchdog then stands down.
    _watched: Sender<()>,
}

impl Driver {
    fn start(program: &Path, directory: &Path) -> std::io::Result<Self> {
        let mut child = Command::new(program)
            .arg(wit_worker::WORKER_ARGUMENT)
            .env_clear()
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let missing = || std::io::Error::other("a pipe is missing");
        let stdin = child.stdin.take();
        let mut stdout = child.stdout.take().ok_or_else(missing)?;
        let mut stderr = child.stderr.take().ok_or_else(missing)?;
        let (forward, incoming) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 16 * 1024];
            while let Ok(count @ 1..) = stdout.read(&mut buffer) {
                if forward.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let stderr = thread::spawn(move || {
            let mut bytes = Vec::new();
            drop(stderr.by_ref().take(64 * 1024).read_to_end(&mut bytes));
            drop(std::io::copy(&mut stderr, &mut std::io::sink()));
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let child = Arc::new(Mutex::new(child));
        let (watched, watch) = channel::<()>();
        let victim = Arc::clone(&child);
        // Also unblocks a write to a worker that stopped reading.
        thread::spawn(move || {
            if watch.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                drop(victim.lock().unwrap_or_else(PoisonError::into_inner).kill());
            }
        });
        Ok(Self {
            child,
            stdin,
            incoming,
            decoder: FrameDecoder::new(),
            ended: false,
            deadline: Instant::now() + PATIENCE,
            stderr,
            lines: Vec::new(),
            _watched: watched,
        })
    }

    fn note(&mut self, what: &str, bytes: &[u8]) {
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(400)]);
        self.lines.push(format!("{what} ({} bytes) {shown}", bytes.len()));
    }

    /// More bytes from the worker; false at the end.
    fn read(&mut self) -> Result<usize, Trouble> {
        if self.ended {
            return Ok(0);
        }
        match self.incoming.recv_timeout(self.deadline.saturating_duration_since(Instant::now())) {
            Ok(bytes) => {
                self.decoder.push(&bytes);
                Ok(bytes.len())
            }
            Err(RecvTimeoutError::Disconnected) => {
                self.ended = true;
                self.lines.push("worker closed its stdout".to_owned());
                Ok(0)
            }
            Err(RecvTimeoutError::Timeout) => Err(Trouble::Other("nothing came from the worker in time".to_owned())),
        }
    }

    /// After the last step: nothing unread may be left, and the worker must be gone.
    fn finish(&mut self) -> Result<(), String> {
        self.stdin = None;
        let text = |trouble| match trouble {
            Trouble::Gone => "the worker is gone".to_owned(),
            Trouble::Other(message) => message,
        };
        let left = self.read_to_end().map_err(text)?;
        if left > 0 {
            return Err(format!("the script ended, and {left} more bytes came"));
        }
        self.ended().map(drop).map_err(text)
    }

    fn stop(self) -> Transcript {
        let Self { child, stderr, lines, stdin, .. } = self;
        drop(stdin);
        {
            let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
            drop(child.kill());
            drop(child.wait());
        }
        Transcript { lines, stderr: stderr.join().unwrap_or_default() }
    }
}

impl Peer for Driver {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        self.note("parent →", bytes);
        if let Some(stdin) = &mut self.stdin {
            // A worker that refused the bytes before is gone by now. The lines that follow judge that.
            drop(stdin.write_all(bytes).and_then(|()| stdin.flush()));
        }
        Ok(())
    }

    fn read_frame(&mut self) -> Result<Option<Vec<u8>>, Trouble> {
        loop {
            let frame = self.decoder.next_frame().map_err(|e| Trouble::Other(e.to_string()))?.map(<[u8]>::to_vec);
            if let Some(frame) = frame {
                self.note("worker →", &frame);
                return Ok(Some(frame));
            }
            if self.read()? == 0 {
                return if self.decoder.is_mid_frame() {
                    Err(Trouble::Other("the worker ended within a frame".to_owned()))
                } else {
                    Ok(None)
                };
            }
        }
    }

    fn read_to_end(&mut self) -> Result<usize, Trouble> {
        let mut total = 0;
        // Whatever was read before and not taken counts as well.
        while let Ok(Some(frame)) = self.decoder.next_frame().map(|frame| frame.map(<[u8]>::to_vec)) {
            total += frame.len();
            self.note("worker →", &frame);
        }
        total += usize::from(self.decoder.is_mid_frame());
        loop {
            match self.read()? {
                0 => return Ok(total),
                count => total += count,
            }
            while let Ok(Some(frame)) = self.decoder.next_frame().map(|frame| frame.map(<[u8]>::to_vec)) {
                self.note("worker →", &frame);
            }
        }
    }

    fn close(&mut self, channel: Channel) -> Result<(), Trouble> {
        if channel != Channel::Stdin {
            return Err(Trouble::Other("the test always reads stdout and stderr".to_owned()));
        }
        self.stdin = None;
        self.lines.push(format!("parent closed {channel:?}"));
        Ok(())
    }

    fn pause(&mut self, duration: Duration) {
        thread::sleep(duration);
    }

    fn ended(&mut self) -> Result<Ended, Trouble> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let look = || self.child.lock().unwrap_or_else(PoisonError::into_inner).try_wait().transpose();
        match process::wait_for(left, look) {
            Some(Ok(status)) => {
                self.lines.push(format!("worker ended: {status}"));
                Ok(how(status))
            }
            Some(Err(error)) => Err(Trouble::Other(error.to_string())),
            None => Err(Trouble::Other("the worker did not end in time".to_owned())),
        }
    }

    fn act(&mut self, _: &Step, _: &[u8]) -> Result<(), Trouble> {
        Err(Trouble::Other("not a step of a script to the worker".to_owned()))
    }
}

fn how(status: std::process::ExitStatus) -> Ended {
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ended::Signal(signal);
    }
    Ended::Status(status.code().unwrap_or(-1))
}
