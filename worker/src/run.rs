//! The worker process: build, lock down, say `ready`, read one script, run it, send its result, exit.
//!
//! Blocking reads on descriptor 0, writes on descriptor 1, one thread, no runtime. The order keeps I3: nothing of the
//! parent's is read before the lockdown is complete.

use std::io::{self, Read as _, Write as _};

use serde_json::value::RawValue;

use crate::protocol::frame;
use crate::protocol::{
    CallId, Execute, FrameDecoder, FromWorker, HostCall, InvocationId, MAX_FRAME_BYTES, Ready, ScriptResult, ToWorker,
};
use crate::registry::OperationId;
use crate::vm::{Answer, Engine, Host, HostGone};
use crate::{EXIT_ENGINE, EXIT_PARENT_GONE, EXIT_PROTOCOL, sandbox};

/// Runs this process as a worker; gives the status to leave with.
pub(crate) fn run() -> u8 {
    // Started from an anonymous file, it would be known to `ps` by a descriptor's number.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_name(c"wit-worker");
    let Ok(engine) = Engine::new() else {
        return EXIT_ENGINE;
    };
    let mut pipe = Pipe::new();
    let layers = match sandbox::lockdown() {
        Ok(layers) => layers,
        #[cfg(not(target_os = "linux"))]
        Err(sandbox::LockdownError::Unsupported) if is_unsandboxed() => Vec::new(),
        Err(error) => {
            // The parent keeps the number of bytes and nothing of the text.
            let _ = writeln!(io::stderr(), "{error}");
            return sandbox::exit::SANDBOX_UNAVAILABLE;
        }
    };
    match serve(engine, &mut pipe, layers) {
        Ok(()) => 0,
        Err(End::Gone) => EXIT_PARENT_GONE,
        Err(End::Protocol) => EXIT_PROTOCOL,
    }
}

/// Whether the operator has taken the risk, on a system whose lockdown is not written.
#[cfg(not(target_os = "linux"))]
fn is_unsandboxed() -> bool {
    std::env::args_os().nth(2).is_some_and(|argument| argument == crate::UNSANDBOXED_ARGUMENT)
}

/// Why a worker ends without a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The parent closed its end.
    Gone,
    /// The parent sent what the protocol does not allow.
    Protocol,
}

fn serve(engine: Engine, pipe: &mut Pipe, layers: Vec<String>) -> Result<(), End> {
    pipe.write(&FromWorker::Ready(Ready { layers }))?;
    pipe.flush()?;
    let Execute { invocation, source_bytes, limits } = match ToWorker::parse(pipe.read()?) {
        Ok(ToWorker::Execute(execute)) => execute,
        _ => return Err(End::Protocol),
    };
    // The very next frame is the source: raw, and text.
    let source = pipe.read()?.to_vec();
    if source.len() as u64 != source_bytes || std::str::from_utf8(&source).is_err() {
        return Err(End::Protocol);
    }
    let mut session = Session { pipe, invocation, end: End::Gone };
    let outcome = engine.run(&source, limits, &mut session).map_err(|HostGone| session.end)?;
    pipe.write(&FromWorker::Result(Box::new(ScriptResult {
        invocation,
        outcome: outcome.result,
        console: outcome.console,
        usage: outcome.usage,
    })))?;
    pipe.flush()
}

/// One invocation over the pipe.
struct Session<'a> {
    pipe: &'a mut Pipe,
    invocation: InvocationId,
    end: End,
}

impl Host for Session<'_> {
    fn send(&mut self, call: CallId, operation: OperationId, arguments: &RawValue) -> Result<(), HostGone> {
        let message = FromWorker::HostCall(HostCall {
            invocation: self.invocation,
            call,
            operation: operation.entry().tool.to_owned(),
            arguments: arguments.to_owned(),
        });
        self.pipe.write(&message).map_err(|end| self.ended(end))
    }

    fn flush(&mut self) -> Result<(), HostGone> {
        self.pipe.flush().map_err(|end| self.ended(end))
    }

    fn receive(&mut self) -> Result<Answer, HostGone> {
        let body = match self.pipe.read() {
            Ok(body) => body,
            Err(end) => {
                self.end = end;
                return Err(HostGone);
            }
        };
        match ToWorker::parse(body) {
            Ok(ToWorker::HostResult(result)) if result.invocation == self.invocation => {
                // Should the VM not know the call, the parent has broken the protocol.
                self.end = End::Protocol;
                Ok(Answer { call: result.call, outcome: result.outcome })
            }
            _ => Err(self.ended(End::Protocol)),
        }
    }
}

impl Session<'_> {
    const fn ended(&mut self, end: End) -> HostGone {
        self.end = end;
        HostGone
    }
}

/// Frames over descriptors 0 and 1.
struct Pipe {
    decoder: FrameDecoder,
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
    /// Bytes of the frame given out last, which is gone at the next read.
    body: Vec<u8>,
}

impl Pipe {
    fn new() -> Self {
        Self {
            decoder: FrameDecoder::new(),
            incoming: vec![0; frame::HEADER_BYTES + MAX_FRAME_BYTES],
            outgoing: Vec::new(),
            body: Vec::new(),
        }
    }

    /// The next frame's body.
    fn read(&mut self) -> Result<&[u8], End> {
        loop {
            match self.decoder.next_frame() {
                Ok(Some(body)) => {
                    self.body.clear();
                    self.body.extend_from_slice(body);
                    break;
                }
                Ok(None) => {}
                Err(_) => return Err(End::Protocol),
            }
            // Larger than the buffer of the standard library, which therefore stays out of the way.
            let count = match io::stdin().lock().read(&mut self.incoming) {
                Ok(0) => return Err(if self.decoder.is_mid_frame() { End::Protocol } else { End::Gone }),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Err(End::Gone),
            };
            self.decoder.push(&self.incoming[..count]);
        }
        Ok(&self.body)
    }

    /// Queues a frame.
    fn write(&mut self, message: &FromWorker) -> Result<(), End> {
        message.encode(&mut self.outgoing).map_err(|_| End::Protocol)
    }

    /// Sends what is queued, in one write where the pipe allows.
    fn flush(&mut self) -> Result<(), End> {
        let mut out = io::stdout().lock();
        let sent = out.write_all(&self.outgoing).and_then(|()| out.flush());
        self.outgoing.clear();
        sent.map_err(|_| End::Gone)
    }
}
