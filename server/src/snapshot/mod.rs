//! Snapshots: one immutable file per commit, mapped into memory and shared by everyone who reads that commit.
//!
//! A [`SnapshotWriter`] fills a file under a temporary name; the [`Store`] renames it into the cache and hands out
//! [`Snapshot`]s. Nothing ever writes to or truncates a file that has its final name, so a mapping stays valid for
//! as long as someone holds it, even after eviction has unlinked the file.

mod claim;
mod contents;
mod file;
mod format;
mod id;
mod inventory;
mod map;
mod scratch;
mod store;
mod writer;

pub use contents::{Contents, LfsPointer};
pub use file::{Entry, EntryKind, Snapshot};
pub use format::DamagedSnapshot;
pub use id::SnapshotId;
pub(crate) use inventory::{Inventory, Prune, Row as CacheRow, State as CacheState};
pub(crate) use store::TurnError;
pub use store::{Store, StoreError};
pub use writer::{SnapshotWriter, WriteError};
