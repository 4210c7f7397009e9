//! The three registries from which everything else is generated: argument parsing, JSON Schemas, the `.d.ts`,
//! tool descriptions, `help()`, `wit policy` and the tables in `docs/`.

pub mod codes;
pub mod limits;
pub mod operations;

pub use codes::{Code, Reason};
pub use limits::{LimitId, Limits};
pub use operations::{Class, Field, Operation, OperationId, Type};
