//! What each fuzz target checks, as plain functions of bytes. A target is one line over one of them; stable tests
//! replay the seeds and all findings through the same functions.

pub mod corpus;
pub mod front_end;
pub mod operations;
pub mod parent;
pub mod protocol;
pub mod seeds;
pub mod snapshot;
