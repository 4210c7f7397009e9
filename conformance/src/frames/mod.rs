//! The frames half of the kit: scripts of raw bytes for either end of the worker protocol.
//!
//! A `.frames` file says, line by line, what one peer puts on the wire and what the other must answer. The same
//! language drives both directions: towards the worker the test itself plays the parent, and towards the parent
//! a separate hostile program, `hostile_worker`, is launched by the real `wit` through its operator flag
//! `--worker` and replays the file that lies beside it. Shipping code has no branch for any of this.
//!
//! [`parse`] is pure and strict, so a fuzzer can drive it. [`player`] executes a script against a
//! [`player::Peer`]; [`generate`] derives the combinatorial frames from one template a message.

pub mod disguise;
pub mod expect;
pub mod generate;
pub mod hostile;
pub mod parse;
pub mod perform;
pub mod player;
pub mod report;
pub mod script;
pub mod template;
pub mod to_parent;
pub mod to_worker;
pub mod words;

pub use crate::corpus::Direction;
pub use parse::{ParseError, parse};
pub use script::{Script, Step};

/// The directory of the corpus below `adversarial-scripts/` that holds the frames.
pub const FAMILY: &str = "frames";
/// The name under which a hostile worker finds its script, in the directory of its own executable.
pub const SCRIPT_FILE: &str = "script.frames";
