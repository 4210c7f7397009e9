//! The registries' products: JSON Schemas, the `.d.ts`, the tables of `docs/` and of `wit policy`.
//!
//! One generator a product, driven by the tables and blind to any single operation, limit or code: adding a row is
//! all it takes to add it everywhere.

pub mod json;
pub mod markdown;
pub mod policy;
pub mod typescript;
