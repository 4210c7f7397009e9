//! The security conformance kit: a corpus of adversarial scripts and frames, and what replays it against the real
//! `wit` binary (DESIGN §10).
//!
//! [`corpus`] reads the case files; a case says what it attacks and the one outcome it must have. The kit drives
//! the binary only as an outsider can: over MCP on stdio, by its command line, and through `/proc`.

pub mod corpus;
pub mod frames;
#[cfg(target_os = "linux")]
pub mod probe;
