//! Doubles of the outside world: real protocols over loopback, with faults on demand.

pub mod git_http;
pub mod rest;
