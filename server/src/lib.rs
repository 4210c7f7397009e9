//! The trusted parent: it alone owns credentials, the repository cache, snapshots, the operations and every budget.
//!
//! Folders mirror the trust boundary. [`operations`] are what a model may do, over [`snapshot`]s that
//! [`repository`] brings in. [`codemode`] runs one untrusted worker an invocation and treats each as hostile.
//! [`mcp`] and [`cli`] are the surfaces; [`schema`] turns the registries into schemas, types and documents.

pub mod cli;
pub mod codemode;
pub mod envelope;
pub mod github;
pub mod mcp;
pub mod operations;
pub mod repository;
pub mod schema;
pub mod snapshot;
