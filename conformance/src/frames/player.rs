//! Executes a script against a peer. The same for both directions: only the [`Peer`] differs.

use std::time::Duration;

use serde_json::Value;
use wit_worker::protocol::{ToWorker, frame};

use super::expect::{Ended, ExitKind};
use super::script::{Channel, Pace, Script, Send, Step};
use super::template::Variables;

/// Why a script ended before its last step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The other side did not do what the script expects.
    #[error("line {line}: {message}")]
    Mismatch {
        /// The line in the script.
        line: usize,
        /// What was expected and what came.
        message: String,
    },
    /// The other side is gone, which no line expected; for a hostile worker that is how every script may end.
    #[error("the other side closed the pipe")]
    Gone,
}

/// What a peer could not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The other side is gone.
    Gone,
    /// Anything else, in words.
    Other(String),
}

impl From<String> for Trouble {
    fn from(message: String) -> Self {
        Self::Other(message)
    }
}

/// One end of the pipes, and what a script may do to its own process.
pub trait Peer {
    /// Writes all bytes, in one system call where the kernel allows.
    ///
    /// # Errors
    /// When it cannot.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Trouble>;

    /// Reads a frame's body; nothing when the other side closed between frames.
    ///
    /// # Errors
    /// When a frame is malformed or cut off, or does not come in time.
    fn read_frame(&mut self) -> Result<Option<Vec<u8>>, Trouble>;

    /// Reads until the other side closes; gives the number of bytes dropped.
    ///
    /// # Errors
    /// When it does not close in time.
    fn read_to_end(&mut self) -> Result<usize, Trouble>;

    /// Closes one of the script's channels.
    ///
    /// # Errors
    /// When it cannot.
    fn close(&mut self, channel: Channel) -> Result<(), Trouble>;

    /// Does nothing for a while.
    fn pause(&mut self, duration: Duration);

    /// Waits for the other process to end.
    ///
    /// # Errors
    /// When it does not end in time, or is not ours to wait for.
    fn ended(&mut self) -> Result<Ended, Trouble>;

    /// Does what only this kind of peer does: waiting for input it leaves unread, stderr, signals, exit, fork. The bytes are those of `stderr`, or the
    /// source for `choose`.
    ///
    /// # Errors
    /// When it cannot.
    fn act(&mut self, step: &Step, bytes: &[u8]) -> Result<(), Trouble>;
}

/// Runs every step in order.
///
/// # Errors
/// Where it ended early, and why.
pub fn play<P: Peer>(script: &Script, peer: &mut P, variables: Variables) -> Result<Variables, Stop> {
    let mut player = Player { peer, variables, held: None, last: Vec::new(), source: Vec::new() };
    for line in &script.steps {
        player.step(&line.step).map_err(|trouble| match trouble {
            Trouble::Gone => Stop::Gone,
            Trouble::Other(message) => Stop::Mismatch { line: line.number, message },
        })?;
    }
    Ok(player.variables)
}

struct Player<'a, P> {
    peer: &'a mut P,
    variables: Variables,
    /// What `hold` collects.
    held: Option<Vec<u8>>,
    /// The last frame read, for `keep`.
    last: Vec<u8>,
    /// The source that came with `execute`.
    source: Vec<u8>,
}

impl<P: Peer> Player<'_, P> {
    fn step(&mut self, step: &Step) -> Result<(), Trouble> {
        match step {
            Step::WaitExecute => self.wait_execute(),
            Step::WaitEof => self.peer.read_to_end().map(drop),
            Step::Send(send) => self.send(send),
            Step::Hold => {
                self.held = Some(Vec::new());
                Ok(())
            }
            Step::Flush(pace) => {
                let held = self.held.take().unwrap_or_default();
                self.write(&held, pace)
            }
            Step::Pause(duration) => {
                self.peer.pause(*duration);
                Ok(())
            }
            Step::Close(channel) => self.peer.close(*channel),
            Step::ExpectFrame(pattern) => {
                self.last = self.peer.read_frame()?.ok_or("expected a frame, and the other side closed".to_owned())?;
                pattern.check(&self.last, &self.variables).map_err(Trouble::Other)
            }
            Step::ExpectEof => match self.peer.read_to_end()? {
                0 => Ok(()),
                bytes => Err(Trouble::Other(format!("expected nothing more, and {bytes} bytes came"))),
            },
            Step::ExpectExit(kind) => self.expect_exit(*kind),
            Step::Keep { name, path } => self.keep(name, path),
            Step::Stderr(template) => {
                let bytes = template.expand(&self.variables)?;
                self.peer.act(step, &bytes)
            }
            Step::Choose => self.peer.act(step, &self.source),
            Step::Lockdown(_)
            | Step::WaitInput
            | Step::Exit(_)
            | Step::Signal(_)
            | Step::IgnoreTerm
            | Step::ForkHold { .. }
            | Step::Hang => self.peer.act(step, &[]),
        }
    }

    fn wait_execute(&mut self) -> Result<(), Trouble> {
        let execute = self.peer.read_frame()?.ok_or(Trouble::Gone)?;
        let ToWorker::Execute(execute) = ToWorker::parse(&execute).map_err(|e| e.to_string())? else {
            return Err(Trouble::Other("the first frame from the parent is not execute".to_owned()));
        };
        let source = self.peer.read_frame()?.ok_or(Trouble::Gone)?;
        if u64::try_from(source.len()) != Ok(execute.source_bytes) {
            return Err(Trouble::Other(format!(
                "source_bytes is {}, the source {}",
                execute.source_bytes,
                source.len()
            )));
        }
        self.variables.invocation = execute.invocation.0.get();
        self.source = source;
        Ok(())
    }

    fn send(&mut self, send: &Send) -> Result<(), Trouble> {
        for counter in 1..=send.times {
            self.variables.counter = u64::from(counter);
            let body = send.template.expand(&self.variables)?;
            let mut bytes = Vec::with_capacity(body.len() + frame::HEADER_BYTES);
            if send.framed {
                let length = send.length.or(u32::try_from(body.len()).ok()).unwrap_or(u32::MAX);
                bytes.extend_from_slice(&length.to_be_bytes());
            }
            bytes.extend_from_slice(&body);
            match &mut self.held {
                Some(held) => held.extend_from_slice(&bytes),
                None => self.write(&bytes, &send.pace)?,
            }
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8], pace: &Pace) -> Result<(), Trouble> {
        for part in pace.cut(bytes) {
            self.peer.write(part)?;
            if let Pace::Every { pause, .. } = pace
                && !pause.is_zero()
            {
                self.peer.pause(*pause);
            }
        }
        Ok(())
    }

    fn expect_exit(&mut self, kind: ExitKind) -> Result<(), Trouble> {
        let ended = self.peer.ended()?;
        if kind.matches(ended) {
            return Ok(());
        }
        Err(Trouble::Other(format!("expected the process to end by {kind:?}, it ended by {ended:?}")))
    }

    fn keep(&mut self, name: &str, path: &[String]) -> Result<(), Trouble> {
        let frame: Value = serde_json::from_slice(&self.last).map_err(|e| e.to_string())?;
        let mut part = &frame;
        for field in path {
            part = part.get(field).ok_or(format!("the last frame has no {field} to keep"))?;
        }
        self.variables.kept.push((name.to_owned(), part.to_string()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::frames::{Direction, parse};

    /// A peer that remembers what was written and answers from a list.
    #[derive(Default)]
    struct Memory {
        written: Vec<Vec<u8>>,
        frames: VecDeque<Vec<u8>>,
        acts: Vec<Step>,
    }

    impl Peer for Memory {
        fn write(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
            self.written.push(bytes.to_vec());
            Ok(())
        }
        fn read_frame(&mut self) -> Result<Option<Vec<u8>>, Trouble> {
            Ok(self.frames.pop_front())
        }
        fn read_to_end(&mut self) -> Result<usize, Trouble> {
            Ok(self.frames.drain(..).map(|frame| frame.len()).sum())
        }
        fn close(&mut self, _: Channel) -> Result<(), Trouble> {
            Ok(())
        }
        fn pause(&mut self, _: Duration) {}
        fn ended(&mut self) -> Result<Ended, Trouble> {
            Ok(Ended::Status(3))
        }
        fn act(&mut self, step: &Step, _: &[u8]) -> Result<(), Trouble> {
            self.acts.push(step.clone());
            Ok(())
        }
    }

    fn run(text: &str, direction: Direction, frames: &[&str]) -> (Result<(), Stop>, Memory) {
        let script = parse(text, direction).unwrap_or_else(|e| panic!("{e}"));
        let frames = frames.iter().map(|frame| frame.as_bytes().to_vec()).collect();
        let mut peer = Memory { frames, ..Memory::default() };
        let played = play(&script, &mut peer, Variables { invocation: 7, ..Variables::default() });
        (played.map(|_| ()), peer)
    }

    #[test]
    fn bytes_are_framed_cut_and_held_as_written() {
        let text =
            "split 1,3\nsend hex 41\nlength 9\nsend text \"B\"\nraw hex 00\nhold\ntimes 2 send json $N\nsplit 5\nflush";
        let (played, peer) = run(text, Direction::ToWorker, &[]);
        assert_eq!(played, Ok(()));
        let expected: [&[u8]; 7] = [&[0], &[0, 0, 1], b"A", b"\0\0\0\x09B", &[0], b"\0\0\0\x011", b"\0\0\0\x012"];
        assert_eq!(peer.written, expected);
    }

    #[test]
    fn the_invocation_is_the_parents_after_wait_execute() {
        let limits = serde_json::to_string(&wit_worker::registry::Limits::default()).unwrap_or_default();
        let execute =
            format!("{{\"type\":\"execute\",\"version\":1,\"invocation\":99,\"source_bytes\":2,\"limits\":{limits}}}");
        let (played, peer) = run("wait execute\nsend json $INVOCATION", Direction::ToParent, &[&execute, "ab"]);
        assert_eq!(played, Ok(()));
        assert_eq!(peer.written, [b"\0\0\0\x0299".to_vec()]);
        let (played, _) = run("wait execute\nexit 0", Direction::ToParent, &[&execute, "abc"]);
        assert!(matches!(played, Err(Stop::Mismatch { line: 1, .. })), "{played:?}");
        let (played, _) = run("wait execute\nexit 0", Direction::ToParent, &[]);
        assert_eq!(played, Err(Stop::Gone));
    }

    #[test]
    fn what_differs_from_an_expectation_stops_at_its_line() {
        let ready = r#"{"type":"ready","version":1,"layers":[]}"#;
        let (played, _) = run("expect ready\nkeep V version\nsend json $(kept V)", Direction::ToWorker, &[ready]);
        assert_eq!(played, Ok(()));
        let (played, _) = run("\nexpect result", Direction::ToWorker, &[ready]);
        assert!(matches!(played, Err(Stop::Mismatch { line: 2, .. })), "{played:?}");
        let (played, _) = run("expect eof", Direction::ToWorker, &[ready]);
        assert!(matches!(played, Err(Stop::Mismatch { line: 1, .. })), "{played:?}");
        let (played, _) = run("expect exit 0", Direction::ToWorker, &[]);
        assert!(matches!(played, Err(Stop::Mismatch { line: 1, .. })), "{played:?}");
        assert_eq!(run("expect exit 3", Direction::ToWorker, &[]).0, Ok(()));
    }
}
