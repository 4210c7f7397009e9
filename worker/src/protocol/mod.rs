//! The protocol between the parent and one worker (DESIGN §5), version 1.
//!
//! A frame is a 4-byte big-endian length and that many bytes ([`frame`]): one UTF-8 JSON object, save for the
//! source. Both ends parse with the same strictness ([`strict`]) and into the same types ([`message`]); a value
//! crosses as raw JSON, serialized once.

pub mod frame;
pub mod message;
pub mod strict;

pub use frame::{FrameDecoder, FrameError, MAX_FRAME_BYTES};
pub use message::{
    CallId, Console, Execute, FromWorker, HostCall, HostResult, InvocationId, Ready, ScriptError, ScriptResult,
    ToWorker, Usage,
};
pub use strict::ProtocolViolation;

/// The only version of the protocol.
pub const VERSION: u32 = 1;
