//! The pure parts of the operations that read what a caller wrote, for fuzz targets and properties: arguments and
//! cursors as functions of text. Nothing else of the server uses this, and nothing here does anything of its own.

use serde_json::Value;
use serde_json::value::RawValue;
use wit_worker::registry::OperationId;

use super::OperationError;
use super::arguments::Arguments;
use super::cursor::{Position, Walk};

/// Reads the arguments of an operation, and gives them as they are understood, defaults filled in.
///
/// # Errors
/// `invalid_arguments`, naming the field.
pub fn arguments(operation: OperationId, text: &RawValue) -> Result<Value, OperationError> {
    Arguments::parse(operation.entry(), text).map(|arguments| arguments.understood())
}

/// What a cursor belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CursorOf<'a> {
    /// The cache's key.
    pub key: &'a [u8; 32],
    /// The operation.
    pub operation: OperationId,
    /// The snapshot's handle, or the repository's name.
    pub subject: &'a str,
    /// The arguments that decide what the walk is over.
    pub fingerprint: &'a str,
}

impl CursorOf<'_> {
    /// The cursor of a position.
    #[must_use]
    pub fn issue(&self, position: (u64, u64)) -> String {
        self.walk().issue(Position(position.0, position.1))
    }

    /// The position of a cursor.
    ///
    /// # Errors
    /// `invalid_cursor`, unless it was issued for exactly this.
    pub fn accept(&self, cursor: &str) -> Result<(u64, u64), OperationError> {
        self.walk().accept(cursor).map(|position| (position.0, position.1))
    }

    fn walk(&self) -> Walk<'_> {
        let Self { key, operation, subject, fingerprint } = *self;
        Walk { key, operation, subject, fingerprint: fingerprint.to_owned() }
    }
}
