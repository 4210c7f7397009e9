//! The security conformance kit: a corpus of adversarial scripts and frames, and what replays it against the real
//! `wit` binary (DESIGN §10).
//!
//! [`corpus`] reads the case files; a case says what it attacks and the one outcome it must have. The kit drives
//! the binary only as an outsider can: over MCP on stdio ([`client`]), by its command line, and through `/proc`
//! ([`process`]). [`run`] runs one case with all its standing invariants; [`coverage`] holds the corpus itself to the
//! ledger; [`report`] says what was found.
//!
//! It runs on Linux; elsewhere this crate is empty.
#![cfg(target_os = "linux")]

pub mod binary;
pub mod cache_soak;
pub mod canary;
pub mod catalogue;
pub mod client;
pub mod corpus;
pub mod coverage;
pub mod double;
pub mod fixture;
pub mod foreign;
pub mod frames;
pub mod mutants;
pub mod parallel;
pub mod probe;
pub mod process;
pub mod profile;
mod random;
pub mod report;
pub mod requirements;
pub mod run;
pub mod snapshot;
pub mod soak;
pub mod upstream;
