//! The hostile worker: replays a script to the parent that launched it.
//!
//! `--worker` takes only a path, and a worker is born with nothing else: no environment, an empty directory, three
//! descriptors. So the script lies beside the executable, in a directory made for one case, and so does the report.

use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Signal as Number, getpid, kill_process};
use wit_worker::protocol::FrameDecoder;

use super::Direction;
use super::expect::Ended;
use super::player::{self, Peer, Stop, Trouble};
use super::report::{Event, Start, Writer};
use super::script::{Channel, Lockdown, Script, Signal, Step};
use super::template::Variables;
use super::{SCRIPT_FILE, disguise};

/// The argument that makes this program the child of `fork-hold`.
const HOLD_ARGUMENT: &str = "__hold";
/// The same outside the process group.
const HOLD_DETACHED_ARGUMENT: &str = "__hold_detached";
/// How long such a child holds the pipes: far longer than any case takes, and not for ever.
const HOLD: Duration = Duration::from_secs(20);

/// Runs the program. The status is 0 when the script was played to its end or the parent went away.
#[must_use]
pub fn main() -> u8 {
    let argument = std::env::args().nth(1).unwrap_or_default();
    match argument.as_str() {
        HOLD_ARGUMENT | HOLD_DETACHED_ARGUMENT => {
            if argument == HOLD_DETACHED_ARGUMENT {
                let _ = rustix::process::setsid();
            }
            std::thread::sleep(HOLD);
            0
        }
        _ => replay().unwrap_or(101),
    }
}

fn replay() -> io::Result<u8> {
    let start = Start::observe()?;
    let executable = std::fs::read_link("/proc/self/exe")?;
    let directory = executable.parent().unwrap_or(Path::new("/"));
    let mut report = Writer::create(directory)?;
    report.event(&Event::Start(start))?;
    let script = match read(&directory.join(SCRIPT_FILE)) {
        Ok(script) => script,
        Err(error) => {
            report.event(&Event::Trouble(error))?;
            return Ok(100);
        }
    };
    let lockdown = match script.steps.first().map(|line| &line.step) {
        Some(Step::Lockdown(lockdown)) => *lockdown,
        _ => Lockdown::Full,
    };
    if let Err(error) = disguise::put_on(lockdown) {
        report.event(&Event::Trouble(error))?;
        return Ok(100);
    }
    report.event(&Event::LockedDown)?;
    let mut worker = Hostile { decoder: FrameDecoder::new(), report, chosen: None };
    worker.play(&script, directory)
}

/// Reads a script of this direction.
fn read(path: &Path) -> Result<Script, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    super::parse(&text, Direction::ToParent).map_err(|e| e.to_string())
}

struct Hostile {
    decoder: FrameDecoder,
    report: Writer,
    /// The script that `choose` chose.
    chosen: Option<String>,
}

impl Hostile {
    /// Plays a script, and the one it chooses.
    fn play(&mut self, script: &Script, directory: &Path) -> io::Result<u8> {
        let mut played = player::play(script, self, Variables::default());
        if let (Ok(variables), Some(name)) = (&played, self.chosen.take()) {
            match read(&directory.join(&name)) {
                Ok(script) => played = player::play(&script, self, variables.clone()),
                Err(error) => {
                    self.report.event(&Event::Trouble(error))?;
                    return Ok(100);
                }
            }
        }
        if let Err(stop @ Stop::Mismatch { .. }) = &played {
            self.report.event(&Event::Trouble(stop.to_string()))?;
            return Ok(99);
        }
        self.report.event(&Event::Done)?;
        Ok(0)
    }

    fn note(&mut self, event: &Event) -> Result<(), Trouble> {
        self.report.event(event).map_err(|e| Trouble::Other(format!("report: {e}")))
    }

    /// Reads some bytes from the parent; zero is the end.
    fn read(&mut self) -> Result<usize, Trouble> {
        let mut buffer = [0; 16 * 1024];
        let count = loop {
            match rustix::io::read(io::stdin().as_fd(), &mut buffer) {
                Ok(count) => break count,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(Trouble::Other(format!("read: {error}"))),
            }
        };
        self.decoder.push(&buffer[..count]);
        Ok(count)
    }

    /// The next whole frame that was read, noted in the report.
    fn buffered(&mut self) -> Result<Option<Vec<u8>>, Trouble> {
        let frame = self.decoder.next_frame().map_err(|e| Trouble::Other(e.to_string()))?.map(<[u8]>::to_vec);
        if let Some(frame) = &frame {
            self.note(&Event::Received(String::from_utf8_lossy(frame).into_owned()))?;
        }
        Ok(frame)
    }
}

impl Peer for Hostile {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        write_all(io::stdout().as_fd(), bytes)
    }

    fn read_frame(&mut self) -> Result<Option<Vec<u8>>, Trouble> {
        loop {
            if let Some(frame) = self.buffered()? {
                return Ok(Some(frame));
            }
            if self.read()? == 0 {
                return Ok(None);
            }
        }
    }

    fn read_to_end(&mut self) -> Result<usize, Trouble> {
        let mut total = 0;
        loop {
            while self.buffered()?.is_some() {}
            match self.read()? {
                0 => return Ok(total),
                count => total += count,
            }
        }
    }

    /// Puts `/dev/null` in the channel's place, which closes the pipe without leaving a hole for another file.
    fn close(&mut self, channel: Channel) -> Result<(), Trouble> {
        let null = std::fs::File::options().read(true).write(true).open("/dev/null");
        let null = null.map_err(|e| format!("open /dev/null: {e}"))?;
        let closed = match channel {
            Channel::Stdin => rustix::stdio::dup2_stdin(null),
            Channel::Stdout => rustix::stdio::dup2_stdout(null),
            Channel::Stderr => rustix::stdio::dup2_stderr(null),
        };
        closed.map_err(|e| Trouble::Other(format!("close: {e}")))
    }

    fn pause(&mut self, duration: Duration) {
        std::thread::sleep(duration);
    }

    fn ended(&mut self) -> Result<Ended, Trouble> {
        Err(Trouble::Other("a worker does not wait for its parent's end".to_owned()))
    }

    fn act(&mut self, step: &Step, bytes: &[u8]) -> Result<(), Trouble> {
        match step {
            Step::WaitInput => wait_for_input(),
            Step::Stderr(_) => write_all(io::stderr().as_fd(), bytes),
            Step::Exit(status) => std::process::exit(i32::from(*status)),
            Step::Signal(signal) => raise(*signal),
            Step::IgnoreTerm => {
                // A handler that only sets a flag nobody reads.
                let flag = Arc::new(std::sync::atomic::AtomicBool::new(false));
                signal_hook::flag::register(signal_hook::consts::SIGTERM, flag)
                    .map(drop)
                    .map_err(|e| Trouble::Other(format!("ignore SIGTERM: {e}")))
            }
            Step::ForkHold { detached } => {
                let argument = if *detached { HOLD_DETACHED_ARGUMENT } else { HOLD_ARGUMENT };
                let held = || Stdio::inherit();
                let child =
                    Command::new("/proc/self/exe").arg(argument).stdin(held()).stdout(held()).stderr(held()).spawn();
                // Nobody waits for it: the child outlives this process on purpose.
                child.map(drop).map_err(|e| Trouble::Other(format!("fork: {e}")))
            }
            Step::Choose => {
                // Only a plain name: the source comes from a client.
                let name = String::from_utf8_lossy(bytes).into_owned();
                let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
                if !plain {
                    return Err(Trouble::Other("the source names no script".to_owned()));
                }
                self.chosen = Some(name);
                Ok(())
            }
            Step::Hang => loop {
                std::thread::sleep(Duration::from_secs(3600));
            },
            // The lockdown happened before the first step.
            _ => Ok(()),
        }
    }
}

/// Waits until something lies in the pipe from the parent; what the parent has closed is gone instead.
fn wait_for_input() -> Result<(), Trouble> {
    let stdin = io::stdin();
    loop {
        let mut polled = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut polled, None) {
            Ok(_) if polled.iter().any(|fd| fd.revents().contains(PollFlags::IN)) => return Ok(()),
            Ok(_) => return Err(Trouble::Gone),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(Trouble::Other(format!("poll: {error}"))),
        }
    }
}

fn raise(signal: Signal) -> Result<(), Trouble> {
    let number = match signal {
        Signal::Segv => Number::SEGV,
        Signal::Abort => Number::ABORT,
        Signal::Ill => Number::ILL,
        Signal::Kill => Number::KILL,
        Signal::Sys => Number::SYS,
        Signal::Xcpu => Number::XCPU,
        Signal::Term => Number::TERM,
        Signal::Stop => Number::STOP,
    };
    // The first SIGSEGV meets the handler that Rust installs against stack overflow; it steps aside for the second.
    for _ in 0..2 {
        kill_process(getpid(), number).map_err(|e| format!("raise: {e}"))?;
    }
    Ok(())
}

fn write_all(descriptor: std::os::fd::BorrowedFd<'_>, mut bytes: &[u8]) -> Result<(), Trouble> {
    while !bytes.is_empty() {
        match rustix::io::write(descriptor, bytes) {
            Ok(count) => bytes = &bytes[count.min(bytes.len())..],
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::PIPE) => return Err(Trouble::Gone),
            Err(error) => return Err(Trouble::Other(format!("write: {error}"))),
        }
    }
    Ok(())
}
